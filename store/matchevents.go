package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/store/auditlog"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// MatchEvents stores matches and the events about them.
type MatchEvents struct{ db *sqldb.DB }

var _ events.Store = MatchEvents{}

const (
	// matchBatch is the number of matches written in one transaction, which keeps other writers waiting.
	matchBatch = 200
	// rowBatch is the number of rows written by one statement. The SQLite driver takes quadratic time in the number of
	// parameters, and PostgreSQL a round trip for each statement.
	rowBatch = 20
	// matchPage is the number of matches read by one statement.
	matchPage = 500
)

func matchColumns(m *events.Match) []any {
	return []any{
		&m.Account, &m.ID, column.Time(&m.At), &m.Offset, column.Hashes(&m.Freelancers), column.Scores(&m.Scores), &m.Brief,
		&m.Lesson,
	}
}

func matchAndVersionColumns(m *events.Match) []any {
	return append(matchColumns(m), column.JSON(&m.Versions))
}

// versionsID returns the ID of versions in the table match_versions. Thousands of matches have the same, so a match has
// the ID only.
func versionsID(v matching.Versions) (id []byte, data string, err error) {
	text, err := json.Marshal(v)
	sum := sha256.Sum256(text)
	return sum[:16], string(text), err
}

func matchEventColumns(e *events.Event) []any {
	return []any{&e.Account, &e.Match, &e.Freelancer, (*string)(&e.Type), column.Time(&e.At), &e.Rank}
}

// placeholders returns n lists of parameters as in VALUES: ($1, $2), ($3, $4).
func placeholders(n, columns int) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = "(" + sqldb.Parameters(1+i*columns, columns) + ")"
	}
	return strings.Join(rows, ", ")
}

// AddMatches implements events.Store.
func (m MatchEvents) AddMatches(ctx context.Context, matches []events.Match) error {
	for part := range slices.Chunk(matches, matchBatch) {
		err := m.db.Transact(ctx, "record matches", func(tx *sql.Tx) error {
			// The locks keep an account from withdrawing its agreement before its briefs and lessons are stored.
			agreed, err := agreements(ctx, tx, m.db.Dialect.LockRows)
			if err != nil {
				return err
			}

			if err := addVersions(ctx, tx, part); err != nil {
				return err
			}

			for rows := range slices.Chunk(part, rowBatch) {
				if err := addMatches(ctx, tx, rows, agreed); err != nil {
					return err
				}
			}

			return nil
		})
		if err != nil {
			return err
		}
	}

	return nil
}

// addVersions inserts the versions of matches that are not stored yet, always in the same order, to avoid deadlocks.
func addVersions(ctx context.Context, tx *sql.Tx, matches []events.Match) error {
	isNew := map[matching.Versions]bool{}
	for i := range matches {
		isNew[matches[i].Versions] = true
	}

	byText := func(a, b matching.Versions) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	for _, v := range slices.SortedFunc(maps.Keys(isNew), byText) {
		id, data, err := versionsID(v)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT INTO match_versions (id, data) VALUES ($1, $2) ON CONFLICT DO NOTHING", id, data)
		if err != nil {
			return err
		}
	}

	return nil
}

// addMatches inserts matches, with the briefs and lessons of the accounts that have agreed.
func addMatches(ctx context.Context, tx *sql.Tx, matches []events.Match, agreed []events.Agreement) error {
	var args []any
	for _, match := range matches {
		agreement := events.Agreement{}
		if i := slices.IndexFunc(agreed, func(a events.Agreement) bool { return a.Account == match.Account }); i >= 0 {
			agreement = agreed[i]
		}

		if !agreement.Briefs {
			match.Brief = nil
		}
		if !agreement.Swaps {
			match.Lesson = nil
		}

		versions, _, err := versionsID(match.Versions)
		if err != nil {
			return err
		}
		args = append(append(args, matchColumns(&match)...), versions)
	}
	const (
		insert = "INSERT INTO match_records (account, request, at, first, freelancers, scores, brief, lesson, " +
			"versions) VALUES "
		onConflict = `
			ON CONFLICT (account, request) DO UPDATE SET
				at = excluded.at, first = excluded.first, freelancers = excluded.freelancers, scores = excluded.scores,
				brief = excluded.brief, lesson = excluded.lesson, versions = excluded.versions
			WHERE NOT EXISTS (SELECT 1 FROM match_events e
				WHERE e.account = match_records.account AND e.request = match_records.request)`
	)
	_, err := tx.ExecContext(ctx, insert+placeholders(len(matches), 9)+onConflict, args...)
	return err
}

