package matches

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/limits"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

const (
	// BatchTime is the time limit of a batch. Many clients give up after 30 seconds.
	BatchTime = 28 * time.Second
	// MaxBatch is the size of the largest batch, in bytes.
	MaxBatch  = 8 << 20
	maxBriefs = 100 // in a batch
	// MaxBatchResults is the number of bytes of results after which a batch runs no further brief. A hundred briefs with
	// a hundred explained matches each have less.
	MaxBatchResults = 32 << 20
	// batchReadTime is how long a client may take to read the response.
	batchReadTime = 30 * time.Second
)

// Usage records requests for the owners of their keys.
type Usage interface {
	Record(r usage.Request)
}

// BatchMetrics counts briefs for operators.
type BatchMetrics interface {
	// BriefAnswered counts a brief of a batch. The code is "" without an error.
	BriefAnswered(code string)
}

// Batches handles several briefs in one request.
type Batches struct {
	Briefs    *Briefs
	Slots     *admission.Gate // for matches
	Requests  *limits.Requests
	Usage     Usage
	Metrics   BatchMetrics
	Log       *slog.Logger
	BriefTime time.Duration // limit for each brief
}

// Match handles POST /match/batch. It matches the briefs one after the other. Each waits for a slot like a request of
// its own, so a batch takes no more than one slot from others. Each is charged when it runs; a batch that exceeds what
// is left of the key's limits doesn't begin.
func (h *Batches) Match(ctx context.Context, call *endpoint.Call) error {
	briefs, err := splitBatch(call.Body)
	var faults validate.Faults
	form := readUnknown(call, &faults)
	if err := cmp.Or(err, faults.Err()); err != nil {
		return errors.Join(h.Requests.Take(ctx, call), err) // charged like every invalid request
	}
	if err := h.Requests.Check(ctx, call, len(briefs)); err != nil {
		return err
	}

	call.PerPart = true
	batch := wire.MatchBatch{Results: make([]wire.BatchResult, len(briefs))}
	size := 0
	for i, text := range briefs {
		part := call.Part(i)
		result, code := h.result(ctx, part, text, size, form)
		status := http.StatusOK

		if code == "" {
			batch.Succeeded++
		} else {
			batch.Failed++
			status = call.Errors.Status(code)
		}

		h.Metrics.BriefAnswered(string(code))
		h.Usage.Record(part.Usage(status, code))
		batch.Results[i] = result
		size += len(result)
	}

	// The server's deadline for writing began with the request, and the batch may have used it up. Setting another one
	// fails without a connection.
	_ = http.NewResponseController(call.Response).SetWriteDeadline(time.Now().Add(batchReadTime))
	return endpoint.WriteAnswer(call, batch)
}

// result returns the response to one brief of a batch, and its error code. The results of earlier briefs have this
// size.
func (h *Batches) result(
	ctx context.Context, part *endpoint.Call, text []byte, size int, form wire.UnknownForm,
) (wire.BatchResult, matching.Code) {
	answer, err := h.run(ctx, part, text, size, form)
	if err == nil {
		var result []byte
		if result, err = wire.Encode(answer); err == nil {
			return result, ""
		}
	}

	// A brief that was not run is nothing that an operator should look into, so it is not logged as a failure.
	public := part.Errors.Public(err)
	if public.Code != endpoint.CodeNotProcessed {
		public = part.PublicError(ctx, err)
	}

	result, err := wire.Encode(wire.NewFailure(part.ID, public))
	if err != nil {
		panic(err) // texts can always be encoded
	}
	return result, public.Code
}

// run runs one brief of a batch. It waits for a slot until the time of the batch ends.
func (h *Batches) run(
	ctx context.Context, part *endpoint.Call, text []byte, size int, form wire.UnknownForm,
) (answer wire.MatchAnswer, err error) {
	// One brief that panics must not take the results of the others with it.
	defer func() {
		if cause := recover(); cause != nil {
			h.Log.LogAttrs(ctx, slog.LevelError, "panic", slog.String("request_id", part.ID),
				slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))
			err = errors.New("panic")
		}
	}()

	if size >= MaxBatchResults {
		return answer, errNotProcessed("The results of earlier briefs reached the limit of %d bytes", MaxBatchResults)
	}
	late := errNotProcessed("The batch reached its time limit of %.0f seconds", BatchTime.Seconds())
	if ctx.Err() != nil {
		return answer, late
	}

	leave, err := h.Slots.Await(ctx, part.Caller.Account)
	if errors.Is(err, context.DeadlineExceeded) {
		return answer, late
	}
	if err != nil {
		return answer, err
	}
	defer leave()

	briefCtx, cancel := context.WithTimeout(ctx, h.BriefTime)
	defer cancel()

	// Charged before it is decoded, like a request of its own.
	if err := h.Requests.Take(briefCtx, part); err != nil {
		return answer, err
	}
	if len(text) > receive.MaxJSON {
		return answer, receive.TooLarge(receive.MaxJSON)
	}

	var request wire.MatchRequest
	var faults validate.Faults
	if err := strictjson.Decode(text, &request, &faults); err != nil {
		return answer, err
	}

	return h.Briefs.answer(briefCtx, part, &request, &faults, briefOptions{form: form, mayStore: true})
}

func errNotProcessed(format string, args ...any) error {
	return &matching.Error{
		Code:    endpoint.CodeNotProcessed,
		Message: fmt.Sprintf(format, args...) + " before this brief, which was neither run nor charged. Send it again.",
	}
}
