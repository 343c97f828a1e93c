package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

const interviewsPath = "/api/v1/interviews"

// fakeRecords returns fixed sessions, and keeps what it was asked.
type fakeRecords struct {
	page     interview.Page
	exported []interview.Result
	failure  error // of Export, after the sessions

	selected interview.Selection
	after    interview.Place
	limit    int
	by       interview.Requester
	reviewed interview.ReviewRequest
}

func (f *fakeRecords) List(
	_ context.Context, s interview.Selection, after interview.Place, limit int,
) (interview.Page, error) {
	f.selected = s
	f.after = after
	f.limit = limit
	return f.page, nil
}

func (f *fakeRecords) Read(
	_ context.Context, account, id string, by interview.Requester,
) (interview.Result, error) {
	f.by = by
	if account != "acc_1" || id != testSession {
		return interview.Result{}, &matching.Error{Code: interview.CodeSessionNotFound, Message: "there is no such session"}
	}
	return evaluated(), nil
}

func (f *fakeRecords) Export(
	_ context.Context, s interview.Selection, by interview.Requester,
) iter.Seq2[interview.Result, error] {
	f.selected = s
	f.by = by
	return func(yield func(interview.Result, error) bool) {
		for _, r := range f.exported {
			var err error
			if len(r.Questions) == 0 {
				err = interview.ErrDamaged
			}
			if !yield(r, err) {
				return
			}
		}
		if f.failure != nil {
			yield(interview.Result{}, f.failure)
		}
	}
}

func (f *fakeRecords) Review(_ context.Context, r interview.ReviewRequest) (interview.Result, error) {
	f.reviewed = r
	return evaluated(), f.failure
}

func (f *fakeRecords) DeleteAll(_ context.Context, s interview.Selection, by interview.Requester) (int, error) {
	f.selected = s
	f.by = by
	return 3, nil
}

func summaries() interview.Page {
	at := time.Date(2031, 5, 17, 9, 30, 0, 123_456_000, time.UTC)
	return interview.Page{
		Sessions: []interview.Summary{
			{
				SessionID: testSession, Freelancer: interview.Person{ID: "f1", Name: "Mira Talden"}, JobTitle: "R&D",
				Mode: interview.Full, State: interview.Evaluated, Language: "en", Begun: at, Evaluated: at.Add(time.Minute),
				Expires: at.Add(time.Hour), Questions: 5, Answered: 4, Overall: matching.Some(72),
				Points: &interview.Points{Covered: 17, Of: 24}, Recommendation: matching.Some(true),
			},
			{SessionID: testSession, Mode: interview.Adaptive, State: interview.Open, Language: "de"},
		},
		Damaged: 1, Next: interview.Place{Begun: at, ID: testSession},
	}
}

// storedCall returns a call about stored interviews, and what the service receives.
func storedCall(method, path string) (call, *fakeRecords) {
	fake := &fakeRecords{page: summaries()}
	return call{
		method: method, path: interviewsPath + path, status: 200,
		change: func(f *fixture) { f.Interviews = fake },
	}, fake
}