func agreements(ctx context.Context, d sqldb.Database, lock string) ([]events.Agreement, error) {
	return sqldb.SelectAll(ctx, d, func(a *events.Agreement) []any { return []any{&a.Account, &a.Briefs, &a.Swaps} }, `
		SELECT account, briefs_since IS NOT NULL, swaps_since IS NOT NULL FROM event_accounts
		WHERE briefs_since IS NOT NULL OR swaps_since IS NOT NULL ORDER BY account`+lock)
}

// Agreements implements events.Store.
func (m MatchEvents) Agreements(ctx context.Context) ([]events.Agreement, error) {
	list, err := agreements(ctx, m.db.Pools.Read, "")
	if err != nil {
		return nil, fmt.Errorf("read agreements of accounts: %w", m.db.Note(err))
	}
	return list, nil
}

// Matches implements events.Store.
func (m MatchEvents) Matches(ctx context.Context, account string, ids []string) ([]events.Match, error) {
	var matches []events.Match
	for part := range slices.Chunk(ids, 5*rowBatch) {
		args := []any{account}
		for _, id := range part {
			args = append(args, id)
		}
		found, err := sqldb.SelectAll(ctx, m.db.Pools.Read, matchColumns, `
			SELECT account, request, at, first, freelancers, NULL, NULL, NULL FROM match_records
			WHERE account = $1 AND request IN (`+sqldb.Parameters(2, len(part))+")", args...)
		if err != nil {
			return nil, fmt.Errorf("read matches of %s: %w", account, m.db.Note(err))
		}
		matches = append(matches, found...)
	}
	return matches, nil
}

// AddEvents implements events.Store.
func (m MatchEvents) AddEvents(
	ctx context.Context, account string, list []events.Event, limit int,
) (added []bool, err error) {
	err = m.db.Transact(ctx, "store events of "+account, func(tx *sql.Tx) error {
		var stored int
		// The update locks the row, so that concurrent requests of the account don't exceed the limit.
		err := tx.QueryRowContext(ctx, `
			INSERT INTO event_accounts AS a (account, events) VALUES ($1, 0)
			ON CONFLICT (account) DO UPDATE SET events = a.events RETURNING events`, account).Scan(&stored)
		if err != nil {
			return err
		}

		isNew := map[events.Event]bool{}
		for part := range slices.Chunk(list, rowBatch) {
			var args []any
			for i := range part {
				args = append(args, matchEventColumns(&part[i])...)
			}

			inserted, err := sqldb.SelectAll(ctx, tx, func(e *events.Event) []any {
				return []any{&e.Match, &e.Freelancer, (*string)(&e.Type)}
			}, `INSERT INTO match_events (account, request, freelancer, type, at, position)
				VALUES `+placeholders(len(part), 6)+`
				ON CONFLICT DO NOTHING RETURNING request, freelancer, type`, args...)
			if err != nil {
				return err
			}

			for _, e := range inserted {
				isNew[e] = true
			}
		}

		// Repeated events need no room, and only the insertion shows which are new. The error undoes it.
		if stored+len(isNew) > limit {
			return events.ErrFull
		}

		added = make([]bool, len(list))
		for i, e := range list {
			added[i] = isNew[events.Event{Match: e.Match, Freelancer: e.Freelancer, Type: e.Type}]
		}

		_, err = tx.ExecContext(ctx, "UPDATE event_accounts SET events = events + $1 WHERE account = $2", len(isNew), account)
		return err
	})
	if err != nil {
		return nil, err
	}

	return added, nil
}

