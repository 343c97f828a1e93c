package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/validate"
)

const (
	eventsPath = "/api/v1/events"
	goodEvent  = `{"type":"clicked","request_id":"r-1","freelancer_id":"f1"}`
)

func eventsOf(list ...string) string { return `{"events":[` + strings.Join(list, ",") + `]}` }

func TestEvents_AreRecorded(t *testing.T) {
	f := newFixture()
	fake := &fakeEvents{result: events.Result{Recorded: 1, Duplicates: 1, Rejected: []matching.FieldError{
		{Field: "events[1].request_id", Code: "unknown_request", Message: "no such <match>"},
	}}}
	f.Events = fake
	c := call{
		path: eventsPath, status: 200,
		body: eventsOf(goodEvent,
			`{"type":"hired","request_id":"r-2.99","freelancer_id":"é","at":"2031-05-17T09:30:00+02:00"}`,
			`{"type":"shown","request_id":"r","freelancer_id":"f1","at":null}`),
		want: []string{`"data":{"recorded":1,"duplicates":1,"rejected":[{"field":"events[1].request_id",` +
			`"code":"unknown_request","message":"no such <match>"}]}`},
	}

	h := New(f.Dependencies).Handler()
	c.sendTo(t, h)
	want := []events.Event{
		{Match: "r-1", Freelancer: "f1", Type: events.Clicked},
		{Match: "r-2.99", Freelancer: "é", Type: events.Hired, At: time.Date(2031, 5, 17, 7, 30, 0, 0, time.UTC)},
		{Match: "r", Freelancer: "f1", Type: events.Shown},
	}
	if diff := cmp.Diff(want, fake.events); diff != "" || fake.account != goodKey().Account {
		t.Errorf("of account %s: %s", fake.account, diff)
	}

	fake.result = events.Result{Recorded: 3}
	c.want = []string{`"rejected":[]`}
	if left := remaining(t, c.sendTo(t, h)); left != 998 {
		t.Errorf("%d requests remaining after two, want 998", left)
	}
}

// A request without a single valid event is an error, so that a client that ignores bodies notices.
func TestEvents_AllRejected(t *testing.T) {
	fake := &fakeEvents{result: events.Result{Rejected: []matching.FieldError{
		{Field: "events[0].request_id", Code: "unknown_request", Message: "events[0].request_id must be known."},
	}}}
	c := call{
		path: eventsPath, body: eventsOf(goodEvent), status: 422, code: matching.CodeInvalid,
		want:   []string{`"code":"unknown_request"`, "events[0].request_id must be known."},
		change: func(f *fixture) { f.Events = fake },
	}
	c.send(t)
}

