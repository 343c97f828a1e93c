package admission

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

const wait = 500 * time.Millisecond

// A scene runs requests against a gate. It must be used inside synctest.Test.
type scene struct {
	t     *testing.T
	gate  *Gate
	mu    sync.Mutex
	order []string // names of requests, as they were admitted
	errs  map[string]error
}

func newScene(t *testing.T, l Limits, o Observer) *scene {
	return &scene{t: t, gate: NewGate("test", l, o), errs: map[string]error{}}
}

// arrive starts a request, waits until it runs, waits or is rejected, and returns the function that ends it.
func (s *scene) arrive(ctx context.Context, key, name string) (end func()) {
	s.t.Helper()
	ended := make(chan struct{})
	go func() {
		leave, err := s.gate.Enter(ctx, key)
		s.mu.Lock()
		if err == nil {
			s.order = append(s.order, name)
		} else {
			s.errs[name] = err
		}

		s.mu.Unlock()
		if err == nil {
			<-ended
			leave()
		}
	}()

	synctest.Wait()
	return func() {
		close(ended)
		synctest.Wait()
	}
}

func (s *scene) wantOrder(want ...string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if diff := cmp.Diff(want, s.order); diff != "" {
		s.t.Errorf("admitted (-want +got):\n%s", diff)
	}
}

func (s *scene) wantCode(name string, want matching.Code) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if got := matching.CodeOf(s.errs[name]); got != want {
		s.t.Errorf("%s got the code %q, want %q", name, got, want)
	}
}

func TestGate_FreeSlotGoesToTheKeyThatRunsFewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, Limits{Slots: 4, PerKey: 3}, nil)
		ctx := t.Context()
		var ends []func()
		for _, r := range []struct{ key, name string }{
			{"a", "a1"}, {"a", "a2"}, {"a", "a3"}, {"b", "b1"}, // all slots are taken
			{"b", "b2"}, {"a", "a4"}, {"c", "c1"}, {"b", "b3"}, {"c", "c2"},
		} {
			ends = append(ends, s.arrive(ctx, r.key, r.name))
		}

		s.wantOrder("a1", "a2", "a3", "b1")
		ends[0]() // a runs 2, b 1, c 0
		s.wantOrder("a1", "a2", "a3", "b1", "c1")
		ends[1]() // a runs 1, b 1, c 1: b2 has waited longest
		s.wantOrder("a1", "a2", "a3", "b1", "c1", "b2")
		ends[2]() // a runs 0
		s.wantOrder("a1", "a2", "a3", "b1", "c1", "b2", "a4")
		ends[5]() // a4; a has no other request, b runs 2, c 1
		s.wantOrder("a1", "a2", "a3", "b1", "c1", "b2", "a4", "c2")

		for _, i := range []int{3, 4, 6, 7, 8} {
			ends[i]()
		}

		s.wantOrder("a1", "a2", "a3", "b1", "c1", "b2", "a4", "c2", "b3")

		if s.gate.running != 0 || len(s.gate.keys) != 0 {
			t.Errorf("%d slots and %d keys remain in use", s.gate.running, len(s.gate.keys))
		}
	})
}

func TestGate_NewcomerIsAdmittedAtOnceWhateverOneAccountDoes(t *testing.T) {
	for _, slots := range []int{2, 3, 8, 16, 256} {
		synctest.Test(t, func(t *testing.T) {
			s := newScene(t, Limits{Slots: slots, Wait: wait}, nil)
			var ends []func()
			for i := range 2 * slots {
				ends = append(ends, s.arrive(t.Context(), "greedy", fmt.Sprint(i)))
			}
			ends = append(ends, s.arrive(t.Context(), "newcomer", "newcomer"))
			if n := len(s.order); n != Share(slots)+1 || s.order[n-1] != "newcomer" {
				t.Errorf("%d slots: admitted %v", slots, s.order)
			}
			for _, end := range ends {
				end()
			}
		})
	}
}

func TestGate_RejectsWithTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, Limits{Slots: 3, PerKey: 2, Waiting: 2, Wait: wait}, nil)
		ctx := t.Context()
		var ends []func()
		for _, r := range []string{"a1", "a2", "a3", "a4", "a5", "b1", "b2"} {
			ends = append(ends, s.arrive(ctx, r[:1], r))
		}

		s.wantOrder("a1", "a2", "b1")
		s.wantCode("a5", CodeTooManyConcurrent) // at once: a3 and a4 wait
		s.wantCode("a4", "")
		<-time.After(wait)
		synctest.Wait()
		s.wantCode("a3", CodeTooManyConcurrent)
		s.wantCode("a4", CodeTooManyConcurrent)
		s.wantCode("b2", matching.CodeOverloaded)

		if e, ok := errors.AsType[*matching.Error](s.errs["b2"]); !ok || e.RetryAfter <= 0 {
			t.Errorf("no time to retry after in %+v", e)
		}

		for _, end := range ends {
			end()
		}

		if len(s.gate.keys) != 0 {
			t.Errorf("%d keys remain", len(s.gate.keys))
		}
	})
}

