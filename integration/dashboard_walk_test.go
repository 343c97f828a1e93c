//go:build integration

package integration

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// maxPageWeight is the largest number of bytes that a page may transfer on a first visit, with styles and scripts.
const maxPageWeight = 150_000

// widths returns the widths in pixels at which layouts must hold: phones, a tablet, a laptop and a large screen.
func widths() []int64 { return []int64{320, 390, 768, 1440, 1920} }

// notWalked returns the GET routes that are no pages of their own.
func notWalked() []string {
	return []string{
		"/dashboard/{$}", "/dashboard/keys/{$}", "/dashboard/keys/{id}/{action}", // redirects
		"/dashboard/admin/freelancers",                  //
		"/dashboard/playground/skills",                  // JSON for the completion
		"/dashboard/playground/r/{result}/matches.csv",  // files
		"/dashboard/playground/r/{result}/matches.json", //
		"/dashboard/projects/{project}/people.csv", "/dashboard/projects/{project}/people.json",
		"/dashboard/activity.csv", "/dashboard/admin/audit.csv", //
	}
}

var (
	accountPattern = regexp.MustCompile(`/dashboard/admin/accounts/\w+`)
	resetPattern   = regexp.MustCompile(`/dashboard/admin/accounts/\w+/users/\w+/reset`)
)

// stop is one page of the walk.
type stop struct{ name, path string }

// Every page holds at every width, in light and dark, with and without scripts: nothing is cut off, axe-core finds no
// fault, the console stays empty, and the page is light. The walk keeps screenshots, and fails on a route that it
// doesn't visit.
func TestDashboard_Walk(t *testing.T) {
	d := deploy(t, embeddedEngine())
	d.index(t, "load", generate(t, 1500, 1))
	s := start(t, append(d.flags, "-sign-up", "open")...)
	v := newVisitor(t, s)
	outside := []stop{
		{"sign-in", "/dashboard/sign-in"},
		{"sign-up", "/dashboard/sign-up"},
		{"setup", "/dashboard/setup"},
		{"join", "/dashboard/join"},
		{"reset", "/dashboard/reset"},
	}

	v.setUp(t, s)
	c := newChromium(t)
	inside := prepare(t, c, v)
	wantAllRoutes(t, slices.Concat(outside, inside))

	entry := newVisitor(t, s)
	entry.post(t, "/dashboard/sign-in", url.Values{"email": {administrator}, "password": {password}})
	for _, scripts := range []bool{true, false} {
		t.Run(fmt.Sprintf("scripts %v", scripts), func(t *testing.T) {
			t.Parallel()
			walk(t, c.person(t, s.URL, screens()[0]), outside, scripts)
			b := c.person(t, s.URL, screens()[0])
			b.assume(t, entry)
			walk(t, b, []stop{{"sign-in-code", codePath}}, scripts)
			b.assume(t, v)
			walk(t, b, inside, scripts)
		})
	}
}

// wantAllRoutes fails the test if the stops leave out a page of the dashboard.
func wantAllRoutes(t *testing.T, stops []stop) {
	t.Helper()
	list, err := os.ReadFile("../server/dashboard/testdata/pages.txt")
	if err != nil {
		t.Fatal(err)
	}

	mux := http.NewServeMux()
	seen := map[string]bool{"GET " + codePath: true}

	for _, pattern := range strings.Fields(string(list)) {
		mux.HandleFunc("GET "+pattern, http.NotFound)
	}

	for _, s := range stops {
		_, pattern := mux.Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: strings.Split(s.path, "?")[0]}})
		seen[pattern] = true
	}

	for _, pattern := range strings.Fields(string(list)) {
		if !seen["GET "+pattern] && !slices.Contains(notWalked(), pattern) {
			t.Errorf("no stop of the walk shows %s", pattern)
		}
	}
}

