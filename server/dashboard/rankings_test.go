package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/events/learning"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking/learn"
)

// rankingForm returns the form of the page Tune that publishes weights.
func rankingForm(name, text string) []string {
	return []string{
		"name", name, "profile", "default", "weight_skills", "0.22", "weight_text", text, "weight_semantic", "0.3",
		"weight_budget", "0.5", "weight_timeline", "0.5", "weight_experience", "0.05", "weight_quality", "0.1",
	}
}

// published returns the name of what ranks the matches of the owner's account.
func (w *world) published() string {
	w.t.Helper()
	_, r, err := w.db.Rankings.List(w.t.Context(), w.owner.Account)
	w.must(err)
	if r == nil {
		return "none"
	}
	return fmt.Sprint(r.Name, " ", r.Version)
}

// Owners publish the weights of the page Tune, compare versions on stored briefs, and roll back. Others only look.
func TestRankings(t *testing.T) {
	w := newWorld(t)
	_, key := player(t, w)
	b := w.as(w.owner)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	path := b.play2(t, "key", key.ID, "job_title", "Developer", "limit", "5")
	w.matcher.answer = tunedAnswer("a", "b")
	w.matcher.order = func(brief *matching.Brief) []string {
		if brief.Ranking != nil && brief.Ranking.Version == 1 {
			return []string{"x", "b", "c"}
		}
		return []string{"a", "b", "c"}
	}

	b.get("/dashboard/rankings").expect(t, http.StatusOK, "The shipped default ranks", "Published versions appear here")
	b.get(path+"/tune?weight_text=2").expect(t, http.StatusOK, "Publish as the account’s ranking")
	b.post("/dashboard/rankings", rankingForm("", "2")...).
		expect(t, http.StatusUnprocessableEntity, "ame must have 1 to 60")
	b.post("/dashboard/rankings", rankingForm("Mine", "much")...).expect(t, http.StatusUnprocessableEntity, "number")
	unbalanced := rankingForm("Mine", "2")
	unbalanced[len(unbalanced)-1] = "9" // quality
	b.post("/dashboard/rankings", unbalanced...).expect(t, http.StatusUnprocessableEntity, "at least weights.quality")
	if w.published() != "none" {
		t.Fatalf("%s is published by rejected forms", w.published())
	}

	b.post("/dashboard/rankings", rankingForm("Words <b>", "2")...).expect(t, http.StatusSeeOther)
	b.post("/dashboard/rankings", rankingForm("Words", "1.5")...).expect(t, http.StatusSeeOther)
	list := b.get("/dashboard/rankings").expect(t, http.StatusOK, "Words (version 2) ranks the matches of your keys",
		"version 2, ranks the matches", "Words <b>", "Default, Words 2", "Published", w.owner.Email)
	if strings.Contains(list.body, "Words <b>") {
		t.Error("a name is markup")
	}
	b.get("/dashboard/rankings?compare=1").
		expect(t, http.StatusOK, "What Words <b> (version 1) changes", "Compared with Words (version 2)",
			"Developer 1 of 3 changed")
	b.get("/dashboard/rankings?compare=9").expect(t, http.StatusNotFound)

	// The page Tune starts from the published weights.
	b.get(path+"/tune").expect(t, http.StatusOK, "Your matches are ranked by Words")
	if body := b.get(path + "/tune").body; !strings.Contains(body, `value="1.5"`) {
		t.Error("the page lacks the published weight")
	}

	b.post("/dashboard/rankings/published", "version", "1").expect(t, http.StatusSeeOther)
	if w.published() != "Words <b> 1" {
		t.Errorf("%s is published after the rollback", w.published())
	}
	b.post("/dashboard/rankings/published", "version", "9").expect(t, http.StatusNotFound)
	b.post("/dashboard/rankings/published", "version", "x").expect(t, http.StatusBadRequest)

	member := w.as(w.member)
	member.get("/dashboard/rankings").expect(t, http.StatusOK, "Words <b>")
	member.get(path+"/tune?weight_text=3").expect(t, http.StatusOK, "An owner of the account can publish")
	member.post("/dashboard/rankings", rankingForm("Mine", "2")...).expect(t, http.StatusForbidden)
	member.post("/dashboard/rankings/published", "version", "2").expect(t, http.StatusForbidden)
	stranger := w.as(w.stranger)
	stranger.post("/dashboard/rankings/published", "version", "1").expect(t, http.StatusNotFound)

	b.post("/dashboard/rankings/published", "version", "").expect(t, http.StatusSeeOther)
	b.get("/dashboard/rankings").expect(t, http.StatusOK, "The shipped default ranks the matches of")
	b.get("/dashboard/activity").
		expect(t, http.StatusOK, "Ranking withdrawn \"Words <b>\"", "Ranking rolled back \"Words <b>\"",
			"Ranking published \"Words\", version 2")
}

