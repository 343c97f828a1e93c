package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/freelancer-matching/service/internal/lastload"
)

// checkTimeout limits the health check of a scrape. Prometheus itself gives up after ten seconds by default.
const checkTimeout = 5 * time.Second

// A State is the state of the service at the time of a scrape.
type State struct {
	Components map[string]bool // whether each component works, by name
	Index      Index
	LastLoad   *lastload.Result // nil if unknown, because the indexer runs on another machine
}

// An Index describes the live index. Zero values are unknown.
type Index struct {
	Freelancers int
	Created     time.Time
	DeadLetters int // lines in the dead-letter file of its load
	// HasDeadLetters reports whether DeadLetters is known. It isn't if the indexer runs on another machine.
	HasDeadLetters bool
	// Encoded is the number of freelancers whose profiles the sentence encoder has read, if HasEncoder is set.
	Encoded    int
	HasEncoder bool
}

// Watch adds metrics of the service's state. Each scrape calls check once.
func (m *Metrics) Watch(check func(ctx context.Context) State) {
	m.registry.MustRegister(newWatcher(check))
}

// watcher is a prometheus.Collector of a State.
type watcher struct {
	check                                               func(ctx context.Context) State
	up, freelancers, indexCreated, deadLetters, encoded *prometheus.Desc

	lastLoad []lastLoadMetric
}

func newWatcher(check func(ctx context.Context) State) *watcher {
	return &watcher{
		check: check,
		up: prometheus.NewDesc("matching_component_up",
			"Whether a component works (1) or not (0): data_source, database.", []string{"component"}, nil),
		freelancers: prometheus.NewDesc("matching_index_freelancers",
			"Freelancers in the live index. Missing without an index.", nil, nil),
		indexCreated: prometheus.NewDesc("matching_index_created_timestamp_seconds",
			"When the live index was created, in Unix time. Missing without an index.", nil, nil),
		deadLetters: prometheus.NewDesc("matching_index_dead_letters",
			"Rejected rows in the dead-letter file of the load that created the live index. Missing if the file would be "+
				"on another machine.", nil, nil),
		encoded: prometheus.NewDesc("matching_index_encoded_freelancers",
			"Freelancers in the live index whose profiles the sentence encoder has read. Missing if it is off.", nil, nil),
		lastLoad: lastLoadMetrics(),
	}
}

// Describe implements prometheus.Collector.
func (w *watcher) Describe(descriptions chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{w.up, w.freelancers, w.indexCreated, w.deadLetters, w.encoded} {
		descriptions <- d
	}
	for _, m := range w.lastLoad {
		descriptions <- m.desc
	}
}

// Collect implements prometheus.Collector.
func (w *watcher) Collect(metrics chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), checkTimeout)
	defer cancel()

	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}

	state := w.check(ctx)
	for component, works := range state.Components {
		value := 0.0
		if works {
			value = 1
		}
		gauge(w.up, value, component)
	}

	if state.LastLoad != nil {
		for _, m := range w.lastLoad {
			gauge(m.desc, m.value(state.LastLoad))
		}
	}

	// Without a live index, its metrics are absent rather than 0: a graph then has a gap.
	if state.Index.Created.IsZero() {
		return
	}

	gauge(w.freelancers, float64(state.Index.Freelancers))
	gauge(w.indexCreated, float64(state.Index.Created.UnixMilli())/1000)

	if state.Index.HasDeadLetters {
		gauge(w.deadLetters, float64(state.Index.DeadLetters))
	}

	if state.Index.HasEncoder {
		gauge(w.encoded, float64(state.Index.Encoded))
	}
}
