package api

import (
	"context"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/events"
	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api/validate"
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
	var faults validate.Faults
	if err := decodeBody(c, &request, &faults); err != nil {
		return err
	}

	list := request.list(&faults)
	if err := faults.Err(); err != nil {
		return err
	}
	result, err := s.deps.Events.Record(c.Request.Context(), ownerOf(keyOf(c)), list)
	if err != nil {
		return err
	}

	if len(result.Rejected) == len(list) {
		for _, e := range result.Rejected {
			faults.Add(e.Field, e.Code, "%s", e.Message)
		}
		return faults.Err()
	}

	return writeAnswer(c, RecordedEvents{result.Recorded, result.Duplicates, orEmpty(result.Rejected)})
}

// list validates the request and returns its events, which must not be used if there are errors in f.
func (r *EventsRequest) list(faults *validate.Faults) []events.Event {
	const field = "events"
	if n := len(r.Events); (n == 0 || n > maxEvents) && !faults.In(field) {
		faults.Add(field, "wrong_number", "%s must be a list of 1 to %d events; got %d.", field, maxEvents, n)
		return nil
	}

	var types []string
	for _, t := range events.Types() {
		types = append(types, string(t))
	}
	list := make([]events.Event, len(r.Events))
	for i, e := range r.Events {
		at := validate.Index(field, i)
		validate.OneOf(faults, validate.Join(at, "type"), &e.Type, types...)
		validate.RequiredText(faults, validate.Join(at, "freelancer_id"), e.FreelancerID, maxID)
		validate.RequiredText(faults, validate.Join(at, "request_id"), e.RequestID, maxRequestID)
		list[i] = events.Event{Match: e.RequestID, Freelancer: e.FreelancerID, Type: events.Type(e.Type)}

		if e.At == "" || faults.In(validate.Join(at, "at")) {
			continue
		}
		var err error
		if list[i].At, err = time.Parse(time.RFC3339, e.At); err != nil {
			faults.Add(validate.Join(at, "at"), "invalid_time", "%s must be a time such as %s; got %s.", validate.Join(at, "at"),
				time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC).Format(time.RFC3339), validate.Quote(e.At))
		}
	}

	return list
}
