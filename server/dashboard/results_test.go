package dashboard_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/access/results"
)

// A result has a page with the form and the answer. It can be loaded again, by colleagues too, without another request.
func TestResult_HasAPage(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, storedMatch(t)
	a := b.post("/dashboard/playground", "key", key.ID, "job_title", "Potter", "description", "A <shop>",
		"budget_low", "5", "budget_high", "9", "complexity", "high").expect(t, http.StatusSeeOther)
	if !regexp.MustCompile(`^/dashboard/playground/r/[a-z2-7]{20}$`).MatchString(a.location) {
		t.Fatalf("the result is at %q", a.location)
	}

	w.api.path = ""
	for name, reader := range map[string]*browser{"user": b, "colleague": w.as(w.owner)} {
		for range 2 {
			page := reader.get(a.location).expect(t, http.StatusOK, "A <shop>", "Peyan Canden", "0.63 strong")
			for _, want := range []string{`value="Potter"`, `value="9"`, `<option value="high" selected>`} {
				if !strings.Contains(page.body, want) {
					t.Errorf("%s: the form does not contain %s", name, want)
				}
			}
		}
	}

	if w.api.path != "" {
		t.Error("loading the page has sent a request")
	}
	b.get("/dashboard/playground").expect(t, http.StatusOK, "Recent requests Potter just now")

	if strings.Contains(w.as(w.owner).get("/dashboard/playground").text(), "Recent requests") {
		t.Error("a colleague's results are among the user's own")
	}
	b.get(skillPath).expect(t, http.StatusOK)
	w.as(w.stranger).get(a.location).expect(t, http.StatusNotFound, "Page not found")
	w.as(w.admin).get(a.location).expect(t, http.StatusNotFound)
	w.browser().get(a.location).expect(t, http.StatusSeeOther)

	for _, id := range []string{"", "x", strings.Repeat("a", 20), "%00", strings.Repeat("a", 5000)} {
		if got := b.get("/dashboard/playground/r/" + id).status; got != http.StatusNotFound && got != http.StatusBadRequest {
			t.Errorf("result %.30q: status %d", id, got)
		}
	}

	w.clock.advance(results.Lifetime)
	w.as(w.member).get(a.location).expect(t, http.StatusNotFound)
}

// An owner can keep the account's results out of the database. What is stored is deleted, and what follows isn't
// stored.
func TestResult_TurnedOff(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, storedMatch(t)
	b.get("/dashboard/playground").expect(t, http.StatusOK, "stored for 30 days, and every member of your account")
	b.get("/dashboard/playground/resume").expect(t, http.StatusOK, "stored for 24 hours")
	form := []string{"key", key.ID, "description", "A shop"}
	before := b.post("/dashboard/playground", form...).expect(t, http.StatusSeeOther).location
	b.get(before).expect(t, http.StatusOK, "Peyan Canden") // the control: it is stored

	w.as(w.member).post("/dashboard/account/results", "store", "no").expect(t, http.StatusForbidden)
	owner := w.as(w.owner)
	owner.get("/dashboard/account").expect(t, http.StatusOK, "Stop storing results")
	owner.post("/dashboard/account/results", "store", "no").expect(t, http.StatusSeeOther)
	b.get(before).expect(t, http.StatusNotFound)
	b.post("/dashboard/playground", form...).expect(t, http.StatusOK, "Peyan Canden")
	page := b.get("/dashboard/playground").expect(t, http.StatusOK, "Form and response are not stored.")
	if strings.Contains(page.text(), "Recent requests") {
		t.Error("a result is stored although the owner has turned it off")
	}

	owner.get("/dashboard/account").expect(t, http.StatusOK, "Not stored since")
	owner.post("/dashboard/account/results", "store", "yes").expect(t, http.StatusSeeOther)
	b.post("/dashboard/playground", form...).expect(t, http.StatusSeeOther)
	b.get("/dashboard/playground").expect(t, http.StatusOK, "Recent requests")
}

