package changelog

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"time"
)

// windowBytes is how much of a log is read at once.
const windowBytes = 1 << 20

// Read calls do with each complete batch from a position on, until do returns an error. It returns the position after
// the last batch that do has accepted. If that is not the end of the file, another process is writing a batch, a write
// was interrupted, or the log is damaged; see Check. The entries are valid until do returns.
func (l *Log) Read(from Position, do func(batch []Entry) error) (Position, error) {
	size, err := l.Size()
	if err != nil || size <= from.Offset {
		return from, err
	}
	return l.read(l.file, size, from, do)
}

func (l *Log) read(file io.ReaderAt, size int64, from Position, do func(batch []Entry) error) (Position, error) {
	if from.Offset < headerBytes {
		from = Position{Offset: headerBytes}
	}
	w := newWindow(file, size, from.Offset)
	for {
		batch, next, err := l.nextBatch(w, from, true)
		if err != nil || batch == nil {
			return from, err
		}
		if err := do(batch); err != nil {
			return from, err
		}
		from = next
		w.drop(from.Offset)
	}
}

// nextBatch reads the batch at a position. It returns nil if there is no complete one. If chained is false, the
// checksum before the batch is unknown, and so the first entry is not verified.
func (l *Log) nextBatch(w *window, at Position, chained bool) (batch []Entry, next Position, err error) {
	next = at
	var headers []header

	for {
		head, err := w.get(next.Offset, entryBytes)
		if err != nil || head == nil {
			return nil, at, err // nothing more has been written
		}
		h, ok := l.decode(head, next.Offset)
		if !ok {
			return nil, at, nil
		}

		// A batch begins with a flagged entry and has no second one.
		startsBatch := h.flags&flagFirst != 0
		if startsBatch != (len(headers) == 0) {
			return nil, at, nil
		}

		// No writer makes a batch larger than that, so a longer one is damage, which must not fill the memory.
		end := next.Offset + entryBytes + int64(h.length)
		if end-at.Offset > MaxBatch {
			return nil, at, nil
		}

		payload, err := w.get(next.Offset+entryBytes, int(h.length))
		if err != nil || payload == nil {
			return nil, at, err
		}

		// Sums form a chain, so the first entry after an unknown position can't be checked. An erased entry has lost
		// its payload.
		canCheck := h.kind != Erased && (chained || len(headers) > 0)
		if canCheck && payloadSum(next.Sum, h.kind, payload) != h.sum {
			return nil, at, nil
		}

		headers = append(headers, h)
		next = Position{end, h.sum}

		if h.flags&flagLast != 0 {
			break
		}
	}

	// An incomplete batch does not count, so entries are parsed only when the last one was found.
	batch = make([]Entry, len(headers))
	offset := at.Offset
	for i, h := range headers {
		e := &batch[i]
		*e = Entry{Kind: h.kind, Offset: offset, Time: time.Unix(0, h.time), Adds: h.flags&flagAdds != 0}
		if e.payload, err = w.get(offset+entryBytes, int(h.length)); err != nil {
			return nil, at, err
		}
		if !e.parse(func(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }) {
			return nil, at, l.damaged("the entry at byte %d is malformed", offset)
		}

		offset += entryBytes + int64(h.length)
	}

	return batch, next, nil
}

// A Summary describes a log.
type Summary struct {
	Added   int       // documents that were added, less those that were deleted
	Updated time.Time // when the last change was made; zero if there is none
	Bytes   int64
}

// Summarize reads the headers of a log's entries. It ends silently where no valid header is.
func (l *Log) Summarize() (Summary, error) {
	var s, complete Summary
	head := make([]byte, entryBytes)
	for offset := int64(headerBytes); ; {
		_, err := l.file.ReadAt(head, offset)
		h, ok := l.decode(head, offset)
		ended := errors.Is(err, io.EOF)
		invalid := err == nil && !ok
		if ended || invalid {
			complete.Bytes, err = l.Size()
			return complete, err
		}

		if err != nil {
			return Summary{}, err
		}

		switch {
		case h.flags&flagAdds != 0:
			s.Added++
		case h.kind.does() == Delete.does():
			s.Added--
		}

		s.Updated = time.Unix(0, h.time)
		// The changes of a batch count together, when its last entry was found.
		if h.flags&flagLast != 0 {
			complete = s
		}
		offset += entryBytes + int64(h.length)
	}
}

// A window is a part of a file in memory.
type window struct {
	file  io.ReaderAt
	start int64 // offset of buf in the file
	buf   []byte
	done  int // how much of buf isn't needed any more
	chunk int // how much to read at once, at least
}

// newWindow returns an empty window from an offset on. size is the size of the file.
func newWindow(file io.ReaderAt, size, from int64) *window {
	return &window{file: file, start: from, chunk: int(max(1, min(size-from, windowBytes)))}
}

