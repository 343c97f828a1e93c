package app_test

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/events/learning"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/app"
)

// A clientele is an account whose clients look at matches and choose, on a server that has a clock of its own.
type clientele struct {
	*app.Server
	account, token string
	clock          atomic.Int64 // Unix time in nanoseconds; the server reads it in the background
	random         *rand.Rand
}

func (c *clientele) now() time.Time { return time.Unix(0, c.clock.Load()).UTC() }

func (c *clientele) advance(d time.Duration) { c.clock.Add(int64(d)) }

// newClientele starts a server with generated freelancers, and an account that allows swaps or not.
func newClientele(t *testing.T, swaps bool) *clientele {
	t.Helper()
	c := config.Default()
	c.Data = t.TempDir()
	c.Encoder = config.EncoderOff
	c.RequestTimeout = 5 * time.Minute // a busy machine is slow
	clients := &clientele{random: rand.New(rand.NewPCG(1, 2))}
	clients.clock.Store(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC).UnixNano())
	log := slog.New(slog.DiscardHandler)

	// The server reads agreements when it starts, and then every second.
	access, err := app.OpenAccess(t.Context(), c, log)
	if err != nil {
		t.Fatal(err)
	}
	by := audit.By{Actor: audit.CommandLine}

	// The account has a fixed ID, because the coins depend on it.
	owner := account.User{ID: "usr_learning", Account: "acc_learning", Email: "owner@example.com", Role: account.Owner}
	owner.Created = clients.now()
	err = access.DB.Users.Register(t.Context(), account.Registration{
		Account: &account.Account{
			ID: owner.Account, Name: "Example", Plan: "enterprise", PlanSince: clients.now(), Created: clients.now(),
		},
		User: owner,
	}, clients.now())
	if err != nil {
		t.Fatal(err)
	}
	clients.account = owner.Account
	clients.token, _, err = access.Accounts.CreateKey(t.Context(), by, owner.Account, apikey.Request{Name: "example"})
	if err != nil {
		t.Fatal(err)
	}
	if swaps {
		e := audit.Event{At: clients.now(), Actor: owner.ID, Account: owner.Account, Action: audit.SwapsAllowed}
		if _, err := access.DB.Learning.AllowSwaps(t.Context(), owner.Account, true, e); err != nil {
			t.Fatal(err)
		}
	}
	if err := access.Close(); err != nil {
		t.Fatal(err)
	}

	clients.Server, err = app.OpenWith(t.Context(), c, log, app.Options{
		Now: clients.now, Freelancers: 300, Seed: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := clients.Close(); err != nil {
			t.Error(err)
		}
	})
	return clients
}

// post sends a request, and decodes the response.
func (c *clientele) post(t *testing.T, path string, body, answer any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/"+path, strings.NewReader(string(text)))
	r.Host = "localhost"
	r.Header.Set("X-API-Key", c.token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	c.Handler().ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("%s %s: status %d: %s", path, text, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), answer); err != nil {
		t.Fatal(err)
	}
}

// shownAnswer is what a test reads of the response to a match.
type shownAnswer struct {
	RequestID string             `json:"request_id"`
	Explored  *matching.Explored `json:"explored"`
	Matches   []shownMatch       `json:"matches"`
}

type shownMatch struct {
	Freelancer struct {
		ID string `json:"id"`
	} `json:"freelancer"`
	Score       float64            `json:"score"`
	Level       string             `json:"level"`
	Explanation []matching.Feature `json:"explanation"`
}

func (a *shownAnswer) ids() (ids []string) {
	for i := range a.Matches {
		ids = append(ids, a.Matches[i].Freelancer.ID)
	}
	return ids
}

// bodies returns the bodies of generated briefs.
func (c *clientele) bodies(t *testing.T, n int) (bodies []map[string]any) {
	t.Helper()
	for brief := range c.Generator.Briefs(7) {
		if len(bodies) == n {
			break
		}
		body := map[string]any{"description": brief.Description, "complexity": "high", "explain": true}
		if brief.JobTitle != "" {
			body["job_title"] = brief.JobTitle
		}
		if len(brief.RequiredSkills) > 0 {
			body["required_skills"] = brief.RequiredSkills
		}
		bodies = append(bodies, body)
	}
	return bodies
}