func TestGate_ContextEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, Limits{Slots: 1}, nil)
		first := s.arrive(t.Context(), "a", "a1")
		ctx, cancel := context.WithCancel(t.Context())
		s.arrive(ctx, "b", "b1")
		last := s.arrive(t.Context(), "c", "c1")
		<-time.After(time.Hour) // without a limit, requests wait until their contexts end
		cancel()
		synctest.Wait()
		if err := s.errs["b1"]; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		first()
		s.wantOrder("a1", "c1")
		last()
	})
}

type recorder struct {
	mu     sync.Mutex
	events []string
}

func (r *recorder) add(e string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *recorder) Admitted(gate string, waited time.Duration) {
	r.add(gate + " admitted " + waited.String())
}

func (r *recorder) Rejected(gate string, reason Reason) { r.add(gate + " rejected " + string(reason)) }

func TestGate_ReportsToItsObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r recorder
		s := newScene(t, Limits{Slots: 2, PerKey: 1, Wait: wait}, &r)
		a := s.arrive(t.Context(), "a", "a1")
		ctx, cancel := context.WithCancel(t.Context())
		s.arrive(ctx, "a", "a2")
		cancel()
		s.arrive(t.Context(), "a", "a3")
		b := s.arrive(t.Context(), "b", "b1")
		<-time.After(wait) // a3
		s.arrive(t.Context(), "c", "c1")
		<-time.After(wait) // c1
		last := s.arrive(t.Context(), "c", "c2")
		<-time.After(wait / 2)
		a()
		b()
		last()
		want := []string{
			"test admitted 0s", "test rejected context", "test admitted 0s", "test rejected account", "test rejected server",
			"test admitted 250ms",
		}
		if diff := cmp.Diff(want, r.events); diff != "" {
			t.Error(diff)
		}
	})
}

// Whatever arrives and ends, no limit is exceeded, and no request waits for a slot that it could have.
func TestGate_Properties(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		l := Limits{Slots: 5, PerKey: 3, Waiting: 4, Wait: wait}
		s := newScene(t, l, nil)
		var ends []func()
		for i := range 2000 {
			switch random.IntN(4) {
			case 0, 1:
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(1000))*time.Millisecond)
				defer cancel()
				ends = append(ends, s.arrive(ctx, string(rune('a'+random.IntN(4))), fmt.Sprint(i)))

			case 2:
				<-time.After(time.Duration(random.IntN(100)) * time.Millisecond)
				synctest.Wait()
			case 3:
				if n := len(ends); n > 0 {
					at := random.IntN(n)
					ends[at]()
					ends = slices.Delete(ends, at, at+1)
				}
			}

			s.gate.mu.Lock()
			running := 0
			for key, k := range s.gate.keys {
				running += k.running
				switch {
				case k.running > l.PerKey, len(k.waiting) > l.Waiting, k.running == 0 && len(k.waiting) == 0:
					t.Fatalf("%s has %d running and %d waiting requests", key, k.running, len(k.waiting))
				case len(k.waiting) > 0 && k.running < l.PerKey && s.gate.running < l.Slots:
					t.Fatalf("%s waits although a slot is free", key)
				}
			}

			if running != s.gate.running || running > l.Slots {
				t.Fatalf("%d running, counted %d", running, s.gate.running)
			}

			s.gate.mu.Unlock()
		}

		for _, end := range ends {
			end()
		}

		<-time.After(wait)
		synctest.Wait()

		if s.gate.running != 0 || len(s.gate.keys) != 0 {
			t.Errorf("%d slots and %d keys remain in use", s.gate.running, len(s.gate.keys))
		}
	})
}

func BenchmarkGate(b *testing.B) {
	g := NewGate("bench", Limits{Slots: 16, Wait: wait}, nil)
	for b.Loop() {
		leave, err := g.Enter(b.Context(), "a")
		if err != nil {
			b.Fatal(err)
		}
		leave()
	}
}

// Await waits beyond the limit of Enter, until its context ends.
func TestGate_Await(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGate("test", Limits{Slots: 1, PerKey: 1, Wait: wait}, nil)
		leave, err := g.Enter(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}

		time.AfterFunc(10*wait, leave)
		start := time.Now()
		second, err := g.Await(t.Context(), "a")
		if err != nil || time.Since(start) != 10*wait {
			t.Fatalf("admitted after %s (%v), want %s", time.Since(start), err, 10*wait)
		}
		defer second()

		ctx, cancel := context.WithTimeout(t.Context(), 3*wait)
		defer cancel()

		if _, err := g.Await(ctx, "b"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the end of the context", err)
		}
	})
}