// KeepBriefs begins or ends to keep the briefs of an account, and records it in the audit log. At the end, it deletes
// those that are stored. It reports whether that changed anything.
func (m MatchEvents) KeepBriefs(
	ctx context.Context, account string, keep bool, e audit.Event,
) (changed bool, err error) {
	return m.agree(ctx, account, "brief", "briefs_since", keep, e)
}

// agree stores in the column since whether an account agrees that a column of its matches is kept, which it clears if
// not. It reports whether that changed anything.
func (m MatchEvents) agree(
	ctx context.Context, account, kept, since string, agrees bool, e audit.Event,
) (changed bool, err error) {
	err = m.db.Transact(ctx, "change what "+account+" has agreed to", func(tx *sql.Tx) error {
		statement := fmt.Sprintf(`
			INSERT INTO event_accounts AS a (account, events, %[1]s) VALUES ($1, 0, $2)
			ON CONFLICT (account) DO UPDATE SET %[1]s = excluded.%[1]s WHERE a.%[1]s IS NULL`, since)
		args := []any{account, column.Time(&e.At)}
		if !agrees {
			statement = fmt.Sprintf(
				"UPDATE event_accounts SET %[1]s = NULL WHERE account = $1 AND %[1]s IS NOT NULL", since)
			args = args[:1]
		}

		err := sqldb.ChangeOne(ctx, tx, errUnchanged, statement, args...)
		if errors.Is(err, errUnchanged) {
			return nil
		}
		if err != nil {
			return err
		}

		changed = true
		if !agrees {
			_, err = tx.ExecContext(ctx, fmt.Sprintf(
				"UPDATE match_records SET %[1]s = NULL WHERE account = $1 AND %[1]s IS NOT NULL", kept), account)
			if err != nil {
				return err
			}
		}

		return auditlog.New(m.db).Insert(ctx, tx, []audit.Event{e})
	})

	return changed && err == nil, err
}

var errUnchanged = errors.New("nothing to change")

// EachMatch calls yield for all matches of an account, or of all accounts for "", in the order of accounts and IDs. If
// withEvents is set, it leaves out matches without events.
func (m MatchEvents) EachMatch(
	ctx context.Context, account string, withEvents bool, yield func(events.Match) error,
) error {
	condition := ""
	if account != "" {
		condition = " AND account = $4"
	}

	if withEvents {
		condition += " AND EXISTS (SELECT 1 FROM match_events e WHERE e.account = m.account AND e.request = m.request)"
	}

	// Reading page by page keeps no connection busy while yield works.
	last := events.Match{}
	for {
		args := []any{last.Account, last.ID, matchPage}
		if account != "" {
			args = append(args, account)
		}

		page, err := sqldb.SelectAll(ctx, m.db.Pools.Read, matchAndVersionColumns, `
			SELECT account, request, at, first, freelancers, scores, brief, lesson, v.data
			FROM match_records m LEFT JOIN match_versions v ON v.id = m.versions
			WHERE (account, request) > ($1, $2)`+condition+" ORDER BY account, request LIMIT $3", args...)
		if err != nil {
			return fmt.Errorf("read matches: %w", m.db.Note(err))
		}

		for _, match := range page {
			if err := yield(match); err != nil {
				return err
			}
		}

		if len(page) < matchPage {
			return nil
		}

		last = page[len(page)-1]
	}
}

// Of returns the events about a match, by freelancer and type.
func (m MatchEvents) Of(ctx context.Context, match events.Match) ([]events.Event, error) {
	return m.list(ctx, "account = $1 AND request = $2 ORDER BY freelancer, type", match.Account, match.ID)
}

