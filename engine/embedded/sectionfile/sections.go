// Package sectionfile reads and writes files of named sections with checksums, such as index.bin, and maps them into
// memory.
package sectionfile

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/freelancer-matching/service/engine"
)

// A section file consists of
//
//	header    magic, format version (4 bytes), zeros up to alignment
//	sections  the elements of each section, zeros up to a multiple of alignment
//	table     for each section: length of the name (1), name, size of an element (1), offset in the file (8), number
//	          of elements (8), CRC-32C of the elements and the zeros after them (4)
//	footer    offset of the table (8), CRC-32C of header, table and that offset (4)
//
// in little-endian order. Elements are aligned so that a section of a mapped file can be used as a slice. The table is
// at the end, so that opening a large file reads a few pages, wherever its sections are.
const (
	magic         = "flmatch\n"
	FormatVersion = 7  // of the files that this package writes
	OldestFormat  = 6  // that this package reads; its files lack the hours a week of freelancers
	alignment     = 64 // of sections, a cache line
	footerBytes   = 8 + 4
	chunkBytes    = 64 << 10
)

// Castagnoli is the table of the checksums, CRC-32C.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Sections writes or reads a section file. Both directions use the same calls, so that the format is described once.
// The first error is kept for Err, and later calls do nothing.
type Sections struct {
	file  *os.File
	Name  string // for error messages
	chunk []byte // buffer
	err   error
	table []sectionEntry

	// For writing.
	w      *bufio.Writer // nil when reading
	offset int64         // bytes written
	sum    uint32        // checksum of the current section so far

	// For reading.
	r      io.ReaderAt
	mapped []byte // the whole file if it is mapped: sections are parts of it, and their checksums are not verified
	next   int    // number of the next section
	Strict bool   // verify the checksums of mapped sections, too
}

// A sectionEntry describes a section in the table.
type sectionEntry struct {
	name   string
	size   int   // of an element in bytes
	offset int64 // of the first element
	count  int   // of elements
	end    int64 // of the zeros that follow the elements
	sum    uint32
}

// An element is a value that sections can contain.
type element interface {
	int8 | uint8 | uint16 | int32 | uint32 | uint64 | int64 | float32 | float64
}

// Create creates or truncates a file and writes its header.
func Create(path string) (*Sections, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o640)
	if err != nil {
		return nil, err
	}
	s := &Sections{
		file:  file,
		Name:  filepath.Base(path),
		w:     bufio.NewWriterSize(file, 4*chunkBytes),
		chunk: make([]byte, chunkBytes),
	}
	s.write(sectionsHeader())
	return s, nil
}

func sectionsHeader() []byte {
	header := make([]byte, alignment)
	copy(header, magic)
	binary.LittleEndian.PutUint32(header[len(magic):], FormatVersion)
	return header
}

// OpenSections opens a file and reads its header and its table.
func OpenSections(path string) (*Sections, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	stat, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	s := ReadSections(file, filepath.Base(path), stat.Size())
	s.file = file
	return s, nil
}

// ReadSections reads the header and the table of a file of the given size.
func ReadSections(r io.ReaderAt, name string, size int64) *Sections {
	s := &Sections{Name: name, r: r, chunk: make([]byte, chunkBytes)}
	if s.err = s.readTable(size); s.err != nil {
		if _, ok := errors.AsType[*engine.FormatError](s.err); !ok {
			s.err = fmt.Errorf("the file is damaged: %w", s.err)
		}
		s.err = fmt.Errorf("%s: %w", name, s.err)
	}
	return s
}

func (s *Sections) readTable(size int64) error {
	header := make([]byte, alignment)
	if n, err := s.r.ReadAt(header, 0); n < len(magic)+4 {
		return fmt.Errorf("header: %w", err)
	}
	if string(header[:len(magic)]) != magic {
		return errors.New("not an index file")
	}

	// The version comes before all other checks, because other versions may have another layout.
	if v := binary.LittleEndian.Uint32(header[len(magic):]); v < OldestFormat || v > FormatVersion {
		return &engine.FormatError{Has: int(v), Want: FormatVersion}
	}
	if size < alignment+footerBytes {
		return errors.New("the file is too short")
	}

	footer := make([]byte, footerBytes)
	if _, err := s.r.ReadAt(footer, size-footerBytes); err != nil {
		return fmt.Errorf("footer: %w", err)
	}

	start := binary.LittleEndian.Uint64(footer)
	if start < alignment || start > uint64(size-footerBytes) {
		return errors.New("the table is not in the file")
	}

	table := make([]byte, size-footerBytes-int64(start))
	if _, err := s.r.ReadAt(table, int64(start)); err != nil {
		return fmt.Errorf("table: %w", err)
	}

	// This sum covers what says where the sections are. Each section has a sum of its own.
	if tableSum(header, table, footer[:8]) != binary.LittleEndian.Uint32(footer[8:]) {
		return errors.New("checksum mismatch in the table of sections")
	}

	return s.parseTable(string(table), int64(start))
}

