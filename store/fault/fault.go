// Package fault recognizes errors of drivers that mean that a database can't be read or written.
package fault

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// Mark wraps an error that means that the database cannot be read or written in a matching.Error with one of the codes
// of matching.Code.IsDatabaseFault. It returns other errors, and nil, unchanged.
func Mark(err error) error {
	if err == nil || matching.CodeOf(err).IsDatabaseFault() {
		return err
	}
	code := of(err)
	if code == "" {
		return err
	}
	return New(code, err)
}

// New returns a database fault with its message for clients.
func New(code matching.Code, cause error) *matching.Error {
	message, retryAfter := describe(code)
	return &matching.Error{Code: code, Message: message, RetryAfter: retryAfter, Cause: cause}
}

// describe returns the message of a database fault, and when a client may retry. A fault that ends only when an
// operator acts gets a longer time.
func describe(code matching.Code) (message string, retryAfter time.Duration) {
	switch code {
	case matching.CodeStorageFull:
		return "The disk of the service's database is full. Nothing was stored. " +
			"Retry when the operator has freed space.", time.Minute
	case matching.CodeStorageReadOnly:
		return "The service's database is read-only. Nothing was stored. " +
			"Retry when the operator has made it writable.", time.Minute
	case matching.CodeStorageFailed:
		return "The disk of the service's database reports errors. " +
			"Retry when the operator has checked the disk.", time.Minute
	case matching.CodeDatabaseCorrupt:
		return "The service's database is damaged. " +
			"Retry when the operator has restored a backup.", 5 * time.Minute
	case matching.CodeDatabaseLocked:
		return "The service's database is locked by another process or transaction. Retry in a moment.", time.Second
	default:
		return "The database does not respond. Retry in a moment.", time.Second
	}
}

// of returns the code of the database fault that an error means, or "" if it means none. A canceled context says
// nothing about the database.
func of(err error) matching.Code {
	if errors.Is(err, context.Canceled) {
		return ""
	}

	if sqliteErr, ok := errors.AsType[interface {
		error
		Code() int
	}](err); ok {
		if code := ofResult(sqliteErr.Code()); code != "" {
			return code
		}
	}

	if stateErr, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok {
		if code := ofState(stateErr.SQLState()); code != "" {
			return code
		}
	}

	// The PostgreSQL driver has this method for statements that it could not send, such as on a closed connection.
	if unsent, ok := errors.AsType[interface {
		error
		SafeToRetry() bool
	}](err); ok && unsent.SafeToRetry() {
		return matching.CodeDatabaseUnavailable
	}

	signs := []error{context.DeadlineExceeded, driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF}
	if slices.ContainsFunc(signs, func(sign error) bool { return errors.Is(err, sign) }) {
		return matching.CodeDatabaseUnavailable
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return matching.CodeDatabaseUnavailable
	}

	return ""
}

// ofResult classifies the result codes of SQLite (https://www.sqlite.org/rescode.html). The lowest byte of an
// extended code is the primary one.
func ofResult(result int) matching.Code {
	switch result {
	case 19<<8 | 10: // SQLITE_IOERR_SHMSIZE: no space for the index of the write-ahead log
		return matching.CodeStorageFull
	case 32<<8 | 10, 33<<8 | 10: // SQLITE_IOERR_DATA, SQLITE_IOERR_CORRUPTFS: wrong checksums
		return matching.CodeDatabaseCorrupt
	}

	switch result & 0xff {
	case 13: // SQLITE_FULL
		return matching.CodeStorageFull
	case 3, 8: // SQLITE_PERM, SQLITE_READONLY
		return matching.CodeStorageReadOnly
	case 10, 14: // SQLITE_IOERR, SQLITE_CANTOPEN
		return matching.CodeStorageFailed
	case 11, 26: // SQLITE_CORRUPT, SQLITE_NOTADB
		return matching.CodeDatabaseCorrupt
	case 5, 6, 15: // SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL
		return matching.CodeDatabaseLocked
	default:
		return ""
	}
}

// ofState classifies the SQLSTATE codes of appendix A of the PostgreSQL manual.
func ofState(state string) matching.Code {
	switch state {
	case "53100": // disk_full
		return matching.CodeStorageFull
	case "25006": // read_only_sql_transaction
		return matching.CodeStorageReadOnly
	case "58030": // io_error
		return matching.CodeStorageFailed
	case "XX001", "XX002": // data_corrupted, index_corrupted
		return matching.CodeDatabaseCorrupt
	case "40001", "40P01", "55P03": // serialization_failure, deadlock_detected, lock_not_available
		return matching.CodeDatabaseLocked
	case
		"53200", // out_of_memory
		"53300", // too_many_connections
		"57014", // query_canceled, by its timeout
		"57P01", // admin_shutdown
		"57P02", // crash_shutdown
		"57P03": // cannot_connect_now
		return matching.CodeDatabaseUnavailable
	}

	if strings.HasPrefix(state, "08") { // connection exception
		return matching.CodeDatabaseUnavailable
	}

	return ""
}
