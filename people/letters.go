package people

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Letters is the folder with the dead letters of loads. Each file belongs to an index, and each line is a letter.
type Letters string

// A Letter is a rejected row or document.
type Letter struct {
	File    string          `json:"file"` // of the dead letters
	Line    int             `json:"line"` // in that file, from 1
	Content json.RawMessage `json:"content"`
}

// letterTexts are the parts of a dead letter that may identify somebody.
type letterTexts struct{ File, ID, Value, Reason string }

// find returns the letters about a subject.
func (l Letters) find(t *traces) ([]Letter, error) {
	var found []Letter
	err := l.each(func(path string, lines [][]byte) error {
		for i, line := range lines {
			if !t.inLetter(line) {
				continue
			}
			found = append(found, Letter{File: filepath.Base(path), Line: i + 1, Content: rawJSON(line)})
		}
		return nil
	})
	return found, err
}

// inLetter reports whether a line of a dead-letter file is about the subject. Rows are rejected for many reasons, so a
// letter often has no ID. A letter about somebody with the same name counts, too: no one needs it as much as the
// subject needs it gone.
func (t *traces) inLetter(line []byte) bool {
	var letter letterTexts
	if json.Unmarshal(line, &letter) != nil {
		return t.occurIn(string(line))
	}
	return t.occurIn(letter.ID) || t.occurIn(letter.Value) || t.occurIn(letter.File) || t.occurIn(letter.Reason)
}

// erase removes the letters about a subject and returns how many there were. It removes files that become empty.
func (l Letters) erase(t *traces) (removed int, err error) {
	err = l.each(func(path string, lines [][]byte) error {
		var kept [][]byte
		for _, line := range lines {
			if !t.inLetter(line) {
				kept = append(kept, line)
			}
		}
		if len(kept) == len(lines) {
			return nil
		}
		removed += len(lines) - len(kept)
		if len(kept) == 0 {
			return os.Remove(path)
		}
		return replaceFile(path, append(bytes.Join(kept, []byte("\n")), '\n'))
	})
	return removed, err
}

// drop removes the dead letters of indexes.
func (l Letters) drop(indexes []string) error {
	for _, index := range indexes {
		paths, err := filepath.Glob(filepath.Join(string(l), index+".*"))
		if err != nil {
			return fmt.Errorf("dead letters of %s: %w", index, err)
		}
		for _, path := range paths {
			if err := os.Remove(path); err != nil {
				return fmt.Errorf("dead letters of %s: %w", index, err)
			}
		}
	}
	return nil
}

// Expire removes the files that were last written before a time, and returns their names.
func (l Letters) Expire(before time.Time) (removed []string, err error) {
	paths, err := l.files()
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // another program removed it
		}
		if err == nil && info.ModTime().Before(before) {
			if err = os.Remove(path); err == nil || errors.Is(err, fs.ErrNotExist) {
				removed, err = append(removed, filepath.Base(path)), nil
			}
		}
		if err != nil {
			return removed, fmt.Errorf("remove old dead letters: %w", err)
		}
	}
	return removed, nil
}

// each calls do with the lines of every file.
func (l Letters) each(do func(path string, lines [][]byte) error) error {
	paths, err := l.files()
	if err != nil {
		return err
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err == nil {
			err = do(path, bytes.Split(bytes.TrimSuffix(content, []byte("\n")), []byte("\n")))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("dead letters: %w", err)
		}
	}
	return nil
}

// files returns the paths of all files. There are none if the folder does not exist.
func (l Letters) files() ([]string, error) {
	entries, err := os.ReadDir(string(l))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("dead letters: %w", err)
	}
	var paths []string
	for _, entry := range entries {
		if entry.Type().IsRegular() && !strings.HasPrefix(entry.Name(), ".") {
			paths = append(paths, filepath.Join(string(l), entry.Name()))
		}
	}
	return paths, nil
}

// replaceFile replaces a file atomically. Only its owner can read the new one.
func replaceFile(path string, content []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // readable by its owner only
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
