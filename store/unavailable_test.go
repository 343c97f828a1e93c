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

// sqlStateError is a fault as PostgreSQL tells it.
type sqlStateError string

func (s sqlStateError) Error() string    { return "state " + string(s) }
func (s sqlStateError) SQLState() string { return string(s) }

func TestAnswered(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	rule := &matching.Error{Code: matching.CodeInvalid, Message: "a rule"}
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
		{sqlStateError("23505"), matching.CodeInternal}, // not unique
		{sqlStateError("42P01"), matching.CodeInternal}, // no such table
		{sqlStateError("28P01"), matching.CodeInternal}, // wrong password: for whoever runs it to mend
		{errors.New("a bug"), matching.CodeInternal},
		{rule, matching.CodeInvalid},
	} {
		err := tt.err
		if err != nil {
			err = fmt.Errorf("read: %w", err)
		}
		got := answered(answered(err)) // the second finds it done
		if matching.CodeOf(got) != tt.want || !errors.Is(got, tt.err) {
			t.Errorf("%v: got %v, want %q", tt.err, got, tt.want)
		}
		fault, _ := errors.AsType[*matching.Error](got)
		if tt.want == matching.CodeDatabaseUnavailable && (fault.RetryAfter <= 0 || matching.CodeOf(fault.Cause) == tt.want) {
			t.Errorf("%v: got %#v", tt.err, fault)
		}
	}
}