func TestInterviews_List(t *testing.T) {
	c, fake := storedCall(http.MethodGet, "?freelancer_id=f%2F1&state=evaluated&limit=2")
	c.want = []string{
		`"session_id":"` + testSession + `","freelancer":{"id":"f1","name":"Mira Talden","job_title":""},"job_title":"R&D",` +
			`"mode":"ai_full","state":"evaluated","language":"en","created_at":"2031-05-17T09:30:00.123456Z",` +
			`"evaluated_at":"2031-05-17T09:31:00.123456Z","expires_at":"2031-05-17T10:30:00.123456Z",` +
			`"questions":5,"answered":4,"overall_score":72,"points":{"covered":17,"of":24},"hiring_recommendation":true`,
		`"evaluated_at":null`, `"overall_score":null,"points":null,"hiring_recommendation":null`, `"damaged":1`,
	}

	w, _ := c.send(t)
	selected := interview.Selection{Account: "acc_1", FreelancerID: "f/1", State: interview.Evaluated}
	if fake.selected != selected || fake.limit != 2 || fake.after != (interview.Place{}) {
		t.Errorf("listed %+v after %+v, up to %d", fake.selected, fake.after, fake.limit)
	}

	_, cursor, _ := strings.Cut(w.Body.String(), `"next_cursor":"`)
	cursor, _, _ = strings.Cut(cursor, `"`)

	next, fake := storedCall(http.MethodGet, "?state=evaluated&freelancer_id=f%2F1&cursor="+cursor)
	fake.page = interview.Page{}
	next.want = []string{`"data":[]`, `"next_cursor":null`}
	next.send(t)

	if fake.after != summaries().Next || fake.limit != wire.DefaultPage {
		t.Errorf("the next page is after %+v, up to %d; want %+v, %d", fake.after, fake.limit, summaries().Next,
			wire.DefaultPage)
	}

	for _, query := range []string{"", "&freelancer_id=f1", "&freelancer_id=f%2F1"} {
		other, _ := storedCall(http.MethodGet, "?cursor="+cursor+query)
		other.status = 422
		other.code = matching.CodeInvalid
		other.want = []string{"same filters"}
		other.send(t)
	}
}

func TestInterviews_RejectsInvalidQueries(t *testing.T) {
	sum := sha256.Sum256([]byte("\x00"))
	noFilters := hex.EncodeToString(sum[:8])
	nul := wire.Cursor{After: "5:\x00", Filters: noFilters}.Encode()     // PostgreSQL stores none
	freelancers := wire.Cursor{After: "f1", Filters: noFilters}.Encode() // of another list
	for _, test := range []struct {
		method, path string
		code         matching.Code
		want         string
	}{
		{"GET", "?limit=0", matching.CodeInvalid, `"field":"limit"`},
		{"GET", "?limit=101", matching.CodeInvalid, `"field":"limit"`},
		{"GET", "?state=closed", matching.CodeInvalid, `"field":"state","code":"unknown_value"`},
		{"GET", "?freelancer_id=", matching.CodeInvalid, `"field":"freelancer_id"`},
		{"GET", "?freelancer_id=%FF", matching.CodeInvalid, `"field":"freelancer_id"`},
		{"GET", "?freelancer_id=" + strings.Repeat("x", 201), matching.CodeInvalid, `"field":"freelancer_id"`},
		{"GET", "?freelancer=f1", validate.CodeUnknownField, "Did you mean freelancer_id?"},
		{"GET", "?cursor=abc", matching.CodeInvalid, `"field":"cursor"`},
		{"GET", "?cursor=" + freelancers, matching.CodeInvalid, `"field":"cursor"`},
		{"GET", "?cursor=" + nul, matching.CodeInvalid, `"field":"cursor"`},
		{"GET", "/" + testSession + "?mode=report", validate.CodeUnknownField, `"field":"mode"`},
		{"GET", "/export?limit=1", validate.CodeUnknownField, `"field":"limit"`},
		{"DELETE", "", matching.CodeInvalid, "all=true"},
		{"DELETE", "?state=open", matching.CodeInvalid, `"field":"freelancer_id","code":"required"`},
		{"DELETE", "?all=false", matching.CodeInvalid, `"field":"freelancer_id","code":"required"`},
		{"DELETE", "?all=yes", matching.CodeInvalid, `"field":"all","code":"unknown_value"`},
		{"DELETE", "?freelancer_id=", matching.CodeInvalid, `"field":"freelancer_id","code":"invalid_value"`},
		{"DELETE", "?freelancer_id=f1&all=true", matching.CodeInvalid, `"field":"all","code":"contradiction"`},
	} {
		c, fake := storedCall(test.method, test.path)
		c.status = 422
		c.code = test.code
		c.want = []string{test.want}
		if c.send(t); fake.selected.Account != "" {
			t.Errorf("%s %s: the service was asked about %+v", test.method, test.path, fake.selected)
		}
	}
}

