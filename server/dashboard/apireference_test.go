package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/server/dashboard/reference"
	"github.com/freelancer-matching/service/server/openapi"
)

// Members find every operation in the reference, and a page for each.
func TestReference_HasAPageForEveryOperation(t *testing.T) {
	w := newWorld(t)
	member := w.as(w.owner)
	overview := member.get("/dashboard/reference").expect(t, http.StatusOK, "API reference", "Conventions")
	document, err := reference.Parse(openapi.YAML())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range document.Operations() {
		if !strings.Contains(overview.body, `href="/dashboard/reference/`+o.ID+`"`) {
			t.Errorf("the overview has no link to %s", o.ID)
		}
		method := o.Method
		if o.IsMessage {
			method = "Event"
		}
		member.get("/dashboard/reference/"+o.ID).expect(t, http.StatusOK, o.Summary, method, o.Path, "Responses")
	}
	member.get("/dashboard/reference/nothing").expect(t, http.StatusNotFound)
}

// The page of an operation shows its fields, an example as a command, and where to try it.
func TestReference_DescribesAnOperation(t *testing.T) {
	w := newWorld(t)
	a := w.as(w.owner).get("/dashboard/reference/matchFreelancers")
	a.expect(t, http.StatusOK, "required_skills", "list of strings", "At most 50 items", "By default, 10.",
		"-H 'Content-Type: application/json'", "Example: A typical brief", "Too Many Requests")
	if !strings.Contains(a.body, `href="/dashboard/playground">Try it`) {
		t.Error("no link to the playground")
	}
	if strings.Contains(w.as(w.owner).get("/dashboard/reference/checkLive").text(), "X-API-Key:") {
		t.Error("the command for /livez has a key")
	}
}

// The page of a message shows its fields and an example, and no command.
func TestReference_DescribesAMessage(t *testing.T) {
	w := newWorld(t)
	a := w.as(w.owner).get("/dashboard/reference/onKeyExpiring")
	a.expect(t, http.StatusOK, "key.expiring", "webhook-signature", "expires_at", `"name": "Website"`,
		"The message was received.")
	if text := a.text(); strings.Contains(text, "curl") || strings.Contains(text, "API key in the header") {
		t.Error("the page says how to send the message")
	}
}
