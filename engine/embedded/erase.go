package embedded

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

	"freelancer-matching/engine/embedded/changelog"
	"freelancer-matching/engine/embedded/segment"
)

// An erasure is a deletion whose document may still have data in the files.
type erasure struct {
	id    string
	entry int64   // offset of the deletion in the log
	puts  []int64 // offsets of the document's other entries
	base  changelog.Span
}

// erase overwrites the data of deleted documents, durably: their records in the base and their entries in the log. What
// remains of them is the ID in the log and, until the next merge, what the search structures hold. The caller holds the
// lock of changes. It may be repeated if it fails or is interrupted.
func (s *store) erase() error {
	if len(s.unerased) == 0 {
		return nil
	}
	var puts, deletions []int64
	blanked := false
	ids := map[string]bool{}
	for _, x := range s.unerased {
		id, err := json.Marshal(x.id)
		if err != nil {
			return s.eraseError(err)
		}
		ids[string(id)] = true
		puts = append(puts, x.puts...)
		deletions = append(deletions, x.entry)

		if x.base.Length == 0 {
			continue
		}
		if _, err := s.records.WriteAt(segment.BlankRecord(x.base.Length), x.base.Offset); err != nil {
			return s.eraseError(err)
		}

		blanked = true
	}

	// Deletions are marked as finished last: after a crash, the others are erased again.
	err := s.log.Erase(puts)
	if err == nil && blanked {
		err = s.records.Sync()
	}

	if err == nil {
		err = s.eraseUnfinished(ids)
	}

	if err == nil {
		err = s.log.Finish(deletions)
	}

	if err != nil {
		return s.eraseError(err)
	}
	s.unerased = nil

	return nil
}

func (s *store) eraseError(err error) error {
	return fmt.Errorf("index %q: erase deleted freelancers: %w", s.name, err)
}

// eraseUnfinished erases documents from the records that a merge has written so far, or that an interrupted one has
// left. ids are in JSON. The caller holds the lock of changes, under which a merge copies records; those that it copies
// later are blank already.
func (s *store) eraseUnfinished(ids map[string]bool) error {
	next := *s.d
	next.Generation++
	file, err := os.OpenFile(filepath.Join(s.dir, next.RecordsFile()), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()

	lines := bufio.NewReaderSize(file, 1<<20)
	offset := int64(0)

	for {
		line, err := lines.ReadSlice('\n')
		length := len(line)
		found := ids[string(recordID(line))]

		for errors.Is(err, bufio.ErrBufferFull) { // the ID is in the first part
			line, err = lines.ReadSlice('\n')
			length += len(line)
		}

		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}

		if found {
			if _, err := file.WriteAt(segment.BlankRecord(uint32(length)), offset); err != nil {
				return err
			}
		}

		if err != nil {
			return file.Sync()
		}
		offset += int64(length)
	}
}

// recordID returns the ID in a record, in JSON, or nil.
func recordID(record []byte) []byte {
	rest, ok := bytes.CutPrefix(record, []byte(`{"id":`))
	if !ok || len(rest) == 0 || rest[0] != '"' {
		return nil
	}
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case '"':
			return rest[:i+1]
		}
	}
	return nil
}
