package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"

	"freelancer-matching/internal/tracing"
	"freelancer-matching/store/fault"
	"freelancer-matching/store/sealed"
	"freelancer-matching/store/sqldb"
)

// A DB is an open database. It is safe for concurrent use, by several processes at a time. If the database cannot be
// read or written, methods return a matching.Error whose code says why; see matching.Code.IsDatabaseFault.
type DB struct {
	dialect   Dialect
	pools     Pools
	prepared  prepared
	condition condition
	secrets   *sealed.Keys // nil to store secrets as they are
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

// prepared holds the statements that run for every request.
type prepared struct {
	keyByHash, take, peek, views, erased *sql.Stmt
}

// New returns a database on open pools whose schema is up to date. Close closes the pools; if New fails, it closes
// them.
func New(ctx context.Context, d Dialect, pools Pools) (*DB, error) {
	db := &DB{dialect: d, pools: pools}
	for _, s := range []struct {
		statement **sql.Stmt
		pool      *sql.DB
		query     string
	}{
		{&db.prepared.keyByHash, pools.Read, selectKeys + " WHERE k.hash = $1"},
		{&db.prepared.take, pools.Count, takeQuota},
		{&db.prepared.peek, pools.Read, peekQuota},
		{&db.prepared.views, pools.Read, selectViews},
		{&db.prepared.erased, pools.Read, selectErasedRevision},
	} {
		var err error
		if *s.statement, err = s.pool.PrepareContext(ctx, s.query); err != nil {
			return nil, errors.Join(fault.Mark(fmt.Errorf("%w: prepare %q", err, s.query)), pools.Close())
		}
	}
	return db, nil
}

// Type returns the kind of database: "sqlite" or "postgresql".
func (db *DB) Type() string { return db.dialect.Type }

// Ping returns an error unless the database answers.
func (db *DB) Ping(ctx context.Context) error {
	var one int
	if err := db.pools.Health.QueryRowContext(ctx, "SELECT 1 FROM schema_version").Scan(&one); err != nil {
		return fmt.Errorf("ping database: %w", db.failed(err))
	}
	return nil
}

// ReleaseSpace returns the space of deleted rows to the file system, unless the database does so by itself.
func (db *DB) ReleaseSpace(ctx context.Context) error {
	if db.dialect.ReleaseSpace == nil {
		return nil
	}
	if err := db.dialect.ReleaseSpace(ctx, db.pools.Write); err != nil {
		return fmt.Errorf("release the space of deleted rows: %w", fault.Mark(err))
	}
	return nil
}

// Close closes all connections.
func (db *DB) Close() error { return db.pools.Close() }

// startSpan starts the span of a database operation. The statement has placeholders instead of values.
func (db *DB) startSpan(ctx context.Context, statement string) (context.Context, tracing.Span) {
	return tracing.Start(ctx, "database", tracing.String("db.system.name", db.dialect.Type),
		tracing.String("db.query.text", statement))
}

// transact runs f in a transaction and wraps its error with the name of the operation.
func (db *DB) transact(ctx context.Context, operation string, f func(tx *sql.Tx) error) (err error) {
	ctx, span := db.startSpan(ctx, "transaction")
	defer func() { span.End(err) }()
	if err := sqldb.Transact(ctx, db.pools.Write, f); err != nil {
		return fmt.Errorf("%s: %w", operation, db.failed(err))
	}
	return nil
}

// exec runs a statement and wraps its error with the name of the operation.
func (db *DB) exec(ctx context.Context, operation, statement string, args ...any) (err error) {
	ctx, span := db.startSpan(ctx, statement)
	defer func() { span.End(err) }()
	if _, err := db.pools.Write.ExecContext(ctx, statement, args...); err != nil {
		return fmt.Errorf("%s: %w", operation, db.failed(err))
	}
	return nil
}

// execOne runs a statement that must change a row, and returns missing if it changes none.
func (db *DB) execOne(
	ctx context.Context, operation string, missing error, statement string, args ...any,
) (err error) {
	ctx, span := db.startSpan(ctx, statement)
	defer func() { span.End(err) }()
	if err := sqldb.ChangeOne(ctx, db.pools.Write, missing, statement, args...); err != nil {
		return fmt.Errorf("%s: %w", operation, db.failed(err))
	}
	return nil
}