func TestInterviews_Get(t *testing.T) {
	c, fake := storedCall(http.MethodGet, "/"+testSession)
	c.want = []string{`"session_id":"` + testSession + `"`, `"answers":["I wrote`, `"overall_score":37`}
	c.send(t)
	want := interview.Requester{By: audit.By{Actor: "key_1", Address: "192.0.2.1"}, Account: "acc_1"}
	if fake.by != want {
		t.Errorf("read by %+v, want %+v", fake.by, want)
	}
	c, _ = storedCall(http.MethodGet, "/"+strings.Repeat("0", 32))
	c.status = 404
	c.code = interview.CodeSessionNotFound
	c.send(t)
}

func TestInterviews_Export(t *testing.T) {
	c, fake := storedCall(http.MethodGet, "/export?freelancer_id=f1")
	fake.exported = []interview.Result{evaluated(), {SessionID: "damaged"}, begun()}
	w, _ := c.send(t)
	lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n")
	if len(lines) != 3 || !strings.Contains(lines[0], `"answers":["I wrote`) ||
		lines[1] != `{"session_id":"damaged","damaged":true}` || !strings.Contains(lines[2], `"state":"open"`) {
		t.Errorf("exported %q", lines)
	}

	if fake.selected.FreelancerID != "f1" || fake.by.Actor != "key_1" {
		t.Errorf("exported %+v by %+v", fake.selected, fake.by)
	}

	c, _ = storedCall(http.MethodGet, "/export")
	if w, _ := c.send(t); w.Body.Len() > 0 || w.Header().Get("Content-Type") != endpoint.LinesType {
		t.Errorf("without sessions: %q of type %q", w.Body, w.Header().Get("Content-Type"))
	}

	c, fake = storedCall(http.MethodGet, "/export")
	fake.failure = errors.New("secret cause")
	c.status = 500
	c.code = matching.CodeInternal
	c.send(t)
}

// An export that fails after the first line must not look complete.
func TestInterviews_ExportBreaksOff(t *testing.T) {
	f := newFixture()
	f.Interviews = &fakeRecords{exported: []interview.Result{evaluated()}, failure: errors.New("secret cause")}
	server := httptest.NewServer(New(f.Dependencies).Handler())
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+interviewsPath+"/export", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", testKey)
	response, err := server.Client().Do(request)
	if err == nil {
		_, err = io.ReadAll(response.Body)
		response.Body.Close()
	}
	if err == nil {
		t.Error("the client got a complete response")
	}
}

func TestInterviews_Delete(t *testing.T) {
	c, fake := storedCall(http.MethodDelete, "?freelancer_id=f1&state=open")
	c.want = []string{`"data":{"deleted":3}`}
	c.send(t)
	want := interview.Selection{Account: "acc_1", FreelancerID: "f1", State: interview.Open}
	if diff := cmp.Diff(want, fake.selected); diff != "" || fake.by.Actor != "key_1" {
		t.Errorf("deleted by %+v (-want +got):\n%s", fake.by, diff)
	}
	c, fake = storedCall(http.MethodDelete, "?all=true")
	if c.send(t); fake.selected != (interview.Selection{Account: "acc_1"}) {
		t.Errorf("deleted %+v, want all of the account", fake.selected)
	}
	c, _ = storedCall(http.MethodDelete, "/"+testSession)
	c.want = []string{`"data":{"session_id":"` + testSession + `"}`}
	c.send(t)
	c, _ = storedCall(http.MethodDelete, "/"+strings.Repeat("0", 32))
	c.status = 404
	c.code = interview.CodeSessionNotFound
	c.send(t)
}

// The operation interview of a key includes all operations on stored interviews.
func TestInterviews_Permission(t *testing.T) {
	for _, path := range []string{
		"GET ", "GET /" + testSession, "GET /export", "DELETE ?all=true", "DELETE /" + testSession,
	} {
		method, rest, _ := strings.Cut(path, " ")
		for operation, status := range map[string]int{"interview": 200, "match": 403} {
			c, _ := storedCall(method, rest)
			change := c.change
			c.change = func(f *fixture) {
				change(f)
				key := goodKey()
				key.Operations = []string{operation}
				f.Keys = keysFunc(func(context.Context, string) (apikey.Key, error) { return key, nil })
			}
			c.status = status
			c.send(t)
		}
	}
}
