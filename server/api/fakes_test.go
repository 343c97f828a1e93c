package api

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/browsertoken"
	"github.com/freelancer-matching/service/access/changes"
	"github.com/freelancer-matching/service/access/quota"
	"github.com/freelancer-matching/service/access/quota/quotatest"
	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/access/views"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/freelancers/freelancerstest"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/metrics"
)

// The fakes replace the rest of the service with functions.
type (
	matcherFunc   func(ctx context.Context, b *matching.Brief) (*matching.Answer, error)
	explainerFunc func(ctx context.Context, b *matching.Brief, id string) (*matching.Standing, error)
	verifierFunc  func(ctx context.Context, account, keyword string) (*matching.Verification, error)
	healthFunc    func(ctx context.Context) wire.Components
	keysFunc      func(ctx context.Context, token string) (apikey.Key, error)
	generatorFunc func(n int, seed uint64) iter.Seq[matching.Freelancer]
	parserFunc    func(ctx context.Context, file []byte) (resume.Resume, error)
	feedFunc      func() (feed.Page, error)
	documentsFunc func(ctx context.Context, file []byte, limit int) (resume.Text, error)
)

func (f matcherFunc) Match(ctx context.Context, b *matching.Brief) (*matching.Answer, error) {
	return f(ctx, b)
}

func (f explainerFunc) Explain(ctx context.Context, b *matching.Brief, id string) (*matching.Standing, error) {
	return f(ctx, b, id)
}

func (f verifierFunc) Verify(ctx context.Context, account, keyword string) (*matching.Verification, error) {
	return f(ctx, account, keyword)
}

func (f feedFunc) Since(context.Context, int64, int) (feed.Page, error) { return f() }

func (f feedFunc) Grown() <-chan struct{} { return nil }

func (f healthFunc) Check(ctx context.Context) wire.Components { return f(ctx) }

func (f keysFunc) Authenticate(ctx context.Context, token string) (apikey.Key, error) {
	return f(ctx, token)
}

// Find returns the key that is accepted, if it has the ID.
func (f keysFunc) Find(ctx context.Context, id string) (apikey.Key, error) {
	k, _ := f(ctx, testKey)
	if k.ID != id {
		return apikey.Key{}, &matching.Error{Code: matching.CodeNotFound, Message: "there is no such key"}
	}
	return k, nil
}

func (f generatorFunc) Freelancers(n int, seed uint64) iter.Seq[matching.Freelancer] {
	return f(n, seed)
}

// DetailedFreelancers yields freelancers who are all verified and live in Portugal.
func (f generatorFunc) DetailedFreelancers(n int, seed uint64) iter.Seq[matching.Freelancer] {
	return func(yield func(matching.Freelancer) bool) {
		for freelancer := range f(n, seed) {
			freelancer.Country, freelancer.Verified = "PT", matching.Some(true)
			freelancer.Languages = []matching.SpokenLanguage{{Tag: "pt", Level: matching.LevelNative}, {Tag: "en"}}
			if !yield(freelancer) {
				return
			}
		}
	}
}

func (f parserFunc) Parse(ctx context.Context, file []byte) (resume.Resume, error) {
	return f(ctx, file)
}

func (f documentsFunc) Text(ctx context.Context, file []byte, limit int) (resume.Text, error) {
	return f(ctx, file, limit)
}

const testKey = "svc_pr_a-key-that-only-the-fake-knows"

// A fixture holds the dependencies of a server on fakes, with its log and the usage that it recorded. Quota, guard and
// metrics are real.
type fixture struct {
	Dependencies
	log   *lockedBuffer
	usage *recorder
	world *freelancerstest.World // behind Dependencies.Freelancers
}

type recorder struct {
	mu       sync.Mutex
	requests []usage.Request
}

