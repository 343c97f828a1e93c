package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/store/auditlog"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Briefs stores the saved briefs of accounts with their lists.
type Briefs struct {
	db       *sqldb.DB
	auditLog auditlog.Log
}

var (
	_ briefs.Store      = Briefs{}
	_ briefs.WatchStore = Briefs{}
)

const (
	briefNames = "id, account, name, request, top, min_score, min_level, notify, closed, created, changed, revision, " +
		"matched, people, origin"
	selectBriefs = "SELECT " + briefNames + " FROM briefs"
	// briefsAtOnce is how many briefs are read together, of those that are needed one by one.
	briefsAtOnce = 500
)

func briefColumns(b *briefs.Brief) []any {
	n := &b.Settings
	return []any{
		&b.ID, &b.Account, &n.Name, column.JSON(&n.Request), &n.Top, &n.MinScore, (*string)(&n.MinLevel),
		column.Flag(&n.Notify), column.Flag(&n.Closed), column.Time(&b.Created), column.Time(&b.Changed), &b.Revision,
		column.Time(&b.Matched), column.JSON(&b.People), &b.Origin,
	}
}

// lockWatch locks the row of the watcher until the transaction ends.
func (s Briefs) lockWatch(ctx context.Context, tx *sql.Tx) (holder string, until time.Time, position int64, err error) {
	//nolint:gosec // G202: LockRows is a constant of the dialect
	row := tx.QueryRowContext(ctx, "SELECT holder, until, position FROM brief_watch WHERE one = 1"+s.db.Dialect.LockRows)
	err = row.Scan(&holder, column.Sortable(&until), &position)
	return holder, until, position, err
}

// lockOwner prevents other transactions from saving briefs for an owner. The owner may be a key without an account.
func (s Briefs) lockOwner(ctx context.Context, tx *sql.Tx, owner string) error {
	_, err := lockAccount(ctx, s.db, tx, owner)
	if errors.Is(err, account.ErrNotFound) {
		return sqldb.Lock(ctx, tx, s.db.Dialect.LockKeysWithoutAccount)
	}
	return err
}

// Insert implements briefs.Store. The lock keeps two requests from exceeding the limit together.
func (s Briefs) Insert(ctx context.Context, b *briefs.Brief, limit int, e audit.Event) error {
	return s.db.Transact(ctx, "save brief", func(tx *sql.Tx) error {
		if err := s.lockOwner(ctx, tx, b.Account); err != nil {
			return err
		}

		var watched bool
		err := tx.QueryRowContext(ctx,
			"SELECT EXISTS (SELECT 1 FROM briefs WHERE account = $1 AND origin = $2 AND origin <> '')",
			b.Account, b.Origin).Scan(&watched)
		if err != nil {
			return err
		}
		if watched {
			return briefs.ErrWatched
		}

		err = sqldb.ChangeOne(ctx, tx, briefs.ErrFull, "INSERT INTO briefs ("+briefNames+`)
			SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15
			WHERE $16 = 0 OR (SELECT count(*) FROM briefs WHERE account = $2) < $16`, append(briefColumns(b), limit)...)
		if err != nil {
			return err
		}
		return s.auditLog.Insert(ctx, tx, []audit.Event{e})
	})
}

// List implements briefs.Store.
func (s Briefs) List(ctx context.Context, account, after string, limit int) ([]briefs.Brief, error) {
	list, err := sqldb.SelectAll(ctx, s.db.Pools.Read, briefColumns,
		selectBriefs+" WHERE account = $1 AND id > $2 ORDER BY id LIMIT $3", account, after, limit)
	if err != nil {
		return nil, fmt.Errorf("list briefs: %w", s.db.Note(err))
	}
	return list, nil
}

// Open implements briefs.Store.
func (s Briefs) Open(ctx context.Context, account string, limit int) ([]briefs.Brief, error) {
	list, err := sqldb.SelectAll(ctx, s.db.Pools.Read, briefColumns,
		selectBriefs+" WHERE account = $1 AND closed = 0 ORDER BY changed DESC, id LIMIT $2", account, limit)
	if err != nil {
		return nil, fmt.Errorf("list open briefs: %w", s.db.Note(err))
	}
	return list, nil
}

