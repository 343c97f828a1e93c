package matching

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
)

// Interviews conducts and manages interviews with freelancers.
type Interviews struct{ transport *transport }

// Conduct asks questions, or evaluates answers; the mode says which. It takes IdempotencyKey.
func (s *Interviews) Conduct(ctx context.Context, i InterviewRequest, options ...Option) (Interview, error) {
	r, err := post("/api/v1/interview", i)
	if err != nil {
		return Interview{}, err
	}
	r.setHeader("Idempotency-Key", rand.Text())
	return call[Interview](ctx, s.transport, r, options...)
}

// An InterviewEvent is an event of an interview in a stream. It has one of the members Session, Question, Judgement and
// Result, which is the last one.
type InterviewEvent struct {
	ID        string
	Session   *InterviewBegun
	Question  *InterviewQuestion
	Judgement *Judgement
	Result    *Interview
}

// Stream conducts an interview and iterates over its events as they happen. After a broken connection, it continues
// after the last event. An error comes last. It takes IdempotencyKey.
func (s *Interviews) Stream(
	ctx context.Context, i InterviewRequest, options ...Option,
) iter.Seq2[InterviewEvent, error] {
	return func(yield func(InterviewEvent, error) bool) {
		r, err := post("/api/v1/interview/stream", i)
		if err != nil {
			yield(InterviewEvent{}, err)
			return
		}
		r.setHeader("Idempotency-Key", rand.Text())
		r.setHeader("Accept", "text/event-stream")
		for _, apply := range options {
			apply(&r)
		}

		failures := 0
		for {
			isDone := false
			err := s.transport.connect(ctx, r, func(event serverEvent) (bool, error) {
				if event.isComment {
					return true, nil
				}
				parsed, err := parseEvent(event)
				if err != nil {
					return false, err
				}

				failures = 0
				r.setHeader("Last-Event-ID", event.id)
				isDone = !yield(parsed, nil) || parsed.Result != nil
				return !isDone, nil
			})
			if isDone {
				return
			}

			// A connection that brought an event was a success, so that a long interview survives many failures.
			failures++
			mayContinue := errors.Is(err, errBroken) && failures <= s.transport.retries
			if mayContinue {
				err = s.transport.pause(ctx, backoff(failures))
			}
			if err != nil {
				yield(InterviewEvent{}, err)
				return
			}
		}
	}
}

// parseEvent decodes the data of an event. Of an event of an unknown kind, only the ID is known.
func parseEvent(event serverEvent) (InterviewEvent, error) {
	parsed := InterviewEvent{ID: event.id}
	data := []byte(event.data)

	switch event.kind {
	case "session":
		return parsed, json.Unmarshal(data, &parsed.Session)
	case "question":
		return parsed, json.Unmarshal(data, &parsed.Question)
	case "judgement":
		return parsed, json.Unmarshal(data, &parsed.Judgement)
	case "result":
		var result answer[*Interview]
		err := json.Unmarshal(data, &result)
		parsed.Result = result.Data
		return parsed, err
	default:
		return parsed, nil
	}
}

// An InterviewQuery selects sessions. The zero value of a field leaves it out.
type InterviewQuery struct {
	FreelancerID string
	State        string // open or evaluated
	Limit        int64  // the size of a page
}

// List iterates over the sessions of the account without questions and answers, newest first. An error comes last.
func (s *Interviews) List(ctx context.Context, q InterviewQuery) iter.Seq2[InterviewSummary, error] {
	query := url.Values{}
	if q.FreelancerID != "" {
		query.Set("freelancer_id", q.FreelancerID)
	}
	if q.State != "" {
		query.Set("state", q.State)
	}
	setNumber(query, "limit", q.Limit)
	return pages[InterviewSummary](ctx, s.transport, "/api/v1/interviews", query)
}

// Get returns a session with its questions, answers and evaluation.
func (s *Interviews) Get(ctx context.Context, id string) (Interview, error) {
	path, err := pathOf("interviews", id)
	if err != nil {
		return Interview{}, err
	}
	return call[Interview](ctx, s.transport, get(path, nil))
}

// Delete deletes a session with everything stored about it.
func (s *Interviews) Delete(ctx context.Context, id string) error {
	path, err := pathOf("interviews", id)
	if err != nil {
		return err
	}
	r := request{method: http.MethodDelete, path: path, repeatable: true}
	_, err = call[DeletedSession](ctx, s.transport, r)
	return err
}

// Invite creates a link with which the candidate answers on pages of the service.
func (s *Interviews) Invite(ctx context.Context, id string, i InvitationRequest) (InvitationLink, error) {
	return postAbout[InvitationLink](ctx, s.transport, id, "invitation", i)
}

// Review records the mark that a person gives in place of the judge's.
func (s *Interviews) Review(ctx context.Context, id string, review ReviewRequest) (Interview, error) {
	return postAbout[Interview](ctx, s.transport, id, "reviews", review)
}

// postAbout posts a body about a session. The service would carry it out again if it were repeated.
func postAbout[T any](ctx context.Context, t *transport, id, resource string, body any) (T, error) {
	var none T
	path, err := pathOf("interviews", id)
	if err != nil {
		return none, err
	}
	r, err := post(path+"/"+resource, body)
	if err != nil {
		return none, err
	}
	r.repeatable = false
	return call[T](ctx, t, r)
}
