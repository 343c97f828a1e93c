package query

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/freelancer-matching/service/internal/pgurl"
)

// DigestSize is the number of bytes of a Digest.
const DigestSize = 16

// A Digest is a hash of all rows of a query that have one ID. It doesn't depend on their order.
type Digest [DigestSize]byte

// A KeyedDigest is the digest of the rows with an ID.
type KeyedDigest struct {
	ID     string
	Digest Digest
}

// A Row is a row of a query as one line of JSON, without the line break.
type Row struct {
	ID   string
	JSON []byte // valid until the next row
	// Digest covers all rows of the ID. It is set in the last of them only.
	Digest Digest
	IsLast bool // of its ID
}

// A Session reads the result of a query several times, and always finds the same rows: everything that was committed
// before the session began, and nothing later. It is not safe for concurrent use.
type Session struct {
	database *Database
	conn     *pgx.Conn
	tx       pgx.Tx
	sql      string
	id       string // quoted
	idType   string // as SQL names it
	columns  map[string]uint32
	began    time.Time
}

// Began returns the time before which every transaction has ended, and so is visible: the clock of the server when the
// session began, or the begin of the oldest transaction that was running then. It is zero unless BeginWatched set it.
func (s *Session) Began() time.Time { return s.began }

// Notes returns what the operator should know about the session: nothing.
func (s *Session) Notes() []string { return nil }

// Begin starts a session. id names the column of the statement that identifies people; several rows may have the same
// ID. Every statement of the session ends after 15 minutes unless the URL sets statement_timeout.
func (d *Database) Begin(ctx context.Context, s Statement, id string) (*Session, error) {
	return d.begin(ctx, s, id, false)
}

// BeginWatched does the same as Begin, and sets Began.
func (d *Database) BeginWatched(ctx context.Context, s Statement, id string) (*Session, error) {
	return d.begin(ctx, s, id, true)
}

func (d *Database) begin(ctx context.Context, s Statement, id string, watched bool) (_ *Session, err error) {
	conn, err := pgx.ConnectConfig(ctx, d.config)
	if err != nil {
		return nil, d.explain(err)
	}
	session := &Session{database: d, conn: conn}
	defer func() {
		if err != nil {
			err = errors.Join(d.explain(err), session.Close(ctx))
		}
	}()

	// The transactions that are running are listed before the snapshot is taken: one that isn't listed has either ended,
	// so that the snapshot has it, or will begin later.
	if watched {
		if session.began, err = oldestTransaction(ctx, conn); err != nil {
			return nil, err
		}
	}

	if session.tx, err = d.beginTx(ctx, conn, pgx.RepeatableRead); err != nil {
		return nil, err
	}

	return session, session.describe(ctx, s, id)
}

// explain adds the address of the database to an error, and what can be done about it.
func (d *Database) explain(err error) error { return fmt.Errorf("%s: %w", d, pgurl.Explain(err)) }

// beginTx starts a transaction that can't change anything, and limits the time of its statements.
func (d *Database) beginTx(ctx context.Context, conn *pgx.Conn, level pgx.TxIsoLevel) (pgx.Tx, error) {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{AccessMode: pgx.ReadOnly, IsoLevel: level})
	if err != nil {
		return nil, err
	}
	if _, given := d.config.RuntimeParams["statement_timeout"]; !given {
		// Some connection poolers reject it as an option of the connection.
		_, err = tx.Exec(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %d", timeout.Milliseconds()))
	}
	return tx, err
}

// text returns the SQL of the statement.
func (s Statement) text() string {
	if s.Table != "" {
		return "SELECT * FROM " + pgx.Identifier(strings.Split(s.Table, ".")).Sanitize()
	}
	return trim(s.SQL)
}

// idTypes are the types whose text is the same in JSON, and so in the index.
var idTypes = []uint32{
	pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.TextOID, pgtype.VarcharOID, pgtype.UUIDOID, pgtype.NameOID,
}

// describe prepares the statement as a single one, which can't end this transaction to write in another, and looks up
// its columns.
func (s *Session) describe(ctx context.Context, statement Statement, id string) error {
	s.sql = statement.text()
	description, err := s.tx.Prepare(ctx, "", s.sql)
	if err != nil {
		return err
	}

	var names []string
	s.columns = make(map[string]uint32, len(description.Fields))
	for _, field := range description.Fields {
		names = append(names, field.Name)
		s.columns[field.Name] = field.DataTypeOID
	}

	if err := checkColumns(names); err != nil {
		return err
	}
	oid, ok := s.columns[id]
	if !ok {
		return fmt.Errorf("the query has no column %q for -id; it has %s", id, list(names))
	}

	s.id = quote(id)
	if err := s.tx.QueryRow(ctx, "SELECT format_type($1, NULL)", oid).Scan(&s.idType); err != nil {
		return err
	}
	if !slices.Contains(idTypes, oid) {
		return fmt.Errorf("the column %q for -id has the type %s; use an integer, a uuid or text, such as %s::text AS %s",
			id, s.idType, s.id, s.id)
	}

	return nil
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }

