package sharing_test

import (
	"context"
	"errors"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/server/sharing"
)

// fakeProjects has one project behind the token "good".
type fakeProjects struct {
	people []projects.Person
	err    error
}

func (f *fakeProjects) Open(
	_ context.Context, token string,
) (p projects.Project, people []projects.Person, l projects.Link, err error) {
	if token != "good" {
		return p, nil, l, projects.ErrNotFound
	}
	l.Expires = time.Date(2031, 2, 3, 0, 0, 0, 0, time.UTC)
	p = projects.Project{Account: "acc_1", Name: "Shop <script>", Note: "secret note"}
	return p, f.people, l, f.err
}

type fakeRecords map[string]matching.Freelancer

func (f fakeRecords) GetAll(_ context.Context, ids []string) (map[string]freelancers.Stored, error) {
	found := map[string]freelancers.Stored{}
	for _, id := range ids {
		if record, ok := f[id]; ok {
			found[id] = freelancers.Stored{Freelancer: record}
		}
	}
	return found, nil
}

type world struct {
	projects fakeProjects
	records  fakeRecords
	active   bool
	handler  http.Handler
}

func newWorld() *world {
	w := &world{active: true}
	ada := matching.Freelancer{
		ID: "f1", Name: "Ada Quimby", JobTitle: "Ada, Go developer, ada@example.com",
		Description: "Call me.", ProfileURL: "https://profiles.kiln-guild.org/ada",
		Skills: []string{"Go", "SQL", "call +49 30 901820"},
	}
	ada.Country = "DE"
	ada.HourlyRate = matching.Some(175. / 3)
	ada.Experience = matching.Some(1.)
	ada.Rating = matching.Some(14. / 3)
	ada.Languages = []matching.SpokenLanguage{{Tag: "pt", Level: "B2"}}
	w.records = fakeRecords{"f1": ada, "f2": {ID: "f2", JobTitle: "Declined person"}}
	w.projects.people = []projects.Person{
		{
			Freelancer: "f1", State: projects.Contacted, Note: "secret note",
			Match: projects.Match{Has: []string{"Go"}, Lacks: []string{"Rust"}},
		},
		{Freelancer: "gone", State: projects.Shortlisted},
		{Freelancer: "f2", State: projects.Declined},
	}
	w.handler = sharing.New(sharing.Config{
		Projects: &w.projects,
		Records:  w.records,
		Owner:    func(context.Context, string) (string, bool, error) { return "Kiln & Glaze", w.active, nil },
		Currency: func(context.Context) string { return "EUR" },
		Log:      slog.New(slog.DiscardHandler),
		Address: func(r *http.Request) netip.Addr {
			a, _ := netip.ParseAddrPort(r.RemoteAddr)
			return a.Addr()
		},
	})
	return w
}

func (w *world) get(path, address string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.RemoteAddr = address + ":1"
	response := httptest.NewRecorder()
	w.handler.ServeHTTP(response, r)
	return response
}

func wantPage(t *testing.T, r *httptest.ResponseRecorder, status int, texts ...string) {
	t.Helper()
	if r.Code != status {
		t.Errorf("status %d, want %d", r.Code, status)
	}
	body := html.UnescapeString(r.Body.String())
	for _, text := range texts {
		if !strings.Contains(body, text) {
			t.Errorf("the page lacks %q:\n%s", text, r.Body)
		}
	}
}

func wantNone(t *testing.T, r *httptest.ResponseRecorder, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(r.Body.String(), text) {
			t.Errorf("the page has %q:\n%s", text, r.Body)
		}
	}
}

// The page tells nobody who a person is, unless a member has released it. Notes and descriptions are never shown.
func TestPage_HidesWhoPeopleAre(t *testing.T) {
	w := newWorld()
	hidden := []string{
		"Quimby", "Ada", "ada@", "kiln-guild", "901820", "f1", "Call me", "secret note", "Declined person", "<script>",
	}
	page := w.get("/shared/good", "192.0.2.1")
	wantPage(t, page, http.StatusOK, "Person 1", "1 person for your project", "Kiln & Glaze", "Go developer",
		"Rust", "<li>58.33 EUR per hour</li>", "<li>1 year of experience</li>", "<li>rated 4.67 of 5</li>",
		"<li>Germany</li>", "<li>Portuguese B2</li>", "Also: SQL", "February 3, 2031")
	wantNone(t, page, append(hidden, "contacted", "Person 2")...)

	w.projects.people[0].Released = true
	page = w.get("/shared/good", "192.0.2.1")
	wantPage(t, page, http.StatusOK, "Ada Quimby", "Ada, Go developer", "https://profiles.kiln-guild.org/ada")
	wantNone(t, page, "ada@", "901820", "Call me", "secret note", "Declined person")
}

// A released name isn't a release of an address, and generated profile addresses lead nowhere.
func TestPage_ShowsNoContactOfReleasedPeople(t *testing.T) {
	w := newWorld()
	w.projects.people[0].Released = true
	w.records["f1"] = matching.Freelancer{
		ID: "f1", Name: "Ada Quimby ada@quimby.org", ProfileURL: "https://profiles.example/ada",
	}
	page := w.get("/shared/good", "192.0.2.1")
	wantPage(t, page, http.StatusOK, "Ada Quimby")
	wantNone(t, page, "ada@", "profiles.example")
}

// Browsers, search engines and caches keep nothing, and the address isn't sent to other sites.
func TestPage_Headers(t *testing.T) {
	w := newWorld()
	for path, status := range map[string]int{"/shared/good": 200, "/shared/bad": 404, "/shared/a/b": 404} {
		header := w.get(path, "192.0.2.1").Result().Header
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow", "Referrer-Policy": "no-referrer",
			"X-Frame-Options": "DENY",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s (%d): %s is %q, want %q", path, status, name, got, want)
			}
		}
	}
}

// A link of a suspended account looks like one that never existed.
func TestPage_Unknown(t *testing.T) {
	w := newWorld()
	unknown := w.get("/shared/bad", "192.0.2.1")
	wantPage(t, unknown, http.StatusNotFound, "This link doesn't work.")
	w.active = false
	if suspended := w.get("/shared/good", "192.0.2.1"); suspended.Body.String() != unknown.Body.String() {
		t.Errorf("a suspended account:\n%s", suspended.Body)
	}

	w.active = true
	w.projects.err = errors.New("the database is down")
	wantPage(t, w.get("/shared/good", "192.0.2.1"), http.StatusServiceUnavailable, "can't be shown")
}

// An address that guesses tokens, or opens many pages, has to wait. Others don't.
func TestPage_Limits(t *testing.T) {
	for name, c := range map[string]struct {
		path string
		n    int
	}{"guesses": {"/shared/bad", 10}, "views": {"/shared/good", 60}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			for range c.n {
				if code := w.get(c.path, "192.0.2.1").Code; code == http.StatusTooManyRequests {
					t.Fatal("limited too early")
				}
			}
			limited := w.get("/shared/good", "192.0.2.1")
			wantPage(t, limited, http.StatusTooManyRequests, "Too many requests")
			if limited.Header().Get("Retry-After") == "" {
				t.Error("Retry-After is missing")
			}
			wantPage(t, w.get("/shared/good", "192.0.2.2"), http.StatusOK)
		})
	}
}
