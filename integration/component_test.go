//go:build integration

package integration

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/freelancer-matching/service/integration/programs"
)

// tuners are freelancers with words that no other text has.
const tuners = `{"id":"h1","name":"Ben Example","job_title":"Flumwhistle tuner","skills":["Flumwhistles"],` +
	`"profile_url":"https://example.com/ben","hourly_rate":7654,"experience":4,"rating":4.5,"availability":true,` +
	`"description":"Tunes flumwhistles."}
{"id":"h2","name":"Ann Example","job_title":"Flumwhistle tuner","skills":["Flumwhistles"],"rating":4,` +
	`"profile_url":"https://example.com/ann","description":"Tunes flumwhistles."}
`

// hostile replaces the responses to matches in a page by one whose texts try to run scripts.
const hostile = `{
	const bad = (n) => "<img src=x onerror=alert(" + n + ")><script>alert(" + n + ")<" + "/script>";
	const fetched = window.fetch;
	window.fetch = async (address, init) => String(address).includes("/match") ? Response.json({
		matches: [{
			freelancer: {id: bad(1), name: bad(2), job_title: bad(3), skills: [], profile_url: "javascript:alert(4)",
				experience: bad(5), rating: bad(6), hourly_rate: bad(7), availability: true},
			score: .5, level: bad(8), matched_skills: [bad(9)], missing_skills: [bad(10)],
			explanation: [{summary: bad(11)}],
		}],
		unknown_skills: [{skill: bad(12), suggestions: [bad(13)]}], next_offset: null, hourly_rate_currency: bad(14),
	}) : fetched(address, init);
	document.querySelector("freelancer-match").search({description: "flumwhistle"});
}`

// startExample starts the example backend of the component, and returns the origin of its page.
func startExample(t *testing.T, service, key string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "example")
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", program, "./clients/web/example")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	backend := exec.CommandContext(context.WithoutCancel(t.Context()), program, "127.0.0.1:0")
	backend.Dir = ".."
	backend.Env = append(os.Environ(), "MATCHING_URL="+service, "MATCHING_API_KEY="+key)
	output, err := backend.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := backend.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		backend.Process.Kill()
		backend.Wait()
	})

	for lines := bufio.NewScanner(output); lines.Scan(); {
		if _, origin, ok := strings.Cut(lines.Text(), "Open "); ok {
			return origin
		}
	}
	t.Fatal("the example backend has ended")
	return ""
}

// element is an expression of JavaScript for the component's shadow root.
const element = `document.querySelector("freelancer-match").shadowRoot`

// focus moves the focus to an element of the component.
func (b *tab) focus(t *testing.T, selector string) {
	t.Helper()
	b.run(t, "focus "+selector, chromedp.Evaluate(fmt.Sprintf(`%s.querySelector(%q).focus()`, element, selector), nil))
}

// waitUntil waits until an expression of JavaScript is true.
func (b *tab) waitUntil(t *testing.T, what, expression string) {
	t.Helper()
	b.run(t, what, chromedp.Poll(expression, nil,
		chromedp.WithPollingInterval(50*time.Millisecond), chromedp.WithPollingTimeout(programs.Patience)))
}

// shows waits until the text of a part of the component contains another text.
func (b *tab) shows(t *testing.T, selector, text string) {
	t.Helper()
	b.waitUntil(t, selector+" shows "+text, fmt.Sprintf(
		`[...%s.querySelectorAll(%q)].some((e) => e.checkVisibility() && e.innerText.includes(%q))`, element, selector, text))
}

// takeFault removes the faults of the tab that contain a text, and fails the test if there are none.
func (b *tab) takeFault(t *testing.T, text string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	var others []string
	for _, fault := range b.faults {
		if !strings.Contains(fault, text) {
			others = append(others, fault)
		}
	}
	if len(others) == len(b.faults) {
		t.Errorf("no fault with %q among %q", text, b.faults)
	}
	b.faults = others
}

