package matching

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"testing"
	"time"
)

const (
	begun    = "id: 1\nevent: session\ndata: {\"session_id\":\"s1\",\"mode\":\"ai_full\"}\n\n"
	question = ": still here\r\n\r\nid: 2\r\nevent: question\r\ndata: {\"id\":\"q1\"}\r\n\r\n"
	result   = "id: 3\nevent: result\ndata: {\"status\":\"success\",\"data\":{\"session_id\":\"s1\"}}\n\n"
)

// collect returns all values and the error of a sequence.
func collect[T any](sequence iter.Seq2[T, error]) (values []T, err error) {
	for value, err := range sequence {
		if err != nil {
			return values, err
		}
		values = append(values, value)
	}
	return values, nil
}

// idsOf returns the IDs of events.
func idsOf(events []InterviewEvent) []string {
	var ids []string
	for _, event := range events {
		ids = append(ids, event.ID)
	}
	return ids
}

func TestStream_ContinuesAfterTheLastEvent(t *testing.T) {
	server := serve(t,
		breakOff(begun+question+"id: 9\nevent: question\ndata: {\"id\":"), // the last event is cut off
		fail(409, "idempotency_conflict", "Retry-After", "5"),
		breakOff(""),
		respond(200, result))
	c, _ := connect(t, Options{URLs: []string{server.url}})

	events, err := collect(c.Interviews.Stream(ctx, InterviewRequest{FreelancerID: "f1"}))
	if err != nil || !slices.Equal(idsOf(events), []string{"1", "2", "3"}) {
		t.Fatalf("got %v, %v", events, err)
	}
	isWhole := events[0].Session.SessionID == "s1" && events[1].Question.ID == "q1" && events[2].Result.SessionID == "s1"
	if !isWhole {
		t.Errorf("got %+v", events)
	}

	first := server.requests()[0]
	for i, r := range server.requests() {
		wantID := "2"
		if i == 0 {
			wantID = ""
		}
		isSame := r.text == first.text && r.Header.Get("Idempotency-Key") == first.Header.Get("Idempotency-Key")
		if !isSame || r.Header.Get("Last-Event-ID") != wantID {
			t.Errorf("request %d has the headers %v", i, r.Header)
		}
	}
}

func TestStream_IsGivenUp(t *testing.T) {
	server := serve(t, breakOff(begun), breakOff(""))
	c, _ := connect(t, Options{URLs: []string{server.url}})
	_, err := collect(c.Interviews.Stream(ctx, InterviewRequest{}))

	// The first attempt got an event, and the two retries none.
	if !errors.Is(err, ErrConnection) || len(server.requests()) != 3 {
		t.Errorf("%d requests, %v", len(server.requests()), err)
	}
}

func TestStream_WithAnError(t *testing.T) {
	server := serve(t, respond(200, begun+"id: 1\nevent: error\ndata: "+failureBody("internal")+"\n\n"))
	c, _ := connect(t, Options{URLs: []string{server.url}})
	_, err := collect(c.Interviews.Stream(ctx, InterviewRequest{}))
	if got := asError(err); got == nil || !errors.Is(err, ErrServer) || len(server.requests()) != 1 {
		t.Errorf("%d requests, %v", len(server.requests()), err)
	}
}

func TestStream_ThatIsSilentIsResumed(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") == "1" {
			_, _ = io.WriteString(w, question+result)
			return
		}
		_, _ = io.WriteString(w, begun)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})

	// On a slow machine, attempts may also end before their first event.
	c, _ := connect(t, Options{URLs: []string{server.url}, Timeout: 100 * time.Millisecond, Retries: 1000})
	events, err := collect(c.Interviews.Stream(ctx, InterviewRequest{}))
	if err != nil || !slices.Equal(idsOf(events), []string{"1", "2", "3"}) {
		t.Errorf("got %v, %v", events, err)
	}
}

func TestStream_EndsWithTheLoopOrTheContext(t *testing.T) {
	gone := make(chan struct{}, 2)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, begun)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		gone <- struct{}{}
	})
	c, _ := connect(t, Options{URLs: []string{server.url}})
	for range c.Interviews.Stream(ctx, InterviewRequest{}) {
		break
	}
	<-gone

	canceled, cancel := context.WithCancel(ctx)
	defer cancel()
	var last error
	for _, err := range c.Interviews.Stream(canceled, InterviewRequest{}) {
		last = err
		cancel()
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("got %v", last)
	}
	<-gone
}

// bulkLine returns a line with the result of a change.
func bulkLine(n int) string {
	return fmt.Sprintf(`{"line":%d,"id":"f%d","outcome":"created"}`+"\n", n, n)
}

const summary = `{"status":"success","lines":2,"changed":2}` + "\n"

func TestBulk_HasAResultForEachLine(t *testing.T) {
	server := serve(t,
		respond(200, bulkLine(1)+bulkLine(2)+summary),
		respond(200, bulkLine(1)+failureBody("change_limit_exceeded")+"\n"),
		respond(200, bulkLine(1)))
	c, _ := connect(t, Options{URLs: []string{server.url}})
	changes := Changes(ChangeFields("f1", map[string]any{"name": "Ada"}), EraseID("f2"))

	results, err := collect(c.Freelancers.Bulk(ctx, changes, Patches(), Currency("EUR")))
	if err != nil || len(results) != 2 || results[1].Line != 2 {
		t.Errorf("got %v, %v", results, err)
	}
	want := `{"id":"f1","name":"Ada"}` + "\n" + `{"deleted":true,"id":"f2"}` + "\n"
	if r := server.requests()[0]; r.text != want || r.URL.RawQuery != "currency=EUR&patch=true" {
		t.Errorf("got %s with %s", r.URL, r.text)
	}

	results, err = collect(c.Freelancers.Bulk(ctx, changes))
	if len(results) != 1 || !errors.Is(err, ErrRateLimit) {
		t.Errorf("got %v, %v", results, err)
	}
	results, err = collect(c.Freelancers.Bulk(ctx, changes))
	if len(results) != 1 || !errors.Is(err, ErrConnection) || len(server.requests()) != 3 {
		t.Errorf("got %v, %v", results, err)
	}
}

