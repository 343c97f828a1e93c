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
)

// A file of sections begins with magic and its version. Every section is
//
//	length of the name (1 byte), name, bytes of an element (1), number of elements (8), elements, CRC-32C (4)
//
// all little-endian; the checksum covers everything before it.
const (
	magic         = "flmatch\n"
	formatVersion = 4
	chunkBytes    = 64 << 10
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sections is such a file, being written or being read. Both directions make the same calls, so that one description of
// a file serves for both. The first failure stays and makes every later call do nothing.
type sections struct {
	file  *os.File
	name  string        // for messages
	w     *bufio.Writer // nil when reading
	r     *bufio.Reader // nil when writing
	left  int64         // bytes that are still to be read
	sum   uint32
	chunk []byte
	err   error
}

// element is what a section may be made of.
type element interface {
	int8 | uint8 | uint16 | uint32 | uint64 | int64 | float32 | float64
}

// createSections begins a new file.
func createSections(path string) (*sections, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o640)
	if err != nil {
		return nil, err
	}
	s := &sections{
		file: file, name: filepath.Base(path), w: bufio.NewWriterSize(file, 4*chunkBytes),
		chunk: make([]byte, chunkBytes),
	}
	s.write(binary.LittleEndian.AppendUint32([]byte(magic), formatVersion))
	return s, nil
}

// openSections begins to read a file.
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

// readSections begins to read size bytes.
func readSections(r io.Reader, name string, size int64) *sections {
	s := &sections{name: name, r: bufio.NewReaderSize(r, 4*chunkBytes), left: size, chunk: make([]byte, chunkBytes)}
	head := s.read(len(magic) + 4)
	switch {
	case s.err != nil:
		s.err = fmt.Errorf("%s: begin: %w", name, s.err)
	case string(head[:len(magic)]) != magic:
		s.err = fmt.Errorf("%s: not an index file", name)
	default:
		if v := binary.LittleEndian.Uint32(head[len(magic):]); v != formatVersion {
			s.err = fmt.Errorf("%s: format version %d, want %d: load the data again", name, v, formatVersion)
		}
	}
	return s
}

// section writes *items under a name, or reads them: the next section must have that name.
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
		s.err = errors.New("another section is in its place")
	}
	if head := s.read(len(name) + 1); s.err == nil && (string(head[:len(name)]) != name || int(head[len(name)]) != size) {
		s.err = errors.New("another section is in its place")
	}
	head := s.read(8)
	if s.err != nil {
		return nil
	}
	count := binary.LittleEndian.Uint64(head)
	if count > uint64(s.left)/uint64(size) { // before memory is asked for
		s.err = fmt.Errorf("%d elements of %d bytes, but %d bytes are left", count, size, s.left)
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
		s.err = errors.New("checksum mismatch: the file is damaged")
	}
	return items
}

// write adds bytes to the file and to the checksum.
func (s *sections) write(b []byte) {
	if s.err != nil {
		return
	}
	s.sum = crc32.Update(s.sum, castagnoli, b)
	_, s.err = s.w.Write(b)
}

// read is the next n bytes, at most a chunk, valid until the next call.
func (s *sections) read(n int) []byte {
	if s.err != nil {
		return nil
	}
	if int64(n) > s.left {
		s.err = fmt.Errorf("the file ends %d bytes early", int64(n)-s.left)
		return nil
	}
	b := s.chunk[:n]
	if _, s.err = io.ReadFull(s.r, b); s.err != nil {
		return nil
	}
	s.left -= int64(n)
	s.sum = crc32.Update(s.sum, castagnoli, b)
	return b
}

// sync puts what was written on the disk.
func (s *sections) sync() {
	if s.err == nil {
		s.err = s.w.Flush()
	}
	if s.err == nil {
		s.err = s.file.Sync()
	}
}

// close ends the file, all of which must have been read.
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
