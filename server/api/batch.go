package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api/strictjson"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

const (
	// BatchTime is the time limit of a batch. Many clients give up after 30 seconds.
	BatchTime = 28 * time.Second
	maxBatch  = 8 << 20 // bytes of a body
	maxBriefs = 100     // in a batch
	// maxBatchResults is the number of bytes of results after which a batch runs no further brief. A hundred briefs with
	// a hundred explained matches each have less.
	maxBatchResults = 32 << 20
	// maxBatches limits the batches in progress, and with maxBatch and maxBatchResults the memory that they take.
	maxBatches        = 8
	maxAccountBatches = 2
	// batchReadTime is how long a client may take to read the response.
	batchReadTime = 30 * time.Second
)

// matchBatch matches the briefs of a batch one after the other. Each waits for a slot like a request of its own, so a
// batch takes no more than one slot from others. Each is charged when it runs; a batch that exceeds what is left of the
// key's limits doesn't begin.
func (s *Server) matchBatch(c *gin.Context) error {
	briefs, err := splitBatch(bodyOf(c))
	if err != nil {
		return errors.Join(s.takeQuota(c, c.Request.Context()), err) // charged like every invalid request
	}
	if err := s.checkQuota(c, len(briefs)); err != nil {
		return err
	}

	c.Set(contextBriefs, true)
	b := wire.MatchBatch{Results: make([]wire.BatchResult, len(briefs))}
	size := 0
	for i, text := range briefs {
		x := exchange{id: requestID(c) + "." + strconv.Itoa(i), start: time.Now()}
		result, code := s.matchOne(c, x, text, size)
		status := http.StatusOK

		if code == "" {
			b.Succeeded++
		} else {
			b.Failed++
			status = s.statuses[code]
		}

		s.deps.Metrics.BriefAnswered(string(code))
		s.recordUsage(c, x, status, string(code))
		b.Results[i] = result
		size += len(result)
	}

	_ = http.NewResponseController(c.Writer).SetWriteDeadline(time.Now().Add(batchReadTime)) // fails without a connection
	return writeAnswer(c, b)
}

// matchOne returns the response to one brief of a batch, and its error code. The results of earlier briefs have this
// size.
func (s *Server) matchOne(c *gin.Context, x exchange, text []byte, size int) (wire.BatchResult, matching.Code) {
	answer, err := s.runBrief(c, x, text, size)
	if err == nil {
		var result []byte
		if result, err = wire.Encode(answer); err == nil {
			return result, ""
		}
	}
	public := withoutInternals(err)
	if public.Code != CodeNotProcessed {
		public = s.publicError(c.Request.Context(), x.id, err)
	}
	result, err := wire.Encode(wire.NewFailure(x.id, public))
	if err != nil {
		panic(err) // texts can always be encoded
	}
	return result, public.Code
}

// runBrief runs one brief of a batch. It waits for a slot until the time of the batch ends.
func (s *Server) runBrief(c *gin.Context, x exchange, text []byte, size int) (answer wire.MatchAnswer, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			s.deps.Log.LogAttrs(c.Request.Context(), slog.LevelError, "panic", slog.String("request_id", x.id),
				slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))
			err = errors.New("panic")
		}
	}()

	if size >= maxBatchResults {
		return answer, errNotProcessed("The results of earlier briefs reached the limit of %d bytes", maxBatchResults)
	}
	overall := c.Request.Context()
	late := errNotProcessed("The batch reached its time limit of %.0f seconds", BatchTime.Seconds())

	if overall.Err() != nil {
		return answer, late
	}
	leave, err := s.gates.matches.Await(overall, ownerOf(keyOf(c)))
	if errors.Is(err, context.DeadlineExceeded) {
		return answer, late
	}
	if err != nil {
		return answer, err
	}
	defer leave()

	ctx, cancel := context.WithTimeout(overall, s.deps.RequestTimeout)
	defer cancel()

	if err := s.takeQuota(c, ctx); err != nil {
		return answer, err
	}
	if len(text) > maxBody {
		return answer, errTooLarge(maxBody)
	}

	var request wire.MatchRequest
	var faults validate.Faults
	if err := strictjson.Decode(text, &request, &faults); err != nil {
		return answer, err
	}

	return s.matchBrief(c, ctx, x, &request, &faults)
}

