//go:build integration

package integration

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// A recruiter shortlists three people for a brief, contacts one and hires them, shows the people to a client, and finds
// the hire on the page of outcomes.
func TestDashboard_Projects(t *testing.T) {
	s, v := openPlayground(t, 200)
	c := newChromium(t)
	b := c.person(t, s.URL, screen{"1440", 1440, 900})
	b.assume(t, v)
	b.open(t, "/dashboard/projects")
	b.wantText(t, "Briefs that your account works on appear here")
	b.open(t, "/dashboard/playground?sample=1")
	b.press(t, "Find matches")

	// The first star is in the browser only. It moves to the project.
	b.run(t, "shortlist the first person", chromedp.KeyEvent("s"))
	b.wantText(t, "Shortlist only (1)")
	b.press(t, "Save as project")
	b.wantText(t, "Shortlist only (1)")
	for n := 2; n <= 3; n++ {
		b.run(t, "select the next person", chromedp.KeyEvent("j"))
		b.waitFor(t, fmt.Sprintf(`//*[@id="announcer" and contains(., ", number %d")]`, n))
		b.run(t, "shortlist", chromedp.KeyEvent("s"))
		b.waitFor(t, fmt.Sprintf(`//*[@id="announcer" and .="%d on the shortlist."]`, n))
	}
	b.inspect(t, "workbench-project")

	b.load(t, "open the project", chromedp.Click(`//a[starts-with(., "Open project")]`))
	b.wantText(t, "Shortlisted 3")
	var project string
	b.run(t, "read the path", chromedp.Evaluate(`location.pathname`, &project))
	b.load(t, "contact the first person", chromedp.Click(`(//button[.="Contacted"])[1]`))
	b.wantText(t, "Contacted 1", "Shortlisted 2")
	b.tabTo(t, "Interested")
	b.enter(t)
	b.wantText(t, "Interested 1")
	b.load(t, "hire the first person", chromedp.Click(`(//button[.="Hired"])[1]`))
	b.wantText(t, "Hired 1", "Shortlisted 2")

	hostile := `"><img src=x onerror=document.title='bad'> ` + strings.Repeat("long", 60)
	b.fill(t, "Notes", hostile)
	b.press(t, "Save")
	b.wantText(t, "Saved.")
	b.press(t, "Create link")
	link := b.text(t, "#client-link")
	b.inspect(t, "project")
	for _, details := range []string{"Add a note", "Write to them"} {
		b.run(t, "open "+details, chromedp.Click(fmt.Sprintf(`(//summary[starts-with(., %q)])[1]`, details)))
	}
	b.inspect(t, "project-open")

	client := c.person(t, s.URL, screen{"1440", 1440, 900})
	client.open(t, strings.TrimPrefix(link, s.URL))
	client.wantText(t, "3 people for your project", "Person 1", "hired")
	client.inspect(t, "shared")

	b.open(t, "/dashboard/outcomes")
	row := strings.Join(strings.Fields(b.text(t, "#funnel ~ .scroll tbody tr:last-child")), " ")
	if row != "All 50 0 1 1 0 2%" {
		t.Errorf("the last row of the funnel is %q, want 50 shown, 1 contacted, 1 hired", row)
	}
	b.inspect(t, "outcomes")

	phone := c.person(t, s.URL, screen{"390", 390, 844})
	phone.assume(t, v)
	for name, path := range map[string]string{
		"projects": "/dashboard/projects", "project": project, "outcomes": "/dashboard/outcomes",
		"shared": strings.TrimPrefix(link, s.URL),
	} {
		if status := phone.open(t, path); status != http.StatusOK {
			t.Errorf("%s has status %d on a phone", path, status)
		}
		phone.inspect(t, name)
	}
}

// Without scripts, each profile has a button for the shortlist, and each person of a project has buttons.
func TestDashboard_ProjectsWithoutScript(t *testing.T) {
	s, v := openPlayground(t, 200)
	b := newChromium(t).person(t, s.URL, screen{"1440", 1440, 900})
	b.assume(t, v)
	b.run(t, "disable scripts", emulation.SetScriptExecutionDisabled(true))
	b.open(t, "/dashboard/playground?sample=1")
	b.press(t, "Find matches")
	b.press(t, "Save as project")
	b.press(t, "Shortlist")
	b.wantText(t, "Take off the shortlist")
	b.screenshot(t, "workbench-project-without-script")
	b.load(t, "open the project", chromedp.Click(`//a[starts-with(., "Open project")]`))
	b.press(t, "Contacted")
	b.wantText(t, "Contacted 1")
	b.press(t, "Not suitable")
	b.wantText(t, "Nobody is on the shortlist yet.")
	b.load(t, "match again", chromedp.Click(`//a[.="Match again"]`))
	b.press(t, "Find matches")
	b.wantText(t, "Open project")
}
