// Package quotatest is what every quota.Store promises, as tests.
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

	"freelancer-matching/access/quota"
)

// Store runs the suite on stores that open makes, empty ones. Its windows are those of the present and of months to come,
// so that a store may forget what is over.
func Store(t *testing.T, open func(t *testing.T) quota.Store) {
	t.Run("both windows or neither", func(t *testing.T) { bothOrNeither(t, open(t)) })
	t.Run("a later window begins with nothing used", func(t *testing.T) { laterWindow(t, open(t)) })
	t.Run("an earlier start is counted in the window that is stored", func(t *testing.T) { earlierStart(t, open(t)) })
	t.Run("peek takes nothing", func(t *testing.T) { peekTakesNothing(t, open(t)) })
	t.Run("limits may change between calls", func(t *testing.T) { changingLimits(t, open(t)) })
	t.Run("starts are kept to the millisecond", func(t *testing.T) { milliseconds(t, open(t)) })
	t.Run("subjects do not disturb each other", func(t *testing.T) { manySubjects(t, open(t)) })
	t.Run("a context that has ended takes nothing", func(t *testing.T) { endedContext(t, open(t)) })
	t.Run("random calls one by one are answered as by the model", func(t *testing.T) { oneByOne(t, open(t)) })
	t.Run("one client", func(t *testing.T) {
		Shared(t, func(t *testing.T) []quota.Store { return []quota.Store{open(t)} })
	})
}

