package dbsync

import (
	"cmp"
	"context"
	"iter"

	"github.com/freelancer-matching/service/indexer/dbsync/state"
	"github.com/freelancer-matching/service/indexer/query"
)

// compare makes every ID pending that the database, the state and the index disagree about.
func (s *Syncer) compare(ctx context.Context, session Session, index string) error {
	return s.State.Change(ctx, func(tx *state.Tx) error {
		found := make([]state.Pending, 0, batchSize)
		for p, err := range disagreements(session.Digests(ctx), tx.Entries(ctx), s.indexed(ctx, index)) {
			if err != nil {
				return err
			}
			if found = append(found, p); len(found) < batchSize {
				continue
			}
			if err := tx.Await(ctx, found...); err != nil {
				return err
			}
			found = found[:0]
		}
		return tx.Await(ctx, found...)
	})
}

// disagreements merges the digests of a database, the entries of a state and the IDs of an index, each in the order of
// the bytes of the IDs, and yields the IDs that they disagree about, or one final error. It needs little memory however
// many IDs there are.
func disagreements(
	digests iter.Seq2[query.KeyedDigest, error], entries iter.Seq2[state.Entry, error], indexed iter.Seq2[string, error],
) iter.Seq2[state.Pending, error] {
	return func(yield func(state.Pending, error) bool) {
		database := newCursor(digests, func(d *query.KeyedDigest) string { return d.ID })
		defer database.stop()
		known := newCursor(entries, func(e *state.Entry) string { return e.ID })
		defer known.stop()
		index := newCursor(indexed, func(id *string) string { return *id })
		defer index.stop()

		for {
			id, ok := lowest(database, known, index)
			if err := cmp.Or(database.err, known.err, index.err); err != nil {
				yield(state.Pending{}, err)
				return
			}
			if !ok {
				return
			}

			// An ID that the index can't store as it is counts as missing in the database.
			inDatabase := database.has(id) && isStorable(id)
			inState, inIndex := known.has(id), index.has(id)
			isSame := inDatabase && inState && database.value.Digest == known.value.Digest
			isPlaced := inIndex != known.value.Absent
			isAnywhere := inDatabase || inState || inIndex
			agree := isSame && isPlaced
			if isAnywhere && !agree {
				if !yield(state.Pending{ID: id, IsForeign: !inDatabase && !inState}, nil) {
					return
				}
			}

			database.pass(id)
			known.pass(id)
			index.pass(id)
		}
	}
}

// A cursor goes through a sorted stream.
type cursor[T any] struct {
	next  func() (T, error, bool)
	stop  func()
	key   func(*T) string
	value T
	err   error
	ok    bool // there is a value
}

func newCursor[T any](stream iter.Seq2[T, error], key func(*T) string) *cursor[T] {
	c := &cursor[T]{key: key}
	c.next, c.stop = iter.Pull2(stream)
	c.value, c.err, c.ok = c.next()
	return c
}

// head returns the ID of the current value, and false at the end or after an error.
func (c *cursor[T]) head() (string, bool) {
	if !c.ok || c.err != nil {
		return "", false
	}
	return c.key(&c.value), true
}

// has reports whether the current value has an ID.
func (c *cursor[T]) has(id string) bool {
	head, ok := c.head()
	return ok && head == id
}

// pass moves to the next value if the current one has an ID.
func (c *cursor[T]) pass(id string) {
	if c.has(id) {
		c.value, c.err, c.ok = c.next()
	}
}

// lowest returns the lowest ID that any of the streams has next, and false if all have ended.
func lowest(streams ...interface{ head() (string, bool) }) (id string, ok bool) {
	for _, stream := range streams {
		if head, has := stream.head(); has && (!ok || head < id) {
			id, ok = head, true
		}
	}
	return id, ok
}
