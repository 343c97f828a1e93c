package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestWeights_AreFieldsOfTheMatchForm(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	// Only weights that differ from the profile's are sent.
	r := b.playIn("cards", "key", key.ID, "job_title", "Developer", "limit", "5",
		"weight_text", "2.5", "weight_skills", "0.22", "weight_quality", "0", "weight_unknown", "7")
	expectRequest(t, w, `{"job_title":"Developer","weights":{"text":2.5,"quality":0},"limit":5,
		"explain":true,"details":true}`)
	// No view has fields for weights, but filters must not reset them.
	for _, body := range []string{
		r.body, b.play("/dashboard/playground", "key", key.ID, "job_title", "Developer", "weight_text", "2.5").body,
	} {
		if !strings.Contains(body, `<input type="hidden" name="weight_text" value="2.5">`) {
			t.Error("the form forgets the weights")
		}
	}

	b.play("/dashboard/playground", "key", key.ID, "job_title", "Developer", "profile", "expertise",
		"weight_skills", "0.22")
	expectRequest(t, w, `{"job_title":"Developer","weights":{"skills":0.22},"profile":"expertise",
		"explain":true,"details":true}`)
}

func TestWeights_RejectsTexts(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	b.post("/dashboard/playground", "key", key.ID, "job_title", "Developer", "weight_text", "much").
		expect(t, http.StatusUnprocessableEntity, "Enter a number")
}
