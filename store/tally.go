package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Tally counts the events of an account since a time by week, range of ranks and type.
func (m MatchEvents) Tally(ctx context.Context, account string, since time.Time) ([]events.Tally, error) {
	ranges := events.Ranks()
	var rank strings.Builder
	rank.WriteString("CASE")
	for i := len(ranges) - 1; i > 0; i-- {
		fmt.Fprintf(&rank, " WHEN position >= %d THEN %d", ranges[i], ranges[i])
	}
	fmt.Fprintf(&rank, " ELSE %d END", ranges[0])

	// Times are in microseconds since 1970-01-01, which was a Thursday.
	type counted struct {
		events.Tally
		week int64
	}
	rows, err := sqldb.SelectAll(ctx, m.db.Pools.Read, func(c *counted) []any {
		return []any{&c.week, &c.Rank, (*string)(&c.Type), &c.N}
	}, `SELECT (at / 86400000000 + 3) / 7 AS week, `+rank.String()+` AS lowest, type, count(*)
		FROM match_events WHERE account = $1 AND at >= $2
		GROUP BY week, lowest, type ORDER BY week, lowest, type`, account, column.Time(&since))
	if err != nil {
		return nil, fmt.Errorf("count events of %s: %w", account, m.db.Note(err))
	}

	list := make([]events.Tally, len(rows))
	for i, c := range rows {
		list[i] = c.Tally
		list[i].Week = time.Unix(0, 0).UTC().AddDate(0, 0, int(c.week)*7-3)
	}
	return list, nil
}

// Newest returns up to limit matches of an account since a time, the newest first, with briefs of up to maxBrief bytes.
func (m MatchEvents) Newest(
	ctx context.Context, account string, since time.Time, limit, maxBrief int,
) ([]events.Match, error) {
	list, err := sqldb.SelectAll(ctx, m.db.Pools.Read, matchColumns, `
		SELECT account, request, at, first, freelancers, scores, CASE WHEN length(brief) <= $3 THEN brief END, NULL
		FROM match_records WHERE account = $1 AND at >= $2 ORDER BY at DESC, request LIMIT $4`,
		account, column.Time(&since), maxBrief, limit)
	if err != nil {
		return nil, fmt.Errorf("read matches of %s: %w", account, m.db.Note(err))
	}
	return list, nil
}
