//go:build integration

package integration

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/integration/programs"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// An invited person answers an interview in a browser, with and without JavaScript.
func TestCandidate(t *testing.T) {
	c := newChromium(t)
	s := start(t, "-demo")
	for _, screen := range []screen{{"desktop", 1280, 800}, {"small", 320, 640}} {
		t.Run(screen.name, func(t *testing.T) {
			withScript(t, c, s, screen)
			refusedCandidates(t, c, s, screen)
		})
	}
	t.Run("server busy", func(t *testing.T) { keptWhileBusy(t, c, s) })
	t.Run("without JavaScript", func(t *testing.T) { withoutScript(t, c, s) })
	t.Run("adaptive", func(t *testing.T) { adaptively(t, c, s) })
}

// inviteCandidate starts an interview of two questions and returns it with the token of its link.
func inviteCandidate(t *testing.T, s *server, mode, invitation string) (session, token string) {
	t.Helper()
	body := fmt.Sprintf(`{"freelancer_id":"f1859","mode":%q,"job_title":"Full-stack developer","num_questions":2,
		"required_skills":["React","Node.js"]}`, mode)
	data := dataOf(t, s, http.MethodPost, "/api/v1/interview", body)
	session, _ = data["session_id"].(string)
	data = dataOf(t, s, http.MethodPost, "/api/v1/interviews/"+session+"/invitation", invitation)
	address, _ := data["url"].(string)
	base, token, found := strings.Cut(address, "#")
	if !found || !strings.HasSuffix(base, "/interview/") || token == "" {
		t.Fatalf("the link is %q", address)
	}
	return session, token
}

// dataOf sends a request and returns the data of the response.
func dataOf(t *testing.T, s *server, method, path, body string) map[string]any {
	t.Helper()
	status, response := s.Call(t, method, path, body)
	data, _ := response["data"].(map[string]any)
	if status != http.StatusOK || data == nil {
		t.Fatalf("%s %s: %d, %v", method, path, status, response)
	}
	return data
}

// evaluated waits until the answers of a session are evaluated, and returns the facts about the first.
func evaluatedFacts(t *testing.T, s *server, session string) map[string]any {
	t.Helper()
	var data map[string]any
	programs.Eventually(t, "the evaluation", func() bool {
		data = dataOf(t, s, http.MethodGet, "/api/v1/interviews/"+session, "")
		return data["state"] == "evaluated"
	})
	invitation, _ := data["invitation"].(map[string]any)
	if invitation["state"] != "submitted" || invitation["submitted_at"] == nil {
		t.Errorf("invitation %v", invitation)
	}
	answers, _ := data["interview_data"].(map[string]any)
	facts, _ := answers["answer_facts"].([]any)
	if len(facts) != 2 {
		t.Fatalf("facts %v", facts)
	}
	first, _ := facts[0].(map[string]any)
	return first
}

// openLink opens the link of an invitation and waits for the page behind it.
func openLink(t *testing.T, b *tab, token string) {
	t.Helper()
	b.run(t, "open the link", chromedp.Navigate("about:blank"), chromedp.Navigate(b.base+"/interview/#"+token),
		chromedp.WaitVisible(`main h1[tabindex]`, chromedp.ByQuery))
	var address string
	if b.run(t, "read the address", chromedp.Location(&address)); strings.Contains(address, token) {
		t.Errorf("the address still contains the token: %s", address)
	}
}

const (
	agree  = "I have read this and agree."
	finish = "I have finished and want to submit my answers."
)

// waitSaved waits until the page says that the answer is saved.
func waitSaved(t *testing.T, b *tab) {
	t.Helper()
	b.run(t, "wait for autosave", chromedp.Poll(`document.getElementById("saved").textContent === "Saved"`, nil))
}

func withScript(t *testing.T, c *chromium, s *server, screen screen) {
	session, token := inviteCandidate(t, s, "ai_questions",
		`{"time_limit_minutes":30,"language":"en","return_url":"https://jobs.example.com/thanks"}`)
	b := c.person(t, s.URL, screen)
	openLink(t, b, token)
	b.wantText(t, "Full-stack developer", "30 min", "What happens to your answers", "English")
	b.inspect(t, "candidate-intro")
	b.tick(t, agree)
	b.press(t, "Start")
	b.wantPath(t, "/interview/"+session+"/questions/1")
	const text = "I measured the page with the profiler, found needless renders, and fixed them."
	b.fill(t, "Your answer", text)
	b.wantText(t, "78 of 10000 characters", "Time remaining:")
	waitSaved(t, b)
	b.inspect(t, "candidate-question")
	b.run(t, "reload", chromedp.Reload(), chromedp.WaitVisible("#answer", chromedp.ByQuery))
	wantAnswer(t, b, text)
	command := func(name string) chromedp.Action {
		return chromedp.ActionFunc(func(ctx context.Context) error {
			return input.DispatchKeyEvent(input.KeyDown).WithCommands([]string{name}).Do(ctx)
		})
	}

	b.run(t, "copy and paste", chromedp.Focus("#answer", chromedp.ByQuery), command("selectAll"), command("copy"),
		command("moveToEndOfDocument"), command("paste"))
	waitSaved(t, b)
	b.run(t, "focus the heading", chromedp.Focus("h1", chromedp.ByQuery))
	b.tabTo(t, "Your answer")
	b.tabTo(t, "Next")
	b.enter(t)
	b.wantPath(t, "/interview/"+session+"/questions/2")
	b.press(t, "Previous")
	wantAnswer(t, b, text+text)
	b.press(t, "Review answers")
	b.wantText(t, text, "Not answered")
	b.inspect(t, "candidate-review")
	b.tick(t, finish)
	b.press(t, "Submit answers")
	b.wantPath(t, "/interview/"+session+"/")
	b.wantText(t, "Thank you", "Continue to jobs.example.com")
	b.inspect(t, "candidate-done")
	facts := evaluatedFacts(t, s, session)
	typed, _ := facts["typed_characters"].(float64)
	pasted, _ := facts["pasted_characters"].(float64)
	if facts["by"] != "candidate" || typed != 78 || pasted != 78 || facts["pastes"] != 1.0 || facts["seconds"] == nil {
		t.Errorf("facts %v, want 78 characters typed, and as many pasted at once", facts)
	}

	b = c.person(t, s.URL, screen)
	openLink(t, b, token)
	b.wantText(t, "This link was already used")
	b.inspect(t, "candidate-used")
}

