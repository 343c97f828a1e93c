package matching

import (
	"errors"
	"strings"
	"time"
)

// Code is a stable word for a kind of failure, as clients see it in error.code.
type Code string

// The codes that packages below the HTTP layer use. The table that maps every code to a status is in server/api.
const (
	CodeInvalid             Code = "validation_failed"
	CodeNotFound            Code = "not_found"
	CodeFreelancerUnknown   Code = "freelancer_not_found"
	CodeEngineUnavailable   Code = "engine_unavailable"
	CodeEngineTimeout       Code = "engine_timeout"
	CodeDatabaseUnavailable Code = "database_unavailable" // of keys and accounts
	CodeOverloaded          Code = "overloaded"
	CodeInternal            Code = "internal"
)

// Error is a failure whose code and message may be shown to a client. Its cause is for logs only.
type Error struct {
	Code       Code
	Message    string        // what is wrong and what would be right, one sentence without a final dot
	Details    []FieldError  // the faults of a request, all at once
	RetryAfter time.Duration // 0: not said
	Cause      error
}

// FieldError is one fault in one field of a request.
type FieldError struct {
	Field   string `json:"field"` // a path: budget_range[0], filters.min_rating
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error is the public message, followed by the cause.
func (e *Error) Error() string {
	if e.Cause != nil {
		return string(e.Code) + ": " + e.Message + ": " + e.Cause.Error()
	}
	return string(e.Code) + ": " + e.Message
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Invalid is the Error with the code CodeInvalid that tells all faults, nil for none.
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

// CodeOf is the code of the first Error in err's chain, CodeInternal for any other failure, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return CodeInternal
}
