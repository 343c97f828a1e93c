// Package dbsync keeps the live index in step with the result of a database query. The first round loads all rows into
// a new index; later ones find out which rows differ from what the index has, and change only those in place:
//
//   - A comparison finds every difference, also deleted rows and rows of joined tables. The database sends IDs and
//     digests, which are merged with those of the last round, all sorted and streamed.
//   - A delta asks only for rows whose column of times is after a watermark.
//   - A batch of changed IDs comes from a replication stream.
//
// Rows are read, checked and stored by packages inputs and bulk, as a load does. Package state keeps the digests.
package dbsync

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/dbsync/state"
	"github.com/freelancer-matching/service/indexer/inputs"
	"github.com/freelancer-matching/service/indexer/query"
	"github.com/freelancer-matching/service/indexer/source"
)

// A Syncer keeps one index in step with one query. All fields without a default are required. It is not safe for
// concurrent use.
type Syncer struct {
	Database  Database
	Follower  Follower // the same database if Follow is called; otherwise nil
	Statement query.Statement
	ID        string // the column that identifies people
	ChangedAt string // the column that has the time of the last change of a row; "" if there is none
	// Margin is the time before the watermark from which rows are read again, because clocks differ.
	Margin time.Duration
	Slot   string // the replication slot of Follow
	// Reconcile is the time after which a round compares all rows even if there is a cheaper way.
	Reconcile time.Duration
	// Source has everything that the freelancers depend on besides the rows: query, flags, version. If it changes, the
	// next round loads everything.
	Source   string
	MaxSpool int64 // bytes of rows that are copied to a temporary file at once

	State  *state.Store
	Loader *bulk.Loader
	// Searcher keeps the live index open for small changes. It may be nil.
	Searcher engine.Searcher
	// Open reads copied rows with a mapping of columns, or recognizes the columns if there is none yet.
	Open func(ctx context.Context, rows source.Input, mapping string) (*inputs.Inputs, error)
	// Options returns the options of a load of these inputs.
	Options func(in *inputs.Inputs) (bulk.Options, error)
	Log     *slog.Logger

	noted []string // the notes about sessions that are in the log
}

// Kind is how a round finds what has changed.
type Kind string

// The kinds of rounds.
const (
	Full       Kind = "full"
	Comparison Kind = "comparison"
	Delta      Kind = "delta"
	Followed   Kind = "followed"
)

// A Round is what one round did.
type Round struct {
	Kind     Kind
	Reason   string // of a full round
	Index    string // the live index
	Changed  int    // freelancers who were added or replaced
	Deleted  int    // freelancers
	Rejected int    // rows
	Unusable int    // rows with IDs that the index can't store as they are
	Rows     int    // of a full round
	Elapsed  time.Duration
	// Snapshot is the time of the rows: the index has everything that was committed before.
	Snapshot time.Time
	// Lag is the time from the commit of the first change that was followed to the end of the round, by the clocks of both
	// servers.
	Lag  time.Duration
	Load *bulk.Report // of a full round
}

// maxShare is the share of the freelancers from which on a new index is built instead of changing the live one: it is
// faster, is compared with the live one, and can be rolled back. fewChanges are always made in place.
const (
	maxShare   = .2
	fewChanges = 2000
)

// Round does what is due: a full round, a comparison or a delta. The result is never nil; after a failure it has what
// was done until then.
func (s *Syncer) Round(ctx context.Context) (*Round, error) {
	return s.round(ctx, &Round{Kind: Delta}, nil)
}

// Follow changes what a replication stream says: the rows with these IDs may have changed. isVisible reports whether a
// snapshot has the transactions that changed them; until then, Follow waits. Like Round, it does something else if that
// is due.
func (s *Syncer) Follow(ctx context.Context, batch *query.Batch) (*Round, error) {
	return s.round(ctx, &Round{Kind: Followed}, batch)
}

// Continues reports whether the slot still has all changes since the last round. Otherwise, all rows must be compared,
// for example because the slot is new.
func (s *Syncer) Continues(ctx context.Context, slot *query.Slot) (bool, error) {
	info, err := s.State.Info(ctx)
	return info.Slot == s.Slot && slot.Confirmed <= info.Position, err
}

