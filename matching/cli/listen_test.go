package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/webhook"
)

const listenSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// A script is a server with responses for each operation, in their order. The last one is for all further requests. A
// response may begin with its status.
type script struct {
	*fake
	responses map[string][]string
}

func newScript(t *testing.T, responses map[string][]string) *script {
	t.Helper()
	s := &script{&fake{}, responses}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got := recorded{Method: r.Method, Path: r.URL.RequestURI()}
		_ = json.Unmarshal(body, &got.Body)
		s.mu.Lock()
		s.requests = append(s.requests, got)
		operation := r.Method + " " + strings.TrimPrefix(r.URL.Path, basePath)
		list := s.responses[operation]
		if len(list) > 1 {
			s.responses[operation] = list[1:]
		}
		s.mu.Unlock()

		if len(list) == 0 {
			t.Errorf("unexpected request %s", operation)
			return
		}
		text := list[0]
		if status, err := strconv.Atoi(text[:min(3, len(text))]); err == nil {
			w.WriteHeader(status)
			text = text[3:]
		}
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s
}

// count returns how many requests with a method and a beginning of their path came.
func (s *script) count(method, path string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if r.Method == method && strings.HasPrefix(r.Path, basePath+path) {
			n++
		}
	}
	return n
}

// listenScript returns a server with an endpoint that has these pages of deliveries.
func listenScript(t *testing.T, pages ...string) *script {
	t.Helper()
	return newScript(t, map[string][]string{
		"POST /webhooks":                {`{"data":{"id":"we_1","secret":"` + listenSecret + `"}}`},
		"GET /webhooks/we_1/deliveries": pages,
		"DELETE /webhooks/we_1":         {`{"data":{"id":"we_1"}}`},
	})
}

// deliveries returns a page with messages, the last part of which is a change of a freelancer.
func deliveries(cursor string, ids ...string) string {
	var list []string
	for _, id := range ids {
		list = append(list, fmt.Sprintf(`{"id":"msg_%s","event":"freelancer.changed","created_at":"2031-05-17T09:31:00Z",
			"state":"held","body":{"type":"freelancer.changed","data":{"changes":[{"kind":"stored","id":"%s"}]}}}`, id[:2], id))
	}
	next := "null"
	if cursor != "" {
		next = strconv.Quote(cursor)
	}
	return `{"data":[` + strings.Join(list, ",") + `],"next_cursor":` + next + `}`
}

// listen runs a command that is interrupted after a number of waits, and returns these.
func (s *shell) listen(t *testing.T, waits int, args ...string) (code int, stdout, stderr string, got []time.Duration) {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	s.ctx = ctx
	s.pause = func(d time.Duration) {
		if got = append(got, d); len(got) == waits {
			interrupt()
		}
	}
	code, stdout, stderr = s.run(args...)
	return code, stdout, stderr, got
}

// A program receives forwarded messages, and verifies their signatures.
type program struct {
	*httptest.Server
	mu     sync.Mutex
	bodies []string
}

func newProgram(t *testing.T, secret string, status int) *program {
	t.Helper()
	key, err := webhook.ParseSecret(secret)
	if err != nil {
		t.Fatal(err)
	}
	p := &program{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seconds, _ := strconv.ParseInt(r.Header.Get("Webhook-Timestamp"), 10, 64)
		want := webhook.Sign(key, r.Header.Get("Webhook-Id"), time.Unix(seconds, 0), body)
		if r.Header.Get("Webhook-Signature") != want || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("got the header %v, want the signature %s", r.Header, want)
		}
		p.mu.Lock()
		p.bodies = append(p.bodies, string(body))
		p.mu.Unlock()
		w.Header().Set("Location", "http://127.0.0.1:1/")
		w.WriteHeader(status)
	}))
	t.Cleanup(p.Close)
	return p
}

