package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
)

// A click on a suggestion sends the brief again with the suggested skill in place of the misspelled one.
func TestMatchPlayground_ReplacesASkill(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	b.play("/dashboard/playground", "key", key.ID, "required_skills", "Go, Reactt", "nice_to_have_skills", "reactt",
		"replace", "Reactt,React").expect(t, http.StatusOK)
	expectRequest(t, w, `{"required_skills":["Go","React"],"nice_to_have_skills":["React"],"explain":true,"details":true}`)
	b.play("/dashboard/playground", "key", key.ID, "required_skills", "Go", "replace", "React").expect(t, http.StatusOK)
	expectRequest(t, w, `{"required_skills":["Go"],"explain":true,"details":true}`)
}

// Requests are shown as code, and the response as JSON.
func TestPlayground_ShowsRequestsAsCode(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	a := b.playIn("code", "key", key.ID, "required_skills", "Go").expect(t, http.StatusOK,
		"curl", "Python", "TypeScript", "pip install freelancer-matching", "await client.match(",
		"client.Match(context.Background(), request)", "JSON response")
	for _, id := range []string{"request-curl", "request-python", "request-typescript", "request-go", "response"} {
		if strings.Count(a.body, `id="`+id+`"`) != 1 || !strings.Contains(a.body, `data-copy="`+id+`"`) {
			t.Errorf("the page lacks the code %s or its copy button", id)
		}
	}
}
