package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/freelancers"
	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api/strictjson"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

const (
	linesType = "application/x-ndjson"

	// bulkTime limits a stream of changes, at whose end the client sends the rest in another request.
	bulkTime = 10 * time.Minute
	// bulkBuffer is the number of bytes read ahead, which also limits a batch unless its only line is longer.
	bulkBuffer = 256 << 10
	// bulkLines is the number of lines in a batch.
	bulkLines = 256
	// checkKeyEvery is how long a stream may continue after its key was revoked.
	checkKeyEvery = time.Second
	// maxBulks limits concurrent streams of changes, which need a core each.
	maxBulks        = 8
	maxAccountBulks = 2
	// batchTime limits the changes of one batch.
	batchTime = time.Minute
)

// bulkPace returns the pace of a stream of changes.
func bulkPace() pace { return pace{grace: 15 * time.Second, rate: 1 << 10, total: bulkTime} }

// A bulk is a stream of changes. It reads as many lines as have arrived, up to a batch, makes their changes and writes
// their results, before it reads on. So it holds one batch in memory, and a client that waits for the results of the
// lines it has sent gets them.
type bulk struct {
	*Server
	c       *gin.Context
	kind    freelancers.Kind // of lines that don't delete
	readmit bool
	body    *pacedBody
	in      *bufio.Reader
	out     stream
	line    int       // the last line read
	checked time.Time // when the key was last looked up
	summary wire.BulkSummary
}

// changeFreelancers makes the changes in the lines of the request.
func (s *Server) changeFreelancers(c *gin.Context) error {
	var faults validate.Faults
	parameters := validate.Query(c.Request.URL.RawQuery, &faults, "patch", parameterReadmit)
	b := &bulk{Server: s, c: c, readmit: validate.Boolean(&faults, parameterReadmit, parameters), checked: time.Now()}

	if validate.Boolean(&faults, "patch", parameters) {
		b.kind = freelancers.Patch
		if b.readmit {
			faults.Add(parameterReadmit, "contradiction",
				"readmit has no use with patch, which changes existing freelancers only.")
		}
	}

	if err := checkLines(c.Request); err != nil {
		return err
	}
	if err := faults.Err(); err != nil {
		return err
	}

	control := http.NewResponseController(c.Writer)
	if err := control.EnableFullDuplex(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("stream changes: %w", err)
	}
	b.body = newPacedBody(c.Writer, c.Request.Body, bulkPace())
	c.Request.Body = b.body
	b.in = bufio.NewReaderSize(b.body, bulkBuffer)
	b.out = stream{w: c.Writer, control: control, timeout: s.deps.RequestTimeout}

	return b.run()
}

// checkLines checks the headers of a request with lines.
func checkLines(r *http.Request) error {
	if r.ContentLength == 0 {
		return strictjson.Malformed("The body is empty; send one JSON object per line.")
	}
	if err := checkEncoding(r.Header); err != nil {
		return err
	}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != linesType && media != "application/jsonl" {
		return wrongContentType(r.Header, linesType)
	}
	return nil
}

// run makes changes until the body or the time ends. An error before the first result becomes an ordinary error
// response; a later one becomes the last line.
func (b *bulk) run() error {
	ended, err := b.eachBatch()
	switch {
	case errors.Is(err, errClientGone):
		return err
	case err != nil && !b.c.Writer.Written():
		b.writeError(b.c, err)
		err = nil
	case err != nil:
		e := b.publicError(b.c.Request.Context(), requestID(b.c), err)
		b.c.Set(contextCode, string(e.Code))
		err = b.write(wire.NewFailure(requestID(b.c), e))

	default:
		b.summary.Status, b.summary.RequestID, b.summary.TookMS = "success", requestID(b.c), tookMS(b.c)
		err = b.write(b.summary)
	}

	if err == nil {
		err = b.out.end()
	}

	if !ended { // closing a connection with unread data could cut the response
		_ = b.out.control.SetReadDeadline(time.Now().Add(discardTime)) // fails without a connection
		_, _ = io.Copy(io.Discard, b.body.ReadCloser)
	}

	return err
}

