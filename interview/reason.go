package interview

import "errors"

// A Reason is why a model could not generate a question or judge an answer. Notices say it in words.
type Reason string

// The reasons.
const (
	ReasonTimeout       Reason = "timeout"
	ReasonSlow          Reason = "slow"           // no question within the time that a person waits
	ReasonUnavailable   Reason = "unavailable"    // not reachable, overloaded, or paused after failures
	ReasonSettings      Reason = "settings"       // wrong until an operator changes a setting or the server
	ReasonContext       Reason = "context"        // the texts are longer than what the model can read at once
	ReasonCutOff        Reason = "cut_off"        // the reply reached its maximum length
	ReasonReply         Reason = "reply"          // refused, invalid, or rejected by the checks
	ReasonBudget        Reason = "budget"         // of the account, for the day
	ReasonServiceBudget Reason = "service_budget" // of all accounts together, for the day
)

// WithReason returns the error of an Asker or a Judge with its reason.
func WithReason(err error, reason Reason) error { return &reasonedError{err, reason} }

// ReasonOf returns the reason of an error. An error without one is a reply that breaks the contract of Asker or Judge.
func ReasonOf(err error) Reason {
	if e, ok := errors.AsType[*reasonedError](err); ok {
		return e.reason
	}
	return ReasonReply
}

// reasonedError is an error with a reason for people. The error itself is for logs.
type reasonedError struct {
	error
	reason Reason
}

func (e *reasonedError) Unwrap() error { return e.error }
