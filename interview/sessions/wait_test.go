package sessions_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/interview"
)

// A slow model costs a person the time for questions, and not the time for the whole work of a model.
func TestConduct_WaitsForQuestionsNoLongerThanAPerson(t *testing.T) {
	waitsFrom := func(first int) func(context.Context, int, *interview.Question) error {
		return func(ctx context.Context, i int, _ *interview.Question) error {
			if i < first {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}
	}
	for name, test := range map[string]struct {
		first int // question that the model doesn't finish
		watch func(interview.Event)
	}{
		"no question":             {0, nil},
		"no question in a stream": {0, func(interview.Event) {}},
		"a single question":       {1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, func(f *fixture) {
				f.model.edit = waitsFrom(test.first)
				f.config.ModelTimeout = time.Hour
				f.config.QuestionTimeout = time.Millisecond
			})

			got, err := f.Conduct(t.Context(), fresh(interview.Questions), test.watch)
			if err != nil || len(got.Questions) != 5 || got.GeneratedBy != byOffline {
				t.Fatalf("got %d questions by %s, %v", len(got.Questions), got.GeneratedBy, err)
			}
			if reason := got.Remarks[len(got.Remarks)-1].Message; !strings.Contains(reason, "longer than the 8 seconds") {
				t.Errorf("got remarks %v, want one with the reason", got.Remarks)
			}
		})
	}
}
