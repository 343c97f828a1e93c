package account

import (
	"errors"
	"time"

	"freelancer-matching/internal/matching"
)

// The codes of failures that are to be expected, each with a message for people. Beside them there are matching.CodeInvalid
// with the faults of a form, matching.CodeNotFound, matching.CodeOverloaded, and those of package apikey for keys.
const (
	CodeEmailTaken        matching.Code = "email_taken"
	CodeWrongCredentials  matching.Code = "wrong_credentials"        //nolint:gosec // G101 takes the word for a secret
	CodeTooManyAttempts   matching.Code = "too_many_failed_attempts" // with RetryAfter
	CodeLinkSpent         matching.Code = "link_spent"
	CodeSignUpClosed      matching.Code = "sign_up_closed"
	CodeSessionEnded      matching.Code = "session_ended"
	CodeAccountDisabled   matching.Code = "account_disabled"
	CodeNotAllowed        matching.Code = "not_allowed" // by the role
	CodeLastOwner         matching.Code = "last_owner"
	CodeLastAdministrator matching.Code = "last_administrator"
	CodeOwnAccount        matching.Code = "own_account" // an administrator would lock himself out
)

func errWrongCredentials() error {
	return &matching.Error{Code: CodeWrongCredentials, Message: "e-mail address or password is wrong"}
}

func errTooManyAttempts(wait time.Duration) error {
	return &matching.Error{
		Code: CodeTooManyAttempts, Message: "there were too many attempts; wait a while before the next one", RetryAfter: wait,
	}
}

func errSessionEnded() error {
	return &matching.Error{Code: CodeSessionEnded, Message: "the session has ended; sign in again"}
}

func errAccountDisabled() error {
	return &matching.Error{Code: CodeAccountDisabled, Message: "the account is disabled; ask whoever runs this service"}
}

// expected gives what a Store answers a code and a message for people; any other error stays as it is.
func expected(err error) error {
	if _, ok := errors.AsType[*matching.Error](err); ok {
		return err
	}
	var code matching.Code
	var message string
	switch {
	case errors.Is(err, ErrNotFound):
		code, message = matching.CodeNotFound, "there is no such account, user or link any more"
	case errors.Is(err, ErrEmailTaken):
		code, message = CodeEmailTaken, "there is a user with this e-mail address; sign in, or use another address"
	case errors.Is(err, ErrLinkSpent):
		code, message = CodeLinkSpent, "the link was used, revoked, or is out of date; ask for a new one"
	case errors.Is(err, ErrNotFirst):
		code, message = CodeLinkSpent, "the service has been set up already; sign in"
	default:
		return err
	}
	return &matching.Error{Code: code, Message: message, Cause: err}
}
