package webhook_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/store"
	"github.com/freelancer-matching/service/store/sqlite"
	"github.com/freelancer-matching/service/store/sqlite/sqlitetest"
	"github.com/freelancer-matching/service/webhook"
)

// A rig is a sender with a database, a manual clock and an endpoint.
type rig struct {
	*webhook.Sender
	db       *store.DB
	endpoint *httptest.Server
	log      strings.Builder

	mu       sync.Mutex
	at       time.Time
	outcomes []string
	requests []*http.Request // with their bodies read
	bodies   []string
	respond  func(w http.ResponseWriter)
}

const session = "0f2c4b6a8d1e3f5a7b9c0d2e4f6a8b1c"

func (r *rig) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at
}

// sent records an outcome.
func (r *rig) sent(outcome string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes = append(r.outcomes, outcome)
}

func (r *rig) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	r.mu.Lock()
	r.requests, r.bodies = append(r.requests, q), append(r.bodies, string(body))
	respond := r.respond
	r.mu.Unlock()
	respond(w)
}

// newRig returns a rig with a message that is due, and an endpoint that responds with a status.
func newRig(t *testing.T, status int, header ...string) *rig {
	t.Helper()
	db, err := sqlite.Open(t.Context(), sqlitetest.NewFile(t))
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { db.Close() })
	r := &rig{db: db, at: time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC)}
	r.respond = func(w http.ResponseWriter) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
	}

	r.endpoint = httptest.NewServer(r)
	t.Cleanup(r.endpoint.Close)
	allowed := webhook.Allowed{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	r.Sender = webhook.NewSender(webhook.Sender{
		Name: "webhook", Outbox: db.Webhooks, Transport: webhook.HTTP{Client: allowed.NewClient(), Now: r.now},
		Now: r.now, Sent: r.sent, Log: slog.New(slog.NewTextHandler(&r.log, nil)),
	})

	r.store(t, session)
	return r
}

// store stores a session with a message that is due.
func (r *rig) store(t *testing.T, id string) {
	t.Helper()
	err := r.db.Interviews.Insert(t.Context(), interview.Record{
		ID: id, Account: "acc_1", Version: 1, Expires: r.now().Add(48 * time.Hour), Data: []byte("{}"),
		Endpoint: &webhook.Endpoint{URL: r.endpoint.URL + "/hook?a=b", Secret: webhook.Secret(strings.Repeat("s", 24))},
		Message:  webhook.NewMessage("interview.evaluated", []byte(`{"type":"interview.evaluated"}`), r.now()),
	}, interview.Limits{}, r.now(), nil)
	if err != nil {
		t.Fatal(err)
	}
}

