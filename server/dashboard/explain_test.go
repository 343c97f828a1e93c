package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

// The form below the matches asks for the rank of a freelancer in the answer to the same brief.
func TestExplain_AsksWithTheSameBrief(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	path := b.post("/dashboard/playground", "key", key.ID, "required_skills", "Video editing", "limit", "3").location
	b.get(path).expect(t, http.StatusOK, "Why not…?")

	w.api.body = exampleOf(t, "/api/v1/match/explain", "behind_answer")
	a := b.play(path+"/explain", "freelancer_id", "f850").
		expect(t, http.StatusOK, "Why this rank", "Fimar Dorgard", "Rank", "The last match shown has rank", "Missing")
	if !strings.Contains(a.body, `href="`+path+`"`) {
		t.Error("no link leads back to the matches")
	}
	expectRequest(t, w, `{"required_skills":["Video editing"],"limit":3,"freelancer_id":"f850"}`)

	w.api.body = exampleOf(t, "/api/v1/match/explain", "excluded_answer")
	b.play(path+"/explain", "freelancer_id", "f850").expect(t, http.StatusOK, "Excluded", "wanted")

	b.post("/dashboard/playground/r/unknown/explain", "freelancer_id", "f850").expect(t, http.StatusNotFound)
}

// A name finds the person. If several people have it, the user chooses.
func TestExplain_ByName(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"n1", "n2"} {
		w.freelancers.Engine.Edit(id, func(f *matching.Freelancer) {
			*f = matching.Freelancer{ID: id, Name: "Fimar <b>Dorgard", JobTitle: "Colorist " + id}
		})
	}
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	path := b.post("/dashboard/playground", "key", key.ID, "required_skills", "Video editing", "limit", "3").location

	w.api.body = exampleOf(t, "/api/v1/match/explain", "behind_answer")
	w.api.path = ""
	a := b.post(path+"/explain", "freelancer_id", " dorgard ").
		expect(t, http.StatusOK, "Who is meant by “dorgard”?", "Fimar <b>Dorgard", "Colorist n1", "Colorist n2")
	if w.api.path != "" || strings.Contains(a.body, "<b>Dorgard") {
		t.Error("a choice is no request, and shows names as text")
	}

	// The page of the choice submits the ID.
	b.play(path+"/explain", "freelancer_id", "n2").expect(t, http.StatusOK, "Why this rank")
	expectRequest(t, w, `{"required_skills":["Video editing"],"limit":3,"freelancer_id":"n2"}`)
	b.play(path+"/explain", "freelancer_id", "oren").expect(t, http.StatusOK, "Why this rank")
	expectRequest(t, w, `{"required_skills":["Video editing"],"limit":3,"freelancer_id":"g"}`)
}

// The page says what would change the rank, or why it can't.
func TestExplain_Alternatives(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	path := b.post("/dashboard/playground", "key", key.ID, "required_skills", "Video editing", "limit", "3").location
	w.api.body = exampleOf(t, "/api/v1/match/explain", "behind_answer")

	w.matcher.alternatives = []matching.Alternative{
		{With: "with Kubernetes", Rank: 4, Total: 441, Score: .81}, {With: "at 60 EUR an hour", Rank: 12, Total: 441},
	}
	r := b.post(path+"/explain", "freelancer_id", "f850")
	b.get(r.location).expect(t, http.StatusOK, "Would be 4th of 441 with Kubernetes.",
		"Would be 12th of 441 at 60 EUR an hour.", "What costs the most: Words (0.209 points) and Meaning (0.016 points).")
	if got := w.matcher.brief.RequiredSkills; len(got) != 1 || got[0] != "Video editing" {
		t.Errorf("alternatives for a brief with the skills %v", got)
	}

	w.matcher.alternatives = nil
	b.play(path+"/explain", "freelancer_id", "f850").expect(t, http.StatusOK, "would lead to a better rank")
	w.matcher.unsupported = true
	b.play(path+"/explain", "freelancer_id", "f850").expect(t, http.StatusOK, "With Elasticsearch")

	w.api.body = exampleOf(t, "/api/v1/match/explain", "excluded_answer")
	b.play(path+"/explain", "freelancer_id", "f850").expect(t, http.StatusOK, "or the brief would have to do without")
}

// Two results are compared: what their requests ask for, and who has which rank.
func TestComparison(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	var ids []string
	for _, title := range []string{"Developer", "Designer <b>"} {
		path := b.post("/dashboard/playground", "key", key.ID, "job_title", title).location
		ids = append(ids, path[strings.LastIndex(path, "/")+1:])
	}

	const compare = "/dashboard/playground/compare"
	b.get(compare).expect(t, http.StatusOK, "Choose two of your matches", "Designer <b>")
	b.get(compare+"?a="+ids[0]+"&b="+ids[1]).expect(t, http.StatusOK, "job_title Developer Designer <b>", "Same rank")
	b.get(compare+"?a="+ids[0]+"&b="+ids[0]).expect(t, http.StatusOK, "The requests are the same.")

	for _, hostile := range []string{"unknown", "%00", strings.Repeat("a", 5000), "../../etc"} {
		got := b.get(compare + "?a=" + ids[0] + "&b=" + hostile).status
		if got != http.StatusNotFound && got != http.StatusBadRequest {
			t.Errorf("result %.30q: status %d", hostile, got)
		}
	}

	w.as(w.stranger).get(compare+"?a="+ids[0]+"&b="+ids[1]).expect(t, http.StatusNotFound)
}
