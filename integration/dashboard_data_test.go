//go:build integration

package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Administrators see what each load did: its files, its rows as bars, and warnings with line numbers. Members see the
// live data only.
func TestDashboard_Data(t *testing.T) {
	d := deploy(t, embeddedEngine())
	d.index(t, "load", generate(t, 50, 1))
	second := filepath.Join(t.TempDir(), "team.csv")
	rows := []string{
		"id,name,job_title,skills,hourly_rate,currency",
		"t1,Ada Example,Go developer,\"Go, PostgreSQL\",80,USD",
		"t2,Ben Example,Designer,Figma,about eighty,USD",
		"t2,Ben Example,Designer,\"Figma, CSS\",70,USD",
	}
	if err := os.WriteFile(second, []byte(strings.Join(rows, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	d.index(t, "load", second, "-allow-shrink")
	s := start(t, d.flags...)
	v := newVisitor(t, s)
	v.setUp(t, s)
	c := newChromium(t)
	for _, screen := range screens() {
		b := c.person(t, s.URL, screen)
		b.assume(t, v)
		b.open(t, "/dashboard/data")
		b.wantText(t, "Freelancers", "team.csv", "USD", "3 rows read", "50 rows read")
		b.run(t, "open the warnings of the latest load",
			chromedp.Click(`//ul/li[1]//summary[starts-with(., "Warnings")]`, chromedp.BySearch))
		b.wantText(t, "2 freelancers from team.csv", "Known values", "team.csv, line 3")
		b.inspect(t, "loads")
	}
}