func (r *rig) status(t *testing.T) webhook.Status {
	t.Helper()
	s, err := r.db.Interviews.Webhook(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// send makes the next attempt.
func (r *rig) send(t *testing.T) webhook.Status {
	t.Helper()
	if err := r.SendNext(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r.status(t)
}

func TestSendNext(t *testing.T) {
	r := newRig(t, http.StatusNoContent)
	if s := r.send(t); !s.Delivered.Equal(r.at) || s.Attempts != 1 || s.GaveUp() {
		t.Errorf("status %+v, want delivered", s)
	}

	if err := r.SendNext(t.Context()); !errors.Is(err, webhook.ErrNone) {
		t.Errorf("a second attempt: %v", err)
	}

	if len(r.requests) != 1 {
		t.Fatalf("%d requests, want 1", len(r.requests))
	}
	q := r.requests[0]
	body := r.bodies[0]
	id := q.Header.Get("webhook-id")
	want := webhook.Sign(webhook.Secret(strings.Repeat("s", 24)), id, r.at, []byte(body))
	if q.Method != http.MethodPost || q.URL.String() != "/hook?a=b" || body != `{"type":"interview.evaluated"}` ||
		q.Header.Get("Content-Type") != "application/json" || !strings.HasPrefix(id, "msg_") ||
		q.Header.Get("webhook-timestamp") != "1936776600" || q.Header.Get("webhook-signature") != want {
		t.Errorf("%s %s %v %s", q.Method, q.URL, q.Header, body)
	}

	if got := strings.Join(r.outcomes, " "); got != webhook.Delivered {
		t.Errorf("outcomes %q", got)
	}
}

// A message is repeated with the same ID, after growing waits, until a day has passed.
func TestSendNext_RetriesForADay(t *testing.T) {
	r := newRig(t, http.StatusInternalServerError)
	begin := r.at
	attempts := 0

	for wait := time.Duration(0); ; attempts++ {
		s := r.send(t)
		if s.GaveUp() {
			break
		}

		if s.LastError != "the endpoint responded with 500 Internal Server Error" || !s.Delivered.IsZero() {
			t.Errorf("status %+v", s)
		}
		next := s.Next.Sub(r.at)
		if next < wait*3/4 || next < 5*time.Second || next > 4*time.Hour {
			t.Errorf("attempt %d waits %v after %v", attempts+1, next, wait)
		}

		wait = min(next, 2*time.Hour)
		r.at = s.Next
	}

	if tried := r.at.Sub(begin); tried < 19*time.Hour || tried > 24*time.Hour || attempts < 14 || attempts > 30 {
		t.Errorf("gave up after %d attempts in %v", attempts, tried)
	}

	for _, q := range r.requests {
		if q.Header.Get("webhook-id") != r.requests[0].Header.Get("webhook-id") {
			t.Error("the ID of the message changed")
		}
	}

	if first, last := r.requests[0], r.requests[len(r.requests)-1]; first.Header.Get("webhook-signature") ==
		last.Header.Get("webhook-signature") {
		t.Error("the signature doesn't include the time of the attempt")
	}

	if last := r.outcomes[len(r.outcomes)-1]; last != webhook.GivenUp {
		t.Errorf("the last outcome is %q", last)
	}

	if !strings.Contains(r.log.String(), "message given up") || strings.Contains(r.log.String(), strings.Repeat("s", 24)) {
		t.Errorf("log: %s", &r.log)
	}
}

func TestSendNext_ReceiverDecides(t *testing.T) {
	date := time.Date(2031, 5, 17, 10, 0, 0, 0, time.UTC).Format(http.TimeFormat)
	for _, test := range []struct {
		name      string
		status    int
		header    []string
		low, high time.Duration // until the next attempt; 0 for none
		want      string
	}{
		{"gone", 410, nil, 0, 0, "the endpoint responded with 410 Gone"},
		{"seconds", 429, []string{"Retry-After", "1800"}, 30 * time.Minute, 30 * time.Minute, "429 Too Many Requests"},
		{"a date", 503, []string{"Retry-After", date}, 30 * time.Minute, 30 * time.Minute, "503"},
		{"wait too long", 503, []string{"Retry-After", "2000000000"}, 4 * time.Hour, 4 * time.Hour, "503"},
		{
			"wait in the past", 503,
			[]string{"Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT"},
			5 * time.Second,
			10 * time.Second, "503",
		},
		{"invalid wait", 503, []string{"Retry-After", "soon"}, 5 * time.Second, 10 * time.Second, "503"},
		{"redirect", 302, []string{"Location", "http://127.0.0.1/"}, 5 * time.Second, 10 * time.Second, "302 Found"},
		{"bad request", 400, nil, 5 * time.Second, 10 * time.Second, "400 Bad Request"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, test.status, test.header...)
			s := r.send(t)
			var wait time.Duration

			if !s.Next.IsZero() {
				wait = s.Next.Sub(r.at)
			}

			if wait < test.low || wait > test.high || !strings.Contains(s.LastError, test.want) {
				t.Errorf("%v until the next attempt, error %q; want %v to %v, %q", wait, s.LastError, test.low, test.high,
					test.want)
			}

			if len(r.requests) != 1 {
				t.Errorf("%d requests, want 1", len(r.requests))
			}
		})
	}
}

func TestSendNext_NoConnection(t *testing.T) {
	r := newRig(t, http.StatusOK)
	r.endpoint.Close()
	s := r.send(t)
	if s.LastError != "the connection failed" || s.Next.IsZero() {
		t.Errorf("status %+v", s) // without the address
	}
}

// A stop during an attempt doesn't count as a failure of the endpoint: another attempt follows at once.
func TestSendNext_Stopped(t *testing.T) {
	r := newRig(t, http.StatusOK)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	r.respond = func(http.ResponseWriter) {
		stop()
		<-done // no response before the sender has given up
	}
	err := r.SendNext(ctx)
	close(done)
	if s := r.status(t); err != nil || !s.Next.Equal(r.at) || s.GaveUp() {
		t.Errorf("%v, status %+v; want another attempt at once", err, s)
	}
}

// Run sends what is stored before and while it runs, and ends with its context.
func TestRun(t *testing.T) {
	r := newRig(t, http.StatusOK)
	sent := make(chan struct{}, 10)
	r.respond = func(http.ResponseWriter) { sent <- struct{}{} }
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.Run(ctx)
	}()
	<-sent
	r.store(t, strings.Repeat("1", 32))
	r.Notify()
	<-sent
	stop()
	<-ended
	if len(r.requests) != 2 {
		t.Errorf("%d requests, want 2", len(r.requests))
	}
}
