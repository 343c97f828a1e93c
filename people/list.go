package people

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"freelancer-matching/internal/matching"
)

// ListFile is the name of the list of erased people in the data folder.
const ListFile = "erased.json"

// A List is the path of the list of erased people, which the indexer leaves out of later loads. The list holds keyed
// hashes of IDs and addresses. They reveal nobody, but anybody with the file can check whether somebody is on it. The
// file does not exist before the first erasure.
type List string

// An Erased is the content of a list. The zero value is an empty list.
type Erased struct {
	Key    []byte               `json:"key"`
	IDs    map[string]time.Time `json:"ids,omitempty"`    // when somebody was erased, by the hash of an ID
	Emails map[string]time.Time `json:"emails,omitempty"` // the same, by the hash of an address
}

// keyLength is the length of Erased.Key in bytes.
const keyLength = 32

// Read returns the content of the list.
func (l List) Read() (*Erased, error) {
	content, err := os.ReadFile(string(l))
	if errors.Is(err, fs.ErrNotExist) {
		return &Erased{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list of erased people: %w", err)
	}
	e := &Erased{}
	if err := json.Unmarshal(content, e); err != nil || len(e.Key) != keyLength {
		return nil, fmt.Errorf("the list of erased people %s is damaged; restore it from a copy of the data folder, "+
			"or remove it if nobody was erased", string(l))
	}
	return e, nil
}

// Matcher returns a function that reports whether a freelancer is on the list now, or nil if nobody is.
func (l List) Matcher() (func(*matching.Freelancer) bool, error) {
	e, err := l.Read()
	if err != nil {
		return nil, err
	}
	return e.matcher(), nil
}

func (e *Erased) matcher() func(*matching.Freelancer) bool {
	if len(e.IDs)+len(e.Emails) == 0 {
		return nil
	}
	return e.Has
}

// A Watched is a List that is read again only when it has changed. It is safe for concurrent use.
type Watched struct {
	List List

	mu   sync.Mutex
	file os.FileInfo // that was read; nil for none
	read *Erased
}

// Matcher returns a function that reports whether a freelancer is on the list now, or nil if nobody is.
func (w *Watched) Matcher() (func(*matching.Freelancer) bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	file, err := os.Stat(string(w.List))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list of erased people: %w", err)
	}

	if !w.isCurrent(file) {
		if w.read, err = w.List.Read(); err != nil {
			return nil, err
		}
		w.file = file
	}
	return w.read.matcher(), nil
}

// isCurrent reports whether the content was read from a file. Every change replaces the file.
func (w *Watched) isCurrent(file os.FileInfo) bool {
	return w.file != nil && os.SameFile(w.file, file) && w.file.ModTime().Equal(file.ModTime()) &&
		w.file.Size() == file.Size()
}

// add adds the IDs and addresses of a subject.
func (l List) add(s Subject, at time.Time) error {
	return l.change(func(e *Erased) {
		if e.Key == nil {
			e.Key = make([]byte, keyLength)
			_, _ = rand.Read(e.Key) // never fails
		}
		if e.IDs == nil {
			e.IDs = map[string]time.Time{}
		}
		if e.Emails == nil {
			e.Emails = map[string]time.Time{}
		}
		for _, id := range s.IDs {
			e.IDs[e.hash(id)] = at
		}
		for _, email := range s.Emails {
			e.Emails[e.hash(email)] = at
		}
	})
}

// remove removes the IDs and addresses of a subject, and reports whether any of them was on the list.
func (l List) remove(s Subject) (removed bool, err error) {
	err = l.change(func(e *Erased) {
		removed = e.hasAny(s)
		for _, id := range s.IDs {
			delete(e.IDs, e.hash(id))
		}
		for _, email := range s.Emails {
			delete(e.Emails, e.hash(email))
		}
	})
	return removed, err
}

// change changes the list while no other process does.
func (l List) change(change func(*Erased)) (err error) {
	// The lock is a file of its own, because every change replaces the list.
	lock := flock.New(string(l) + ".lock")
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock the list of erased people: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()

	e, err := l.Read()
	if err != nil {
		return err
	}
	change(e)

	if e.Key == nil {
		return nil // still empty
	}
	content, err := json.MarshalIndent(e, "", "  ")
	if err == nil {
		err = replaceFile(string(l), func(w io.Writer) error {
			_, err := w.Write(append(content, '\n'))
			return err
		})
	}

	if err == nil {
		err = syncFolder(filepath.Dir(string(l)))
	}

	if err != nil {
		return fmt.Errorf("write the list of erased people: %w", err)
	}

	return nil
}

// syncFolder makes a renamed file durable.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func (e *Erased) hash(text string) string {
	h := hmac.New(sha256.New, e.Key)
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil))
}

// hasAny reports whether an ID or an address of a subject is on the list.
func (e *Erased) hasAny(s Subject) bool {
	return slices.ContainsFunc(s.IDs, func(id string) bool { return has(e.IDs, e.hash(id)) }) ||
		slices.ContainsFunc(s.Emails, func(email string) bool { return has(e.Emails, e.hash(email)) })
}

func has(m map[string]time.Time, key string) bool {
	_, ok := m[key]
	return ok
}

// Has reports whether a freelancer was erased: by ID, or by an address that a text of the record contains.
func (e *Erased) Has(f *matching.Freelancer) bool {
	if len(e.IDs) > 0 && has(e.IDs, e.hash(f.ID)) {
		return true
	}
	if len(e.Emails) == 0 {
		return false
	}
	for _, text := range texts(f) {
		if slices.ContainsFunc(addresses(text), func(email string) bool { return has(e.Emails, e.hash(email)) }) {
			return true
		}
	}
	return false
}

// texts returns the texts of a record that may contain an address.
func texts(f *matching.Freelancer) []string {
	return append([]string{f.ID, f.Name, f.JobTitle, f.Description, f.ProfileURL, f.Location}, f.Skills...)
}

// addresses returns what looks like an email address in a text, in lower case.
func addresses(text string) []string {
	if !strings.Contains(text, "@") {
		return nil
	}
	var found []string
	for field := range strings.FieldsFuncSeq(lower(text), func(r rune) bool {
		return r <= ' ' || r >= 0x80 || strings.ContainsRune("<>()[]{},;:|\"'/\\`!?*=", r)
	}) {
		if field = strings.Trim(field, ".-_"); strings.Count(field, "@") == 1 {
			found = append(found, field)
		}
	}
	return found
}
