package account

import (
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// The error codes of this package. Its methods also return matching.CodeInvalid with the faults of a form,
// matching.CodeNotFound, matching.CodeOverloaded, and the codes of package apikey.
const (
	CodeEmailTaken        matching.Code = "email_taken"
	CodeWrongCredentials  matching.Code = "wrong_credentials" //nolint:gosec // G101: not a password
	CodeWrongCode         matching.Code = "wrong_code"
	CodeTooManyAttempts   matching.Code = "too_many_failed_attempts" // with RetryAfter
	CodeLinkSpent         matching.Code = "link_spent"
	CodeSignUpClosed      matching.Code = "sign_up_closed"
	CodeSessionEnded      matching.Code = "session_ended"
	CodeAccountDisabled   matching.Code = "account_disabled"
	CodeNotAllowed        matching.Code = "not_allowed" // the user's role does not permit it
	CodeLastOwner         matching.Code = "last_owner"
	CodeLastAdministrator matching.Code = "last_administrator"
	CodeOwnAccount        matching.Code = "own_account" // administrators would lock themselves out
)

func errWrongCredentials() error {
	return &matching.Error{Code: CodeWrongCredentials, Message: "The email address or the password is wrong."}
}

func errTooManyAttempts(wait time.Duration) error {
	return &matching.Error{
		Code: CodeTooManyAttempts, Message: "There were too many attempts. Wait a while, then try again.", RetryAfter: wait,
	}
}

func errSessionEnded() error {
	return &matching.Error{Code: CodeSessionEnded, Message: "Your session has ended. Sign in again."}
}

func errAccountDisabled() error {
	return &matching.Error{
		Code: CodeAccountDisabled, Message: "This account is disabled. Ask the operator of this service.",
	}
}

// withCode wraps an error of a Store in a matching.Error with a message for people. It returns other errors unchanged.
func withCode(err error) error {
	if _, ok := errors.AsType[*matching.Error](err); ok {
		return err
	}

	e := &matching.Error{Cause: err}
	switch {
	case errors.Is(err, ErrNotFound):
		e.Code = matching.CodeNotFound
		e.Message = "There is no such account, user or link."
	case errors.Is(err, ErrEmailTaken):
		e.Code = CodeEmailTaken
		e.Message = "A user with this email address exists. Sign in, or use another address."
	case errors.Is(err, ErrLinkSpent):
		e.Code = CodeLinkSpent
		e.Message = "This link was used or revoked, or has expired. Ask for a new one."
	case errors.Is(err, ErrNotFirst):
		e.Code = CodeLinkSpent
		e.Message = "The service is already set up. Sign in instead."
	default:
		return err
	}

	return e
}

func fieldError(field, code, message string) matching.FieldError {
	return matching.FieldError{Field: field, Code: code, Message: message}
}

func invalidRole(role Role) matching.FieldError {
	return fieldError("role", "unknown", fmt.Sprintf("role must be member, owner or administrator, got %q", role))
}
