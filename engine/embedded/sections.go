package embedded

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"time"

	"freelancer-matching/engine"
)

// A section file starts with magic and the format version. Each section consists of
//
//	length of the name (1 byte), name, size of an element (1), number of elements (8), elements, CRC-32C (4)
//
// in little-endian order. The checksum covers everything before it.
const (
	magic         = "flmatch\n"
	formatVersion = 5
	chunkBytes    = 64 << 10

	// Format is the version of the index format that this package writes and searches.
	Format = formatVersion
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sections writes or reads a section file. Both directions use the same calls, so that the format is described once.
// The first error is kept in err, and later calls do nothing.
type sections struct {
	file  *os.File
	name  string        // for error messages
	w     *bufio.Writer // nil when reading
	r     *bufio.Reader // nil when writing
	left  int64         // bytes not yet read
	sum   uint32        // checksum of the current section so far
	chunk []byte        // buffer
	err   error

	tick   func(worked time.Duration) // if not nil, called after every few milliseconds of reading
	ticked time.Time                  // when tick returned last
}

// An element is a value that sections can contain.
type element interface {
	int8 | uint8 | uint16 | int32 | uint32 | uint64 | int64 | float32 | float64
}

// createSections creates or truncates a file and writes its header.
func createSections(path string) (*sections, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o640)
	if err != nil {
		return nil, err
	}
	s := &sections{
		file:  file,
		name:  filepath.Base(path),
		w:     bufio.NewWriterSize(file, 4*chunkBytes),
		chunk: make([]byte, chunkBytes),
	}
	s.write(binary.LittleEndian.AppendUint32([]byte(magic), formatVersion))
	return s, nil
}

// openSections opens a file and reads its header.
func openSections(path string) (*sections, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	stat, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, err
	}
	s := readSections(file, filepath.Base(path), stat.Size())
	s.file = file
	return s, nil
}

// readSections reads the header of a file of the given size.
func readSections(r io.Reader, name string, size int64) *sections {
	s := &sections{name: name, r: bufio.NewReaderSize(r, 4*chunkBytes), left: size, chunk: make([]byte, chunkBytes)}
	head := s.read(len(magic) + 4)
	switch {
	case s.err != nil:
		s.err = fmt.Errorf("%s: header: %w", name, s.err)
	case string(head[:len(magic)]) != magic:
		s.err = fmt.Errorf("%s: not an index file", name)
	default:
		if v := binary.LittleEndian.Uint32(head[len(magic):]); v != formatVersion {
			s.err = fmt.Errorf("%s: %w", name, &engine.FormatError{Has: int(v), Want: formatVersion})
		}
	}
	return s
}

// section writes items as a section, or reads them from the next section, which must have the given name.
func section[T element](s *sections, name string, items *[]T) {
	if s.err != nil {
		return
	}
	s.sum = 0
	if s.w != nil {
		writeSection(s, name, *items)
	} else {
		*items = readSection[T](s, name)
	}
	if s.err != nil {
		s.err = fmt.Errorf("%s: section %q: %w", s.name, name, s.err)
	}
}

func writeSection[T element](s *sections, name string, items []T) {
	size := binary.Size(*new(T))
	head := append([]byte{byte(len(name))}, name...)
	head = append(head, byte(size))
	s.write(binary.LittleEndian.AppendUint64(head, uint64(len(items))))
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
	s.write(binary.LittleEndian.AppendUint32(nil, s.sum))
}

