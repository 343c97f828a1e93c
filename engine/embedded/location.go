package embedded

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"

	"freelancer-matching/engine"
	"freelancer-matching/engine/embedded/changelog"
	"freelancer-matching/engine/embedded/sectionfile"
	"freelancer-matching/internal/matching"
)

// A recordsSum is a checksum of records in order, which can be computed without those that were erased.
type recordsSum uint32

// add adds the CRC-32C of the next record.
func (s *recordsSum) add(sum uint32) {
	*s = recordsSum(crc32.Update(uint32(*s), sectionfile.Castagnoli, binary.LittleEndian.AppendUint32(nil, sum)))
}

// encode returns the record of a freelancer, one line of JSON.
func encode(f *matching.Freelancer) ([]byte, error) {
	b, err := json.Marshal(f)
	return append(b, '\n'), err
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

// A recordTable locates the record of each document.
type recordTable struct {
	files   []*os.File // closed by the garbage collector when no reader refers to the segment
	file    []uint16   // index into files; nil if there is only one
	offsets []uint64
	lengths []uint32
	sums    []uint32 // CRC-32C
}

// A location is the place of a record.
type location struct {
	file   *os.File
	offset uint64
	length uint32
	sum    uint32 // CRC-32C
}

// at returns the location of a document's record.
func (t *recordTable) at(doc uint32) location {
	l := location{offset: t.offsets[doc], length: t.lengths[doc], sum: t.sums[doc]}
	switch {
	case t.file != nil:
		l.file = t.files[t.file[doc]]
	case len(t.files) > 0:
		l.file = t.files[0]
	}
	return l
}

// addFiles makes files known, so that their numbers have the same order.
func (t *recordTable) addFiles(files []*os.File) {
	for _, file := range files {
		if !slices.Contains(t.files, file) {
			t.files = append(t.files, file)
		}
	}
}

// add appends the location of the next document's record.
func (t *recordTable) add(l location) {
	t.offsets = append(t.offsets, l.offset)
	t.lengths = append(t.lengths, l.length)
	t.sums = append(t.sums, l.sum)
	number := len(t.files) - 1
	for number >= 0 && t.files[number] != l.file { // there are few, and mostly it is the last one
		number--
	}
	if number < 0 {
		number = len(t.files)
		t.files = append(t.files, l.file)
	}
	if number > 0 && t.file == nil {
		t.file = make([]uint16, len(t.offsets)-1)
	}
	if t.file != nil {
		t.file = append(t.file, uint16(number))
	}
}

// String names the file and the place in it.
func (l location) String() string {
	return fmt.Sprintf("%s at byte %d", filepath.Base(l.file.Name()), l.offset)
}

// read reads a record and verifies its checksum.
func (l location) read() ([]byte, error) {
	b := make([]byte, l.length)
	if _, err := l.file.ReadAt(b, int64(l.offset)); err != nil {
		return nil, fmt.Errorf("%s: %w", l, err)
	}
	if crc32.Checksum(b, sectionfile.Castagnoli) == l.sum {
		return b, nil
	}
	// A record that is just being erased is overwritten from its start on, so the second time, the start is blank.
	if _, err := l.file.ReadAt(b, int64(l.offset)); err == nil && isBlank(b) {
		return b, errErased
	}
	return b, fmt.Errorf("%s: checksum mismatch", l)
}

// grow makes room for n more records.
func (t *recordTable) grow(n int) {
	t.offsets, t.lengths, t.sums = slices.Grow(t.offsets, n), slices.Grow(t.lengths, n), slices.Grow(t.sums, n)
}

// locationIn returns the location of a span of a file.
func locationIn(file *os.File, span changelog.Span) *location {
	return &location{file: file, offset: uint64(span.Offset), length: span.Length, sum: span.Sum}
}

// freelancer reads a record. It returns nil if the record was erased.
func (l location) freelancer() (*matching.Freelancer, error) {
	record, err := l.read()
	if errors.Is(err, errErased) {
		return nil, nil
	}
	f := new(matching.Freelancer)
	if err == nil {
		err = json.Unmarshal(record, f)
	}
	return f, err
}
