package dashboard_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/requestlog"
)

const requestsPath = "/dashboard/requests"

// record stores requests as the API's recorder does, and returns the ID of the newest.
func (w *world) record(requests ...requestlog.Request) string {
	w.t.Helper()
	recorder := requestlog.NewRecorder(w.db.RequestLog, slog.New(slog.DiscardHandler))
	for i := range requests {
		recorder.Record(requests[i])
	}
	w.must(recorder.Close())
	list, err := w.db.RequestLog.List(w.t.Context(), requests[0].Account, w.clock.now())
	w.must(err)
	return list[0].ID
}

// sent returns a request of a key with its response, some minutes ago.
func (w *world) sent(k apikey.Key, minutes, status int, request, response string) requestlog.Request {
	return requestlog.Request{
		Summary: requestlog.Summary{
			Account: k.Account, Key: k.ID, RequestID: "req-" + request[:min(len(request), 3)], Operation: "match",
			Status: status, At: w.clock.now().Add(-time.Duration(minutes) * time.Minute), Took: 12500 * time.Microsecond,
		},
		Content:     requestlog.Content{Method: http.MethodPost, Route: "/api/v1/match"},
		RequestBody: []byte(request), ResponseBody: []byte(response),
	}
}

// An owner turns the log on for some days, and off again, which deletes it. Members can't.
func TestRequestLog_IsOffByDefault(t *testing.T) {
	w := newWorld(t)
	_, k := w.key(w.owner, "Website")
	w.as(w.member).get(requestsPath).expect(t, http.StatusOK, "Recording is off", "Ask an account owner")
	if a := w.as(w.member).post(requestsPath+"/recording", "record", "yes"); a.status != http.StatusForbidden {
		t.Errorf("a member turns it on: status %d", a.status)
	}

	b := w.as(w.owner)
	b.get(requestsPath).expect(t, http.StatusOK, "Record for 7 days")
	b.post(requestsPath+"/recording", "record", "yes").expect(t, http.StatusSeeOther)
	b.get(requestsPath).expect(t, http.StatusOK, "Recording until May 27, 2030, 12:00 UTC", "appear here")
	stored, err := w.keys.Find(t.Context(), k.ID)
	w.must(err)
	if want := w.clock.now().Add(requestlog.RecordingTime); !stored.RecordingUntil.Equal(want.Truncate(time.Second)) {
		t.Errorf("the key records until %v, want %v", stored.RecordingUntil, want)
	}

	id := w.record(w.sent(k, 1, 200, `{"description":"A shop"}`, `{}`))
	b.get(requestsPath+"/"+id).expect(t, http.StatusOK, "A shop", "Website")
	b.post(requestsPath+"/recording", "record", "no").expect(t, http.StatusSeeOther)
	b.get(requestsPath+"/"+id).expect(t, http.StatusNotFound)
	b.get(requestsPath).expect(t, http.StatusOK, "Recording is off")
	b.get("/dashboard/activity").expect(t, http.StatusOK, "Account recording on")
}

// The list is filtered by operation, status, key, time and request ID.
func TestRequestLog_Filters(t *testing.T) {
	w := newWorld(t)
	_, k := w.key(w.owner, "Website")
	_, other := w.key(w.owner, "Batch")
	failed := w.sent(other, 120, 503, `{"b":1}`, `{}`)
	failed.Operation = "verify-skill"
	w.record(w.sent(k, 5, 200, `{"a":1}`, `{}`), failed)
	b := w.as(w.member)
	for query, want := range map[string][2]bool{
		"":                        {true, true},
		"?status=2xx":             {true, false},
		"?status=503":             {false, true},
		"?status=5xx":             {false, true},
		"?operation=verify-skill": {false, true},
		"?key=" + k.ID:            {true, false},
		"?within=15m":             {true, false},
		"?within=6h":              {true, true},
		"?within=nonsense":        {true, true},
		"?request_id=req-" + url.QueryEscape(`{"a`): {true, false},
		"?status=2xx&key=" + other.ID:               {false, false},
	} {
		a := b.get(requestsPath+query).expect(t, http.StatusOK)
		got := [2]bool{strings.Contains(a.body, "req-{&#34;a"), strings.Contains(a.body, "req-{&#34;b")}
		if got != want {
			t.Errorf("%q shows %v, want %v", query, got, want)
		}
	}
}

