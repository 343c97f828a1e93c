package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/store/auditlog"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
	"github.com/freelancer-matching/service/webhook"
)

// Feed stores changes of freelancers. Its rows in the table feed have successive numbers, which are given under a lock
// of feed_state: who has read a number has seen all lower ones.
type Feed struct {
	db       *sqldb.DB
	auditLog auditlog.Log
	messages EndpointMessages
}

var _ feed.Store = Feed{}

const (
	// maxOverdue limits the announcements of servers that have ended which one transaction publishes.
	maxOverdue = 100
	// maxOutstanding is how many messages about changes may wait for an endpoint.
	maxOutstanding = 20
)

// Announce implements feed.Store. The audit log comes last; see auditlog.Log.Insert.
func (f Feed) Announce(ctx context.Context, events []audit.Event, a *feed.Announcement, due time.Time) error {
	return f.db.Transact(ctx, "announce changes", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO feed_pending (id, due, changes) VALUES ($1, $2, $3)",
			a.ID, column.Time(&due), column.JSON(&a.Changes))
		if err != nil {
			return err
		}
		return f.auditLog.Insert(ctx, tx, events)
	})
}

// lockFeed locks the feed until the transaction ends, and returns the number of the newest change.
func (f Feed) lockFeed(ctx context.Context, tx *sql.Tx) (last int64, err error) {
	err = tx.QueryRowContext(ctx, "SELECT last FROM feed_state WHERE one = 1"+f.db.Dialect.LockRows).Scan(&last)
	return last, err
}

// Publish implements feed.Store.
func (f Feed) Publish(ctx context.Context, done []feed.Announcement, now time.Time) (added int, err error) {
	due, err := f.overdue(ctx, now)
	if err != nil || len(done)+len(due) == 0 {
		return 0, err
	}

	err = f.db.Transact(ctx, "publish changes", func(tx *sql.Tx) error {
		last, err := f.lockFeed(ctx, tx)
		if err != nil {
			return err
		}

		var changes []feed.Change
		for _, a := range append(done, due...) {
			result, err := tx.ExecContext(ctx, "DELETE FROM feed_pending WHERE id = $1", a.ID)
			if err != nil {
				return err
			}
			n, err := result.RowsAffected()
			if err != nil {
				return err
			}
			if n > 0 { // otherwise it has been published
				changes = append(changes, a.Changes...)
			}
		}

		added = len(changes)
		return f.add(ctx, tx, last, changes, now)
	})
	return added, err
}

// overdue returns announcements whose servers haven't said what became of them.
func (f Feed) overdue(ctx context.Context, now time.Time) ([]feed.Announcement, error) {
	columns := func(a *feed.Announcement) []any { return []any{&a.ID, column.JSON(&a.Changes)} }
	due, err := sqldb.SelectAll(ctx, f.db.Pools.Read, columns,
		"SELECT id, changes FROM feed_pending WHERE due <= $1 ORDER BY due, id LIMIT $2", column.Time(&now), maxOverdue)
	if err != nil {
		return nil, fmt.Errorf("read overdue changes: %w", f.db.Note(err))
	}
	return due, nil
}

// add adds changes to the feed. The caller holds its lock.
func (f Feed) add(ctx context.Context, tx *sql.Tx, last int64, changes []feed.Change, now time.Time) error {
	if len(changes) == 0 {
		return nil
	}

	for from := 0; from < len(changes); from += feed.MaxChanges {
		part := changes[from:min(from+feed.MaxChanges, len(changes))]
		first := last + 1
		for i := range part {
			last++
			part[i].Sequence = last
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO feed (last, first, at, changes) VALUES ($1, $2, $3, $4)",
			last, first, column.Time(&now), column.JSON(&part))
		if err != nil {
			return err
		}
	}

	_, err := tx.ExecContext(ctx, "UPDATE feed_state SET last = $1 WHERE one = 1", last)
	return err
}

