package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

// tunedAnswer returns an answer with people who have rates, of whom the first has the lowest.
func tunedAnswer(ids ...string) matching.Answer {
	a := matching.Answer{Considered: len(ids), DataCurrency: "EUR"}
	for i, id := range ids {
		f := matching.Freelancer{ID: id, Name: "Person <b>" + id, JobTitle: "Developer"}
		f.HourlyRate = matching.Some(float64(20 + 10*i))
		score := 1 - float64(i)/10
		a.Matches = append(a.Matches, matching.Match{
			Freelancer: f, Score: score,
			Explanation: []matching.Feature{{Name: "text", Value: .5}, {Name: "budget", Value: score}},
		})
	}
	return a
}

// Weights are tried on the brief of a result: rows say who moved, sentences why, and stored briefs what changes there.
func TestTune(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	path := b.play2(t, "key", key.ID, "job_title", "Developer", "limit", "5")
	b.post(path+"/project", "people", "f1859").expect(t, http.StatusSeeOther)
	other := b.play2(t, "key", key.ID, "job_title", "Painter", "limit", "5")

	w.matcher.answer = tunedAnswer("c", "a", "n", "b")
	w.matcher.order = func(brief *matching.Brief) []string {
		if brief.Weights["budget"] > 0 {
			return []string{"c", "a", "n", "b", "f1859"}
		}
		return []string{"a", "b", "c", "f1859", "x"}
	}

	b.get(path).expect(t, http.StatusOK, "Tune")
	untouched := b.get(path+"/tune").
		expect(t, http.StatusOK, "Change a weight to see who moves.", "Rank with these weights")
	if strings.Contains(untouched.body, "Your other briefs") {
		t.Error("briefs are compared without a change")
	}

	a := b.get(path+"/tune?weight_budget=1&weight_text=1").expect(t, http.StatusOK, "Budget counts twice as much: ",
		"1 person with lower rates moved up, 1 person with higher rates moved down.",
		"4 of 4 people in the list moved, 1 of them from beyond place 500.",
		"Person <b>c", "▲2", "▼2", "new", "Painter 1 of 5 changed",
		"Developer 1 of 5 changed, 1 of 1 shortlisted person kept",
		"Find matches with these weights", `"budget": 1`)
	if strings.Contains(a.body, "Person <b>") {
		t.Error("a name is markup")
	}
	// A part whose weight is 0 isn't in the explanations any more.
	b.get(path+"/tune?weight_semantic=0").expect(t, http.StatusOK, "Meaning no longer counts.")

	for query, want := range map[string]string{
		"weight_text=much": "enter a number", "weight_unknown=3": "Change a weight",
	} {
		if body := b.get(path + "/tune?" + query).text(); !strings.Contains(strings.ToLower(body), strings.ToLower(want)) {
			t.Errorf("%s: the page lacks %q:\n%s", query, want, body)
		}
	}
	w.as(w.stranger).get(other+"/tune").expect(t, http.StatusNotFound)
}

// People whom the result didn't show count toward the freelancers per day.
func TestTune_CountsPeople(t *testing.T) {
	w := newWorld(t)
	stranger := w.as(w.stranger)
	_, own := w.key(w.stranger, "tune")
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	path := stranger.play2(t, "key", own.ID, "job_title", "Developer", "limit", "5")

	status := http.StatusOK
	for page := 0; status == http.StatusOK && page < 200; page++ {
		var ids []string
		for i := range 50 {
			ids = append(ids, fmt.Sprintf("p%d-%d", page, i))
		}
		w.matcher.answer = tunedAnswer(ids...)
		status = stranger.get(path + "/tune?weight_budget=1").status
	}
	if status != http.StatusTooManyRequests {
		t.Errorf("status %d after all freelancers of the day, want 429", status)
	}
}
