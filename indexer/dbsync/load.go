package dbsync

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/dbsync/state"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/spool"
)

// batchSize is the number of entries that are written to the state at once.
const batchSize = 1000

// errNoRows means that a query returned nobody. An empty index is never made live.
var errNoRows = errors.New("the query returns no rows with an id that can be stored; nothing was changed")

// load builds a new index from all rows. The state is changed when the index is live: a process that is killed before
// finds a state that describes another index, and loads again.
func (s *Syncer) load(ctx context.Context, session Session, r *Round, info *state.Info) error {
	r.Kind = Full
	rows, err := spool.New(s.MaxSpool)
	if err != nil {
		return err
	}
	defer rows.Close()

	return s.State.Change(ctx, func(tx *state.Tx) error {
		if err := tx.Clear(ctx); err != nil {
			return err
		}
		if err := copyAll(ctx, session, r, rows, tx); err != nil {
			return err
		}

		next := *info
		next.Source, next.Watermark = s.Source, session.Began()
		next.Compared, next.Synced = r.Snapshot, r.Snapshot
		if next.Mapping, err = s.loadCopied(ctx, r, rows); err != nil {
			return err
		}

		next.Index = r.Index
		if err := s.findAbsent(ctx, tx, r.Index); err != nil {
			return err
		}
		return tx.SetInfo(ctx, &next)
	})
}

// copyAll copies all rows to w, and records their digests.
func copyAll(ctx context.Context, session Session, r *Round, w io.Writer, tx *state.Tx) error {
	buffered := bufio.NewWriterSize(w, 256<<10)
	entries := make([]state.Entry, 0, batchSize)
	for row, err := range session.All(ctx) {
		if err != nil {
			return err
		}
		if !isStorable(row.ID) {
			r.Unusable++
			continue
		}

		r.Rows++
		_, _ = buffered.Write(row.JSON) // Flush returns the error
		_ = buffered.WriteByte('\n')

		if row.IsLast {
			entries = append(entries, state.Entry{ID: row.ID, Digest: row.Digest})
		}
		if len(entries) == batchSize {
			if err := tx.Put(ctx, entries...); err != nil {
				return err
			}
			entries = entries[:0]
		}
	}

	if r.Rows == 0 {
		return errNoRows
	}
	return errors.Join(buffered.Flush(), tx.Put(ctx, entries...))
}

// loadCopied makes the copied rows live, and returns the mapping of their columns.
func (s *Syncer) loadCopied(ctx context.Context, r *Round, rows *spool.Spool) (mapping string, err error) {
	in, err := s.Open(ctx, s.input(rows), "")
	if err != nil {
		return "", err
	}
	defer in.Close()

	options, err := s.Options(in)
	if err != nil {
		return "", err
	}
	r.Load, err = s.Loader.Load(ctx, in.Files, options)
	r.Rejected += r.Load.Rejected
	if err != nil {
		return "", err
	}

	r.Index = r.Load.Index
	r.Changed = r.Load.Indexed
	return in.Mapping()
}

// input returns copied rows as an input.
func (s *Syncer) input(rows *spool.Spool) source.Input {
	name := s.Database.String()
	return source.Input{
		Name: name, Format: s.Database.Format(), Open: input.FromReaderAt(name, rows, rows.Size()).Open,
	}
}

// findAbsent records which IDs a new index lacks, because their rows were rejected or the people were erased.
func (s *Syncer) findAbsent(ctx context.Context, tx *state.Tx, index string) error {
	next, stop := iter.Pull2(s.indexed(ctx, index))
	defer stop()

	var absent []string
	indexed, err, ok := next()
	for entry, entryErr := range tx.Entries(ctx) {
		for ok && err == nil && indexed < entry.ID {
			indexed, err, ok = next()
		}
		if err := errors.Join(entryErr, err); err != nil {
			return err
		}
		if !ok || indexed != entry.ID {
			absent = append(absent, entry.ID)
		}
	}

	return tx.SetAbsent(ctx, absent)
}

// idsPerPage is the number of IDs that an index lists at once.
const idsPerPage = 10_000

// indexed yields the IDs of an index in the order of their bytes, or one final error.
func (s *Syncer) indexed(ctx context.Context, index string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		snapshot, err := s.Loader.Indexer.OpenIndex(ctx, index)
		if err != nil {
			yield("", err)
			return
		}

		after := ""
		for {
			page, err := snapshot.List(ctx, engine.Filters{}, after, idsPerPage)
			if err != nil {
				yield("", fmt.Errorf("list the ids of index %q: %w", index, err))
				return
			}
			for _, after = range page {
				if !yield(after, nil) {
					return
				}
			}
			if len(page) < idsPerPage {
				return
			}
		}
	}
}
