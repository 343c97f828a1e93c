package dashboard_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/usage"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
)

// The page is useful before there is anything to count.
func TestOutcomes_Empty(t *testing.T) {
	w := newWorld(t)
	w.as(w.member).get("/dashboard/outcomes").expect(t, http.StatusOK, "People whom you are shown appear here.",
		"The best match of each known brief is strong.", "No stored brief asks for a skill.",
		"Profiles in your recent results appear here.", "May 20, 2030 0 – – 0 0")
}

// The page counts events by rank and week, and names briefs, skills and profiles that need work.
func TestOutcomes(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, hostilePeople()
	fields := []string{"key", key.ID, "description", "A <shop>", "required_skills", "Kiln, Clay"}
	result := b.post("/dashboard/playground", fields...).expect(t, http.StatusSeeOther).location

	week := events.WeekOf(w.clock.now())
	w.outcomes.tallies = []events.Tally{
		{Week: week, Rank: 1, Type: events.Shown, N: 40},
		{Week: week, Rank: 1, Type: events.Contacted, N: 10},
		{Week: week, Rank: 1, Type: events.Hired, N: 2},
		{Week: week.AddDate(0, 0, -7), Rank: 51, Type: events.Shown, N: 1000},
		{Week: week.AddDate(0, 0, -7), Rank: 51, Type: events.Rejected, N: 3},
	}
	w.outcomes.matches = []events.Match{
		{ID: "r1", At: w.clock.now(), Freelancers: []uint64{1, 2}, Scores: []float64{.2, .1}},
		{ID: "r2", At: w.clock.now(), Freelancers: []uint64{1}, Scores: []float64{.95}},
		{ID: "r3", At: w.clock.now(), Freelancers: []uint64{1}, Scores: []float64{.1}, Offset: 50},
		{
			ID: "r4", At: w.clock.now().Add(-time.Hour), Freelancers: []uint64{1}, Scores: []float64{.3},
			Brief: []byte(`{"job_title":"<Potter>","required_skills":["kiln"]}`),
		},
		{ID: "r5", At: w.clock.now().Add(-2 * time.Hour), Freelancers: []uint64{1}, Scores: []float64{.1}},
	}
	w.matcher.answer.RequiredSkills = []matching.RequiredSkill{
		{Skill: "Kiln", Freelancers: 1}, {Skill: "Clay", Freelancers: 600},
	}
	w.recorder.Record(usage.Request{Key: key.ID, At: w.clock.now(), Operation: "match", Status: 200})

	page := b.get("/dashboard/outcomes").expect(t, http.StatusOK,
		"1 to 3 40 0 10 2 0 25%", "51 and later 1,000 0 0 0 3 0%", "All 1,040 0 10 2 3 1%",
		"May 20, 2030 1 0.39 25% 10 2", "May 13, 2030 0 – – 0 0",
		"A <shop> best of 2 people: 0.20, weak", "<Potter> best of 1 person: 0.30, weak", "Request r5",
		"Kiln 2 1", "Hourly rate 50%", "Ben lacks hourly rate, availability, job title 1 result")
	for _, text := range []string{"Clay", "r2", "r3"} {
		if strings.Contains(page.text(), text) {
			t.Errorf("the page has %q: it is no problem", text)
		}
	}
	if !strings.Contains(page.body, result) {
		t.Error("the brief has no link to its result")
	}
	if got := w.matcher.brief.RequiredSkills; strings.Join(got, " ") != "Kiln Clay" {
		t.Errorf("counted the supply of %q", got)
	}
}

// A count that takes too long ends with a page that says so.
func TestOutcomes_TooSlow(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	w.outcomes.err = context.DeadlineExceeded
	page := b.get("/dashboard/outcomes").expect(t, http.StatusTooManyRequests, "took too long")
	if page.header.Get("Retry-After") != "30" {
		t.Errorf("Retry-After is %q", page.header.Get("Retry-After"))
	}
}
