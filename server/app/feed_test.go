package app_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/webhook"
)

const webhooksPath = "/api/v1/webhooks"

// changes returns the changes after a cursor as "kind id", once there are at least n.
func (s service) changes(t *testing.T, cursor string, n int) (list []string, next string) {
	t.Helper()
	for {
		var page wire.ChangeListAnswer
		body := s.send(t, http.StatusOK, http.MethodGet, "/api/v1/changes?cursor="+cursor, "")
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatal(err)
		}
		if len(page.Data) < n && t.Context().Err() == nil {
			continue
		}
		for _, c := range page.Data {
			text := string(c.Kind) + " " + string(c.ID)
			if c.Load != nil {
				text += c.Load.Command
			}
			list = append(list, text)
		}
		return list, page.NextCursor
	}
}

// awaitIndex waits until the feed has been told which index is live.
func (s service) awaitIndex(t *testing.T) {
	t.Helper()
	for n := 0; n == 0; {
		const observed = "SELECT count(*) FROM feed_indexes WHERE name <> ''"
		if err := s.DB.Pools.Read.QueryRowContext(t.Context(), observed).Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
}

// cursor returns the cursor for changes from now on, once the server has seen its index.
func (s service) cursor(t *testing.T) string {
	t.Helper()
	s.awaitIndex(t)
	var page wire.ChangeListAnswer
	if err := json.Unmarshal([]byte(s.send(t, http.StatusOK, http.MethodGet, "/api/v1/changes", "")), &page); err != nil {
		t.Fatal(err)
	}
	return page.NextCursor
}

func wantChanges(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("changes %q, want %q", got, want)
	}
}

// Each way to change freelancers announces exactly what it has changed.
func TestChanges_EachWritePath(t *testing.T) {
	s := startWriting(t, newData(t))
	defer s.stop(t)
	at := s.cursor(t)

	next := func(n int) (list []string) {
		t.Helper()
		list, at = s.changes(t, at, n)
		return list
	}

	s.put(t, http.StatusCreated, zoe)
	wantChanges(t, next(1), "stored zoe-1")
	s.put(t, http.StatusOK, zoe) // changes nothing
	s.send(t, http.StatusOK, http.MethodPatch, zoePath, `{"hourly_rate":50}`)
	wantChanges(t, next(1), "patched zoe-1")
	s.send(t, http.StatusPreconditionFailed, http.MethodPatch, zoePath, `{"hourly_rate":51}`, "If-Match", `"x"`)
	s.send(t, http.StatusOK, http.MethodDelete, zoePath, "")
	wantChanges(t, next(1), "erased zoe-1")

	bulk := `{"id":"b1","skills":["Go"]}` + "\n" + `{"id":"b2","skills":["Go"]}` + "\n" +
		`{"id":"b3","hourly_rate":"dear"}` + "\n" + `{"id":"b1","deleted":true}` + "\n"
	s.send(t, http.StatusOK, http.MethodPost, "/api/v1/freelancers/bulk", bulk, "Content-Type", "application/x-ndjson")
	wantChanges(t, next(3), "stored b1", "stored b2", "erased b1")

	l := s.upload(t, "?name=team.csv", team(4))
	s.publish(t, l.ID, "?allow_shrink=true")
	wantChanges(t, next(1), "index.replaced load")
	s.send(t, http.StatusOK, http.MethodPost, loadsPath+"/"+l.ID+"/rollback", "")
	wantChanges(t, next(1), "index.replaced rollback")
}

