package dbsync

import (
	"context"
	"iter"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/internal/matching"
)

// changedRows are the current rows of some people, as an input for bulk.Upsert. After them come rows that delete those
// of the people who have no usable row: they left the database, or their rows are now invalid. A load of all rows would
// leave them out, too.
type changedRows struct {
	name string
	rows *bulk.Input // nil if there are none
	ids  []string
}

// input returns the rows as an input.
func (c *changedRows) input() bulk.Input {
	return bulk.Input{Name: c.name, Open: func() (bulk.File, error) {
		if c.rows == nil {
			return &changedFile{ids: c.ids}, nil
		}
		file, err := c.rows.Open()
		return &changedFile{file, c.ids}, err
	}}
}

// A changedFile reads changedRows once.
type changedFile struct {
	file bulk.File // nil if there are no rows
	ids  []string
}

// Rows implements bulk.File.
func (f *changedFile) Rows(ctx context.Context) iter.Seq2[rows.Row, error] {
	return func(yield func(rows.Row, error) bool) {
		usable := map[string]bool{}
		if f.file != nil {
			for row, err := range f.file.Rows(ctx) {
				if len(row.Faults) == 0 && !row.Skipped && !row.Deleted {
					usable[row.Freelancer.ID] = true
				}
				if !yield(row, err) || err != nil {
					return
				}
			}
		}

		for _, id := range f.ids {
			if usable[id] {
				continue
			}
			if !yield(rows.Row{Freelancer: matching.Freelancer{ID: id}, Key: rows.ByID, Deleted: true}, nil) {
				return
			}
		}
	}
}

// Size implements bulk.File.
func (f *changedFile) Size() int64 {
	if f.file == nil {
		return 0
	}
	return f.file.Size()
}

// Offset implements bulk.File.
func (f *changedFile) Offset() int64 {
	if f.file == nil {
		return 0
	}
	return f.file.Offset()
}

// Close implements bulk.File.
func (f *changedFile) Close() error {
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}