func TestListen_ForwardsEachMessageOnce(t *testing.T) {
	server := listenScript(t,
		deliveries(""),
		deliveries("", "f2", "f1\\u001b[31m"), // the newest first
		`503{"error":{"code":"overloaded","message":"Retry."}}`,
		deliveries("c1", "f5", "f4"), deliveries("", "f3", "f2"),
		deliveries("", "f5", "f4"))
	s := newShell(t, server.fake)
	p := newProgram(t, listenSecret, http.StatusFound)

	code, stdout, stderr, waits := s.listen(t, 5, "listen", "-forward", p.URL, "-events", "freelancer.changed, load.live")
	if code != 0 || !strings.Contains(stderr, listenSecret) || !strings.Contains(stderr, "Retry. (overloaded)") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	for i, want := range []string{"f1 [31m", "f2", "f3", "f4", "f5"} {
		if i >= len(lines) || !strings.HasSuffix(lines[i], "freelancer.changed  stored "+want+"  → 302 Found") {
			t.Errorf("line %d isn't about %s:\n%s", i, want, stdout)
		}
	}
	if len(lines) != 5 || len(p.bodies) != 5 || !strings.Contains(p.bodies[1], `"id":"f2"`) {
		t.Errorf("%d lines, forwarded %q", len(lines), p.bodies)
	}
	const interval = minPollInterval
	if want := []time.Duration{interval, interval, problemWait, interval, interval}; !slices.Equal(waits, want) {
		t.Errorf("waits %v, want %v", waits, want)
	}

	created := fmt.Sprint(server.requests[0].Body)
	if created != "map[events:[freelancer.changed load.live] name:matching listen]" {
		t.Errorf("created %s", created)
	}
	if n := server.count(http.MethodDelete, "/webhooks/we_1"); n != 1 {
		t.Errorf("deleted %d times", n)
	}
}

func TestListen_JSON(t *testing.T) {
	s := newShell(t, listenScript(t, deliveries("", "f1")).fake)
	s.environment[variableSecret] = "whsec_b3RoZXJvdGhlcm90aGVyb3RoZXJvdGhlcm90aGVy"
	p := newProgram(t, s.environment[variableSecret], http.StatusNoContent)
	for _, test := range []struct{ address, want string }{
		{p.URL, `{"status":204}`},
		{"http://127.0.0.1:1", `{"error":"dial tcp 127.0.0.1:1: connect: connection refused"}`},
		{"", ""},
	} {
		code, stdout, stderr, _ := s.listen(t, 2, "listen", "-json", "-forward", test.address)
		var line struct {
			ID        string
			Body      map[string]any
			Forwarded json.RawMessage
		}
		if err := json.Unmarshal([]byte(stdout), &line); err != nil || code != 0 {
			t.Fatalf("exit code %d, %v: %s%s", code, err, stdout, stderr)
		}
		if line.ID != "msg_f1" || line.Body["type"] != "freelancer.changed" || string(line.Forwarded) != test.want {
			t.Errorf("got %s", stdout)
		}
	}
}

// Each poll costs a request, so a listener without messages becomes slow within an hour.
func TestListen_PollsRarelyInSilence(t *testing.T) {
	s := newShell(t, listenScript(t, deliveries("")).fake)
	const polls = pollsPerStep * 20
	_, _, _, waits := s.listen(t, polls, "listen")
	if waits[0] != minPollInterval || waits[pollsPerStep] != 2*minPollInterval || waits[polls-1] != maxPollInterval {
		t.Errorf("waits %v", waits)
	}
	var grows time.Duration
	for _, wait := range waits[:slices.Index(waits, maxPollInterval)] {
		grows += wait
	}
	if grows.Round(time.Minute) != time.Hour {
		t.Errorf("polls become slowest after %s", grows)
	}
}

