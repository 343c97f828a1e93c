package llm

import (
	"errors"
	"time"
)

// The failures that callers tell apart. An error is of one kind, or the caller's own context.Canceled. None of them tells
// anything of the texts that were sent or came back, nor the key: they may be logged.
var (
	// ErrUnavailable passes by itself: the server is busy, gone, too slow, or was left alone because it kept failing.
	ErrUnavailable = errors.New("model server unavailable")
	// ErrConfiguration stays until somebody changes a setting or the server: a wrong URL, key, model or size.
	ErrConfiguration = errors.New("model server or its settings at fault")
	// ErrTimeout is a task whose time ran out; a later one may do. On the wire it is llm_timeout.
	ErrTimeout = errors.New("model too slow")
	// ErrReply is a model that does not do a task: it refuses, a filter holds its reply back, the reply is longer than it
	// may be, or does not fit what was asked for, also after its repair. On the wire it is llm_failed.
	ErrReply = errors.New("model reply unusable")
	// ErrBudget is a task that would take more tokens than it, or its account that day, may.
	ErrBudget = errors.New("token budget used up")
)

// failure is what went wrong with one call.
type failure struct {
	kind       error // one of the above
	text       string
	cause      error         // nil where the server said it in words
	status     int           // of the HTTP answer; 0: there was none, or it could not be read
	retryAfter time.Duration // how long the server asks to be left alone; 0: it does not say
	words      string        // the server's own, redacted: which field it refuses
	alive      bool          // a working server may answer so
	final      bool          // not to be tried again, though it may pass: half of a stream has been given away
}

func (f *failure) Error() string { return f.kind.Error() + ": " + f.text }

func (f *failure) Unwrap() []error {
	if f.cause == nil {
		return []error{f.kind}
	}
	return []error{f.kind, f.cause}
}