// get returns n bytes at an offset, or nil if the file is too short. The offset is not before what was dropped. The
// bytes are valid until a call that asks for bytes after all earlier ones.
func (w *window) get(offset int64, n int) ([]byte, error) {
	for int(offset-w.start)+n > len(w.buf) {
		w.buf = w.buf[:copy(w.buf, w.buf[w.done:])]
		w.start += int64(w.done)
		w.done = 0
		size := len(w.buf)
		// At most doubling the window keeps the memory in proportion to the file, whatever a length in it says.
		w.buf = slices.Grow(w.buf, max(w.chunk, size))
		read, err := w.file.ReadAt(w.buf[size:cap(w.buf)], w.start+int64(size))
		w.buf = w.buf[:size+read]
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if err != nil && int(offset-w.start)+n > len(w.buf) {
			return nil, nil
		}
	}
	from := int(offset - w.start)
	return w.buf[from : from+n : from+n], nil
}

// drop forgets what is before an offset.
func (w *window) drop(before int64) { w.done = int(before - w.start) }

// Check examines what follows a position at which Read has ended. It returns nil if that is a batch whose write was
// interrupted, an error wrapping ErrDamaged if later batches follow, and one wrapping ErrDamagedEnd if it is a batch
// that was written as a whole and isn't as it was written. No other process may be writing.
func (l *Log) Check(at Position) error {
	size, err := l.Size()
	if err != nil {
		return err
	}
	return l.check(l.file, size, at)
}

func (l *Log) check(file io.ReaderAt, size int64, at Position) error {
	first := max(at.Offset, headerBytes)
	next, err := l.nextStart(newWindow(file, size, first), first+1)
	if err != nil {
		return err
	}
	if next >= 0 {
		return l.damaged("the change at byte %d can't be read, but the one at byte %d can", first, next)
	}

	interrupted, err := l.isInterrupted(file, size, at)
	if err != nil || interrupted {
		return err
	}
	return fmt.Errorf("%w: %s: the last change, at byte %d, has a wrong checksum", ErrDamagedEnd, l.name, first)
}

// isInterrupted reports whether what follows a position, and is not a complete batch, is one whose write was
// interrupted. If the process was killed, the file ends within the batch. If the machine failed, the file may have its
// full length, but parts of it were never written, and are zero.
func (l *Log) isInterrupted(file io.ReaderAt, size int64, at Position) (bool, error) {
	first := max(at.Offset, headerBytes)
	w := newWindow(file, size, first)
	next := Position{Offset: first, Sum: at.Sum}
	for {
		head, err := w.get(next.Offset, entryBytes)
		if err != nil || head == nil {
			return err == nil, err
		}
		h, ok := l.decode(head, next.Offset)
		if !ok {
			return hasUnwritten(file, first, size)
		}

		payload, err := w.get(next.Offset+entryBytes, int(h.length))
		if err != nil || payload == nil {
			return err == nil, err
		}

		valid := h.kind == Erased || payloadSum(next.Sum, h.kind, payload) == h.sum
		if !valid || h.flags&flagLast != 0 {
			return hasUnwritten(file, first, size)
		}
		next = Position{next.Offset + entryBytes + int64(h.length), h.sum}
	}
}

// sectorBytes is the size of the smallest part of a file that disks write as a whole.
const sectorBytes = 512

// hasUnwritten reports whether a sector of a part of the file has only zeros.
func hasUnwritten(file io.ReaderAt, start, end int64) (bool, error) {
	sector := make([]byte, sectorBytes)
	for start < end {
		next := min(end, start-start%sectorBytes+sectorBytes)
		part := sector[:next-start]
		if _, err := file.ReadAt(part, start); err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		if !slices.ContainsFunc(part, func(b byte) bool { return b != 0 }) {
			return true, nil
		}
		start = next
	}
	return false, nil
}

// nextStart returns the offset of the next batch at or after an offset, or -1 if there is none.
func (l *Log) nextStart(w *window, offset int64) (int64, error) {
	for ; ; offset++ {
		head, err := w.get(offset, entryBytes)
		if err != nil || head == nil {
			return -1, err
		}
		if h, ok := l.decode(head, offset); ok && h.flags&flagFirst != 0 {
			return offset, nil
		}
		w.drop(offset)
	}
}

// Salvage does the same as Read from the start, but skips what can't be read. It returns where that starts. An
// interrupted write at the end is left out.
func (l *Log) Salvage(do func(batch []Entry) error) (gaps []int64, err error) {
	at := Position{}
	for {
		at, err = l.Read(at, do)
		if err != nil && !errors.Is(err, ErrDamaged) {
			return gaps, err
		}
		gap := max(at.Offset, headerBytes)
		w := newWindow(l.file, gap+windowBytes, gap)
		next, err := l.nextStart(w, gap+1)
		if err != nil {
			return gaps, err
		}
		if next < 0 {
			if err := l.Check(at); errors.Is(err, ErrDamaged) {
				return append(gaps, gap), nil
			}
			return gaps, err
		}

		gaps = append(gaps, gap)
		for { // until a batch can be read
			batch, end, err := l.nextBatch(w, Position{Offset: next}, false)
			if err != nil && !errors.Is(err, ErrDamaged) {
				return gaps, err
			}

			if batch != nil {
				at = end
				if err := do(batch); err != nil {
					return gaps, err
				}
				break
			}

			if next, err = l.nextStart(w, next+1); err != nil || next < 0 {
				return gaps, err
			}
		}
	}
}
