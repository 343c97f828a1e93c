package fault_test

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

	codes "modernc.org/sqlite/lib"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/store/fault"
)

// sqlStateError is an error with a SQLSTATE code, like those of the PostgreSQL driver.
type sqlStateError string

func (s sqlStateError) Error() string    { return "state " + string(s) }
func (s sqlStateError) SQLState() string { return string(s) }

// resultError is an error with a result code, like those of the SQLite driver.
type resultError int

func (r resultError) Error() string { return fmt.Sprint("result ", int(r)) }
func (r resultError) Code() int     { return int(r) }

// unsentError is the error of a statement that the PostgreSQL driver did not send.
type unsentError bool

func (unsentError) Error() string       { return "conn closed" }
func (u unsentError) SafeToRetry() bool { return bool(u) }

func TestMark(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	for _, tt := range []struct {
		err  error
		want matching.Code
	}{
		{nil, ""},
		{refused, matching.CodeDatabaseUnavailable},
		{&net.DNSError{Name: "db", IsNotFound: true}, matching.CodeDatabaseUnavailable},
		{driver.ErrBadConn, matching.CodeDatabaseUnavailable},
		{sql.ErrConnDone, matching.CodeDatabaseUnavailable},
		{fmt.Errorf("commit: %w", unsentError(true)), matching.CodeDatabaseUnavailable},
		{io.ErrUnexpectedEOF, matching.CodeDatabaseUnavailable},
		{context.DeadlineExceeded, matching.CodeDatabaseUnavailable},
		{sqlStateError("08006"), matching.CodeDatabaseUnavailable},
		{sqlStateError("53300"), matching.CodeDatabaseUnavailable},
		{sqlStateError("57014"), matching.CodeDatabaseUnavailable},
		{sqlStateError("57P01"), matching.CodeDatabaseUnavailable},
		{sqlStateError("57P03"), matching.CodeDatabaseUnavailable},
		{sqlStateError("53100"), matching.CodeStorageFull},
		{sqlStateError("25006"), matching.CodeStorageReadOnly},
		{sqlStateError("58030"), matching.CodeStorageFailed},
		{sqlStateError("XX001"), matching.CodeDatabaseCorrupt},
		{sqlStateError("XX002"), matching.CodeDatabaseCorrupt},
		{sqlStateError("40P01"), matching.CodeDatabaseLocked},
		{sqlStateError("55P03"), matching.CodeDatabaseLocked},
		{resultError(codes.SQLITE_FULL), matching.CodeStorageFull},
		{resultError(codes.SQLITE_IOERR_SHMSIZE), matching.CodeStorageFull},
		{resultError(codes.SQLITE_READONLY), matching.CodeStorageReadOnly},
		{resultError(codes.SQLITE_READONLY_DBMOVED), matching.CodeStorageReadOnly},
		{resultError(codes.SQLITE_PERM), matching.CodeStorageReadOnly},
		{resultError(codes.SQLITE_IOERR_WRITE), matching.CodeStorageFailed},
		{resultError(codes.SQLITE_CANTOPEN), matching.CodeStorageFailed},
		{resultError(codes.SQLITE_CORRUPT), matching.CodeDatabaseCorrupt},
		{resultError(codes.SQLITE_CORRUPT_INDEX), matching.CodeDatabaseCorrupt},
		{resultError(codes.SQLITE_IOERR_DATA), matching.CodeDatabaseCorrupt},
		{resultError(codes.SQLITE_IOERR_CORRUPTFS), matching.CodeDatabaseCorrupt},
		{resultError(codes.SQLITE_NOTADB), matching.CodeDatabaseCorrupt},
		{resultError(codes.SQLITE_BUSY), matching.CodeDatabaseLocked},
		{resultError(codes.SQLITE_BUSY_SNAPSHOT), matching.CodeDatabaseLocked},
		{resultError(codes.SQLITE_LOCKED), matching.CodeDatabaseLocked},
		{resultError(codes.SQLITE_PROTOCOL), matching.CodeDatabaseLocked},
		{resultError(codes.SQLITE_CONSTRAINT_UNIQUE), matching.CodeInternal},
		{resultError(codes.SQLITE_INTERRUPT), matching.CodeInternal},
		{errors.Join(context.DeadlineExceeded, resultError(codes.SQLITE_INTERRUPT)), matching.CodeDatabaseUnavailable},
		{errors.Join(context.Canceled, resultError(codes.SQLITE_FULL)), matching.CodeInternal},
		{context.Canceled, matching.CodeInternal},
		{errors.Join(context.Canceled, refused), matching.CodeInternal},
		{sql.ErrNoRows, matching.CodeInternal},
		{sqlStateError("23505"), matching.CodeInternal}, // unique_violation
		{sqlStateError("42P01"), matching.CodeInternal}, // undefined_table
		{sqlStateError("28P01"), matching.CodeInternal}, // invalid_password: the operator must fix it
		{unsentError(false), matching.CodeInternal},
		{errors.New("a bug"), matching.CodeInternal},
		{&matching.Error{Code: matching.CodeInvalid, Message: "invalid"}, matching.CodeInvalid},
	} {
		err := tt.err
		if err != nil {
			err = fmt.Errorf("read: %w", err)
		}

		got := fault.Mark(fault.Mark(err)) // must wrap only once
		if matching.CodeOf(got) != tt.want || !errors.Is(got, tt.err) {
			t.Errorf("%v: got %v, want code %q", tt.err, got, tt.want)
		}

		if !tt.want.IsDatabaseFault() {
			continue
		}

		e, _ := errors.AsType[*matching.Error](got)
		if e.RetryAfter <= 0 || matching.CodeOf(e.Cause) == tt.want {
			t.Errorf("%v: got %#v, want RetryAfter and the original cause", tt.err, e)
		}
	}
}
