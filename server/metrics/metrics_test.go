package metrics

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/admission"
	"github.com/freelancer-matching/service/internal/lastload"
)

func TestHandler_ServesAllMetrics(t *testing.T) {
	m := New("1.2.3")
	m.Answered("match", "freelancer", 200, "", 3*time.Millisecond)
	m.Answered("match", "freelancer", 200, "", 30*time.Millisecond)
	m.Answered("match", "", 429, "too_many_failed_attempts", 0)
	m.DatabaseUsed("sqlite", "storage_full", "database_locked")
	m.SignedIn("")
	m.SignedIn("wrong_credentials")
	m.DatabaseFailed("redis", "quota_unavailable")
	m.Watch(func(context.Context) State {
		return State{
			Components: map[string]bool{"data_source": true, "database": false},
			LastLoad: &lastload.Result{
				Started: time.Unix(1_800_000_000, 0), Finished: time.Unix(1_800_000_030, 0), Error: "too_many_rejected",
				Rows: 100, Rejected: 12, Merged: 3, Conflicts: 2, Warnings: 5,
			},
			Index: Index{Freelancers: 2000, Created: time.Unix(1_900_000_000, 0), DeadLetters: 7, HasDeadLetters: true},
		}
	})

	m.Decided("month")
	m.FailedAuthentication()
	m.Viewed("freelancer", "new", 10)
	m.Viewed("freelancer", "refused", 3)
	m.ModelTask("interview-answer@1", "done", 2, 700, 90, 3*time.Second)
	m.ModelTask("interview-answer@1", "timeout", 1, 0, 0, 25*time.Second)
	m.ConnectionRejected("client")
	m.Admitted("match", 40*time.Millisecond)
	m.Rejected("match", admission.ReasonAccount)
	recorder := httptest.NewRecorder()
	m.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))

	for _, want := range []string{
		`matching_request_duration_seconds_bucket{operation="match",status="200",le="0.005"} 1`,
		`matching_request_duration_seconds_count{operation="match",status="200"} 2`,
		`matching_request_duration_seconds_count{operation="match",status="429"} 1`,
		`matching_requests_total{code="",operation="match",plan="freelancer",status="200"} 2`,
		`matching_requests_total{code="too_many_failed_attempts",operation="match",plan="none",status="429"} 1`,
		`matching_database_errors_total{code="quota_unavailable",database="redis"} 1`,
		`matching_database_errors_total{code="storage_full",database="sqlite"} 0`,
		`matching_sign_ins_total{outcome="succeeded"} 1`,
		`matching_sign_ins_total{outcome="wrong_credentials"} 1`,
		`matching_sign_ins_total{outcome="too_many_failed_attempts"} 0`,
		`matching_component_up{component="data_source"} 1`,
		`matching_component_up{component="database"} 0`,
		`matching_index_freelancers 2000`,
		`matching_index_created_timestamp_seconds 1.9e+09`,
		`matching_index_dead_letters 7`,
		`matching_last_load_success 0`,
		`matching_last_load_timestamp_seconds 1.80000003e+09`,
		`matching_last_load_duration_seconds 30`,
		`matching_last_load_rows 100`,
		`matching_last_load_rejected_rows 12`,
		`matching_last_load_merged_rows 3`,
		`matching_last_load_merge_conflicts 2`,
		`matching_last_load_warnings 5`,
		`matching_llm_calls_total 3`,
		`matching_quota_decisions_total{outcome="month"} 1`,
		`matching_failed_authentications_total 1`,
		`matching_freelancer_views_total{outcome="new",plan="freelancer"} 10`,
		`matching_freelancer_views_total{outcome="refused",plan="freelancer"} 3`,
		`matching_llm_task_duration_seconds_bucket{outcome="done",task="interview-answer@1",le="5"} 1`,
		`matching_llm_task_duration_seconds_count{outcome="timeout",task="interview-answer@1"} 1`,
		`matching_llm_tokens_total{kind="prompt"} 700`,
		`matching_llm_tokens_total{kind="completion"} 90`,
		`matching_connections_rejected_total{limit="client"} 1`,
		`matching_admission_wait_seconds_bucket{gate="match",le="0.05"} 1`,
		`matching_admission_rejections_total{gate="match",reason="account"} 1`,
		`matching_build_info{version="1.2.3"} 1`,
		`go_goroutines`,
	} {
		if !strings.Contains(recorder.Body.String(), want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
}