// prepare fills the account of the administrator, and returns all pages that it can see then.
func prepare(t *testing.T, c *chromium, v *visitor) []stop {
	t.Helper()
	_, key := v.newKey(t, "Website")
	invitation := v.post(t, "/dashboard/members", url.Values{"email": {"guest@example.com"}, "role": {"member"}})
	plan := url.Values{"email": {"new@partner.example"}, "plan": {"enterprise"}}
	partner := v.post(t, "/dashboard/admin/invitations", plan)
	guest := newVisitor(t, v.server)
	guest.signUp(t, "Acme Studio", ownersEmail)
	account := accountPattern.FindString(v.get(t, "/dashboard/admin/accounts?q=Acme").body)
	user := resetPattern.FindString(v.get(t, account).body)
	reset := v.post(t, user, nil)
	hook := v.post(t, "/dashboard/webhooks/new", url.Values{
		"url": {"https://partner.invalid/hook"}, "events": {"key.expiring"},
	})
	hookPath := strings.TrimSuffix(hook.path, "/secret")
	v.post(t, hookPath+"/test", url.Values{"event": {"key.expiring"}})
	stops := []stop{
		{"home", "/dashboard"},
		{"keys", "/dashboard/keys"},
		{"key-new", "/dashboard/keys/new"},
		{"key", "/dashboard/keys/" + key},
		{"key-shown", "/dashboard/keys/" + key + "/secret"},
		{"webhooks", "/dashboard/webhooks"},
		{"webhook-new", "/dashboard/webhooks/new"},
		{"webhook", hookPath},
		{"webhook-shown", hookPath + "/secret"},
		{"usage", "/dashboard/usage?range=7d"},
		{"commands", "/dashboard/go?q=a"},
		{"commands-found", "/dashboard/go?q=re"},
		{"requests", "/dashboard/requests"},
		{"request", recordMatch(t, v)},
		{"projects", "/dashboard/projects"},
		{"briefs", "/dashboard/briefs"},
		{"outcomes", "/dashboard/outcomes"},
		{"playground", "/dashboard/playground"},
		{"skill", "/dashboard/playground/skill"},
		{"resume", "/dashboard/playground/resume"},
		{"interview", "/dashboard/playground/interview"},
		{"data", "/dashboard/data"},
		{"reference", "/dashboard/reference"},
		{"operation", "/dashboard/reference/match"},
		{"account", "/dashboard/account"},
		{"sessions", "/dashboard/account/sessions"},
		{"security", "/dashboard/account/security"},
		{"two-factor", twoFactorPath},
		{"recovery-codes", twoFactorPath + "/codes"},
		{"members", "/dashboard/members"},
		{"member-invited", invitation.path},
		{"activity", "/dashboard/activity"},
		{"accounts", "/dashboard/admin/accounts"},
		{"one-account", account},
		{"reset-link", reset.path},
		{"admin-usage", "/dashboard/admin/usage"},
		{"invitations", "/dashboard/admin/invitations"},
		{"invited", partner.path},
		{"freelancers", "/dashboard/freelancers"},
		{"freelancers-found", "/dashboard/freelancers?place=Germany"},
		{"freelancer", "/dashboard/freelancers/f1"},
		{"freelancer-edit", "/dashboard/admin/freelancers/f1"},
		{"audit", "/dashboard/admin/audit"},
		{"not-found", "/dashboard/nothing"},
	}

	b := c.person(t, v.base, screens()[0])
	b.assume(t, v)
	return append(append(stops, playAll(t, b)...), stop{"interviews", "/dashboard/interviews"})
}

// playAll plays every operation of the playground, and returns the pages of the results.
func playAll(t *testing.T, b *tab) (stops []stop) {
	t.Helper()
	add := func(name, query string) {
		var path string
		b.run(t, "read the path", chromedp.Evaluate(`location.pathname`, &path))
		stops = append(stops, stop{name, path + query})
	}

	b.open(t, "/dashboard/playground")
	b.press(t, "Use sample brief")
	b.press(t, "Find matches")
	add("matches", "")
	add("matches-as-cards", "?view=cards")
	add("matches-as-code", "?view=code")
	id := strings.TrimPrefix(stops[0].path, "/dashboard/playground/r/")
	stops = append(stops, stop{"teams", "/dashboard/teams"}, stop{"teams-brief", "/dashboard/teams?from=" + id})
	b.open(t, "/dashboard/teams?sample=1")
	b.press(t, "Compose team")
	add("team", "")
	stops = append(stops, stop{"tune", stops[0].path + "/tune"}, stop{"tuned", stops[0].path + "/tune?weight_text=2"})
	b.open(t, stops[len(stops)-1].path)
	b.fill(t, "Name", "Words first")
	b.press(t, "Publish as the account’s ranking")
	b.press(t, "Use the shipped default")
	stops = append(stops, stop{"rankings", "/dashboard/rankings?compare=1"})
	b.open(t, stops[0].path)
	stops = append(stops, stop{"comparison", "/dashboard/playground/compare?a=" + id + "&b=" + id})
	b.run(t, "select two people", chromedp.KeyEvent("cjc"))
	b.load(t, "compare them", chromedp.KeyEvent("v"))
	var people string
	b.run(t, "read the query", chromedp.Evaluate(`location.search`, &people))
	add("people", people)
	b.open(t, stops[0].path)
	b.press(t, "Save as project")
	b.run(t, "shortlist a person", chromedp.KeyEvent("s"))
	b.waitFor(t, `//*[@id="announcer" and .="1 on the shortlist."]`)
	b.load(t, "open the project", chromedp.Click(`//a[starts-with(., "Open project")]`))
	add("project", "")
	stops = append(stops, stop{"people-of-project", stops[len(stops)-1].path + "/compare" + people})
	b.press(t, "Watch this brief")
	b.load(t, "open the saved brief", chromedp.Click(`//a[contains(@class, "bell")]`))
	add("brief", "")
	b.open(t, stops[0].path)
	b.load(t, "open the page of the best match", chromedp.Click(".panehead a", chromedp.ByQuery))
	add("person", "")
	var pane string
	b.run(t, "read the path", chromedp.Evaluate(`location.pathname`, &pane))
	stops = append(stops, stop{"person-pane", pane + "?pane=1"})
	b.open(t, stops[0].path)
	b.fill(t, "Why not…?", "f1")
	b.press(t, "Explain")
	add("why-not", "")
	b.open(t, "/dashboard/playground/skill")
	b.press(t, "Use misspelled sample")
	b.press(t, "Verify")
	add("skill-unknown", "")
	b.fill(t, "Skill or job title", "React Developer")
	b.press(t, "Verify")
	add("skill-known", "")
	b.open(t, "/dashboard/playground/resume")
	b.chooseFile(t, "../tools/resumes/testdata/en-1.single.pdf")
	b.press(t, "Parse")
	add("resume-read", "")
	b.press(t, "Add to freelancers")
	var result string
	b.run(t, "read the query", chromedp.Evaluate(`location.search`, &result))
	add("freelancer-new", result)
	b.open(t, "/dashboard/playground/interview")
	b.press(t, "Use sample brief")
	b.press(t, "Start")
	add("interview-found", "")
	b.press(t, "Start") // with the best match
	add("interview-questions", "")
	b.fill(t, "Answer to question 1", "I measured first: the list took 900 ms. After memoizing its rows it took 60 ms.")
	b.press(t, "Evaluate answers")
	add("interview-evaluation", "")
	b.open(t, "/dashboard/interviews")
	b.load(t, "open the report", chromedp.Click("tbody a", chromedp.ByQuery))
	add("interview-report", "")
	b.open(t, "/dashboard/data")
	b.chooseFile(t, "../internal/synthetic/testdata/five.csv")
	b.press(t, "Upload")
	b.waitFor(t, `//h2[.="Publish"]`)
	add("upload", "")

	return stops
}