// A receiver keeps messages.
type receiver struct {
	*httptest.Server

	mu     sync.Mutex
	bodies []string
	got    chan struct{}
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{got: make(chan struct{}, 1000)}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(_ http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	r.mu.Lock()
	r.bodies = append(r.bodies, string(body))
	r.mu.Unlock()
	r.got <- struct{}{}
}

func decodeData(t *testing.T, text string, data any) {
	t.Helper()
	answer := struct{ Data any }{data}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

// Endpoints get messages about changes and refused uploads, show what became of them, and send them again.
func TestWebhooks_Deliver(t *testing.T) {
	r := newReceiver(t)
	c := newData(t)
	c.WebhookAllow = []string{strings.TrimPrefix(r.URL, "http://")} // with its port
	s := startWriting(t, c)
	defer s.stop(t)
	s.cursor(t)

	// Another port of the same host isn't allowed.
	bad := s.send(t, http.StatusUnprocessableEntity, http.MethodPost, webhooksPath,
		`{"url":"http://127.0.0.1:1/","events":["freelancer.changed"]}`)
	wantCode(t, bad, "validation_failed")
	for _, url := range []string{
		"https://10.0.0.1/", "https://localhost/", "https://[::1]/", "https://a@example.com/",
		"ftp://example.com/", "https://example.com/\\r\\nX-Evil: 1", "https://169.254.169.254/latest", "https://",
	} {
		s.send(t, http.StatusUnprocessableEntity, http.MethodPost, webhooksPath,
			fmt.Sprintf(`{"url":"%s","events":["key.expiring"]}`, url))
	}

	var hook wire.SecretWebhook
	decodeData(t, s.send(t, http.StatusCreated, http.MethodPost, webhooksPath, fmt.Sprintf(
		`{"url":%q,"events":["freelancer.changed","freelancer.erased","load.live","load.refused"]}`, r.URL)), &hook)
	if _, err := webhook.ParseSecret(hook.Secret); err != nil || hook.Name != "127.0.0.1" {
		t.Errorf("endpoint %+v: %v", hook, err)
	}
	one := webhooksPath + "/" + hook.ID
	if text := s.send(t, http.StatusOK, http.MethodGet, webhooksPath, ""); strings.Contains(text, hook.Secret[6:]) {
		t.Error("the list has the secret")
	}

	s.put(t, http.StatusCreated, zoe)
	<-r.got
	s.send(t, http.StatusOK, http.MethodDelete, zoePath, "")
	<-r.got
	s.upload(t, "?name=bad.csv", "nothing\nto,see\n")
	<-r.got
	var queued wire.QueuedDelivery
	decodeData(t, s.send(t, http.StatusAccepted, http.MethodPost, one+"/test", `{"event":"load.live"}`), &queued)
	<-r.got

	r.mu.Lock()
	all := strings.Join(r.bodies, "\n")
	r.mu.Unlock()
	for _, want := range []string{
		`"type":"freelancer.changed"`, `"type":"freelancer.erased"`, `"type":"load.refused"`, `"kind":"stored","id":"zoe-1"`,
		`"kind":"erased","id":"zoe-1"`, `"file":"bad.csv"`, `"type":"load.live"`, `"test":true`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in %s", want, all)
		}
	}
	if strings.Contains(all, "Zorblax") {
		t.Errorf("the messages have a record: %s", all)
	}

	// The outcome is stored after the response.
	for {
		var list []wire.Delivery
		decodeData(t, s.send(t, http.StatusOK, http.MethodGet, one+"/deliveries?limit=10", ""), &list)
		done := func(d wire.Delivery) bool { return d.State == feed.Delivered && *d.ResponseCode == 200 }
		if len(list) == 4 && !slices.ContainsFunc(list, func(d wire.Delivery) bool { return !done(d) }) {
			break
		}
		if t.Context().Err() != nil {
			t.Fatalf("deliveries %+v", list)
		}
	}
	s.send(t, http.StatusAccepted, http.MethodPost, one+"/deliveries/"+queued.ID+"/retry", "")
	<-r.got

	var rotated wire.SecretWebhook
	decodeData(t, s.send(t, http.StatusOK, http.MethodPost, one+"/rotate", ""), &rotated)
	if rotated.Secret == hook.Secret || rotated.PreviousSecretUntil == nil {
		t.Errorf("rotated %+v", rotated)
	}
	s.send(t, http.StatusOK, http.MethodPatch, one, `{"enabled":false}`)
	s.send(t, http.StatusOK, http.MethodDelete, one, "")
	missing := s.send(t, http.StatusNotFound, http.MethodGet, one, "")
	wantCode(t, missing, feed.CodeEndpointUnknown)
}

// A stream continues after the last event that its client got, and ends when the server shuts down.
func TestChanges_Stream(t *testing.T) {
	s := startWriting(t, newData(t))
	defer s.stop(t)
	at := s.cursor(t)
	web := httptest.NewServer(s.Handler())
	defer web.Close()

	open := func(header, value string) (*http.Response, *bufio.Scanner) {
		t.Helper()
		ctx := context.WithoutCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, web.URL+"/api/v1/changes", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.URL.RawQuery = "cursor=" + at
		r.Header.Set("Accept", "text/event-stream")
		r.Header.Set("X-Api-Key", s.token)
		if header != "" {
			r.Header.Set(header, value)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		return response, bufio.NewScanner(response.Body)
	}
	// event returns the next ID and data, or "" at the end.
	event := func(lines *bufio.Scanner) (id, data string) {
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				id = text
			}
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return id, text
			}
		}
		return "", ""
	}

	first, lines := open("", "")
	s.put(t, http.StatusCreated, zoe)
	id, data := event(lines)
	if !strings.Contains(data, `"kind":"stored","id":"zoe-1"`) {
		t.Errorf("event %s", data)
	}
	first.Body.Close()

	s.send(t, http.StatusOK, http.MethodPatch, zoePath, `{"hourly_rate":50}`)
	second, lines := open("Last-Event-ID", id)
	defer second.Body.Close()
	if _, data := event(lines); !strings.Contains(data, `"kind":"patched"`) {
		t.Errorf("the resumed stream has %s", data)
	}

	s.Drain()
	if _, data := event(lines); data != "" {
		t.Errorf("after the end: %s", data)
	}

	bad := s.send(t, http.StatusGone, http.MethodGet, "/api/v1/changes?cursor=999999", "")
	wantCode(t, bad, feed.CodeCursorExpired)
}
