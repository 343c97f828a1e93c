// Package quotatest holds the tests that every quota.Store must pass, and a store in memory for tests of other
// packages.
package quotatest

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/quota"
)

// Store tests a quota.Store. The function open must return an empty store. No window of the tests has ended when they
// begin, so a store may delete ended ones.
func Store(t *testing.T, open func(t *testing.T) quota.Store) {
	t.Run("a request counts in both windows or in neither", func(t *testing.T) { bothOrNeither(t, open(t)) })
	t.Run("a later window starts empty", func(t *testing.T) { laterWindow(t, open(t)) })
	t.Run("an earlier start counts in the stored window", func(t *testing.T) { earlierStart(t, open(t)) })
	t.Run("a clock that is set back", func(t *testing.T) { clockSetBack(t, open(t)) })
	t.Run("Peek counts nothing", func(t *testing.T) { peekCountsNothing(t, open(t)) })
	t.Run("limits may change between calls", func(t *testing.T) { changingLimits(t, open(t)) })
	t.Run("starts have a resolution of a millisecond", func(t *testing.T) { milliseconds(t, open(t)) })
	t.Run("subjects are independent", func(t *testing.T) { manySubjects(t, open(t)) })
	t.Run("a canceled context", func(t *testing.T) { canceledContext(t, open(t)) })
	t.Run("random sequential calls match the model", func(t *testing.T) { oneByOne(t, open(t)) })
	t.Run("one client", func(t *testing.T) {
		Shared(t, func(t *testing.T) []quota.Store { return []quota.Store{open(t)} })
	})
}

