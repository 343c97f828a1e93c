package mysql

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/indexer/query"
)

// timeout ends a statement.
const timeout = 15 * time.Minute

// maxLine is the number of bytes of a row as JSON.
const maxLine = 8 << 20

// A Session reads the result of a query several times, and always finds the same rows: everything that was committed
// before the session began, and nothing later. That needs tables of InnoDB. It is not safe for concurrent use.
type Session struct {
	database *Database
	pool     *sql.DB
	conn     *sql.Conn
	sql      string
	id       string // the expression of an ID, in the order of its bytes
	column   string // of the ID, quoted
	line     string // the expression of a row as JSON
	kinds    map[string]string
	began    time.Time
	notes    []string
}

// Begin starts a session. id names the column of the statement that identifies people; several rows may have the same
// ID. Every statement of the session ends after 15 minutes. isWatched sets Began.
func (d *Database) Begin(ctx context.Context, s query.Statement, id string, isWatched bool) (_ *Session, err error) {
	pool, err := d.open()
	if err != nil {
		return nil, d.explain(err)
	}
	session := &Session{database: d, pool: pool}
	defer func() {
		if err != nil {
			err = errors.Join(d.explain(err), session.Close(ctx))
		}
	}()
	if session.conn, err = pool.Conn(ctx); err != nil {
		return nil, err
	}

	if isWatched {
		if err := session.watch(ctx); err != nil {
			return nil, err
		}
	}

	// What is read later is as it was at this moment, and nothing can be changed.
	for _, statement := range []string{
		"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
	} {
		if err := session.exec(ctx, statement); err != nil {
			return nil, err
		}
	}

	return session, session.describe(ctx, s, id)
}

// Close ends the session.
func (s *Session) Close(context.Context) error {
	var err error
	if s.conn != nil {
		err = s.conn.Close()
	}
	return errors.Join(err, s.pool.Close())
}

// Began returns the time before which every transaction has ended, and so is visible, by the clock of the server. It is
// zero if the session isn't watched, or if the time can't be known.
func (s *Session) Began() time.Time { return s.began }

// Notes returns what the operator should know about the session.
func (s *Session) Notes() []string { return s.notes }

func (s *Session) exec(ctx context.Context, statement string) error {
	_, err := s.conn.ExecContext(ctx, statement)
	return err
}