func (r *recorder) Record(q usage.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, q)
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// newFixture returns a fixture in which every request succeeds.
func newFixture() *fixture {
	log := &lockedBuffer{}
	recorded := &recorder{}
	logger := slog.New(slog.NewJSONHandler(log, nil))
	world := freelancerstest.New(ada())
	sealer, err := browsertoken.NewSealer([]byte("a secret of thirty-two characters"[:32]))
	if err != nil {
		panic(err)
	}

	return &fixture{
		log: log, usage: recorded, world: world,
		Dependencies: Dependencies{
			Matcher: matcherFunc(func(context.Context, *matching.Brief) (*matching.Answer, error) {
				return fullAnswer(), nil
			}),
			Explainer: explainerFunc(func(context.Context, *matching.Brief, string) (*matching.Standing, error) {
				return fullStanding(), nil
			}),
			Verifier: verifierFunc(func(context.Context, string, string) (*matching.Verification, error) {
				return fullVerification(), nil
			}),
			Health: healthFunc(func(context.Context) wire.Components { return goodHealth() }),
			Keys: keysFunc(func(_ context.Context, token string) (apikey.Key, error) {
				if token == "" {
					return apikey.Key{}, &matching.Error{Code: apikey.CodeMissing, Message: "the request has no API key"}
				}
				if token != testKey {
					return apikey.Key{}, &matching.Error{Code: apikey.CodeInvalid, Message: "the API key is not valid"}
				}

				return goodKey(), nil
			}),
			Generator: generatorFunc(generate),
			Parser:    parserFunc(func(context.Context, []byte) (resume.Resume, error) { return fullResume(), nil }),
			Documents: documentsFunc(func(context.Context, []byte, int) (resume.Text, error) { return fullText(), nil }),
			Interviewer: &fakeInterviewer{conduct: func(context.Context, interview.Request,
				func(interview.Event),
			) (interview.Result, error) {
				return evaluated(), nil
			}},
			Interviews:     &fakeRecords{},
			Events:         &fakeEvents{},
			Freelancers:    world,
			Changes:        changes.New(&changeCounts{}, time.Now),
			Quota:          quota.New(quota.Config{Store: quotatest.NewMemory(), Now: time.Now, Log: logger}),
			BrowserTokens:  sealer,
			Visitors:       quota.New(quota.Config{Store: quotatest.NewMemory(), Now: time.Now, Log: logger}),
			Views:          views.New(&seenViews{}, time.Now),
			Guard:          quota.NewGuard(3, time.Minute),
			Usage:          recorded,
			PublicURL:      &url.URL{Scheme: "https", Host: "match.example.com"},
			Metrics:        metrics.New("test"),
			Log:            logger,
			RequestTimeout: time.Minute,
			MaxMatches:     4,
			MaxParses:      2,
			MaxInterviews:  4,
			AdmissionWait:  time.Minute,
		},
	}
}

// fakeEvents keeps the matches that it receives, and returns a result.
type fakeEvents struct {
	mu      sync.Mutex
	matches []events.Match
	keeps   bool // briefs
	swaps   bool // allows coins

	account string
	events  []events.Event
	result  events.Result
	err     error
}

func (f *fakeEvents) Matched(m events.Match) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.matches = append(f.matches, m)
}

func (f *fakeEvents) KeepsBriefs(account string) bool { return f.keeps && account == goodKey().Account }

func (f *fakeEvents) AllowsSwaps(account string) bool { return f.swaps && account == goodKey().Account }

func (f *fakeEvents) Record(_ context.Context, account string, list []events.Event) (events.Result, error) {
	f.account = account
	f.events = list
	return f.result, f.err
}

// seenViews is a views.Store for a single subject and day.
type seenViews struct {
	mu          sync.Mutex
	freelancers map[uint64]bool
}

func (s *seenViews) AddViews(
	_ context.Context, _, _ string, freelancers []uint64, limit int,
) (before, added int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	after := maps.Clone(s.freelancers)
	if after == nil {
		after = map[uint64]bool{}
	}
	for _, f := range freelancers {
		after[f] = true
	}
	before = len(s.freelancers)
	added = len(after) - len(s.freelancers)
	if before+added <= limit {
		s.freelancers = after
	}
	return before, added, nil
}

func (s *seenViews) Views(context.Context, string, string) (int, error) {
	return len(s.freelancers), nil
}

// changeCounts is a changes.Store for a single subject, whose windows never end.
type changeCounts struct {
	mu   sync.Mutex
	used int
}

func (s *changeCounts) TakeChanges(
	_ context.Context, a changes.Allowance, minute, day, _ time.Time, n int,
) (int, changes.Windows, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := max(0, min(n, min(a.PerMinute, a.PerDay)-s.used))
	s.used += taken
	return taken, changes.Windows{Minute: minute, Day: day, MinuteUsed: s.used, DayUsed: s.used}, nil
}

