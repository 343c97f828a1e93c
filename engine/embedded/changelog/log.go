package changelog

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
)

const (
	magic       = "flchlog\n"
	version     = 1
	headerBytes = 40
	entryBytes  = 24

	// MaxEntry limits the size of one entry's payload in bytes.
	MaxEntry = 16 << 20
	// MaxBatch limits the size of a batch in bytes.
	MaxBatch = 64 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// ErrDamaged means that a log is not as it was written, and that this is no interrupted write.
var ErrDamaged = errors.New("the change log is damaged")

// ErrDamagedEnd is an ErrDamaged about the last batch: all batches before it can be read.
var ErrDamagedEnd = fmt.Errorf("%w at its end", ErrDamaged)

// A Log is an open change log. Its methods are safe for concurrent use, but a caller who calls Append, Truncate, Erase
// or Finish must be the only writer of the file, in any process.
type Log struct {
	file       *os.File
	name       string
	generation uint64
	salt       uint64
}

// A Position is a place between two batches of a log. The zero Position is the start.
type Position struct {
	Offset int64  `json:"offset"`
	Sum    uint32 `json:"sum"` // of the entry before
}

// Create creates an empty log, durably and atomically, and opens it for writing. It replaces an existing file.
func Create(path string, generation uint64) (*Log, error) {
	header := make([]byte, headerBytes)
	copy(header, magic)
	binary.LittleEndian.PutUint32(header[8:], version)
	binary.LittleEndian.PutUint64(header[16:], generation)
	if _, err := rand.Read(header[24:32]); err != nil {
		return nil, err
	}
	binary.LittleEndian.PutUint32(header[32:], crc32.Checksum(header[:32], castagnoli))
	if err := writeFile(path, header); err != nil {
		return nil, err
	}
	return Open(path, true)
}

// writeFile creates or replaces a file atomically and durably.
func writeFile(path string, content []byte) error {
	temporary := path + ".tmp"
	file, err := os.OpenFile(temporary, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}

	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}

	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(temporary, path)
	}

	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}

	return errors.Join(dir.Sync(), dir.Close())
}

// Open opens a log for reading, and also for writing if write is true. It returns an error wrapping ErrDamaged if the
// header is invalid, and one wrapping os.ErrNotExist if there is no file.
func Open(path string, write bool) (*Log, error) {
	mode := os.O_RDONLY
	if write {
		mode = os.O_RDWR
	}
	file, err := os.OpenFile(path, mode, 0)
	if err != nil {
		return nil, err
	}
	l := &Log{file: file, name: filepath.Base(path)}
	if err := l.readHeader(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

func (l *Log) readHeader(r io.ReaderAt) error {
	header := make([]byte, headerBytes)
	if _, err := r.ReadAt(header, 0); errors.Is(err, io.EOF) {
		return l.damaged("the header is incomplete")
	} else if err != nil {
		return err
	}

	switch {
	case string(header[:len(magic)]) != magic:
		return l.damaged("it is not a change log")
	case binary.LittleEndian.Uint32(header[32:]) != crc32.Checksum(header[:32], castagnoli) ||
		binary.LittleEndian.Uint32(header[36:]) != 0:
		return l.damaged("checksum mismatch in the header")
	}

	if v := binary.LittleEndian.Uint32(header[8:]); v != version {
		return fmt.Errorf("%s: format %d, but this program reads format %d: merge the changes with the version of the "+
			"program that wrote them", l.name, v, version)
	}

	l.generation = binary.LittleEndian.Uint64(header[16:])
	l.salt = binary.LittleEndian.Uint64(header[24:])
	return nil
}

func (l *Log) damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrDamaged, l.name, fmt.Sprintf(format, args...))
}

// Generation returns the generation that the log was created for.
func (l *Log) Generation() uint64 { return l.generation }

// Salt identifies the log among all logs with the same name.
func (l *Log) Salt() uint64 { return l.salt }

// Size returns the size of the file in bytes.
func (l *Log) Size() (int64, error) {
	stat, err := l.file.Stat()
	if err != nil {
		return 0, err
	}
	return stat.Size(), nil
}

// Close closes the file.
func (l *Log) Close() error { return l.file.Close() }

// ReadAt reads bytes of the file, such as the record of an entry.
func (l *Log) ReadAt(b []byte, offset int64) (int, error) { return l.file.ReadAt(b, offset) }

// File returns the open file, for reading records.
func (l *Log) File() *os.File { return l.file }

// header is the decoded header of an entry.
type header struct {
	length uint32
	sum    uint32
	time   int64
	kind   Kind
	flags  uint8
}

const (
	flagFirst = 1
	flagLast  = 2
	flagAdds  = 4
)

// encode writes the header of the entry at an offset of the file.
func (l *Log) encode(b []byte, h *header, offset int64) {
	binary.LittleEndian.PutUint32(b, h.length)
	binary.LittleEndian.PutUint32(b[4:], h.sum)
	binary.LittleEndian.PutUint64(b[8:], uint64(h.time))
	binary.LittleEndian.PutUint32(b[16:], l.headSum(b, h.flags, offset))
	b[20] = byte(h.kind)
	b[21] = h.flags
	b[22] = 0
	b[23] = 0
}

// decode reads the header of the entry at an offset of the file. It reports whether the header is valid.
func (l *Log) decode(b []byte, offset int64) (header, bool) {
	h := header{
		length: binary.LittleEndian.Uint32(b),
		sum:    binary.LittleEndian.Uint32(b[4:]),
		time:   int64(binary.LittleEndian.Uint64(b[8:])),
		kind:   Kind(b[20]),
		flags:  b[21],
	}
	ok := h.kind.does() != 0 && h.flags <= flagFirst|flagLast|flagAdds && b[22] == 0 && b[23] == 0 &&
		h.length <= MaxEntry && binary.LittleEndian.Uint32(b[16:]) == l.headSum(b, h.flags, offset)
	return h, ok
}

func (l *Log) headSum(b []byte, flags uint8, offset int64) uint32 {
	var place [17]byte
	binary.LittleEndian.PutUint64(place[:], l.salt)
	binary.LittleEndian.PutUint64(place[8:], uint64(offset))
	place[16] = flags
	return crc32.Update(crc32.Checksum(place[:], castagnoli), castagnoli, b[:16])
}

// payloadSum returns the checksum of an entry that follows one with the checksum before.
func payloadSum(before uint32, kind Kind, payload []byte) uint32 {
	return crc32.Update(crc32.Update(before, castagnoli, []byte{kind.does()}), castagnoli, payload)
}
