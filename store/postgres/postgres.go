// Package postgres keeps the store in a PostgreSQL database, which several servers can share.
package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"freelancer-matching/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// What one server asks of PostgreSQL, where the URL does not say otherwise.
const (
	// connections is how many there are at most for each of writing, reading and counting: requests that wait for each other to
	// be counted must not keep keys from being looked up.
	connections    = 8
	connectTimeout = 5 * time.Second
	// deadline ends statements, and transactions that their server has forgotten: the locks of a server that hung go with them.
	deadline = 10 * time.Second
)

func dialect() store.Dialect {
	return store.Dialect{
		Type:     "postgresql",
		LockRows: " FOR NO KEY UPDATE",
		// Advisory locks have two numbers: the first is this service's, picked by chance.
		LockKeysOfNone: "SELECT pg_advisory_xact_lock(1405281749, 1)",
		LockSchema:     "SET LOCAL statement_timeout = 0; SELECT pg_advisory_xact_lock(1405281749, 2)",
		LockUsers:      "LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE",
	}
}

// Open opens the database at a URL such as postgres://user@host:5432/database?sslmode=verify-full, and brings its tables up
// to date. The password is better given apart; it goes before one in the URL, and is in no error. A database whose tables
// were written by a newer version of the service is refused.
func Open(ctx context.Context, address, password string) (*store.DB, error) {
	config, err := parse(address, password)
	if err != nil {
		return nil, err
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	pools := store.Pools{Write: connect(config), Read: connect(config), Count: connect(counting(config))}
	if err := store.Migrate(ctx, dialect(), pools.Write, files); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s of %s: %w", config.Database, config.Host, err), pools.Close())
	}
	return store.New(ctx, dialect(), pools)
}

// counting is connections that do not wait for the disk when they commit. A key's requests are counted one after the other, so
// waiting would bound them to what a disk confirms in a second. When PostgreSQL or its machine fails, less than a second of
// counting is given back, as it is by a power cut with SQLite; that this service is killed loses nothing.
func counting(config *pgx.ConnConfig) *pgx.ConnConfig {
	config = config.Copy()
	config.RuntimeParams["synchronous_commit"] = "off"
	return config
}

func connect(config *pgx.ConnConfig) *sql.DB {
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	pool.SetConnMaxLifetime(time.Hour) // so that a changed address or role is noticed
	return pool
}

// parse takes the password out of the URL before pgx sees it, whose errors quote the URL.
func parse(address, password string) (*pgx.ConnConfig, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		return nil, errors.New("the address of PostgreSQL must be a URL such as postgres://user@host:5432/database")
	}
	for option := range maps.Keys(u.Query()) {
		if strings.Contains(strings.ToLower(option), "password") {
			return nil, errors.New("the address of PostgreSQL must not have a password among its options: give it apart")
		}
	}
	if own, ok := u.User.Password(); ok {
		u.User = url.User(u.User.Username())
		if password == "" {
			password = own
		}
	}
	config, err := pgx.ParseConfig(u.String())
	if err != nil {
		return nil, fmt.Errorf("the address of PostgreSQL: %w", err)
	}
	if password != "" {
		config.Password = password
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	for option, value := range map[string]string{
		"application_name":                    "freelancer-matching",
		"statement_timeout":                   fmt.Sprint(deadline.Milliseconds()),
		"idle_in_transaction_session_timeout": fmt.Sprint(deadline.Milliseconds()),
	} {
		if _, given := config.RuntimeParams[option]; !given {
			config.RuntimeParams[option] = value
		}
	}
	return config, nil
}
