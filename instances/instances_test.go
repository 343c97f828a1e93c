package instances_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/instances"
)

// memory is an instances.Store.
type memory map[string]instances.Instance

// Beat implements instances.Store.
func (m memory) Beat(_ context.Context, i instances.Instance) error {
	m[i.ID] = i
	return nil
}

// Instances implements instances.Store.
func (m memory) Instances(context.Context) (list []instances.Instance, err error) {
	for _, i := range m {
		list = append(list, i)
	}
	slices.SortFunc(list, func(a, b instances.Instance) int { return cmp.Compare(a.ID, b.ID) })
	return list, nil
}

// RemoveInstance implements instances.Store.
func (m memory) RemoveInstance(_ context.Context, id string, seen time.Time) error {
	if m[id].Seen.Equal(seen) {
		delete(m, id)
	}
	return nil
}

// A clock is one that a test sets.
type clock struct{ now time.Time }

func newClock(ahead time.Duration) *clock {
	return &clock{time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC).Add(ahead)}
}

func join(t *testing.T, store instances.Store, id string, c *clock) *instances.Registry {
	t.Helper()
	r := instances.New(store, instances.Instance{ID: id, Engine: "embedded"}, func() time.Time { return c.now })
	beat(t, r)
	return r
}

func beat(t *testing.T, r *instances.Registry) {
	t.Helper()
	if err := r.Beat(t.Context(), "freelancers-v1-x", 0); err != nil {
		t.Fatal(err)
	}
}

func wantOthers(t *testing.T, r *instances.Registry, want ...string) {
	t.Helper()
	others, err := r.Others(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range others {
		got = append(got, i.ID)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s sees %s, want %s", r.ID(), strings.Join(got, ", "), strings.Join(want, ", "))
	}
}

func TestRegistry_SeesServersFromTheirFirstHeartbeatUntilTheyLeave(t *testing.T) {
	store, c := memory{}, newClock(0)
	a := join(t, store, "a", c)
	wantOthers(t, a)
	b := join(t, store, "b", c)
	wantOthers(t, a, "b")
	wantOthers(t, b, "a")
	if err := b.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantOthers(t, a)
}

// The clock of one server is hours ahead, which must neither revive nor hide a server.
func TestRegistry_ForgetsKilledServers(t *testing.T) {
	for _, ahead := range []time.Duration{0, 5 * time.Hour, -5 * time.Hour} {
		store, c, other := memory{}, newClock(0), newClock(ahead)
		a := join(t, store, "a", c)
		b := join(t, store, "b", other)
		for range 20 {
			c.now = c.now.Add(instances.BeatEvery)
			other.now = other.now.Add(instances.BeatEvery)
			beat(t, b)
			wantOthers(t, a, "b")
		}

		// From here on, b is dead.
		c.now = c.now.Add(instances.LiveFor)
		wantOthers(t, a, "b")
		c.now = c.now.Add(time.Microsecond)
		wantOthers(t, a)
		if _, kept := store["b"]; kept {
			t.Errorf("%s ahead: the killed server is still in the database", ahead)
		}

		// A server that was only slow is back with its next heartbeat.
		beat(t, b)
		wantOthers(t, a, "b")
	}
}

func TestRegistry_RestartIsNotASecondServer(t *testing.T) {
	store, c := memory{}, newClock(0)
	killed := join(t, store, "a", c)
	again := join(t, store, "a", c)
	wantOthers(t, again)
	c.now = c.now.Add(time.Second)
	beat(t, again)
	if err := killed.Leave(t.Context()); err != nil { // the later heartbeat isn't its own
		t.Fatal(err)
	}
	if _, ok := store["a"]; !ok {
		t.Error("a server that ends has removed the one that replaced it")
	}
}

func TestRegistry_HeartbeatsDiffer(t *testing.T) {
	store, c := memory{}, newClock(0)
	a := join(t, store, "a", c)
	before := store["a"]
	if err := a.Beat(t.Context(), "freelancers-v1-y", 7); err != nil {
		t.Fatal(err)
	}
	after := store["a"]
	if !after.Seen.After(before.Seen) || !after.Started.Equal(before.Started) {
		t.Errorf("seen %s, then %s; started %s, then %s", before.Seen, after.Seen, before.Started, after.Started)
	}
	if after.Erased != 7 || after.Index != "freelancers-v1-y" {
		t.Errorf("got %+v", after)
	}
}

func TestIndexes(t *testing.T) {
	own, shared := instances.Instance{Engine: instances.Embedded}, instances.Instance{Engine: "elasticsearch"}
	for _, test := range []struct {
		list []instances.Instance
		want int
	}{
		{nil, 0},
		{[]instances.Instance{own}, 1},
		{[]instances.Instance{own, own, own}, 3},
		{[]instances.Instance{shared, shared}, 1},
		{[]instances.Instance{shared, own, shared}, 2},
	} {
		if got := instances.Indexes(test.list); got != test.want {
			t.Errorf("%v have %d indexes, want %d", test.list, got, test.want)
		}
	}
}
