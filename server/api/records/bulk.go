package records

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

const (
	// BulkTime limits a stream of changes, at whose end the client sends the rest in another request.
	BulkTime = 10 * time.Minute
	// bulkBuffer is the number of bytes read ahead, which also limits a batch unless its only line is longer.
	bulkBuffer = 256 << 10
	// bulkLines is the number of lines in a batch.
	bulkLines = 256
	// CheckKeyEvery is how long a stream may continue after its key was revoked.
	CheckKeyEvery = time.Second
	// batchTime limits the changes of one batch.
	batchTime = time.Minute
)

// bulkPace returns the pace of a stream of changes.
func bulkPace() receive.Pace {
	return receive.Pace{Grace: 15 * time.Second, Rate: 1 << 10, Total: BulkTime}
}

// A bulk is a stream of changes. It reads as many lines as have arrived, up to a batch, makes their changes and writes
// their results, before it reads on. So it holds one batch in memory, and a client that waits for the results of the
// lines it has sent gets them.
type bulk struct {
	*Handlers
	call    *endpoint.Call
	kind    freelancers.Kind // of lines that don't delete
	readmit bool
	reading reading
	mapping Mapping // of the lines; nil if they are records
	body    *receive.PacedBody
	in      *bufio.Reader
	out     *endpoint.Stream
	line    int       // the last line read
	checked time.Time // when the key was last looked up
	summary wire.BulkSummary
}

// Bulk handles POST /freelancers/bulk. It makes the changes in the lines of the request.
func (h *Handlers) Bulk(ctx context.Context, call *endpoint.Call) error {
	var faults validate.Faults
	parameters := call.Query(&faults, "patch", parameterReadmit, parameterLenient, parameterMapping,
		wire.ParameterCurrency)
	b := &bulk{
		Handlers: h, call: call, checked: time.Now(),
		readmit: validate.Boolean(&faults, parameterReadmit, parameters),
		reading: reading{
			lenient:  validate.Boolean(&faults, parameterLenient, parameters),
			currency: wire.ReadCurrency(parameters, &faults),
		},
	}

	if validate.Boolean(&faults, "patch", parameters) {
		b.kind = freelancers.Patch
		if b.readmit {
			faults.Add(parameterReadmit, "contradiction",
				"readmit has no use with patch, which changes existing freelancers only.")
		}
		if b.reading.currency != "" {
			faults.Add(wire.ParameterCurrency, "contradiction",
				"currency has no use with patch, which changes existing freelancers only.")
		}
	}

	if err := checkLines(call.Request); err != nil {
		return err
	}
	if err := b.openMapping(parameters, &faults); err != nil {
		return err
	}
	if err := faults.Err(); err != nil {
		return err
	}

	// Without full duplex, HTTP/1 connections stop reading the request once the response begins.
	control := http.NewResponseController(call.Response)
	if err := control.EnableFullDuplex(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("stream changes: %w", err)
	}

	b.body = receive.NewPacedBody(call.Response, call.Request.Body, bulkPace())
	call.Request.Body = b.body
	b.in = bufio.NewReaderSize(b.body, bulkBuffer)
	b.out = endpoint.NewStream(call, h.WriteTime)

	return b.run(ctx)
}

// linesTypes returns the media types of lines. Some generated clients encode a body as one JSON string if its type has
// "json" in its name, so bytes are accepted, too.
func linesTypes() []string {
	return []string{endpoint.LinesType, "application/jsonl", "application/octet-stream"}
}

// checkLines checks the headers of a request with lines.
func checkLines(r *http.Request) error {
	if r.ContentLength == 0 {
		return strictjson.Malformed("The body is empty; send one JSON object per line.")
	}
	if err := receive.CheckEncoding(r.Header); err != nil {
		return err
	}
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(linesTypes(), media) {
		return receive.WrongContentType(r.Header, endpoint.LinesType)
	}
	return nil
}