// Attack: bodies with HTML are text, and the log has no contact details, secrets or keys.
func TestRequestLog_HostileBodies(t *testing.T) {
	w := newWorld(t)
	token, k := w.key(w.owner, "Website")
	id := w.record(w.sent(k, 1, 200,
		`{"description":"<img src=x onerror=alert(1)> mail eve@example.com, call +49 151 2345 6789, key `+token+
			`","</code><script>alert(2)</script>":"</pre>","secret":"hunter2"}`,
		`{"skipped":[{"feature":"<b>x</b>","reason":"<script>alert(3)</script>"}],"unknown_skills":[{"skill":"Fugma"}]}`))
	a := w.as(w.member).get(requestsPath+"/"+id).expect(t, http.StatusOK, "The skill Fugma is unknown.", "12.5 ms")
	for _, forbidden := range []string{
		"<img src=x", "<script>alert", "</pre>\"", "<b>x</b>", "eve@example.com", "2345", token, "hunter2",
	} {
		if strings.Contains(a.body, forbidden) {
			t.Errorf("the page contains %q", forbidden)
		}
	}

	for _, attack := range []string{`?request_id=<script>alert(1)</script>`, `?operation="><script>alert(1)</script>`} {
		a := w.as(w.member).get(requestsPath + strings.ReplaceAll(attack, " ", "+"))
		if strings.Contains(a.body, "<script>alert") {
			t.Errorf("%s is not escaped", attack)
		}
	}
}

// Attack: an entry of another account doesn't exist, neither as a page nor in the match form.
func TestRequestLog_OfAnotherAccount(t *testing.T) {
	w := newWorld(t)
	_, k := w.key(w.owner, "Website")
	id := w.record(w.sent(k, 1, 200, `{"description":"A secret shop"}`, `{}`))
	for _, u := range []string{requestsPath + "/" + id, "/dashboard/playground?request=" + id} {
		if a := w.as(w.stranger).get(u).expect(t, http.StatusNotFound); strings.Contains(a.body, "secret shop") {
			t.Errorf("%s shows another account's request", u)
		}
		w.as(w.member).get(u).expect(t, http.StatusOK)
	}
	if a := w.as(w.stranger).get(requestsPath); strings.Contains(a.body, id) {
		t.Error("the list has another account's request")
	}
	if a := w.as(w.admin).get(requestsPath + "/" + id); a.status != http.StatusNotFound {
		t.Errorf("an administrator sees the request of another account: status %d", a.status)
	}
}

// Replay fills in the form so that it sends the same brief, and says what the form can't send.
func TestRequestLog_Replay(t *testing.T) {
	w := newWorld(t)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	_, k := w.key(w.owner, "Website")
	const brief = `{"description":"A shop","required_skills":["Go","React"],"budget_range":[3000,9000],` +
		`"budget_type":"fixed","currency":"EUR","timeline":45,"start_date":"2030-07-01","effort_hours":120,` +
		`"filters":{"available":true,"countries":["DE"],"languages":[{"language":"de","min_level":"C1"}],` +
		`"time_zone":{"zone":"Europe/Berlin","within_hours":2},"exclude_ids":["f9"]},` +
		`"weights":{"skills":5},"limit":7,"offset":7}`
	id := w.record(w.sent(k, 1, 200, brief, `{}`))
	b := w.as(w.member)
	b.get(requestsPath+"/"+id).expect(t, http.StatusOK, "Replay")
	a := b.get("/dashboard/playground?request="+id).expect(t, http.StatusOK, "no field for filters.exclude_ids")

	fields := []string{"key", k.ID}
	for _, e := range elements(a.body) {
		if e.name == "input" && e.attrs["type"] == "hidden" && strings.HasPrefix(e.attrs["name"], "weight_") {
			fields = append(fields, e.attrs["name"], e.attrs["value"])
		}
	}
	for name, value := range map[string]string{
		"description": "A shop", "required_skills": "Go, React", "budget_low": "3000", "budget_high": "9000",
		"countries": "DE", "languages": "de C1", "time_zone": "Europe/Berlin", "within_hours": "2", "timeline": "45",
		"start_date": "2030-07-01", "effort_hours": "120", "offset": "7",
	} {
		if !strings.Contains(a.body, value) {
			t.Errorf("the form lacks %s %q", name, value)
		}
	}
	if len(fields) != 4 || fields[3] != "5" {
		t.Errorf("the form passes on the weights %v", fields[2:])
	}

	odd := w.sent(k, 0, 422, `{"description":7,"job_title":"Designer"}`, `{}`)
	b.get("/dashboard/playground?request="+w.record(odd)).expect(t, http.StatusOK, "only parts of it")
	other := w.sent(k, -1, 200, `{"keyword":"Go"}`, `{}`)
	other.Operation = "verify-skill"
	b.get("/dashboard/playground?request="+w.record(other)).expect(t, http.StatusNotFound)
}