// eachBatch makes the changes of each batch. It reports whether the body has ended.
func (b *bulk) eachBatch() (ended bool, err error) {
	for {
		changes, results, readErr := b.readBatch()
		ended = errors.Is(readErr, io.EOF)
		if err := b.make(changes, results); err != nil {
			return ended, err
		}
		switch {
		case ended && b.summary.Lines == 0:
			return true, strictjson.Malformed("The body has no line with a JSON object.")
		case ended:
			return true, nil
		case readErr != nil:
			return false, readErr
		}
		if err := b.mayContinue(); err != nil {
			return false, err
		}
	}
}

// mayContinue returns an error if the stream must end: its time is over, the server shuts down, or its key no longer
// allows changes.
func (b *bulk) mayContinue() error {
	ctx := b.c.Request.Context()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &matching.Error{
			Code:    matching.CodeEngineTimeout,
			Message: fmt.Sprintf("The request ran for %s, the limit. Send the remaining lines in another one.", bulkTime),
		}

	case ctx.Err() != nil:
		return ctx.Err()
	case b.draining.Load():
		return &matching.Error{
			Code: matching.CodeOverloaded, RetryAfter: defaultRetryAfter,
			Message: "The server is shutting down. Send the remaining lines in another request.",
		}

	case time.Since(b.checked) < checkKeyEvery:
		return nil
	}

	b.checked = time.Now()
	key, err := b.findKey(b.c)
	if err == nil {
		r := b.bulkRoute()
		err = r.allows(b.c, key)
	}

	return err
}

// readBatch waits for a line, and then reads those that have already arrived. It returns the changes to make, and the
// results of all lines, in which those of the changes are still empty. An error ends the body; io.EOF is its end.
func (b *bulk) readBatch() (changes []freelancers.Change, results []wire.BulkResult, err error) {
	for size := 0; len(results) < bulkLines && size < bulkBuffer; {
		if len(results) > 0 && !b.lineArrived() {
			break
		}
		line, err := b.readLine()
		if err != nil && !isTooLong(err) {
			return changes, results, err
		}
		if err == nil && len(line) == 0 {
			continue
		}

		size += len(line)
		fault := err
		var change freelancers.Change

		if fault == nil {
			if change, fault, err = b.parseLine(line); err != nil {
				return changes, results, err
			}
		}

		result := wire.BulkResult{Line: b.line, ID: wire.NullableString(change.ID)}
		if fault != nil {
			setFailure(&result, withoutInternals(fault))
		} else {
			changes = append(changes, change)
		}

		results = append(results, result)
	}

	return changes, results, nil
}

// lineArrived reports whether a whole line is in the buffer.
func (b *bulk) lineArrived() bool {
	arrived, _ := b.in.Peek(b.in.Buffered())
	return bytes.IndexByte(arrived, '\n') >= 0
}

// readLine returns the next line without white space at its ends. A line of more than maxBody bytes is read to its end,
// without keeping it, and the error has CodeBodyTooLarge.
func (b *bulk) readLine() ([]byte, error) {
	var line []byte
	tooLong := false

	for {
		part, err := b.in.ReadSlice('\n')
		if tooLong = tooLong || len(line)+len(part) > maxBody+1; !tooLong {
			line = append(line, part...)
		}

		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			if failure := b.body.failure(); failure != nil {
				err = failure
			}
			return nil, err

		case err != nil && len(bytes.TrimSpace(line)) == 0 && !tooLong:
			return nil, io.EOF
		}

		b.line++
		if tooLong {
			return nil, errTooLarge(maxBody)
		}

		if b.line == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		return bytes.TrimSpace(line), nil
	}
}

func isTooLong(err error) bool { return matching.CodeOf(err) == CodeBodyTooLarge }

