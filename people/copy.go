package people

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// CopyFile is the name of the copy of the list of erased people in the data folder.
const CopyFile = "erased.json"

// A Copy is the path of a copy of the list of erased people. Earlier releases had the list there only. The file does
// not exist before the first erasure.
type Copy string

// A copiedList is a part of a copy whose hashes have one key.
type copiedList struct {
	Key        []byte               `json:"key"`
	IDs        map[string]time.Time `json:"ids,omitempty"`    // when somebody was erased, by the hash of an ID
	Emails     map[string]time.Time `json:"emails,omitempty"` // the same, by the hash of an address
	Readmitted map[string]time.Time `json:"readmitted,omitempty"`
}

// A copiedFile is the content of a copy. Its first list is in the form that earlier releases read.
type copiedFile struct {
	copiedList
	Others []copiedList `json:"others,omitempty"` // with other keys
}

// Read returns the content of the copy, or an empty list if the file doesn't exist.
func (c Copy) Read() (*Erased, error) {
	content, err := os.ReadFile(string(c))
	if errors.Is(err, fs.ErrNotExist) {
		return NewErased(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("copy of the list of erased people: %w", err)
	}

	var file copiedFile
	err = json.Unmarshal(content, &file)
	lists := append([]copiedList{file.copiedList}, file.Others...)
	var entries []Entry
	for _, l := range lists {
		if err != nil || len(l.Key) != keyLength {
			return nil, fmt.Errorf("the copy of the list of erased people, %s, is damaged; put back a copy of this file, "+
				"or remove it if the database has not been restored from a backup since the last erasure", string(c))
		}
		entries = append(entries, l.entries()...)
	}

	return NewErased(entries), nil
}

func (l *copiedList) entries() (entries []Entry) {
	for hash, at := range l.IDs {
		entries = append(entries, Entry{l.Key, KindID, hash, at, l.Readmitted[hash]})
	}
	for hash, at := range l.Emails {
		entries = append(entries, Entry{l.Key, KindEmail, hash, at, l.Readmitted[hash]})
	}
	return entries
}

// merge adds entries to the copy while no other process changes it.
func (c Copy) merge(entries []Entry) (err error) {
	if len(entries) == 0 {
		return nil
	}

	// The lock is a file of its own, because every change replaces the copy.
	lock := flock.New(string(c) + ".lock")
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("lock the copy of the list of erased people: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()

	before, err := c.Read()
	if err != nil {
		return err
	}
	if len(NewErased(entries).Beyond(before)) == 0 {
		return nil
	}

	if err := c.write(NewErased(before.Entries(), entries)); err != nil {
		return fmt.Errorf("write the copy of the list of erased people: %w", err)
	}
	return nil
}

// write replaces the file.
func (c Copy) write(e *Erased) error {
	lists := make([]copiedList, len(e.keys))
	for i, key := range e.keys {
		lists[i] = copiedList{
			Key: key, IDs: map[string]time.Time{}, Emails: map[string]time.Time{}, Readmitted: map[string]time.Time{},
		}
		for id, t := range e.entries {
			if id.key == string(key) {
				lists[i].add(id, t)
			}
		}
	}

	content, err := json.MarshalIndent(copiedFile{lists[0], lists[1:]}, "", "  ")
	if err != nil {
		return err
	}

	err = replaceFile(string(c), func(w io.Writer) error {
		_, err := w.Write(append(content, '\n'))
		return err
	})
	if err != nil {
		return err
	}

	return syncFolder(filepath.Dir(string(c)))
}

func (l *copiedList) add(id entryID, t times) {
	if !t.readmitted.IsZero() {
		l.Readmitted[id.hash] = t.readmitted
	}
	if id.kind == KindEmail {
		l.Emails[id.hash] = t.erased
	} else {
		l.IDs[id.hash] = t.erased
	}
}

// syncFolder makes a renamed file durable.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
