package metrics

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestHandler_ServesAllMetrics(t *testing.T) {
	m := New("1.2.3")
	m.Answered("match", 200, 3*time.Millisecond)
	m.Answered("match", 200, 30*time.Millisecond)
	m.Answered("match", 429, 0)
	m.Decided("month")
	m.FailedAuthentication()
	m.Viewed("freelancer", "new", 10)
	m.Viewed("freelancer", "refused", 3)
	m.ModelTask("interview-answer@1", "done", 700, 90, 3*time.Second)
	m.ModelTask("interview-answer@1", "timeout", 0, 0, 25*time.Second)
	recorder := httptest.NewRecorder()
	m.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	for _, want := range []string{
		`matching_request_duration_seconds_bucket{operation="match",status="200",le="0.005"} 1`,
		`matching_request_duration_seconds_count{operation="match",status="200"} 2`,
		`matching_request_duration_seconds_count{operation="match",status="429"} 1`,
		`matching_quota_decisions_total{outcome="month"} 1`,
		`matching_failed_authentications_total 1`,
		`matching_freelancer_views_total{outcome="new",plan="freelancer"} 10`,
		`matching_freelancer_views_total{outcome="refused",plan="freelancer"} 3`,
		`matching_llm_task_duration_seconds_bucket{outcome="done",task="interview-answer@1",le="5"} 1`,
		`matching_llm_task_duration_seconds_count{outcome="timeout",task="interview-answer@1"} 1`,
		`matching_llm_tokens_total{kind="prompt"} 700`,
		`matching_llm_tokens_total{kind="completion"} 90`,
		`matching_build_info{version="1.2.3"} 1`,
		`go_goroutines`,
	} {
		if !strings.Contains(recorder.Body.String(), want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
}
