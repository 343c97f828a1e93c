package candidate_test

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/sessions"
	"github.com/freelancer-matching/service/server/candidate"
	"github.com/freelancer-matching/service/store/sqlite"
	"github.com/freelancer-matching/service/store/sqlite/sqlitetest"
	"github.com/freelancer-matching/service/taxonomy"
)

const account = "acc_1"

// A world is the pages with a real interview service, whose asker and judge are scripted.
type world struct {
	service    *sessions.Service
	candidates *sessions.Candidates
	handler    http.Handler
	owner      candidate.Owner
	log        *strings.Builder
	mu         sync.Mutex
	now        time.Time
}

type profiles struct{}

func (profiles) Freelancer(context.Context, string) (matching.Freelancer, error) {
	return matching.Freelancer{ID: "f1", Name: "Ana Example", JobTitle: "React Developer"}, nil
}

type asker struct{}

func (asker) Name() string { return "offline" }

func (asker) Ask(
	_ context.Context, _ string, _ *interview.Subject, asked []interview.Question, n int, aim interview.Aim,
) iter.Seq2[interview.Question, error] {
	return func(yield func(interview.Question, error) bool) {
		for i := range n {
			q := interview.Question{
				Text: fmt.Sprintf("What is <b>%d</b>?", len(asked)+i+1), Difficulty: interview.Easy,
				Expected: "SECRET expectation", Points: []string{"SECRET point"}, FollowUps: []string{"SECRET follow-up"},
				Anchors: []interview.Anchor{{Level: 1, Text: "SECRET anchor"}},
			}

			if i < len(aim.Skills) {
				q.Skill = aim.Skills[i].Name
			}

			if aim.Difficulty != "" {
				q.Difficulty = aim.Difficulty
			}

			if !yield(q, nil) {
				return
			}
		}
	}
}

type judge struct{}

func (judge) Name() string    { return "offline" }
func (judge) IsVerdict() bool { return false }

func (judge) Judge(
	_ context.Context, _ string, _ *interview.Subject, q *interview.Question, _ string,
) (interview.Judgment, error) {
	return interview.Judgment{Question: q.ID, Feedback: "SECRET feedback"}, nil
}

var loadSkills = sync.OnceValues(taxonomy.Load)

func newWorld(t *testing.T, public string) *world {
	t.Helper()
	skills, err := loadSkills()
	if err != nil {
		t.Fatal(err)
	}

	db, err := sqlite.Open(t.Context(), sqlitetest.NewFile(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	w := &world{
		owner: candidate.Owner{Name: "Acme <Studio>"}, log: &strings.Builder{},
		now: time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC),
	}

	log := slog.New(slog.NewTextHandler(w.log, nil))
	w.service = sessions.NewService(sessions.Config{
		Store: db.Interviews, Freelancers: profiles{}, Skills: skills, Analyzer: analysis.New(),
		Askers: []interview.Asker{asker{}}, Judges: []interview.Judge{judge{}}, Log: log,
		Now: func() time.Time {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.now
		},
	})

	w.candidates = sessions.NewCandidates(w.service)
	address, err := url.Parse(public)
	if err != nil {
		t.Fatal(err)
	}

	w.handler = candidate.New(candidate.Config{
		Interviews: w.candidates, PublicURL: address, Log: log,
		Owner:   func(context.Context, string) (candidate.Owner, error) { return w.owner, nil },
		Address: func(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.7") },
	})

	return w
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// invite starts a session and returns it with the token of its invitation.
func (w *world) invite(t *testing.T, m interview.Mode, edits ...func(*interview.InvitationRequest)) (id, token string) {
	t.Helper()
	r, err := w.service.Conduct(t.Context(), interview.Request{
		Account: account, FreelancerID: "f1", JobTitle: "Front-end developer", Mode: m, NumQuestions: matching.Some(3),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	request := interview.InvitationRequest{
		Account: account, SessionID: r.SessionID, TimeLimit: matching.Some(45), ReturnURL: "https://jobs.example/x?a=1&b=2",
	}
	for _, edit := range edits {
		edit(&request)
	}
	invited, err := w.service.Invite(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	return r.SessionID, invited.Token
}

// A browser keeps cookies by path and follows redirects.
type browser struct {
	w       *world
	cookies []*http.Cookie
	header  http.Header
}

func (w *world) browser() *browser {
	return &browser{w: w, header: http.Header{"Sec-Fetch-Site": {"same-origin"}, "Accept-Language": {"en"}}}
}

// A page is a response after all redirects.
type page struct {
	path   string
	status int
	body   string
	header http.Header
}

func (b *browser) get(t *testing.T, path string) page {
	t.Helper()
	return b.do(t, http.MethodGet, path, "")
}

func (b *browser) post(t *testing.T, path string, form url.Values) page {
	t.Helper()
	return b.do(t, http.MethodPost, path, form.Encode())
}

func (b *browser) do(t *testing.T, method, path, body string) page {
	t.Helper()
	for range 5 {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		r.Host = "localhost"
		r.Header = b.header.Clone()

		if method == http.MethodPost {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}

		for _, c := range b.cookies {
			if strings.HasPrefix(path, c.Path) {
				r.AddCookie(c)
			}
		}

		w := httptest.NewRecorder()
		b.w.handler.ServeHTTP(w, r)
		b.cookies = append(b.cookies, w.Result().Cookies()...)

		if w.Code != http.StatusSeeOther {
			return page{path, w.Code, w.Body.String(), w.Header()}
		}
		method = http.MethodGet
		path = w.Header().Get("Location")
		body = ""
	}

	t.Fatal("too many redirects")
	return page{}
}

// wants checks the page's path, status and texts.
func (p page) wants(t *testing.T, path string, status int, texts ...string) {
	t.Helper()
	if p.path != path || p.status != status {
		t.Errorf("at %s with %d, want %s with %d:\n%s", p.path, p.status, path, status, p.body)
	}
	for _, text := range texts {
		if !strings.Contains(p.body, text) {
			t.Errorf("%s lacks %q:\n%s", p.path, text, p.body)
		}
	}
	if strings.Contains(p.body, "SECRET") {
		t.Errorf("%s shows a part of the rubric:\n%s", p.path, p.body)
	}
}

func values(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}

// started opens and starts an interview in a new browser.
func (w *world) started(t *testing.T, m interview.Mode, edits ...func(*interview.InvitationRequest)) (
	b *browser, session, path string,
) {
	t.Helper()
	session, token := w.invite(t, m, edits...)
	b = w.browser()
	path = "/interview/" + session + "/"
	b.post(t, "/interview/", values("token", token)).wants(t, path, 200)
	b.post(t, path+"start", values("consent", "yes")).wants(t, path+"questions/1", 200)
	return b, session, path
}
