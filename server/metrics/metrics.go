// Package metrics provides the Prometheus metrics of the service. No label contains an API key, an account or a text
// from a client.
package metrics

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/notices"
	"github.com/freelancer-matching/service/webhook"
)

// Metrics holds all metrics of one server. It is safe for concurrent use.
type Metrics struct {
	registry  *prometheus.Registry
	durations *prometheus.HistogramVec
	requests  *prometheus.CounterVec
	decisions *prometheus.CounterVec
	failed    prometheus.Counter
	views     *prometheus.CounterVec
	changes   *prometheus.CounterVec
	briefs    *prometheus.CounterVec
	events    *prometheus.CounterVec
	unsaved   prometheus.Counter
	tasks     *prometheus.HistogramVec
	tokens    *prometheus.CounterVec
	calls     prometheus.Counter
	signIns   *prometheus.CounterVec
	tampered  prometheus.Gauge
	databases *prometheus.CounterVec
	refused   *prometheus.CounterVec
	waits     *prometheus.HistogramVec
	rejected  *prometheus.CounterVec
	webhooks  *prometheus.CounterVec
	notices   *prometheus.CounterVec
}

// New returns the metrics of a server of the given version.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "matching_request_duration_seconds",
			Help: "Duration of HTTP requests, by operation and status.",
			// From a health check to the longest request. A match takes milliseconds.
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"operation", "status"}),
		// Plan and code are labels of this counter only, because they would multiply the buckets of the histogram.
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "matching_requests_total",
			Help: "HTTP requests, by operation, status, error code (empty if there was no error) and the plan of the key " +
				"(none without a valid key).",
		}, []string{"operation", "status", "code", "plan"}),
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "matching_quota_decisions_total",
			Help: "Decisions about requests on limited plans, by outcome: allowed; minute or month (that limit is used up); " +
				"unavailable (the quota store did not respond).",
		}, []string{"outcome"}),
		failed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "matching_failed_authentications_total",
			Help: "Requests without a valid API key.",
		}),
		views: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "matching_freelancer_views_total",
			Help: "Freelancers in responses, by plan and outcome: new (seen for the first time that day by the account); " +
				"repeated; refused (new, but over the plan's daily limit); unlimited (the plan has no limit).",
		}, []string{"plan", "outcome"}),
		briefs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "matching_batch_briefs_total",
			Help: "Briefs in batches, by error code (empty if there was no error).",
		}, []string{"code"}),
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "matching_events_total",
			Help: "Events about freelancers, by type and outcome: recorded, duplicate or rejected.",
		}, []string{"type", "outcome"}),
		unsaved: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "matching_match_records_dropped_total",
			Help: "Matches that were not recorded because the database failed or was too slow. Events about them are rejected.",
		}),
		changes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "matching_freelancer_changes_total",
			Help: "Changes of single freelancers over HTTP, by outcome: created, replaced, patched, unchanged, deleted, failed.",
		}, []string{"outcome"}),
		tasks: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "matching_llm_task_duration_seconds",
			Help: `Duration of language model tasks, by task and outcome: done, unusable (invalid reply), timeout, ` +
				`unavailable, configuration, budget (of the account), service_budget (of all accounts), error, ` +
				`"cancelled" (the client left, or another task failed).`, //nolint:misspell // a label value
			Buckets: []float64{.1, .25, .5, 1, 2.5, 5, 10, 15, 20, 25},
		}, []string{"task", "outcome"}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "matching_llm_tokens_total",
			Help: "Language model tokens, by kind: prompt or completion. Estimated if the model server does not report them.",
		}, []string{"kind"}),
		signIns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "matching_sign_ins_total",
			Help: "Sign-ins to the dashboard, by outcome: succeeded, or an error code such as wrong_credentials.",
		}, []string{"outcome"}),
		tampered: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "matching_audit_log_faults",
			Help: "Chains of the audit log that did not hold when a server verified them last, which it does once a day.",
		}),
		calls: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "matching_llm_calls_total",
			Help: "Calls of the language model, including retries and repairs.",
		}),
		databases: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "matching_database_errors_total",
			Help: "Failed operations, by database (sqlite, postgresql, redis) and error code.",
		}, []string{"database", "code"}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "matching_connections_rejected_total",
			Help: "Connections closed at once because of too many open ones, by limit: total or client.",
		}, []string{"limit"}),
		webhooks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "matching_webhook_attempts_total",
			Help: "Attempts to send a webhook, by outcome: delivered, failed (and will be retried) or given_up.",
		}, []string{"outcome"}),
		notices: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "matching_notice_attempts_total",
			Help: "Attempts to send a notice of changed credentials, by channel (mail or webhook) and by outcome: delivered, " +
				"failed (and will be retried) or given_up.",
		}, []string{"channel", "outcome"}),
		waits: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "matching_admission_wait_seconds",
			Help: "How long admitted requests waited for a slot of a gate.",
			// From no wait at all to the longest, which is the time limit of an interview.
			Buckets: []float64{.001, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"gate"}),
		rejected: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "matching_admission_rejections_total",
			Help: "Requests that a gate did not admit, by gate and reason: account (that account has too many requests in " +
				"progress), server (all accounts together have too many), context (the request ended while it waited).",
		}, []string{"gate", "reason"}),
	}

	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "matching_build_info",
		Help:        "Always 1; the label has the version of the server.",
		ConstLabels: prometheus.Labels{"version": version},
	})

	build.Set(1)
	m.startAtZero()
	m.registry.MustRegister(m.durations, m.requests, m.decisions, m.failed, m.views, m.changes, m.briefs, m.events,
		m.unsaved, m.tasks, m.tokens, m.calls,
		m.signIns, m.tampered, m.databases, m.refused, m.waits, m.rejected, m.webhooks, m.notices, build,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))

	return m
}