func TestBulk_ThroughAProxyThatWantsTheWholeRequest(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for i := range maxAhead + 2 {
			_, _ = io.WriteString(w, bulkLine(i+1))
		}
		_, _ = io.WriteString(w, summary)
	})
	c, _ := connect(t, Options{URLs: []string{server.url}})
	c.transport.patience = time.Millisecond

	results, err := collect(c.Freelancers.Bulk(ctx, Changes(make([]Change, maxAhead+2)...)))
	if err != nil || len(results) != maxAhead+2 {
		t.Errorf("got %d results, %v", len(results), err)
	}
}

func TestBulk_EndsWithItsSource(t *testing.T) {
	server := serve(t, respond(200, summary))
	c, _ := connect(t, Options{URLs: []string{server.url}})
	want := errors.New("the database is gone")
	_, err := collect(c.Freelancers.Bulk(ctx, func(yield func(Change, error) bool) {
		_ = yield(EraseID("f1"), nil) && yield(Change{}, want)
	}))
	if !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
}

func TestBulk_EndsWithTheLoop(t *testing.T) {
	server := serve(t, respond(200, bulkLine(1)))
	c, _ := connect(t, Options{URLs: []string{server.url}})
	ended := make(chan struct{})
	changes := func(yield func(Change, error) bool) {
		defer close(ended)
		_ = yield(EraseID("f1"), nil)
	}
	for result, err := range c.Freelancers.Bulk(ctx, changes) {
		if err != nil || result.Line != 1 {
			t.Errorf("got %v, %v", result, err)
		}
		break
	}
	<-ended
}

func TestIterators_ReadAllPages(t *testing.T) {
	server := serve(t,
		respond(200, `{"status":"success","matches":[{"score":0.9},{"score":0.8}],"next_offset":2}`),
		respond(200, `{"status":"success","matches":[{"score":0.7}],"next_offset":null}`),
		respond(200, `{"status":"success","data":[{"version":"a"}],"next_cursor":"c1"}`),
		respond(200, `{"status":"success","data":[{"version":"b"}],"next_cursor":null}`),
		respond(200, `{"status":"success","data":[{"session_id":"s1"}],"next_cursor":"c2"}`),
		respond(200, `{"status":"success","data":[{"session_id":"s2"}],"next_cursor":null}`))
	c, _ := connect(t, Options{URLs: []string{server.url}})

	matches, err := collect(c.Matches(ctx, MatchRequest{Limit: 2}))
	if err != nil || len(matches) != 3 || matches[2].Score != 0.7 {
		t.Errorf("got %v, %v", matches, err)
	}
	freelancers, err := collect(c.Freelancers.List(ctx, ListQuery{Limit: 1, Filters: MatchFilters{
		Available: Known(false), Countries: []string{"DE", "AT"}, MinRating: 4.5,
		Languages: []LanguageFilter{{Language: "de", MinLevel: "B2"}, {Language: "en"}},
		TimeZone:  &TimeZoneFilter{Zone: "Europe/Berlin", WithinHours: 2},
	}}))
	if err != nil || len(freelancers) != 2 || freelancers[1].Version != "b" {
		t.Errorf("got %v, %v", freelancers, err)
	}
	sessions, err := collect(c.Interviews.List(ctx, InterviewQuery{State: "open"}))
	if err != nil || len(sessions) != 2 || sessions[1].SessionID != "s2" {
		t.Errorf("got %v, %v", sessions, err)
	}

	filters := "available=false&countries=DE&countries=AT"
	rest := "&languages=de%3AB2&languages=en&limit=1&min_rating=4.5&time_zone=Europe%2FBerlin&unknown=null&within_hours=2"
	want := []string{
		"/api/v1/match?unknown=null", "/api/v1/match?unknown=null",
		"/api/v1/freelancers?" + filters + rest, "/api/v1/freelancers?" + filters + "&cursor=c1" + rest,
		"/api/v1/interviews?state=open", "/api/v1/interviews?cursor=c2&state=open",
	}
	for i, r := range server.requests() {
		if r.RequestURI != want[i] {
			t.Errorf("request %d is for %s, want %s", i, r.RequestURI, want[i])
		}
	}
	if got := server.requests()[1].text; got != `{"limit":2,"offset":2}` {
		t.Errorf("got the brief %s", got)
	}
}

func TestWait_UntilALoadIsReadOrPublished(t *testing.T) {
	load := func(state string) http.HandlerFunc {
		return respond(200, `{"status":"success","data":{"id":"l1","state":"`+state+`"}}`)
	}
	server := serve(t, load("reading"), load("publishing"), load("live"))
	c, waits := connect(t, Options{URLs: []string{server.url}})
	if got, err := c.Loads.Wait(ctx, "l1"); err != nil || got.State != "live" || len(*waits) != 2 {
		t.Errorf("got %v after %v, %v", got, *waits, err)
	}
}
