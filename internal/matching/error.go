package matching

import (
	"errors"
	"strings"
	"time"
)

// Code identifies a kind of failure; clients see it in error.code.
type Code string

// The codes used below the HTTP layer. server/api maps every code to a status.
const (
	CodeInvalid             Code = "validation_failed"
	CodeNotFound            Code = "not_found"
	CodeFreelancerUnknown   Code = "freelancer_not_found"
	CodeEngineUnavailable   Code = "engine_unavailable"
	CodeEngineTimeout       Code = "engine_timeout"
	CodeIndexUnreadable     Code = "index_unreadable"     // the alias or the index is damaged, or has another format
	CodeRecordDamaged       Code = "record_damaged"       // of the freelancer that the request is about
	CodeDatabaseUnavailable Code = "database_unavailable" // the database of keys and accounts does not answer
	CodeDatabaseLocked      Code = "database_locked"      // another process or transaction holds a lock
	CodeDatabaseCorrupt     Code = "database_corrupt"
	CodeStorageFull         Code = "storage_full"      // the disk of the database is full
	CodeStorageReadOnly     Code = "storage_read_only" // the database or its disk is read-only
	CodeStorageFailed       Code = "storage_failed"    // the disk of the database reports errors
	CodeOverloaded          Code = "overloaded"
	CodeInternal            Code = "internal"
)

// IsDatabaseFault reports whether the code means that the database could not be read or written. The operator has to
// act or wait. The client did nothing wrong.
func (c Code) IsDatabaseFault() bool {
	switch c {
	case CodeDatabaseUnavailable, CodeDatabaseLocked, CodeDatabaseCorrupt,
		CodeStorageFull, CodeStorageReadOnly, CodeStorageFailed:
		return true
	default:
		return false
	}
}

// Error is a failure whose code and message clients may see. The cause is for logs only.
type Error struct {
	Code       Code
	Message    string        // full sentences: the problem, and how to solve it
	Details    []FieldError  // all faults of a request
	RetryAfter time.Duration // 0 if unknown
	Cause      error
}

// FieldError is a fault in one field of a request.
type FieldError struct {
	Field   string `json:"field"` // a path: budget_range[0], filters.min_rating
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error returns code, message and cause.
func (e *Error) Error() string {
	if e.Cause != nil {
		return string(e.Code) + ": " + e.Message + ": " + e.Cause.Error()
	}
	return string(e.Code) + ": " + e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Invalid returns an Error with CodeInvalid that lists all faults, or nil if there are none.
func Invalid(faults []FieldError) error {
	if len(faults) == 0 {
		return nil
	}
	messages := make([]string, len(faults))
	for i, f := range faults {
		messages[i] = f.Message
	}
	return &Error{Code: CodeInvalid, Message: strings.Join(messages, "; "), Details: faults}
}

// CodeOf returns the code of the first Error in err's chain, CodeInternal if there is none, and "" for a nil error.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}
