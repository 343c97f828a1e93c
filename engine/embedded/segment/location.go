package segment

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

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/changelog"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/internal/matching"
)

// A RecordsSum is a checksum of records in order, which can be computed without those that were erased.
type RecordsSum uint32

// Add adds the CRC-32C of the next record.
func (s *RecordsSum) Add(sum uint32) {
	*s = RecordsSum(crc32.Update(uint32(*s), sectionfile.Castagnoli, binary.LittleEndian.AppendUint32(nil, sum)))
}

// EncodeRecord returns the record of a freelancer, one line of JSON.
func EncodeRecord(f *matching.Freelancer) ([]byte, error) {
	b, err := json.Marshal(f)
	return append(b, '\n'), err
}

// ErrErased means that a record was overwritten because the document was deleted. A search that started before the
// deletion meets it.
var ErrErased = fmt.Errorf("%w: the record was erased", engine.ErrNotFound)

// BlankRecord returns what replaces a record of the given length.
func BlankRecord(length uint32) []byte {
	b := bytes.Repeat([]byte{' '}, int(length))
	b[length-1] = '\n'
	return b
}

// IsErased reports whether a record was overwritten, or is just being overwritten. A record starts with a brace.
func IsErased(record []byte) bool { return len(record) > 0 && record[0] == ' ' }

// A RecordTable locates the record of each document.
type RecordTable struct {
	Files   []*os.File // closed by the garbage collector when no reader refers to the segment
	file    []uint16   // index into files; nil if there is only one
	offsets []uint64
	lengths []uint32
	sums    []uint32 // CRC-32C
}

// A Location is the place of a record.
type Location struct {
	File   *os.File
	Offset uint64
	Length uint32
	Sum    uint32 // CRC-32C
}

// At returns the location of a document's record.
func (t *RecordTable) At(doc uint32) Location {
	l := Location{Offset: t.offsets[doc], Length: t.lengths[doc], Sum: t.sums[doc]}
	switch {
	case t.file != nil:
		l.File = t.Files[t.file[doc]]
	case len(t.Files) > 0:
		l.File = t.Files[0]
	}
	return l
}

// addFiles makes files known, so that their numbers have the same order.
func (t *RecordTable) addFiles(files []*os.File) {
	for _, file := range files {
		if !slices.Contains(t.Files, file) {
			t.Files = append(t.Files, file)
		}
	}
}

// add appends the location of the next document's record.
func (t *RecordTable) add(l Location) {
	t.offsets = append(t.offsets, l.Offset)
	t.lengths = append(t.lengths, l.Length)
	t.sums = append(t.sums, l.Sum)
	number := len(t.Files) - 1
	for number >= 0 && t.Files[number] != l.File { // there are few, and mostly it is the last one
		number--
	}
	if number < 0 {
		number = len(t.Files)
		t.Files = append(t.Files, l.File)
	}
	if number > 0 && t.file == nil {
		t.file = make([]uint16, len(t.offsets)-1)
	}
	if t.file != nil {
		t.file = append(t.file, uint16(number))
	}
}

// String names the file and the place in it.
func (l Location) String() string {
	return fmt.Sprintf("%s at byte %d", filepath.Base(l.File.Name()), l.Offset)
}

// Read reads a record and verifies its checksum.
func (l Location) Read() ([]byte, error) {
	b := make([]byte, l.Length)
	if _, err := l.File.ReadAt(b, int64(l.Offset)); err != nil {
		return nil, fmt.Errorf("%s: %w", l, err)
	}
	if crc32.Checksum(b, sectionfile.Castagnoli) == l.Sum {
		return b, nil
	}
	// A record that is just being erased is overwritten from its start on, so the second time, the start is blank.
	if _, err := l.File.ReadAt(b, int64(l.Offset)); err == nil && IsErased(b) {
		return b, ErrErased
	}
	return b, fmt.Errorf("%s: checksum mismatch", l)
}

// grow makes room for n more records.
func (t *RecordTable) grow(n int) {
	t.offsets, t.lengths, t.sums = slices.Grow(t.offsets, n), slices.Grow(t.lengths, n), slices.Grow(t.sums, n)
}

// LocationIn returns the location of a span of a file.
func LocationIn(file *os.File, span changelog.Span) *Location {
	return &Location{File: file, Offset: uint64(span.Offset), Length: span.Length, Sum: span.Sum}
}

// Freelancer reads a record. It returns nil if the record was erased.
func (l Location) Freelancer() (*matching.Freelancer, error) {
	record, err := l.Read()
	if errors.Is(err, ErrErased) {
		return nil, nil
	}
	f := new(matching.Freelancer)
	if err == nil {
		err = json.Unmarshal(record, f)
	}
	return f, err
}
