package feed_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/feed"
	"github.com/freelancer-matching/service/internal/matching"
)

var errDown = errors.New("the database is down")

// memory is a Store of what is published and announced once, without endpoints.
type memory struct {
	mu           sync.Mutex
	down         bool
	forgotten    int64
	changes      []feed.Change
	publications int // that have added changes
	told         []string
}

func (m *memory) fail(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

func (m *memory) failure() error {
	if m.down {
		return errDown
	}
	return nil
}

func (m *memory) Announce(context.Context, []audit.Event, *feed.Announcement, time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failure()
}

func (m *memory) Publish(_ context.Context, done []feed.Announcement, _ time.Time) (added int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.failure(); err != nil {
		return 0, err
	}
	for _, a := range done {
		for _, c := range a.Changes {
			c.Sequence = m.forgotten + int64(len(m.changes)) + 1
			m.changes = append(m.changes, c)
			added++
		}
	}
	if added > 0 {
		m.publications++
	}
	return added, nil
}

func (m *memory) ObserveIndex(context.Context, *feed.Index, time.Time) (bool, error) {
	return false, nil
}

func (m *memory) State(context.Context) (feed.State, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return feed.State{Last: m.forgotten + int64(len(m.changes)), Forgotten: m.forgotten}, m.failure()
}

func (m *memory) Since(_ context.Context, after int64, limit int) ([]feed.Change, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	changes := m.changes[after-m.forgotten:]
	return slices.Clone(changes[:min(limit, len(changes))]), m.failure()
}

func (m *memory) Fill(context.Context, time.Time) (bool, error) { return false, nil }

func (m *memory) Tell(_ context.Context, subject, _ string, _ feed.Event, _ any, _ time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.failure(); err != nil {
		return err
	}
	m.told = append(m.told, subject)
	return nil
}

// published returns the IDs of the changes in the feed.
func (m *memory) published() (ids []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.changes {
		ids = append(ids, c.ID)
	}
	return ids
}

// start runs a service, and returns a function that ends it.
func start(t *testing.T, m *memory) (s *feed.Service, end func()) {
	t.Helper()
	s = feed.New(m, time.Now, slog.New(slog.DiscardHandler), func() {})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx)
	}()
	return s, func() {
		cancel()
		<-ended
	}
}

// change announces that freelancers are stored, and that those in made were.
func change(t *testing.T, s *feed.Service, ids []string, made ...string) {
	t.Helper()
	var entries []audit.Event
	for _, id := range ids {
		entries = append(entries, audit.Event{Action: audit.FreelancerStored, Subject: id, At: time.Now()})
	}
	finish, err := s.Announce(t.Context(), entries)
	if err != nil {
		t.Fatal(err)
	}
	finish(func(id string) bool { return slices.Contains(made, id) })
}

func wantPublished(t *testing.T, m *memory, want ...string) {
	t.Helper()
	if got := m.published(); !slices.Equal(got, want) {
		t.Errorf("the feed has %q, want %q", got, want)
	}
}

// The tests sleep by the clock of synctest, which doesn't wait.

// What was made is published, and what failed is not. Changes of a burst come together.
func TestService_PublishesWhatWasMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		s, end := start(t, m)
		defer end()

		change(t, s, []string{"a", "b", "c"}, "a", "c")
		var want []string
		for n := range 50 {
			id := fmt.Sprint(n)
			change(t, s, []string{id}, id)
			want = append(want, id)
		}
		time.Sleep(time.Second)
		wantPublished(t, m, append([]string{"a", "c"}, want...)...)
		if m.publications > 2 {
			t.Errorf("a burst took %d transactions, want at most 2", m.publications)
		}
	})
}

// While the database is down, changes and events wait in their order, and a waiting client is woken when they arrive.
func TestService_WaitsForTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		s, end := start(t, m)
		defer end()
		change(t, s, []string{"a"}, "a")
		time.Sleep(time.Second)
		grown := s.Grown()

		finish, err := s.Announce(t.Context(), []audit.Event{{Action: audit.FreelancerDeleted, Subject: "b"}})
		if err != nil {
			t.Fatal(err)
		}
		m.fail(true)
		finish(nil)
		s.Tell("quota of key_1", "acc_1", feed.QuotaNearlyExhausted, feed.QuotaState{})
		s.Tell("quota of key_1", "acc_1", feed.QuotaNearlyExhausted, feed.QuotaState{})
		time.Sleep(time.Minute)
		wantPublished(t, m, "a")
		if _, err := s.Announce(t.Context(), nil); !errors.Is(err, errDown) {
			t.Errorf("a change that can't be announced has the error %v, want %v", err, errDown)
		}

		m.fail(false)
		<-grown
		time.Sleep(time.Second)
		wantPublished(t, m, "a", "b")
		if kind := m.changes[1].Kind; kind != feed.Erased {
			t.Errorf("the change is %q, want %q", kind, feed.Erased)
		}
		if !slices.Equal(m.told, []string{"quota of key_1"}) {
			t.Errorf("announced %q, want one subject once", m.told)
		}
	})
}

// A server that ends publishes what is done, without waiting for more.
func TestService_PublishesAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		s, end := start(t, m)
		synctest.Wait() // it looks for work once a second from here on
		change(t, s, []string{"a"}, "a")
		end()
		wantPublished(t, m, "a")
	})
}

// Pages follow one another without a gap. A position whose successors were deleted, or that the feed has never had, is
// refused, because a client that goes on would miss changes.
func TestService_Since(t *testing.T) {
	m := &memory{forgotten: 10}
	s := feed.New(m, time.Now, slog.New(slog.DiscardHandler), func() {})
	for n := range 5 {
		id := fmt.Sprint(n)
		change(t, s, []string{id}, id)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}

	var got []int64
	for page := (feed.Page{Next: 10, More: true}); page.More; {
		var err error
		if page, err = s.Since(t.Context(), page.Next, 2); err != nil {
			t.Fatal(err)
		}
		for _, c := range page.Changes {
			got = append(got, c.Sequence)
		}
	}
	if want := []int64{11, 12, 13, 14, 15}; !slices.Equal(got, want) {
		t.Errorf("pages have the numbers %v, want %v", got, want)
	}

	if page, err := s.Since(t.Context(), feed.Newest, 2); err != nil || page.Next != 15 || len(page.Changes) > 0 {
		t.Errorf("the end of the feed is %+v, %v; want number 15", page, err)
	}

	for _, after := range []int64{9, 16} {
		_, err := s.Since(t.Context(), after, 2)
		var refused *matching.Error
		if !errors.As(err, &refused) || refused.Code != feed.CodeCursorExpired {
			t.Errorf("after %d: %v, want %s", after, err, feed.CodeCursorExpired)
		}
	}
}
