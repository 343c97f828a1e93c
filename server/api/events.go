package api

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/events"
	"freelancer-matching/internal/matching"
)

const (
	maxEvents = 1000 // in a request
	// maxRequestID is the length of the longest request ID: a client's, with the number of a brief in a batch.
	maxRequestID = 128 + len(".99")
)

// Events records matches and the events about them.
type Events interface {
	// Matched records a match, without waiting.
	Matched(m events.Match)
	// KeepsBriefs reports whether an account has agreed to its briefs being kept.
	KeepsBriefs(account string) bool
	// Record checks and stores events of an account.
	Record(ctx context.Context, account string, list []events.Event) (events.Result, error)
}

// EventsRequest is the body of POST /events.
type EventsRequest struct {
	Events []Event `json:"events"`
}

// An Event is something that became of a freelancer in a response.
type Event struct {
	Type         string `json:"type"`
	RequestID    string `json:"request_id"`
	FreelancerID string `json:"freelancer_id"`
	At           string `json:"at,omitempty"` // RFC 3339
}

// EventsAnswer is the response of POST /events.
type EventsAnswer = Answer[RecordedEvents]

// RecordedEvents says what became of the events of a request.
type RecordedEvents struct {
	Recorded   int                   `json:"recorded"`
	Duplicates int                   `json:"duplicates"`
	Rejected   []matching.FieldError `json:"rejected"`
}

// recordMatch records a response, so that events about it can be checked.
func (s *Server) recordMatch(c *gin.Context, x exchange, r *MatchRequest, a *matching.Answer) {
	m := events.Match{
		Account: ownerOf(keyOf(c)), ID: x.id, At: x.start, Offset: valueOr(r.Offset, 0),
		Freelancers: make([]uint64, len(a.Matches)),
	}
	for i := range a.Matches {
		m.Freelancers[i] = events.Hash(a.Matches[i].Freelancer.ID)
	}
	if !x.uploaded && s.deps.Events.KeepsBriefs(m.Account) {
		brief, err := encode(r)
		if err != nil {
			panic(err) // a request that was decoded can be encoded
		}
		m.Brief = brief
	}
	s.deps.Events.Matched(m)
}

// recordEvents stores the valid events. If none is valid, it responds with an error.
func (s *Server) recordEvents(c *gin.Context) error {
	var request EventsRequest
	var f fieldErrors
	if err := decodeBody(c, &request, &f); err != nil {
		return err
	}

	list := request.list(&f)
	if err := f.err(); err != nil {
		return err
	}
	result, err := s.deps.Events.Record(c.Request.Context(), ownerOf(keyOf(c)), list)
	if err != nil {
		return err
	}

	if len(result.Rejected) == len(list) {
		for _, e := range result.Rejected {
			f.add(e.Field, e.Code, "%s", e.Message)
		}
		return f.err()
	}

	return writeAnswer(c, RecordedEvents{result.Recorded, result.Duplicates, orEmpty(result.Rejected)})
}

// list validates the request and returns its events, which must not be used if there are errors in f.
func (r *EventsRequest) list(f *fieldErrors) []events.Event {
	const field = "events"
	if n := len(r.Events); (n == 0 || n > maxEvents) && !f.in(field) {
		f.add(field, "wrong_number", "%s must be a list of 1 to %d events; got %d.", field, maxEvents, n)
		return nil
	}

	var types []string
	for _, t := range events.Types() {
		types = append(types, string(t))
	}
	list := make([]events.Event, len(r.Events))
	for i, e := range r.Events {
		at := index(field, i)
		oneOf(f, join(at, "type"), &e.Type, types...)
		requireText(f, join(at, "freelancer_id"), e.FreelancerID, maxID)
		requireText(f, join(at, "request_id"), e.RequestID, maxRequestID)
		list[i] = events.Event{Match: e.RequestID, Freelancer: e.FreelancerID, Type: events.Type(e.Type)}

		if e.At == "" || f.in(join(at, "at")) {
			continue
		}
		var err error
		if list[i].At, err = time.Parse(time.RFC3339, e.At); err != nil {
			f.add(join(at, "at"), "invalid_time", "%s must be a time such as %s; got %s.", join(at, "at"),
				time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC).Format(time.RFC3339), quote(e.At))
		}
	}

	return list
}

// requireText checks that a text is not empty and has at most this many characters.
func requireText(f *fieldErrors, field, text string, characters int) {
	if text == "" && !f.in(field) {
		f.add(field, "required", "%s must have 1 to %d characters.", field, characters)
	}
	atMost(f, field, text, characters)
}
