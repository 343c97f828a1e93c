//go:build integration

package integration

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/freelancer-matching/service/integration/programs"
)

// Secrets are shown once, with and without scripts: a reload creates nothing, and says what to do.
func TestDashboard_Secrets(t *testing.T) {
	c := newChromium(t)
	s := start(t, "-data", t.TempDir())
	newVisitor(t, s).setUp(t, s)

	for i, name := range []string{"with scripts", "without scripts"} {
		t.Run(name, func(t *testing.T) {
			b := c.person(t, s.URL, screens()[i])
			b.run(t, "switch scripts", emulation.SetScriptExecutionDisabled(i == 1))
			signInAsAdministrator(t, b, s, func(*testing.T, string) {})
			look := b.inspect
			if i == 1 {
				look = b.screenshot
			}

			reload := func(selector string, texts ...string) {
				t.Helper()
				if status := b.load(t, "reload", chromedp.Reload()); status != http.StatusOK {
					t.Errorf("status %d for a reload", status)
				}

				b.wantText(t, texts...)
				var left []*cdp.Node
				b.run(t, "look for the secret", chromedp.Nodes(selector, &left, chromedp.ByQueryAll, chromedp.AtLeast(0)))

				if len(left) > 0 {
					t.Error("the secret is shown again")
				}
			}

			b.open(t, "/dashboard/keys/new")
			b.fill(t, "Name", "Key "+name)
			b.press(t, "Create key")

			if programs.KeyPattern.FindString(b.text(t, "#new-key")) == "" {
				t.Error("no key is shown")
			}

			reload("#new-key", "This key was already shown", "rotate it")
			look(t, "secret-key-reloaded")

			b.navigate(t, "Members")
			b.fill(t, "Email", "guest@example.com")
			b.press(t, "Create invitation")
			b.wantText(t, "Invitation link for guest@example.com", "/dashboard/join#")
			look(t, "secret-invitation")
			reload("#secret-link", "This link was already shown", "revoke it and create a new one")
			look(t, "secret-invitation-reloaded")
			b.navigate(t, "Members")

			if n := strings.Count(b.text(t, "main"), "invitation for guest@example.com"); n != 1 {
				t.Errorf("%d invitations are open after a reload, want 1", n)
			}

			b.press(t, "Revoke the invitation for guest@example.com")
			b.wantText(t, "Invitation revoked.")

			b.fill(t, "Email", administrator)
			b.press(t, "Create invitation")
			b.wantText(t, "is already a member of this account")
		})
	}
}

// A fresh link that is opened in the tab of another link works, although only the part after the # changes.
func TestDashboard_FreshLinkInTheSameTab(t *testing.T) {
	c := newChromium(t)
	s := start(t, "-data", t.TempDir())
	v := newVisitor(t, s)
	v.setUp(t, s)
	b := c.person(t, s.URL, screens()[0])
	b.run(t, "open a link that was mistyped", chromedp.Navigate(s.URL+"/dashboard/join#"+strings.Repeat("x", 43)))
	b.run(t, "wait for the refusal", chromedp.WaitVisible("#faults", chromedp.ByQuery))

	for range 2 {
		secret := v.linkSecret(t, v.post(t, "/dashboard/members", url.Values{"role": {"member"}}))
		b.run(t, "open a fresh link",
			chromedp.Evaluate(fmt.Sprintf("void (location.hash = %q)", secret), nil),
			chromedp.WaitReady(fmt.Sprintf(`//form[@data-link]/input[@value=%q]`, secret)))
		b.wantText(t, "You join the account Operations as a member.")
	}

	b.fill(t, "Email", "guest@example.com")
	b.fill(t, "Password", password)
	b.press(t, "Join")
	b.wantPath(t, "/dashboard")
	b.open(t, "/dashboard/account")
	b.wantText(t, "just now")
}
