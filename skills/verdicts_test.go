package skills_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/skills"
)

// A judge decides by the word: "… casting" is a skill, "… smelter" a job title, anything else neither.
type judge struct {
	mu      sync.Mutex
	asked   []string      // account: word
	gate    chan struct{} // if not nil, Judge blocks until it is closed
	err     error
	verdict *skills.Verdict // if not nil, the verdict on every word
}

func (j *judge) Judge(ctx context.Context, account, word string) (skills.Verdict, error) {
	j.mu.Lock()
	j.asked = append(j.asked, account+": "+word)
	gate := j.gate
	err := j.err
	verdict := j.verdict
	j.mu.Unlock()

	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return skills.Verdict{}, context.Cause(ctx)
		}
	}

	switch {
	case err != nil:
		return skills.Verdict{}, err
	case verdict != nil:
		return *verdict, nil
	case strings.HasSuffix(word, " casting"):
		return skills.Verdict{Kind: matching.TypeSkill, Confidence: .7, By: "llm:test"}, nil
	case strings.HasSuffix(word, " smelter"):
		return skills.Verdict{Kind: matching.TypeJobTitle, Name: "  Foobar \n Founder ", Confidence: .6, By: "llm:test"}, nil
	default:
		return skills.Verdict{By: "llm:test"}, nil
	}
}

func (j *judge) all() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.asked)
}

// A memoryStore is a VerdictStore in memory, which can fail.
type memoryStore struct {
	mu       sync.Mutex
	verdicts map[string]skills.KeptVerdict
	words    map[string]int // by account and day
	err      error          // returned by Verdict
	keepErr  error          // returned by KeepVerdict
}

func (s *memoryStore) Verdict(_ context.Context, key string, at time.Time) (skills.Verdict, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.verdicts[key]
	switch {
	case s.err != nil:
		return skills.Verdict{}, s.err
	case !ok || !k.Expires.After(at):
		return skills.Verdict{}, skills.ErrNoVerdict
	}
	return k.Verdict, nil
}

func (s *memoryStore) KeepVerdict(_ context.Context, key string, v skills.Verdict, _, expires time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keepErr == nil {
		s.verdicts[key] = skills.KeptVerdict{Verdict: v, Expires: expires}
	}
	return s.keepErr
}

func (s *memoryStore) TakeWord(_ context.Context, account, day string, limit int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.words[account+" "+day] >= limit {
		return skills.ErrUsedUp
	}
	s.words[account+" "+day]++
	return nil
}

// A fixture is a service with a judge, and a clock that only tests advance.
type fixture struct {
	*skills.Service
	judge *judge
	store *memoryStore
	log   *strings.Builder
	now   time.Time
}

func newFixture(t testing.TB, perDay int) *fixture {
	t.Helper()
	c := &fixture{
		judge: &judge{}, log: &strings.Builder{}, now: time.Date(2031, 5, 17, 23, 30, 0, 0, time.UTC),
		store: &memoryStore{verdicts: make(map[string]skills.KeptVerdict), words: make(map[string]int)},
	}
	c.Service = newServiceOn(t, &searcher{snapshot: index(t, "index", people())}, skills.NewVerdicts(skills.VerdictsConfig{
		Judge: c.judge, Store: c.store, PerDay: perDay, Now: func() time.Time { return c.now },
		Log: slog.New(slog.NewTextHandler(c.log, nil)),
	}))
	return c
}

// ask returns the answer as one line.
func (c *fixture) ask(t testing.TB, account, keyword string) string {
	t.Helper()
	v, err := c.Verify(context.Background(), account, keyword)
	if err != nil {
		t.Fatal(err)
	}
	check(t, keyword, v)
	if v.NoVerdict.Known {
		return describe(v) + "; " + v.NoVerdict.Value
	}
	return describe(v)
}

func (c *fixture) want(t testing.TB, account, keyword, want string) {
	t.Helper()
	if got := c.ask(t, account, keyword); got != want {
		t.Errorf("%s asks about %q: %s, want %s", account, keyword, got, want)
	}
}

