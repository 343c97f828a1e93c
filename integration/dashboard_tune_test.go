//go:build integration

package integration

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A recruiter compares two people with keys, asks why somebody is behind by name, tries weights with the keyboard, and
// matches with them.
func TestDashboard_Tune(t *testing.T) {
	s, v := openPlayground(t, 200)
	c := newChromium(t)
	b := c.person(t, s.URL, screen{"1440", 1440, 900})
	b.assume(t, v)
	b.open(t, "/dashboard/playground?sample=1")
	b.press(t, "Find matches")
	b.press(t, "Save as project")
	b.open(t, "/dashboard/playground")
	b.fill(t, "Description", "Python data pipeline for a shop, with PostgreSQL")
	b.press(t, "Find matches")
	var result string
	b.run(t, "read the path", chromedp.Evaluate(`location.pathname`, &result))

	b.run(t, "select two people", chromedp.KeyEvent("c"))
	b.waitFor(t, `//*[@id="announcer" and contains(., "selected for the comparison")]`)
	b.run(t, "next", chromedp.KeyEvent("j"))
	b.waitFor(t, `//*[@id="announcer" and contains(., ", number 2")]`)
	b.run(t, "select", chromedp.KeyEvent("c"))
	b.waitFor(t, `//*[@id="announcer" and contains(., "selected for the comparison")]`)
	b.inspect(t, "workbench-selected")
	b.load(t, "compare them", chromedp.KeyEvent("v"))
	b.wantText(t, "Who is ahead", "is ahead of", "Contributions to the score", "Hourly rate")
	b.inspect(t, "people")
	var people string
	b.run(t, "read the query", chromedp.Evaluate(`location.pathname + location.search`, &people))

	// The tenth person is asked for by name.
	b.open(t, result)
	name := b.text(t, ".person-row:nth-child(10) .who-cell a")
	b.fill(t, "Why not…?", name)
	b.press(t, "Explain")
	if text := b.text(t, "main"); strings.Contains(text, "Who is meant by") {
		b.press(t, "Explain "+name)
	}
	b.wantText(t, "Rank 10 of")
	b.inspect(t, "why-not-alternatives")

	b.open(t, result+"/tune")
	b.wantText(t, "Change a weight to see who moves.")
	const slider = `input[aria-label="Words weight, slider"]`
	b.run(t, "turn the weight of words down with the keyboard", chromedp.Focus(slider, chromedp.ByQuery),
		chromedp.KeyEvent(kb.Home))
	b.waitFor(t, `//*[@data-sentence and starts-with(., "Words no longer counts")]`)
	b.wantText(t, "Your other briefs", "of 10 changed")
	b.inspect(t, "tune")
	var tuned string
	b.run(t, "read the address", chromedp.Evaluate(`location.pathname + location.search`, &tuned))
	b.press(t, "Find matches with these weights")
	b.wantText(t, "matches from")

	phone := c.person(t, s.URL, screen{"390", 390, 844})
	phone.assume(t, v)
	for name, path := range map[string]string{"people": people, "tune": tuned, "workbench-boxes": result} {
		phone.open(t, path)
		phone.inspect(t, name)
	}
}

// Without scripts, people and weights are forms.
func TestDashboard_TuneWithoutScript(t *testing.T) {
	s, v := openPlayground(t, 200)
	b := newChromium(t).person(t, s.URL, screen{"1440", 1440, 900})
	b.assume(t, v)
	b.run(t, "disable scripts", emulation.SetScriptExecutionDisabled(true))
	b.open(t, "/dashboard/playground?sample=1")
	b.press(t, "Find matches")
	b.run(t, "select two people", chromedp.Click(".person-row:nth-child(1) .pick input", chromedp.ByQuery),
		chromedp.Click(".person-row:nth-child(3) .pick input", chromedp.ByQuery))
	b.press(t, "Compare people")
	b.wantText(t, "Who is ahead")
	b.load(t, "go back", chromedp.Click(".back a", chromedp.ByQuery))
	b.load(t, "open the page of weights", chromedp.Click(`//a[.="Tune"]`))
	b.fill(t, "Budget weight", "3")
	b.press(t, "Rank with these weights")
	b.wantText(t, "Budget counts", "The list with these weights")
	b.press(t, "Find matches with these weights")
	b.wantText(t, "matches from")
}
