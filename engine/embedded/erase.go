package embedded

import (
	"bytes"
	"fmt"

	"freelancer-matching/engine"
	"freelancer-matching/engine/embedded/changelog"
)

// An erasure is a deletion whose document may still have data in the files.
type erasure struct {
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
	for _, x := range s.unerased {
		puts, deletions = append(puts, x.puts...), append(deletions, x.entry)
		if x.base.Length == 0 {
			continue
		}
		if _, err := s.records.WriteAt(blank(x.base.Length), x.base.Offset); err != nil {
			return s.eraseError(err)
		}
		blanked = true
	}
	err := s.log.Erase(puts)
	if err == nil && blanked {
		err = s.records.Sync()
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

// errErased means that a record was overwritten because the document was deleted. A search that started before the
// deletion meets it.
var errErased = fmt.Errorf("%w: the record was erased", engine.ErrNotFound)

// blank returns what replaces a record of the given length.
func blank(length uint32) []byte {
	b := bytes.Repeat([]byte{' '}, int(length))
	b[length-1] = '\n'
	return b
}

// isBlank reports whether a record was overwritten, or is just being overwritten. A record starts with a brace.
func isBlank(record []byte) bool { return len(record) > 0 && record[0] == ' ' }
