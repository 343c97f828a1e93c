//go:build integration

package integration

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A result has a page of its own: Back and a reload show it again without sending the form, a colleague can open it,
// and another account can't.
func TestDashboard_Results(t *testing.T) {
	s, v := openPlayground(t, 200, "-sign-up", "open")
	b := newChromium(t).person(t, s.URL, screen{"laptop", 1440, 900})
	b.assume(t, v)

	b.open(t, "/dashboard/playground")
	b.press(t, "Use sample brief")
	b.press(t, "Find matches")
	var path string
	b.run(t, "read the path", chromedp.Evaluate(`location.pathname`, &path))

	if !strings.HasPrefix(path, "/dashboard/playground/r/") {
		t.Fatalf("the result is at %s", path)
	}

	b.load(t, "open the interview of a match", chromedp.Click(`//article//a[starts-with(., "Interview")]`))
	b.wantPath(t, "/dashboard/playground/interview")
	b.load(t, "go back", chromedp.NavigateBack())
	b.wantPath(t, path)
	b.wantText(t, "candidates", "Why this score")
	b.load(t, "reload", chromedp.Reload())
	b.wantText(t, "candidates", "Why this score")
	var kept int
	b.run(t, "count the results", chromedp.Evaluate(`document.querySelectorAll(".recent li").length`, &kept))

	if kept != 1 {
		t.Errorf("%d results, want 1: Back or the reload has sent the form again", kept)
	}

	secret := v.linkSecret(t, v.post(t, "/dashboard/members", url.Values{"role": {"member"}}))
	colleague := newVisitor(t, s)
	stranger := newVisitor(t, s)
	colleague.follow(t, "join", secret, url.Values{"email": {membersEmail}, "password": {password}}).wantSignedIn(t)

	if p := colleague.get(t, path); p.status != http.StatusOK || !strings.Contains(p.body, "Why this score") {
		t.Errorf("a colleague gets status %d", p.status)
	}

	stranger.signUp(t, "Acme Studio", ownersEmail)
	id := strings.TrimPrefix(path, "/dashboard/playground/r/")
	compare := "/dashboard/playground/compare?a=" + id + "&b=" + id
	for _, path := range []string{path, path + "/matches.csv", compare} {
		if p := stranger.get(t, path); p.status != http.StatusNotFound {
			t.Errorf("another account gets status %d for %s", p.status, path)
		}
	}
}
