package storetest

import (
	"fmt"
	"testing"

	"github.com/freelancer-matching/service/instances"
)

// Instances tests an instances.Store.
func Instances(t *testing.T, open func(t *testing.T) instances.Store) {
	suite[instances.Store]{
		"a new list is empty":                       startsWithoutInstances,
		"the last heartbeat of each server is kept": keepsLastHeartbeats,
		"only the known heartbeat is removed":       removesKnownHeartbeats,
		"servers may send heartbeats concurrently":  keepsConcurrentHeartbeats,
	}.run(t, open)
}

func testInstance(n int) instances.Instance {
	return instances.Instance{
		ID: fmt.Sprintf("srv_%02d", n), Host: "host", Folder: "/var/lib/matching", Engine: "embedded",
		Started: after(n), Seen: after(n + 1), Index: "freelancers-v1-x", Erased: int64(n),
	}
}

func startsWithoutInstances(t *testing.T, s instances.Store) {
	wantEqual(t, 0, len(must(s.Instances(t.Context()))))
}

func keepsLastHeartbeats(t *testing.T, s instances.Store) {
	replaced := testInstance(1)
	replaced.Host, replaced.Folder, replaced.Engine, replaced.Index = "other", "/data", "elasticsearch", ""
	replaced.Started, replaced.Seen, replaced.Erased = after(50), after(60), 9
	for _, i := range []instances.Instance{testInstance(2), testInstance(1), replaced} {
		noError(t, s.Beat(t.Context(), i))
	}
	wantEqual(t, []instances.Instance{replaced, testInstance(2)}, must(s.Instances(t.Context())))
}

func removesKnownHeartbeats(t *testing.T, s instances.Store) {
	first, second := testInstance(1), testInstance(1)
	second.Seen = after(60)
	noError(t, s.Beat(t.Context(), first))
	noError(t, s.Beat(t.Context(), second))
	noError(t, s.RemoveInstance(t.Context(), first.ID, first.Seen))
	wantEqual(t, []instances.Instance{second}, must(s.Instances(t.Context())))
	noError(t, s.RemoveInstance(t.Context(), second.ID, second.Seen))
	noError(t, s.RemoveInstance(t.Context(), second.ID, second.Seen)) // it is gone already
	wantEqual(t, 0, len(must(s.Instances(t.Context()))))
}

func keepsConcurrentHeartbeats(t *testing.T, s instances.Store) {
	concurrently(t, func(i int) error { return s.Beat(t.Context(), testInstance(i)) })
	var want []instances.Instance
	for n := range callers {
		want = append(want, testInstance(n))
	}
	wantEqual(t, want, must(s.Instances(t.Context())))
}
