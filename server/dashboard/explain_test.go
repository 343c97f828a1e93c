package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
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