// choose has clients look at the matches of n briefs over two weeks. They look at each rank k with the probability 1/k,
// and choose by the true weights; by nothing if there are none.
func (c *clientele) choose(t *testing.T, n int, truth map[string]float64) (explored int) {
	t.Helper()
	profile, err := ranking.Load("default")
	if err != nil {
		t.Fatal(err)
	}

	var reported []map[string]any
	report := func() {
		var answer wire.Answer[wire.RecordedEvents]
		if len(reported) > 0 {
			c.post(t, "events", map[string]any{"events": reported}, &answer)
		}
		if answer.Data.Recorded != len(reported) {
			t.Fatalf("%d of %d events recorded", answer.Data.Recorded, len(reported))
		}
		reported = nil
	}

	for _, body := range c.bodies(t, n) {
		c.advance(14 * 24 * time.Hour / time.Duration(n))
		var answer shownAnswer
		c.post(t, "match", body, &answer)
		if answer.Explored != nil {
			explored++
		}

		liked := make([]float64, len(answer.Matches))
		mean := 0.
		for i, m := range answer.Matches {
			for _, f := range m.Explanation {
				if weight := profile.Weights[f.Name]; weight > 0 {
					liked[i] += truth[f.Name] * f.Contribution / weight
				}
			}
			mean += liked[i] / float64(len(liked))
		}
		for i := range answer.Matches {
			likes := .4
			if truth != nil {
				likes = 1 / (1 + math.Exp(-60*(liked[i]-mean)))
			}
			if c.random.Float64() < likes/float64(i+1) {
				reported = append(reported, map[string]any{
					"request_id": answer.RequestID, "freelancer_id": answer.ids()[i], "type": "contacted",
				})
			}
		}
		if len(reported) > 500 {
			report()
		}
	}
	report()
	return explored
}

// apart returns the angle between two sets of weights in degrees, by the features of one.
func apart(a, b map[string]float64) float64 {
	dot, aa, bb := 0., 0., 0.
	for _, f := range ranking.Features() {
		dot += a[f] * b[f]
		aa += a[f] * a[f]
		bb += b[f] * b[f]
	}
	return math.Acos(min(1, dot/math.Sqrt(aa*bb))) * 180 / math.Pi
}

// What clients choose by is learned and published, and ranks the next match. Contributions still add up.
func TestLearning_FromChoicesToAVersion(t *testing.T) {
	if testing.Short() {
		t.Skip("more than a thousand matches, which the race detector makes ten times slower")
	}
	c := newClientele(t, true)
	truth := map[string]float64{"skills": 1.2, "text": .3, "semantic": .3, "experience": 1, "quality": 1}
	explored := c.choose(t, 1500, truth)
	if explored < 500 {
		t.Errorf("a coin decided in %d responses", explored)
	}

	if err := c.CatchUp(t.Context()); err != nil { // the night
		t.Fatal(err)
	}
	state, err := c.DB.Learning.State(t.Context(), c.account)
	if err != nil || state.Last == nil {
		t.Fatalf("state %+v (%v)", state, err)
	}
	run := state.Last
	t.Logf("%d lists, %d explored, %d choices, %d swapped, %d decisive; neighbors %s, better %s: %q", state.Lists,
		explored, run.Choices, run.Swapped, run.Decisive, learning.Interval(run.Neighbors), learning.Interval(run.Better),
		run.Reasons)

	list, published, err := c.DB.Rankings.List(t.Context(), c.account)
	if err != nil || published == nil || published.Version != 1 || run.Version != 1 {
		t.Fatalf("published %+v (%v), run %+v", published, err, run)
	}
	before, after := apart(run.Current, truth), apart(published.Weights, truth)
	t.Logf("shipped weights are %.1f° from the truth, learned ones %.1f°: %v", before, after, published.Weights)
	if after > before*.7 {
		t.Errorf("learned weights are %.1f° from the truth, the shipped ones %.1f°", after, before)
	}
	if v := list[0]; v.MadeBy != audit.Learning || !strings.Contains(v.Note, "Learned from") {
		t.Errorf("version %+v", v)
	}

	var answer struct {
		shownAnswer
		Ranking *matching.RankingUse `json:"ranking"`
	}
	c.advance(time.Minute)
	c.post(t, "match", c.bodies(t, 1)[0], &answer)
	if answer.Ranking == nil || answer.Ranking.Name != learning.Name {
		t.Errorf("ranked by %+v", answer.Ranking)
	}
	for _, m := range answer.Matches {
		sum := 0.
		for _, f := range m.Explanation {
			sum += f.Contribution
		}
		if math.Abs(sum-m.Score) > 1e-6 {
			t.Errorf("contributions of %s add up to %f, the score is %f", m.Freelancer.ID, sum, m.Score)
		}
	}

	// The same night does nothing more.
	c.advance(time.Minute)
	if err := c.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if again, err := c.DB.Learning.State(t.Context(), c.account); err != nil || !again.Last.At.Equal(run.At) {
		t.Errorf("learned again at %v (%v)", again.Last.At, err)
	}
}