// Owners turn learning on and off. The page says what is known and needed, and what came of the last night.
func TestRankings_Learning(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	account := w.owner.Account
	b.get("/dashboard/rankings").
		expect(t, http.StatusOK, "Learn from what your clients choose", "Turn on learning")
	w.as(w.member).post("/dashboard/rankings/learning", "learn", "yes").expect(t, http.StatusForbidden)
	b.post("/dashboard/rankings/learning", "learn", "maybe").expect(t, http.StatusBadRequest)
	b.post("/dashboard/rankings/learning", "learn", "yes").expect(t, http.StatusSeeOther)
	b.get("/dashboard/rankings").
		expect(t, http.StatusOK, "learns from what your clients choose from now on", "Learning is on",
			"0 matches are stored", "The first results appear here after the next night")

	finish := func(run learning.Run) {
		t.Helper()
		w.must(w.db.Learning.Finish(t.Context(), account, run))
	}
	finish(learning.Run{At: w.clock.now(), Choices: 12, Reasons: []string{"only 12 people were chosen"}})
	b.get("/dashboard/rankings").expect(t, http.StatusOK, "Nothing was published:", "only 12 people were chosen",
		"People chosen before the last week 12 200")

	learned := learning.Run{
		At: w.clock.now(), Version: 3, Choices: 900, Decisive: 300, Swapped: 150,
		Current: map[string]float64{"text": 1}, Learned: map[string]float64{"text": .75, "quality": .25},
		Neighbors: learn.Estimate{Mean: .0512, Low: .02, High: .08, N: 77},
		Exposure:  []learn.Exposure{{Group: "sex: <female>", People: 9, Change: -.0123}},
	}
	finish(learned)
	b.get("/dashboard/rankings").expect(t, http.StatusOK, "ranks your matches as version 3",
		"5.1 points of 100 (95 % interval: 2 to 8)", "Choices that tell the two rankings apart 77 30", "1 0.75",
		"sex: <female>", "-1.2 %")
	learned.Exposure = nil
	finish(learned)
	member := w.as(w.member).get("/dashboard/rankings").
		expect(t, http.StatusOK, "Learning is on", "The operator has named no groups")
	if strings.Contains(member.body, "Stop learning") {
		t.Error("a member can stop learning")
	}

	b.post("/dashboard/rankings/learning", "learn", "no").expect(t, http.StatusSeeOther)
	b.get("/dashboard/rankings").
		expect(t, http.StatusOK, "The values stored for it are deleted", "Turn on learning")
	b.get("/dashboard/activity").expect(t, http.StatusOK, "swaps allowed", "swaps forbidden")
}

// The match form starts from the published ranking: its own weights need no member of the request, and others name the
// profile that they change.
func TestRankings_InTheMatchForm(t *testing.T) {
	w := newWorld(t)
	_, key := player(t, w)
	b := w.as(w.owner)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	b.post("/dashboard/rankings", rankingForm("Words", "2")...).expect(t, http.StatusSeeOther)
	b.get("/dashboard/playground").expect(t, http.StatusOK, "Words (version 1)")

	for weights, want := range map[string]string{
		"2":    `{"job_title":"Developer","explain":true,"details":true}`,
		"2.5":  `{"job_title":"Developer","weights":{"text":2.5},"profile":"default","explain":true,"details":true}`,
		"1.00": `{"job_title":"Developer","profile":"default","explain":true,"details":true}`,
	} {
		b.play("/dashboard/playground", "key", key.ID, "job_title", "Developer", "weight_text", weights)
		expectRequest(t, w, want)
	}
}