func tableSum(header, table, start []byte) uint32 {
	sum := crc32.Checksum(header, Castagnoli)
	return crc32.Update(crc32.Update(sum, Castagnoli, table), Castagnoli, start)
}

// parseTable decodes the table. It returns an error unless the sections fill the file from the header to the table,
// which starts at end.
func (s *Sections) parseTable(table string, end int64) error {
	const numbers = 1 + 8 + 8 + 4
	for table != "" {
		length := int(table[0])
		if len(table) < 1+length+numbers {
			return errors.New("the table of sections is cut off")
		}

		e := sectionEntry{name: table[1 : 1+length]}
		fields := []byte(table[1+length : 1+length+numbers])
		table = table[1+length+numbers:]
		e.size = int(fields[0])
		offset := binary.LittleEndian.Uint64(fields[1:])
		count := binary.LittleEndian.Uint64(fields[9:])
		e.sum = binary.LittleEndian.Uint32(fields[17:])
		start := int64(alignment)
		if n := len(s.table); n > 0 {
			start = s.table[n-1].end
		}

		// Division instead of multiplication: a forged count would overflow.
		inPlace := e.size > 0 && offset == uint64(start)
		if !inPlace || count > uint64(end-start)/uint64(e.size) {
			return fmt.Errorf("section %q is not in its place, or larger than the file", e.name)
		}

		e.offset, e.count = start, int(count)
		e.end = aligned(start + int64(count)*int64(e.size))
		s.table = append(s.table, e)
	}

	last := int64(alignment)
	if n := len(s.table); n > 0 {
		last = s.table[n-1].end
	}

	if last != end {
		return errors.New("bytes follow the last section")
	}

	return nil
}

// aligned returns the next multiple of alignment.
func aligned(offset int64) int64 { return (offset + alignment - 1) &^ (alignment - 1) }

// Transfer writes items as a section, or reads them from the next section, which must have the given name. Items that
// are read from a mapped file are part of it: they must not be changed, and not be used after it is unmapped.
func Transfer[T element](s *Sections, name string, items *[]T) {
	if s.err != nil {
		return
	}
	if s.w != nil {
		writeSection(s, name, *items)
	} else {
		*items = readSection[T](s, name)
	}
	if s.err != nil {
		s.err = fmt.Errorf("%s: section %q: %w", s.Name, name, s.err)
	}
}

func writeSection[T element](s *Sections, name string, items []T) {
	size := binary.Size(*new(T))
	e := sectionEntry{name: name, size: size, offset: s.offset, count: len(items)}
	s.sum = 0
	for len(items) > 0 && s.err == nil {
		part := items[:min(len(items), chunkBytes/size)]
		n, err := binary.Encode(s.chunk, binary.LittleEndian, part)
		if err != nil {
			s.err = err
			return
		}
		s.write(s.chunk[:n])
		items = items[len(part):]
	}
	s.write(make([]byte, aligned(s.offset)-s.offset))
	e.sum = s.sum
	s.table = append(s.table, e)
}

func readSection[T element](s *Sections, name string) []T {
	size := binary.Size(*new(T))
	if s.next == len(s.table) {
		s.err = errors.New("found another section")
		return nil
	}

	if next := &s.table[s.next]; next.name != name || next.size != size {
		s.err = errors.New("found another section")
		return nil
	}

	e := &s.table[s.next]
	s.next++

	// A mapped file is verified in the background, unless its reader can't wait for that.
	if s.mapped != nil && s.Strict {
		s.err = s.eachChunk(e, func([]byte) error { return nil })
	}

	if s.err != nil {
		return nil
	}
	if s.mapped != nil {
		return mappedSlice[T](s.mapped[e.offset:e.end], e.count)
	}

	items := make([]T, e.count)
	rest := e.count
	s.err = s.eachChunk(e, func(b []byte) error {
		n := min(rest, len(b)/size)
		_, err := binary.Decode(b[:n*size], binary.LittleEndian, items[len(items)-rest:][:n])
		rest -= n
		return err
	})

	return items
}

