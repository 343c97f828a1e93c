package integration

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/integration/programs"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/setup"
)

// generate writes n freelancers to a CSV file and returns its path. The same seed gives the same freelancers.
func generate(t *testing.T, n, seed int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "freelancers.csv")
	programs.Run(t, "indexer", "generate", "-n", fmt.Sprint(n), "-seed", fmt.Sprint(seed),
		"-details", "-format", "csv", "-o", file)
	return file
}

var indexPattern = regexp.MustCompile(`(?m)^freelancers-\S+`)

// The life cycle of data: load, serve, explain, load again, roll back, prune and export.
func TestLifecycle(t *testing.T) { onEachEngine(t, lifecycle) }

func lifecycle(t *testing.T, d *deployment) {
	old := generate(t, 1500, 1)
	fresh := generate(t, 1200, 2)
	d.index(t, "load", old)
	s := d.serve(t)
	first := s.Index(t)
	before := s.explained(t)

	d.index(t, "load", fresh)
	programs.Eventually(t, "the change to the second index", func() bool { return s.Index(t) != first })
	if diff := gocmp.Diff(before, s.explained(t)); diff == "" {
		t.Error("a different file gave the same matches")
	}

	d.index(t, "rollback")
	programs.Eventually(t, "the change back", func() bool { return s.Index(t) == first })
	if diff := gocmp.Diff(before, s.explained(t)); diff != "" {
		t.Errorf("after the rollback, the matches differ (-before +after):\n%s", diff)
	}

	d.index(t, "load", "-keep-indexes", "all", fresh)
	if got := indexPattern.FindAllString(d.index(t, "status"), -1); len(got) != 3 {
		t.Errorf("status lists %q, want three indexes", got)
	}

	d.index(t, "prune", "-keep", "0")
	got := indexPattern.FindAllString(d.index(t, "status"), -1)
	if len(got) != 2 || !slices.Contains(got, first) {
		t.Errorf("after pruning, status lists %q, want the live index and the previous one, %q", got, first)
	}

	want := programs.Run(t, "indexer", "generate", "-n", "1200", "-seed", "2", "-details", "-format", "csv")
	if exported := d.index(t, "export", "-format", "csv"); exported != want {
		t.Errorf("the export differs from the loaded file: %d bytes, want %d", len(exported), len(want))
	}
}

// explained sends a brief and returns its ten matches. It fails the test unless each explanation adds up to the score
// and the best match comes first.
func (s *server) explained(t *testing.T) []explainedMatch {
	t.Helper()
	body := strings.Replace(programs.Brief, "{", `{"explain":true,`, 1)
	status, answer := s.Call(t, http.MethodPost, "/api/v1/match", body)
	text, err := json.Marshal(answer["matches"])
	if err != nil {
		t.Fatal(err)
	}

	var matches []explainedMatch
	if err := json.Unmarshal(text, &matches); err != nil || status != http.StatusOK || len(matches) != 10 {
		t.Fatalf("%d %v (%v), want ten matches", status, answer, err)
	}

	for _, m := range matches {
		sum := 0.
		for _, f := range m.Explanation {
			sum += f.Contribution
		}

		if math.Abs(sum-m.Score) > 1e-3 || len(m.Explanation) == 0 {
			t.Errorf("%s has the score %v, but its contributions add up to %v", m.Freelancer.ID, m.Score, sum)
		}
	}

	if !slices.IsSortedFunc(matches, func(a, b explainedMatch) int { return cmp.Compare(b.Score, a.Score) }) {
		t.Errorf("the matches are not sorted by score: %s", text)
	}

	return matches
}

type explainedMatch struct {
	Freelancer  struct{ ID, Name string }
	Score       float64
	Explanation []matching.Feature
}

// A load never interrupts requests: each one gets matches, from the old index or the new one.
func TestLoad_WhileServing(t *testing.T) { onEachEngine(t, loadWhileServing) }

