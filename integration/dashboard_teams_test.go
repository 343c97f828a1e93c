//go:build integration

package integration

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A recruiter composes a team from the words of a brief, looks at it in both schemes, swaps a person with the keyboard,
// and drags somebody else to a seat.
func TestDashboard_Teams(t *testing.T) {
	s, v := openPlayground(t, 1500)
	c := newChromium(t)
	b := c.person(t, s.URL, screen{"1440", 1440, 900})
	b.assume(t, v)
	b.open(t, "/dashboard/teams")
	b.inspect(t, "teams-empty")
	b.press(t, "Use sample brief")
	b.inspect(t, "teams-sample")
	b.press(t, "Compose team")
	b.wantText(t, "Recommended team", "“React”", "Weakest point", "Other teams", "Best fit", "of 15,000")
	b.inspect(t, "team")
	var path string
	b.run(t, "read the path", chromedp.Evaluate(`location.pathname`, &path))

	// The list of a seat opens with the keyboard, and its first button swaps.
	const summary = ".seat:nth-child(2) summary"
	b.run(t, "open the list with the keyboard", chromedp.Focus(summary, chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
	b.inspect(t, "team-swaps")
	name := b.text(t, ".seat:nth-child(2) .swaps li:nth-child(1) .swapwho a")
	b.load(t, "swap with the keyboard",
		chromedp.Focus(".seat:nth-child(2) .swaps li:nth-child(1) button", chromedp.ByQuery), chromedp.KeyEvent(kb.Enter))
	if got := b.text(t, ".seat:nth-child(2) .seatpeople"); !strings.Contains(got, name) {
		t.Errorf("%s isn't in the seat after the swap, but %q", name, got)
	}
	b.inspect(t, "team-swapped")

	// Dragging does what the button does.
	name = b.text(t, ".seat:nth-child(1) .swaps li:nth-child(2) .swapwho a")
	b.load(t, "drag somebody to the seat", chromedp.Evaluate(`(() => {
		const seat = document.querySelector(".seat:nth-child(1)");
		const row = seat.querySelectorAll("[data-swap]")[1];
		const people = seat.querySelector(".seatpeople");
		const dataTransfer = new DataTransfer();
		const send = (type, target) => target.dispatchEvent(
			new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
		send("dragstart", row);
		send("dragover", people);
		send("drop", people);
	})()`, nil))
	if got := b.text(t, ".seat:nth-child(1) .seatpeople"); !strings.Contains(got, name) {
		t.Errorf("%s isn't in the seat after the drag, but %q", name, got)
	}

	for _, screen := range []screen{{"390", 390, 844}, {"320", 320, 700}} {
		phone := c.person(t, s.URL, screen)
		phone.assume(t, v)
		phone.open(t, "/dashboard/teams?sample=1")
		phone.inspect(t, "teams-sample")
		phone.open(t, path)
		phone.run(t, "open a list", chromedp.Click(summary, chromedp.ByQuery))
		phone.inspect(t, "team-swaps")
	}
}

// Without scripts, roles are listed and removed, people are swapped and kept, and an alternative is chosen, by buttons.
func TestDashboard_TeamsWithoutScript(t *testing.T) {
	s, v := openPlayground(t, 1500)
	b := newChromium(t).person(t, s.URL, screen{"1440", 1440, 900})
	b.assume(t, v)
	b.run(t, "disable scripts", emulation.SetScriptExecutionDisabled(true))

	// The brief of a match comes along.
	b.open(t, "/dashboard/playground?sample=1")
	b.press(t, "Find matches")
	b.load(t, "compose a team", chromedp.Click(`//a[.="Compose a team"]`))
	b.wantText(t, "Teams", "Roles are proposed")
	b.press(t, "List the roles")
	b.press(t, "Add a role")
	b.fill(t, "Role", "Nobody needs this")
	b.press(t, "Remove role 1")
	b.fill(t, "Role", "Developer")
	b.fill(t, "Skills", "React, Node.js")
	b.fill(t, "Budget for the whole work", "50 USD/h")
	b.press(t, "Compose team")
	b.wantText(t, "enter the price of the whole work")
	b.screenshot(t, "teams-faults")
	b.fill(t, "Budget for the whole work", "20,000 USD")
	b.press(t, "Compose team")
	b.wantText(t, "Recommended team", "of 20,000 USD")

	b.run(t, "open the list", chromedp.Click(".seat summary", chromedp.ByQuery))
	name := b.text(t, ".swaps li .swapwho a")
	b.load(t, "swap", chromedp.Click(".swaps li button", chromedp.ByQuery))
	b.wantText(t, name)

	b.run(t, "release the seat", chromedp.Click(".seatkeep input", chromedp.ByQuery))
	b.press(t, "Compose again")
	b.wantText(t, "Recommended team", "Other teams")
	b.load(t, "choose another team", chromedp.Click(".crewothers button", chromedp.ByQuery))
	b.press(t, "Save as project")
	b.wantText(t, "Saved as the project")
}
