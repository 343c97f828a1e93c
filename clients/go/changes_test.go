package matching

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

// feedPage responds with changes.
func feedPage(next string, hasMore bool, changes ...int) http.HandlerFunc {
	data := ""
	for i, n := range changes {
		if i > 0 {
			data += ","
		}
		data += fmt.Sprintf(`{"sequence":%d,"kind":"stored","id":"f%d","at":"2031-05-17T09:31:00Z","load":null}`, n, n)
	}
	const page = `{"status":"success","data":[%s],"next_cursor":%q,"has_more":%t}`
	return respond(200, fmt.Sprintf(page, data, next, hasMore))
}

// changeEvent returns a change as an event of a stream.
func changeEvent(n int) string {
	return fmt.Sprintf("event: change\nid: %d\ndata: {\"sequence\":%d,\"kind\":\"stored\",\"id\":\"f%d\"}\n\n", n, n, n)
}

// cursorsOf returns the cursors of changes.
func cursorsOf(changes []FeedChange) (cursors []string) {
	for _, change := range changes {
		cursors = append(cursors, change.Cursor())
	}
	return cursors
}

func TestChanges_AreListedUntilThereAreNoMore(t *testing.T) {
	server := serve(t, feedPage("40", false), feedPage("42", true, 41, 42), feedPage("43", false, 43),
		fail(410, "cursor_expired"))
	c, _ := connect(t, Options{URLs: []string{server.url}})

	cursor, err := c.Changes.Cursor(ctx)
	if err != nil || cursor != "40" {
		t.Errorf("got %q, %v", cursor, err)
	}
	changes, err := collect(c.Changes.List(ctx, cursor))
	if err != nil || !slices.Equal(cursorsOf(changes), []string{"41", "42", "43"}) || changes[2].ID != "f43" {
		t.Errorf("got %+v, %v", changes, err)
	}
	if _, err := collect(c.Changes.List(ctx, "1")); !errors.Is(err, ErrExpired) {
		t.Errorf("got %v", err)
	}

	want := []string{"", "cursor=40&limit=1000", "cursor=42&limit=1000", "cursor=1&limit=1000"}
	for i, r := range server.requests() {
		if r.URL.RawQuery != want[i] {
			t.Errorf("request %d is for %s, want %s", i, r.URL, want[i])
		}
	}
}

func TestChangeStream_ContinuesAfterTheLastChange(t *testing.T) {
	heartbeats := respond(200, ": heartbeat\n\n")
	server := serve(t,
		feedPage("40", false), // where the stream begins
		heartbeats,            // the service ends a stream without changes, which is no failure however often it happens
		heartbeats, heartbeats, heartbeats,
		breakOff(": heartbeat\n\n"+changeEvent(41)+"event: change\nid: 42\ndata: {"),
		fail(503, "overloaded"),
		respond(200, changeEvent(42)),
		respond(200, "event: error\ndata: "+failureBody("permission_required")+"\n\n"))
	c, _ := connect(t, Options{URLs: []string{server.url}, Retries: 1})

	changes, err := collect(c.Changes.Stream(ctx, ""))
	if !slices.Equal(cursorsOf(changes), []string{"41", "42"}) || !errors.Is(err, ErrPermission) {
		t.Errorf("got %+v, %v", changes, err)
	}
	want := []string{"", "", "", "", "", "", "41", "41", "42"}
	for i, r := range server.requests() {
		isStream := r.URL.Path == "/api/v1/changes/stream" && r.URL.RawQuery == "cursor=40"
		if got := r.Header.Get("Last-Event-ID"); got != want[i] || isStream != (i > 0) {
			t.Errorf("request %d is for %s after %q, want %q", i, r.URL, got, want[i])
		}
	}
}

func TestChangeStream_EndsWithTheLoopOrIsGivenUp(t *testing.T) {
	server := serve(t, respond(200, changeEvent(41)), breakOff(""))
	c, waits := connect(t, Options{URLs: []string{server.url}, Retries: 1})
	for change, err := range c.Changes.Stream(ctx, "40") {
		if err != nil || change.Sequence != 41 {
			t.Errorf("got %+v, %v", change, err)
		}
		break
	}
	if n := len(server.requests()); n != 1 {
		t.Errorf("%d requests", n)
	}

	// A connection without a sign of life is a failure.
	_, err := collect(c.Changes.Stream(ctx, "40"))
	if !errors.Is(err, ErrConnection) || len(*waits) < streamPersistence {
		t.Errorf("got %v after %v", err, *waits)
	}
}

// The service ends each connection after an hour, which also a client without retries survives.
func TestChangeStream_SurvivesTheEndOfAConnectionWithoutRetries(t *testing.T) {
	server := serve(t, respond(200, changeEvent(41)), respond(200, changeEvent(42)), fail(503, "overloaded"))
	c, waits := connect(t, Options{URLs: []string{server.url}, Retries: -1})
	changes, err := collect(c.Changes.Stream(ctx, "40"))
	if !slices.Equal(cursorsOf(changes), []string{"41", "42"}) || !errors.Is(err, ErrServer) || len(*waits) != 2 {
		t.Errorf("got %+v, %v after %v", changes, err, *waits)
	}
}

func TestChangeStream_WaitsAsLongAsTheServiceDemands(t *testing.T) {
	server := serve(t, fail(429, "rate_limit_exceeded", "Retry-After", "40"), respond(200, changeEvent(41)),
		fail(503, "overloaded", "Retry-After", "3600"))
	c, waits := connect(t, Options{URLs: []string{server.url}, Retries: -1})
	changes, err := collect(c.Changes.Stream(ctx, "40"))
	if !slices.Equal(cursorsOf(changes), []string{"41"}) || !errors.Is(err, ErrServer) {
		t.Errorf("got %+v, %v", changes, err)
	}

	// The second wait follows the end of the connection. An hour is more than MaxWait.
	if len(*waits) != 2 || (*waits)[0] != 40*time.Second || (*waits)[1] > time.Second || len(server.requests()) != 3 {
		t.Errorf("waits %v", *waits)
	}
}