func (s *Syncer) round(ctx context.Context, r *Round, batch *query.Batch) (_ *Round, err error) {
	started := s.Loader.Now()
	defer func() {
		r.Elapsed = s.Loader.Now().Sub(started)
		if batch != nil && !batch.Committed.IsZero() {
			r.Lag = max(0, s.Loader.Now().Sub(batch.Committed))
		}
		err = errors.Join(err, s.count(context.WithoutCancel(ctx), r, err))
	}()

	info, err := s.State.Info(ctx)
	if err != nil {
		return r, err
	}
	session, err := s.begin(ctx, batch)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	s.note(ctx, session)

	// The position is stored together with what it stands for.
	if batch != nil {
		info.Slot, info.Position = s.Slot, batch.Position
	}

	r.Snapshot = started
	if r.Reason, err = s.reasonToLoad(ctx, &info); err != nil {
		return r, err
	}
	if r.Reason != "" {
		return r, s.load(ctx, session, r, &info)
	}

	r.Index = info.Index
	isDue := batch != nil && batch.All || info.Compared.Add(s.Reconcile).Before(started)
	hasNoOther := batch == nil && (s.ChangedAt == "" || info.Watermark.IsZero())
	if isDue || hasNoOther {
		return r, s.compareAndApply(ctx, session, r, &info)
	}

	return r, s.applyChanged(ctx, session, r, &info, batch)
}

// begin starts a session that has the changes of a batch, if there is one.
func (s *Syncer) begin(ctx context.Context, batch *query.Batch) (Session, error) {
	switch {
	case batch != nil:
		return s.Follower.BeginAfter(ctx, s.Statement, s.ID, batch)
	default:
		return s.Database.Begin(ctx, s.Statement, s.ID, s.ChangedAt != "")
	}
}

// note logs what the operator should know about a session, once.
func (s *Syncer) note(ctx context.Context, session Session) {
	for _, note := range session.Notes() {
		if !slices.Contains(s.noted, note) {
			s.noted = append(s.noted, note)
			s.Log.WarnContext(ctx, "database", "database", s.Database.String(), "note", note)
		}
	}
}

// reasonToLoad returns why the state doesn't describe the live index, or "" if it does.
func (s *Syncer) reasonToLoad(ctx context.Context, info *state.Info) (string, error) {
	live, err := s.live(ctx)
	switch {
	case err != nil:
		return "", err
	case info.Index == "":
		return "this is the first run", nil
	case info.Source != s.Source:
		return "the query, its flags or the version of this program have changed", nil
	case live == "":
		return "no index is live", nil
	case live != info.Index:
		return fmt.Sprintf("another command has made %s live", live), nil
	}
	return "", nil
}

// live returns the name of the live index, or "" if no index is live.
func (s *Syncer) live(ctx context.Context) (string, error) {
	options, err := s.Options(nil)
	if err != nil {
		return "", err
	}
	live, _, err := s.Loader.Indexer.Alias(ctx, options.Alias)
	return live, err
}

// compareAndApply finds every difference and removes it.
func (s *Syncer) compareAndApply(ctx context.Context, session Session, r *Round, info *state.Info) error {
	r.Kind = Comparison
	if err := s.compare(ctx, session, info.Index); err != nil {
		return err
	}

	people, pending, err := s.State.Count(ctx)
	if err != nil {
		return err
	}
	if pending > max(fewChanges, int(maxShare*float64(people))) {
		r.Reason = fmt.Sprintf("%s of %s freelancers differ", humanize.Comma(int64(pending)), humanize.Comma(int64(people)))
		return s.load(ctx, session, r, info)
	}

	if err := s.applyPending(ctx, session, r, info); err != nil {
		return err
	}

	info.Compared = r.Snapshot
	return s.finish(ctx, session, r, info)
}

// applyChanged changes the freelancers whose rows may have changed since the last round.
func (s *Syncer) applyChanged(
	ctx context.Context, session Session, r *Round, info *state.Info, batch *query.Batch,
) error {
	// An earlier round may have been killed between the change of the index and its record.
	if err := s.applyPending(ctx, session, r, info); err != nil {
		return err
	}

	var ids []string
	var err error
	if batch != nil {
		ids = batch.IDs
	} else if ids, err = session.ChangedSince(ctx, s.ChangedAt, info.Watermark.Add(-s.Margin)); err != nil {
		return err
	}

	if err := s.applyIDs(ctx, session, r, info, ids); err != nil {
		return err
	}
	return s.finish(ctx, session, r, info)
}

// finish records that the index has everything that the session has.
func (s *Syncer) finish(ctx context.Context, session Session, r *Round, info *state.Info) error {
	info.Synced = r.Snapshot
	if !session.Began().IsZero() {
		info.Watermark = session.Began()
	}
	return s.State.Change(ctx, func(tx *state.Tx) error { return tx.SetInfo(ctx, info) })
}

// count adds a round to the totals.
func (s *Syncer) count(ctx context.Context, r *Round, failure error) error {
	return s.State.Change(ctx, func(tx *state.Tx) error {
		info, err := tx.Info(ctx)
		if err != nil {
			return err
		}
		t := &info.Totals
		t.Rounds++
		t.Changed += int64(r.Changed)
		t.Deleted += int64(r.Deleted)
		t.Rejected += int64(r.Rejected)
		if r.Kind == Full {
			t.Full++
		}
		if failure != nil {
			t.Failed++
		}
		return tx.SetInfo(ctx, &info)
	})
}
