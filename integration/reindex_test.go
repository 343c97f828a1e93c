//go:build integration

package integration

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/freelancer-matching/service/integration/programs"
	"github.com/freelancer-matching/service/internal/synthetic"
)

// Loading, reindexing and pruning never interrupt requests, even under load.
func TestReindex_UnderLoad(t *testing.T) {
	const clients, baselineRequests = 4, 500
	d := deploy(t, elasticsearchEngine())
	d.index(t, "load", generate(t, 10_000, 1))
	s := d.serve(t)
	briefs := requests(t, 100)

	baseline := s.traffic(clients, briefs...)
	programs.Eventually(t, "the baseline traffic", func() bool { return baseline.count() >= baselineRequests })
	t.Log("baseline:", percentiles(baseline.stop(t)))

	seen := []string{s.Index(t)}
	busy := s.traffic(clients, briefs...)

	for _, command := range [][]string{{"load", generate(t, 10_000, 2)}, {"reindex"}} {
		d.index(t, command[0], command[1:]...)
		programs.Eventually(t, "the change to the new index", func() bool { return !slices.Contains(seen, s.Index(t)) })
		seen = append(seen, s.Index(t))
		d.index(t, "prune", "-keep", "0")
	}

	t.Log("during load, reindex and prune:", percentiles(busy.stop(t)))
	if slices.Contains(seen, "") || len(seen) != 3 {
		t.Errorf("indexes %q were live, want three", seen)
	}
}

// requests returns the bodies of n match requests.
func requests(t *testing.T, n int) []string {
	t.Helper()
	g, err := synthetic.New()
	if err != nil {
		t.Fatal(err)
	}
	var bodies []string
	for b := range g.Briefs(3) {
		body, err := json.Marshal(map[string]any{"description": b.Description, "required_skills": b.RequiredSkills})
		if err != nil {
			t.Fatal(err)
		}
		if bodies = append(bodies, string(body)); len(bodies) == n {
			break
		}
	}
	return bodies
}

// percentiles formats the percentiles of durations in ascending order.
func percentiles(took []time.Duration) string {
	at := func(share float64) time.Duration {
		return took[int(share*float64(len(took)-1))].Round(100 * time.Microsecond)
	}
	return fmt.Sprintf("%d requests, p50 %s, p99 %s, longest %s", len(took), at(.5), at(.99), at(1))
}
