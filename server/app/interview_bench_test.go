package app_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"freelancer-matching/internal/config"
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
