package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/events/learning"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Learning stores what learning from events needs, and what came of it.
type Learning struct{ db *sqldb.DB }

var _ learning.Store = Learning{}

// lessonPage is the number of matches with lessons read by one statement. It also limits the number of parameters of
// the statement that reads their events.
const lessonPage = 100

// State implements learning.Store.
func (l Learning) State(ctx context.Context, account string) (learning.State, error) {
	row := l.db.Pools.Read.QueryRowContext(ctx, `
		SELECT a.swaps_since IS NOT NULL, a.learned_at, a.learned,
			(SELECT COUNT(*) FROM match_records m WHERE m.account = a.account AND m.lesson IS NOT NULL)
		FROM event_accounts a WHERE a.account = $1`, account)
	s, err := sqldb.ScanOne(row, func(s *learning.State) []any {
		return []any{&s.Allowed, column.Time(&s.Begun), column.JSON(&s.Last), &s.Lists}
	}, errNoRow)
	if errors.Is(err, errNoRow) {
		return learning.State{}, nil
	}
	if err != nil {
		return learning.State{}, fmt.Errorf("read what was learned for %s: %w", account, l.db.Note(err))
	}
	return s, nil
}

var errNoRow = errors.New("no row")

// AllowSwaps implements learning.Store.
func (l Learning) AllowSwaps(ctx context.Context, account string, allow bool, e audit.Event) (bool, error) {
	return MatchEvents(l).agree(ctx, account, "lesson", "swaps_since", allow, e)
}

// Claim implements learning.Store. Of several servers, one changes the row of an account.
func (l Learning) Claim(ctx context.Context, account string, now, before time.Time) error {
	err := sqldb.ChangeOne(ctx, l.db.Pools.Write, learning.ErrClaimed, `
		UPDATE event_accounts SET learned_at = $1
		WHERE account = $2 AND swaps_since IS NOT NULL AND (learned_at IS NULL OR learned_at < $3)`,
		column.Time(&now), account, column.Time(&before))
	if err != nil && !errors.Is(err, learning.ErrClaimed) {
		err = l.db.Note(err)
	}
	if err != nil {
		return fmt.Errorf("claim the learning of %s: %w", account, err)
	}
	return nil
}

// Finish implements learning.Store.
func (l Learning) Finish(ctx context.Context, account string, run learning.Run) error {
	return l.db.Exec(ctx, "store what was learned for "+account,
		"UPDATE event_accounts SET learned = $1 WHERE account = $2 AND swaps_since IS NOT NULL", column.JSON(&run), account)
}

// Lists implements learning.Store.
func (l Learning) Lists(ctx context.Context, account string, limit int, yield func(learning.List) error) error {
	last := events.Match{At: time.Unix(1<<40, 0)} // after all
	for read := 0; read < limit; {
		n := min(lessonPage, limit-read)
		page, err := sqldb.SelectAll(ctx, l.db.Pools.Read, matchAndVersionColumns, `
			SELECT account, request, at, first, freelancers, NULL, NULL, lesson, v.data
			FROM match_records m LEFT JOIN match_versions v ON v.id = m.versions
			WHERE account = $1 AND (at, request) < ($2, $3) AND lesson IS NOT NULL
				AND EXISTS (SELECT 1 FROM match_events e WHERE e.account = m.account AND e.request = m.request)
			ORDER BY at DESC, request DESC LIMIT $4`, account, column.Time(&last.At), last.ID, n)
		if err != nil {
			return fmt.Errorf("read lessons of %s: %w", account, l.db.Note(err))
		}
		if len(page) == 0 {
			return nil
		}

		about, err := l.eventsOf(ctx, account, page)
		if err != nil {
			return err
		}
		for _, m := range page {
			if err := yield(learning.List{Match: m, Events: about[m.ID]}); err != nil {
				return err
			}
		}

		if len(page) < n {
			return nil
		}
		read += len(page)
		last = page[len(page)-1]
	}
	return nil
}

// eventsOf returns the events about matches of an account, by match.
func (l Learning) eventsOf(
	ctx context.Context, account string, matches []events.Match,
) (map[string][]events.Event, error) {
	args := []any{account}
	for i := range matches {
		args = append(args, matches[i].ID)
	}
	found, err := MatchEvents(l).list(ctx,
		"account = $1 AND request IN ("+sqldb.Parameters(2, len(matches))+")", args...)
	if err != nil {
		return nil, err
	}

	about := map[string][]events.Event{}
	for _, e := range found {
		about[e.Match] = append(about[e.Match], e)
	}
	return about, nil
}
