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

const retryAfter = time.Second

// markUnavailable wraps an error that means that the database does not answer in a matching.Error with
// CodeDatabaseUnavailable. It returns other errors, and nil, unchanged.
func markUnavailable(err error) error {
	if err == nil || !isUnavailable(err) || matching.CodeOf(err) == matching.CodeDatabaseUnavailable {
		return err
	}
	return &matching.Error{
		Code: matching.CodeDatabaseUnavailable, Message: "The database does not respond. Retry in a moment.",
		RetryAfter: retryAfter, Cause: err,
	}
}

// isUnavailable reports whether an error means that the database does not answer: it is unreachable, starting or
// stopping, the connection broke, or a deadline passed. A canceled context says nothing about the database.
func isUnavailable(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	signs := []error{context.DeadlineExceeded, driver.ErrBadConn, io.EOF, io.ErrUnexpectedEOF}
	if slices.ContainsFunc(signs, func(sign error) bool { return errors.Is(err, sign) }) {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	stateErr, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err)
	return ok && isUnavailableState(stateErr.SQLState())
}

// isUnavailableState classifies the SQLSTATE codes of appendix A of the PostgreSQL manual.
func isUnavailableState(state string) bool {
	states := []string{
		"53300", // too_many_connections
		"55P03", // lock_not_available
		"57014", // query_canceled, by its timeout
		"57P01", // admin_shutdown
		"57P02", // crash_shutdown
		"57P03", // cannot_connect_now
	}
	return strings.HasPrefix(state, "08") || slices.Contains(states, state) // 08: connection exception
}
