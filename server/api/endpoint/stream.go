package endpoint

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// NewStream returns a stream that gives a client this much time to receive each part.
func NewStream(call *Call, timeout time.Duration) *Stream {
	return &Stream{w: call.Response, control: http.NewResponseController(call.Response), timeout: timeout}
}

// A Stream writes a response with a deadline for each write instead of one for the whole response.
type Stream struct {
	w       io.Writer
	control *http.ResponseController
	timeout time.Duration
}

// Write writes a part of the response. Its error wraps ErrClientGone.
func (s *Stream) Write(p []byte) (int, error) {
	if err := s.setDeadline(time.Now().Add(s.timeout)); err != nil {
		return 0, err
	}
	n, err := s.w.Write(p)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrClientGone, err)
	}
	return n, err
}

// End flushes the response and removes the deadline, because the connection may serve further requests.
func (s *Stream) End() error {
	if err := s.Flush(); err != nil {
		return err
	}
	return s.setDeadline(time.Time{})
}

// Flush sends what is buffered.
func (s *Stream) Flush() error {
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("%w: %w", ErrClientGone, err)
	}
	return nil
}

// setDeadline does nothing if there is no connection, as in tests with a recorder.
func (s *Stream) setDeadline(at time.Time) error {
	if err := s.control.SetWriteDeadline(at); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("%w: %w", ErrClientGone, err)
	}
	return nil
}