// Close ends the session.
func (s *Session) Close(ctx context.Context) error { return s.conn.Close(context.WithoutCancel(ctx)) }

// lines returns the SQL of the rows as text, with their IDs. The server knows best how to write its types as JSON. The
// collation makes the order of both that of their bytes. The query may end with a comment, which the line break keeps
// from hiding the parenthesis.
func (s *Session) lines(condition string) string {
	return fmt.Sprintf(`SELECT result.%s::text COLLATE "C" AS id, row_to_json(result)::text COLLATE "C" AS line FROM (
%s
) AS result WHERE result.%s IS NOT NULL%s`, s.id, s.sql, s.id, condition)
}

// Digests yields the digests of all IDs in the order of their bytes, or one final error. The server computes them, so
// that the rows aren't sent.
func (s *Session) Digests(ctx context.Context) iter.Seq2[KeyedDigest, error] {
	return func(yield func(KeyedDigest, error) bool) {
		rows, err := s.tx.Query(ctx, fmt.Sprintf(`SELECT id,
			substr(sha256(convert_to(string_agg(line, E'\n' ORDER BY line), 'UTF8')), 1, %d)
			FROM (%s) AS lines GROUP BY id ORDER BY id`, DigestSize, s.lines("")))
		if err != nil {
			yield(KeyedDigest{}, s.database.explain(err))
			return
		}
		defer rows.Close()

		for rows.Next() {
			values := rows.RawValues()
			d := KeyedDigest{ID: string(values[0])}
			copy(d.Digest[:], values[1])
			if !yield(d, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(KeyedDigest{}, s.database.explain(err))
		}
	}
}

// All yields all rows with an ID in the order of the bytes of their IDs, or one final error. Rows of the same ID are in
// the order of their bytes, so that the same rows are always merged in the same way.
func (s *Session) All(ctx context.Context) iter.Seq2[Row, error] {
	return s.rows(ctx, s.lines("")+" ORDER BY id, line")
}

// With yields the rows that have one of these IDs, as All does.
func (s *Session) With(ctx context.Context, ids []string) iter.Seq2[Row, error] {
	// The column is compared in its own type, so that PostgreSQL can use an index.
	condition := fmt.Sprintf(" AND result.%s = ANY ($1::text[]::%s[])", s.id, s.idType)
	return s.rows(ctx, s.lines(condition)+" ORDER BY id, line", ids)
}

// rows yields the rows of a statement made by lines, with their digests.
func (s *Session) rows(ctx context.Context, sql string, arguments ...any) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		rows, err := s.tx.Query(ctx, sql, arguments...)
		if err != nil {
			yield(Row{}, s.database.explain(err))
			return
		}
		defer rows.Close()

		// A row is known to be the last one of its ID when the next one has been read.
		hash := sha256.New()
		var current Row
		var line []byte
		hasCurrent := false
		for rows.Next() {
			values := rows.RawValues()
			isSame := hasCurrent && string(values[0]) == current.ID
			if hasCurrent {
				current.IsLast = !isSame
				if current.IsLast {
					copy(current.Digest[:], hash.Sum(nil))
				}
				if !yield(current, nil) {
					return
				}
			}

			if isSame {
				hash.Write([]byte{'\n'})
			} else {
				hash.Reset()
			}
			hash.Write(values[1])
			line = oneLine(append(line[:0], values[1]...))
			current = Row{ID: string(values[0]), JSON: line}
			hasCurrent = true
		}

		if err := rows.Err(); err != nil {
			yield(Row{}, s.database.explain(tooLarge(err)))
			return
		}
		if hasCurrent {
			current.IsLast = true
			copy(current.Digest[:], hash.Sum(nil))
			yield(current, nil)
		}
	}
}

// oneLine replaces line breaks between the values of a json column. Line breaks in strings are escaped.
func oneLine(line []byte) []byte {
	for i := bytes.IndexByte(line, '\n'); i >= 0; i = bytes.IndexByte(line, '\n') {
		line[i] = ' '
	}
	return line
}
