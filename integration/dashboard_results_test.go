//go:build integration

package integration

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// A result has a page of its own: Back and a reload show it again without sending the form, a colleague can open it,
// and another account can't.
func TestDashboard_Results(t *testing.T) {
	s, v := openPlayground(t, 200, "-sign-up", "open")
	b := newChromium(t).person(t, s.URL, screen{"laptop", 1440, 900})
	b.assume(t, v)

	b.open(t, "/dashboard/playground")
	b.press(t, "Use sample brief")
	b.press(t, "Find matches")
	var path string
	b.run(t, "read the path", chromedp.Evaluate(`location.pathname`, &path))

	if !strings.HasPrefix(path, "/dashboard/playground/r/") {
		t.Fatalf("the result is at %s", path)
	}

	b.load(t, "open the interview of a match", chromedp.Click(`//article//a[.="Interview"]`))
	b.wantPath(t, "/dashboard/playground/interview")
	b.load(t, "go back", chromedp.NavigateBack())
	b.wantPath(t, path)
	b.wantText(t, "candidates", "Why this score")
	b.load(t, "reload", chromedp.Reload())
	b.wantText(t, "candidates", "Why this score")
	var kept int
	b.run(t, "count the results", chromedp.Evaluate(`document.querySelectorAll(".recent li").length`, &kept))

	if kept != 1 {
		t.Errorf("%d results, want 1: Back or the reload has sent the form again", kept)
	}

	secret := v.linkSecret(t, v.post(t, "/dashboard/members", url.Values{"role": {"member"}}))
	colleague := newVisitor(t, s)
	stranger := newVisitor(t, s)
	colleague.follow(t, "join", secret, url.Values{"email": {membersEmail}, "password": {password}}).wantSignedIn(t)

	if p := colleague.get(t, path); p.status != http.StatusOK || !strings.Contains(p.body, "Why this score") {
		t.Errorf("a colleague gets status %d", p.status)
	}

	stranger.signUp(t, "Acme Studio", ownersEmail)
	id := strings.TrimPrefix(path, "/dashboard/playground/r/")
	compare := "/dashboard/playground/compare?a=" + id + "&b=" + id
	for _, path := range []string{path, path + "/matches.csv", compare} {
		if p := stranger.get(t, path); p.status != http.StatusNotFound {
			t.Errorf("another account gets status %d for %s", p.status, path)
		}
	}
}

// A recruiter goes through the people of an answer with keys, in the list and on the pages of people, and the shortlist
// of the list has who was chosen.
func TestDashboard_People(t *testing.T) {
	s, v := openPlayground(t, 200)
	b := newChromium(t).person(t, s.URL, screen{"laptop", 1440, 900})
	b.assume(t, v)
	b.open(t, "/dashboard/playground?sample=1")
	b.press(t, "Find matches")
	var people []string
	b.run(t, "read the links", chromedp.Evaluate(
		`[...document.querySelectorAll("[data-people] > li")].map((row) => row.dataset.page)`, &people))
	if len(people) != 50 {
		t.Fatalf("the list has %d people, want 50", len(people))
	}

	// wantShown waits until the pane shows a person, whose row is the selected one then.
	wantShown := func(person int) {
		t.Helper()
		b.waitFor(t, fmt.Sprintf(`//*[@data-selected and @data-page=%[1]q]/ancestor::main//*[@data-pane]//h2/a[@href=%[1]q]`,
			people[person]))
	}

	wantShown(0)
	for _, step := range []struct {
		key    string
		person int
	}{{"j", 1}, {"j", 2}, {"k", 1}, {"s", 1}, {"x", 2}} {
		b.run(t, "press "+step.key, chromedp.KeyEvent(step.key))
		wantShown(step.person)
	}

	b.wantText(t, "Shortlist only (1)")
	b.waitFor(t, `//*[@data-people]/li[2]//*[@data-mark and .="not suitable"]`)
	b.run(t, "ask for the keys", chromedp.KeyEvent("?"), chromedp.WaitVisible("dialog.keys", chromedp.ByQuery))
	b.inspect(t, "workbench-keys")
	b.run(t, "close the keys", chromedp.Click("dialog.keys button", chromedp.ByQuery))

	b.load(t, "open the profile", chromedp.KeyEvent("\r"))
	for _, step := range []struct {
		key    string
		person int
	}{{"j", 3}, {"k", 2}, {"k", 1}} {
		b.load(t, "press "+step.key, chromedp.KeyEvent(step.key))
		b.wantPath(t, people[step.person])
	}
	b.wantText(t, "Not suitable.")

	b.load(t, "go back to the list", chromedp.Click(`//a[starts-with(., "← Matches")]`))
	b.wantText(t, "Shortlist only (1)")
}

// A laptop shows 15 people without scrolling, also without scripts; on a phone, the profile replaces the list.
func TestDashboard_Workbench(t *testing.T) {
	s, v := openPlayground(t, 200)
	c := newChromium(t)
	laptop := c.person(t, s.URL, screen{"laptop", 1440, 900})
	laptop.assume(t, v)
	laptop.run(t, "disable scripts", emulation.SetScriptExecutionDisabled(true))
	laptop.open(t, "/dashboard/playground?sample=1")
	laptop.press(t, "Find matches")

	var visible, height int
	laptop.run(t, "count the rows", chromedp.Evaluate(`[...document.querySelectorAll("[data-people] > li")].
		filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length`, &visible),
		chromedp.Evaluate(`Math.round(document.querySelector("[data-people] > li").getBoundingClientRect().height)`, &height))
	if visible < 15 || height > 50 {
		t.Errorf("%d rows of %d pixels on the screen, want 15 of about 48", visible, height)
	}

	third := `//*[@data-people]/li[3]//a`
	var name string
	laptop.run(t, "read a name", chromedp.Text(third, &name))
	laptop.load(t, "select the row", chromedp.Click(third))
	laptop.wantText(t, "place 3")
	laptop.press(t, "Not suitable")
	laptop.wantText(t, name+": not suitable.")
	laptop.screenshot(t, "workbench-without-script")
	laptop.load(t, "set the first facet", chromedp.Click(".facets button", chromedp.ByQuery))
	laptop.wantText(t, "remove the filter")

	phone := c.person(t, s.URL, screens()[1])
	phone.assume(t, v)
	phone.open(t, "/dashboard/playground?sample=1")
	phone.press(t, "Find matches")
	phone.load(t, "select a row", chromedp.Click(third))
	phone.waitFor(t, `//*[@data-pane]//h2`)
	phone.run(t, "look for the list", chromedp.WaitNotVisible("[data-people]", chromedp.ByQuery))
	phone.inspect(t, "workbench-person")
	phone.load(t, "go back to the list", chromedp.Click(`//a[.="← All matches"]`))
	phone.run(t, "look for the list", chromedp.WaitVisible("[data-people]", chromedp.ByQuery))
	phone.inspect(t, "workbench-list")
}
