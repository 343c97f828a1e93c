//go:build integration

package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Administrators drop a file, see what it changes, correct a column, publish it and take it back.
func TestDashboard_Upload(t *testing.T) {
	d := deploy(t, embeddedEngine())
	d.index(t, "load", generate(t, 20, 1))
	file := filepath.Join(t.TempDir(), "team.csv")
	lines := []string{
		"id,Full name,job_title,skills,Tarif jour,zzz,remarks",
		`ada-1,Ada Example,Go developer,"Go, PostgreSQL",,80,<b>bold</b>`,
		`ben-2,Ben Example,Designer,Figma,,about eighty,=1+1`,
		`cleo-3,Cleo Example,Data engineer,"SQL, Spark",,70,`,
		`,,,,,,`,
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	s := start(t, d.flags...)
	v := newVisitor(t, s)
	v.setUp(t, s)
	c := newChromium(t)
	for _, screen := range screens() {
		b := c.person(t, s.URL, screen)
		b.assume(t, v)
		b.open(t, "/dashboard/data")
		b.inspect(t, "upload-form")
		b.drop(t, file)
		b.press(t, "Upload")
		b.waitFor(t, `//h2[.="Publish"]`)
		b.wantText(t, "team.csv", "Ready to publish", "20 freelancers before, 3 after", "Much of the live data would be lost")
		b.inspect(t, "upload-ready")

		b.run(t, "choose the field of a column", chromedp.SetValue(`//tr[.//bdi[.="zzz"]]//select`, "hourly_rate"))
		b.press(t, "Read again")
		b.waitFor(t, `//h2[.="Publish"]`)
		b.wantText(t, "about eighty")
		b.tick(t, "Publish it all the same")
		b.press(t, "Publish")
		b.waitFor(t, `//h2[.="This load is live"]`)
		b.inspect(t, "upload-live")

		b.press(t, "Roll back")
		b.wantText(t, "Rolled back", "The data from before the load is live again.")
		b.inspect(t, "upload-rolled-back")
	}
}

// waitFor waits until the page, which loads itself again when the server is done, shows an element.
func (b *tab) waitFor(t *testing.T, path string) {
	t.Helper()
	b.run(t, "wait for "+path, chromedp.WaitVisible(path))
}
