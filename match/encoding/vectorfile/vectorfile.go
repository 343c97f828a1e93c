// Package vectorfile stores two vectors for each freelancer in a file, so that they outlast loads and restarts.
//
// The file has a header and slots of 800 bytes. A slot holds a hash of the freelancer's ID, the revision of the record,
// a hash of the encoded texts, a checksum, and the vectors. Slots are written in place without syncing: a torn one
// fails its checksum and counts as absent. One process, which holds a lock, writes; others read.
package vectorfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/gofrs/flock"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

const (
	dimensions = engine.EncodedDimensions

	magic       = "fmvector"
	headerBytes = 64

	slotHead  = 32
	slotBytes = slotHead + 2*dimensions

	// scanSlots is the number of slots that are read at once.
	scanSlots = 1024
)

// A File holds entries by the IDs of freelancers. It is safe for concurrent use, but for Follow.
type File struct {
	path   string
	header []byte

	lock *flock.Flock

	mu     sync.RWMutex // guards the fields below, which only Follow and the writer change
	file   *os.File     // nil until Follow finds a file of the same space
	writes bool         // this process holds the lock
	slots  map[engine.HashedID]uint32
	free   []uint32 // slots without an entry
	count  uint32   // slots that were read
}

// New returns the file at a path, for vectors of a space. It reads nothing; see Follow. A space names everything that
// vectors depend on besides the record, such as the model.
func New(path, space string) *File {
	header := make([]byte, headerBytes)
	copy(header, magic)
	sum := sha256.Sum256([]byte(space))
	copy(header[len(magic):], sum[:])
	binary.LittleEndian.PutUint32(header[headerBytes-4:], checksum(header[:headerBytes-4]))
	return &File{path: path, header: header, slots: map[engine.HashedID]uint32{}}
}

// Follow brings the entries up to date with the file. It makes this process the writer if there is no other, and then
// replaces a file of another space by an empty one. It must not be called twice at the same time. A reader may miss an
// entry in the place of one that was erased.
func (f *File) Follow() error {
	if f.Writes() {
		return nil // nobody else adds entries
	}

	becameWriter, err := f.tryLock()
	if err != nil {
		return err
	}
	if becameWriter {
		f.forget() // what the previous writer left is read from the start
	}

	file, err := f.openFile(becameWriter)
	if err != nil || file == nil {
		return err
	}

	return f.readSlots(file, becameWriter)
}

// Read brings the entries up to date with the file like Follow, but never makes this process the writer, and changes
// nothing on disk.
func (f *File) Read() error {
	if f.Writes() {
		return nil
	}
	file, err := f.openFile(false)
	if err != nil || file == nil {
		return err
	}
	return f.readSlots(file, false)
}

// tryLock tries to make this process the writer.
func (f *File) tryLock() (ok bool, err error) {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o750); err != nil {
		return false, fmt.Errorf("create the folder of the vectors: %w", err)
	}

	if f.lock == nil {
		f.lock = flock.New(f.path + ".lock")
	}
	if ok, err = f.lock.TryLock(); err != nil {
		return false, fmt.Errorf("lock the vectors: %w", err)
	}

	return ok, nil
}

// forget closes the file and drops what is known about it.
func (f *File) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file != nil {
		f.file.Close()
	}
	f.file = nil
	f.writes = false
	f.slots = map[engine.HashedID]uint32{}
	f.free = nil
	f.count = 0
}

// openFile returns the file if it is of the same space, and otherwise nil. A writer makes it so.
func (f *File) openFile(writes bool) (*os.File, error) {
	if f.file != nil {
		return f.file, nil
	}

	flags := os.O_RDONLY
	if writes {
		flags = os.O_RDWR | os.O_CREATE
	}
	file, err := os.OpenFile(f.path, flags, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // the writer has not begun
	}
	if err != nil {
		return nil, fmt.Errorf("open the vectors: %w", err)
	}

	header := make([]byte, headerBytes)
	_, err = file.ReadAt(header, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(fmt.Errorf("read the vectors: %w", err), file.Close())
	}

	if bytes.Equal(header, f.header) {
		return file, nil
	}
	if !writes {
		return nil, file.Close() // a writer with another model
	}

	// Vectors of another model can't be compared, so nothing of the file is of use.
	err = file.Truncate(0)
	if err == nil {
		_, err = file.WriteAt(f.header, 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("begin the vectors: %w", err), file.Close())
	}

	return file, nil
}