func TestVerdicts_OnlyForUnknownWords(t *testing.T) {
	c := newFixture(t, 10)
	for keyword, want := range map[string]string{
		"  Foobar   casting ": "skill Foobar casting (llm 0.7)",
		"Foobar smelter":      "job_title Foobar Founder (llm 0.6)",
		"gnrmpf":              "nothing",
		"Kintsugi":            "skill Kintsugi; freelancers: 4 (index 0.6)",
		"React":               "skill React; freelancers: 8 (taxonomy 1)",
		"?!":                  "nothing",
	} {
		c.want(t, "acc_1", keyword, want)
	}
	asked := c.judge.all()
	slices.Sort(asked)
	if diff := cmp.Diff([]string{"acc_1: Foobar casting", "acc_1: Foobar smelter", "acc_1: gnrmpf"}, asked); diff != "" {
		t.Error(diff)
	}
}

// If a verdict names a skill or job title of the taxonomy, the answer uses the taxonomy's name, but its source is still
// the judge.
func TestVerdicts_UseNamesOfTheTaxonomy(t *testing.T) {
	c := newFixture(t, 10)
	c.judge.verdict = &skills.Verdict{Kind: matching.TypeSkill, Name: "reactjs", Confidence: .5}
	v, err := c.Verify(t.Context(), "acc_1", "риакт")
	if err != nil || v.Skill == nil || v.Skill.ID != "react" || v.FreelancerCount != 8 ||
		v.Source.Value != matching.SourceLLM {
		t.Errorf("%+v, %v", v, err)
	}
	c.judge.verdict = &skills.Verdict{Kind: matching.TypeJobTitle, Name: "accountants", Confidence: .5}
	c.want(t, "acc_1", "бухгалтер", "job_title Accountant (llm 0.5)")
}

func TestVerdicts_ExpireAfterTheirLifetime(t *testing.T) {
	const day = 24 * time.Hour
	for _, tt := range []struct {
		word, want string
		life       time.Duration
	}{
		{"Foobar casting", "skill Foobar casting (llm 0.7)", 30 * day},
		{"gnrmpf", "nothing", 7 * day},
	} {
		c := newFixture(t, 10)
		c.want(t, "acc_1", tt.word, tt.want)
		c.now = c.now.Add(tt.life - time.Second)
		c.want(t, "acc_2", strings.ToUpper(tt.word)+"!", tt.want)

		if n := len(c.judge.all()); n != 1 {
			t.Errorf("%s: asked %d times within %s", tt.word, n, tt.life)
		}

		c.now = c.now.Add(time.Second)
		c.want(t, "acc_1", tt.word, tt.want)

		if n := len(c.judge.all()); n != 2 {
			t.Errorf("%s: asked %d times after %s", tt.word, n, tt.life)
		}
	}
}

// A word counts against the daily limit of the account that asked the judge. Stored verdicts don't count.
func TestVerdicts_DailyWordLimit(t *testing.T) {
	c := newFixture(t, 2)
	for range 3 {
		c.want(t, "acc_1", "gnrmpf", "nothing")
	}

	c.want(t, "acc_1", "Foobar casting", "skill Foobar casting (llm 0.7)")
	c.want(t, "acc_1", "Barfoo casting", "nothing; limit_reached")
	c.want(t, "acc_1", "Foobar casting", "skill Foobar casting (llm 0.7)")
	c.want(t, "acc_2", "Barfoo casting", "skill Barfoo casting (llm 0.7)")
	c.want(t, "acc_1", "Barfoo casting", "skill Barfoo casting (llm 0.7)")
	c.now = c.now.Add(30 * time.Minute) // now it is the next day
	c.want(t, "acc_1", "Foobar smelter", "job_title Foobar Founder (llm 0.6)")
	want := map[string]int{"acc_1 2031-05-17": 2, "acc_2 2031-05-17": 1, "acc_1 2031-05-18": 1}
	if !maps.Equal(want, c.store.words) {
		t.Errorf("counted %v, want %v", c.store.words, want)
	}

	none := newFixture(t, 0)
	none.want(t, "acc_1", "Foobar casting", "nothing; limit_reached")
	if asked := none.judge.all(); len(asked) > 0 {
		t.Errorf("asked about %q although no words are allowed", asked)
	}
}

// An exhausted budget of the judge is reported like the daily limit.
func TestVerdicts_JudgeBudget(t *testing.T) {
	c := newFixture(t, 10)
	c.judge.err = fmt.Errorf("a budget: %w", skills.ErrUsedUp)
	c.want(t, "acc_1", "Foobar casting", "nothing; limit_reached")
	if c.log.Len() > 0 {
		t.Errorf("log %s", c.log)
	}
}

