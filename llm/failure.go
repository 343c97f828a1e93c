package llm

import (
	"errors"
	"time"
)

// The failures that callers tell apart. One that is neither is the caller's own context.Canceled.
var (
	// ErrUnavailable passes by itself: the server is busy, gone, too slow, or was left alone because it kept failing.
	ErrUnavailable = errors.New("model server unavailable")
	// ErrConfiguration stays until somebody changes a setting or the server: a wrong URL, key, model or size.
	ErrConfiguration = errors.New("model server or its settings at fault")
)

// failure is what went wrong with one call.
type failure struct {
	kind       error // ErrUnavailable or ErrConfiguration
	text       string
	cause      error         // nil where the server said it in words
	status     int           // of the HTTP answer; 0: there was none, or it could not be read
	retryAfter time.Duration // how long the server asks to be left alone; 0: it does not say
}

func (f *failure) Error() string { return f.kind.Error() + ": " + f.text }

func (f *failure) Unwrap() []error {
	if f.cause == nil {
		return []error{f.kind}
	}
	return []error{f.kind, f.cause}
}
