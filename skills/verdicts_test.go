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

	"freelancer-matching/internal/matching"
	"freelancer-matching/skills"
)

// judge answers by the word: "… casting" is a skill, "… smelter" a job, anything else neither.
type judge struct {
	mu    sync.Mutex
	asked []string      // account: word
	gate  chan struct{} // unless nil, closed before it answers
	err   error
	says  *skills.Verdict // in place of the usual
}

func (j *judge) Judge(ctx context.Context, account, word string) (skills.Verdict, error) {
	j.mu.Lock()
	j.asked = append(j.asked, account+": "+word)
	gate, err, says := j.gate, j.err, j.says
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
	case says != nil:
		return *says, nil
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

// shelf is a VerdictStore in memory, which may be out of order.
type shelf struct {
	mu    sync.Mutex
	kept  map[string]skills.KeptVerdict
	words map[string]int // account and day
	err   error          // of every call
	lost  error          // of keeping
}

func (s *shelf) Verdict(_ context.Context, key string, at time.Time) (skills.Verdict, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.kept[key]
	switch {
	case s.err != nil:
		return skills.Verdict{}, s.err
	case !ok || !k.Expires.After(at):
		return skills.Verdict{}, skills.ErrNoVerdict
	}
	return k.Verdict, nil
}

func (s *shelf) KeepVerdict(_ context.Context, key string, v skills.Verdict, _, expires time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost == nil {
		s.kept[key] = skills.KeptVerdict{Verdict: v, Expires: expires}
	}
	return s.lost
}

func (s *shelf) TakeWord(_ context.Context, account, day string, limit int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.words[account+" "+day] >= limit {
		return skills.ErrUsedUp
	}
	s.words[account+" "+day]++
	return nil
}

// court is a service with a judge, whose clock stands still where nobody moves it.
type court struct {
	*skills.Service
	judge *judge
	shelf *shelf
	log   *strings.Builder
	now   time.Time
}

func newCourt(t testing.TB, perDay int) *court {
	t.Helper()
	c := &court{
		judge: &judge{}, log: &strings.Builder{}, now: time.Date(2031, 5, 17, 23, 30, 0, 0, time.UTC),
		shelf: &shelf{kept: make(map[string]skills.KeptVerdict), words: make(map[string]int)},
	}
	c.Service = newServiceOn(t, &searcher{snapshot: index(t, "index", people())}, skills.NewVerdicts(skills.VerdictsConfig{
		Judge: c.judge, Store: c.shelf, PerDay: perDay, Now: func() time.Time { return c.now },
		Log: slog.New(slog.NewTextHandler(c.log, nil)),
	}))
	return c
}

// ask is the answer in a line.
func (c *court) ask(t testing.TB, account, keyword string) string {
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

func (c *court) want(t testing.TB, account, keyword, want string) {
	t.Helper()
	if got := c.ask(t, account, keyword); got != want {
		t.Errorf("%s asks of %q: %s, want %s", account, keyword, got, want)
	}
}

func TestVerdicts_AreOfWhatNobodyKnows(t *testing.T) {
	c := newCourt(t, 10)
	for keyword, want := range map[string]string{
		"  Foobar   casting ": "skill Foobar casting (llm 0.7)",
		"Foobar smelter":      "job_title Foobar Founder (llm 0.6)",
		"gnrmpf":              "nothing",
		"Kintsugi":            "skill Kintsugi; 4 have it (index 0.6)",
		"React":               "skill React; 8 have it (taxonomy 1)",
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

// A verdict may name what the taxonomy or its job titles know: the answer has it as they do, and is a verdict all the same.
func TestVerdicts_NamesThatTheTaxonomyKnows(t *testing.T) {
	c := newCourt(t, 10)
	c.judge.says = &skills.Verdict{Kind: matching.TypeSkill, Name: "reactjs", Confidence: .5}
	v, err := c.Verify(t.Context(), "acc_1", "риакт")
	if err != nil || v.Skill == nil || v.Skill.ID != "react" || v.Source.Value != matching.SourceLLM || v.FreelancerCount != 8 {
		t.Errorf("%+v, %v", v, err)
	}
	c.judge.says = &skills.Verdict{Kind: matching.TypeJobTitle, Name: "accountants", Confidence: .5}
	c.want(t, "acc_1", "бухгалтер", "job_title Accountant (llm 0.5)")
}

func TestVerdicts_AreKeptUntilTheyExpire(t *testing.T) {
	const day = 24 * time.Hour
	for _, tt := range []struct {
		word, want string
		life       time.Duration
	}{
		{"Foobar casting", "skill Foobar casting (llm 0.7)", 30 * day},
		{"gnrmpf", "nothing", 7 * day},
	} {
		c := newCourt(t, 10)
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

// A word is counted for the account that it is judged for, on its day, and not when the verdict is kept.
func TestVerdicts_WordsOfADay(t *testing.T) {
	c := newCourt(t, 2)
	for range 3 {
		c.want(t, "acc_1", "gnrmpf", "nothing")
	}
	c.want(t, "acc_1", "Foobar casting", "skill Foobar casting (llm 0.7)")
	c.want(t, "acc_1", "Barfoo casting", "nothing; limit_reached")
	c.want(t, "acc_1", "Foobar casting", "skill Foobar casting (llm 0.7)")
	c.want(t, "acc_2", "Barfoo casting", "skill Barfoo casting (llm 0.7)")
	c.want(t, "acc_1", "Barfoo casting", "skill Barfoo casting (llm 0.7)")
	c.now = c.now.Add(30 * time.Minute) // it is the next day
	c.want(t, "acc_1", "Foobar smelter", "job_title Foobar Founder (llm 0.6)")
	if want := map[string]int{"acc_1 2031-05-17": 2, "acc_2 2031-05-17": 1, "acc_1 2031-05-18": 1}; !maps.Equal(want, c.shelf.words) {
		t.Errorf("counted %v, want %v", c.shelf.words, want)
	}
	none := newCourt(t, 0)
	none.want(t, "acc_1", "Foobar casting", "nothing; limit_reached")
	if asked := none.judge.all(); len(asked) > 0 {
		t.Errorf("asked of %q though none are allowed", asked)
	}
}

// A judge that the account cannot pay is a limit, too.
func TestVerdicts_TokensOfADay(t *testing.T) {
	c := newCourt(t, 10)
	c.judge.err = fmt.Errorf("a budget: %w", skills.ErrUsedUp)
	c.want(t, "acc_1", "Foobar casting", "nothing; limit_reached")
	if c.log.Len() > 0 {
		t.Errorf("log %s", c.log)
	}
}

// No failure becomes a verdict, none is kept, and the next who asks may have more luck.
func TestVerdicts_Failures(t *testing.T) {
	down := errors.New("connection refused")
	says := func(v skills.Verdict) func(*court) { return func(c *court) { c.judge.says = &v } }
	for _, tt := range []struct {
		name  string
		spoil func(*court)
	}{
		{"the judge fails", func(c *court) { c.judge.err = down }},
		{"the store fails", func(c *court) { c.shelf.err = down }},
		{"another kind", says(skills.Verdict{Kind: "company", Confidence: .9})},
		{"no confidence", says(skills.Verdict{Kind: matching.TypeSkill})},
		{"too much of it", says(skills.Verdict{Kind: matching.TypeSkill, Confidence: 1.1})},
		{"a name like a novel", says(skills.Verdict{Kind: matching.TypeSkill, Confidence: .9, Name: strings.Repeat("é", 101)})},
		{"a name that rings", says(skills.Verdict{Kind: matching.TypeSkill, Confidence: .9, Name: "ding\a"})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCourt(t, 10)
			tt.spoil(c)
			c.want(t, "acc_1", "Foobar casting", "nothing; llm_failed")
			if !strings.Contains(c.log.String(), "no verdict on an unknown word") || len(c.shelf.kept) > 0 {
				t.Errorf("kept %v, log %s", c.shelf.kept, c.log)
			}
			c.judge.err, c.judge.says, c.shelf.err = nil, nil, nil
			c.want(t, "acc_1", "Foobar casting", "skill Foobar casting (llm 0.7)")
		})
	}
	c := newCourt(t, 10)
	c.shelf.lost = down
	c.want(t, "acc_1", "Foobar casting", "skill Foobar casting (llm 0.7)")
	if !strings.Contains(c.log.String(), "not kept") {
		t.Errorf("log %s", c.log)
	}
}

// Those who ask of the same word at the same moment share one verdict, at the expense of one of them.
func TestVerdicts_AreSharedByThoseWhoWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourt(t, 1)
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
		if asked := c.judge.all(); len(asked) != 1 || len(c.shelf.words) != 1 {
			t.Errorf("asked %q, counted %v", asked, c.shelf.words)
		}
	})
}

// Who waits on an account that has no words left asks at its own expense.
func TestVerdicts_NoWordsOfAnother(t *testing.T) {
	c := newCourt(t, 1)
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

// A judge that does not answer is left after five seconds; who asked first may go before that, and takes nobody's verdict along.
func TestVerdicts_Deadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourt(t, 10)
		if err := c.Warm(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.judge.gate = make(chan struct{})
		begun := time.Now()
		c.want(t, "acc_1", "Foobar casting", "nothing; llm_failed")
		if took := time.Since(begun); took != 5*time.Second {
			t.Errorf("given up after %s", took)
		}
		ctx, leave := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() {
			v, err := c.Verify(ctx, "acc_1", "Foobar casting")
			if err != nil || v.NoVerdict.Value != matching.NoVerdictFailed {
				t.Errorf("who left is told %+v, %v", v, err)
			}
		})
		synctest.Wait()
		group.Go(func() { c.want(t, "acc_2", "Foobar casting", "skill Foobar casting (llm 0.7)") })
		synctest.Wait()
		leave()
		synctest.Wait()
		close(c.judge.gate)
		group.Wait()
		if n := len(c.judge.all()); n != 2 {
			t.Errorf("asked %d times, want one more", n)
		}
	})
}
