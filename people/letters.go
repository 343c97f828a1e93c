package people

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// letterTexts are the parts of a dead letter that may identify somebody. Earlier versions wrote one letter for each
// fault, without the record.
type letterTexts struct {
	File, ID, Value, Reason string
	Faults                  []struct{ Value, Reason string }
	Record                  json.RawMessage
}

// find returns the letters about a subject.
func (l Letters) find(t *traces) ([]Letter, error) {
	var found []Letter
	err := l.each(func(path string) error {
		return eachLine(path, func(number int, line []byte) error {
			if t.inLetter(line) {
				found = append(found, Letter{File: filepath.Base(path), Line: number, Content: rawJSON(line)})
			}
			return nil
		})
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
	texts := []string{letter.ID, letter.Value, letter.File, letter.Reason}
	for _, f := range letter.Faults {
		texts = append(texts, f.Value, f.Reason)
	}
	return slices.ContainsFunc(texts, t.occurIn) || t.occurInRunning(recordText(letter.Record))
}

// recordText returns the cells of a record in their order, so that a name is found even if it is in two columns.
func recordText(record json.RawMessage) string {
	var texts []string
	decoder := json.NewDecoder(bytes.NewReader(record))
	_, err := decoder.Token() // the start of the object
	for err == nil && decoder.More() {
		var cell json.RawMessage
		if _, err = decoder.Token(); err == nil {
			err = decoder.Decode(&cell)
		}
		var text string
		if json.Unmarshal(cell, &text) != nil {
			text = string(cell)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

// erase removes the letters about a subject and returns how many there were. It removes files that become empty.
func (l Letters) erase(t *traces) (removed int, err error) {
	err = l.each(func(path string) error {
		// Most files have no letter about the subject, so each is read before it is rewritten.
		all, found := 0, 0
		err := eachLine(path, func(_ int, line []byte) error {
			if all++; t.inLetter(line) {
				found++
			}
			return nil
		})
		if err != nil || found == 0 {
			return err
		}

		removed += found
		if found == all {
			return os.Remove(path)
		}

		return replaceFile(path, func(w io.Writer) error {
			return eachLine(path, func(_ int, line []byte) error {
				if t.inLetter(line) {
					return nil
				}
				_, err := w.Write(append(line, '\n'))
				return err
			})
		})
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
				removed = append(removed, filepath.Base(path))
				err = nil
			}
		}

		if err != nil {
			return removed, fmt.Errorf("remove old dead letters: %w", err)
		}
	}

	return removed, nil
}

// each calls do with the path of every file.
func (l Letters) each(do func(path string) error) error {
	paths, err := l.files()
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := do(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // another program may have removed it
			return fmt.Errorf("dead letters: %w", err)
		}
	}
	return nil
}

// eachLine calls do with every line of a file and its number, from 1. Files may be large, because they hold rejected
// rows in full.
func eachLine(path string, do func(number int, line []byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()

	// Lines may be longer than what a bufio.Scanner accepts.
	in := bufio.NewReaderSize(file, 64<<10)
	for number := 1; ; number++ {
		line, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}

		if len(line) > 0 {
			if err := do(number, bytes.TrimSuffix(line, []byte{'\n'})); err != nil {
				return err
			}
		}

		if err != nil {
			return nil
		}
	}
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
func replaceFile(path string, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // readable by its owner only
	if err != nil {
		return err
	}
	buffered := bufio.NewWriter(file)
	err = errors.Join(write(buffered), buffered.Flush(), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