// startAtZero creates the series that alerts watch. A series that begins with its first event shows no increase then.
func (m *Metrics) startAtZero() {
	for _, outcome := range []string{"allowed", "minute", "month", "unavailable"} {
		m.decisions.WithLabelValues(outcome)
	}
	for _, outcome := range []string{"succeeded", "wrong_credentials", "wrong_code", "too_many_failed_attempts"} {
		m.signIns.WithLabelValues(outcome)
	}
	for _, outcome := range []string{"created", "replaced", "patched", "unchanged", "deleted", "failed"} {
		m.changes.WithLabelValues(outcome)
	}
	for _, outcome := range []string{webhook.Delivered, webhook.Failed, webhook.GivenUp} {
		m.webhooks.WithLabelValues(outcome)
		for _, channel := range []notices.Channel{notices.Mail, notices.Webhook} {
			m.notices.WithLabelValues(string(channel), outcome)
		}
	}
	for _, kind := range []string{"prompt", "completion"} {
		m.tokens.WithLabelValues(kind)
	}
}

// DatabaseUsed creates the series of a database's errors.
func (m *Metrics) DatabaseUsed(database string, codes ...string) {
	for _, code := range codes {
		m.databases.WithLabelValues(database, code)
	}
}

// Answered counts a request and its duration. Operation, plan ("" without a valid key) and error code ("" without an
// error) must be from fixed sets.
func (m *Metrics) Answered(operation, plan string, status int, code string, took time.Duration) {
	m.durations.WithLabelValues(operation, strconv.Itoa(status)).Observe(took.Seconds())
	m.requests.WithLabelValues(operation, strconv.Itoa(status), code, cmp.Or(plan, "none")).Inc()
}

// Decided counts a decision about the limits of a plan.
func (m *Metrics) Decided(outcome string) { m.decisions.WithLabelValues(outcome).Inc() }

// FailedAuthentication counts a request without a valid API key.
func (m *Metrics) FailedAuthentication() { m.failed.Inc() }

// SignedIn counts a sign-in by its error code, which is "" for a success and must be from a fixed set.
func (m *Metrics) SignedIn(code string) { m.signIns.WithLabelValues(cmp.Or(code, "succeeded")).Inc() }

// AuditLogVerified sets how many chains of the audit log did not hold.
func (m *Metrics) AuditLogVerified(faults int) { m.tampered.Set(float64(faults)) }

// Viewed counts freelancers in responses to keys of a plan. Plan and outcome must be from fixed sets.
func (m *Metrics) Viewed(plan, outcome string, freelancers int) {
	m.views.WithLabelValues(plan, outcome).Add(float64(freelancers))
}

// BriefAnswered counts a brief of a batch by its error code, which is "" for a success and must be from a fixed set.
func (m *Metrics) BriefAnswered(code string) { m.briefs.WithLabelValues(code).Inc() }

// Event implements events.Observer.
func (m *Metrics) Event(t events.Type, outcome string) {
	m.events.WithLabelValues(string(t), outcome).Inc()
}

// MatchesDropped implements events.Observer.
func (m *Metrics) MatchesDropped(n int) { m.unsaved.Add(float64(n)) }

// Changed counts a change of a freelancer. The outcome must be from a fixed set.
func (m *Metrics) Changed(outcome string) { m.changes.WithLabelValues(outcome).Inc() }

// WebhookSent counts an attempt to send a webhook by its outcome, one of those of package webhook.
func (m *Metrics) WebhookSent(outcome string) { m.webhooks.WithLabelValues(outcome).Inc() }

// NoticeSent counts an attempt to send a notice by a channel of package notices, by its outcome as for WebhookSent.
func (m *Metrics) NoticeSent(channel, outcome string) {
	m.notices.WithLabelValues(channel, outcome).Inc()
}

// DatabaseFailed counts a failed operation of a database. Database and error code must be from fixed sets.
func (m *Metrics) DatabaseFailed(database, code string) {
	m.databases.WithLabelValues(database, code).Inc()
}

// ModelTask counts a language model task, its duration, its calls and its tokens. Task and outcome must be from fixed
// sets.
func (m *Metrics) ModelTask(task, outcome string, calls, promptTokens, completionTokens int, took time.Duration) {
	m.calls.Add(float64(calls))
	m.tasks.WithLabelValues(task, outcome).Observe(took.Seconds())
	m.tokens.WithLabelValues("prompt").Add(float64(promptTokens))
	m.tokens.WithLabelValues("completion").Add(float64(completionTokens))
}

// ConnectionRejected counts a rejected connection. The limit must be from a fixed set.
func (m *Metrics) ConnectionRejected(limit string) { m.refused.WithLabelValues(limit).Inc() }

// Admitted implements admission.Observer.
func (m *Metrics) Admitted(gate string, waited time.Duration) {
	m.waits.WithLabelValues(gate).Observe(waited.Seconds())
}

// Rejected implements admission.Observer.
func (m *Metrics) Rejected(gate string, reason admission.Reason) {
	m.rejected.WithLabelValues(gate, string(reason)).Inc()
}

// Handler returns a handler that serves /metrics in the Prometheus text format.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	return mux
}