// A result that is too large to be kept is shown at once.
func TestResult_TooLarge(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status = http.StatusOK
	w.api.body = `{"status":"success","matches":[],"padding":"` + strings.Repeat("x", results.MaxSize) + `"}`
	b.post("/dashboard/playground", "key", key.ID, "description", "A shop").expect(t, http.StatusOK, "0 matches")
}

// The form for an interview with a match has the brief. A result of another account, or of another kind, is ignored.
func TestResult_InterviewKeepsTheBrief(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, storedMatch(t)
	a := b.play("/dashboard/playground", "key", key.ID, "job_title", "Potter", "description", "A shop",
		"required_skills", "React, C++")
	link := regexp.MustCompile(`href="(/dashboard/playground/interview\?[^"]+)"`).FindStringSubmatch(a.body)
	if link == nil {
		t.Fatal("the page has no link to an interview")
	}

	path := strings.ReplaceAll(link[1], "&amp;", "&")
	page := b.get(path).expect(t, http.StatusOK, "Potter A shop")
	if !strings.Contains(page.body, `value="React, C&#43;&#43;"`) ||
		!regexp.MustCompile(`name="freelancer_id" type="text" value="\w+"`).MatchString(page.body) {
		t.Errorf("the brief is not filled in:\n%s", page.body)
	}

	_, other := w.key(w.stranger, "Other")
	stranger := w.as(w.stranger)
	if text := stranger.get(path).expect(t, http.StatusOK).text(); strings.Contains(text, "Potter") {
		t.Errorf("another account sees the brief (key %s)", other.ID)
	}
}

// The first key that may be used on a page is preselected. The others are missing, with the reason.
func TestPlayground_ListsKeysThatMayBeUsed(t *testing.T) {
	w := newWorld(t)
	create := func(r apikey.Request) apikey.Key {
		_, k, err := w.accounts.Accounts.CreateKey(t.Context(), audit.By{Actor: w.owner.ID}, w.owner.Account, r)
		w.must(err)
		w.clock.advance(time.Second)
		return k
	}

	usable := create(apikey.Request{Name: "Website"})
	create(apikey.Request{Name: "Skills", Operations: []string{"verify-skill"}})
	create(apikey.Request{Name: "Office", Networks: []string{"203.0.113.0/24"}})
	b := w.as(w.member)
	a := b.get("/dashboard/playground").expect(t, http.StatusOK,
		"Not listed: Office (restricted to other network addresses than yours), Skills (does not allow match).")
	choices := regexp.MustCompile(`(?s)<select id="key".*?</select>`).FindString(a.body)
	if strings.Count(choices, "<option") != 1 || !strings.Contains(choices, usable.ID) {
		t.Errorf("the keys are %s", choices)
	}

	a = b.get(skillPath).expect(t, http.StatusOK, "Skills (", "Website (")
	if strings.Contains(a.text(), "Not listed: Skills") {
		t.Error("a key that may be used is not listed")
	}
	_, err := w.keys.Revoke(t.Context(), audit.By{Actor: w.owner.ID}, w.owner.Account, usable.ID)
	w.must(err)
	b.get("/dashboard/playground").expect(t, http.StatusOK, "No API key can be used here", "Not listed: Office")
}

// The windows of different results have different titles.
func TestResults_HaveTitles(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, hostileResponse("x")
	for want, a := range map[string]answer{
		"Potter · Playground: skills":    b.play("/dashboard/playground/skill", "key", key.ID, "keyword", "Potter"),
		"mira.pdf · Playground: resumes": b.upload(key.ID, "mira.pdf", "%PDF"),
		"Matches: A shop":                b.play("/dashboard/playground", "key", key.ID, "description", "A shop"),
		"A kiln · Playground: interviews": b.play(interviewPath, "key", key.ID, "project_description", "A kiln",
			"freelancer_id", "f1"),
	} {
		if got := regexp.MustCompile(`<title>(.*?) · Freelancer matching</title>`).FindStringSubmatch(a.body); got == nil ||
			got[1] != want {
			t.Errorf("title %q, want %q", got, want)
		}
	}
}