// ObserveIndex implements feed.Store.
func (f Feed) ObserveIndex(ctx context.Context, i *feed.Index, now time.Time) (added bool, err error) {
	const known = "SELECT name, state FROM feed_indexes WHERE servers = $1"
	var name, state string
	err = f.db.Pools.Read.QueryRowContext(ctx, known, i.Servers).Scan(&name, &state)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return false, fmt.Errorf("read the observed index: %w", f.db.Failed(err))
	}
	if err == nil && name == i.Name && state == i.State {
		return false, nil
	}

	err = f.db.Transact(ctx, "observe the live index", func(tx *sql.Tx) error {
		last, err := f.lockFeed(ctx, tx)
		if err != nil {
			return err
		}

		// Another server may have observed the same meanwhile.
		err = tx.QueryRowContext(ctx, known, i.Servers).Scan(&name, &state)
		isFirst := errors.Is(err, sql.ErrNoRows)
		if err != nil && !isFirst {
			return err
		}
		if !isFirst && name == i.Name && state == i.State {
			return nil
		}

		_, err = tx.ExecContext(ctx, `
			INSERT INTO feed_indexes (servers, name, state) VALUES ($1, $2, $3)
			ON CONFLICT (servers) DO UPDATE SET name = excluded.name, state = excluded.state`, i.Servers, i.Name, i.State)
		if err != nil || isFirst || i.Silent {
			return err
		}

		load := i.Load.Replacing(name)
		added = true
		return f.add(ctx, tx, last, []feed.Change{{Kind: feed.Replaced, At: now.UTC(), Load: &load}}, now)
	})
	return added, err
}

// State implements feed.Store.
func (f Feed) State(ctx context.Context) (s feed.State, err error) {
	err = f.db.Pools.Read.QueryRowContext(ctx, "SELECT last, forgotten FROM feed_state WHERE one = 1").
		Scan(&s.Last, &s.Forgotten)
	if err != nil {
		return s, fmt.Errorf("read the state of the feed: %w", f.db.Failed(err))
	}
	return s, nil
}

// Since implements feed.Store.
func (f Feed) Since(ctx context.Context, after int64, limit int) ([]feed.Change, error) {
	changes, err := changesSince(ctx, f.db.Pools.Read, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read the feed: %w", f.db.Note(err))
	}
	return changes, nil
}

func changesSince(ctx context.Context, d sqldb.Database, after int64, limit int) (changes []feed.Change, err error) {
	columns := func(part *[]feed.Change) []any { return []any{column.JSON(part)} }

	// Most rows have few changes, but each has one at least.
	parts, err := sqldb.SelectAll(ctx, d, columns,
		"SELECT changes FROM feed WHERE last > $1 ORDER BY last LIMIT $2", after, limit)
	if err != nil {
		return nil, err
	}
	for _, part := range parts {
		for _, c := range part {
			if c.Sequence > after && len(changes) < limit {
				changes = append(changes, c)
			}
		}
	}
	return changes, nil
}

// An openEndpoint is an endpoint that lacks messages about changes.
type openEndpoint struct {
	id, account string
	events      []string
	position    int64
	fetched     bool // has no URL
}

// Fill implements feed.Store.
func (f Feed) Fill(ctx context.Context, now time.Time) (filled bool, err error) {
	state, err := f.State(ctx)
	if err != nil {
		return false, err
	}

	columns := func(e *openEndpoint) []any {
		return []any{&e.id, &e.account, column.Words(&e.events), &e.position, column.Flag(&e.fetched)}
	}
	open, err := sqldb.SelectAll(ctx, f.db.Pools.Read, columns, `
		SELECT id, account, events, position, CASE WHEN url = '' THEN 1 ELSE 0 END
		FROM endpoints AS e WHERE disabled IS NULL AND position < $1 AND $2 > (
			SELECT count(*) FROM endpoint_messages AS m WHERE m.endpoint = e.id AND m.due IS NOT NULL)
		ORDER BY id`, state.Last, maxOutstanding)
	if err != nil {
		return false, fmt.Errorf("find endpoints without messages: %w", f.db.Note(err))
	}

	mayRead := map[string]bool{}
	for _, e := range open {
		may, known := mayRead[e.account]
		if !known {
			if may, err = f.messages.MayRead(ctx, e.account, now); err != nil {
				return filled, err
			}
			mayRead[e.account] = may
		}

		stored, err := f.fill(ctx, &e, state, may, now)
		if err != nil {
			return filled, err
		}
		filled = filled || stored
	}
	return filled, nil
}