// parseLine parses a line: a record, of which a patch may have some fields only, or an id with "deleted": true. A fault
// is the line's; an error ends the stream.
func (b *bulk) parseLine(line []byte) (change freelancers.Change, fault, err error) {
	if _, fault := strictjson.Parse(line); fault != nil {
		return change, fault, nil
	}
	record, invalid, err := b.deps.Freelancers.Parse(b.c.Request.Context(), line)
	if err != nil {
		return change, nil, err
	}
	change = freelancers.Change{Kind: b.kind, ID: record.ID, Record: record, Readmit: b.readmit}
	if record.Deleted {
		change.Kind = freelancers.Delete
	}
	var faults validate.Faults
	faults.AddAll(invalid)
	if record.ID == "" && !faults.In("id") {
		faults.Add("id", "required", "id is missing; send the ID of the freelancer.")
	}
	return change, faults.Err(), nil
}

// make makes changes, adds their results to those of the lines, and writes all results. If the account's limit ends
// before the changes do, the results before the first change that was not made are written.
func (b *bulk) make(changes []freelancers.Change, results []wire.BulkResult) error {
	if len(results) == 0 {
		return nil
	}
	made := 0
	limitErr := error(nil)

	if len(changes) > 0 {
		made, limitErr = b.takeChanges(b.c, len(changes))
	}
	var outcomes []freelancers.Result

	if made > 0 {
		ctx, cancel := context.WithTimeout(b.c.Request.Context(), batchTime)
		defer cancel()

		var err error
		outcomes, err = b.deps.Freelancers.Apply(ctx, requestedBy(b.c), keyOf(b.c).Account, changes[:made])
		if err != nil {
			return err
		}
	}

	n := 0
	for i := range results {
		r := &results[i]
		if r.Error == nil {
			if n == len(outcomes) {
				results = results[:i]
				break
			}

			b.countChange(&outcomes[n])
			setOutcome(r, &outcomes[n])
			n++
		}

		countResult(&b.summary, r)
	}

	if err := b.writeAll(results); err != nil {
		return err
	}

	if limitErr == nil && made < len(changes) {
		_, limitErr = b.takeChanges(b.c, 1) // the limit was reached exactly
	}

	return limitErr
}

// setOutcome sets the outcome of a change.
func setOutcome(r *wire.BulkResult, result *freelancers.Result) {
	if result.Err != nil {
		setFailure(r, withoutInternals(result.Err))
		r.Version = wire.NullableString(result.Version)
		return
	}
	change := wire.NewFreelancerChange(string(r.ID), result)
	r.Outcome = string(change.Outcome)
	r.Version = change.Version
	r.Warnings = change.Warnings
	r.Erased = change.Erased
}

func setFailure(r *wire.BulkResult, e *matching.Error) {
	r.Outcome = changeFailed
	r.Error = &wire.FailureError{Code: e.Code, Message: e.Message, Details: wire.OrEmpty(e.Details)}
}

// countResult adds the result of a line.
func countResult(s *wire.BulkSummary, r *wire.BulkResult) {
	s.Lines++
	switch r.Outcome {
	case changeFailed:
		s.Failed++
	case string(freelancers.Unchanged):
		s.Unchanged++
	default:
		s.Changed++
	}
}

// writeAll writes results without further buffering.
func (b *bulk) writeAll(results []wire.BulkResult) error {
	var text bytes.Buffer
	encoder := wire.NewEncoder(&text)
	for i := range results {
		if err := encoder.Encode(&results[i]); err != nil {
			return fmt.Errorf("encode a result: %w", err)
		}
	}
	return b.send(text.Bytes())
}

func (b *bulk) write(v any) error {
	text, err := wire.Encode(v)
	if err != nil {
		return err
	}
	return b.send(text)
}

func (b *bulk) send(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if !b.c.Writer.Written() {
		b.c.Header("Content-Type", linesType)
		b.c.Header("X-Accel-Buffering", "no") // otherwise nginx buffers results
		b.c.Status(http.StatusOK)
	}
	if _, err := b.out.Write(text); err != nil {
		return err
	}
	return b.out.flush()
}
