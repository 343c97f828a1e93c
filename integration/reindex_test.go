//go:build integration

package integration

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"freelancer-matching/internal/synthetic"
)

// Whoever loads and reindexes at noon is noticed by nobody: every request is answered, before, between and after.
func TestReindex_UnderLoad(t *testing.T) {
	const clients, quietRequests = 4, 1000
	d := deploy(t, onElasticsearch())
	d.index(t, "load", generate(t, 10_000, 1))
	s := d.serve(t)
	briefs := requests(t, 100)

	quiet := s.traffic(clients, briefs...)
	eventually(t, "some quiet traffic", func() bool { return quiet.count() >= quietRequests })
	t.Log("quiet:", percentiles(quiet.stop(t)))

	seen := []string{s.index(t)}
	busy := s.traffic(clients, briefs...)
	for _, work := range [][]string{{"load", generate(t, 10_000, 2)}, {"reindex"}} {
		d.index(t, work[0], work[1:]...)
		eventually(t, "the change to the new index", func() bool { return !slices.Contains(seen, s.index(t)) })
		seen = append(seen, s.index(t))
		d.index(t, "prune", "-keep", "0")
	}
	t.Log("while data is loaded, reindexed and pruned:", percentiles(busy.stop(t)))
	if slices.Contains(seen, "") || len(seen) != 3 {
		t.Errorf("indexes %q served, want three", seen)
	}
}

// requests are the bodies of n match requests.
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

// percentiles tells of sorted times.
func percentiles(took []time.Duration) string {
	at := func(share float64) time.Duration {
		return took[int(share*float64(len(took)-1))].Round(100 * time.Microsecond)
	}
	return fmt.Sprintf("%d requests, p50 %s, p99 %s, longest %s", len(took), at(.5), at(.99), at(1))
}
