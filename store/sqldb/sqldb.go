// Package sqldb has what the store needs of every SQL database beyond database/sql: an open database that remembers its
// faults, transactions that roll back, statements that must change a row, and rows that become records.
package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/store/fault"
)

// A Database is a pool or a transaction.
type Database interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Transact runs f in a transaction. It rolls back if f fails or panics.
func Transact(ctx context.Context, pool *sql.DB, f func(tx *sql.Tx) error) (err error) {
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() {
		if rollbackErr := tx.Rollback(); !errors.Is(rollbackErr, sql.ErrTxDone) { // ErrTxDone: it was committed
			err = errors.Join(err, rollbackErr)
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

// Prepare prepares a statement on a pool.
func Prepare(ctx context.Context, pool *sql.DB, query string) (*sql.Stmt, error) {
	statement, err := pool.PrepareContext(ctx, query)
	if err != nil {
		return nil, fault.Mark(fmt.Errorf("%w: prepare %q", err, query))
	}
	return statement, nil
}

// Lock runs a statement that locks rows or tables until the transaction ends. It does nothing if the statement is
// empty, as for databases that run one writing transaction at a time.
func Lock(ctx context.Context, tx *sql.Tx, statement string) error {
	if statement == "" {
		return nil
	}
	if _, err := tx.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	return nil
}

// ChangeOne runs a statement that must change a row. It returns missing if there is no such row.
func ChangeOne(ctx context.Context, d Database, missing error, statement string, args ...any) error {
	result, err := d.ExecContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err != nil {
		return err
	}
	if n == 0 {
		return missing
	}
	return nil
}

// ScanOne returns the record in a row, or missing if there is no row. The function columns returns pointers to the
// record's fields in the order of the row's columns.
func ScanOne[T any](row *sql.Row, columns func(*T) []any, missing error) (record T, err error) {
	err = row.Scan(columns(&record)...)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return *new(T), missing
	case err != nil:
		return *new(T), fault.Mark(err)
	}
	return record, nil
}

// SelectAll returns the records in all rows of a query, see ScanOne.
func SelectAll[T any](
	ctx context.Context, d Database, columns func(*T) []any, query string, args ...any,
) (records []T, err error) {
	defer func() { err = fault.Mark(err) }()
	rows, err := d.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var record T
		if err := rows.Scan(columns(&record)...); err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	return records, rows.Err()
}

// LikeContains returns the pattern for LIKE … ESCAPE '\' that finds texts with a part.
func LikeContains(part string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(part) + "%"
}

// Parameters returns n parameters of a statement from $first on, as the items of a list.
func Parameters(first, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = "$" + strconv.Itoa(first+i)
	}
	return strings.Join(list, ", ")
}
