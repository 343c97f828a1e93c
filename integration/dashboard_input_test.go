//go:build integration

package integration

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Forms name their fields in errors, take skills as chips, and ask for what a brief lacks, with and without scripts.
func TestDashboard_Input(t *testing.T) {
	s, _ := openPlayground(t, 200)
	b := newChromium(t).person(t, s.URL, screen{"phone", 390, 844})
	signInAsAdministrator(t, b, s, func(*testing.T, string) {})

	for _, scripts := range []bool{true, false} {
		b.run(t, "set scripts", emulation.SetScriptExecutionDisabled(!scripts))
		seeErrors(t, b, scripts)
	}
	b.run(t, "turn on scripts", emulation.SetScriptExecutionDisabled(false))
	pickSkills(t, b)
}

// seeErrors submits invalid forms. The summary of their errors has the focus and is on the screen.
func seeErrors(t *testing.T, b *tab, scripts bool) {
	t.Helper()
	b.open(t, "/dashboard/playground")
	b.fill(t, "Description", "A React shop")
	b.fill(t, "To", "900")
	b.fill(t, "Days", "soon")
	b.fill(t, "Size", "few")

	if status := b.press(t, "Find matches"); status != http.StatusUnprocessableEntity {
		t.Errorf("status %d for a brief without numbers", status)
	}

	b.wantText(t, "Correct these 2 fields:", "Days: Enter a time such as 10 days", "Size of the work: Enter a size")
	var state struct {
		Focused     bool
		Top, Bottom float64
	}

	b.run(t, "find the focus", chromedp.Evaluate(`(() => {
		const faults = document.getElementById("faults"), box = faults.getBoundingClientRect();
		return {focused: document.activeElement === faults, top: box.top, bottom: box.bottom};
	})()`, &state))

	if !state.Focused || state.Top < 0 || state.Bottom > float64(b.screen.height) {
		t.Errorf("scripts %v: the summary of the errors is not on the screen or lacks the focus: %+v", scripts, state)
	}

	if scripts {
		b.inspect(t, "input-errors")
	}
}

// pickSkills enters skills with the keyboard.
func pickSkills(t *testing.T, b *tab) {
	t.Helper()
	b.open(t, "/dashboard/playground")
	want := func(step, skills string) {
		t.Helper()
		var got string
		b.run(t, step, chromedp.Evaluate(`document.querySelector("input[name=required_skills]").value`, &got))
		if got != skills {
			t.Fatalf("%s: the form has the skills %q, want %q", step, got, skills)
		}
	}

	press := func(keys string) {
		t.Helper()
		b.run(t, "press keys", chromedp.SendKeys("#required_skills", keys, chromedp.ByQuery))
	}

	b.fill(t, "Required skills", "javascr")
	b.run(t, "wait for suggestions",
		chromedp.WaitVisible("#required_skills-list [data-name=JavaScript]:first-child", chromedp.ByQuery))
	press(kb.ArrowDown)
	b.inspect(t, "input-skills")
	// Newer suggestions arrive after the choice.
	b.run(t, "ask for suggestions again",
		chromedp.Evaluate(`document.querySelector("#required_skills-list [aria-selected=true]").dataset.old = "";
			document.getElementById("required_skills").dispatchEvent(new Event("input"))`, nil),
		chromedp.WaitReady("#required_skills-list [data-name=JavaScript]:not([data-old])", chromedp.ByQuery))

	press(kb.Enter)
	want("choose a suggestion", "JavaScript")
	press("Rust,Go,")
	want("type commas", "JavaScript, Rust, Go")
	press(kb.Backspace)
	want("press Backspace", "JavaScript, Rust")
	b.run(t, "remove a chip", chromedp.Click(`button[aria-label="Remove Rust"]`, chromedp.ByQuery))
	want("remove a chip", "JavaScript")
	press("react")
	b.run(t, "wait for suggestions", chromedp.WaitVisible("#required_skills-list [role=option]", chromedp.ByQuery))
	press(kb.Escape)
	var open bool
	b.run(t, "press Escape", chromedp.Evaluate(
		`document.getElementById("required_skills").getAttribute("aria-expanded") === "true"`, &open))

	if open {
		t.Error("Escape does not close the suggestions")
	}

	want("type without a comma", "JavaScript, react")
	b.press(t, "Find matches")

	if text := b.text(t, "body"); !strings.Contains(text, "JavaScript") || !strings.Contains(text, "from") {
		t.Errorf("no matches for chips:\n%s", text)
	}

	b.inspect(t, "input-chips")
}
