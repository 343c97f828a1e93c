package query

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/freelancer-matching/service/internal/pgurl"
)

const (
	connectTimeout = 10 * time.Second
	maxMessage     = 8 << 20 // bytes that the server sends at once, such as a row
)

// Database is a PostgreSQL database. It has a password; String leaves it out.
type Database struct{ config *pgx.ConnConfig }

// ParseURL parses a postgres:// URL. Errors don't contain its password.
func ParseURL(address string) (*Database, error) {
	config, err := pgurl.Parse(address, "")
	if err != nil {
		return nil, err
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	if _, given := config.RuntimeParams["application_name"]; !given {
		config.RuntimeParams["application_name"] = "freelancer-matching indexer"
	}
	config.BuildFrontend = func(r io.Reader, w io.Writer) *pgproto3.Frontend {
		f := pgproto3.NewFrontend(r, w)
		f.SetMaxBodyLen(maxMessage)
		return f
	}
	return &Database{config}, nil
}

// String returns the address without user, password and options.
func (d *Database) String() string {
	host := d.config.Host
	if strings.HasPrefix(host, "/") {
		return fmt.Sprintf("postgres:///%s?host=%s", d.config.Database, host)
	}
	return fmt.Sprintf("postgres://%s:%d/%s", host, d.config.Port, d.config.Database)
}

// Read writes the result of a statement to w. It reads in a transaction that can't change anything, and ends after 15
// minutes unless the URL sets statement_timeout.
func (d *Database) Read(ctx context.Context, s Statement, w io.Writer) (*Result, error) {
	result, err := d.read(ctx, s, w)
	if err != nil {
		return nil, d.explain(err)
	}
	return result, nil
}

func (d *Database) read(ctx context.Context, s Statement, w io.Writer) (_ *Result, err error) {
	conn, err := pgx.ConnectConfig(ctx, d.config)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()

	// The query is prepared as a single statement, which can't end this transaction to write in another.
	tx, err := d.beginTx(ctx, conn, "")
	if err != nil {
		return nil, err
	}
	sql := s.text()

	// The description has the columns, and errors in it have the positions of the original query.
	description, err := tx.Prepare(ctx, "", sql)
	if err != nil {
		return nil, err
	}

	var columns []string
	for _, field := range description.Fields {
		columns = append(columns, field.Name)
	}

	if err := checkColumns(columns); err != nil {
		return nil, err
	}
	// The server knows best how to write its types as JSON. The query may end with a comment, which the line break
	// keeps from hiding the parenthesis.
	rows, err := tx.Query(ctx, "SELECT row_to_json(result) FROM (\n"+sql+"\n) AS result")
	if err != nil {
		return nil, err
	}

	return writeRows(rows, w)
}

// writeRows writes rows of one JSON object each.
func writeRows(rows pgx.Rows, w io.Writer) (*Result, error) {
	defer rows.Close()

	result := &Result{}
	var line []byte

	for rows.Next() {
		result.Rows++
		line = oneLine(append(line[:0], rows.RawValues()[0]...))
		if _, err := w.Write(append(line, '\n')); err != nil {
			return nil, err
		}
	}

	if err := rows.Err(); err != nil {
		return nil, tooLarge(err)
	}

	if result.Rows == 0 {
		return nil, errNoRows
	}

	return result, nil
}

// tooLarge explains the error about a row that exceeds maxMessage. It returns other errors unchanged.
func tooLarge(err error) error {
	if _, ok := errors.AsType[*pgproto3.ExceededMaxBodyLenErr](err); ok {
		return fmt.Errorf("a row is larger than 8 MiB; name the columns to read with -query: %w", err)
	}
	return err
}