// readSlots reads the slots that were not read before, without delaying Get, and publishes them.
func (f *File) readSlots(file *os.File, writes bool) error {
	slots := f.slots
	if f.count > 0 { // Get uses them
		slots = maps.Clone(slots)
	}
	free := f.free
	count := f.count

	err := eachSlot(file, count, func(number uint32, slot []byte) error {
		if isIntact(slot) {
			slots[keyIn(slot)] = number
		} else {
			free = append(free, number)
		}
		count = number + 1
		return nil
	})
	if err != nil {
		return err
	}

	f.mu.Lock()
	defer f.mu.Unlock()
	f.file = file
	f.writes = writes
	f.slots = slots
	f.free = free
	f.count = count

	return nil
}

// eachSlot calls visit with the number and the bytes of each slot of a file, from a number on.
func eachSlot(file *os.File, from uint32, visit func(number uint32, slot []byte) error) error {
	chunk := make([]byte, scanSlots*slotBytes)
	for atEnd := false; !atEnd; {
		n, err := file.ReadAt(chunk, offset(from))
		if err != nil && err != io.EOF {
			return fmt.Errorf("read the vectors: %w", err)
		}
		atEnd = err == io.EOF

		for slot := range slices.Chunk(chunk[:n/slotBytes*slotBytes], slotBytes) {
			if err := visit(from, slot); err != nil {
				return err
			}
			from++
		}
	}
	return nil
}

// Writes reports whether this process is the writer.
func (f *File) Writes() bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.writes
}

// Len returns the number of entries.
func (f *File) Len() int {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return len(f.slots)
}

// Has reports whether a freelancer has an entry for a revision of the record.
func (f *File) Has(id string, revision uint64) bool {
	head := make([]byte, slotHead)
	return f.read(id, head) && binary.LittleEndian.Uint64(head[8:]) == revision
}

// read reads the beginning of a freelancer's slot into a buffer. It reports whether the freelancer has a slot.
func (f *File) read(id string, slot []byte) bool {
	key := engine.HashID(id)
	f.mu.RLock()
	defer f.mu.RUnlock()
	number, ok := f.slots[key]
	if !ok {
		return false
	}

	// The entry may have been erased, by another process, too, or belong to somebody else by now.
	_, err := f.file.ReadAt(slot, offset(number))

	return err == nil && keyIn(slot) == key
}

// Get returns the entry of a freelancer.
func (f *File) Get(id string) (e engine.Encoded, ok bool) {
	slot := make([]byte, slotBytes)
	if !f.read(id, slot) || !isIntact(slot) {
		return e, false
	}

	e.Revision = binary.LittleEndian.Uint64(slot[8:])
	e.Text = binary.LittleEndian.Uint64(slot[16:])
	e.Short = vectorOf(slot[slotHead:][:dimensions])
	e.Whole = vectorOf(slot[slotHead+dimensions:])

	return e, true
}

// Put stores the entry of a freelancer. Only the writer may call it.
func (f *File) Put(id string, e *engine.Encoded) error {
	if len(e.Short) != dimensions || len(e.Whole) != dimensions {
		return fmt.Errorf("store vectors: %d and %d dimensions, want %d",
			len(e.Short), len(e.Whole), dimensions)
	}

	slot := make([]byte, slotBytes)
	binary.LittleEndian.PutUint64(slot, uint64(engine.HashID(id)))
	binary.LittleEndian.PutUint64(slot[8:], e.Revision)
	binary.LittleEndian.PutUint64(slot[16:], e.Text)
	for i := range dimensions {
		slot[slotHead+i] = byte(e.Short[i])
		slot[slotHead+dimensions+i] = byte(e.Whole[i])
	}
	binary.LittleEndian.PutUint32(slot[24:], slotSum(slot))

	return f.putSlot(slot)
}