// fill stores the next messages to one endpoint.
func (f Feed) fill(
	ctx context.Context, e *openEndpoint, state feed.State, mayRead bool, now time.Time,
) (stored bool, err error) {
	var events []feed.Event
	for _, name := range e.events {
		if event := feed.Event(name); event.NeedsData() {
			events = append(events, event)
		}
	}

	position := state.Last
	var messages []*webhook.Message
	if len(events) > 0 && mayRead {
		var changes []feed.Change
		if e.position < state.Forgotten {
			// The endpoint was out of reach for as long as changes are kept.
			changes = []feed.Change{{Sequence: state.Forgotten, Kind: feed.Replaced, At: now.UTC()}}
		} else if changes, err = f.Since(ctx, e.position, feed.MaxChanges); err != nil {
			return false, err
		}
		if len(changes) > 0 {
			position = changes[len(changes)-1].Sequence
		}
		if messages, err = feed.Messages(events, changes, now); err != nil {
			return false, err
		}
	}

	errMoved := errors.New("another process has stored the messages")
	err = f.db.Transact(ctx, "store messages to endpoint "+e.id, func(tx *sql.Tx) error {
		err := sqldb.ChangeOne(ctx, tx, errMoved, "UPDATE endpoints SET position = $1 WHERE id = $2 AND position = $3",
			position, e.id, e.position)
		if err != nil {
			return err
		}
		for _, m := range messages {
			if err := insertMessage(ctx, tx, m, e.id, e.account, e.fetched); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errMoved) {
		return false, nil
	}
	return err == nil && position < state.Last || len(messages) > 0, err
}

// Tell implements feed.Store.
func (f Feed) Tell(
	ctx context.Context, subject, account string, e feed.Event, data any, now time.Time,
) error {
	return f.db.Transact(ctx, "announce "+subject, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx,
			"INSERT INTO announced (subject, at) VALUES ($1, $2) ON CONFLICT (subject) DO NOTHING", subject, column.Time(&now))
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return err
		}

		columns := func(o *openEndpoint) []any {
			return []any{&o.id, column.Words(&o.events), column.Flag(&o.fetched)}
		}
		endpoints, err := sqldb.SelectAll(ctx, tx, columns, `
			SELECT id, events, CASE WHEN url = '' THEN 1 ELSE 0 END FROM endpoints
			WHERE account = $1 AND disabled IS NULL ORDER BY id`, account)
		if err != nil {
			return err
		}

		for _, o := range endpoints {
			if !slices.Contains(o.events, string(e)) {
				continue
			}

			// Each message has an ID of its own, by which receivers recognize a repeated one.
			m, err := feed.NewMessage(e, data, now)
			if err != nil {
				return err
			}
			if err := insertMessage(ctx, tx, m, o.id, account, o.fetched); err != nil {
				return err
			}
		}
		return nil
	})
}

// DeleteOld deletes changes, messages and announcements whose retention has ended.
func (f Feed) DeleteOld(ctx context.Context, now time.Time) error {
	err := f.db.Transact(ctx, "delete old changes", func(tx *sql.Tx) error {
		if _, err := f.lockFeed(ctx, tx); err != nil {
			return err
		}
		before := now.Add(-feed.Retention)
		_, err := tx.ExecContext(ctx, `
			UPDATE feed_state SET forgotten = coalesce((SELECT max(last) FROM feed WHERE at < $1), forgotten)
			WHERE one = 1`, column.Time(&before))
		if err == nil {
			_, err = tx.ExecContext(ctx, "DELETE FROM feed WHERE at < $1", column.Time(&before))
		}
		return err
	})
	if err != nil {
		return err
	}

	// A quota's window and the last days of a key are shorter than this.
	before := now.Add(-2 * feed.Retention)
	if err := f.db.Exec(ctx, "delete old announcements", "DELETE FROM announced WHERE at < $1",
		column.Time(&before)); err != nil {
		return err
	}

	before = now.Add(-feed.KeepDeliveries)
	err = f.db.Exec(ctx, "delete old messages to endpoints", "DELETE FROM endpoint_messages WHERE created < $1",
		column.Time(&before))
	if err != nil {
		return err
	}
	return f.db.Exec(ctx, "delete excess messages to endpoints", `
		DELETE FROM endpoint_messages WHERE due IS NULL AND id IN (
			SELECT id FROM (
				SELECT id, row_number() OVER (PARTITION BY endpoint ORDER BY created DESC, id DESC) AS place
				FROM endpoint_messages) AS ranked
			WHERE place > $1)`, feed.MaxKept)
}
