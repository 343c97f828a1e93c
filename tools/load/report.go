package load

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// A report holds the measurements of a run.
type report struct {
	tally   // of all clients; the latencies are in ascending order
	clients int
	took    time.Duration
}

func newReport(tallies []tally, took time.Duration) *report {
	r := &report{tally: tally{failures: map[string]int{}}, clients: len(tallies), took: took}
	for _, t := range tallies {
		r.latencies = append(r.latencies, t.latencies...)
		r.empty += t.empty
		r.bytes += t.bytes
		for failure, n := range t.failures {
			r.failures[failure] += n
		}
	}
	slices.Sort(r.latencies)
	return r
}

func (r *report) failed() int {
	n := 0
	for _, times := range r.failures {
		n += times
	}
	return n
}

// requests returns the number of requests, including failed ones.
func (r *report) requests() int { return len(r.latencies) + r.failed() }

// rate returns the number of successful requests per second.
func (r *report) rate() float64 { return float64(len(r.latencies)) / r.took.Seconds() }

// percentile returns the smallest latency that a share q of the requests did not exceed (nearest rank). Without a
// successful request, it returns 0.
func (r *report) percentile(q float64) time.Duration {
	if len(r.latencies) == 0 {
		return 0
	}
	return r.latencies[max(0, int(math.Ceil(q*float64(len(r.latencies))))-1)]
}

// failureList formats the failures in one line, the most frequent first.
func (r *report) failureList() string {
	kinds := slices.SortedFunc(maps.Keys(r.failures), func(a, b string) int {
		if d := r.failures[b] - r.failures[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for i, kind := range kinds {
		kinds[i] = fmt.Sprintf("%s (%d)", kind, r.failures[kind])
	}
	return strings.Join(kinds, ", ")
}

// quantiles lists the percentiles that a report shows.
var quantiles = [...]struct {
	name string
	q    float64
}{{"p50", 0.5}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"max", 1}}

func (r *report) writeText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "requests    %d in %.1f s from %d clients\n", r.requests(), r.took.Seconds(), r.clients)
	fmt.Fprintf(&b, "failed      %d", r.failed())
	if r.failed() > 0 {
		fmt.Fprintf(&b, ": %s", r.failureList())
	}
	fmt.Fprintf(&b, "\nno matches  %d\n", r.empty)
	fmt.Fprintf(&b, "rate        %.1f requests/s\n", r.rate())
	fmt.Fprint(&b, "latency    ")
	for _, p := range quantiles {
		fmt.Fprintf(&b, " %s %.2f ms", p.name, milliseconds(r.percentile(p.q)))
	}
	fmt.Fprintf(&b, "\nanswers     %.1f MB\n", float64(r.bytes)/1e6)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *report) writeJSON(w io.Writer) error {
	latency := make(map[string]float64, len(quantiles))
	for _, p := range quantiles {
		latency[p.name] = milliseconds(r.percentile(p.q))
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(struct {
		Requests  int                `json:"requests"`
		Clients   int                `json:"clients"`
		Seconds   float64            `json:"seconds"`
		Failed    int                `json:"failed"`
		Failures  map[string]int     `json:"failures"`
		NoMatches int                `json:"no_matches"`
		Rate      float64            `json:"requests_per_second"`
		LatencyMS map[string]float64 `json:"latency_ms"`
		Bytes     int64              `json:"answer_bytes"`
	}{r.requests(), r.clients, r.took.Seconds(), r.failed(), r.failures, r.empty, r.rate(), latency, r.bytes})
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