// Find implements briefs.Store.
func (s Briefs) Find(ctx context.Context, account, id string) (briefs.Brief, error) {
	return s.find(ctx, " WHERE id = $1 AND account = $2", id, account)
}

// Get implements briefs.WatchStore.
func (s Briefs) Get(ctx context.Context, id string) (briefs.Brief, error) {
	return s.find(ctx, " WHERE id = $1", id)
}

func (s Briefs) find(ctx context.Context, where string, args ...any) (briefs.Brief, error) {
	row := s.db.Pools.Read.QueryRowContext(ctx, selectBriefs+where, args...)
	b, err := sqldb.ScanOne(row, briefColumns, briefs.ErrNotFound)
	if err != nil {
		return b, fmt.Errorf("find brief: %w", s.db.Note(err))
	}
	return b, nil
}

// Update implements briefs.Store.
func (s Briefs) Update(ctx context.Context, b *briefs.Brief, reset bool, e audit.Event) error {
	n := &b.Settings
	return s.db.Transact(ctx, "change brief", func(tx *sql.Tx) error {
		err := sqldb.ChangeOne(ctx, tx, briefs.ErrNotFound, `
			UPDATE briefs SET name = $1, request = $2, top = $3, min_score = $4, min_level = $5, notify = $6, closed = $7,
				changed = $8, revision = revision + 1,
				matched = CASE WHEN $9 = 1 THEN NULL ELSE matched END, people = CASE WHEN $9 = 1 THEN 'null' ELSE people END
			WHERE id = $10 AND account = $11 AND revision = $12`,
			n.Name, column.JSON(&n.Request), n.Top, n.MinScore, string(n.MinLevel), column.Flag(&n.Notify),
			column.Flag(&n.Closed), column.Time(&b.Changed), column.Flag(&reset), b.ID, b.Account, b.Revision)
		if err != nil {
			return err
		}
		return s.auditLog.Insert(ctx, tx, []audit.Event{e})
	})
}

// Delete implements briefs.Store.
func (s Briefs) Delete(ctx context.Context, account, id string, e audit.Event) error {
	return s.db.Transact(ctx, "delete brief", func(tx *sql.Tx) error {
		err := sqldb.ChangeOne(ctx, tx, briefs.ErrNotFound,
			"DELETE FROM briefs WHERE id = $1 AND account = $2", id, account)
		if err != nil {
			return err
		}
		return s.auditLog.Insert(ctx, tx, []audit.Event{e})
	})
}

// selectSeen selects briefs with when a user, who is $1, has opened their pages.
const selectSeen = "SELECT " + briefNames +
	", l.at FROM briefs LEFT JOIN brief_looks l ON l.brief = id AND l.user_id = $1"

func seenColumns(s *briefs.Seen) []any { return append(briefColumns(&s.Brief), column.Time(&s.Looked)) }

// Page implements briefs.Store.
func (s Briefs) Page(
	ctx context.Context, account, user string, offset, limit int,
) (list []briefs.Seen, total int, err error) {
	err = s.db.ReadSnapshot(ctx, "read a page of briefs", func(tx *sql.Tx) error {
		row := tx.QueryRowContext(ctx, "SELECT count(*) FROM briefs WHERE account = $1", account)
		if err := row.Scan(&total); err != nil {
			return err
		}
		list, err = sqldb.SelectAll(ctx, tx, seenColumns,
			selectSeen+" WHERE account = $2 ORDER BY changed DESC, id LIMIT $3 OFFSET $4", user, account, limit, offset)
		return err
	})
	return list, total, err
}

// FindSeen implements briefs.Store.
func (s Briefs) FindSeen(ctx context.Context, account, user, id string) (briefs.Seen, error) {
	return s.findSeen(ctx, " WHERE id = $2 AND account = $3", user, id, account)
}

// OfOrigin implements briefs.Store.
func (s Briefs) OfOrigin(ctx context.Context, account, user string, origins []string) (briefs.Seen, error) {
	args := []any{user, account}
	for _, origin := range origins {
		args = append(args, origin)
	}
	return s.findSeen(ctx, " WHERE account = $2 AND origin <> '' AND origin IN ("+
		sqldb.Parameters(3, len(origins))+") ORDER BY created, id LIMIT 1", args...)
}

