package wire

import (
	"time"

	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/validate"
)

const (
	maxEvents = 1000 // in a request
	// maxRequestID is the length of the longest request ID: a client's, with the number of a brief in a batch.
	maxRequestID = 128 + len(".99")
)

// EventsRequest is the body of POST /events.
type EventsRequest struct {
	Events []Event `json:"events"`
}

// Parse validates the request and returns its events, which must not be used if there are errors in faults.
func (r *EventsRequest) Parse(faults *validate.Faults) []events.Event {
	const field = "events"
	n := len(r.Events)
	isWrongNumber := n == 0 || n > maxEvents
	if isWrongNumber && !faults.In(field) {
		faults.Add(field, "wrong_number", "%s must be a list of 1 to %d events; got %d.", field, maxEvents, n)
		return nil
	}

	var types []string
	for _, t := range events.Types() {
		types = append(types, string(t))
	}
	list := make([]events.Event, len(r.Events))
	for i, e := range r.Events {
		pathOf := func(member string) string { return validate.Join(validate.Index(field, i), member) }
		validate.OneOf(faults, pathOf("type"), &e.Type, types...)
		validate.RequiredText(faults, pathOf("freelancer_id"), e.FreelancerID, maxID)
		validate.RequiredText(faults, pathOf("request_id"), e.RequestID, maxRequestID)
		list[i] = events.Event{
			Match: e.RequestID, Freelancer: e.FreelancerID, Type: events.Type(e.Type),
			At: parseTime(faults, pathOf("at"), e.At),
		}
	}

	return list
}

// parseTime returns the time in an optional member, or the zero time if there is none or it is invalid.
func parseTime(faults *validate.Faults, path, text string) time.Time {
	hasWrongType := faults.In(path) // which was reported when the body was decoded
	if text == "" || hasWrongType {
		return time.Time{}
	}

	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		faults.Add(path, "invalid_time", "%s must be a time such as %s; got %s.", path,
			time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC).Format(time.RFC3339), validate.Quote(text))
		return time.Time{}
	}
	return at
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
