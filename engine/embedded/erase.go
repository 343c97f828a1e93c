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

	"github.com/freelancer-matching/service/engine/embedded/changelog"
	"github.com/freelancer-matching/service/engine/embedded/segment"
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
	if err := s.overwriteDeleted(); err != nil {
		return fmt.Errorf("index %q: erase deleted freelancers: %w", s.name, err)
	}
	s.unerased = nil
	return nil
}

// overwriteDeleted overwrites the data of s.unerased.
func (s *store) overwriteDeleted() error {
	var puts, deletions []int64
	ids := map[string]bool{} // in JSON, as records have them
	hasBlanked := false
	for _, deleted := range s.unerased {
		id, err := json.Marshal(deleted.id)
		if err != nil {
			return err
		}
		ids[string(id)] = true
		puts = append(puts, deleted.puts...)
		deletions = append(deletions, deleted.entry)

		isInBase := deleted.base.Length > 0
		if isInBase {
			blank := segment.BlankRecord(deleted.base.Length)
			if _, err := s.records.WriteAt(blank, deleted.base.Offset); err != nil {
				return err
			}
			hasBlanked = true
		}
	}

	if err := s.log.Erase(puts); err != nil {
		return err
	}
	if hasBlanked {
		if err := s.records.Sync(); err != nil {
			return err
		}
	}
	if err := s.eraseUnfinished(ids); err != nil {
		return err
	}

	// Deletions are marked as finished last: after a crash, the others are erased again.
	return s.log.Finish(deletions)
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
