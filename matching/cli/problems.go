package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	// problemWait is how long to wait at least after a problem of the server.
	problemWait = 5 * time.Second
	// maxRetryAfter is the longest wait that a limit may demand. A limit of 30 days ends the command.
	maxRetryAfter = 2 * time.Minute
)

// problems decide which errors end a command that runs until Ctrl-C.
type problems struct {
	stderr io.Writer
	last   string // error, which isn't printed twice in a row
}

// tolerate prints an error that may go away by itself, and returns how long to wait for that. It returns other errors,
// and 0 without an error.
func (p *problems) tolerate(err error) (wait time.Duration, _ error) {
	if err == nil {
		p.last = ""
		return 0, nil
	}
	after, isTransient := retryAfter(err)
	if !isTransient {
		return 0, err
	}

	if err.Error() != p.last {
		fmt.Fprintf(p.stderr, "%s\nTrying again.\n", err)
	}
	p.last = err.Error()
	return max(problemWait, after), nil
}

// retryAfter returns how long to wait after an error that may go away by itself, and whether it may: the server doesn't
// respond, is overloaded or restarts, or a limit of a minute is used up.
func retryAfter(err error) (wait time.Duration, isTransient bool) {
	if _, ok := errors.AsType[*unreachableError](err); ok {
		return 0, true
	}
	if foreign, ok := errors.AsType[*foreignError](err); ok {
		return 0, foreign.status >= http.StatusInternalServerError // a proxy without the server
	}
	failure, ok := errors.AsType[*apiError](err)
	if !ok {
		return 0, false
	}
	seconds, _ := strconv.Atoi(failure.retryAfter)
	wait = time.Duration(seconds) * time.Second
	isServers := failure.status >= http.StatusInternalServerError
	return wait, (isServers || failure.status == http.StatusTooManyRequests) && wait <= maxRetryAfter
}
