package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"freelancer-matching/internal/matching"
)

// sqlStateError is an error with a SQLSTATE code, like those of the PostgreSQL driver.
type sqlStateError string

func (s sqlStateError) Error() string    { return "state " + string(s) }
func (s sqlStateError) SQLState() string { return string(s) }

func TestMarkUnavailable(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	for _, tt := range []struct {
		err  error
		want matching.Code
	}{
		{nil, ""},
		{refused, matching.CodeDatabaseUnavailable},
		{&net.DNSError{Name: "db", IsNotFound: true}, matching.CodeDatabaseUnavailable},
		{driver.ErrBadConn, matching.CodeDatabaseUnavailable},
		{io.ErrUnexpectedEOF, matching.CodeDatabaseUnavailable},
		{context.DeadlineExceeded, matching.CodeDatabaseUnavailable},
		{sqlStateError("08006"), matching.CodeDatabaseUnavailable},
		{sqlStateError("53300"), matching.CodeDatabaseUnavailable},
		{sqlStateError("57014"), matching.CodeDatabaseUnavailable},
		{sqlStateError("57P01"), matching.CodeDatabaseUnavailable},
		{sqlStateError("57P03"), matching.CodeDatabaseUnavailable},
		{context.Canceled, matching.CodeInternal},
		{errors.Join(context.Canceled, refused), matching.CodeInternal},
		{sql.ErrNoRows, matching.CodeInternal},
		{sqlStateError("23505"), matching.CodeInternal}, // unique_violation
		{sqlStateError("42P01"), matching.CodeInternal}, // undefined_table
		{sqlStateError("28P01"), matching.CodeInternal}, // invalid_password: the operator must fix it
		{errors.New("a bug"), matching.CodeInternal},
		{&matching.Error{Code: matching.CodeInvalid, Message: "invalid"}, matching.CodeInvalid},
	} {
		err := tt.err
		if err != nil {
			err = fmt.Errorf("read: %w", err)
		}
		got := markUnavailable(markUnavailable(err)) // must wrap only once
		if matching.CodeOf(got) != tt.want || !errors.Is(got, tt.err) {
			t.Errorf("%v: got %v, want code %q", tt.err, got, tt.want)
		}
		if tt.want != matching.CodeDatabaseUnavailable {
			continue
		}
		e, _ := errors.AsType[*matching.Error](got)
		if e.RetryAfter <= 0 || matching.CodeOf(e.Cause) == tt.want {
			t.Errorf("%v: got %#v, want RetryAfter and the original cause", tt.err, e)
		}
	}
}
