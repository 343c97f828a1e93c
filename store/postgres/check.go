package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/internal/pgurl"
	"github.com/freelancer-matching/service/store"
)

// serversSince is the first version of the schema with the list of servers.
const serversSince = 15

// Check describes a database without migrating its schema; see Open for the arguments. It does not look for damage.
func Check(ctx context.Context, address string, password func() string) (report store.Report, err error) {
	if password == nil {
		password = func() string { return "" }
	}

	config, err := parse(address, password())
	if err != nil {
		return store.Report{}, err
	}

	pool := connect(config, password)
	defer func() { err = errors.Join(err, pool.Close()) }()

	var product string
	var microseconds int64
	err = pool.QueryRowContext(ctx, `
		SELECT 'PostgreSQL ' || current_setting('server_version'),
			(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`).Scan(&product, &microseconds)
	if err != nil {
		return store.Report{}, fmt.Errorf("database %s at %s: %w", config.Database, config.Host, pgurl.Explain(err))
	}

	if report, err = store.Inspect(ctx, pool, migrations); err != nil {
		return store.Report{}, fmt.Errorf("database %s at %s: %w", config.Database, config.Host, err)
	}

	report.Product = product
	report.Clock = time.UnixMicro(microseconds)

	if report.Version >= serversSince {
		report.Servers, report.Erased, err = store.InspectInstances(ctx, pool)
	}
	if err != nil {
		return store.Report{}, fmt.Errorf("database %s at %s: %w", config.Database, config.Host, err)
	}

	return report, nil
}