// ada returns the freelancer in every fixture.
func ada() matching.Freelancer {
	return matching.Freelancer{
		ID: "f1", Name: "Ada Byron", JobTitle: "Go developer", Skills: []string{"Go"}, Description: "Writes R&D <tools>.",
		Signals: matching.Signals{HourlyRate: matching.Some(60.0), Availability: matching.Some(true)},
		Details: matching.Details{
			Country: "PT", Languages: []matching.SpokenLanguage{{Tag: "en", Level: "C1"}, {Tag: "pt"}},
		},
	}
}

func goodKey() apikey.Key {
	return apikey.Key{
		ID: "key_1", Account: "acc_1", Plan: "professional", Counter: "key_1", PlanSince: time.Now(),
		Permissions: apikey.Permissions(),
	}
}

func goodHealth() wire.Components {
	return wire.Components{
		DataSource: wire.DataSource{
			Status: wire.StatusHealthy, Type: "csv", FreelancerCount: 1000, Engine: "embedded", Index: "freelancers-v1-x",
			IndexedAt: time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC),
		},
		SkillExtractor: wire.SkillExtractor{Status: wire.StatusReady, Skills: 12000},
		Database:       wire.Database{Status: wire.StatusConnected, Type: "sqlite"},
		LLM:            wire.LLM{Status: wire.StatusOffline},
	}
}

// fullAnswer returns one match with every field, one without any known value, and no empty list.
func fullAnswer() *matching.Answer {
	return &matching.Answer{
		Versions: matching.Versions{Index: "freelancers-1"},
		Matches: []matching.Match{
			{
				Freelancer: matching.Freelancer{
					ID: "f1", Name: "Mira Talden", JobTitle: "R&D <Frontend>", Skills: []string{"React", "Go"},
					Description: "not part of the answer", ProfileURL: "https://example.com/freelancers/mira-talden-1",
					Signals: matching.Signals{
						Experience: matching.Some(6.5), Rating: matching.Some(4.9), HourlyRate: matching.Some(52.5),
						Availability: matching.Some(true), TotalSales: matching.Some(38),
					},
				},
				Score: 0.74, Fit: 0.76, Level: matching.LevelStrong,
				Price:         matching.Price{Verdict: matching.PriceOver, Times: matching.Some(1.2)},
				MatchedSkills: []string{"React", "golang"}, MissingSkills: []string{"k8s"},
				Estimate: matching.Estimate{Hours: matching.Some(106.2), Days: matching.Some(18.6), Cost: matching.Some(5575.5)},
				Explanation: []matching.Feature{
					{Name: "skills", Value: 0.7, Weight: 0.6, Contribution: 0.42, Summary: "has 2 of 3 required skills"},
					{Name: "budget", Value: 0.8, Weight: 0.4, Contribution: 0.32, Summary: "within the budget"},
				},
			},
			{Freelancer: matching.Freelancer{ID: "f2"}, Score: 0.1, Fit: 0.1, Level: matching.LevelWeak},
		},
		Considered:    2,
		DerivedSkills: []string{"React"},
		UnknownSkills: []matching.UnknownSkill{{Skill: "Reactt", Suggestions: []string{"React"}}, {Skill: "zzz"}},
		Skipped:       []matching.Skipped{{Feature: "semantic", Reason: "no vectors are loaded"}},
	}
}

// fullStanding returns a standing with every field.
func fullStanding() *matching.Standing {
	answer := fullAnswer()
	match := answer.Matches[0]
	answer.Matches = nil
	answer.Currency = "EUR"
	answer.DataCurrency = "USD"
	answer.Conversion = &matching.Conversion{Date: "2026-11-20", From: "USD", To: "EUR", Rate: .8}
	return &matching.Standing{
		Match: match, Rank: matching.Some(37), Total: 1342, Answer: *answer,
		LastShown:  matching.Some(matching.ShownMatch{Rank: 10, Score: .81}),
		Shortfalls: []matching.Shortfall{{Feature: "skills", Points: .18}, {Feature: "budget", Points: .08}},
	}
}

