package segment

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"slices"
	"time"

	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/engine/embedded/vector"
)

// A Written describes the files of a new base.
type Written struct {
	Documents    int
	Records      int64 // size of the records file in bytes
	Index        int64 // size of the index file in bytes
	RecordsSum   RecordsSum
	Damaged      []string
	DamagedError error // about the first of damaged
}

// A BaseWriter writes the live documents of parts as the files of a base: the same as if they were indexed again, in
// their order, but for rounded frequencies (see merger). Memory is bounded by a block of postings and about 125 bytes
// per document, besides the parts.
type BaseWriter struct {
	Parts     []*Part
	Rotations []*vector.Rotation
	Mean      float64           // the length for impacts
	Topics    *vector.TopicTree // nil if documents stay in the order in which they were added

	// pause is called after every few milliseconds of work with the time that it took, and may sleep. An error of pause
	// ends the work.
	Pause func(ctx context.Context, worked time.Duration) error
	// exclusive runs a step while no record is erased.
	Exclusive func(step func() error) error
}

// Write writes both files. They are durable afterwards, but not their directory. A damaged record is copied as it is,
// and stays damaged.
//
// The records come last, in exclusive steps of at most a quarter of a megabyte. A record that was erased is copied as
// it is, too. A caller who erases one later must erase the copy.
func (b *BaseWriter) Write(ctx context.Context, indexPath, recordsPath string) (*Written, error) {
	start := time.Now()
	var failed error
	tick := func() {
		if worked := time.Since(start); worked > 2*time.Millisecond && failed == nil {
			failed = errors.Join(ctx.Err(), b.Pause(ctx, worked))
			start = time.Now()
		}
	}

	m := newMerger(b.Rotations, b.Parts, b.Mean, b.Topics, tick)
	w := &Written{Documents: len(m.x.Lengths)}

	// Records are copied from where they are now, and the index says already where they will be.
	from := m.x.Records
	m.x.Records.offsets = make([]uint64, w.Documents)
	for _, doc := range m.arrived {
		l := from.At(doc)
		m.x.Records.offsets[doc] = uint64(w.Records)
		w.Records += int64(l.Length)
		w.RecordsSum.Add(l.Sum)
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
	for i := range blocksFor(len(m.x.Lengths)) {
		if failed != nil || out.Err() != nil {
			break
		}
		merged := m.block(i)
		merged.transfer(out, i)
		m.x.count(&merged)
		tick()
	}

	m.x.transferNames(out)
	w.Index, err = out.Finish()
	if err := errors.Join(failed, err); err != nil {
		return nil, err
	}

	// The records come last, so that what was erased while the index was written is blank in the copy.
	return w, w.copyRecords(m, from, recordsPath, &failed, b.Exclusive)
}

// copyRecords copies the records of the merged documents from where they are to a file, in the order in which they were
// added.
func (w *Written) copyRecords(
	m *merger, from RecordTable, path string, failed *error, exclusive func(step func() error) error,
) (err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o640)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()

	var buffer []byte
	for left := m.arrived; len(left) > 0; {
		count, size := from.adjacent(left)
		docs := left[:count]
		left = left[count:]

		// Read and write must be one step: a record that is erased between them would live on in the copy.
		start := from.At(docs[0])
		buffer = slices.Grow(buffer[:0], size)[:size]
		err := exclusive(func() error {
			if _, err := start.File.ReadAt(buffer, int64(start.Offset)); err != nil {
				return fmt.Errorf("%s: %w", start, err)
			}
			_, err := file.Write(buffer)
			return err
		})
		if err != nil {
			return err
		}

		// A damaged record is copied as it is: the merge must not fail, and the record stays recognizable.
		rest := buffer
		for _, doc := range docs {
			l := from.At(doc)
			record := rest[:l.Length]
			rest = rest[l.Length:]
			isIntact := crc32.Checksum(record, sectionfile.Castagnoli) == l.Sum
			if isIntact || IsErased(record) {
				continue
			}

			w.Damaged = append(w.Damaged, string(m.x.ID(doc)))
			if w.DamagedError == nil {
				w.DamagedError = fmt.Errorf("%s: checksum mismatch", l)
			}
		}

		m.tick()
		if *failed != nil {
			return *failed
		}
	}

	return file.Sync()
}

// copiedAtOnce is the number of bytes from which on copyRecords ends a step, since no record can be erased meanwhile.
const copiedAtOnce = 1 << 18

// adjacent returns how many of the first documents have records that follow one another in a file, and the size of
// these records together.
func (t *RecordTable) adjacent(docs []uint32) (count, size int) {
	start := t.At(docs[0])
	for _, doc := range docs {
		next := t.At(doc)
		follows := next.File == start.File && next.Offset == start.Offset+uint64(size)
		isFull := count > 0 && size >= copiedAtOnce
		if !follows || isFull {
			break
		}
		count++
		size += int(next.Length)
	}
	return count, size
}