func TestListen_Errors(t *testing.T) {
	failure := func(status, code string) string {
		return status + `{"error":{"code":"` + code + `","message":"It failed."}}`
	}
	tests := []struct {
		name   string
		change func(*script, *shell)
		args   []string
		code   int
		want   string
	}{
		{"no URL", nil, []string{"-forward", "localhost:3000"}, 2, "-forward must be a URL"},
		{"no secret", func(_ *script, s *shell) {
			s.environment[variableSecret] = "secret"
		}, []string{"-forward", "http://localhost:1"}, 2, "MATCHING_WEBHOOK_SECRET must be whsec_"},
		{"not allowed", func(f *script, _ *shell) {
			f.responses["POST /webhooks"] = []string{failure("403", "permission_required")}
		}, nil, 3, "(permission_required)"},
		{"too many", func(f *script, _ *shell) {
			f.responses["POST /webhooks"] = []string{failure("409", "too_many_webhooks")}
		}, nil, 1, "The dashboard lists and deletes webhook endpoints"},
		{"deleted by somebody else", func(f *script, _ *shell) {
			f.responses["GET /webhooks/we_1/deliveries"] = []string{failure("404", "webhook_not_found")}
			f.responses["DELETE /webhooks/we_1"] = []string{failure("404", "webhook_not_found")}
		}, nil, 4, "(webhook_not_found)"},
		{"not deleted", func(f *script, _ *shell) {
			f.responses["DELETE /webhooks/we_1"] = []string{failure("503", "overloaded")}
		}, nil, 5, "The endpoint we_1 (\"matching listen\") remains."},
		{"something else responds", func(f *script, _ *shell) {
			f.responses["GET /webhooks/we_1/deliveries"] = []string{"502<html>", deliveries("")}
		}, nil, 0, "Trying again."},
		{"something else is at the address", func(f *script, _ *shell) {
			f.responses["GET /webhooks/we_1/deliveries"] = []string{"404<html>"}
		}, nil, 1, "responded with 404 Not Found, and not as this API does"},
		{"a response that can't be decoded", func(f *script, _ *shell) {
			f.responses["GET /webhooks/we_1/deliveries"] = []string{`{"data":1}`}
		}, nil, 1, "decode the response of the API"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := listenScript(t, deliveries(""))
			s := newShell(t, f.fake)
			if test.change != nil {
				test.change(f, s)
			}
			code, stdout, stderr, _ := s.listen(t, 3, append([]string{"listen"}, test.args...)...)
			if code != test.code || !strings.Contains(stderr, test.want) || stdout != "" {
				t.Errorf("exit code %d, want %d with %q:\n%s%s", code, test.code, test.want, stdout, stderr)
			}
		})
	}
}

// The memory of a listener doesn't grow without end, and it has what the server can still list.
func TestListener_ForgetsOldMessages(t *testing.T) {
	l := &listener{seen: map[string]bool{}}
	for i := range maxSeen + 10 {
		l.remember([]delivery{{ID: strconv.Itoa(i)}})
	}
	if len(l.seen) != maxSeen || len(l.order) != maxSeen || l.seen["9"] || !l.seen["10"] {
		t.Errorf("remembers %d messages", len(l.seen))
	}
}

