package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// DB is an open database. It is safe for concurrent use, also by several processes. Where the database does not answer, an error
// is a matching.Error with CodeDatabaseUnavailable; only those of counting are as they come, since package quota judges them.
type DB struct {
	dialect Dialect
	pools   Pools
	hot     hot
}

// Pools is the connections to a database by what they are for. One pool may stand for several.
type Pools struct {
	Write *sql.DB
	Read  *sql.DB
	Count *sql.DB // takes from quotas, for which a request waits: these may be lost when the machine of the database fails
}

// Close ends all connections.
func (p Pools) Close() error { return errors.Join(p.Count.Close(), p.Read.Close(), p.Write.Close()) }

// Dialect is what SQLite and PostgreSQL do not have in common. SQLite has one writing transaction at a time, so it needs no
// locks: an empty text stands for nothing to do.
type Dialect struct {
	Type string // sqlite or postgresql

	// LockRows ends a SELECT and keeps its rows from changing until the transaction ends.
	LockRows string
	// LockKeysOfNone is a statement that waits until the keys without an account are changed by no other transaction.
	LockKeysOfNone string
	// LockUsers is a statement that waits until users are added and changed by no other transaction.
	LockUsers string
	// LockSchema is a statement that waits until no other process changes the tables.
	LockSchema string
}

// hot is the statements that a request waits for, prepared once.
type hot struct {
	keyByHash, take, peek *sql.Stmt
}

// New is the database behind pools, with tables that are up to date. Closing it closes them, and so does New where it fails.
func New(ctx context.Context, d Dialect, pools Pools) (*DB, error) {
	db := &DB{dialect: d, pools: pools}
	for _, s := range []struct {
		into  **sql.Stmt
		pool  *sql.DB
		query string
	}{
		{&db.hot.keyByHash, pools.Read, selectKeys + " WHERE k.hash = $1"},
		{&db.hot.take, pools.Count, takeQuota},
		{&db.hot.peek, pools.Read, peekQuota},
	} {
		var err error
		if *s.into, err = s.pool.PrepareContext(ctx, s.query); err != nil {
			return nil, errors.Join(fmt.Errorf("prepare %q: %w", s.query, err), pools.Close())
		}
	}
	return db, nil
}

// Type is the kind of database: sqlite or postgresql.
func (db *DB) Type() string { return db.dialect.Type }

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	var one int
	if err := db.pools.Read.QueryRowContext(ctx, "SELECT 1 FROM schema_version").Scan(&one); err != nil {
		return fmt.Errorf("ping the database: %w", answered(err))
	}
	return nil
}

// Close ends all connections.
func (db *DB) Close() error { return db.pools.Close() }

// write runs f in a transaction, and rolls back when f fails or panics.
func write(ctx context.Context, pool *sql.DB, f func(tx *sql.Tx) error) error {
	return answered(transact(ctx, pool, f))
}

func transact(ctx context.Context, pool *sql.DB, f func(tx *sql.Tx) error) (err error) {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() {
		if fault := tx.Rollback(); !errors.Is(fault, sql.ErrTxDone) { // done: it was committed
			err = errors.Join(err, fault)
		}
	}()
	if err := f(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// lock runs one of the dialect's locking statements.
func lock(ctx context.Context, tx *sql.Tx, statement string) error {
	if statement == "" {
		return nil
	}
	if _, err := tx.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	return nil
}

// querier is a pool or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// row is one row, alone or of many.
type row interface{ Scan(into ...any) error }

// list is what scan makes of each row of a query.
func list[T any](ctx context.Context, q querier, scan func(row) (T, error), query string, args ...any) (all []T, err error) {
	defer func() { err = answered(err) }()
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// one makes sure that a statement changed a row; none stands for the row that was not there.
func one(result sql.Result, err, none error) error {
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		return none
	}
	return nil
}
