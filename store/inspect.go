package store

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"time"

	"github.com/freelancer-matching/service/instances"
	"github.com/freelancer-matching/service/store/column"
	"github.com/freelancer-matching/service/store/fault"
)

// A Report describes a database without changing it.
type Report struct {
	Product  string    // such as "SQLite 3.51.0"
	Clock    time.Time // of the database's machine; zero if it is this one
	Version  int       // of the schema
	Latest   int       // version of the schema that this program supports
	Newest   time.Time // the latest creation or use of a key; zero without keys
	Problems []string  // damage

	// Servers share the database; always empty for SQLite. Erased is the revision of the list of erased people.
	Servers []instances.Instance
	Erased  int64
}

// Inspect reads the description of a database, except for its damage, from a pool that New need not accept. The file
// system holds the migrations of this program in the folder migrations.
func Inspect(ctx context.Context, pool *sql.DB, files fs.FS) (Report, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return Report{}, err
	}
	r := Report{Latest: len(names)}
	if err := pool.QueryRowContext(ctx, "SELECT version FROM schema_version").Scan(&r.Version); err != nil {
		return Report{}, fault.Mark(fmt.Errorf("not a database of this service: %w", err))
	}
	err = pool.QueryRowContext(ctx, `
		SELECT max(at) FROM
			(SELECT max(created) AS at FROM api_keys UNION ALL SELECT max(last_used) FROM api_keys) AS times`).
		Scan(column.Time(&r.Newest))
	if err != nil {
		return Report{}, fault.Mark(fmt.Errorf("not a database of this service: %w", err))
	}
	return r, nil
}
