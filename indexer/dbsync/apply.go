package dbsync

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/dbsync/state"
	"github.com/freelancer-matching/service/indexer/query"
	"github.com/freelancer-matching/service/indexer/spool"
	"github.com/freelancer-matching/service/internal/value"
)

// idsPerChange is the number of freelancers that are changed together.
const idsPerChange = 10_000

// maxID is the number of characters of an ID that the index stores.
const maxID = 200

// unstable matches numbers that the reader of rows would write in another way.
var unstable = regexp.MustCompile(`^[0-9.,]+(E\+[0-9]+|\.0+)$`)

// isStorable reports whether the index stores an ID as the database has it. It would hash an e-mail address, cut a long
// text, and ignore a word such as "none".
func isStorable(id string) bool {
	line, cut := value.Line(id, maxID)
	isKept := line == id && !cut && len(id) <= maxID
	return isKept && !value.Unknown(id) && !strings.Contains(id, "@") && !unstable.MatchString(id)
}

// applyPending changes everything that is pending, a part at a time.
func (s *Syncer) applyPending(ctx context.Context, session Session, r *Round, info *state.Info) error {
	for {
		pending, err := s.State.Pending(ctx, idsPerChange)
		if err != nil || len(pending) == 0 {
			return err
		}

		c := newChanges(info)
		var ids []string
		for _, p := range pending {
			if p.IsForeign {
				c.deleted[p.ID] = true
			} else {
				ids = append(ids, p.ID)
			}
		}

		if err := s.applyChanges(ctx, session, r, c, ids, true); err != nil {
			return err
		}
	}
}

// applyIDs changes the freelancers with these IDs, unless their rows are still the same.
func (s *Syncer) applyIDs(
	ctx context.Context, session Session, r *Round, info *state.Info, ids []string,
) error {
	for chunk := range slices.Chunk(ids, idsPerChange) {
		if err := s.applyChanges(ctx, session, r, newChanges(info), chunk, false); err != nil {
			return err
		}
	}
	return nil
}

// changes are made to the index together.
type changes struct {
	info    *state.Info
	put     map[string]query.Digest
	deleted map[string]bool
}

func newChanges(info *state.Info) *changes {
	return &changes{info, map[string]query.Digest{}, map[string]bool{}}
}

// ids returns the IDs of all changes.
func (c *changes) ids() []string {
	return slices.AppendSeq(slices.Collect(maps.Keys(c.put)), maps.Keys(c.deleted))
}

// applyChanges reads the rows with these IDs and makes the changes. IDs that are pending are changed in any case,
// others only if their rows differ from the last ones.
func (s *Syncer) applyChanges(
	ctx context.Context, session Session, r *Round, c *changes, ids []string, arePending bool,
) error {
	rows, err := spool.New(s.MaxSpool)
	if err != nil {
		return err
	}
	defer rows.Close()
	if err := s.collect(ctx, session, c, ids, arePending, rows); err != nil {
		return err
	}

	all := c.ids()
	if len(all) == 0 {
		return nil
	}

	// From here on, the index may have the old or the new version. A process that is killed repeats the change, even if
	// the rows have become the old ones again by then.
	if !arePending {
		err := s.State.Change(ctx, func(tx *state.Tx) error {
			for _, id := range all {
				if err := tx.Await(ctx, state.Pending{ID: id}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}

	report, err := s.change(ctx, c, rows)
	r.Rejected += report.Rejected
	if err != nil {
		return err
	}

	r.Changed += report.Indexed
	r.Deleted += report.Deleted
	r.Index = report.Index
	return s.record(ctx, c, report)
}

// collect copies the rows of the IDs whose rows have changed, and finds out which IDs have no rows any more.
func (s *Syncer) collect(
	ctx context.Context, session Session, c *changes, ids []string, arePending bool, w *spool.Spool,
) error {
	known, err := s.State.Find(ctx, ids)
	if err != nil {
		return err
	}
	gone := make(map[string]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
	}

	buffered := bufio.NewWriter(w)
	var person bytes.Buffer // the rows of one
	for row, err := range session.With(ctx, ids) {
		if err != nil {
			return err
		}
		if !isStorable(row.ID) {
			continue
		}

		person.Write(row.JSON)
		person.WriteByte('\n')
		if !row.IsLast {
			continue
		}

		delete(gone, row.ID)
		last, isKnown := known[row.ID]
		if arePending || !isKnown || last.Digest != row.Digest {
			c.put[row.ID] = row.Digest
			_, _ = person.WriteTo(buffered) // Flush returns the error
		}
		person.Reset()
	}

	for id := range gone {
		if _, isKnown := known[id]; isKnown || arePending {
			c.deleted[id] = true
		}
	}
	return buffered.Flush()
}

// change changes the live index. The report is never nil.
func (s *Syncer) change(ctx context.Context, c *changes, rows *spool.Spool) (*bulk.Report, error) {
	input := &changedRows{name: s.Database.String(), ids: c.ids()}
	options, err := s.Options(nil)
	if err != nil {
		return &bulk.Report{}, err
	}

	if rows.Size() > 0 {
		in, err := s.Open(ctx, s.input(rows), c.info.Mapping)
		if err != nil {
			return &bulk.Report{}, err
		}
		defer in.Close()
		input.rows = &in.Files[0]
		if options, err = s.Options(in); err != nil {
			return &bulk.Report{}, err
		}
	}

	// The limits are meant for whole files. Among a few rows, all may be invalid, and the people lose their old version.
	options.MaxFailures = bulk.NoLimit()
	options.AllowUnread = true
	options.Progress = func(bulk.Progress) {}
	if len(input.ids) <= fewChanges {
		options.Searcher = s.Searcher
	}
	return s.Loader.Upsert(ctx, []bulk.Input{input.input()}, options)
}

// record stores what the index has after a change.
func (s *Syncer) record(ctx context.Context, c *changes, report *bulk.Report) error {
	c.info.Index = report.Index // a new one if documents are prepared in another way now

	// Opening an index takes long compared with a small change, so it is only asked if somebody is missing.
	isIndexed := func(string) bool { return true }
	if report.Indexed != len(c.put) {
		indexed, err := s.existing(ctx, c)
		if err != nil {
			return err
		}
		isIndexed = func(id string) bool { return indexed[id] }
	}

	entries := make([]state.Entry, 0, len(c.put))
	for id, digest := range c.put {
		entries = append(entries, state.Entry{ID: id, Digest: digest, Absent: !isIndexed(id)})
	}

	return s.State.Change(ctx, func(tx *state.Tx) error {
		return errors.Join(
			tx.Put(ctx, entries...), tx.Remove(ctx, slices.Collect(maps.Keys(c.deleted))),
			tx.Settle(ctx, c.ids()), tx.SetInfo(ctx, c.info))
	})
}

// existing returns which of the changed IDs the index has now. Rows may be rejected, and people may have been erased.
func (s *Syncer) existing(ctx context.Context, c *changes) (map[string]bool, error) {
	indexed := make(map[string]bool, len(c.put))
	snapshot, err := s.Loader.Indexer.OpenIndex(ctx, c.info.Index)
	if err != nil {
		return nil, err
	}
	for chunk := range slices.Chunk(slices.Collect(maps.Keys(c.put)), batchSize) {
		found, err := snapshot.List(ctx, engine.Filters{IDs: chunk}, "", len(chunk))
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			indexed[id] = true
		}
	}
	return indexed, nil
}
