package lastload

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// HistoryFolder is the name of the folder in the data folder that has a file for each of the last loads.
	HistoryFolder = "loads"
	// MaxEntries is the number of loads in the history.
	MaxEntries = 50

	maxReasons   = 20  // in one list of an entry
	maxFiles     = 100 // in an entry
	maxText      = 300 // characters of a name or a reason
	maxEntrySize = 512 << 10

	entrySuffix = ".json"
	entryTime   = "20060102t150405.000000000z"
	abandoned   = time.Hour // age of a temporary file that no indexer is writing anymore
)

// An Entry describes a load in the history. Like Result, it holds no data about people: files have no paths, and
// reasons have no values.
type Entry struct {
	ID     string `json:"-"` // the name of its file, without the suffix
	Result Result `json:"result"`

	User     string `json:"user,omitempty"` // who ran the load, as name@host
	Files    []File `json:"files,omitempty"`
	Currency string `json:"currency,omitempty"`
	Taxonomy string `json:"taxonomy,omitempty"` // version; empty if the load ended before it was known
	Mapping  string `json:"mapping,omitempty"`  // of the index, such as freelancers.v1
	Previous string `json:"previous,omitempty"` // the index that a rollback would return to
	Live     int    `json:"live,omitempty"`     // freelancers in the live index after a success
	Before   int    `json:"before,omitempty"`   // freelancers in the index that was live before, if there was one
	// Changes is what a success changed; nil if it was not counted.
	Changes *Changes `json:"changes,omitempty"`
	// Known has the freelancers with a known value by field, of the live index after a success.
	Known map[string]int `json:"known,omitempty"`
	// Other is the number of rows that were neither used nor rejected: they delete a freelancer, are about nobody, or
	// about an erased person.
	Other int `json:"other,omitempty"`

	Rejections []Reason `json:"rejections,omitempty"` // why rows were rejected, the most frequent reason first
	Warnings   []Reason `json:"warnings,omitempty"`   // why values were left unknown or cut
	// Omitted is the number of reasons beyond those in Rejections and Warnings.
	Omitted int `json:"omitted,omitempty"`
}

// Changes counts freelancers.
type Changes struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
	Changed int `json:"changed"` // were there before and are in the files
}

// A File is an input of a load.
type File struct {
	Name   string `json:"name"` // without its path
	Format string `json:"format,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
	Rows   int    `json:"rows,omitempty"` // 0 if the file was not read to its end
}

// A Reason counts the faults with one reason in one column.
type Reason struct {
	Column string  `json:"column,omitempty"` // empty if whole rows are concerned
	Text   string  `json:"text"`
	Count  int     `json:"count"`
	Places []Place `json:"places,omitempty"` // the first ones
}

// A Place is a line of a file.
type Place struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line"`
}

// An Outcome says how a load ended.
type Outcome string

// The outcomes of a load.
const (
	Loaded   Outcome = "loaded"
	Refused  Outcome = "refused"  // by a check of the data; the live index stayed as it was
	Canceled Outcome = "canceled" // by a person or a signal
	Failed   Outcome = "failed"
)

// Outcome returns how the load ended.
func (r *Result) Outcome() Outcome {
	switch r.Error {
	case "":
		return Loaded
	case "interrupted":
		return Canceled
	case "too_many_rejected", "too_many_merged", "not_freelancers", "would_shrink", "freelancers_refused",
		"unknown_ids", "no_usable_rows":
		return Refused
	default:
		return Failed
	}
}

// A History is the last loads, the newest first.
type History struct {
	Entries    []Entry
	Unreadable []string // names of damaged files, the newest first
}

// Add adds the entry to the history in a data folder, and removes the oldest ones. It returns an error wrapping
// fs.ErrNotExist if the data folder doesn't exist.
func (e Entry) Add(data string) error {
	dir := filepath.Join(data, HistoryFolder)
	if err := os.Mkdir(dir, 0o750); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	e.limit()
	content, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}

	// Only the owner may read it: names of files and columns may say more than counts do.
	file, err := os.CreateTemp(dir, ".load-*")
	if err != nil {
		return err
	}
	_, err = file.Write(append(content, '\n'))
	// The process makes the name unique if two loads end at the same time.
	name := e.Result.Finished.UTC().Format(entryTime) + "-" + strconv.Itoa(os.Getpid()) + entrySuffix

	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(dir, name))
	}

	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}

	return prune(dir, e.Result.Finished)
}