// Adopt adds the entries of the file at another path, which nobody writes, in the place of those of the same
// freelancers, and removes that file. It may be missing or of another space. Only the writer may call it.
func (f *File) Adopt(path string) (err error) {
	other := &File{path: path, header: f.header}
	file, err := other.openFile(false)
	if err != nil {
		return err
	}
	if file != nil {
		defer func() { err = errors.Join(err, file.Close()) }()
		err := eachSlot(file, 0, func(_ uint32, slot []byte) error {
			if !isIntact(slot) {
				return nil
			}
			return f.putSlot(slot)
		})
		if err != nil {
			return err
		}
	}

	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove vectors: %w", err)
	}

	return nil
}

// putSlot writes a slot with an entry.
func (f *File) putSlot(slot []byte) error {
	key := keyIn(slot)
	f.mu.Lock()
	defer f.mu.Unlock()
	number, known := f.slots[key]
	last := len(f.free) - 1
	switch {
	case known:
	case last >= 0:
		number = f.free[last]
	default:
		number = f.count
	}

	if _, err := f.file.WriteAt(slot, offset(number)); err != nil {
		return fmt.Errorf("store vectors: %w", err)
	}

	switch {
	case known:
	case last >= 0:
		f.free = f.free[:last]
	default:
		f.count++
	}
	f.slots[key] = number

	return nil
}

// Retain erases the entries of all freelancers but those with the given keys. Only the writer may call it.
func (f *File) Retain(keys map[engine.HashedID]bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for key := range f.slots {
		if !keys[key] {
			if err := f.erase(key); err != nil {
				return err
			}
		}
	}
	return nil
}

// Delete erases the entries of freelancers, durably. Only the writer may call it.
func (f *File) Delete(ids []string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := false
	for _, id := range ids {
		key := engine.HashID(id)
		if _, ok := f.slots[key]; !ok {
			continue
		}
		if err := f.erase(key); err != nil {
			return err
		}
		found = true
	}
	if !found {
		return nil
	}
	if err := f.file.Sync(); err != nil {
		return fmt.Errorf("erase vectors: %w", err)
	}
	return nil
}

// erase erases an entry. The caller holds f.mu.
func (f *File) erase(key engine.HashedID) error {
	number := f.slots[key]
	if _, err := f.file.WriteAt(make([]byte, slotBytes), offset(number)); err != nil {
		return fmt.Errorf("erase vectors: %w", err)
	}
	delete(f.slots, key)
	f.free = append(f.free, number)
	return nil
}

// Close closes the file, so that another process can write.
func (f *File) Close() error {
	f.forget()
	if f.lock == nil {
		return nil
	}
	return f.lock.Unlock()
}

// Erase erases the entries of freelancers in the file at a path, if there is one, durably. It needs no lock: a File
// that has the file open finds no entry then.
func Erase(path string, ids []string) (err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("erase vectors: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()

	keys := make(map[engine.HashedID]bool, len(ids))
	for _, id := range ids {
		keys[engine.HashID(id)] = true
	}

	blank := make([]byte, slotBytes)
	chunk := make([]byte, scanSlots*slotBytes)
	for first := uint32(0); ; first += scanSlots {
		n, err := file.ReadAt(chunk, offset(first))
		if err != nil && err != io.EOF {
			return fmt.Errorf("erase vectors: %w", err)
		}

		for i := range uint32(n / slotBytes) {
			if !keys[keyIn(chunk[i*slotBytes:])] {
				continue
			}
			if _, err := file.WriteAt(blank, offset(first+i)); err != nil {
				return fmt.Errorf("erase vectors: %w", err)
			}
		}

		if err == io.EOF {
			return file.Sync()
		}
	}
}

func offset(number uint32) int64 { return headerBytes + int64(number)*slotBytes }

// keyIn returns the key of a slot; 0 for a free one.
func keyIn(slot []byte) engine.HashedID { return engine.HashedID(binary.LittleEndian.Uint64(slot)) }

func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// slotSum returns the checksum of a slot, of everything but the checksum itself.
func slotSum(slot []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(slot[:24], table), table, slot[slotHead:])
}

// isIntact reports whether a slot has an entry and was written as a whole.
func isIntact(slot []byte) bool {
	return keyIn(slot) != 0 && binary.LittleEndian.Uint32(slot[24:]) == slotSum(slot)
}

func vectorOf(b []byte) matching.Vector {
	v := make(matching.Vector, len(b))
	for i, x := range b {
		v[i] = int8(x)
	}
	return v
}
