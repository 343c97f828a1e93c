package embedded

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/changelog"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/internal/matching"
)

// salvage yields the freelancers of a complete index that can't be read as a whole because of cause, from the records
// and the log alone. It yields nothing but the error if the records of the base aren't exactly those that were stored.
// For each part of the log that can't be read, it yields an *engine.DamagedError that names the place: what these
// changes have replaced is yielded as it was before.
func (e *Engine) salvage(
	ctx context.Context, name string, cause error, yield func(matching.Freelancer, error) bool,
) {
	err := e.root.Stable(name, func(_ os.FileInfo, d *datadir.Description) error {
		s := &salvager{name: name, dir: filepath.Join(e.root.Path, name), d: d}
		if err := s.check(ctx); err != nil {
			return err
		}
		e.log.WarnContext(ctx, "index read from its records alone", "index", name, "error", cause,
			"verified", s.verified)
		return s.yield(ctx, yield)
	})
	if err != nil {
		yield(matching.Freelancer{}, fmt.Errorf("scan index %q: %w", name, errors.Join(cause, err)))
	}
}

// A salvager reads the records of an index without its search structures.
type salvager struct {
	name string
	dir  string
	d    *datadir.Description

	last     map[string]int               // the last line of each freelancer in the records of the base
	changed  map[string]*segment.Location // by ID: the record in the log, or nil if the freelancer was deleted
	order    []string                     // the IDs in changed, possibly repeated, in the order of the log
	erased   map[int64]uint32             // by offset in the base: the CRC-32C of each record that was erased
	gaps     []error                      // parts of the log that can't be read
	verified bool
}

// check reads the log and compares the records of the base with the manifest.
func (s *salvager) check(ctx context.Context) error {
	s.last = map[string]int{}
	s.changed = map[string]*segment.Location{}
	s.erased = map[int64]uint32{}
	if s.d.Format >= firstWithChanges {
		if err := s.readLog(); err != nil {
			return err
		}
	}

	line := 0
	documents := 0
	fileSum := uint32(0)
	var sum segment.RecordsSum
	err := s.eachRecord(ctx, func(f *matching.Freelancer, offset int64, record []byte) bool {
		fileSum = crc32.Update(fileSum, sectionfile.Castagnoli, record)
		if f != nil {
			s.last[f.ID] = line
			sum.Add(crc32.Checksum(record, sectionfile.Castagnoli))
		} else if was, ok := s.erased[offset]; ok {
			documents++
			sum.Add(was)
		}

		line++
		return true
	})
	if err != nil {
		return err
	}

	if s.d.Format < firstWithChanges {
		sum = segment.RecordsSum(fileSum)
	}
	s.verified = s.d.RecordsSum != "" && len(s.gaps) == 0
	// A gap in the log may hide deletions, so that the numbers can't be compared.
	miscounted := len(s.gaps) == 0 && documents+len(s.last) != s.d.Documents
	differs := s.verified && s.d.RecordsSum != datadir.HexSum(uint32(sum))
	if miscounted || differs {
		return datadir.Damaged("%s does not hold the records that were stored", s.d.RecordsFile())
	}

	return nil
}

// firstWithChanges is the first format whose indexes change in place.
const firstWithChanges = 5

// readLog reads the log, without the parts that can't be read.
func (s *salvager) readLog() error {
	log, err := datadir.OpenLog(s.dir, s.d, false)
	if errors.Is(err, engine.ErrDamaged) { // all changes are lost
		s.gaps = []error{&engine.DamagedError{Index: s.name, IDs: []string{"unknown"}, Err: err}}
		return nil
	}

	if err != nil {
		return err
	}

	gaps, err := log.Salvage(func(batch []changelog.Entry) error {
		for i := range batch {
			switch entry := &batch[i]; entry.Kind {
			case changelog.Put:
				s.changed[entry.ID] = segment.LocationIn(log.File(), entry.Record)
				s.order = append(s.order, entry.ID)
			case changelog.Delete, changelog.Deleted:
				s.changed[entry.ID] = nil
				if entry.Record.Length > 0 {
					s.erased[entry.Record.Offset] = entry.Record.Sum
				}

			default: // erased
			}
		}

		return nil
	})
	for _, offset := range gaps {
		s.gaps = append(s.gaps, &engine.DamagedError{
			Index: s.name, IDs: []string{"unknown"},
			Err: fmt.Errorf("%w: %s: changes at byte %d can't be read", engine.ErrChangesDamaged, s.d.ChangesFile(), offset),
		})
	}

	return err
}

// yield yields the freelancers: those of the base in order, then those of the log in the order of their last change.
func (s *salvager) yield(ctx context.Context, yield func(matching.Freelancer, error) bool) error {
	line := 0
	stopped := false
	err := s.eachRecord(ctx, func(f *matching.Freelancer, _ int64, _ []byte) bool {
		// Of several records with the same id in the base, only the last one counts.
		isLast := f != nil && s.last[f.ID] == line
		line++
		if !isLast {
			return true
		}
		if _, isChanged := s.changed[f.ID]; isChanged {
			return true // the log has its state
		}
		stopped = !yield(*f, nil)
		return !stopped
	})
	if err != nil || stopped {
		return err
	}

	for _, id := range s.changedIDs() {
		f, err := s.changed[id].Freelancer()
		if err == nil && f == nil {
			continue // deleted meanwhile
		}

		if err != nil {
			f = &matching.Freelancer{}
			err = &engine.DamagedError{Index: s.name, IDs: []string{id}, Err: err}
		}
		if !yield(*f, err) {
			return nil
		}
	}

	for _, gap := range s.gaps {
		if !yield(matching.Freelancer{}, gap) {
			return nil
		}
	}

	return ctx.Err()
}

// changedIDs returns the IDs of the documents in the log that were not deleted, in the order of their last change.
func (s *salvager) changedIDs() []string {
	seen := map[string]bool{}
	var ids []string
	for _, id := range slices.Backward(s.order) {
		if !seen[id] && s.changed[id] != nil {
			ids = append(ids, id)
		}
		seen[id] = true
	}
	slices.Reverse(ids)
	return ids
}

// eachRecord calls do with each record of the base, where it starts, and the bytes that it was decoded from, until do
// returns false. f is nil for a record that was replaced or erased.
func (s *salvager) eachRecord(
	ctx context.Context, do func(f *matching.Freelancer, offset int64, record []byte) bool,
) error {
	name := s.d.RecordsFile()
	file, err := os.Open(filepath.Join(s.dir, name))
	if errors.Is(err, os.ErrNotExist) {
		return datadir.Damaged("%s is missing", name)
	}
	if err != nil {
		return err
	}
	defer file.Close()

	lines := bufio.NewReaderSize(file, 1<<20)
	offset := int64(0)

	for number := 1; ; number++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		record, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(record) == 0 {
			return nil
		}
		if err != nil {
			return datadir.Damaged("%s: line %d: %v", name, number, err)
		}

		// A record that was erased, or is just being erased, is not JSON any more.
		f := new(matching.Freelancer)
		if _, erased := s.erased[offset]; erased || segment.IsErased(record) {
			f = nil
		} else if err := json.Unmarshal(record, f); err != nil {
			return datadir.Damaged("%s: line %d: %v", name, number, err)
		}

		if !do(f, offset, record) {
			return nil
		}
		offset += int64(len(record))
	}
}

var _ engine.Checker = (*Engine)(nil)
