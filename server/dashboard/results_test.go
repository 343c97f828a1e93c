package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// The answer to a brief is a page of its own: it can be reloaded, and shown to colleagues, but to nobody else.
func TestResults_CanBeSharedWithinTheAccount(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	sent := b.post("/dashboard/playground", "key", key.ID, "description", "A shop", "required_skills", "Go").
		expect(t, http.StatusSeeOther)
	if !strings.HasPrefix(sent.location, "/dashboard/playground/r/") {
		t.Fatalf("the browser is sent to %s", sent.location)
	}
	w.api.path = ""
	for _, reader := range []*browser{b, b, w.as(w.member)} {
		reader.get(sent.location).expect(t, http.StatusOK, "A shop")
	}
	if w.api.path != "" {
		t.Error("reading a result sends the request again")
	}
	b.get("/dashboard/playground").expect(t, http.StatusOK, "A shop")
	w.as(w.stranger).get(sent.location).expect(t, http.StatusNotFound)
	b.get("/dashboard/playground/r/nothing").expect(t, http.StatusNotFound)
	w.clock.advance(31 * 24 * time.Hour)
	w.as(w.owner).get(sent.location).expect(t, http.StatusNotFound)
}

// An interview that is opened from a match is about the brief of the match.
func TestResults_KeepTheBriefForAnInterview(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	a := b.play("/dashboard/playground", "key", key.ID, "description", "A shop for ceramics", "required_skills", "Go, SQL")
	_, rest, ok := strings.Cut(a.body, `href="/dashboard/playground/interview?freelancer=`)
	if !ok {
		t.Fatal("no link to an interview")
	}
	link, _, _ := strings.Cut(rest, `"`)
	form := b.get("/dashboard/playground/interview?freelancer=" + strings.ReplaceAll(link, "&amp;", "&"))
	form.expect(t, http.StatusOK, "A shop for ceramics")
	if !strings.Contains(form.body, `value="Go, SQL"`) {
		t.Error("the skills of the brief are lost")
	}
	b.get("/dashboard/playground/interview?from=unknown").expect(t, http.StatusOK)
}
