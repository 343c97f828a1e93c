// Package query reads rows from PostgreSQL and SQLite databases and writes them as lines of JSON, one object per row,
// so that they are read like a file. Lists stay lists, numbers keep all their digits, and nested JSON stays nested.
//
// Databases are opened for reading only. The time and the memory that a query takes are limited, so that neither a
// mistake nor a malicious database can stop a load forever.
package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// timeout ends a query.
const timeout = 15 * time.Minute

// Statement says what to read: all rows of a table, or the result of a query.
type Statement struct {
	Table string // may be SCHEMA.TABLE in PostgreSQL
	SQL   string // without a table
}

// Result describes what was read.
type Result struct {
	Rows  int
	Notes []string // what was left out
}

var errNoRows = errors.New("there are no rows")

// checkColumns returns an error if the columns of a result can't be the keys of an object.
func checkColumns(columns []string) error {
	if len(columns) == 0 {
		return errors.New("the query returns no columns; use SELECT")
	}
	for i, name := range columns {
		if slices.Contains(columns[:i], name) {
			return fmt.Errorf("two columns are named %q; rename one with AS", name)
		}
	}
	return nil
}

// trim removes the semicolon that ends a statement.
func trim(sql string) string { return strings.TrimRight(sql, "; \t\r\n") }
