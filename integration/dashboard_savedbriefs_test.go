//go:build integration

package integration

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/freelancer-matching/service/integration/programs"
)

// A recruiter watches a brief, erases the best person, sees who has taken a place, and finds the brief on a profile.
func TestDashboard_SavedBriefs(t *testing.T) {
	s, v := openPlayground(t, 200)
	c := newChromium(t)
	b := c.person(t, s.URL, screen{"1440", 1440, 900})
	b.assume(t, v)
	b.open(t, "/dashboard/briefs")
	b.wantText(t, "A saved brief is watched")
	b.inspect(t, "briefs-none")

	b.open(t, "/dashboard/playground?sample=1")
	b.press(t, "Find matches")
	b.inspect(t, "bell-result")
	b.tabTo(t, "Watch this brief")
	b.enter(t)
	b.wantText(t, "Watched from now on.")
	b.press(t, "Save as project")
	b.load(t, "open the project", chromedp.Click(`//a[starts-with(., "Open project")]`))
	b.reloadUntil(t, "Watched: 10 on the list")
	b.inspect(t, "bell-project")
	project := b.path(t)

	b.load(t, "open the saved brief", chromedp.Click(`//a[contains(@class, "bell")]`))
	brief := b.path(t)
	b.wantText(t, "On the list now 10", "The best 10 of all freelancers")
	b.inspect(t, "brief")
	b.load(t, "open the best person", chromedp.Click(".standing a", chromedp.ByQuery))
	b.wantText(t, "Open briefs for this person", "Rank 1 of")
	b.inspect(t, "suited")
	v.post(t, "/dashboard/admin/freelancers/"+b.path(t)[len("/dashboard/freelancers/"):]+"/delete",
		map[string][]string{"confirm": {"yes"}})

	b.open(t, project)
	b.reloadUntil(t, "Watched: 1 new of 10")
	b.open(t, "/dashboard/briefs")
	b.wantText(t, "10 of 10", "1 new")
	b.inspect(t, "briefs")
	b.open(t, brief)
	b.wantText(t, "1 person is new since you looked last.")
	b.inspect(t, "brief-news")

	phone := c.person(t, s.URL, screen{"390", 390, 844})
	phone.assume(t, v)
	for name, path := range map[string]string{"briefs": "/dashboard/briefs", "brief": brief, "bell-project": project} {
		if status := phone.open(t, path); status != http.StatusOK {
			t.Errorf("%s has status %d on a phone", path, status)
		}
		phone.inspect(t, name)
	}
}

// Without scripts, a brief is watched, renamed, closed, reopened and deleted.
func TestDashboard_SavedBriefsWithoutScript(t *testing.T) {
	s, v := openPlayground(t, 200)
	b := newChromium(t).person(t, s.URL, screen{"390", 390, 844})
	b.assume(t, v)
	b.run(t, "disable scripts", emulation.SetScriptExecutionDisabled(true))
	b.open(t, "/dashboard/playground?sample=1")
	b.press(t, "Find matches")
	b.press(t, "Watch this brief")
	b.load(t, "open the saved brief", chromedp.Click(`//a[contains(@class, "bell")]`))
	b.fill(t, "Name", "Renamed")
	b.fill(t, "Places on the list", "3")
	b.press(t, "Save")
	b.reloadUntil(t, "On the list now 3")
	b.press(t, "Close")
	b.wantText(t, "A closed brief isn’t watched.")
	b.screenshot(t, "brief-closed")
	b.press(t, "Reopen")
	b.load(t, "match again", chromedp.Click(`//a[.="Match again"]`))
	b.press(t, "Find matches")
	b.open(t, "/dashboard/briefs")
	b.load(t, "open the saved brief", chromedp.Click("tbody a", chromedp.ByQuery))
	b.press(t, "Delete saved brief")
	b.wantText(t, "Saved brief “Renamed” deleted.")
}

// path returns the path of the open page.
func (b *tab) path(t *testing.T) (path string) {
	t.Helper()
	b.run(t, "read the path", chromedp.Evaluate(`location.pathname`, &path))
	return path
}

// reloadUntil opens the page again until it has a text.
func (b *tab) reloadUntil(t *testing.T, text string) {
	t.Helper()
	path := b.path(t)
	programs.Eventually(t, text, func() bool {
		b.open(t, path)
		return strings.Contains(b.text(t, "main"), text)
	})
}
