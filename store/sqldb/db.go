package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"

	"github.com/freelancer-matching/service/internal/tracing"
	"github.com/freelancer-matching/service/notices"
	"github.com/freelancer-matching/service/store/fault"
	"github.com/freelancer-matching/service/store/sealed"
)

// A DB is an open database. It is safe for concurrent use, by several processes at a time. If the database cannot be
// read or written, methods return a matching.Error whose code says why; see matching.Code.IsDatabaseFault.
type DB struct {
	Dialect Dialect
	Pools   Pools
	// Secrets encrypts the secrets of second factors and webhooks; nil to store them as they are. It must be set before
	// the database is used.
	Secrets *sealed.Keys
	// NoticeChannels are the channels for which changes of credentials write notices. They must be set before the database
	// is used.
	NoticeChannels []notices.Channel
	condition      condition
}

// Pools holds the connections to a database by purpose. The fields may share a pool.
type Pools struct {
	Write *sql.DB
	Read  *sql.DB
	// Count counts requests and views. It may lose the last counts if the database's machine fails, so that requests
	// wait less.
	Count *sql.DB
	// Health has a connection of its own for Ping, which would wait in the other pools while requests use all connections.
	Health *sql.DB
	Lock   io.Closer // released after the connections are closed; may be nil
}

// Close closes all connections.
func (p Pools) Close() error {
	err := errors.Join(p.Health.Close(), p.Count.Close(), p.Read.Close(), p.Write.Close())
	if p.Lock != nil {
		err = errors.Join(err, p.Lock.Close())
	}
	return err
}

// A Dialect holds the differences between SQLite and PostgreSQL. SQLite runs one writing transaction at a time and
// needs no locks, so its statements are empty.
type Dialect struct {
	Type string // "sqlite" or "postgresql"

	// LockRows ends a SELECT. It locks the selected rows against changes until the transaction ends.
	LockRows string
	// LockKeysWithoutAccount locks the keys without an account until the transaction ends.
	LockKeysWithoutAccount string
	// LockUsers prevents other transactions from adding or changing users.
	LockUsers string
	// LockSchema prevents other processes from changing the schema.
	LockSchema string

	// Scrub removes what deleted rows leave in the files of the database. It is nil if the database cannot do that.
	Scrub func(ctx context.Context, pool *sql.DB) error

	// DataContains is a condition that the column data contains the bytes of the first parameter.
	DataContains string
	// DataHasAddress is a condition that the column data, which is JSON, contains the email address of the first
	// parameter in any case.
	DataHasAddress string

	// QuickCheck is a query whose first value is "ok" or describes damage. It is empty for databases that notice damage
	// only when they read it.
	QuickCheck string

	// ReleaseSpace returns the space of deleted rows to the file system. It is nil if the database does so by itself.
	ReleaseSpace func(ctx context.Context, pool *sql.DB) error
}

// New returns a database on open pools whose schema is up to date.
func New(d Dialect, pools Pools) *DB { return &DB{Dialect: d, Pools: pools} }

// Type returns the kind of database: "sqlite" or "postgresql".
func (db *DB) Type() string { return db.Dialect.Type }

// Ping returns an error unless the database answers.
func (db *DB) Ping(ctx context.Context) error {
	var one int
	if err := db.Pools.Health.QueryRowContext(ctx, "SELECT 1 FROM schema_version").Scan(&one); err != nil {
		return fmt.Errorf("ping database: %w", db.Failed(err))
	}
	return nil
}

// ReleaseSpace returns the space of deleted rows to the file system, unless the database does so by itself.
func (db *DB) ReleaseSpace(ctx context.Context) error {
	if db.Dialect.ReleaseSpace == nil {
		return nil
	}
	if err := db.Dialect.ReleaseSpace(ctx, db.Pools.Write); err != nil {
		return fmt.Errorf("release the space of deleted rows: %w", fault.Mark(err))
	}
	return nil
}

// Scrub removes what deleted rows leave in the files of the database, as far as the kind of database can.
func (db *DB) Scrub(ctx context.Context) error {
	if db.Dialect.Scrub == nil {
		return nil
	}
	if err := db.Dialect.Scrub(ctx, db.Pools.Write); err != nil {
		return fmt.Errorf("remove deleted rows from the database's files: %w", db.Failed(err))
	}
	return nil
}

// Close closes all connections.
func (db *DB) Close() error { return db.Pools.Close() }

// StartSpan starts the span of a database operation. The statement has placeholders instead of values.
func (db *DB) StartSpan(ctx context.Context, statement string) (context.Context, tracing.Span) {
	return tracing.Start(ctx, "database", tracing.String("db.system.name", db.Dialect.Type),
		tracing.String("db.query.text", statement))
}

// Transact runs f in a transaction and wraps its error with the name of the operation.
func (db *DB) Transact(ctx context.Context, operation string, f func(tx *sql.Tx) error) (err error) {
	ctx, span := db.StartSpan(ctx, "transaction")
	defer func() { span.End(err) }()
	if err := Transact(ctx, db.Pools.Write, f); err != nil {
		return fmt.Errorf("%s: %w", operation, db.Failed(err))
	}
	return nil
}

// ReadSnapshot runs f in a transaction that only reads, and sees the database as it is at one moment. It wraps the
// error with the name of the operation.
func (db *DB) ReadSnapshot(ctx context.Context, operation string, f func(tx *sql.Tx) error) (err error) {
	ctx, span := db.StartSpan(ctx, "snapshot")
	defer func() { span.End(err) }()

	// SQLite shows a transaction one moment at any level.
	options := &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	tx, err := db.Pools.Read.BeginTx(ctx, options)
	if err != nil {
		return fmt.Errorf("%s: %w", operation, db.Failed(err))
	}

	if err := errors.Join(f(tx), tx.Rollback()); err != nil {
		return fmt.Errorf("%s: %w", operation, db.Failed(err))
	}
	return nil
}

// Exec runs a statement and wraps its error with the name of the operation.
func (db *DB) Exec(ctx context.Context, operation, statement string, args ...any) (err error) {
	ctx, span := db.StartSpan(ctx, statement)
	defer func() { span.End(err) }()
	if _, err := db.Pools.Write.ExecContext(ctx, statement, args...); err != nil {
		return fmt.Errorf("%s: %w", operation, db.Failed(err))
	}
	return nil
}

// ExecOne runs a statement that must change a row, and returns missing if it changes none.
func (db *DB) ExecOne(
	ctx context.Context, operation string, missing error, statement string, args ...any,
) (err error) {
	ctx, span := db.StartSpan(ctx, statement)
	defer func() { span.End(err) }()
	if err := ChangeOne(ctx, db.Pools.Write, missing, statement, args...); err != nil {
		return fmt.Errorf("%s: %w", operation, db.Failed(err))
	}
	return nil
}