// fullVerification returns a skill with every field.
func fullVerification() *matching.Verification {
	return &matching.Verification{
		Exists: true, Type: matching.Some(matching.TypeSkill), Matches: []string{"C++"}, Skills: []string{"C++"},
		JobTitles: []string{"R&D <Engineer>"}, SimilarTerms: []string{"C#"}, FreelancerCount: 12,
		Skill: &matching.SkillFacts{
			ID: "c-plus-plus", Name: "C++", Synonyms: []string{"CPP"}, Category: "Programming languages",
			Broader: []string{"Programming"},
			Related: []string{"Qt"}, FreelancerCount: 12,
		},
		Source: matching.Some(matching.SourceTaxonomy), Confidence: 1,
	}
}

func generate(n int, seed uint64) iter.Seq[matching.Freelancer] {
	return func(yield func(matching.Freelancer) bool) {
		for i := range n {
			f := matching.Freelancer{
				ID: fmt.Sprintf("f%d", i+1), Name: fmt.Sprintf("Mira %d", seed), JobTitle: "Writer",
				Skills: []string{"SEO", "Copywriting"}, Description: "Says \"hello\",\nthen writes.",
				ProfileURL: fmt.Sprintf("https://example.com/freelancers/mira-%d", i+1),
				Signals: matching.Signals{
					Experience: matching.Some(3.0), Rating: matching.Some(4.7), HourlyRate: matching.Some(25.5),
					Availability: matching.Some(true), TotalSales: matching.Some(12),
				},
			}
			if !yield(f) {
				return
			}
		}
	}
}

// A call is a request and its expected response. The method is POST by default, the path /match, and its body a valid
// brief.
type call struct {
	name         string
	method, path string
	header       http.Header // in addition to the key and the media type; a nil value removes a header
	body         string
	reader       io.Reader // instead of body
	change       func(*fixture)

	status int
	code   matching.Code // error.code
	want   []string      // texts that the body must contain
	never  []string      // texts that neither body nor headers may contain
}

// secrets are texts that no response may contain: keys, and the causes of errors in fakes.
var secrets = []string{testKey, "secret cause", "goroutine", "server/api"}

// send sends the call to a new server, and checks the response against the call, the specification and the secrets.
func (c *call) send(t *testing.T) (*httptest.ResponseRecorder, *fixture) {
	t.Helper()
	f := newFixture()
	if c.change != nil {
		c.change(f)
	}
	return c.sendTo(t, New(f.Dependencies).Handler()), f
}

func (c *call) request(t *testing.T) *http.Request {
	t.Helper()
	method := cmp.Or(c.method, http.MethodPost)
	path := cmp.Or(c.path, matchPath)
	body := c.reader
	switch {
	case body != nil:
	case c.path == "" && c.body == "":
		body = strings.NewReader(goodBrief)
	default:
		body = strings.NewReader(c.body)
	}

	r := httptest.NewRequestWithContext(t.Context(), method, path, body)
	r.Header.Set("X-API-Key", testKey)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}

	for name, values := range c.header {
		r.Header.Del(name)
		for _, v := range values {
			r.Header.Add(name, v)
		}
	}

	return r
}

func (c *call) sendTo(t *testing.T, h http.Handler) *httptest.ResponseRecorder {
	t.Helper()
	r := c.request(t)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	w.Body = bytes.NewBufferString(uncompressed(t, w)) // as clients do

	if w.Code != c.status {
		t.Fatalf("status %d, want %d: %s", w.Code, c.status, head(w.Body.String()))
	}
	checkAgainstSpecification(t, r, w)

	if c.code != "" {
		if got := codeOf(t, w); got != c.code {
			t.Errorf("code %q, want %q: %s", got, c.code, head(w.Body.String()))
		}
	}

	for _, want := range c.want {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the response lacks %q: %s", want, head(w.Body.String()))
		}
	}

	everything := w.Body.String() + fmt.Sprint(w.Header())
	for _, never := range append(c.never, secrets...) {
		if strings.Contains(everything, never) {
			t.Errorf("the response contains %q: %s", never, head(everything))
		}
	}

	return w
}

func head(text string) string { return text[:min(len(text), 1500)] }

func run(t *testing.T, calls []call) {
	t.Helper()
	for _, c := range calls {
		t.Run(c.name, func(t *testing.T) { c.send(t) })
	}
}

func prefix(t *testing.T, text string) netip.Prefix {
	t.Helper()
	p, err := netip.ParsePrefix(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
