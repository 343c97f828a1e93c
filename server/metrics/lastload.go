package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/freelancer-matching/service/internal/lastload"
)

// A lastLoadMetric is a gauge of the last load.
type lastLoadMetric struct {
	desc  *prometheus.Desc
	value func(*lastload.Result) float64
}

// lastLoadMetrics returns the gauges of the last load. They are missing if its result is unknown.
func lastLoadMetrics() (all []lastLoadMetric) {
	add := func(name, help string, value func(*lastload.Result) float64) {
		all = append(all, lastLoadMetric{prometheus.NewDesc("matching_last_load_"+name, help, nil, nil), value})
	}
	seconds := func(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

	add("success", "Whether the last load succeeded (1) or failed (0).", func(r *lastload.Result) float64 {
		if r.Error != "" {
			return 0
		}
		return 1
	})

	// An alert that compares this time with now also notices a load that never started.
	add("timestamp_seconds", "When the last load ended, in Unix time.",
		func(r *lastload.Result) float64 { return seconds(r.Finished) })
	add("duration_seconds", "How long the last load took.",
		func(r *lastload.Result) float64 { return r.Finished.Sub(r.Started).Seconds() })
	add("rows", "Rows that the last load read.", func(r *lastload.Result) float64 { return float64(r.Rows) })
	add("rejected_rows", "Rows that the last load rejected.",
		func(r *lastload.Result) float64 { return float64(r.Rejected) })
	add("merged_rows", "Rows that the last load merged into the freelancer of another row.",
		func(r *lastload.Result) float64 { return float64(r.Merged) })
	add("merge_conflicts", "Values that contradicted each other in rows that the last load merged.",
		func(r *lastload.Result) float64 { return float64(r.Conflicts) })
	add("warnings", "Values that the last load left unknown or cut.",
		func(r *lastload.Result) float64 { return float64(r.Warnings) })

	return all
}
