package embedded

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"time"

	"freelancer-matching/engine/embedded/sectionfile"
	"freelancer-matching/engine/embedded/vector"
)

// A written describes the files of a new base.
type written struct {
	documents    int
	records      int64 // size of the records file in bytes
	index        int64 // size of the index file in bytes
	recordsSum   recordsSum
	damaged      []string
	damagedError error // about the first of damaged
}

// A baseWriter writes the live documents of parts as the files of a base: the same as if they were indexed again, in
// their order, but for rounded frequencies (see merger). Memory is bounded by a block of postings and about 125 bytes
// per document, besides the parts.
type baseWriter struct {
	parts     []*part
	rotations []*vector.Rotation
	mean      float64           // the length for impacts
	topics    *vector.TopicTree // nil if documents stay in the order in which they were added

	// pause is called after every few milliseconds of work with the time that it took, and may sleep. An error of pause
	// ends the work.
	pause func(ctx context.Context, worked time.Duration) error
	// exclusive runs a step while no record is erased.
	exclusive func(step func() error) error
}

// write writes both files. They are durable afterwards, but not their directory. A damaged record is copied as it is,
// and stays damaged.
//
// The records come last, in exclusive steps of at most a quarter of a megabyte. A record that was erased is copied as
// it is, too. A caller who erases one later must erase the copy.
func (b *baseWriter) write(ctx context.Context, indexPath, recordsPath string) (*written, error) {
	start := time.Now()
	var failed error
	tick := func() {
		if worked := time.Since(start); worked > 2*time.Millisecond && failed == nil {
			failed = errors.Join(ctx.Err(), b.pause(ctx, worked))
			start = time.Now()
		}
	}

	m := newMerger(b.rotations, b.parts, b.mean, b.topics, tick)
	w := &written{documents: len(m.x.lengths)}
	from := m.x.records
	m.x.records.offsets = make([]uint64, w.documents)
	for _, doc := range m.arrived {
		l := from.at(doc)
		m.x.records.offsets[doc] = uint64(w.records)
		w.records += int64(l.length)
		w.recordsSum.add(l.sum)
	}

	tick()
	m.x.classifyFit()
	tick()
	m.x.classifyQuality()
	tick()
	out, err := sectionfile.Create(indexPath)
	if err != nil {
		return nil, err
	}

	m.x.transferDocuments(out)
	for i := range blocksFor(len(m.x.lengths)) {
		if failed != nil || out.Err() != nil {
			break
		}
		merged := m.block(i)
		merged.transfer(out, i)
		m.x.count(&merged)
		tick()
	}

	m.x.transferNames(out)
	w.index, err = out.Finish()
	if err := errors.Join(failed, err); err != nil {
		return nil, err
	}

	return w, w.copyRecords(m, from, recordsPath, &failed, b.exclusive)
}

// copyRecords copies the records of the merged documents from where they are to a file, in the order in which they were
// added.
func (w *written) copyRecords(
	m *merger, from recordTable, path string, failed *error, exclusive func(step func() error) error,
) (err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()

	buffer := []byte(nil)
	for first := 0; first < w.documents; {
		// Adjacent records are copied together.
		l := from.at(m.arrived[first])
		last := first
		size := int(l.length)
		for ; last+1 < w.documents && size < 1<<18; last++ {
			next := from.at(m.arrived[last+1])
			if next.file != l.file || next.offset != l.offset+uint64(size) {
				break
			}
			size += int(next.length)
		}

		buffer = slices.Grow(buffer[:0], size)[:size]
		err := exclusive(func() error {
			if _, err := l.file.ReadAt(buffer, int64(l.offset)); err != nil {
				return fmt.Errorf("%s: %w", l, err)
			}
			_, err := file.Write(buffer)
			return err
		})
		if err != nil {
			return err
		}

		rest := buffer
		for _, doc := range m.arrived[first : last+1] {
			l := from.at(doc)
			record := rest[:l.length]
			rest = rest[l.length:]

			if crc32.Checksum(record, sectionfile.Castagnoli) == l.sum || isBlank(record) {
				continue
			}
			w.damaged = append(w.damaged, string(m.x.id(doc)))
			if w.damagedError == nil {
				w.damagedError = fmt.Errorf("%s: checksum mismatch", l)
			}
		}

		first = last + 1
		if m.tick(); *failed != nil {
			return *failed
		}
	}

	return file.Sync()
}