func TestLearning_PublishesNothingFromNoise(t *testing.T) {
	if testing.Short() {
		t.Skip("more than a thousand matches, which the race detector makes ten times slower")
	}
	c := newClientele(t, true)
	c.choose(t, 1400, nil)
	run, err := c.Learner("", c.now, slog.New(slog.DiscardHandler)).
		Learn(t.Context(), c.account)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d choices, %d decisive, neighbors %s: %q", run.Choices, run.Decisive, learning.Interval(run.Neighbors),
		run.Reasons)
	if run.Version != 0 || len(run.Reasons) == 0 || run.Learned == nil { // the proof refuses, not the lack of data
		t.Errorf("run %+v", run)
	}
	if published, err := c.DB.Rankings.Published(t.Context(), c.account); err != nil || published != nil {
		t.Errorf("published %+v (%v)", published, err)
	}
}

func TestLearning_OffByDefault(t *testing.T) {
	c := newClientele(t, false)
	if explored := c.choose(t, 30, map[string]float64{"quality": 1}); explored > 0 {
		t.Errorf("a coin decided in %d responses", explored)
	}
	state, err := c.DB.Learning.State(t.Context(), c.account)
	if err != nil || state.Allowed || state.Lists > 0 {
		t.Errorf("state %+v (%v)", state, err)
	}
	_, err = c.Learner("", time.Now, slog.New(slog.DiscardHandler)).Learn(t.Context(), c.account)
	if matching.CodeOf(err) != learning.CodeNotAllowed {
		t.Errorf("learned without permission: %v", err)
	}
	if err := c.CatchUp(t.Context()); err != nil {
		t.Error(err)
	}
}

// A coin exchanges neighbors only, and decides the same for each page of a brief. The scores are as without it.
func TestLearning_CoinsAreTheSameOnEachPage(t *testing.T) {
	c := newClientele(t, true)
	swapped, kept := 0, 0
	for i, body := range c.bodies(t, 60) {
		c.advance(time.Minute)
		page := func(offset, limit int) (answer shownAnswer) {
			paged := map[string]any{"offset": offset, "limit": limit}
			for name, value := range body {
				paged[name] = value
			}
			c.post(t, "match", paged, &answer)
			return answer
		}

		whole := page(0, 12)
		e := whole.Explored
		if e == nil {
			continue
		}
		upper, lower := whole.Matches[e.Rank-1], whole.Matches[e.Rank]
		if e.Swapped {
			swapped++
			upper, lower = lower, upper
		} else {
			kept++
		}
		if e.Rank >= 10 || upper.Score < lower.Score || upper.Score-lower.Score > .03 || upper.Level != lower.Level {
			t.Errorf("brief %d: exchanged %+v, scores %v and %v", i, e, upper.Score, lower.Score)
		}
		sorted := slices.IsSortedFunc(slices.Delete(slices.Clone(whole.Matches), e.Rank-1, e.Rank+1),
			func(a, b shownMatch) int { return cmp.Compare(b.Score, a.Score) })
		if !sorted {
			t.Errorf("brief %d: others than the neighbors are out of order", i)
		}

		ids := whole.ids()
		first, second, deep := page(0, 5), page(5, 5), page(10, 5)
		if got := slices.Concat(first.ids(), second.ids()); !slices.Equal(got, ids[:10]) {
			t.Errorf("brief %d: pages have %v, the whole %v", i, got, ids[:10])
		}
		if deep.Explored != nil || (e.Rank < 5) != (first.Explored != nil && second.Explored == nil) {
			t.Errorf("brief %d: rank %d is said on the pages %v, %v, %v", i, e.Rank, first.Explored, second.Explored,
				deep.Explored)
		}
	}
	if swapped < 10 || kept < 10 {
		t.Errorf("%d pairs were exchanged, %d kept", swapped, kept)
	}
}
