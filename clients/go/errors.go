package matching

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// What an Error is, for errors.Is.
var (
	ErrAuthentication = errors.New("the key is missing, unknown, expired or revoked")   // 401
	ErrPermission     = errors.New("the key may not do this")                           // 403
	ErrNotFound       = errors.New("no such record, session, load, webhook or path")    // 404
	ErrConflict       = errors.New("the present state forbids the request")             // 409 and 412
	ErrExpired        = errors.New("the service no longer keeps changes that far back") // 410
	ErrValidation     = errors.New("the request or its file is invalid")                // 400, 413, 415 and 422
	ErrRateLimit      = errors.New("a limit is used up")                                // 429
	ErrServer         = errors.New("the service, or something it needs, has a problem") // 5xx
)

// ErrConnection reports that there was no complete response: no connection, a broken one, or none within the time
// limit, in which case the error is context.DeadlineExceeded, too.
var ErrConnection = errors.New("no complete response")

// An Error is an error response of the API. Decide by its Code, which is stable, or with errors.Is:
//
//	errors.Is(err, matching.ErrNotFound)
type Error struct {
	Code       string
	Message    string // explains the problem and how to solve it
	Details    []FieldError
	Status     int // the HTTP status; inside a stream or a batch the one that the code has elsewhere, or 200
	RequestID  string
	RetryAfter time.Duration // 0 if the service named none
}

// Error returns the message, the code and the ID of the request.
func (e *Error) Error() string {
	return fmt.Sprintf("%s (%s, request %s)", e.Message, e.Code, e.RequestID)
}

// Is reports whether the error is of a kind, such as ErrNotFound.
func (e *Error) Is(target error) bool {
	switch e.Status {
	case http.StatusUnauthorized:
		return target == ErrAuthentication
	case http.StatusForbidden:
		return target == ErrPermission
	case http.StatusNotFound:
		return target == ErrNotFound
	case http.StatusConflict, http.StatusPreconditionFailed:
		return target == ErrConflict
	case http.StatusGone:
		return target == ErrExpired
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
		http.StatusUnprocessableEntity:
		return target == ErrValidation
	case http.StatusTooManyRequests:
		return target == ErrRateLimit
	default:
		return target == ErrServer && e.Status >= http.StatusInternalServerError
	}
}

// newError returns the error of a response. Its body may be anything, such as the page of a proxy.
func newError(status int, header http.Header, body []byte) *Error {
	var failure Failure
	_ = json.Unmarshal(body, &failure)

	e := &Error{
		Code: failure.Error.Code, Message: failure.Error.Message, Details: failure.Error.Details,
		Status: status, RequestID: failure.RequestID,
	}
	if e.Code == "" {
		e.Code = "unexpected_response"
		e.Message = fmt.Sprintf("The server responded with status %d and without an error of the API.", status)
		e.RequestID = header.Get("X-Request-Id")
	}

	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}

// statusOf returns the status of errors that end streams, and of briefs that fail in a batch, or else 200.
func statusOf(code string) int {
	switch code {
	case "revoked_api_key", "expired_api_key", "disabled_api_key":
		return http.StatusUnauthorized
	case "permission_required":
		return http.StatusForbidden
	case "cursor_expired":
		return http.StatusGone
	case "body_too_large":
		return http.StatusRequestEntityTooLarge
	case "validation_failed":
		return http.StatusUnprocessableEntity
	case "quota_exceeded", "rate_limit_exceeded", "change_limit_exceeded", "freelancer_limit_exceeded":
		return http.StatusTooManyRequests
	case "internal":
		return http.StatusInternalServerError
	case "overloaded", "not_processed":
		return http.StatusServiceUnavailable
	case "engine_timeout":
		return http.StatusGatewayTimeout
	default:
		return http.StatusOK
	}
}

// newStreamError returns the error that a line or an event of a stream, or a result of a batch, contains.
func newStreamError(body []byte) *Error {
	e := newError(http.StatusOK, http.Header{}, body)
	e.Status = statusOf(e.Code)
	return e
}

// asError returns the error of the API in err, or nil.
func asError(err error) *Error {
	var found *Error
	errors.As(err, &found)
	return found
}

// retryAfter returns how long to wait according to the service, or 0.
func retryAfter(err error) time.Duration {
	if answered := asError(err); answered != nil {
		return answered.RetryAfter
	}
	return 0
}

// connectionError reports that a response is missing or incomplete.
func connectionError(cause error) error {
	return fmt.Errorf("%w: %w", ErrConnection, cause)
}
