package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"freelancer-matching/internal/matching"
)

// retryAfter is when to ask again what the database did not answer.
const retryAfter = time.Second

// answered gives an error that means that the database does not answer the code CodeDatabaseUnavailable. Any other error, and
// nil, stays as it is.
func answered(err error) error {
	if err == nil || !silent(err) || matching.CodeOf(err) == matching.CodeDatabaseUnavailable {
		return err
	}
	return &matching.Error{
		Code: matching.CodeDatabaseUnavailable, Message: "the database of the service does not answer; try again in a moment",
		RetryAfter: retryAfter, Cause: err,
	}
}

// silent reports whether an error means that the database does not answer: it cannot be reached, the connection broke off, it
// starts or stops, or it has not answered until a deadline. That whoever asked has gone says nothing of it.
func silent(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	unreached := []error{context.DeadlineExceeded, driver.ErrBadConn, io.EOF, io.ErrUnexpectedEOF}
	if slices.ContainsFunc(unreached, func(sign error) bool { return errors.Is(err, sign) }) {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	fault, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err)
	return ok && silentState(fault.SQLState())
}

// silentState reports whether a state of SQL, by appendix A of the manual of PostgreSQL, is one of a server that does not answer.
func silentState(state string) bool {
	states := []string{
		"53300", // too many connections
		"55P03", // a lock was not to be had in time
		"57014", // the statement took longer than its timeout
		"57P01", // it is told to stop,
		"57P02", // has crashed,
		"57P03", // or is not ready yet
	}
	return strings.HasPrefix(state, "08") || slices.Contains(states, state) // 08: of the connection
}