// IsNext reports whether the next section to read has the given name.
func (s *Sections) IsNext(name string) bool {
	return s.err == nil && s.next < len(s.table) && s.table[s.next].name == name
}

// eachChunk calls do with the bytes of a section, in order, and verifies its checksum.
func (s *Sections) eachChunk(e *sectionEntry, do func(b []byte) error) error {
	sum := uint32(0)
	for at := e.offset; at < e.end; {
		b := s.chunk[:min(e.end-at, chunkBytes)]
		if _, err := s.r.ReadAt(b, at); err != nil {
			return fmt.Errorf("the file is damaged: %w", err)
		}
		sum = crc32.Update(sum, Castagnoli, b)
		if err := do(b); err != nil {
			return err
		}
		at += int64(len(b))
	}
	if sum != e.sum {
		return errors.New("the file is damaged: checksum mismatch")
	}
	return nil
}

// Seek makes a section the next one to read, wherever it is in the file.
func (s *Sections) Seek(name string) {
	if s.err != nil {
		return
	}
	s.next = slices.IndexFunc(s.table, func(e sectionEntry) bool { return e.name == name })
	if s.next < 0 {
		s.err = fmt.Errorf("%s: section %q is missing", s.Name, name)
	}
}

// verify verifies the checksum of a section. It calls tick after every few milliseconds of work with the time that it
// took. An error of tick ends the work.
func (s *Sections) verify(number int, tick func(worked time.Duration) error) error {
	e := &s.table[number]
	start := time.Now()
	err := s.eachChunk(e, func([]byte) error {
		worked := time.Since(start)
		if worked < 2*time.Millisecond {
			return nil
		}
		err := tick(worked)
		start = time.Now()
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: section %q: %w", s.Name, e.name, err)
	}
	return nil
}

// write writes bytes and updates the checksum.
func (s *Sections) write(b []byte) {
	if s.err != nil {
		return
	}
	s.sum = crc32.Update(s.sum, Castagnoli, b)
	s.offset += int64(len(b))
	_, s.err = s.w.Write(b)
}

// end writes the table and the footer.
func (s *Sections) end() error {
	if s.err != nil {
		return s.err
	}

	var table []byte
	for _, e := range s.table {
		table = append(append(table, byte(len(e.name))), e.name...)
		table = append(table, byte(e.size))
		table = binary.LittleEndian.AppendUint64(table, uint64(e.offset))
		table = binary.LittleEndian.AppendUint64(table, uint64(e.count))
		table = binary.LittleEndian.AppendUint32(table, e.sum)
	}

	start := binary.LittleEndian.AppendUint64(nil, uint64(s.offset))

	// The checksum includes where the table starts, because a reader that trusts a wrong start would parse anything.
	sum := tableSum(sectionsHeader(), table, start)
	s.write(table)
	s.write(binary.LittleEndian.AppendUint32(start, sum))

	if s.err == nil {
		s.err = s.w.Flush()
	}

	return s.err
}

// Err returns the first error, or nil.
func (s *Sections) Err() error { return s.err }

// SetErr keeps an error, unless there was one before.
func (s *Sections) SetErr(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Writing reports whether the file is written, and not read.
func (s *Sections) Writing() bool { return s.w != nil }

// IsMapped reports whether the sections are parts of a mapped file.
func (s *Sections) IsMapped() bool { return s.mapped != nil }

// CloseFile closes the file as it is.
func (s *Sections) CloseFile() error { return s.file.Close() }

// Finish makes the written sections durable, closes the file, and returns its size in bytes.
func (s *Sections) Finish() (size int64, err error) {
	err = s.end()
	if err == nil {
		err = s.file.Sync()
	}
	return s.offset, errors.Join(err, s.file.Close())
}

// Finished returns the first error, or an error if some of the file was not read.
func (s *Sections) Finished() error {
	if s.err == nil && s.next < len(s.table) {
		s.err = fmt.Errorf("%s: section %q follows the last one", s.Name, s.table[s.next].name)
	}
	return s.err
}

// Close ends and closes the file. It returns the first error.
func (s *Sections) Close() error {
	err := s.err
	if s.w != nil {
		err = s.end()
	} else if err == nil {
		err = s.Finished()
	}
	return errors.Join(err, s.file.Close())
}
