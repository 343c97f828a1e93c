package feed

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/freelancer-matching/service/webhook"
)

// An Event is a kind of message that endpoints can ask for.
type Event string

// The events.
const (
	FreelancerChanged    Event = "freelancer.changed" // stored or patched
	FreelancerErased     Event = "freelancer.erased"
	LoadLive             Event = "load.live"    // another index is live, or a command has changed the live one
	LoadRefused          Event = "load.refused" // a file that the account has uploaded
	QuotaNearlyExhausted Event = "quota.nearly_exhausted"
	KeyExpiring          Event = "key.expiring"

	// Those about the lists of saved briefs; see package briefs.

	BriefEntered   Event = "brief.entered"   // somebody is on the list who wasn't
	BriefLeft      Event = "brief.left"      // somebody is no longer on the list
	BriefAvailable Event = "brief.available" // somebody on the list has become available
)

// Events returns all events.
func Events() []Event {
	return []Event{
		FreelancerChanged, FreelancerErased, LoadLive, LoadRefused, QuotaNearlyExhausted, KeyExpiring,
		BriefEntered, BriefLeft, BriefAvailable,
	}
}

// NeedsData reports whether an event is about the data that all accounts share, so that its receiver must be allowed to
// read that.
func (e Event) NeedsData() bool {
	return slices.Contains([]Event{FreelancerChanged, FreelancerErased, LoadLive}, e)
}

// A Kind is what a change does.
type Kind string

// The kinds of changes.
const (
	Stored   Kind = "stored"  // the whole record
	Patched  Kind = "patched" // some fields
	Erased   Kind = "erased"
	Replaced Kind = "index.replaced" // any freelancer may have changed, so everything must be read again
)

// A Change is an entry of the feed.
type Change struct {
	Sequence int64     `json:"sequence,omitempty"` // number in the feed, above those of all earlier changes
	Kind     Kind      `json:"kind"`
	ID       string    `json:"id,omitempty"` // of the freelancer; "" for Replaced
	At       time.Time `json:"at"`
	Load     *Load     `json:"load,omitempty"` // of Replaced
}

// A Load says what has replaced the index, or changed it.
type Load struct {
	Index       string `json:"index"`
	Previous    string `json:"previous,omitempty"` // the index that was live before; "" if it is the same or none was
	Command     string `json:"command"`            // such as load, upsert or rollback
	Freelancers int    `json:"freelancers"`        // in the index
	Upload      string `json:"load_id,omitempty"`  // of the file that was uploaded; "" for other loads
}

// Replacing returns the load with the index that was live before. An older index that is live again is a rollback: the
// names of indexes end with their time.
func (l Load) Replacing(previous string) Load {
	if previous == l.Index {
		return l
	}
	l.Previous = previous
	if l.Index < previous {
		l.Command = "rollback"
	}
	return l
}

// A payload is the body of a message.
type payload struct {
	Type      Event     `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	Test      bool      `json:"test,omitempty"`
	Data      any       `json:"data"`
}

// A ChangesMessage is the data of messages about freelancers.
type ChangesMessage struct {
	Changes []Change `json:"changes"`
}

// A LoadMessage is the data of LoadLive.
type LoadMessage struct {
	Sequence int64 `json:"sequence"`
	*Load
}

// A Refusal is the data of LoadRefused.
type Refusal struct {
	Upload  string `json:"load_id"`
	File    string `json:"file"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// A QuotaState is the data of QuotaNearlyExhausted.
type QuotaState struct {
	Key       string    `json:"key_id"`
	Limit     int       `json:"limit"` // requests in 30 days
	Used      int       `json:"used"`
	WindowEnd time.Time `json:"window_end"`
}

// A KeyState is the data of KeyExpiring.
type KeyState struct {
	Key     string    `json:"key_id"`
	Name    string    `json:"name"`
	Expires time.Time `json:"expires_at"`
}

// NewMessage returns a message about an event.
func NewMessage(e Event, data any, at time.Time) (*webhook.Message, error) {
	return newMessage(payload{Type: e, Timestamp: at.UTC(), Data: data}, at)
}

func newMessage(p payload, at time.Time) (*webhook.Message, error) {
	body, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return webhook.NewMessage(string(p.Type), body, at), nil
}

// Messages returns the messages to an endpoint about successive changes: one with all that were stored or patched, one
// with all that were erased, and one for each load.
func Messages(events []Event, changes []Change, at time.Time) (messages []*webhook.Message, err error) {
	var changed, erased ChangesMessage
	add := func(e Event, data any) {
		if err == nil && slices.Contains(events, e) {
			var m *webhook.Message
			m, err = NewMessage(e, data, at)
			messages = append(messages, m)
		}
	}

	for _, c := range changes {
		switch c.Kind {
		case Erased:
			erased.Changes = append(erased.Changes, c)
		case Replaced:
			if c.Load != nil {
				add(LoadLive, LoadMessage{c.Sequence, c.Load})
				continue
			}
			changed.Changes = append(changed.Changes, c) // earlier changes are no longer in the feed
		default:
			changed.Changes = append(changed.Changes, c)
		}
	}

	if len(changed.Changes) > 0 {
		add(FreelancerChanged, changed)
	}
	if len(erased.Changes) > 0 {
		add(FreelancerErased, erased)
	}
	return messages, err
}

// Example returns a message with invented data that is marked as a test.
func Example(e Event, at time.Time) (*webhook.Message, error) {
	return newMessage(payload{Type: e, Timestamp: at.UTC(), Test: true, Data: Sample(e, at)}, at)
}

// Sample returns invented data of an event.
func Sample(e Event, at time.Time) any {
	at = at.UTC()
	const upload = "load_0a1b2c3d_4e5f6a7b8c9d0e1f"
	switch e {
	case FreelancerErased:
		return ChangesMessage{[]Change{{Sequence: 42, Kind: Erased, ID: "f1859", At: at}}}
	case LoadLive:
		return LoadMessage{43, &Load{
			Index: "freelancers-v1-20260102-030405", Previous: "freelancers-v1-20260101-030405", Command: "load",
			Freelancers: 2000, Upload: upload,
		}}
	case LoadRefused:
		return Refusal{upload, "freelancers.csv", "too_many_failures", "312 of 2,000 rows can't be read."}
	case QuotaNearlyExhausted:
		return QuotaState{"key_0123456789AB", 50_000, 40_000, at.AddDate(0, 0, 6)}
	case KeyExpiring:
		return KeyState{"key_0123456789AB", "Website", at.AddDate(0, 0, 7)}
	case BriefEntered, BriefLeft, BriefAvailable:
		return sampleNews(e)
	default:
		return ChangesMessage{[]Change{{Sequence: 41, Kind: Stored, ID: "f1859", At: at}}}
	}
}