// About returns the events about freelancers, by account and request.
func (m MatchEvents) About(ctx context.Context, ids []string) (all []events.Event, err error) {
	for _, id := range ids {
		found, err := m.list(ctx, "freelancer = $1 ORDER BY account, request, type", id)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// Latest returns the last events of an account about a freelancer, the newest first, up to a limit.
func (m MatchEvents) Latest(ctx context.Context, account, freelancer string, limit int) ([]events.Event, error) {
	return m.list(ctx, "freelancer = $1 AND account = $2 ORDER BY at DESC, request, type LIMIT $3",
		freelancer, account, limit)
}

func (m MatchEvents) list(ctx context.Context, condition string, args ...any) ([]events.Event, error) {
	list, err := sqldb.SelectAll(ctx, m.db.Pools.Read, matchEventColumns,
		"SELECT account, request, freelancer, type, at, position FROM match_events WHERE "+condition, args...)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", m.db.Note(err))
	}
	return list, nil
}

// Erase deletes all events about freelancers, and returns their number.
func (m MatchEvents) Erase(ctx context.Context, ids []string) (n int, err error) {
	err = m.db.Transact(ctx, "erase events", func(tx *sql.Tx) error {
		n = 0
		for _, id := range ids {
			deleted, err := deleteEvents(ctx, tx, "freelancer = $1", id)
			if err != nil {
				return err
			}
			n += deleted
		}
		return nil
	})
	return n, err
}

// Rewrite replaces the freelancers, the brief and the lesson of a match, if it still exists.
func (m MatchEvents) Rewrite(ctx context.Context, match events.Match) error {
	return m.db.Exec(ctx, "rewrite match", `
		UPDATE match_records SET freelancers = $1, brief = $2, lesson = $3 WHERE account = $4 AND request = $5`,
		column.Hashes(&match.Freelancers), match.Brief, match.Lesson, match.Account, match.ID)
}

// deleteEvents deletes the events that a condition selects, and returns their number.
func deleteEvents(ctx context.Context, tx *sql.Tx, condition string, arg any) (int, error) {
	accounts, err := sqldb.SelectAll(ctx, tx, func(account *string) []any { return []any{account} },
		"DELETE FROM match_events WHERE "+condition+" RETURNING account", arg)
	if err != nil {
		return 0, err
	}
	deleted := map[string]int{}
	for _, account := range accounts {
		deleted[account]++
	}
	for _, account := range slices.Sorted(maps.Keys(deleted)) { // always in the same order, to avoid deadlocks
		_, err := tx.ExecContext(ctx, "UPDATE event_accounts SET events = events - $1 WHERE account = $2", deleted[account],
			account)
		if err != nil {
			return 0, err
		}
	}
	return len(accounts), nil
}

// DeleteExpired deletes events from before eventsFrom. Of the matches without events, it deletes those from before
// matchesFrom, and all but the newest keep of each account.
func (m MatchEvents) DeleteExpired(ctx context.Context, eventsFrom, matchesFrom time.Time, keep int) error {
	err := m.db.Transact(ctx, "delete old events", func(tx *sql.Tx) error {
		_, err := deleteEvents(ctx, tx, "at < $1", column.Time(&eventsFrom))
		return err
	})
	if err != nil {
		return err
	}
	accounts, err := sqldb.SelectAll(ctx, m.db.Pools.Read, func(account *string) []any { return []any{account} },
		"SELECT DISTINCT account FROM match_records ORDER BY account")
	if err != nil {
		return fmt.Errorf("list accounts with matches: %w", m.db.Note(err))
	}
	for _, account := range accounts {
		if err := m.deleteMatches(ctx, account, matchesFrom, keep); err != nil {
			return err
		}
	}
	return nil
}

func (m MatchEvents) deleteMatches(ctx context.Context, account string, from time.Time, keep int) error {
	return m.db.Transact(ctx, "delete old matches of "+account, func(tx *sql.Tx) error {
		var oldest time.Time // of the newest ones
		err := tx.QueryRowContext(ctx,
			"SELECT at FROM match_records WHERE account = $1 ORDER BY at DESC LIMIT 1 OFFSET $2", account, keep-1,
		).Scan(column.Time(&oldest))
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if oldest.After(from) {
			from = oldest
		}
		_, err = tx.ExecContext(ctx, `
			DELETE FROM match_records WHERE account = $1 AND at < $2 AND NOT EXISTS (
				SELECT 1 FROM match_events e WHERE e.account = match_records.account AND e.request = match_records.request)`,
			account, column.Time(&from))
		return err
	})
}