// A failure is not stored, so the next request can succeed.
func TestVerdicts_Failures(t *testing.T) {
	down := errors.New("connection refused")
	skill := func(confidence float64, name string) func(*fixture) {
		return func(c *fixture) {
			c.judge.verdict = &skills.Verdict{Kind: matching.TypeSkill, Confidence: confidence, Name: name}
		}
	}
	for _, tt := range []struct {
		name    string
		breakIt func(*fixture)
	}{
		{"the judge fails", func(c *fixture) { c.judge.err = down }},
		{"the store fails", func(c *fixture) { c.store.err = down }},
		{"an unknown kind", func(c *fixture) {
			c.judge.verdict = &skills.Verdict{Kind: "company", Confidence: .9}
		}},
		{"no confidence", skill(0, "")},
		{"too much confidence", skill(1.1, "")},
		{"a name that is too long", skill(.9, strings.Repeat("é", 101))},
		{"a name with a control character", skill(.9, "ding\a")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newFixture(t, 10)
			tt.breakIt(c)
			c.want(t, "acc_1", "Foobar casting", "nothing; llm_failed")

			if !strings.Contains(c.log.String(), "no verdict on an unknown word") || len(c.store.verdicts) > 0 {
				t.Errorf("stored %v, log %s", c.store.verdicts, c.log)
			}

			c.judge.err = nil
			c.judge.verdict = nil
			c.store.err = nil
			c.want(t, "acc_1", "Foobar casting", "skill Foobar casting (llm 0.7)")
		})
	}

	c := newFixture(t, 10)
	c.store.keepErr = down
	c.want(t, "acc_1", "Foobar casting", "skill Foobar casting (llm 0.7)")

	if !strings.Contains(c.log.String(), "verdict not stored") {
		t.Errorf("log %s", c.log)
	}
}

// Simultaneous requests for the same word share one verdict and charge one account.
func TestVerdicts_AreSharedBySimultaneousRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, 1)
		if err := c.Warm(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.judge.gate = make(chan struct{})
		var group sync.WaitGroup
		for i := range 20 {
			group.Go(func() { c.want(t, fmt.Sprint("acc_", i), "Foobar casting", "skill Foobar casting (llm 0.7)") })
		}
		synctest.Wait()
		close(c.judge.gate)
		group.Wait()
		if asked := c.judge.all(); len(asked) != 1 || len(c.store.words) != 1 {
			t.Errorf("asked %q, counted %v", asked, c.store.words)
		}
	})
}

// A request that waits for an account without words left asks again at its own expense.
func TestVerdicts_LimitOfOneAccountDoesNotAffectAnother(t *testing.T) {
	c := newFixture(t, 1)
	c.want(t, "acc_1", "gnrmpf", "nothing")
	var group sync.WaitGroup
	for range 10 {
		group.Go(func() { c.ask(t, "acc_1", "Foobar casting") })
		group.Go(func() { c.want(t, "acc_2", "Foobar casting", "skill Foobar casting (llm 0.7)") })
	}
	group.Wait()
	if diff := cmp.Diff([]string{"acc_1: gnrmpf", "acc_2: Foobar casting"}, c.judge.all()); diff != "" {
		t.Error(diff)
	}
}

// The judge has five seconds to answer. A canceled request doesn't cancel the verdict for the others.
func TestVerdicts_Deadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, 10)
		if err := c.Warm(t.Context()); err != nil {
			t.Fatal(err)
		}

		c.judge.gate = make(chan struct{})
		start := time.Now()
		c.want(t, "acc_1", "Foobar casting", "nothing; llm_failed")

		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("gave up after %s, want 5s", took)
		}

		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() {
			v, err := c.Verify(ctx, "acc_1", "Foobar casting")
			if err != nil || v.NoVerdict.Value != matching.NoVerdictFailed {
				t.Errorf("the canceled request got %+v, %v", v, err)
			}
		})

		synctest.Wait()
		group.Go(func() { c.want(t, "acc_2", "Foobar casting", "skill Foobar casting (llm 0.7)") })
		synctest.Wait()
		cancel()
		synctest.Wait()
		close(c.judge.gate)
		group.Wait()

		if n := len(c.judge.all()); n != 2 {
			t.Errorf("asked %d times, want 2", n)
		}
	})
}