// Shared runs what many promise together who ask at the same moment: open makes clients of one empty store.
func Shared(t *testing.T, open func(t *testing.T) []quota.Store) {
	t.Run("500 callers get exactly the minute", func(t *testing.T) { exactly(t, open(t), 100, 1000) })
	t.Run("500 callers get exactly the month", func(t *testing.T) { exactly(t, open(t), 1000, 100) })
	t.Run("500 callers get exactly both", func(t *testing.T) { exactly(t, open(t), 100, 100) })
	t.Run("no interleaving counts over or under", func(t *testing.T) {
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

// present is this minute.
func present() time.Time { return time.Now().UTC().Truncate(quota.Minute) }

// probe asks a store, and compares the answers.
type probe struct {
	t       *testing.T
	s       quota.Store
	present time.Time // when the test began
}

func newProbe(t *testing.T, s quota.Store) probe { return probe{t, s, present()} }

// in is the windows so many minutes after the present, and of a month that began somewhat earlier.
func (p probe) in(minutes, perMinute, perMonth int) quota.Windows {
	return quota.Windows{
		Minute: quota.Window{Start: p.present.Add(time.Duration(minutes) * quota.Minute), Limit: perMinute},
		Month:  quota.Window{Start: p.present.Add(-100 * time.Hour), Limit: perMonth},
	}
}

// take expects so many to be used after it.
func (p probe) take(subject string, w quota.Windows, wantTaken bool, wantMinute, wantMonth int) {
	p.t.Helper()
	got, taken, err := p.s.Take(p.t.Context(), subject, w)
	if err != nil {
		p.t.Fatal(err)
	}
	if taken != wantTaken {
		p.t.Fatalf("taken is %t, want %t: %+v", taken, wantTaken, got)
	}
	p.compare(w, got, wantMinute, wantMonth)
}

// peek expects so many of subject a to be used.
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
	want.Minute.Used, want.Month.Used = wantMinute, wantMonth
	if diff := gocmp.Diff(want, got); diff != "" {
		p.t.Fatalf("answer (-want +got):\n%s", diff)
	}
}

func bothOrNeither(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	w := p.in(0, 2, 3)
	p.take("a", w, true, 1, 1)
	p.take("a", w, true, 2, 2)
	p.take("a", w, false, 2, 2) // no minute left: the month keeps its last one
	next := p.in(1, 2, 3)
	p.take("a", next, true, 1, 3)
	p.take("a", next, false, 1, 3) // no month left: the minute keeps its last one
	p.take("a", p.in(2, 2, 3), false, 0, 3)
	p.take("a", next, false, 1, 3) // what was refused in a later minute did not begin it
}

func laterWindow(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	w := p.in(0, 1, 1)
	p.take("a", w, true, 1, 1)
	w.Month.Start = w.Month.Start.Add(quota.Month)
	p.take("a", w, false, 1, 0)
	w.Minute.Start = w.Minute.Start.Add(quota.Minute)
	p.take("a", w, true, 1, 1)
	p.take("a", w, false, 1, 1)
}

func earlierStart(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	w := p.in(1, 2, 3)
	p.take("a", w, true, 1, 1)
	lagging := p.in(0, 2, 3)
	lagging.Month.Start = lagging.Month.Start.Add(-quota.Month)
	stored := w
	got, taken, err := s.Take(t.Context(), "a", lagging)
	if err != nil || !taken {
		t.Fatalf("taken is %t (%v), want one more", taken, err)
	}
	p.compare(stored, got, 2, 2)
	got, taken, err = s.Take(t.Context(), "a", lagging)
	if err != nil || taken {
		t.Fatalf("taken is %t (%v), want a refusal: time running backwards gives nothing", taken, err)
	}
	p.compare(stored, got, 2, 2)
	if got, err = s.Peek(t.Context(), "a", lagging); err != nil {
		t.Fatal(err)
	}
	p.compare(stored, got, 2, 2)
	p.take("a", w, false, 2, 2)
}

func peekTakesNothing(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	w := p.in(0, 2, 3)
	p.peek(w, 0, 0)
	p.peek(w, 0, 0)
	p.take("a", w, true, 1, 1)
	p.peek(w, 1, 1)
	later := p.in(1, 2, 3)
	p.peek(later, 0, 1)
	p.peek(w, 1, 1) // and begins no window
	p.take("a", w, true, 2, 2)
}

func changingLimits(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	for i := range 4 {
		p.take("a", p.in(0, 10, 10), true, i+1, i+1)
	}
	p.take("a", p.in(0, 2, 10), false, 2, 4) // never tells more than the limit
	p.take("a", p.in(0, 10, 3), false, 4, 3)
	p.peek(p.in(0, 1, 1), 1, 1)
	p.take("a", p.in(0, 5, 5), true, 5, 5) // but has not forgotten
	p.take("a", p.in(0, 5, 100), false, 5, 5)
	p.take("a", p.in(0, 6, 100), true, 6, 6)
}

func milliseconds(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	w := p.in(0, 5, 5)
	w.Month.Start = w.Month.Start.Add(123 * time.Millisecond)
	p.take("a", w, true, 1, 1)
	w.Month.Start = w.Month.Start.Add(time.Millisecond)
	p.take("a", w, true, 2, 1)
}

func manySubjects(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	w := p.in(0, 2, 5)
	subjects := []string{"key_AAAAAAAAAAAA", "key_aaaaaaaaaaaa", "key_AAAAAAAAAAA", "", "a:b", "a", "{a}", "a b", "ä", "%", "'"}
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

func endedContext(t *testing.T, s quota.Store) {
	p := newProbe(t, s)
	w := p.in(0, 5, 5)
	p.take("a", w, true, 1, 1)
	ended, end := context.WithCancel(t.Context())
	end()
	_, taken, err := s.Take(ended, "a", w)
	if err == nil && !taken { // an answer from memory is fine, a refusal is not
		t.Fatal("refused without an error")
	}
	want := 1
	if taken {
		want = 2
	}
	p.peek(w, want, want)
}

func oneByOne(t *testing.T, s quota.Store) {
	random := seeded(7, 7)
	models := map[string]model{}
	wind := winder{present: present()}
	for i := range 1500 {
		subject, w := fmt.Sprint(random.IntN(3)), wind.next(random)
		before := models[subject]
		if random.IntN(4) == 0 {
			got, err := s.Peek(t.Context(), subject, w)
			if diff := gocmp.Diff(before.peek(w), got); err != nil || diff != "" {
				t.Fatalf("%d: peek of %+v with %+v used: %v (-want +got):\n%s", i, w, before, err, diff)
			}
			continue
		}
		after, want, wantTaken := before.take(w)
		models[subject] = after
		got, taken, err := s.Take(t.Context(), subject, w)
		if diff := gocmp.Diff(want, got); err != nil || taken != wantTaken || diff != "" {
			t.Fatalf("%d: take of %+v with %+v used is %t, want %t: %v (-want +got):\n%s", i, w, before, taken, wantTaken, err, diff)
		}
	}
}

// seeded makes the same calls each time.
func seeded(a, b uint64) *rand.Rand {
	return rand.New(rand.NewPCG(a, b)) //nolint:gosec // no secret is made of it
}

// winder makes windows that move on, now and then with a start that lags, under limits that change.
type winder struct {
	mu              sync.Mutex
	present         time.Time
	minutes, months int // since then
}

func (m *winder) next(random *rand.Rand) quota.Windows {
	m.mu.Lock()
	defer m.mu.Unlock()
	if random.IntN(8) == 0 {
		m.minutes++
	}
	if random.IntN(40) == 0 {
		m.months++
	}
	minute, month := m.minutes, m.months
	if random.IntN(4) == 0 {
		minute -= random.IntN(3)
		month -= random.IntN(2)
	}
	return quota.Windows{
		Minute: quota.Window{Start: m.present.Add(time.Duration(minute) * quota.Minute), Limit: 1 + random.IntN(8)},
		Month:  quota.Window{Start: m.present.Add(time.Duration(month) * quota.Month), Limit: 5 + random.IntN(25)},
	}
}

// interleave lets several callers loose on one subject, and returns what came of it.
func interleave(ctx context.Context, clients []quota.Store, subject string, seed uint64) ([]call, error) {
	const callers, calls = 8, 25
	var (
		wind    = winder{present: present()}
		moments clock
		group   sync.WaitGroup
		done    = make([][]call, callers)
		faults  = make([]error, callers)
	)
	for i := range callers {
		group.Go(func() {
			random, client := seeded(seed, uint64(i)), clients[i%len(clients)]
			for range calls {
				c := call{asked: wind.next(random), peek: random.IntN(5) == 0, began: moments.next()}
				if c.peek {
					c.answer, faults[i] = client.Peek(ctx, subject, c.asked)
				} else {
					c.answer, c.taken, faults[i] = client.Take(ctx, subject, c.asked)
				}
				c.ended = moments.next()
				if faults[i] != nil {
					return
				}
				done[i] = append(done[i], c)
			}
		})
	}
	group.Wait()
	return slices.Concat(done...), cmp.Or(faults...)
}

// exactly lets 500 callers loose at once on an allowance.
func exactly(t *testing.T, clients []quota.Store, perMinute, perMonth int) {
	const callers = 500
	var (
		p     = newProbe(t, clients[0])
		w     = p.in(0, perMinute, perMonth)
		want  = min(perMinute, perMonth)
		start = make(chan struct{})
		group sync.WaitGroup
		mu    sync.Mutex
		turns []int // which one of the minute each was that was let through
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
				turns = append(turns, after.Minute.Used)
			case after.Minute.Used != want || after.Month.Used != want:
				t.Errorf("refused with %d and %d used, want %d", after.Minute.Used, after.Month.Used, want)
			}
		})
	}
	close(start)
	group.Wait()
	slices.Sort(turns)
	if len(turns) != want {
		t.Fatalf("%d requests were let through, want %d", len(turns), want)
	}
	for i, turn := range turns {
		if turn != i+1 {
			t.Fatalf("the answers count %v, want each from 1 to %d once", turns, want)
		}
	}
	for _, client := range clients {
		p.s = client
		p.peek(w, want, want)
	}
}