// quote quotes a name.
func quote(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// literal returns a text in a form that no mode of the server reads in another way.
func literal(text string) string { return fmt.Sprintf("CONVERT(0x%x USING utf8mb4)", text) }

// textOf returns the SQL of a statement.
func textOf(s query.Statement) string {
	if s.Table == "" {
		return strings.TrimRight(s.SQL, "; \t\r\n")
	}
	parts := strings.Split(s.Table, ".")
	for i := range parts {
		parts[i] = quote(parts[i])
	}
	return "SELECT * FROM " + strings.Join(parts, ".")
}

// describe looks up the columns of the statement.
func (s *Session) describe(ctx context.Context, statement query.Statement, id string) error {
	s.sql = textOf(statement)
	rows, err := s.conn.QueryContext(ctx, strings.Join([]string{"SELECT * FROM (", s.sql, ") AS result LIMIT 0"}, "\n"))
	if err != nil {
		return err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	if err := rows.Err(); err != nil {
		return err
	}

	var names, members, binary []string
	s.kinds = make(map[string]string, len(types))
	for _, column := range types {
		name, kind := column.Name(), column.DatabaseTypeName()
		names = append(names, name)
		s.kinds[name] = kind

		value := "result." + quote(name)
		switch {
		case isBinary(kind):
			binary = append(binary, name)
			continue
		case kind == "BIT" || isInteger(kind): // without zeros before the number, which JSON doesn't allow
			value += " + 0"
		}
		members = append(members, literal(name)+", "+value)
	}

	kind, ok := s.kinds[id]
	if !ok {
		return fmt.Errorf("the query has no column %q for -id; it has %s", id, strings.Join(names, ", "))
	}
	if err := s.identify(id, kind); err != nil {
		return err
	}
	if len(binary) > 0 {
		s.notes = append(s.notes, "columns with binary data are left out: "+strings.Join(binary, ", "))
	}
	s.line = "CAST(JSON_OBJECT(" + strings.Join(members, ", ") + ") AS CHAR CHARACTER SET utf8mb4)"

	return nil
}

// identify sets the expression of an ID.
func (s *Session) identify(id, kind string) error {
	s.column = "result." + quote(id)
	text := s.column
	switch {
	case isInteger(kind):
		text += " + 0"
	case !slices.Contains([]string{"CHAR", "VARCHAR", "TEXT"}, kind):
		return fmt.Errorf("the column %q for -id has the type %s; use an integer or text, such as BIN_TO_UUID(id) AS id",
			id, kind)
	}

	// Collations take texts for equal that differ, such as in case.
	s.id = "CAST(CONVERT(" + text + " USING utf8mb4) AS BINARY)"
	return nil
}

func isInteger(kind string) bool {
	return strings.HasSuffix(kind, "INT") || kind == "YEAR" // also UNSIGNED BIGINT
}

func isBinary(kind string) bool {
	return strings.HasSuffix(kind, "BINARY") || strings.HasSuffix(kind, "BLOB") || kind == "GEOMETRY" || kind == "VECTOR"
}

// from returns the rows that have an ID and fulfill a condition. The query may end with a comment, which the line break
// keeps from hiding the parenthesis.
func (s *Session) from(condition string) string {
	return fmt.Sprintf(" FROM (\n%s\n) AS result WHERE %s IS NOT NULL%s", s.sql, s.column, condition)
}

// Digests yields the digests of all IDs in the order of their bytes, or one final error. The server computes them, so
// that the rows aren't sent.
func (s *Session) Digests(ctx context.Context) iter.Seq2[query.KeyedDigest, error] {
	sql := fmt.Sprintf(`SELECT id, LEFT(SHA2(GROUP_CONCAT(hash ORDER BY hash SEPARATOR ''), 256), %d)
		FROM (SELECT %s AS id, SHA2(%s, 256) AS hash%s) AS hashes GROUP BY id ORDER BY id`,
		2*query.DigestSize, s.id, s.line, s.from(""))

	return func(yield func(query.KeyedDigest, error) bool) {
		for row, err := range s.rows(ctx, sql) {
			var keyed query.KeyedDigest
			if err == nil {
				keyed.ID = row.id
				_, err = hex.Decode(keyed.Digest[:], row.text)
			}
			if !yield(keyed, err) || err != nil {
				return
			}
		}
	}
}

// All yields all rows with an ID in the order of the bytes of their IDs, or one final error. Rows of the same ID are in
// the order of their bytes, so that the same rows are always merged in the same way.
func (s *Session) All(ctx context.Context) iter.Seq2[query.Row, error] {
	return byPerson(s.rows(ctx, s.lines("")))
}

// With yields the rows that have one of these IDs, as All does.
func (s *Session) With(ctx context.Context, ids []string) iter.Seq2[query.Row, error] {
	// The server compares the column in its own type and collation, so that it can use an index. A collation may find
	// further IDs.
	asked := make(map[string]bool, len(ids))
	arguments := make([]any, len(ids))
	for i, id := range ids {
		asked[id] = true
		arguments[i] = id
	}
	condition := " AND " + s.column + " IN (" + strings.TrimSuffix(strings.Repeat("?, ", len(ids)), ", ") + ")"

	return func(yield func(query.Row, error) bool) {
		if len(ids) == 0 {
			return
		}
		for row, err := range byPerson(s.rows(ctx, s.lines(condition), arguments...)) {
			if err == nil && !asked[row.ID] {
				continue
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// lines returns the SQL of the rows as JSON, with their IDs.
func (s *Session) lines(condition string) string {
	return "SELECT " + s.id + " AS id, " + s.line + s.from(condition) + " ORDER BY id"
}

// idText is a row of an ID and a text, which is valid until the next row.
type idText struct {
	id   string
	text []byte
}

// rows yields the rows of a statement, or one final error.
func (s *Session) rows(ctx context.Context, statement string, arguments ...any) iter.Seq2[idText, error] {
	return func(yield func(idText, error) bool) {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		rows, err := s.conn.QueryContext(ctx, statement, arguments...)
		if err != nil {
			yield(idText{}, s.database.explain(err))
			return
		}
		defer rows.Close()

		var id, text sql.RawBytes
		for rows.Next() {
			err := rows.Scan(&id, &text)
			if err == nil && len(text) > maxLine {
				err = errors.New("a row is larger than 8 MiB; name the columns to read with -query")
			}
			if err != nil {
				yield(idText{}, s.database.explain(err))
				return
			}
			if !yield(idText{string(id), text}, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(idText{}, s.database.explain(err))
		}
	}
}

// byPerson yields rows with their digests. The rows of a person are collected, because they come in any order.
func byPerson(lines iter.Seq2[idText, error]) iter.Seq2[query.Row, error] {
	return func(yield func(query.Row, error) bool) {
		var id string
		var person [][]byte
		for line, err := range lines {
			if err != nil {
				yield(query.Row{}, err)
				return
			}
			if line.id != id && !yieldPerson(id, person, yield) {
				return
			}
			if line.id != id {
				id = line.id
				person = person[:0]
			}
			person = append(person, bytes.Clone(line.text))
		}
		yieldPerson(id, person, yield)
	}
}

// yieldPerson yields the rows of a person in the order of their bytes, and reports whether more are wanted.
func yieldPerson(id string, lines [][]byte, yield func(query.Row, error) bool) bool {
	slices.SortFunc(lines, bytes.Compare)
	hashes := make([]string, len(lines))
	for i, line := range lines {
		hashes[i] = fmt.Sprintf("%x", sha256.Sum256(line))
	}
	slices.Sort(hashes)
	sum := sha256.Sum256([]byte(strings.Join(hashes, "")))

	for i, line := range lines {
		row := query.Row{ID: id, JSON: oneLine(line), IsLast: i == len(lines)-1}
		if row.IsLast {
			copy(row.Digest[:], sum[:])
		}
		if !yield(row, nil) {
			return false
		}
	}
	return true
}

// oneLine replaces line breaks between the values of a json column. Line breaks in strings are escaped.
func oneLine(line []byte) []byte {
	for i, c := range line {
		if c == '\n' || c == '\r' {
			line[i] = ' '
		}
	}
	return line
}
