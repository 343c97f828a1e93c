package counters

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/store/sqldb"
)

// Views stores which freelancers were seen today.
type Views struct {
	db    *sqldb.DB
	ofDay *sql.Stmt
}

var _ views.Store = Views{}

// NewViews returns the views in a database, with the statement that runs for every request prepared.
func NewViews(ctx context.Context, db *sqldb.DB) (v Views, err error) {
	v.db = db
	v.ofDay, err = sqldb.Prepare(ctx, db.Pools.Read, selectViews)
	return v, err
}

const (
	// viewSize is the size of one freelancer in a set, which holds the hashes one after the other.
	viewSize = 8
	// viewDaysKept is how many days before today are kept, for servers whose clock lags behind.
	viewDaysKept = 1
)

// A set only ever grows, so its length identifies its version: the update changes nothing if another request has added
// freelancers since the set was read.
const (
	selectViews = "SELECT freelancers FROM view_days WHERE subject = $1 AND day = $2"
	upsertViews = `
		INSERT INTO view_days (subject, day, freelancers) VALUES ($1, $2, $3)
		ON CONFLICT (subject, day) DO UPDATE SET freelancers = excluded.freelancers
		WHERE length(view_days.freelancers) = $4`
)

// AddViews implements views.Store.
func (s Views) AddViews(
	ctx context.Context, subject, day string, freelancers []uint64, limit int,
) (before, added int, err error) {
	ctx, span := s.db.StartSpan(ctx, upsertViews)
	defer func() { span.End(err) }()

	for {
		set, err := s.views(ctx, subject, day)
		if err != nil {
			return 0, 0, err
		}

		unseen := notIn(set, freelancers)
		before = len(set) / viewSize
		added = len(unseen)
		if added == 0 || before+added > limit {
			return before, added, nil
		}

		grown := slices.Grow(set, viewSize*added)
		for _, f := range unseen {
			grown = binary.BigEndian.AppendUint64(grown, f)
		}

		result, err := s.db.Pools.Count.ExecContext(ctx, upsertViews, subject, day, grown, len(set))
		if err != nil {
			return 0, 0, fmt.Errorf("add views of %s: %w", subject, s.db.Failed(err))
		}

		// Otherwise another request has added freelancers meanwhile, and the set is read again.
		if n, err := result.RowsAffected(); err != nil || n == 1 {
			return before, added, err
		}
	}
}

// Views implements views.Store.
func (s Views) Views(ctx context.Context, subject, day string) (int, error) {
	set, err := s.views(ctx, subject, day)
	return len(set) / viewSize, err
}

// views returns the set of freelancers that a subject has seen on a day.
func (s Views) views(ctx context.Context, subject, day string) (set []byte, err error) {
	err = s.ofDay.QueryRowContext(ctx, subject, day).Scan(&set)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read views of %s: %w", subject, s.db.Failed(err))
	}
	return set, nil
}

// notIn returns the freelancers that are not in a set, each once.
func notIn(set []byte, freelancers []uint64) []uint64 {
	missing := make(map[uint64]bool, len(freelancers))
	for _, f := range freelancers {
		missing[f] = true
	}
	for rest := set; len(rest) >= viewSize; rest = rest[viewSize:] {
		delete(missing, binary.BigEndian.Uint64(rest))
	}
	return slices.Collect(maps.Keys(missing))
}

// DeleteOld deletes the views of days that ended more than a day before a time.
func (s Views) DeleteOld(ctx context.Context, at time.Time) error {
	oldest := at.UTC().AddDate(0, 0, -viewDaysKept).Format(time.DateOnly)
	return s.db.Exec(ctx, "delete old views", "DELETE FROM view_days WHERE day < $1", oldest)
}