func loadWhileServing(t *testing.T, d *deployment) {
	file := generate(t, 3000, 1)
	s := d.serve(t)
	status, answer := s.Call(t, http.MethodPost, "/api/v1/match", programs.Brief)
	if status != http.StatusOK || answer["reason"] != string(matching.ReasonNoData) {
		t.Fatalf("before any load: %d %v, want 200 and no_data", status, answer)
	}
	d.index(t, "load", file)
	programs.Eventually(t, "the first index", func() bool { return s.Index(t) != "" })
	first := s.Index(t)

	clients := s.traffic(4, programs.Brief)
	d.index(t, "load", file)
	programs.Eventually(t, "the change to the second index", func() bool { return s.Index(t) != first })
	d.index(t, "rollback")
	programs.Eventually(t, "the change back", func() bool { return s.Index(t) == first })
	clients.stop(t)
}

// A traffic is a group of clients that send requests continuously.
type traffic struct {
	done   chan struct{}
	group  sync.WaitGroup
	mu     sync.Mutex // guards the fields below
	took   []time.Duration
	failed []error
}

// traffic starts n clients that send the briefs in turn until stop is called. Every response must contain matches.
func (s *server) traffic(n int, briefs ...string) *traffic {
	r := &traffic{done: make(chan struct{})}
	for client := range n {
		r.group.Go(func() {
			for i := client; ; i++ {
				select {
				case <-r.done:
					return
				default:
				}

				start := time.Now()
				status, answer, err := s.Try(http.MethodPost, "/api/v1/match", briefs[i%len(briefs)])
				if matches, _ := answer["matches"].([]any); err == nil && (status != http.StatusOK || len(matches) == 0) {
					err = fmt.Errorf("%d %v", status, answer)
				}

				r.record(time.Since(start), err)
			}
		})
	}

	return r
}

func (r *traffic) record(took time.Duration, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took = append(r.took, took)
	if err != nil {
		r.failed = append(r.failed, err)
	}
}

// count returns the number of responses so far.
func (r *traffic) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.took)
}

// stop ends the traffic and returns the durations of all requests in ascending order. It fails the test if a request
// failed.
func (r *traffic) stop(t *testing.T) []time.Duration {
	t.Helper()
	close(r.done)
	r.group.Wait()
	if len(r.failed) > 0 {
		t.Errorf("%d of %d requests failed; the first error: %v", len(r.failed), len(r.took), r.failed[0])
	}
	return slices.Sorted(slices.Values(r.took))
}

// If a load is killed, the old index keeps serving, and the next load removes the unfinished one.
func TestLoad_Killed(t *testing.T) {
	t.Parallel() // on Elasticsearch, it spends most of its time waiting
	onEachEngine(t, loadKilled)
}

func loadKilled(t *testing.T, d *deployment) {
	small := generate(t, 500, 1)
	large := generate(t, 60_000, 2)
	d.index(t, "load", small)
	x := d.open(t)
	before := indexes(t, x)
	if len(before) != 1 {
		t.Fatalf("indexes %q after one load", before)
	}

	cmd := programs.Command(t.Context(), "indexer", d.args("load", large)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	programs.Eventually(t, "the new index", func() bool { return len(indexes(t, x)) > len(before) })
	cmd.Process.Kill()

	if err := cmd.Wait(); err == nil {
		t.Fatal("the load ended before it was killed; make the file larger")
	}

	s := d.serve(t)
	if got := s.Index(t); got != before[0] {
		t.Errorf("index %q is live, want the one from before the kill, %q", got, before[0])
	}

	if out := d.index(t, "status"); !strings.Contains(out, "unfinished") {
		t.Errorf("status does not list the unfinished index:\n%s", out)
	}

	// On Elasticsearch, the killed indexer keeps its lock until the lock expires. Until then, loads are rejected.
	programs.Eventually(t, "the next load", func() bool {
		out, err := programs.Command(t.Context(), "indexer", d.args("load", small)...).CombinedOutput()
		if err != nil && !strings.Contains(string(out), "process") { // the error names the process with the lock
			t.Fatalf("%v\n%s", err, out)
		}
		return err == nil
	})

	if out := d.index(t, "status"); strings.Contains(out, "unfinished") {
		t.Errorf("the next load left the unfinished index:\n%s", out)
	}
}

// indexes returns the names of all indexes, oldest first, including unfinished ones.
func indexes(t *testing.T, x *setup.Index) []string {
	t.Helper()
	infos, err := x.Engine.Indexes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, info := range infos {
		names = append(names, info.Name)
	}
	return names
}
