package api

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
)

// Coins decide for ordinary briefs of accounts that allow it, the same for each page of a brief. What they decide is
// recorded with the values that learning needs, and said.
func TestMatch_Swaps(t *testing.T) {
	recorded := &fakeEvents{swaps: true}
	var seed uint64
	f := newFixture()
	f.Events = recorded
	f.Matcher = matcherFunc(func(_ context.Context, b *matching.Brief) (*matching.Answer, error) {
		seed = b.Explore
		answer := fullAnswer()
		answer.Matches = append(answer.Matches, answer.Matches[0])
		if seed != 0 {
			answer.Explored = &matching.Explored{Rank: 1, Swapped: true, Message: "A coin decided."}
			for i := range answer.Matches {
				answer.Matches[i].Parts = []float64{.5, .25}
			}
		}
		return answer, nil
	})
	h := New(f.Dependencies).Handler()
	match := func(body string) (lesson []byte, response string) {
		t.Helper()
		c := call{path: matchPath, body: body, status: http.StatusOK}
		response = c.sendTo(t, h).Body.String()
		return recorded.matches[len(recorded.matches)-1].Lesson, response
	}

	text, response := match(`{"job_title":"x"}`)
	first := seed
	lesson, err := events.ReadLesson(text)
	if err != nil || first == 0 || lesson.Brief != first || lesson.Upper != 1 || lesson.Parts[1][1] != .25 {
		t.Errorf("seed %d, lesson %+v (%v)", first, lesson, err)
	}
	if want := `"explored":{"rank":1,"swapped":true,"message":"A coin decided."}`; !strings.Contains(response, want) {
		t.Errorf("the response lacks %s: %s", want, response)
	}
	if text, _ := match(`{"explain":true,"limit":5,"offset":1,"job_title":"x","details":true}`); seed != first ||
		text != nil {
		t.Errorf("another page: seed %d, want %d, lesson %v", seed, first, text)
	}
	if match(`{"job_title":"y"}`); seed == first || seed == 0 {
		t.Errorf("another brief has the seed %d", seed)
	}

	for _, body := range []string{`{"job_title":"x","profile":"economy"}`, `{"job_title":"x","weights":{"text":2}}`} {
		if text, response := match(body); seed != 0 || text != nil || strings.Contains(response, "explored") {
			t.Errorf("%s: seed %d, lesson %v, %s", body, seed, text, response)
		}
	}
	recorded.swaps = false
	if text, response := match(`{"job_title":"x"}`); seed != 0 || text != nil || strings.Contains(response, "explored") {
		t.Errorf("off: seed %d, lesson %v, %s", seed, text, response)
	}
}