// limit keeps the entry small, whatever files were loaded.
func (e *Entry) limit() {
	if excess := len(e.Files) - maxFiles; excess > 0 {
		e.Files = append(slices.Clone(e.Files[:maxFiles-1]), File{Name: fmt.Sprintf("… and %d more", excess+1)})
	}
	e.Files = slices.Clone(e.Files)
	for i := range e.Files {
		e.Files[i].Name = shorten(e.Files[i].Name)
	}
	for _, list := range []*[]Reason{&e.Rejections, &e.Warnings} {
		e.Omitted += max(0, len(*list)-maxReasons)
		*list = slices.Clone((*list)[:min(len(*list), maxReasons)])
		for i := range *list {
			r := &(*list)[i]
			r.Column, r.Text, r.Places = shorten(r.Column), shorten(r.Text), slices.Clone(r.Places)
			for j := range r.Places {
				r.Places[j].File = shorten(r.Places[j].File)
			}
		}
	}
}

// shorten returns a text of at most maxText characters.
func shorten(text string) string {
	if len(text) <= maxText {
		return text
	}
	if runes := []rune(text); len(runes) > maxText {
		return string(runes[:maxText-1]) + "…"
	}
	return text
}

// prune removes all entries but the newest ones, and what indexers left that were killed while writing.
func prune(dir string, now time.Time) error {
	names, temporary, err := list(dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range names[min(len(names), MaxEntries):] {
		errs = append(errs, removeFile(dir, name))
	}
	for _, entry := range temporary {
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > abandoned {
			errs = append(errs, removeFile(dir, entry.Name()))
		}
	}
	return errors.Join(errs...)
}

// removeFile removes a file that another indexer may have removed already.
func removeFile(dir, name string) error {
	if err := os.Remove(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// list returns the names of all entries in a folder, the newest first, and the files that are being written.
func list(dir string) (names []string, temporary []fs.DirEntry, err error) {
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, entry := range slices.Backward(all) {
		switch name := entry.Name(); {
		case strings.HasPrefix(name, ".load-"):
			temporary = append(temporary, entry)
		case strings.HasSuffix(name, entrySuffix) && !strings.HasPrefix(name, "."):
			names = append(names, name)
		}
	}
	return names, temporary, nil
}

// ReadHistory returns the last loads that were recorded in a data folder. A damaged entry is no error. The history is
// empty if no load has ended yet.
func ReadHistory(data string) (h History, err error) {
	dir := filepath.Join(data, HistoryFolder)
	names, _, err := list(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return h, err
	}

	for _, name := range names[:min(len(names), MaxEntries)] {
		e, err := readEntry(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist): // an indexer has just removed it
		case err != nil:
			h.Unreadable = append(h.Unreadable, name)
		default:
			e.ID = strings.TrimSuffix(name, entrySuffix)
			h.Entries = append(h.Entries, e)
		}
	}

	return h, nil
}

func readEntry(path string) (e Entry, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return e, err
	}
	if !info.Mode().IsRegular() {
		return e, errors.New("not a regular file")
	}

	file, err := os.Open(path)
	if err != nil {
		return e, err
	}
	defer file.Close()

	content, err := io.ReadAll(io.LimitReader(file, maxEntrySize))
	if err == nil {
		err = json.Unmarshal(content, &e)
	}

	if err == nil {
		err = e.check()
	}

	return e, err
}

// check returns an error if the entry can't have been written by an indexer.
func (e *Entry) check() error {
	r := &e.Result
	if r.Finished.IsZero() || r.Started.IsZero() || r.Finished.Before(r.Started) {
		return errors.New("the times are missing or contradict each other")
	}
	for _, n := range []int{
		r.Rows, r.Freelancers, r.Merged, r.Conflicts, r.Rejected, r.Refused, r.Warnings, e.Live, e.Other, e.Omitted,
	} {
		if n < 0 {
			return errors.New("a count is negative")
		}
	}
	return nil
}
