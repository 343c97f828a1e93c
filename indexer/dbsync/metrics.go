package dbsync

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/freelancer-matching/service/indexer/dbsync/state"
	"github.com/freelancer-matching/service/indexer/query"
)

// WriteMetrics replaces a file with metrics in the text format of Prometheus, for the textfile collector of its node
// exporter. The totals don't restart with the process. slot is nil if no slot is followed.
func (s *Syncer) WriteMetrics(ctx context.Context, path string, r *Round, failure error, slot *query.Slot) error {
	info, err := s.State.Info(ctx)
	if err != nil {
		return err
	}
	people, pending, err := s.State.Count(ctx)
	if err != nil {
		return err
	}

	registry := prometheus.NewRegistry()
	set := func(name, help string, value float64) {
		gauge := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "matching_sync", Name: name, Help: help})
		gauge.Set(value)
		registry.MustRegister(gauge)
	}
	total := func(name, help string, value int64) {
		counter := prometheus.NewCounter(prometheus.CounterOpts{Namespace: "matching_sync", Name: name, Help: help})
		counter.Add(float64(value))
		registry.MustRegister(counter)
	}

	set("up", "Whether the last round succeeded.", boolean(failure == nil))
	set("snapshot_timestamp_seconds", "The index has everything that was committed before this time; the lag is "+
		"time() minus this.", seconds(info.Synced))
	set("compared_timestamp_seconds", "When all rows were last compared.", seconds(info.Compared))
	set("last_round_seconds", "Duration of the last round.", r.Elapsed.Seconds())
	set("ids", "IDs that the query returned.", float64(people))
	set("pending_ids", "IDs whose changes an interrupted round has left.", float64(pending))
	addTotals(total, &info.Totals)
	if slot != nil {
		set("replication_lag_seconds", "Time from the commit of the first change of the last round to its end.",
			r.Lag.Seconds())
		set("slot_kept_bytes", "Log that PostgreSQL keeps for the replication slot.", float64(slot.Kept))
	}

	return prometheus.WriteToTextfile(path, registry)
}

func addTotals(total func(name, help string, value int64), t *state.Totals) {
	total("rounds_total", "Rounds.", t.Rounds)
	total("full_rounds_total", "Rounds that built a new index.", t.Full)
	total("failed_rounds_total", "Rounds that failed.", t.Failed)
	total("changed_total", "Freelancers who were added or replaced.", t.Changed)
	total("deleted_total", "Freelancers who were deleted.", t.Deleted)
	total("rejected_rows_total", "Rows that were rejected.", t.Rejected)
}

func boolean(value bool) float64 {
	if value {
		return 1
	}
	return 0
}

// seconds returns a time for Prometheus; 0 if it is unknown.
func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}
