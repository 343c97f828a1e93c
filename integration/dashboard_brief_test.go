//go:build integration

package integration

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

const shopAdvert = `React developer for an online shop (f/m/d)

We need a React and Node.js developer. TypeScript is a plus, no WordPress.
Budget: 3,000 - 5,000 USD in total. It must be finished within six weeks.`

// An advert fills in the brief, with and without scripts; its chips and the assumptions of the answer can be changed.
func TestDashboard_Brief(t *testing.T) {
	s, v := openPlayground(t, 200)
	c := newChromium(t)
	for _, screen := range []screen{{"laptop", 1440, 900}, {"phone", 390, 844}} {
		for _, scripts := range []bool{true, false} {
			b := c.person(t, s.URL, screen)
			b.assume(t, v)
			b.run(t, "set scripts", emulation.SetScriptExecutionDisabled(!scripts))
			pasteAdvert(t, b, scripts)
			changeAssumptions(t, b, scripts)
		}
	}

	b := c.person(t, s.URL, screen{"laptop", 1440, 900})
	b.assume(t, v)
	readAdvertFile(t, b)
}

// pasteAdvert has an advert read, removes a chip, and finds freelancers.
func pasteAdvert(t *testing.T, b *tab, scripts bool) {
	t.Helper()
	b.open(t, "/dashboard/playground")
	b.fill(t, "Paste the job advert", shopAdvert)
	b.press(t, "Read the advert")
	b.wantText(t, "Read in the advert", "React developer for an online shop (f/m/d)", "3000–5000", "42 days",
		"Left out of the search because of", "not WordPress")
	if scripts {
		var focused bool
		b.run(t, "find the focus", chromedp.Evaluate(`document.activeElement.id === "proposals"`, &focused))
		if !focused {
			t.Error("the proposals lack the focus")
		}
		b.inspect(t, "brief-proposals")
	}

	b.load(t, "remove the title", chromedp.Click(`//*[@id="proposals"]//button[contains(., "remove Title")]`))
	var title string
	b.run(t, "read the title", chromedp.Value("#job_title", &title, chromedp.ByQuery))
	if title != "" {
		t.Errorf("the title is still %q", title)
	}
	b.press(t, "Find with these")
	b.wantText(t, "How the brief was read")
}

// changeAssumptions sets the size of the work with the keyboard, and excludes what the text doesn't want.
func changeAssumptions(t *testing.T, b *tab, scripts bool) {
	t.Helper()
	// Enter presses the first button of the form, which must match again and change nothing else.
	b.load(t, "set the size", chromedp.SendKeys("#new_effort_hours", "2 days"+kb.Enter, chromedp.ByQuery))
	b.wantText(t, "16 hours of work", "42 days")

	exclude := `//*[contains(@class, "assumed")]//button[contains(., "exclude people with WordPress")]`
	b.load(t, "exclude WordPress", chromedp.Click(exclude))
	b.wantText(t, "Without: WordPress", "16 hours of work")
	if scripts {
		b.run(t, "scroll to the assumptions", chromedp.ScrollIntoView(".assumed", chromedp.ByQuery))
		b.screenshot(t, "brief-assumed")
		b.inspect(t, "brief-assumptions")
	}
}

// readAdvertFile has files with adverts read, one of which can't be.
func readAdvertFile(t *testing.T, b *tab) {
	t.Helper()
	dir := t.TempDir()
	advert := filepath.Join(dir, "advert.txt")
	broken := filepath.Join(dir, "broken.pdf")
	for path, text := range map[string]string{advert: shopAdvert, broken: "%PDF-1.7\n" + strings.Repeat("x", 100)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	b.open(t, "/dashboard/playground")
	b.drop(t, advert)
	b.press(t, "Read the advert")
	b.wantText(t, "Read in the advert", "42 days")

	b.open(t, "/dashboard/playground")
	b.chooseFile(t, broken)
	if status := b.press(t, "Read the advert"); status != http.StatusUnprocessableEntity {
		t.Errorf("status %d for a damaged file", status)
	}
	b.inspect(t, "brief-damaged")
}
