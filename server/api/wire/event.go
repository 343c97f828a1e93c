package wire

import (
	"time"

	"freelancer-matching/events"
	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api/validate"
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
		at := validate.Index(field, i)
		validate.OneOf(faults, validate.Join(at, "type"), &e.Type, types...)
		validate.RequiredText(faults, validate.Join(at, "freelancer_id"), e.FreelancerID, maxID)
		validate.RequiredText(faults, validate.Join(at, "request_id"), e.RequestID, maxRequestID)
		list[i] = events.Event{Match: e.RequestID, Freelancer: e.FreelancerID, Type: events.Type(e.Type)}

		if e.At == "" || faults.In(validate.Join(at, "at")) { // a value of another type is an error already
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
