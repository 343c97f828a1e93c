package postgres

import (
	"context"
	"errors"
	"fmt"

	"freelancer-matching/internal/pgurl"
	"freelancer-matching/people"
	"freelancer-matching/store"
)

// erasedSince is the first version of the schema with the list of erased people.
const erasedSince = 13

// ErasedPeople reads the list of erased people from a database whose schema it doesn't migrate; see Open for the
// arguments. The list of a database without tables, which no server has used yet, is empty.
func ErasedPeople(ctx context.Context, address string, password func() string) (report people.ListReport, err error) {
	if password == nil {
		password = func() string { return "" }
	}
	config, err := parse(address, password())
	if err != nil {
		return report, err
	}

	pool := connect(config, password)
	defer func() { err = errors.Join(err, pool.Close()) }()

	var used bool
	if err := pool.QueryRowContext(ctx, "SELECT to_regclass('schema_version') IS NOT NULL").Scan(&used); err != nil {
		return report, fmt.Errorf("database %s at %s: %w", config.Database, config.Host, pgurl.Explain(err))
	}
	if !used {
		return report, nil
	}

	if report, err = store.InspectErased(ctx, pool, erasedSince); err != nil {
		return report, fmt.Errorf("database %s at %s: %w", config.Database, config.Host, pgurl.Explain(err))
	}
	return report, nil
}
