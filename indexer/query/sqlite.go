package query

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dustin/go-humanize/english"
	"modernc.org/sqlite" // also registers the database/sql driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteMagic is how every SQLite file begins.
const sqliteMagic = "SQLite format 3\x00"

// maxValue is the largest value or row of a table in bytes, with columns that are left out.
const maxValue = 64 << 20

// IsSQLite reports whether a file begins like an SQLite database.
func IsSQLite(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, len(sqliteMagic))
	_, err = io.ReadFull(file, head)
	return err == nil && string(head) == sqliteMagic
}

// ReadSQLite writes the result of a statement on an SQLite file to w. Without a table and SQL, it reads the only table.
// The file must not change meanwhile.
//
// The driver can't interrupt a statement that looks for its next row. If ctx ends or the time is up meanwhile,
// ReadSQLite returns, but the statement continues until it finds a row or the process ends.
func ReadSQLite(ctx context.Context, path string, s Statement, w io.Writer) (*Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("the query took longer than %v", timeout))
	defer cancel()

	var result *Result
	done := make(chan error, 1)
	gate := &gate{Writer: w}
	go func() {
		r, err := readSQLite(ctx, path, s, gate)
		result = r
		done <- err
	}()

	select {
	case err := <-done:
		if err == nil {
			return result, nil
		}
		return nil, fmt.Errorf("%s: %w", path, err)

	case <-ctx.Done():
		// The statement may still find rows, but the caller expects no more of them.
		gate.close(context.Cause(ctx))
		return nil, fmt.Errorf("%s: %w", path, context.Cause(ctx))
	}
}

// gate is a writer that can be closed while another goroutine writes.
type gate struct {
	io.Writer
	mu  sync.Mutex
	err error // returned by Write when the gate is closed
}

// Write implements io.Writer.
func (g *gate) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err != nil {
		return 0, g.err
	}
	return g.Writer.Write(p)
}

// close waits for a write in progress. From then on, nothing is written.
func (g *gate) close(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.err = err
}

func readSQLite(ctx context.Context, path string, s Statement, w io.Writer) (_ *Result, err error) {
	before, err := checkFile(path)
	if err != nil {
		return nil, err
	}
	conn, closeConn, err := openSQLite(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, closeConn()) }()

	statement := trim(s.SQL)
	if statement == "" {
		if statement, err = selectTable(ctx, conn, s.Table); err != nil {
			return nil, err
		}
	}

	result, err := copyRows(ctx, conn, statement, w)
	if err != nil {
		return nil, err
	}

	// SQLite neither locks nor watches a file that is opened as immutable, so a change shows only in its size and time.
	after, err := os.Stat(path)
	if err != nil {
		return result, err
	}

	hasChanged := after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime())
	if hasChanged {
		return result, errors.New("the database changed while it was being read; read a copy of it")
	}

	return result, nil
}

// checkFile returns an error if another program has changes that are not in the file yet.
func checkFile(path string) (os.FileInfo, error) {
	for _, suffix := range []string{"-wal", "-journal"} {
		if info, err := os.Stat(path + suffix); err == nil && info.Size() > 0 {
			return nil, fmt.Errorf("%s has changes that are not in the database file; end the program that uses the "+
				"database, or read a copy that was made with VACUUM INTO", path+suffix)
		}
	}
	return os.Stat(path)
}

// openSQLite opens a connection that can't change the file, or open another one.
func openSQLite(ctx context.Context, path string) (_ *sql.Conn, closeAll func() error, err error) {
	source := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath()}
	source.RawQuery = "mode=ro&immutable=1" +
		"&_pragma=query_only(ON)" +
		"&_pragma=trusted_schema(OFF)" + // no functions with side effects in views and generated columns
		"&_pragma=cell_size_check(ON)"

	db, err := sql.Open("sqlite", source.String())
	if err != nil {
		return nil, nil, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}

	closeAll = func() error { return errors.Join(conn.Close(), db.Close()) }

	// Statements and views may be malicious. ATTACH, which VACUUM INTO needs, too, would reach other files.
	for limit, value := range map[int]int{
		sqlite3.SQLITE_LIMIT_ATTACHED: 0, sqlite3.SQLITE_LIMIT_LENGTH: maxValue, sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
	} {
		if _, err := sqlite.Limit(conn, limit, value); err != nil {
			return nil, nil, errors.Join(err, closeAll())
		}
	}

	return conn, closeAll, nil
}