// The command knows the server's events, and describes their messages.
func TestMessages(t *testing.T) {
	var events []string
	for _, event := range feed.Events() {
		events = append(events, string(event))
		sent, err := feed.Example(event, time.Date(2031, time.May, 17, 9, 31, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		var m message
		if err := json.Unmarshal(sent.Body, &m); err != nil {
			t.Fatal(err)
		}
		if text := m.String(); len(text) < len("test, stored f1") || !strings.HasPrefix(text, "test, ") {
			t.Errorf("%s: %q", event, text)
		}
	}
	if !slices.Equal(events, eventNames()) {
		t.Errorf("the server has the events %q", events)
	}

	many := make([]change, 12)
	for i := range many {
		many[i] = change{Kind: "stored", ID: strconv.Itoa(i)}
	}
	if got := summarize(many, (*change).String); got != "stored 0, stored 1, stored 2, 9 more" {
		t.Errorf("got %q", got)
	}
}

func TestTrigger(t *testing.T) {
	const list = `{"data":[{"id":"we_1","name":"Shop","events":["load.live"],"enabled":true},
		{"id":"we_2","name":"Off","events":["load.live"],"enabled":false},
		{"id":"we_3","name":"Other","events":["key.expiring"],"enabled":true},
		{"id":"we_4","name":"Cache","events":["key.expiring","load.live"],"enabled":true}]}`
	f := newScript(t, map[string][]string{
		"GET /webhooks":            {list},
		"POST /webhooks/we_1/test": {`{"data":{"id":"msg_1"}}`},
		"POST /webhooks/we_2/test": {`{"data":{"id":"msg_2"}}`},
		"POST /webhooks/we_4/test": {`{"data":{"id":"msg_4"}}`},
	})
	s := newShell(t, f.fake)

	code, stdout, stderr := s.run("trigger", "load.live")
	want := "load.live to we_1 (Shop): msg_1\nload.live to we_4 (Cache): msg_4\n"
	if code != 0 || stdout != want || f.requests[1].Body["event"] != "load.live" {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = s.run("trigger", "load.refused", "-endpoint", "we_2", "-json")
	if code != 0 || stdout != `{"data":{"id":"msg_2"}}`+"\n" {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = s.run("trigger", "load.refusd")
	if code != exitNotFound || !strings.Contains(stderr, "did you mean load.refused?") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	if code, _, stderr = s.run("trigger"); code != 2 || !strings.Contains(stderr, "use matching trigger") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestChanges(t *testing.T) {
	f := newScript(t, map[string][]string{"GET /changes": {
		`{"data":[{"sequence":41,"kind":"stored","id":"f1","at":"2031-05-17T09:31:00Z"}],"next_cursor":"41","has_more":true}`,
		`{"data":[{"sequence":42,"kind":"index.replaced","at":"2031-05-17T09:31:00Z","load":{"index":"i2",` +
			`"command":"rollback","freelancers":2000}}],"next_cursor":"42","has_more":false}`,
	}})
	s := newShell(t, f.fake)
	code, stdout, stderr := s.run("changes", "-cursor", "40")
	isListed := strings.Contains(stdout, "stored f1\n42 ") &&
		strings.HasSuffix(stdout, "index.replaced by rollback: 2,000 freelancers in i2\n")
	if code != 0 || !isListed || !strings.Contains(stderr, "-cursor 42") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	if f.requests[0].Path != "/api/v1/changes?cursor=40&limit=1000" ||
		f.requests[1].Path != "/api/v1/changes?cursor=41&limit=1000" {
		t.Errorf("requests %+v", f.requests)
	}
}

func TestChanges_Follow(t *testing.T) {
	event := func(n int) string {
		return fmt.Sprintf(": heartbeat\n\nevent: change\nid: %d\n"+
			"data: {\"sequence\":%d,\"kind\":\"erased\",\"id\":\"f%d\"}\n\n", n, n, n)
	}
	f := newScript(t, map[string][]string{
		"GET /changes": {`{"data":[],"next_cursor":"40","has_more":false}`},
		"GET /changes/stream": {
			event(41), `503{"error":{"code":"overloaded","message":"Retry."}}`,
			event(42) + "event: error\ndata: {}\n\n", `401{"error":{"code":"revoked_api_key","message":"It was revoked."}}`,
		},
	})
	s := newShell(t, f.fake)
	code, stdout, stderr, waits := s.listen(t, 99, "changes", "-follow", "-json")
	if code != exitRefused || strings.Count(stdout, `"sequence"`) != 2 || !strings.HasPrefix(stdout, `{"sequence":41,`) {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	if want := []time.Duration{minReconnectWait, problemWait, minReconnectWait}; !slices.Equal(waits, want) {
		t.Errorf("waits %v, want %v", waits, want)
	}
	var cursors []string
	for _, r := range f.requests[1:] {
		cursors = append(cursors, strings.TrimPrefix(r.Path, "/api/v1/changes/stream?cursor="))
	}
	if !slices.Equal(cursors, []string{"40", "41", "41", "42"}) {
		t.Errorf("cursors %q", cursors)
	}
}

// A long line is read, and one beyond the limit ends the command, because it would come again.
func TestChanges_LongLines(t *testing.T) {
	event := func(idLength int) string {
		return `event: change` + "\n" + `data: {"sequence":41,"id":"` + strings.Repeat("x", idLength) + `"}` + "\n\n"
	}
	f := newScript(t, map[string][]string{
		"GET /changes":        {`{"data":[],"next_cursor":"40","has_more":false}`},
		"GET /changes/stream": {event(100 << 10), event(maxStreamLine)},
	})
	code, stdout, stderr, waits := newShell(t, f.fake).listen(t, 99, "changes", "-follow", "-json")
	if code == 0 || strings.Count(stdout, `"sequence"`) != 1 || len(waits) != 1 ||
		!strings.Contains(stderr, "a line of more than 1048576 bytes after cursor 41") {
		t.Errorf("exit code %d, waits %v: %.200s", code, waits, stderr)
	}
}

// A connection that has died without an end is given up, with a reason.
func TestChanges_SilentStream(t *testing.T) {
	for _, begins := range []bool{false, true} {
		ended := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if begins {
				_, _ = io.WriteString(w, ": heartbeat\n\n")
				_ = http.NewResponseController(w).Flush()
			}
			<-ended
		}))
		t.Cleanup(server.Close)
		t.Cleanup(func() { close(ended) })

		f := &follower{api: &api{origin: server.URL}, silence: 10 * time.Millisecond}
		err := f.stream(t.Context())
		if _, ok := errors.AsType[*unreachableError](err); !ok || !strings.Contains(err.Error(), errSilent.Error()) {
			t.Errorf("got %v", err)
		}
	}
}