// Shared tests that concurrent clients count exactly. The function open must return clients of one empty store.
func Shared(t *testing.T, open func(t *testing.T) []quota.Store) {
	t.Run("500 callers use exactly the minute", func(t *testing.T) { exactly(t, open(t), 100, 1000) })
	t.Run("500 callers use exactly the month", func(t *testing.T) { exactly(t, open(t), 1000, 100) })
	t.Run("500 callers use exactly both", func(t *testing.T) { exactly(t, open(t), 100, 100) })
	t.Run("random concurrent calls are linearizable", func(t *testing.T) {
		clients := open(t)
		for seed := range uint64(12) {
			history, err := interleave(t.Context(), clients, fmt.Sprintf("subject %d", seed), seed)
			if err != nil {
				t.Fatal(err)
			}
			if err := check(history); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	})
}

func currentMinute() time.Time { return time.Now().UTC().Truncate(quota.Minute) }

// probe calls a store and compares its answers.
type probe struct {
	t     *testing.T
	s     quota.Store
	start time.Time // the minute in which the test began
}

func newProbe(t *testing.T, s quota.Store) probe { return probe{t, s, currentMinute()} }

// windows returns the windows a number of minutes after the start of the test, in a month that began earlier.
func (p probe) windows(minutes, perMinute, perMonth int) quota.Windows {
	return quota.Windows{
		Minute: quota.Window{Start: p.start.Add(time.Duration(minutes) * quota.Minute), Limit: perMinute},
		Month:  quota.Window{Start: p.start.Add(-100 * time.Hour), Limit: perMonth},
	}
}

// take calls Take and compares the requests used after it.
func (p probe) take(subject string, w quota.Windows, wantTaken bool, wantMinute, wantMonth int) {
	p.t.Helper()
	got, taken, err := p.s.Take(p.t.Context(), subject, w)
	if err != nil {
		p.t.Fatal(err)
	}
	if taken != wantTaken {
		p.t.Fatalf("Take = %+v, %t; want %t", got, taken, wantTaken)
	}
	p.compare(w, got, wantMinute, wantMonth)
}

// peek calls Peek for subject a and compares the requests used.
func (p probe) peek(w quota.Windows, wantMinute, wantMonth int) {
	p.t.Helper()
	got, err := p.s.Peek(p.t.Context(), "a", w)
	if err != nil {
		p.t.Fatal(err)
	}
	p.compare(w, got, wantMinute, wantMonth)
}

func (p probe) compare(want, got quota.Windows, wantMinute, wantMonth int) {
	p.t.Helper()
	want.Minute.Used = wantMinute
	want.Month.Used = wantMonth
	if diff := gocmp.Diff(want, got); diff != "" {
		p.t.Fatalf("answer (-want +got):\n%s", diff)
	}
}

func bothOrNeither(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	w := p.windows(0, 2, 3)
	p.take("a", w, true, 1, 1)
	p.take("a", w, true, 2, 2)
	p.take("a", w, false, 2, 2) // the minute is used up, and the month keeps its last request
	next := p.windows(1, 2, 3)
	p.take("a", next, true, 1, 3)
	p.take("a", next, false, 1, 3) // the month is used up, and the minute keeps its last request
	p.take("a", p.windows(2, 2, 3), false, 0, 3)
	p.take("a", next, false, 1, 3) // the request refused in a later minute did not begin it
}

func laterWindow(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	w := p.windows(0, 1, 1)
	p.take("a", w, true, 1, 1)
	w.Month.Start = w.Month.Start.Add(quota.Month)
	p.take("a", w, false, 1, 0)
	w.Minute.Start = w.Minute.Start.Add(quota.Minute)
	p.take("a", w, true, 1, 1)
	p.take("a", w, false, 1, 1)
}

func earlierStart(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	w := p.windows(2, 2, 3)
	w.Month.Start = w.Minute.Start // the month has just begun
	p.take("a", w, true, 1, 1)
	earlier := p.windows(0, 2, 3) // lags by MaxLag
	earlier.Month.Start = w.Month.Start.Add(-quota.Month)
	for _, wantTaken := range []bool{true, false} {
		got, taken, err := s.Take(t.Context(), "a", earlier)
		if err != nil || taken != wantTaken {
			t.Fatalf("Take = %t, %v; want %t", taken, err, wantTaken)
		}
		p.compare(w, got, 2, 2)
	}

	got, err := s.Peek(t.Context(), "a", earlier)
	if err != nil {
		t.Fatal(err)
	}

	p.compare(w, got, 2, 2)
	p.take("a", w, false, 2, 2)
}

// clockSetBack uses up a minute and a month, then sets the clock back by an hour and by two months.
func clockSetBack(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	w := p.windows(0, 1, 2)
	p.take("a", w, true, 1, 1)
	p.take("a", w, false, 1, 1)
	hourBefore := p.windows(-60, 1, 2)
	p.peek(hourBefore, 0, 1)
	p.take("a", hourBefore, true, 1, 2) // the month, which contains both, keeps its count
	p.take("a", hourBefore, false, 1, 2)
	p.take("a", p.windows(-59, 1, 2), false, 0, 2)
	p.take("a", p.windows(0, 1, 2), false, 0, 2)
	monthsBefore := p.windows(0, 1, 2)
	for _, window := range []*quota.Window{&monthsBefore.Minute, &monthsBefore.Month} {
		window.Start = window.Start.Add(-2 * quota.Month)
	}
	p.peek(monthsBefore, 0, 0)
	p.take("a", monthsBefore, true, 1, 1)
	p.take("a", monthsBefore, false, 1, 1)
	p.take("a", w, true, 1, 1) // the clock is right again
}

func peekCountsNothing(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	w := p.windows(0, 2, 3)
	p.peek(w, 0, 0)
	p.peek(w, 0, 0)
	p.take("a", w, true, 1, 1)
	p.peek(w, 1, 1)
	later := p.windows(1, 2, 3)
	p.peek(later, 0, 1)
	p.peek(w, 1, 1) // the later peek began no window
	p.take("a", w, true, 2, 2)
}

func changingLimits(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	for i := range 4 {
		p.take("a", p.windows(0, 10, 10), true, i+1, i+1)
	}
	p.take("a", p.windows(0, 2, 10), false, 2, 4) // the answer never exceeds the limit
	p.take("a", p.windows(0, 10, 3), false, 4, 3)
	p.peek(p.windows(0, 1, 1), 1, 1)
	p.take("a", p.windows(0, 5, 5), true, 5, 5) // the count itself was not cut
	p.take("a", p.windows(0, 5, 100), false, 5, 5)
	p.take("a", p.windows(0, 6, 100), true, 6, 6)
}

func milliseconds(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	w := p.windows(0, 5, 5)
	w.Month.Start = w.Month.Start.Add(123 * time.Millisecond)
	p.take("a", w, true, 1, 1)
	w.Month.Start = w.Month.Start.Add(time.Millisecond)
	p.take("a", w, true, 2, 1)
}

func manySubjects(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	w := p.windows(0, 2, 5)
	subjects := []string{
		"key_AAAAAAAAAAAA", "key_aaaaaaaaaaaa", "key_AAAAAAAAAAA", "", "a:b", "a", "{a}", "a b", "ä", "%", "'",
	}
	for i := range 200 {
		subjects = append(subjects, fmt.Sprintf("key_%012d", i))
	}
	for n := range 2 {
		for _, subject := range subjects {
			p.take(subject, w, true, n+1, n+1)
		}
	}
	for _, subject := range subjects {
		p.take(subject, w, false, 2, 2)
	}
}

func canceledContext(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	w := p.windows(0, 5, 5)
	p.take("a", w, true, 1, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, taken, err := s.Take(ctx, "a", w)
	if err == nil && !taken { // a store in memory may ignore the context, but must not refuse
		t.Fatal("Take refused the request without an error")
	}
	want := 1
	if taken {
		want = 2
	}
	p.peek(w, want, want)
}

// oneByOne makes random calls for a few subjects, one after the other, and compares each answer with a model of the
// subject.
func oneByOne(t *testing.T, s quota.Store) {
	random := seeded(7, 7)
	models := map[string]model{}
	g := generator{start: currentMinute()}
	for i := range 1500 {
		g.advance(random)
		behind := lag(random)
		clockIsSetBack := random.IntN(50) == 0
		if clockIsSetBack { // for one call, by two months at most
			behind = time.Duration(random.Int64N(int64(2*quota.Month/quota.Minute))) * quota.Minute
		}

		subject := fmt.Sprint(random.IntN(3))
		w := g.windows(random, behind)
		before := models[subject]
		onlyPeeks := random.IntN(4) == 0
		if onlyPeeks {
			got, err := s.Peek(t.Context(), subject, w)
			if diff := gocmp.Diff(before.peek(w), got); err != nil || diff != "" {
				t.Fatalf("call %d: Peek of %+v in state %+v: %v (-want +got):\n%s", i, w, before, err, diff)
			}
			continue
		}

		after, want, wantTaken := before.take(w)
		models[subject] = after
		got, taken, err := s.Take(t.Context(), subject, w)
		diff := gocmp.Diff(want, got)
		asExpected := err == nil && taken == wantTaken && diff == ""
		if !asExpected {
			t.Fatalf("call %d: Take of %+v in state %+v: %t, %v; want %t (-want +got):\n%s",
				i, w, before, taken, err, wantTaken, diff)
		}
	}
}

// seeded returns a source of the same random numbers in every run.
func seeded(a, b uint64) *rand.Rand {
	return rand.New(rand.NewPCG(a, b)) //nolint:gosec // not used for secrets
}

// generator generates windows that advance in time, sometimes with an earlier start, under changing limits. Its months
// begin in the middle of a minute. It is not safe for concurrent use.
type generator struct {
	start  time.Time
	months int
	steps  int // since the beginning of the minute in which the month begins
}

// step is the resolution of a generator's time.
const step = quota.Minute / 2

// advance moves the time forward by a step, or to just before the beginning of the next month, now and then.
func (g *generator) advance(random *rand.Rand) {
	if random.IntN(4) == 0 {
		g.steps++
	}
	if random.IntN(40) == 0 {
		g.steps = 0
		g.months++
	}
}

// windows returns the windows that a clock shows that lags by a time.
func (g *generator) windows(random *rand.Rand, lag time.Duration) quota.Windows {
	now := g.start.Add(time.Duration(g.months)*quota.Month + time.Duration(g.steps)*step - lag)
	first := g.start.Add(step - 100*quota.Month)
	return quota.Windows{
		Minute: quota.Window{Start: now.Truncate(quota.Minute), Limit: 1 + random.IntN(8)},
		Month:  quota.Window{Start: first.Add(now.Sub(first).Truncate(quota.Month)), Limit: 5 + random.IntN(25)},
	}
}

// lag returns a lag that stores tolerate, most often none.
func lag(random *rand.Rand) time.Duration {
	if random.IntN(4) > 0 {
		return 0
	}
	return time.Duration(random.Int64N(int64(quota.MaxLag/step)+1)) * step
}

// interleave makes random concurrent calls for one subject and returns them with their results. The callers advance the
// time together, in rounds, so that the calls of a round differ by no more than stores tolerate.
func interleave(ctx context.Context, clients []quota.Store, subject string, seed uint64) ([]call, error) {
	const callers, rounds, callsPerRound = 8, 8, 3
	var (
		g       = generator{start: currentMinute()}
		shared  = seeded(seed, callers)
		now     clock
		history = make([][]call, callers)
		errs    = make([]error, callers)
		sources = make([]*rand.Rand, callers)
	)
	for i := range callers {
		sources[i] = seeded(seed, uint64(i))
	}

	for range rounds {
		var group sync.WaitGroup
		for i := range callers {
			group.Go(func() {
				for range callsPerRound {
					c, err := randomCall(ctx, clients[i%len(clients)], subject, &g, sources[i], &now)
					errs[i] = err
					if err != nil {
						return
					}
					history[i] = append(history[i], c)
				}
			})
		}

		// A round ends for all callers before the time advances, so their lag stays within what stores tolerate.
		group.Wait()
		for range callsPerRound { // as often as if each caller advanced the time with every call
			g.advance(shared)
		}
	}

	return slices.Concat(history...), cmp.Or(errs...)
}

// randomCall makes one call, which only peeks now and then, and returns it with its result.
func randomCall(
	ctx context.Context, client quota.Store, subject string, g *generator, random *rand.Rand, now *clock,
) (call, error) {
	c := call{request: g.windows(random, lag(random)), peek: random.IntN(5) == 0, began: now.next()}
	var err error
	if c.peek {
		c.answer, err = client.Peek(ctx, subject, c.request)
	} else {
		c.answer, c.taken, err = client.Take(ctx, subject, c.request)
	}

	c.ended = now.next()
	return c, err
}

// exactly sends 500 concurrent requests and checks that the allowance is used up exactly.
func exactly(t *testing.T, clients []quota.Store, perMinute, perMonth int) {
	const callers = 500
	var (
		p     = newProbe(t, clients[0])
		w     = p.windows(0, perMinute, perMonth)
		want  = min(perMinute, perMonth)
		start = make(chan struct{})
		group sync.WaitGroup
		mu    sync.Mutex
		used  []int // requests used in the minute after each request that was taken
	)
	for i := range callers {
		group.Go(func() {
			<-start
			after, taken, err := clients[i%len(clients)].Take(t.Context(), "a", w)
			mu.Lock()
			defer mu.Unlock()

			switch {
			case err != nil:
				t.Error(err)
			case taken:
				used = append(used, after.Minute.Used)
			case after.Minute.Used != want || after.Month.Used != want:
				t.Errorf("refused with %d and %d requests used, want %d", after.Minute.Used, after.Month.Used, want)
			}
		})
	}

	close(start)
	group.Wait()
	slices.Sort(used)

	// Each number must occur once: a lost update would show as a duplicate.
	if len(used) != want {
		t.Fatalf("%d requests were taken, want %d", len(used), want)
	}

	for i, n := range used {
		if n != i+1 {
			t.Fatalf("the answers count %v, want each number from 1 to %d once", used, want)
		}
	}

	for _, client := range clients {
		p.s = client
		p.peek(w, want, want)
	}
}
