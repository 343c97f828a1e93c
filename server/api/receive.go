package api

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/internal/admission"
	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api/strictjson"
	"freelancer-matching/server/api/validate"
)

// The limits of receiving bodies. A request holds its slot while its body arrives and until it may run, so they also
// limit the memory for bodies: to 32 MiB of small and 64 MiB of large JSON, 64 MiB of batches, and 88 MiB of
// files.
const (
	smallBody             = 64 << 10 // bytes of JSON; nearly all requests are smaller
	maxSmallBodies        = 512      // at once
	maxAccountSmallBodies = 16       // at once, of one account
	maxLargeBodies        = 64
	maxAccountLargeBodies = 8
	maxUploads            = 8
	maxAccountUploads     = 2
	// maxWaiting is how many requests of one account may wait at one gate, which needs little memory.
	maxWaiting = 64
	// discardTime is the time for the rest of a rejected request to arrive, so that its connection remains usable.
	discardTime = time.Second
)

// CodeIncompleteBody is the code for a body that arrived too slowly or whose end is missing.
const CodeIncompleteBody matching.Code = "incomplete_body"

// A pace is how fast a body must arrive.
type pace struct {
	grace time.Duration // for a body without a single byte
	rate  int64         // bytes that extend the time by a second
	total time.Duration // for the whole body
}

// bodyPace returns the pace of JSON bodies. The slowest mobile networks reach it.
func bodyPace() pace { return pace{grace: 5 * time.Second, rate: 16 << 10, total: 15 * time.Second} }

// uploadPace returns the pace of files. Its total equals the server's limit for every body.
func uploadPace() pace { return pace{grace: 5 * time.Second, rate: 16 << 10, total: 30 * time.Second} }

// timeFor returns how long a body may take of which this many bytes have arrived.
func (p pace) timeFor(received int64) time.Duration {
	return min(p.grace+time.Duration(received)*time.Second/time.Duration(p.rate), p.total)
}

// A pacedBody is the body of a request that fails with os.ErrDeadlineExceeded if it arrives too slowly. Bodies that are
// in memory, such as the dashboard's, never do.
type pacedBody struct {
	io.ReadCloser
	control  *http.ResponseController
	pace     pace
	start    time.Time // of the first Read
	received int64
	err      error // of the last Read, except io.EOF
}

func newPacedBody(w http.ResponseWriter, body io.ReadCloser, p pace) *pacedBody {
	return &pacedBody{ReadCloser: body, control: http.NewResponseController(w), pace: p}
}

// PaceUpload returns a body that fails with os.ErrDeadlineExceeded unless it arrives as fast as a file of /parse must.
// The dashboard uses it for its form with a file, which reaches the API without a connection.
func PaceUpload(w http.ResponseWriter, body io.ReadCloser) io.ReadCloser {
	return newPacedBody(w, body, uploadPace())
}

// Read sets the connection's deadline before each call. When the body is complete, net/http removes the deadline.
func (b *pacedBody) Read(p []byte) (int, error) {
	if b.start.IsZero() {
		b.start = time.Now()
	}
	deadline := b.start.Add(b.pace.timeFor(b.received))
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

// failure returns the error for the client if the body arrived too slowly or its end is missing, and nil otherwise.
func (b *pacedBody) failure() error {
	message := "The body ended before it was complete. Send the request again."
	_, ofConnection := errors.AsType[net.Error](b.err)
	switch {
	case errors.Is(b.err, os.ErrDeadlineExceeded):
		message = fmt.Sprintf("The body arrived too slowly. Send it within %.0f seconds, at %d bytes per second or more.",
			b.pace.total.Seconds(), b.pace.rate)
	case ofConnection, errors.Is(b.err, io.ErrUnexpectedEOF):
	default:
		return nil
	}
	return &matching.Error{Code: CodeIncompleteBody, Message: message, Cause: b.err}
}

// limitDiscard limits how long net/http, before it sends an error response, waits for a body that nobody read. If the
// time is over, net/http closes the connection after the response.
func limitDiscard(c *gin.Context) {
	_ = http.NewResponseController(c.Writer).SetReadDeadline(time.Now().Add(discardTime)) // fails without a connection
}

// A receivedBody is complete and in memory, or has the error that the handler reports.
type receivedBody struct {
	data    []byte // of a form, the file
	request []byte // of a form, the JSON beside the file; nil if there is none
	err     error
	release func() // returns the slot for receiving; nil if there is none; may be called repeatedly
}

// A reception is how a route receives the bodies of its requests.
type reception struct {
	gate func(*http.Request) *admission.Gate
	pace pace
	read func(*http.Request) (receivedBody, error)
}

// receiveJSON returns the reception of JSON bodies.
func (g *gates) receiveJSON() *reception {
	choose := func(r *http.Request) *admission.Gate {
		if r.ContentLength < 0 || r.ContentLength > smallBody { // of unknown length, or large
			return g.largeBodies
		}
		return g.smallBodies
	}
	return &reception{gate: choose, pace: bodyPace(), read: readJSON(maxBody)}
}

// receiveBatch returns the reception of batches of briefs.
func (g *gates) receiveBatch() *reception {
	return &reception{
		gate: func(*http.Request) *admission.Gate { return g.batchBodies }, pace: uploadPace(),
		read: readJSON(maxBatch),
	}
}

// receiveForm returns the reception of forms with a file.
func (g *gates) receiveForm(read func(*http.Request) (receivedBody, error)) *reception {
	return &reception{gate: func(*http.Request) *admission.Gate { return g.uploads }, pace: uploadPace(), read: read}
}

// receive reads the body of a request before the request takes one of the slots for running, so that slow clients block
// only slots for receiving, and of those no more than their account's share. An error in the body is reported by the
// handler, after the request was charged.
func (s *Server) receive(r *reception) gin.HandlerFunc {
	return func(c *gin.Context) {
		leave, err := r.gate(c.Request).Enter(c.Request.Context(), ownerOf(keyOf(c)))
		if err != nil {
			s.refuse(c, err)
			return
		}

		release := sync.OnceFunc(leave)
		defer release()

		paced := newPacedBody(c.Writer, c.Request.Body, r.pace)
		c.Request.Body = paced
		body, err := r.read(c.Request)
		if err != nil {
			if failure := paced.failure(); failure != nil {
				err = failure
			}
		}

		body.err = err
		body.release = release
		c.Set(contextBody, body)
		c.Next()
	}
}

// decodeBody decodes the JSON body that receive has read.
func decodeBody(c *gin.Context, into any, faults *validate.Faults) error {
	b := bodyOf(c)
	if b.err != nil {
		return b.err
	}
	return strictjson.Decode(b.data, into, faults)
}

// bodyOf returns the body that receive has read, or an empty one for a route without receive.
func bodyOf(c *gin.Context) receivedBody {
	value, _ := c.Get(contextBody)
	b, _ := value.(receivedBody)
	return b
}
