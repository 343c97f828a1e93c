// Package postgres opens the store in a PostgreSQL database, which several servers can share.
package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/freelancer-matching/service/internal/pgurl"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/migration"
	"github.com/freelancer-matching/service/store/sqldb"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	// maxConnections limits the pools. Counting has its own pool because counts of one key wait for each
	// other and must not delay lookups of keys.
	maxConnections = 8
	connectTimeout = 5 * time.Second // unless the URL sets another one
	// statementTimeout ends long statements and idle transactions, so that a hanging server releases its locks. The URL
	// can set other timeouts.
	statementTimeout = 10 * time.Second
)

func dialect() sqldb.Dialect {
	return sqldb.Dialect{
		Type:     "postgresql",
		LockRows: " FOR NO KEY UPDATE",

		DataContains:   "position($1::bytea in data) > 0",
		DataHasAddress: "position(lower($1) in lower(convert_from(data, 'UTF8'))) > 0",

		// The first number of an advisory lock is a random one that identifies this service.
		LockKeysWithoutAccount: "SELECT pg_advisory_xact_lock(1405281749, 1)",
		LockSchema:             "SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(1405281749, 2)",
		LockUsers:              "LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE",
	}
}

// Open opens the database at a URL such as postgres://user@host:5432/database and brings its schema up to date. Unless
// the URL has an sslmode or the database is on this host, the server's certificate must be valid for its name. The
// password takes precedence over one in the URL; it is called for every connection and may be nil. Errors contain
// neither. Open fails if a newer version of the service has changed the schema.
func Open(ctx context.Context, address string, password func() string) (*store.DB, error) {
	if password == nil {
		password = func() string { return "" }
	}

	config, err := parse(address, password())
	if err != nil {
		return nil, err
	}

	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}

	pools := sqldb.Pools{
		Write: connect(config, password), Read: connect(config, password), Count: connect(withoutDiskSync(config), password),
		Health: connect(config, password),
	}

	// Health checks must not wait for requests that use all connections. The total stays at 24, with which four servers
	// fit into the default of max_connections.
	pools.Count.SetMaxOpenConns(maxConnections - 1)
	pools.Health.SetMaxOpenConns(1)

	if err := migration.Run(ctx, pools.Write, dialect().LockSchema, files); err != nil {
		err = fmt.Errorf("open database %s at %s: %w", config.Database, config.Host, pgurl.Explain(err))
		return nil, errors.Join(err, pools.Close())
	}

	return store.New(ctx, dialect(), pools)
}

// withoutDiskSync returns a configuration whose commits do not wait for the disk. The requests of a key are counted one
// after the other, so the disk would limit how many fit into a second. If PostgreSQL or its machine fails, less than a
// second of counts is lost, like the counts that SQLite loses in a power failure. If this service is killed, none are.
func withoutDiskSync(config *pgx.ConnConfig) *pgx.ConnConfig {
	config = config.Copy()
	config.RuntimeParams["synchronous_commit"] = "off"
	return config
}

func connect(config *pgx.ConnConfig, password func() string) *sql.DB {
	pool := stdlib.OpenDB(*config, stdlib.OptionBeforeConnect(func(_ context.Context, c *pgx.ConnConfig) error {
		c.Password = cmp.Or(password(), c.Password)
		return nil
	}))
	pool.SetMaxOpenConns(maxConnections)
	pool.SetMaxIdleConns(maxConnections)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	pool.SetConnMaxLifetime(time.Hour) // to notice changes of the address or the role
	return pool
}

// parse returns the configuration for a URL, with the time limits of this service.
func parse(address, password string) (*pgx.ConnConfig, error) {
	config, err := pgurl.Parse(address, password)
	if err != nil {
		return nil, err
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	for option, value := range map[string]string{
		"application_name":                    "freelancer-matching",
		"statement_timeout":                   fmt.Sprint(statementTimeout.Milliseconds()),
		"idle_in_transaction_session_timeout": fmt.Sprint(statementTimeout.Milliseconds()),
	} {
		if _, given := config.RuntimeParams[option]; !given {
			config.RuntimeParams[option] = value
		}
	}
	return config, nil
}