// run makes changes until the body or the time ends. An error before the first result becomes an ordinary error
// response; a later one becomes the last line.
func (b *bulk) run(ctx context.Context) error {
	ended, err := b.eachBatch(ctx)
	switch {
	case errors.Is(err, endpoint.ErrClientGone):
		return err
	case err != nil && !b.call.Response.Written():
		b.call.WriteError(ctx, err)
		err = nil
	case err != nil:
		public := b.call.PublicError(ctx, err)
		b.call.Code = public.Code
		err = b.write(wire.NewFailure(b.call.ID, public))

	default:
		b.summary.Status = "success"
		b.summary.RequestID = b.call.ID
		b.summary.TookMS = b.call.TookMS()
		err = b.write(b.summary)
	}

	if err == nil {
		err = b.out.End()
	}

	if !ended { // closing a connection with unread data could cut the response
		receive.LimitDiscard(b.call.Response)
		_, _ = io.Copy(io.Discard, b.body.ReadCloser)
	}

	return err
}

// eachBatch makes the changes of each batch. It reports whether the body has ended.
func (b *bulk) eachBatch(ctx context.Context) (ended bool, err error) {
	for {
		// The lines before an error have arrived completely, so their changes are made.
		changes, results, readErr := b.readBatch(ctx)
		ended = errors.Is(readErr, io.EOF)
		if err := b.apply(ctx, changes, results); err != nil {
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

		if err := b.mayContinue(ctx); err != nil {
			return false, err
		}
	}
}

// mayContinue returns an error if the stream must end: its time is over, the server shuts down, or its key no longer
// allows changes.
func (b *bulk) mayContinue(ctx context.Context) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &matching.Error{
			Code:    matching.CodeEngineTimeout,
			Message: fmt.Sprintf("The request ran for %s, the limit. Send the remaining lines in another one.", BulkTime),
		}

	case ctx.Err() != nil:
		return ctx.Err()
	case b.Draining():
		return &matching.Error{
			Code: matching.CodeOverloaded, RetryAfter: endpoint.DefaultRetryAfter,
			Message: "The server is shutting down. Send the remaining lines in another request.",
		}

	case time.Since(b.checked) < CheckKeyEvery:
		return nil
	}

	// Each batch may be a single line, so the key isn't looked up for every one.
	b.checked = time.Now()
	return b.Recheck(ctx, b.call)
}