func (s Briefs) findSeen(ctx context.Context, where string, args ...any) (briefs.Seen, error) {
	row := s.db.Pools.Read.QueryRowContext(ctx, selectSeen+where, args...)
	b, err := sqldb.ScanOne(row, seenColumns, briefs.ErrNotFound)
	if err != nil {
		return b, fmt.Errorf("find brief: %w", s.db.Note(err))
	}
	return b, nil
}

// Look implements briefs.Store. It stores nothing about a brief that was deleted meanwhile.
func (s Briefs) Look(ctx context.Context, user, id string, at time.Time) error {
	return s.db.Exec(ctx, "store a look at a brief", `
		INSERT INTO brief_looks (brief, user_id, at) SELECT id, $1, $2 FROM briefs WHERE id = $3
		ON CONFLICT (brief, user_id) DO UPDATE SET at = excluded.at`, user, column.Time(&at), id)
}

// Hold implements briefs.WatchStore.
func (s Briefs) Hold(ctx context.Context, holder string, now, until time.Time) (position int64, err error) {
	err = s.db.Transact(ctx, "hold the watch of briefs", func(tx *sql.Tx) error {
		other, held, at, err := s.lockWatch(ctx, tx)
		if err != nil {
			return err
		}
		if other != holder && held.After(now) {
			return briefs.ErrNotHolder
		}
		position = at
		_, err = tx.ExecContext(ctx, "UPDATE brief_watch SET holder = $1, until = $2 WHERE one = 1",
			holder, column.Sortable(&until))
		return err
	})
	return position, err
}

// Release implements briefs.WatchStore.
func (s Briefs) Release(ctx context.Context, holder string) error {
	return s.db.Exec(ctx, "release the watch of briefs",
		"UPDATE brief_watch SET holder = '', until = 0 WHERE one = 1 AND holder = $1", holder)
}

// Watched implements briefs.WatchStore.
func (s Briefs) Watched(ctx context.Context, yield func(briefs.Brief) error) error {
	return s.each(ctx, "closed = 0", nil, yield)
}

// Revisions implements briefs.WatchStore.
func (s Briefs) Revisions(ctx context.Context) (map[string]int64, error) {
	type revision struct {
		id     string
		number int64
	}
	list, err := sqldb.SelectAll(ctx, s.db.Pools.Read, func(r *revision) []any { return []any{&r.id, &r.number} },
		"SELECT id, revision FROM briefs WHERE closed = 0")
	if err != nil {
		return nil, fmt.Errorf("read revisions of briefs: %w", s.db.Note(err))
	}
	revisions := make(map[string]int64, len(list))
	for _, r := range list {
		revisions[r.id] = r.number
	}
	return revisions, nil
}

// Commit implements briefs.WatchStore.
func (s Briefs) Commit(ctx context.Context, holder string, position int64, lists []briefs.List, now time.Time) error {
	return s.db.Transact(ctx, "store lists of briefs", func(tx *sql.Tx) error {
		current, _, _, err := s.lockWatch(ctx, tx)
		if err != nil {
			return err
		}
		if current != holder {
			return briefs.ErrNotHolder
		}
		if _, err := tx.ExecContext(ctx, "UPDATE brief_watch SET position = $1 WHERE one = 1", position); err != nil {
			return err
		}

		news := map[string][]briefs.Event{} // by account
		for i := range lists {
			l := &lists[i]
			err := sqldb.ChangeOne(ctx, tx, briefs.ErrNotFound,
				"UPDATE briefs SET matched = $1, people = $2 WHERE id = $3 AND revision = $4",
				column.Time(&l.Matched), column.JSON(&l.People), l.Brief, l.Revision)
			if errors.Is(err, briefs.ErrNotFound) { // changed or deleted meanwhile
				continue
			}
			if err != nil {
				return err
			}
			if len(l.Events) > 0 {
				news[l.Account] = append(news[l.Account], l.Events...)
			}
		}

		for account, events := range news {
			if err := tellEndpoints(ctx, tx, account, events, now); err != nil {
				return err
			}
		}
		return nil
	})
}

