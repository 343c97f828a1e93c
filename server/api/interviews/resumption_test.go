package interviews

import (
	"testing"

	"github.com/freelancer-matching/service/server/api/endpoint"
)

const testSession = "0f2c4b6a8d1e3f5a7b9c0d2e4f6a8b1c"

// Events are held back only until it is known whether the client already has them.
func TestResumption_ReleasesHeldEvents(t *testing.T) {
	r := resumptionAfter(questionPlace(testSession, "q2"))
	for _, step := range []struct {
		place place
		id    string
		want  int
	}{
		{place{session: testSession}, "s", 0},
		{questionPlace(testSession, "q1"), "q1", 0},
		{questionPlace(testSession, "q2"), "other q2", 3},
	} {
		if got := len(r.next(step.place, endpoint.Event{ID: step.id})); got != step.want {
			t.Errorf("%d events at %v, want %d", got, step.place, step.want)
		}
	}
	r = resumptionAfter(questionPlace(testSession, "q2"))
	if got := len(r.next(judgmentPlace(testSession, "q1"), endpoint.Event{ID: "j1"})); got != 1 {
		t.Errorf("%d events after the place, want 1", got)
	}
}

func resumptionAfter(p place) resumption { return newResumption(p.id([]byte("data"))) }