// assume gives the tab the session of a visitor.
func (b *tab) assume(t *testing.T, v *visitor) {
	t.Helper()
	u, err := url.Parse(v.base)
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range v.client.Jar.Cookies(u) {
		b.run(t, "set the cookie", network.SetCookie(cookie.Name, cookie.Value).WithURL(v.base+"/dashboard"))
	}
}

// walk looks at every stop.
func walk(t *testing.T, b *tab, stops []stop, scripts bool) {
	t.Helper()
	b.run(t, "set scripts", emulation.SetScriptExecutionDisabled(!scripts), network.SetCacheDisabled(scripts))
	for _, s := range stops {
		if status := b.open(t, s.path); status >= 500 {
			t.Errorf("%s: status %d", s.name, status)
		}

		var page struct{ Headings, Weight int }
		b.run(t, "weigh "+s.name, chromedp.Evaluate(`({
			headings: document.querySelectorAll("h1").length,
			weight: [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")].
				reduce((sum, e) => sum + e.transferSize, 0),
		})`, &page))

		if page.Headings != 1 {
			t.Errorf("%s: %d level-one headings, want 1", s.name, page.Headings)
		}

		if page.Weight > maxPageWeight {
			t.Errorf("%s: transfers %d bytes, want at most %d", s.name, page.Weight, maxPageWeight)
		}

		if scripts {
			t.Logf("%s transfers %d kB", s.name, (page.Weight+500)/1000)
		}

		for _, width := range widths() {
			b.seeAt(t, s.name, width, scripts)
		}
	}
}

// seeAt looks at a page at a width, in both color schemes. Without scripts, one scheme is enough, since the schemes are
// the work of the styles alone. The accessibility is checked once on a phone and once on a laptop in either scheme.
func (b *tab) seeAt(t *testing.T, name string, width int64, scripts bool) {
	t.Helper()
	// If the page scrolls sideways, these are the elements that make it.
	const tooWide = `(() => {
		document.getAnimations().forEach(a => a.effect.getComputedTiming().iterations < Infinity && a.finish());
		const width = document.documentElement.clientWidth;
		if (document.scrollingElement.scrollWidth <= width) return [];
		return [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > width + 1).
			map(e => e.outerHTML.slice(0, 120)).slice(-3).concat("in all " + document.scrollingElement.scrollWidth);
	})()`

	b.screen = screen{fmt.Sprint(width), width, 900}
	schemes := []string{"light", "dark"}
	if !scripts {
		schemes = schemes[:1]
		b.screen.name += "-without-scripts"
	}

	b.run(t, "resize", emulation.SetDeviceMetricsOverride(width, 900, 1, width <= phoneWidth))
	for _, scheme := range schemes {
		var outside []string
		var picture []byte
		b.run(t, "look at "+name,
			emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
			}),
			chromedp.Evaluate(tooWide, &outside),
			chromedp.FullScreenshot(&picture, 70))

		if len(outside) > 0 {
			t.Errorf("%s is wider than %d pixels: %s", name, width, strings.Join(outside, ", "))
		}

		b.saveArtifact(t, fmt.Sprintf("walk-%s-%s-%s.jpg", name, b.screen.name, scheme), picture)

		if scripts && (width == 390 && scheme == "light" || width == 1440) {
			b.checkAccessibility(t, fmt.Sprintf("%s at %d pixels, %s", name, width, scheme))
		}
	}
}