func TestEvents_Errors(t *testing.T) {
	invalid := func(name, body string, code matching.Code, want ...string) call {
		return call{
			name: name, path: eventsPath, body: body, status: 422, code: code, want: want,
			change: func(f *fixture) { f.Events = &fakeEvents{err: errors.New("secret cause: events were recorded")} },
		}
	}

	with := func(name, old, replacement string, code matching.Code, want ...string) call {
		return invalid(name, eventsOf(strings.Replace(goodEvent, old, replacement, 1)), code, want...)
	}
	fails := func(err error, status int, code matching.Code) call {
		return call{
			name: string(code), path: eventsPath, body: eventsOf(goodEvent), status: status, code: code,
			change: func(f *fixture) { f.Events = &fakeEvents{err: err} },
		}
	}

	run(t, []call{
		invalid("no list", `{}`, matching.CodeInvalid, "1 to 1000 events"),
		invalid("an empty list", eventsOf(), matching.CodeInvalid, "1 to 1000 events"),
		invalid("too many", eventsOf(goodEvent+strings.Repeat(","+goodEvent, 1000)), matching.CodeInvalid, "got 1001"),
		invalid("an object", `{"events":`+goodEvent+`}`, validate.CodeWrongType, "events must be a list"),
		invalid("texts", eventsOf(`"clicked"`), validate.CodeWrongType, "events[0] must be an object"),
		invalid("an unknown member", eventsOf(`{"kind":"shown"}`), validate.CodeUnknownField, "events[0].kind"),
		with("an unknown type", "clicked", "liked", matching.CodeInvalid, "shown, clicked, contacted, hired, rejected"),
		with("no type", `"type":"clicked",`, "", matching.CodeInvalid, "events[0].type"),
		with("no request", `"request_id":"r-1",`, "", matching.CodeInvalid, "events[0].request_id must have 1 to 131"),
		with("a long request", "r-1", strings.Repeat("r", 132), matching.CodeInvalid, "at most 131"),
		with("no freelancer", `"f1"`, `""`, matching.CodeInvalid, "events[0].freelancer_id must have 1 to 200"),
		with("a long freelancer", "f1", strings.Repeat("f", 201), matching.CodeInvalid, "at most 200"),
		with("not a time", `"f1"`, `"f1","at":"yesterday"`, matching.CodeInvalid, "events[0].at", "2026-01-31T12:00:00Z"),
		with("a number", `"f1"`, `1`, validate.CodeWrongType, "events[0].freelancer_id must be a string"),
		fails(fmt.Errorf("events: %w", &matching.Error{Code: events.CodeFull, Message: "full"}), 409, events.CodeFull),
		fails(errors.New("secret cause"), 500, matching.CodeInternal),
		{
			name: "not permitted", path: eventsPath, body: eventsOf(goodEvent), status: 403, code: apikey.CodeOperation,
			change: withKey(func(k *apikey.Key) { k.Operations = []string{"match"} }),
		},
	})
}

// Every response with matches is recorded under its request ID, but not its brief, unless the account agreed, and never
// the text of a file.
func TestEvents_MatchesAreRecorded(t *testing.T) {
	hashes := []uint64{events.Hash("f1"), events.Hash("f2")}
	id := http.Header{"X-Request-Id": {"a"}}
	ids := asForm.Clone()
	ids.Set("X-Request-Id", "a")
	match := events.Match{
		Account: goodKey().Account, ID: "a", Freelancers: hashes, Scores: []float64{.74, .1},
		Versions: matching.Versions{Index: "freelancers-1"},
	}
	with := func(change func(*events.Match)) events.Match {
		m := match
		change(&m)
		return m
	}

	const brief = `{"description":"A <b> & c","filters":{"available":false},"limit":2,"offset":40}`
	for _, tt := range []struct {
		name  string
		call  call
		keeps bool
		want  []events.Match
	}{
		{"a match", call{header: id, status: 200}, false, []events.Match{match}},
		{"a page", call{path: matchPath, header: id, body: brief, status: 200}, false, []events.Match{
			with(func(m *events.Match) { m.Offset = 40 }),
		}},
		{"with its brief", call{path: matchPath, header: id, body: brief, status: 200}, true, []events.Match{
			with(func(m *events.Match) { m.Offset, m.Brief = 40, []byte(brief+"\n") }),
		}},
		{
			"a batch",
			call{path: batchPath, header: id, body: batchOf(goodBrief, `{}`, goodBrief), status: 200},
			true,
			[]events.Match{
				with(func(m *events.Match) { m.ID, m.Brief = "a.0", []byte(goodBrief+"\n") }),
				with(func(m *events.Match) { m.ID, m.Brief = "a.2", []byte(goodBrief+"\n") }),
			},
		},
		{"a document", call{path: documentPath, header: ids, body: goodForm, status: 200}, true, []events.Match{match}},
		{"an error", call{path: matchPath, header: id, body: `{}`, status: 422}, true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fake := &fakeEvents{keeps: tt.keeps}
			tt.call.change = func(f *fixture) { f.Events = fake }
			tt.call.send(t)

			for i := range fake.matches {
				if time.Since(fake.matches[i].At) > time.Minute {
					t.Errorf("recorded as of %s", fake.matches[i].At)
				}
				fake.matches[i].At = time.Time{}
			}

			if diff := cmp.Diff(tt.want, fake.matches); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
