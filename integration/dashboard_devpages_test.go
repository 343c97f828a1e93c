//go:build integration

package integration

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var entryPattern = regexp.MustCompile(`/dashboard/requests/[a-z0-9]{20}`)

// recordMatch turns on the request log, sends a match with a new key, and returns the path of its entry.
func recordMatch(t *testing.T, v *visitor) string {
	t.Helper()
	v.post(t, "/dashboard/requests/recording", url.Values{"record": {"yes"}})
	token, _ := v.newKey(t, "Logged")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, v.base+"/api/v1/match", strings.NewReader(
		`{"description":"A shop, write to ada@example.com","required_skills":["React"],"limit":2}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()

	// The server writes entries in the background.
	for deadline := time.Now().Add(time.Minute); ; {
		if path := entryPattern.FindString(v.get(t, "/dashboard/requests").body); path != "" {
			return path
		}
		if time.Now().After(deadline) {
			t.Fatal("the request isn't in the log")
		}
	}
}

// The menu opens with Ctrl+K and by its button, finds pages and names, is driven by the keyboard, and gives the focus
// back. Times are shown in the viewer's zone. A logged request is replayed in the form.
func TestDashboard_ForDevelopers(t *testing.T) {
	s, v := openPlayground(t, 200)
	entry := recordMatch(t, v)
	c := newChromium(t)
	for _, size := range []screen{{"laptop", 1440, 900}, {"phone", 390, 844}} {
		t.Run(size.name, func(t *testing.T) {
			b := c.person(t, s.URL, size)
			b.assume(t, v)
			b.run(t, "travel to New York", chromedp.ActionFunc(func(ctx context.Context) error {
				return emulation.SetTimezoneOverride("America/New_York").Do(ctx)
			}))

			b.open(t, "/dashboard/keys")
			b.openMenu(t, size)
			b.run(t, "type", chromedp.KeyEvent("request l"),
				chromedp.WaitVisible(`//*[@role="option"][starts-with(., "Request log")]`, chromedp.BySearch))
			b.inspect(t, "command-menu")
			b.run(t, "close the menu", chromedp.KeyEvent(kb.Escape), chromedp.WaitNotVisible("dialog.commands"))
			var focused string
			b.run(t, "find the focus", chromedp.Evaluate(`document.activeElement.className`, &focused))
			if !strings.Contains(focused, "commandlink") {
				t.Errorf("after Escape, the focus is on %q", focused)
			}

			b.openMenu(t, size)
			b.run(t, "type a name", chromedp.KeyEvent("request l"),
				chromedp.WaitVisible(`//*[@role="option"][@aria-selected="true"][starts-with(., "Request log")]`,
					chromedp.BySearch))
			b.load(t, "choose", chromedp.KeyEvent(kb.Enter))
			b.wantPath(t, "/dashboard/requests")
			b.inspect(t, "request-log")

			b.open(t, entry)
			var shown, title string
			b.run(t, "read the time", chromedp.Text(`time[data-shows="moment"]`, &shown, chromedp.ByQuery),
				chromedp.AttributeValue(`time[data-shows="moment"]`, "title", &title, nil, chromedp.ByQuery))
			if !strings.Contains(shown, "E") || !strings.HasSuffix(title, " UTC") {
				t.Errorf("the time is %q with the title %q", shown, title)
			}
			b.wantText(t, "Request body", "[link]", "Response body")
			b.inspect(t, "request")
			b.press(t, "Replay")
			var description string
			b.run(t, "read the form", chromedp.Value("#description", &description, chromedp.ByQuery))
			if !strings.HasPrefix(description, "A shop") {
				t.Errorf("the form has the description %q", description)
			}
		})
	}
}

// openMenu opens the command menu: with the keyboard on a laptop, and with its button on a phone.
func (b *tab) openMenu(t *testing.T, size screen) {
	t.Helper()
	b.run(t, "focus the button", chromedp.Focus("a.commandlink", chromedp.ByQuery))
	open := chromedp.Click("a.commandlink", chromedp.ByQuery)
	if size.name == "laptop" {
		open = chromedp.KeyEvent("k", chromedp.KeyModifiers(input.ModifierCtrl))
	}
	b.run(t, "open the menu", open,
		chromedp.WaitVisible(`//*[@role="option"][starts-with(., "Home")]`, chromedp.BySearch))
}
