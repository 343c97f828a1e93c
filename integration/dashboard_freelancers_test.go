//go:build integration

package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// A member's way to a person: search by skill and place, open the profile, and go on to somebody similar. None of it
// needs a script.
func TestDashboard_Freelancers(t *testing.T) {
	s, v := openPlayground(t, 300)
	b := newChromium(t).person(t, s.URL, screen{"laptop", 1440, 900})
	b.assume(t, v)
	b.run(t, "disable scripts", emulation.SetScriptExecutionDisabled(true))

	b.open(t, "/dashboard")
	b.navigate(t, "Freelancers")
	b.wantText(t, "300 freelancers, 1 to 25")
	b.press(t, "Next page")
	b.wantText(t, "26 to 50")
	b.fill(t, "Skill", "React")
	b.press(t, "Search")
	b.wantText(t, "Show all")

	b.load(t, "open a profile", chromedp.Click("tbody th a", chromedp.ByQuery))
	b.wantText(t, "Skills by evidence", "React", "Similar people", "freelancers.csv (300 rows)")
	name := b.text(t, "h1")
	b.load(t, "open somebody similar", chromedp.Click(".alike a", chromedp.ByQuery))
	b.wantText(t, "Similar people", "History")
	if b.text(t, "h1") == name {
		t.Error("a freelancer is similar to themselves")
	}

	b.run(t, "open the menu", chromedp.Click(".manage summary", chromedp.ByQuery))
	b.screenshot(t, "freelancer-menu")
	b.press(t, "Edit the record")
	b.wantText(t, "Empty fields are unknown.")
}

// Profiles and the list hold with the texts of a hostile file: markup, words without an end, and text from right to
// left.
func TestDashboard_FreelancersHostile(t *testing.T) {
	long := strings.Repeat("Donaudampfschifffahrt", 12)
	markup := `<script>alert(1)</script><b onclick='x'>`
	const rightToLeft = "\u202eתכנות שרתים\u202c مبرمج خوادم"
	lines := []string{
		"id,name,job_title,skills,hourly_rate,profile_url,location,languages,available_from,hours_per_week,description",
		"f1," + long + "," + long + "," + long + "|Go,45,javascript:alert(1)," + long + ",German C1,2099-01-01,30," +
			long,
		"f2," + rightToLeft + "," + rightToLeft + ",Go|" + rightToLeft + ",45,https://user@x.site," + rightToLeft + ",,,," +
			rightToLeft,
		`f/3?#,"` + markup + `","` + markup + `","Go|` + markup + `",45,,"` + markup + `",,,,"` + markup + `"`,
	}
	file := filepath.Join(t.TempDir(), "hostile.csv")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	d := deploy(t, embeddedEngine())
	d.index(t, "load", file)
	s := start(t, d.flags...)
	v := newVisitor(t, s)
	v.setUp(t, s)
	b := newChromium(t).person(t, s.URL, screens()[0])
	b.assume(t, v)
	for name, path := range map[string]string{
		"hostile-list": "", "hostile-long": "/f1", "hostile-right-to-left": "/f2", "hostile-markup": "/f%2F3%3F%23",
	} {
		if status := b.open(t, "/dashboard/freelancers"+path); status != 200 {
			t.Errorf("%s: status %d", name, status)
		}
		for _, width := range []int64{320, 390, 1440} {
			b.seeAt(t, name, width, true)
		}
	}
}

// The answer takes the focus after a form was sent, with and without scripts, so that the keyboard goes on there: Enter
// opens the selected profile. Words
// for a score stay whole in wide fonts.
func TestDashboard_AnswerTakesTheFocus(t *testing.T) {
	s, v := openPlayground(t, 100)
	c := newChromium(t)
	for _, scripts := range []bool{true, false} {
		b := c.person(t, s.URL, screens()[0])
		b.assume(t, v)
		b.run(t, "set scripts", emulation.SetScriptExecutionDisabled(!scripts))
		b.open(t, "/dashboard/playground?sample=1")
		b.press(t, "Find matches")
		wantFocus(t, b, "answer")
		if scripts {
			b.load(t, "open the selected profile", chromedp.KeyEvent("\r"))
			b.wantText(t, "Whole profile")
		}
		b.open(t, "/dashboard/playground/skill")
		b.fill(t, "Skill or job title", "React")
		b.press(t, "Verify")
		wantFocus(t, b, "answer")
	}

	b := c.person(t, s.URL, screens()[1])
	b.assume(t, v)
	b.open(t, "/dashboard/playground?sample=1")
	b.press(t, "Find matches")
	b.load(t, "select a row", chromedp.Click(`//*[@data-people]/li[1]//a`))
	wantWholeLevels(t, b)
	b.openView(t, "cards")
	wantWholeLevels(t, b)
}

// wantFocus fails the test unless the element with an ID has the focus.
func wantFocus(t *testing.T, b *tab, id string) {
	t.Helper()
	var focused string
	b.run(t, "read the focus", chromedp.Evaluate(`document.activeElement.id`, &focused))
	if focused != id {
		t.Errorf("the element with the focus has the id %q, want %q", focused, id)
	}
}

// wantWholeLevels fails the test if a word for a score is broken in a wide font.
func wantWholeLevels(t *testing.T, b *tab) {
	t.Helper()
	var counts [2]int // all words, and broken ones
	b.run(t, "look at the words in a wide font", chromedp.Evaluate(`(() => {
		document.body.style.font = "1.25rem monospace";
		document.body.style.letterSpacing = ".2em";
		const words = [...document.querySelectorAll("span.level")].filter((e) => e.offsetParent);
		for (const word of words) word.textContent = "excellent";
		const lines = (e) => {
			const text = document.createRange();
			text.selectNodeContents(e);
			return new Set([...text.getClientRects()].map((r) => r.top)).size;
		};
		return [words.length, words.filter((e) => lines(e) > 1).length];
	})()`, &counts))
	if counts[0] == 0 || counts[1] > 0 {
		t.Errorf("%d of %d words are broken", counts[1], counts[0])
	}
}