// tellEndpoints stores messages about lists to the endpoints of an account that ask for them.
func tellEndpoints(ctx context.Context, tx *sql.Tx, account string, events []briefs.Event, now time.Time) error {
	columns := func(o *openEndpoint) []any { return []any{&o.id, column.Words(&o.events), column.Flag(&o.fetched)} }
	endpoints, err := sqldb.SelectAll(ctx, tx, columns, `
		SELECT id, events, CASE WHEN url = '' THEN 1 ELSE 0 END FROM endpoints
		WHERE account = $1 AND disabled IS NULL ORDER BY id`, account)
	if err != nil {
		return err
	}

	for _, o := range endpoints {
		for _, kind := range []feed.Event{feed.BriefEntered, feed.BriefLeft, feed.BriefAvailable} {
			if !slices.Contains(o.events, string(kind)) {
				continue
			}
			var entries []feed.BriefNews
			for _, e := range events {
				if e.Kind == kind {
					entries = append(entries, e.News)
				}
			}

			for part := range slices.Chunk(entries, feed.MaxChanges) {
				m, err := feed.NewMessage(kind, feed.BriefMessage{Entries: part}, now)
				if err != nil {
					return err
				}
				if err := insertMessage(ctx, tx, m, o.id, account, o.fetched); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// ErasePeople removes freelancers from all lists, and returns how often each was on one. A watcher that has a list in
// memory removes them when it hears of the erasure.
func (s Briefs) ErasePeople(ctx context.Context, ids []string) (removed map[string]int, err error) {
	err = s.db.Transact(ctx, "erase people from lists of briefs", func(tx *sql.Tx) error {
		removed = map[string]int{}
		for _, id := range ids {
			n, err := s.erasePerson(ctx, tx, id)
			if err != nil {
				return err
			}
			if n > 0 {
				removed[id] = n
			}
		}
		return nil
	})
	return removed, err
}

// erasePerson removes a freelancer from all lists, and returns their number.
func (s Briefs) erasePerson(ctx context.Context, tx *sql.Tx, id string) (removed int, err error) {
	encoded, err := column.JSON(&id).Value()
	if err != nil {
		return 0, err
	}
	list, err := sqldb.SelectAll(ctx, tx, briefColumns,
		selectBriefs+` WHERE people LIKE $1 ESCAPE '\'`+s.db.Dialect.LockRows, sqldb.LikeContains(fmt.Sprint(encoded)))
	if err != nil {
		return 0, err
	}

	for i := range list {
		b := &list[i]
		n := len(b.People)
		b.People = slices.DeleteFunc(b.People, func(p briefs.Person) bool { return p.ID == id })
		if len(b.People) == n {
			continue
		}
		removed++
		_, err := tx.ExecContext(ctx, "UPDATE briefs SET people = $1 WHERE id = $2", column.JSON(&b.People), b.ID)
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

// Rewrite replaces name and match of a brief, such as without the name of somebody who was erased.
func (s Briefs) Rewrite(ctx context.Context, b briefs.Brief) error {
	return s.db.Exec(ctx, "rewrite brief",
		"UPDATE briefs SET name = $1, request = $2, revision = revision + 1 WHERE id = $3",
		b.Settings.Name, column.JSON(&b.Settings.Request), b.ID)
}

// Each calls yield for all briefs of an account, closed ones included; of all accounts if account is "".
func (s Briefs) Each(ctx context.Context, account string, yield func(briefs.Brief) error) error {
	return s.each(ctx, "(account = $3 OR $3 = '')", []any{account}, yield)
}

// each calls yield for the briefs that meet a condition, in the order of their IDs. It reads some at a time, because an
// account may have many. The arguments of the condition are numbered from $3.
func (s Briefs) each(ctx context.Context, where string, args []any, yield func(briefs.Brief) error) error {
	after := ""
	for {
		list, err := sqldb.SelectAll(ctx, s.db.Pools.Read, briefColumns,
			selectBriefs+" WHERE id > $1 AND "+where+" ORDER BY id LIMIT $2", append([]any{after, briefsAtOnce}, args...)...)
		if err != nil {
			return fmt.Errorf("read briefs: %w", s.db.Note(err))
		}
		for i := range list {
			if err := yield(list[i]); err != nil {
				return err
			}
		}
		if len(list) < briefsAtOnce {
			return nil
		}
		after = list[len(list)-1].ID
	}
}
