package receive

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// CodeIncompleteBody is the code for a body that arrived too slowly or whose end is missing.
const CodeIncompleteBody matching.Code = "incomplete_body"

// A Pace is how fast a body must arrive.
type Pace struct {
	Grace time.Duration // for a body without a single byte
	Rate  int64         // bytes that extend the time by a second
	Total time.Duration // for the whole body
}

// TimeFor returns how long a body may take of which this many bytes have arrived.
func (p Pace) TimeFor(received int64) time.Duration {
	return min(p.Grace+time.Duration(received)*time.Second/time.Duration(p.Rate), p.Total)
}

// JSONPace returns the pace of JSON bodies. The slowest mobile networks reach it.
func JSONPace() Pace { return Pace{Grace: 5 * time.Second, Rate: 16 << 10, Total: 15 * time.Second} }

// UploadPace returns the pace of files. Its total equals the server's limit for every body.
func UploadPace() Pace { return Pace{Grace: 5 * time.Second, Rate: 16 << 10, Total: 30 * time.Second} }

// A PacedBody is the body of a request that fails with os.ErrDeadlineExceeded if it arrives too slowly. Bodies that are
// in memory, such as the dashboard's, never do.
type PacedBody struct {
	io.ReadCloser
	control  *http.ResponseController
	pace     Pace
	start    time.Time // of the first Read
	received int64
	err      error // of the last Read, except io.EOF
}

// Read sets the connection's deadline before each call. When the body is complete, net/http removes the deadline.
func (b *PacedBody) Read(p []byte) (int, error) {
	if b.start.IsZero() {
		b.start = time.Now()
	}
	deadline := b.start.Add(b.pace.TimeFor(b.received))
	if err := b.control.SetReadDeadline(deadline); err != nil && !errors.Is(err, http.ErrNotSupported) {
		b.err = err
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	b.received += int64(n)
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

// Failure returns the error for the client if the body arrived too slowly or its end is missing, and nil otherwise.
func (b *PacedBody) Failure() error {
	message := "The body ended before it was complete. Send the request again."
	_, ofConnection := errors.AsType[net.Error](b.err)
	switch {
	case errors.Is(b.err, os.ErrDeadlineExceeded):
		message = fmt.Sprintf("The body arrived too slowly. Send it within %.0f seconds, at %d bytes per second or more.",
			b.pace.Total.Seconds(), b.pace.Rate)
	case ofConnection, errors.Is(b.err, io.ErrUnexpectedEOF):
	default:
		return nil
	}
	return &matching.Error{Code: CodeIncompleteBody, Message: message, Cause: b.err}
}

// NewPacedBody returns the body of a request, whose time begins with the first Read.
func NewPacedBody(w http.ResponseWriter, body io.ReadCloser, p Pace) *PacedBody {
	return &PacedBody{ReadCloser: body, control: http.NewResponseController(w), pace: p}
}

// discardTime is the time for the rest of a rejected request to arrive, so that its connection remains usable.
const discardTime = time.Second

// LimitDiscard limits how long net/http, before it sends an error response, waits for a body that nobody read. If the
// time is over, net/http closes the connection after the response.
func LimitDiscard(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(discardTime)) // fails without a connection
}
