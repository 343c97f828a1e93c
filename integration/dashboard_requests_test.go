//go:build integration

package integration

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Ctrl+Enter sends a form, a click on a suggestion corrects it, and the languages of a request are chosen by keyboard.
func TestDashboard_Requests(t *testing.T) {
	s, v := openPlayground(t, 200)
	c := newChromium(t)
	for _, size := range []screen{{"laptop", 1440, 900}, {"phone", 390, 844}} {
		t.Run(size.name, func(t *testing.T) {
			b := c.person(t, s.URL, size)
			b.assume(t, v)
			b.open(t, "/dashboard/playground/skill")
			b.fill(t, "Skill or job title", "Javascritp")
			b.load(t, "press Ctrl+Enter", chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(input.ModifierCtrl)))
			b.wantText(t, "Unknown", "Did you mean")
			b.press(t, "JavaScript")
			b.wantText(t, "Known as", "API request")

			b.open(t, "/dashboard/playground")
			b.fill(t, "Description", "A shop")
			b.load(t, "press Ctrl+Enter", chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(input.ModifierCtrl)))
			b.press(t, "Code")
			b.run(t, "focus the first language", chromedp.Focus(`.languages summary`, chromedp.ByQuery))

			for _, language := range []string{"python", "typescript", "go"} {
				var open string
				b.run(t, "open the next language", chromedp.Evaluate(`(() => {
						const all = [...document.querySelectorAll(".languages summary")];
						all[all.indexOf(document.activeElement) + 1].focus();
					})()`, nil), chromedp.KeyEvent(kb.Enter),
					chromedp.WaitVisible("#request-"+language, chromedp.ByQuery),
					chromedp.Evaluate(`[...document.querySelectorAll(".languages details[open] code")].map(e => e.id).join()`, &open))

				if open != "request-"+language {
					t.Errorf("open: %s, want %s alone", open, language)
				}
			}

			b.run(t, "open the response", chromedp.Click(`//summary[starts-with(., "JSON response")]`))
			response := b.text(t, "#response")
			if !strings.HasPrefix(response, "{") || !strings.Contains(response, `"matches"`) {
				t.Errorf("the response is %.200s", response)
			}

			b.inspect(t, "playground-requests")
		})
	}
}
