package api

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/interview"
)

// InterviewTime is what an interview may take, from its beginning to its answer: clients of the older service give up after 30
// seconds.
const InterviewTime = 28 * time.Second

// Interviewer conducts interviews. What clients are to blame for is a matching.Error with one of the codes of package interview,
// CodeInvalid or CodeFreelancerUnknown.
type Interviewer interface {
	// Check tells every fault of a request that shows without its session.
	Check(r *interview.Request) error
	// Conduct calls watch, unless it is nil, for each step in its order, one at a time.
	Conduct(ctx context.Context, r interview.Request, watch func(interview.Event)) (interview.Result, error)
	// Delete forgets a session of an account. interview.CodeSessionNotFound.
	Delete(ctx context.Context, account, id string) error
}

// interview answers at once, or step by step where the client asks for events.
func (s *Server) interview(c *gin.Context) error {
	request, err := s.readInterview(c.Request, keyOf(c))
	if err != nil {
		return err
	}
	ctx, cancel := interviewContext(c.Request.Context(), &request)
	defer cancel()
	if accepts(c.Request, eventsType) {
		return s.streamInterview(ctx, c, request)
	}
	result, err := s.deps.Interviewer.Conduct(ctx, request, nil)
	if err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, jsonType, wireInterview(c, &result))
}

// interviewContext ends with the request: its work is for nobody once the client has left. A request with an Idempotency-Key may
// come again, and finds then what was made meanwhile: its context ends with its time.
func interviewContext(ctx context.Context, r *interview.Request) (context.Context, context.CancelFunc) {
	end, bounded := ctx.Deadline()
	if r.IdempotencyKey == "" || !bounded {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(context.WithoutCancel(ctx), end)
}

// deletionAnswer is the answer of DELETE /interview.
type deletionAnswer struct {
	Status    string         `json:"status"` // success
	Data      deletedSession `json:"data"`
	RequestID string         `json:"request_id"`
	TookMS    float64        `json:"took_ms"`
}

type deletedSession struct {
	SessionID string `json:"session_id"`
}

// deleteInterview forgets a session: what a person has said is that person's.
func (s *Server) deleteInterview(c *gin.Context) error {
	id, err := readSessionID(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	if err := s.deps.Interviewer.Delete(c.Request.Context(), ownerOf(keyOf(c)), id); err != nil {
		return err
	}
	return writeJSON(c, http.StatusOK, jsonType, deletionAnswer{
		Status: "success", Data: deletedSession{id}, RequestID: requestID(c), TookMS: tookMS(c),
	})
}

func readSessionID(query string) (string, error) {
	const field = "session_id"
	var f faults
	values, err := url.ParseQuery(query)
	if err != nil {
		f.add("query", "malformed", "the query is not well formed, it must be name=value&name=value")
		return "", f.err()
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if name != field {
			unknownField(&f, "", name, []string{field})
		}
	}
	if len(values[field]) != 1 || values[field][0] == "" {
		f.add(field, "required", "session_id must name the session to delete, once")
	}
	return values.Get(field), f.err()
}
