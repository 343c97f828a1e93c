//go:build integration

package integration

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// rowNames returns the first words of the visible rows of the first table.
func (b *tab) rowNames(t *testing.T) string {
	t.Helper()
	const read = `[...document.querySelectorAll("table tbody tr")].filter(row => row.checkVisibility()).
		map(row => row.cells[0].innerText.trim().split(/\s/)[0]).join(" ")`
	var names string
	b.run(t, "read the rows", chromedp.Evaluate(read, &names))
	return names
}

// wantRows fails the test unless the visible rows of the first table have the given names.
func (b *tab) wantRows(t *testing.T, when, want string) {
	t.Helper()
	if got := b.rowNames(t); got != want {
		t.Errorf("%s: rows %q, want %q", when, got, want)
	}
}

// Tables sort by their headers, or by a field on phones, and filter by the words in their rows.
func TestDashboard_Tables(t *testing.T) {
	c := newChromium(t)
	s := start(t, "-data", t.TempDir())
	v := newVisitor(t, s)
	v.setUp(t, s)
	names := []string{"delta", "Alpha", "key10", "key9", "Echo", "bravo"}
	for _, name := range names {
		v.newKey(t, name)
	}

	const newestFirst = "bravo Echo key9 key10 Alpha delta"
	const byName = "Alpha bravo delta Echo key9 key10"
	t.Run("desktop", func(t *testing.T) {
		b := c.person(t, s.URL, screens()[0])
		signInAsAdministrator(t, b, s, func(*testing.T, string) {})
		b.open(t, keysPath)
		b.wantRows(t, "at first", newestFirst)
		sort := func(column, direction, want string) {
			t.Helper()
			b.run(t, "sort by "+column, chromedp.Click(fmt.Sprintf(`//th/button[.=%q]`, column)))
			b.wantRows(t, "sorted by "+column, want)
			var got string
			b.run(t, "read the order", chromedp.Evaluate(`[...document.querySelectorAll("th[aria-sort]")].
				map(th => th.innerText.trim() + " " + th.ariaSort).join()`, &got))

			if want := column + " " + direction; got != want {
				t.Errorf("order %q, want %q", got, want)
			}

			if got := b.text(t, "#announcer"); got != "Sorted by "+column+", "+direction+"." {
				t.Errorf("a screen reader says %q", got)
			}
		}

		sort("Key", "ascending", byName)
		sort("Key", "descending", "key10 key9 Echo delta bravo Alpha")
		b.fill(t, "Filter", "KEY active")
		b.wantRows(t, "filtered", "key10 key9")
		b.inspect(t, "table-filtered")
		b.fill(t, "Filter", "zulu")
		b.wantText(t, "No rows match.")
		b.open(t, keysPath)
		b.wantRows(t, "opened again", newestFirst)
	})

	t.Run("phone", func(t *testing.T) {
		b := c.person(t, s.URL, screens()[1])
		signInAsAdministrator(t, b, s, func(*testing.T, string) {})
		b.open(t, keysPath)
		b.choose(t, "Sort by", "Key, A to Z")
		b.run(t, "sort", chromedp.Evaluate(`document.querySelector(".order select").
			dispatchEvent(new Event("change"))`, nil))
		b.wantRows(t, "sorted on a phone", byName)
		b.inspect(t, "table-sorted")

		if got := b.text(t, "thead"); strings.Contains(got, "\u2191") {
			t.Errorf("the hidden headers have buttons: %q", got)
		}
	})
}

// keysPath is the page with the API keys.
const keysPath = "/dashboard/keys"
