//go:build integration

package integration

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// The audit log filters and exports without scripts, too, and holds at every width.
func TestDashboard_AuditLog(t *testing.T) {
	c := newChromium(t)
	s := start(t, "-data", t.TempDir())
	v := newVisitor(t, s)
	v.setUp(t, s)
	v.newKey(t, "Website")
	sizes := []screen{{"audit-320", 320, 740}, {"audit-1440", 1440, 900}}
	for i, size := range sizes {
		t.Run(size.name, func(t *testing.T) {
			b := c.person(t, s.URL, size)
			b.run(t, "switch scripts", emulation.SetScriptExecutionDisabled(i == 1))
			signInAsAdministrator(t, b, s, func(*testing.T, string) {})
			look := b.inspect
			if i == 1 {
				look = b.screenshot
			}

			b.open(t, "/dashboard/admin/audit")
			look(t, "audit-log")
			b.choose(t, "Action", "Key created")
			b.fill(t, "Actor", administrator)
			b.press(t, "Filter")

			if rows := b.text(t, "tbody"); !strings.Contains(rows, "Key created") || strings.Contains(rows, "Link made") {
				t.Errorf("filtered rows:\n%s", rows)
			}

			look(t, "audit-log-filtered")
			var export string
			b.run(t, "read the link", chromedp.AttributeValue("a[download]", "href", &export, nil, chromedp.ByQuery))

			if file := v.get(t, export).body; strings.Count(file, "key.created") != 1 || strings.Contains(file, "link.made") {
				t.Errorf("the export %s has:\n%s", export, file)
			}

			for _, path := range []string{"", "/members", "/admin/accounts", "/admin/invitations", "/account", "/keys/new"} {
				b.open(t, "/dashboard"+path)
				look(t, "audit-"+strings.ReplaceAll(strings.TrimPrefix(path+"/", "/"), "/", "-"))
			}
		})
	}
}