func readSection[T element](s *sections, name string) []T {
	size := binary.Size(*new(T))
	if head := s.read(1); s.err == nil && int(head[0]) != len(name) {
		s.err = errors.New("found another section")
	}
	head := s.read(len(name) + 1)
	if s.err == nil && (string(head[:len(name)]) != name || int(head[len(name)]) != size) {
		s.err = errors.New("found another section")
	}
	head = s.read(8)
	if s.err != nil {
		return nil
	}
	count := binary.LittleEndian.Uint64(head)
	if count > uint64(s.left)/uint64(size) { // checked before memory is allocated
		s.err = fmt.Errorf("%d elements of %d bytes don't fit into the remaining %d bytes", count, size, s.left)
		return nil
	}
	items := make([]T, count)
	for part := items; len(part) > 0; {
		next := part[:min(len(part), chunkBytes/size)]
		bytes := s.read(len(next) * size)
		if s.err != nil {
			return nil
		}
		if _, err := binary.Decode(bytes, binary.LittleEndian, next); err != nil {
			s.err = err
			return nil
		}
		part = part[len(next):]
	}
	sum := s.sum
	if tail := s.read(4); s.err == nil && binary.LittleEndian.Uint32(tail) != sum {
		s.err = errors.New("the file is damaged: checksum mismatch")
	}
	return items
}

// peek returns the name of the next section without reading it.
func (s *sections) peek() string {
	head, err := s.r.Peek(1)
	if err == nil {
		head, err = s.r.Peek(1 + int(head[0]))
	}
	if err != nil {
		s.err = fmt.Errorf("%s: %w", s.name, err)
		return ""
	}
	return string(head[1:])
}

// skip skips the next section, which has the given name, without checking it.
func (s *sections) skip(name string) {
	s.read(1 + len(name))
	size, count := 0, uint64(0)
	if head := s.read(1 + 8); s.err == nil {
		size, count = int(head[0]), binary.LittleEndian.Uint64(head[1:])
	}
	if s.err != nil {
		return
	}
	if size == 0 || count > uint64(s.left)/uint64(size) {
		s.err = fmt.Errorf("%s: section %q is larger than the file", s.name, name)
		return
	}
	bytes := min(int64(count)*int64(size)+4, s.left)
	s.left -= bytes
	if buffered := int64(s.r.Buffered()); bytes > buffered {
		_, s.err = s.file.Seek(bytes-buffered, io.SeekCurrent)
		s.r.Reset(s.file)
		return
	}
	_, s.err = s.r.Discard(int(bytes))
}

// write writes bytes and updates the checksum.
func (s *sections) write(b []byte) {
	if s.err != nil {
		return
	}
	s.sum = crc32.Update(s.sum, castagnoli, b)
	_, s.err = s.w.Write(b)
}

// read returns the next n bytes, at most chunkBytes, and updates the checksum. The result is valid until the next call.
func (s *sections) read(n int) []byte {
	if s.err != nil {
		return nil
	}
	if int64(n) > s.left {
		s.err = fmt.Errorf("the file is %d bytes too short", int64(n)-s.left)
		return nil
	}
	if s.tick != nil {
		if worked := time.Since(s.ticked); worked > 2*time.Millisecond {
			s.tick(worked)
			s.ticked = time.Now()
		}
	}
	b := s.chunk[:n]
	if _, s.err = io.ReadFull(s.r, b); s.err != nil {
		return nil
	}
	s.left -= int64(n)
	s.sum = crc32.Update(s.sum, castagnoli, b)
	return b
}

// finish makes the written sections durable, closes the file, and returns its size in bytes.
func (s *sections) finish() (size int64, err error) {
	if s.err == nil {
		s.err = s.w.Flush()
	}
	if s.err == nil {
		s.err = s.file.Sync()
	}
	if s.err == nil {
		size, s.err = s.file.Seek(0, io.SeekEnd)
	}
	return size, s.close()
}

// close flushes and closes the file. It returns the first error, or an error if some of the file was not read.
func (s *sections) close() error {
	err := s.err
	switch {
	case err != nil:
	case s.w != nil:
		err = s.w.Flush()
	case s.left > 0:
		err = fmt.Errorf("%s: %d bytes follow the last section", s.name, s.left)
	}
	if s.file != nil {
		err = errors.Join(err, s.file.Close())
	}
	return err
}
