package dashboard

import (
	"net/url"
	"testing"

	"github.com/freelancer-matching/service/server/dashboard/page"
)

// A template is parsed when it is first used, so a test has to find the invalid ones.
func TestTemplates_AreValid(t *testing.T) {
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		t.Fatal(err)
	}
	if n := page.Parse(pages(Config{PublicURL: &url.URL{}})); n < 40 || n > len(files) {
		t.Errorf("%d of %d templates parsed", n, len(files))
	}
}
