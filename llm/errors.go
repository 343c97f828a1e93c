package llm

import (
	"errors"
	"fmt"
	"time"
)

// Every error wraps exactly one of these, or context.Canceled. Error texts never contain the key, nor anything of the
// texts that were sent or received, so they may be logged.
var (
	// ErrUnavailable is temporary: the server is busy, down or too slow, or calls are paused because it kept failing.
	ErrUnavailable = errors.New("model server unavailable")
	// ErrConfiguration lasts until somebody changes a setting or the server: a wrong URL, key, model or size.
	ErrConfiguration = errors.New("model server misconfigured")
	// ErrTimeout means that a task ran out of time. The API's code is llm_timeout.
	ErrTimeout = errors.New("model too slow")
	// ErrReply means that the model failed to do the task: it refused, a content filter stopped it, or its reply was too
	// long or still invalid after a repair. The API's code is llm_failed.
	ErrReply = errors.New("model reply unusable")
	// ErrBudget means that a call could exceed the limit for one call, or what its account has left for the day.
	ErrBudget = errors.New("token budget exhausted")
	// ErrServiceBudget is the ErrBudget that all accounts together have used up. Operators should be alerted to it.
	ErrServiceBudget = fmt.Errorf("%w for the whole service", ErrBudget)
)

// The causes of failures for which people get reasons of their own.
var (
	ErrContext = errors.New("the texts are longer than the model's context")
	ErrCutOff  = errors.New("the reply reached its maximum length")
)

// failure is the error of one call.
type failure struct {
	kind       error // one of the errors above
	text       string
	cause      error         // nil if the server explained the failure
	status     int           // of the response, or of the error in a response with status 200; 0: no readable response
	retryAfter time.Duration // requested by the server; 0: none
	message    string        // of the server, redacted; may name the field that it rejects
	alive      bool          // a working server may fail like this, so the circuit breaker ignores it
	inSuccess  bool          // the response has status 200 and an error
	final      bool          // not to be retried, because part of a stream has been delivered
}

func (f *failure) Error() string { return f.kind.Error() + ": " + f.text }

func (f *failure) Unwrap() []error {
	if f.cause == nil {
		return []error{f.kind}
	}
	return []error{f.kind, f.cause}
}
