package app_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"freelancer-matching/internal/config"
)

// BenchmarkInterview is five questions, through the whole server and its database: by the question bank, as a stream, and by a
// model that takes no time, which leaves the overhead beside a real one's.
func BenchmarkInterview(b *testing.B) {
	const five = `{"freelancer_id":"f1","project_description":"Online shop for a ceramics studio: React storefront with a Node.js backend.",` +
		`"required_skills":["ReactJS","Node","PostgreSQL","Docker"]}`
	offline := openService(b, config.Default())
	c, model := withModel(b)
	model.Play("interview-questions", writer)
	byModel := openService(b, c)
	const two = `{"freelancer_id":"f1","project_description":"A shop","required_skills":["Go"],"num_questions":2}`
	for _, way := range []struct {
		name   string
		s      service
		body   string
		header []string
	}{
		{"offline", offline, five, nil},
		{"offline/stream", offline, five, []string{"Accept", "text/event-stream"}},
		{"model", byModel, two, nil},
	} {
		b.Run(way.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				way.s.send(b, 200, http.MethodPost, "/api/v1/interview", way.body, way.header...)
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}
