package app_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/config"
)

// BenchmarkInterview measures an interview request through the whole server: by the question bank, as a stream, and by
// a model that responds immediately, which shows the overhead of the server.
func BenchmarkInterview(b *testing.B) {
	const five = `{"freelancer_id":"f1",` +
		`"project_description":"Online shop for a ceramics studio: React storefront with a Node.js backend.",` +
		`"required_skills":["ReactJS","Node","PostgreSQL","Docker"]}`
	offline := startDemo(b, config.Default())
	c, model := withModel(b)
	model.Play("interview-questions", writer)
	byModel := startDemo(b, c)
	const two = `{"freelancer_id":"f1","project_description":"A shop","required_skills":["Go"],"num_questions":2}`
	for _, test := range []struct {
		name   string
		s      service
		body   string
		header []string
	}{
		{"offline", offline, five, nil},
		{"offline/stream", offline, five, []string{"Accept", "text/event-stream"}},
		{"model", byModel, two, nil},
	} {
		b.Run(test.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				test.s.send(b, 200, http.MethodPost, "/api/v1/interview", test.body, test.header...)
				took = append(took, time.Since(start))
			}

			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

// BenchmarkInterview_Report measures an evaluation of five answers of 120 words without a model, and reading it again.
func BenchmarkInterview_Report(b *testing.B) {
	s := startDemo(b, config.Default())
	const first = `{"freelancer_id":"f1","required_skills":["React","SQL"],"num_questions":5,` +
		`"project_description":"Online shop for a ceramics studio: React storefront with a Node.js backend."}`
	const answer = "I would record the slow screen with the profiler in a production build before changing anything. " +
		"In the flame chart I look for components that render although their props are the same. " +
		"Usually the state sits too high, so I move it down to the field, or split the list into rows. " +
		"Then I memoize the expensive rows and keep callbacks stable, but only where the profiler shows a gain. " +
		"For a long list I render only the visible part, because thousands of nodes cost time even when nothing changes. " +
		"Finally I measure again with the same data and on a slow phone, and I add a budget to the build to keep it fast. " +
		"If the server is the cause, I look at the query plan, add an index and fetch fewer rows."

	answers, err := json.Marshal(slices.Repeat([]string{answer}, 5))
	if err != nil {
		b.Fatal(err)
	}
	var evaluated, read []time.Duration

	for b.Loop() {
		b.StopTimer()
		var begun struct {
			Data struct {
				SessionID string `json:"session_id"`
			} `json:"data"`
		}
		if err := json.Unmarshal([]byte(s.send(b, 200, http.MethodPost, "/api/v1/interview", first)), &begun); err != nil {
			b.Fatal(err)
		}

		id := begun.Data.SessionID
		b.StartTimer()
		start := time.Now()
		s.send(b, 200, http.MethodPost, "/api/v1/interview",
			`{"freelancer_id":"f1","mode":"ai_full","session_id":"`+id+`","provided_answers":`+string(answers)+`}`)
		evaluated = append(evaluated, time.Since(start))
		start = time.Now()
		s.send(b, 200, http.MethodGet, "/api/v1/interviews/"+id, "")
		read = append(read, time.Since(start))
	}

	for name, took := range map[string][]time.Duration{"evaluated-p99-ms": evaluated, "read-p99-ms": read} {
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, name)
	}
}