// The page of another origin shows matches, by keyboard alone, on a desktop and on a phone. What profiles say is text.
func TestComponent(t *testing.T) {
	data := t.TempDir()
	file := filepath.Join(data, "tuners.ndjson")
	if err := os.WriteFile(file, []byte(tuners), 0o600); err != nil {
		t.Fatal(err)
	}
	programs.Run(t, "indexer", "load", file, "-data", data)
	key := programs.NewKey(t, data, "-plan", "enterprise")
	s := start(t, "-data", data, "-encoder", "off")
	origin := startExample(t, s.URL, key)
	browser := newChromium(t)

	for _, device := range []screen{{"desktop", 1280, 800}, {"phone", 390, 844}} {
		t.Run(device.name, func(t *testing.T) {
			b := browser.person(t, origin, device)
			b.open(t, "/")
			b.waitUntil(t, "the form", element+`.querySelector("form") !== null`)
			b.inspect(t, "component-form")

			// An empty brief is not sent.
			b.focus(t, "button.main")
			b.run(t, "send nothing", chromedp.KeyEvent(kb.Enter))
			b.shows(t, "[role=alert]", "Describe the work")

			b.run(t, "listen", chromedp.Evaluate(`window.events = []; for (const name of ["match", "select", "failure"])
				document.addEventListener(name, (e) => window.events.push(e.detail))`, nil))
			b.focus(t, "[name=description]")
			b.run(t, "type the brief", chromedp.KeyEvent("A flumwhistle to tune"), chromedp.KeyEvent(kb.Tab),
				chromedp.KeyEvent("Flumwhistles, Go"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent("5000"),
				chromedp.KeyEvent(kb.Enter))
			b.shows(t, "[role=status]", "Showing 2 freelancers")
			b.shows(t, "h3", "Ben Example")
			b.shows(t, "[part=title]", "Flumwhistle tuner")

			var hidden bool
			b.run(t, "look for hidden fields", chromedp.Evaluate(`!/per hour|7654|example.com/.test(`+element+
				`.innerHTML + JSON.stringify(window.events[0].answer.matches.map((m) => m.freelancer)))`, &hidden))
			if !hidden {
				t.Error("the page has the hidden rate or address")
			}

			b.run(t, "open the reasons", chromedp.Evaluate(element+`.querySelector("summary").focus()`, nil),
				chromedp.KeyEvent(kb.Enter))
			b.shows(t, "details li", "skills")
			b.inspect(t, "component-matches")

			b.focus(t, "[part~=select]")
			b.run(t, "select", chromedp.KeyEvent(kb.Enter))
			b.waitUntil(t, "the choice", `document.getElementById("choice").textContent.startsWith("Your choice: h")`)

			var words string
			b.run(t, "read the events", chromedp.Evaluate(
				`window.events.map((d) => d.answer ? "answer " + d.answer.matches.length : "chosen " + d.match.freelancer.id).
					join(", ")`, &words))
			if !strings.HasPrefix(words, "answer 2, chosen h") {
				t.Errorf("events %q", words)
			}

			b.focus(t, "[name=skills]")
			b.run(t, "nobody", chromedp.Evaluate(element+`.querySelector("form").reset()`, nil),
				chromedp.KeyEvent("Zzyzx"), chromedp.KeyEvent(kb.Enter))
			b.shows(t, "[role=status]", "No freelancer matches")
			b.inspect(t, "component-empty")
		})
	}

	// A dialog or an error on the console would be a fault of the tab.
	t.Run("hostile texts", func(t *testing.T) {
		b := browser.person(t, origin, screen{"desktop", 1280, 800})
		b.open(t, "/")
		b.waitUntil(t, "the form", element+`.querySelector("form") !== null`)
		b.run(t, "search", chromedp.Evaluate(hostile, nil))
		b.shows(t, "h3", "<img src=x onerror=alert(2)>")
		b.shows(t, "[part=title]", "<script>alert(3)</script>")

		var count int
		b.run(t, "count elements", chromedp.Evaluate(element+`.querySelectorAll("img, script, a").length`, &count))
		if count != 0 {
			t.Errorf("%d elements come from texts", count)
		}
	})

	t.Run("other origin", func(t *testing.T) {
		other := startExample(t, s.URL, key)
		b := browser.person(t, other, screen{"desktop", 1280, 800})
		b.open(t, "/")
		b.waitUntil(t, "the form", element+`.querySelector("form") !== null`)

		// The page has a token of the first one, which the browser lets it send, but not read the response.
		token := s.create(t, key, origin)
		b.run(t, "use another's token", chromedp.Evaluate(fmt.Sprintf(`{
			const e = document.querySelector("freelancer-match");
			e.removeAttribute("token-url"); e.setAttribute("token", %q); e.search({description: "flumwhistle"})
		}`, token), nil))
		b.shows(t, "[role=alert]", "could not be reached")
		b.inspect(t, "component-error")
		b.takeFault(t, "CORS")
		b.takeFault(t, "ERR_FAILED")
	})

	t.Run("token that is no longer valid", func(t *testing.T) {
		b := browser.person(t, origin, screen{"desktop", 1280, 800})
		b.open(t, "/")
		b.waitUntil(t, "the form", element+`.querySelector("form") !== null`)
		b.run(t, "search with an old token", chromedp.Evaluate(`{
			const e = document.querySelector("freelancer-match");
			const fetched = window.fetch;
			window.asked = 0;
			window.fetch = async (address, init) => {
				if (address === "/token" && ++window.asked === 1)
					return Response.json({token: "svc_web_old", expires_at: "2999-01-01T00:00:00Z"});
				return fetched(address, init);
			};
			e.search({description: "flumwhistle"})
		}`, nil))
		b.shows(t, "[role=status]", "Showing 2 freelancers")
		b.takeFault(t, "CORS") // a response to an invalid token names no origin
		b.takeFault(t, "ERR_FAILED")
	})
}

// create returns a browser token for an origin.
func (s *server) create(t *testing.T, key, origin string) string {
	t.Helper()
	s.Key = key
	status, answer := s.Call(t, "POST", "/api/v1/browser-tokens", `{"origins":["`+origin+`"]}`)
	if status != 200 {
		t.Fatalf("status %d: %v", status, answer)
	}
	return answer["data"].(map[string]any)["token"].(string)
}
