package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/people"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/fault"
	"github.com/freelancer-matching/service/store/sqldb"
)

// ErasedPeople stores the list of erased people.
type ErasedPeople struct {
	db       *sqldb.DB
	revision *sql.Stmt
}

var _ people.ListStore = ErasedPeople{}

const (
	selectErasedRevision = "SELECT revision FROM erased_revision"
	selectErased         = "SELECT hash_key, kind, hash, erased, readmitted FROM erased_people"
	upsertErased         = `
		INSERT INTO erased_people AS old (hash_key, kind, hash, erased, readmitted) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (hash_key, kind, hash) DO UPDATE SET
			erased     = CASE WHEN excluded.erased > old.erased THEN excluded.erased ELSE old.erased END,
			readmitted = CASE WHEN excluded.readmitted > old.readmitted THEN excluded.readmitted ELSE old.readmitted END`
)

func erasedColumns(e *people.Entry) []any {
	return []any{&e.Key, &e.Kind, &e.Hash, column.Sortable(&e.Erased), column.Sortable(&e.Readmitted)}
}

// ErasedRevision implements people.ListStore.
func (s ErasedPeople) ErasedRevision(ctx context.Context) (revision int64, err error) {
	if err := s.revision.QueryRowContext(ctx).Scan(&revision); err != nil {
		return 0, fmt.Errorf("read the revision of the list of erased people: %w", s.db.Failed(err))
	}
	return revision, nil
}

// ErasedPeople implements people.ListStore.
func (s ErasedPeople) ErasedPeople(ctx context.Context) ([]people.Entry, int64, error) {
	revision, err := s.ErasedRevision(ctx) // first, so that it isn't newer than the entries
	if err != nil {
		return nil, 0, err
	}
	entries, err := sqldb.SelectAll(ctx, s.db.Pools.Read, erasedColumns, selectErased)
	if err != nil {
		return nil, 0, fmt.Errorf("read the list of erased people: %w", s.db.Note(err))
	}
	return entries, revision, nil
}

// MergeErased implements people.ListStore.
func (s ErasedPeople) MergeErased(ctx context.Context, entries []people.Entry) error {
	return s.db.Transact(ctx, "change the list of erased people", func(tx *sql.Tx) error {
		// The lock on the row makes concurrent changes wait, so that a revision has all changes of those before it.
		if _, err := tx.ExecContext(ctx, "UPDATE erased_revision SET revision = revision + 1"); err != nil {
			return err
		}
		for _, e := range entries {
			if _, err := tx.ExecContext(ctx, upsertErased, erasedColumns(&e)...); err != nil {
				return err
			}
		}
		return nil
	})
}

// InspectErased describes the list of erased people in a database that New need not accept: one of an earlier release
// has no list. The schema has it since a version.
func InspectErased(ctx context.Context, pool *sql.DB, since int) (people.ListReport, error) {
	report, err := inspectErased(ctx, pool, since)
	if err != nil {
		return people.ListReport{}, fault.Mark(fmt.Errorf("read the list of erased people: %w", err))
	}
	return report, nil
}

func inspectErased(ctx context.Context, pool *sql.DB, since int) (r people.ListReport, err error) {
	var version int
	if err := pool.QueryRowContext(ctx, "SELECT version FROM schema_version").Scan(&version); err != nil {
		return r, err
	}

	// An upgrade installs the indexer before the servers migrate the database.
	if version >= since {
		var revision int64
		if err := pool.QueryRowContext(ctx, selectErasedRevision).Scan(&revision); err != nil {
			return r, err
		}
		r.Exists = revision > 0
		if r.Entries, err = sqldb.SelectAll(ctx, pool, erasedColumns, selectErased); err != nil {
			return r, err
		}
	}

	// The audit log knows of erasures even if the list is lost.
	err = pool.QueryRowContext(ctx, "SELECT max(at) FROM audit_events WHERE action = $1", audit.PersonErased).
		Scan(column.Time(&r.LastErasure))
	return r, err
}

// Report describes the list of erased people.
func (s ErasedPeople) Report(ctx context.Context) (people.ListReport, error) {
	return InspectErased(ctx, s.db.Pools.Read, 0)
}
