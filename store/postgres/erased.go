package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/internal/pgurl"
	"github.com/freelancer-matching/service/people"
	"github.com/freelancer-matching/service/store"
)

// erasedSince is the first version of the schema with the list of erased people.
const erasedSince = 13

// ErasedPeople reads the list of erased people from a database whose schema it doesn't migrate; see Open for the
// arguments. The list of a database without tables, which no server has used yet, is empty.
func ErasedPeople(ctx context.Context, address string, password func() string) (report people.ListReport, err error) {
	err = inspect(ctx, address, password, func(pool *sql.DB) error {
		report, err = store.InspectErased(ctx, pool, erasedSince)
		return err
	})
	return report, err
}

// Edits reads what store.Edits returns; see ErasedPeople for the other arguments.
func Edits(
	ctx context.Context, address string, password func() string, since time.Time,
) (edits map[string][]string, err error) {
	err = inspect(ctx, address, password, func(pool *sql.DB) error {
		edits, err = store.Edits(ctx, pool, since)
		return err
	})
	return edits, err
}

// inspect calls read with a database whose schema it doesn't migrate, if a server has used it.
func inspect(
	ctx context.Context, address string, password func() string, read func(pool *sql.DB) error,
) (err error) {
	if password == nil {
		password = func() string { return "" }
	}
	config, err := parse(address, password())
	if err != nil {
		return err
	}

	pool := connect(config, password)
	defer func() { err = errors.Join(err, pool.Close()) }()

	var used bool
	err = pool.QueryRowContext(ctx, "SELECT to_regclass('schema_version') IS NOT NULL").Scan(&used)
	if err == nil && used {
		err = read(pool)
	}
	if err != nil {
		return fmt.Errorf("database %s at %s: %w", config.Database, config.Host, pgurl.Explain(err))
	}

	return nil
}