func errNotProcessed(format string, args ...any) error {
	return &matching.Error{
		Code:    CodeNotProcessed,
		Message: fmt.Sprintf(format, args...) + " before this brief, which was neither run nor charged. Send it again.",
	}
}

// splitBatch returns the JSON of each brief in a batch. The briefs are decoded one by one, when they run, so that they
// don't fill the memory.
func splitBatch(body receivedBody) ([]json.RawMessage, error) {
	if body.err != nil {
		return nil, body.err
	}
	if err := strictjson.Check(body.data); err != nil {
		return nil, err
	}
	s := batchSplitter{text: body.data, decoder: json.NewDecoder(bytes.NewReader(body.data))}
	s.split()
	return s.briefs, s.errors.Err()
}

// A batchSplitter reads the body of a batch, which is valid JSON.
type batchSplitter struct {
	text    []byte
	decoder *json.Decoder
	errors  validate.Faults
	briefs  []json.RawMessage
	value   json.RawMessage // the last one read; its memory is used again
}

// next returns the next value as a part of the text.
func (s *batchSplitter) next() json.RawMessage {
	if err := s.decoder.Decode(&s.value); err != nil {
		panic(err) // the text is valid
	}
	end := s.decoder.InputOffset()
	return s.text[end-int64(len(s.value)) : end]
}

func (s *batchSplitter) token() json.Token {
	token, err := s.decoder.Token()
	if err != nil {
		panic(err) // the text is valid
	}
	return token
}

func (s *batchSplitter) split() {
	const field = "briefs"
	if text := bytes.TrimSpace(s.text); text[0] != '{' {
		s.wrongType("", "an object", text)
		return
	}

	s.token()
	seen := false
	for s.decoder.More() && len(s.briefs) <= maxBriefs {
		switch name, _ := s.token().(string); {
		case name != field:
			s.errors.AddUnknown("", name, []string{field})
			s.next()
		case seen:
			s.errors.Add(field, "duplicate_field", "%s appears more than once; send it once.", field)
			s.next()
		case s.following() == '[':
			seen = true
			s.list()
		default:
			seen = true
			if value := s.next(); string(value) != "null" {
				s.wrongType(field, "a list", value)
			}
		}
	}

	switch n := len(s.briefs); {
	case n > maxBriefs:
		s.errors.Add(field, "too_many", "%s must have at most %d entries.", field, maxBriefs)
	case n == 0 && !s.errors.In(field):
		s.errors.Add(field, "required", "%s must be a list of 1 to %d briefs.", field, maxBriefs)
	}
}

// following returns the first character of the value after a name.
func (s *batchSplitter) following() byte {
	return bytes.TrimLeft(s.text[s.decoder.InputOffset():], " \t\r\n:")[0]
}

// list reads the list of briefs, up to the first that is too many.
func (s *batchSplitter) list() {
	s.token()
	for s.decoder.More() {
		if s.briefs = append(s.briefs, s.next()); len(s.briefs) > maxBriefs {
			return
		}
	}
	s.token()
}

// wrongType records that a field, or the whole body, is of another type than expected. It doesn't decode lists and
// objects, which can be large.
func (s *batchSplitter) wrongType(field, expected string, text []byte) {
	var value any
	switch text[0] {
	case '[':
		value = []any{}
	case '{':
		value = strictjson.Object{}
	default:
		value, _ = strictjson.Parse(text) // valid
	}
	strictjson.WrongType(&s.errors, field, expected, value)
}