// readBatch waits for a line, and then reads those that have already arrived. It returns the changes to make, and the
// results of all lines, in which those of the changes are still empty. An error ends the body; io.EOF is its end.
func (b *bulk) readBatch(
	ctx context.Context,
) (changes []freelancers.Change, results []wire.BulkResult, err error) {
	for size := 0; len(results) < bulkLines && size < bulkBuffer; {
		// A client may wait for the results of what it has sent, so nothing but the first line is waited for.
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
		skipped := ""
		var change freelancers.Change
		if fault == nil {
			if change, skipped, fault, err = b.parseLine(ctx, line); err != nil {
				return changes, results, err
			}
		}

		result := wire.BulkResult{Line: b.line, ID: wire.NullableString(change.ID)}
		switch {
		case fault != nil:
			setFailure(&result, b.call.Errors.Public(fault))
		case skipped != "":
			result.Outcome = lineSkipped
			result.Warnings = []matching.FieldError{{Field: parameterMapping, Code: "left_out", Message: skipped}}
		default:
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

// readLine returns the next line without white space at its ends. A line of more than receive.MaxJSON bytes is read to
// its end, without keeping it, and the error has CodeBodyTooLarge.
func (b *bulk) readLine() ([]byte, error) {
	var line []byte
	tooLong := false

	for {
		part, err := b.in.ReadSlice('\n')
		// The newline doesn't count.
		if tooLong = tooLong || len(line)+len(part) > receive.MaxJSON+1; !tooLong {
			line = append(line, part...)
		}

		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			if failure := b.body.Failure(); failure != nil {
				err = failure
			}
			return nil, err

		case err != nil && len(bytes.TrimSpace(line)) == 0 && !tooLong:
			return nil, io.EOF
		}

		b.line++
		if tooLong {
			return nil, receive.TooLarge(receive.MaxJSON)
		}

		// Editors on Windows begin a file with a byte order mark, which is not JSON.
		if b.line == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		return bytes.TrimSpace(line), nil
	}
}

func isTooLong(err error) bool { return matching.CodeOf(err) == receive.CodeBodyTooLarge }

// parseLine parses a line: a record, of which a patch may have some fields only, or an id with "deleted": true. A fault
// is the line's; an error ends the stream. skipped says why a mapping leaves the line out; it is "" otherwise.
func (b *bulk) parseLine(
	ctx context.Context, line []byte,
) (change freelancers.Change, skipped string, fault, err error) {
	// Service.Parse expects valid JSON, and its errors have no position.
	if _, fault := strictjson.Parse(line); fault != nil {
		return change, "", fault, nil
	}

	var faults validate.Faults
	var record freelancers.Record
	if b.mapping != nil {
		record, skipped, err = b.parseMapped(ctx, line, &faults)
	} else {
		record, err = b.parse(ctx, line, b.reading, &faults)
	}
	if err != nil || skipped != "" {
		return change, skipped, nil, err
	}

	change = freelancers.Change{Kind: b.kind, ID: record.ID, Record: record, Readmit: b.readmit}
	if record.Deleted {
		change.Kind = freelancers.Delete
	}

	// A mapping reports by itself that nothing identifies the person.
	if b.mapping == nil && record.ID == "" && !faults.In("id") {
		faults.Add("id", "required", "id is missing; send the ID of the freelancer.")
	}

	return change, "", faults.Err(), nil
}

// apply makes changes, adds their results to those of the lines, and writes all results. If the account's limit ends
// before the changes do, the results before the first change that was not made are written.
func (b *bulk) apply(ctx context.Context, changes []freelancers.Change, results []wire.BulkResult) error {
	if len(results) == 0 {
		return nil
	}

	made := 0
	var limitErr error
	if len(changes) > 0 {
		made, limitErr = b.Limit.Take(ctx, b.call, len(changes))
	}

	var outcomes []freelancers.Result
	if made > 0 {
		batchCtx, cancel := context.WithTimeout(ctx, batchTime)
		defer cancel()

		var err error
		outcomes, err = b.Service.Apply(batchCtx, b.call.RequestedBy(), b.call.Caller.Key.Account, changes[:made])
		if err != nil {
			return err
		}
	}

	if err := b.writeAll(b.merge(results, outcomes)); err != nil {
		return err
	}

	// The limit was reached exactly, so Take reported no error. Asking for one more change does.
	if limitErr == nil && made < len(changes) {
		_, limitErr = b.Limit.Take(ctx, b.call, 1)
	}

	return limitErr
}

// merge sets the outcomes of the changes that were made, in order, in the results of their lines. It returns the
// results before the first change that was not made, and counts them.
func (b *bulk) merge(results []wire.BulkResult, outcomes []freelancers.Result) []wire.BulkResult {
	next := 0
	for i := range results {
		result := &results[i]
		isChange := result.Outcome == ""
		if isChange && next == len(outcomes) {
			return results[:i]
		}

		if isChange {
			b.count(&outcomes[next])
			b.setOutcome(result, &outcomes[next])
			next++
		}
		countResult(&b.summary, result)
	}

	return results
}

// setOutcome sets the outcome of a change.
func (b *bulk) setOutcome(r *wire.BulkResult, result *freelancers.Result) {
	if result.Err != nil {
		setFailure(r, b.call.Errors.Public(result.Err))
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
	case lineSkipped:
		s.Skipped++
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
	if !b.call.Response.Written() {
		b.call.SetHeader("Content-Type", endpoint.LinesType)
		b.call.SetHeader("X-Accel-Buffering", "no") // otherwise nginx buffers results
		b.call.Response.WriteHeader(http.StatusOK)
	}
	if _, err := b.out.Write(text); err != nil {
		return err
	}
	return b.out.Flush()
}