// keptWhileBusy checks that the page keeps an answer that the server can't save at the moment, and saves it later.
func keptWhileBusy(t *testing.T, c *chromium, s *server) {
	_, token := inviteCandidate(t, s, "ai_questions", `{"language":"en"}`)
	b := c.person(t, s.URL, screen{"desktop", 1280, 800})
	openLink(t, b, token)
	b.tick(t, agree)
	b.press(t, "Start")
	b.run(t, "refuse the next request", chromedp.Evaluate(`{
		const real = window.fetch;
		window.fetch = async () => {
			window.fetch = real;
			return new Response('{"fault":"busy"}', {status: 409});
		};
	}`, nil))
	const text = "I would measure first."
	b.fill(t, "Your answer", text)
	b.run(t, "wait for the refusal", chromedp.Poll(
		`document.getElementById("saved").textContent === document.getElementById("answering").dataset.offline`, nil))
	waitSaved(t, b)
	wantAnswer(t, b, text)
}

// wantAnswer checks the text in the field.
func wantAnswer(t *testing.T, b *tab, want string) {
	t.Helper()
	var got string
	b.run(t, "read the answer", chromedp.Value("#answer", &got, chromedp.ByQuery))
	if got != want {
		t.Errorf("the answer is %q, want %q", got, want)
	}
}

// refusedCandidates looks at pages in another language, and at a link without a token.
func refusedCandidates(t *testing.T, c *chromium, s *server, screen screen) {
	b := c.person(t, s.URL, screen)
	b.open(t, "/interview/")
	b.inspect(t, "candidate-open")
	b.fill(t, "Invitation code", "wrong")
	if status := b.press(t, "Open interview"); status != http.StatusNotFound {
		t.Errorf("status %d for a wrong code", status)
	}
	session, token := inviteCandidate(t, s, "ai_questions", `{"language":"de"}`)
	openLink(t, b, token)
	b.inspect(t, "candidate-intro-de")
	b.run(t, "start without the tick", chromedp.Click(`//button[normalize-space(.)="Starten"]`))
	b.wantPath(t, "/interview/"+session+"/")
	b.tick(t, "Ich habe dies gelesen und bin einverstanden.")
	b.press(t, "Starten")
	dataOf(t, s, http.MethodDelete, "/api/v1/interviews/"+session+"/invitation", "")
	b.open(t, "/interview/"+session+"/")
	b.wantText(t, "Diese Einladung wurde zurückgezogen")
	b.inspect(t, "candidate-revoked-de")
}

func withoutScript(t *testing.T, c *chromium, s *server) {
	session, token := inviteCandidate(t, s, "ai_questions", `{"time_limit_minutes":30,"language":"en"}`)
	b := c.person(t, s.URL, screen{"phone", 360, 740})
	b.run(t, "turn off JavaScript", emulation.SetScriptExecutionDisabled(true))
	b.open(t, "/interview/")
	b.fill(t, "Invitation code", token)
	b.press(t, "Open interview")
	b.wantPath(t, "/interview/"+session+"/")
	b.tick(t, agree)
	b.press(t, "Start")
	b.wantText(t, "Time remaining: 30 min")
	b.fill(t, "Your answer", "I would measure first.")
	b.press(t, "Save")
	wantAnswer(t, b, "I would measure first.")
	b.press(t, "Next")
	b.press(t, "Review answers")
	b.tick(t, finish)
	b.press(t, "Submit answers")
	b.wantText(t, "Thank you")
	facts := evaluatedFacts(t, s, session)
	for _, name := range []string{"seconds", "typed_characters", "pasted_characters", "pastes"} {
		if facts[name] != nil {
			t.Errorf("%s is %v without JavaScript", name, facts[name])
		}
	}
}

func adaptively(t *testing.T, c *chromium, s *server) {
	session, token := inviteCandidate(t, s, "adaptive", `{"language":"en"}`)
	b := c.person(t, s.URL, screen{"desktop", 1280, 800})
	openLink(t, b, token)
	b.tick(t, agree)
	b.press(t, "Start")
	b.inspect(t, "candidate-adaptive")
	b.fill(t, "Your answer", "I would measure first.")
	b.press(t, "Next")
	b.wantPath(t, "/interview/"+session+"/questions/2")
	b.open(t, "/interview/"+session+"/questions/1")
	b.wantPath(t, "/interview/"+session+"/questions/2")
	b.press(t, "Review answers")
	b.tick(t, finish)
	b.press(t, "Submit answers")
	b.wantText(t, "Thank you")
	evaluatedFacts(t, s, session)
}