// selectTable returns the statement that reads a table or view, or the only table if table is empty.
func selectTable(ctx context.Context, conn *sql.Conn, table string) (string, error) {
	rows, err := conn.QueryContext(ctx, "SELECT name, type FROM pragma_table_list "+
		"WHERE schema = 'main' AND type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name")
	if err != nil {
		return "", err
	}
	defer rows.Close()

	var tables, all []string
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			return "", err
		}
		all = append(all, name)

		if kind == "table" {
			tables = append(tables, name)
		}
	}

	if err := rows.Err(); err != nil {
		return "", err
	}

	// SQLite ignores the case of names.
	isNamed := func(name string) bool { return strings.EqualFold(name, table) }
	switch {
	case table == "" && len(tables) == 1:
		table = tables[0]
	case table == "" && len(tables) == 0:
		return "", errors.New("the database has no tables")
	case table == "":
		return "", fmt.Errorf("the database has %d tables: %s; choose one with -table, or name columns with -query",
			len(tables), list(tables))
	case !slices.ContainsFunc(all, isNamed):
		return "", fmt.Errorf("there is no table %q; the tables and views are %s", table, list(all))
	}

	return `SELECT * FROM "` + strings.ReplaceAll(table, `"`, `""`) + `"`, nil
}

// list lists up to twenty names for an error.
func list(names []string) string {
	const limit = 20
	quoted := make([]string, 0, limit)
	for _, name := range names[:min(len(names), limit)] {
		quoted = append(quoted, strconv.Quote(name))
	}
	text := strings.Join(quoted, ", ")
	if len(names) > limit {
		text += fmt.Sprintf(" and %d more", len(names)-limit)
	}
	return text
}

// copyRows runs a statement and writes its rows.
func copyRows(ctx context.Context, conn *sql.Conn, statement string, w io.Writer) (*Result, error) {
	rows, err := conn.QueryContext(ctx, statement)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	if err := checkColumns(columns); err != nil {
		return nil, err
	}

	values := make([]any, len(columns))
	targets := make([]any, len(columns))
	keys := make([][]byte, len(columns))
	for i, name := range columns {
		targets[i] = &values[i]
		keys[i] = append(appendString(nil, name), ':')
	}

	result := &Result{}
	binary := make([]int, len(columns))
	var line []byte

	for rows.Next() {
		result.Rows++
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		line = append(line[:0], '{')
		for i, v := range values {
			// In SQLite each value has a type of its own, so any column may have bytes that JSON can't hold.
			if b, ok := v.([]byte); ok && !utf8.Valid(b) {
				binary[i]++
				v = nil
			}

			if i > 0 {
				line = append(line, ',')
			}
			line = appendValue(append(line, keys[i]...), v)
		}

		if _, err := w.Write(append(line, "}\n"...)); err != nil {
			return nil, err
		}
	}

	if err := rows.Err(); err != nil {
		return nil, err
	}
	if result.Rows == 0 {
		return nil, errNoRows
	}

	for i, n := range binary {
		if n > 0 {
			note := fmt.Sprintf("column %q: left out %s", columns[i], english.Plural(n, "binary value", ""))
			result.Notes = append(result.Notes, note)
		}
	}

	return result, nil
}

// appendValue appends a value of a column as JSON.
func appendValue(line []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(line, "null"...)
	case bool:
		return strconv.AppendBool(line, v)
	case int64:
		return strconv.AppendInt(line, v, 10)
	case float64:
		if math.IsInf(v, 0) {
			return append(line, "null"...) // the only number that JSON can't have; SQLite stores no NaN
		}
		return strconv.AppendFloat(line, v, 'f', -1, 64)

	case time.Time:
		return appendString(line, v.Format(time.RFC3339))
	case []byte:
		return appendString(line, string(v))
	default:
		return appendString(line, fmt.Sprint(v)) // a string
	}
}

// appendString appends a string as JSON. Unlike encoding/json, it keeps bytes that are not UTF-8, which the reader of
// the lines reports.
func appendString(line []byte, text string) []byte {
	line = append(line, '"')
	for _, c := range []byte(text) {
		switch {
		case c == '"' || c == '\\':
			line = append(line, '\\', c)
		case c < ' ':
			line = fmt.Appendf(line, `\u%04x`, c)
		default:
			line = append(line, c)
		}
	}
	return append(line, '"')
}
