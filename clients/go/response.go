package matching

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
)

// A deadline ends an attempt after a time in which nothing arrives.
type deadline struct {
	cancel  context.CancelCauseFunc
	cause   func() error // nil until the attempt has ended
	timer   *time.Timer  // nil without a limit
	timeout time.Duration
}

// startDeadline starts a deadline and returns the context that it cancels. A timeout of 0 is no limit.
func startDeadline(ctx context.Context, timeout time.Duration) (context.Context, *deadline) {
	ctx, cancel := context.WithCancelCause(ctx)
	d := &deadline{cancel: cancel, cause: func() error { return context.Cause(ctx) }, timeout: timeout}
	if timeout > 0 {
		d.timer = time.AfterFunc(timeout, func() { cancel(context.DeadlineExceeded) })
	}
	return ctx, d
}

// restart gives the attempt its whole time again.
func (d *deadline) restart() {
	if d.timer != nil {
		d.timer.Reset(d.timeout)
	}
}

// rest stops the clock while nothing is awaited from the server.
func (d *deadline) rest() {
	if d.timer != nil {
		d.timer.Stop()
	}
}

// end ends the attempt.
func (d *deadline) end() {
	d.rest()
	d.cancel(context.Canceled)
}

// explain returns why the attempt ended, if the deadline ended it, and otherwise err.
func (d *deadline) explain(err error) error {
	if cause := d.cause(); cause != nil {
		return cause
	}
	return err
}

// A response has begun, and its body is still to be read.
type response struct {
	body     io.ReadCloser
	deadline *deadline
}

// all reads the whole body, for which the attempt has the time that remains.
func (r *response) all() ([]byte, error) {
	body, err := io.ReadAll(r.body)
	if err != nil {
		return nil, connectionError(r.deadline.explain(err))
	}
	return body, nil
}

// Read reads a part of the body. The deadline limits the wait for each part.
func (r *response) Read(p []byte) (int, error) {
	r.deadline.restart()
	n, err := r.body.Read(p)
	r.deadline.rest()
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.deadline.explain(err)
	}
	return n, err
}

// Close ends the attempt. The connection is used again if the body has been read to its end.
func (r *response) Close() error {
	err := r.body.Close()
	r.deadline.end()
	return err
}

// lines iterates over the lines of the body, without their ends. What follows the last end of a line was cut off,
// because every stream of the service ends with one. An error comes last.
func (r *response) lines() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		buffered := bufio.NewReader(r)
		for {
			line, err := buffered.ReadString('\n')
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield("", connectionError(err))
				return
			}
			if !yield(strings.TrimRight(line, "\r\n"), nil) {
				return
			}
		}
	}
}

// A serverEvent is a server-sent event as it arrives, or a comment, which says that the server is alive.
type serverEvent struct {
	kind, id, data string
	isComment      bool
}

// events iterates over the server-sent events of the body. An event that is cut off is left out. An error comes last.
func (r *response) events() iter.Seq2[serverEvent, error] {
	return func(yield func(serverEvent, error) bool) {
		var event serverEvent
		for line, err := range r.lines() {
			switch name, value, _ := strings.Cut(line, ":"); {
			case err != nil:
				yield(serverEvent{}, err)
				return
			case line != "" && name == "":
				if !yield(serverEvent{isComment: true}, nil) {
					return
				}
			case line == "" && event.data != "":
				if !yield(event, nil) {
					return
				}
				event = serverEvent{id: event.id}
			case name == "event":
				event.kind = strings.TrimPrefix(value, " ")
			case name == "id":
				event.id = strings.TrimPrefix(value, " ")
			case name == "data": // the service sends one line of data for each event
				event.data = strings.TrimPrefix(value, " ")
			}
		}
	}
}

// errBroken reports that a stream broke off after its connection was made.
var errBroken = errors.New("the stream broke off")

// connect calls next for each event and comment of one connection, until next returns false or an error.
func (t *transport) connect(ctx context.Context, r request, next func(serverEvent) (bool, error)) error {
	opened, err := t.open(ctx, r)
	if err != nil {
		return err
	}
	defer opened.Close()

	for event, err := range opened.events() {
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("%w: %w", errBroken, err)
		}
		if err != nil {
			return context.Cause(ctx)
		}
		if event.kind == "error" {
			return newStreamError([]byte(event.data))
		}

		mayContinue, err := next(event)
		if err != nil || !mayContinue {
			return err
		}
	}
	return connectionError(errBroken)
}
