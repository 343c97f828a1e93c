// Package metrics counts what the service does, for Prometheus. No label holds a key, an account or anything a client sent.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics is every metric of one server. It is safe for concurrent use.
type Metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.HistogramVec
	decisions *prometheus.CounterVec
	failed    prometheus.Counter
	tasks     *prometheus.HistogramVec
	tokens    *prometheus.CounterVec
}

// New makes the metrics of a server of some version, all of them zero.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "matching_request_duration_seconds",
			Help: "Answered requests by operation and status, and how long they took.",
			// From a health check to the longest request; a match takes milliseconds.
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"operation", "status"}),
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "matching_quota_decisions_total",
			Help: "Decisions on requests of limited plans: allowed; minute or month (refused by that window); " +
				"unavailable (refused because the quota store did not answer).",
		}, []string{"outcome"}),
		failed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "matching_failed_authentications_total",
			Help: "Requests without a key that is accepted.",
		}),
		tasks: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "matching_llm_task_duration_seconds",
			Help: "Tasks for the language model by task and outcome, and how long they took: done; unusable (the reply), timeout, " +
				"unavailable, configuration, budget, cancelled (the client left, or another task failed), error.",
			Buckets: []float64{.1, .25, .5, 1, 2.5, 5, 10, 15, 20, 25},
		}, []string{"task", "outcome"}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "matching_llm_tokens_total",
			Help: "Tokens of the language model by kind, prompt or completion; estimated where the server does not count them.",
		}, []string{"kind"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "matching_build_info", Help: "1, with the version of the server.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.decisions, m.failed, m.tasks, m.tokens, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Answered counts a request. The operation is one of a fixed set.
func (m *Metrics) Answered(operation string, status int, took time.Duration) {
	m.requests.WithLabelValues(operation, strconv.Itoa(status)).Observe(took.Seconds())
}

// Decided counts a decision of the quotas.
func (m *Metrics) Decided(outcome string) { m.decisions.WithLabelValues(outcome).Inc() }

// FailedAuthentication counts a request whose key was missing or not accepted.
func (m *Metrics) FailedAuthentication() { m.failed.Inc() }

// ModelTask counts a task for the language model, and its tokens. Task and outcome are of fixed sets.
func (m *Metrics) ModelTask(task, outcome string, promptTokens, completionTokens int, took time.Duration) {
	m.tasks.WithLabelValues(task, outcome).Observe(took.Seconds())
	m.tokens.WithLabelValues("prompt").Add(float64(promptTokens))
	m.tokens.WithLabelValues("completion").Add(float64(completionTokens))
}

// Handler serves /metrics in the text format of Prometheus.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	return mux
}
