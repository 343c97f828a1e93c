package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/projects"
)

const commandsPath = "/dashboard/go"

// The menu has the pages and actions that the user's role allows, and every page leads to it.
func TestCommands_FollowTheRole(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		browser       *browser
		has, hasnt    []string
		administrator bool
	}{
		{w.as(w.member), []string{"New match", "/dashboard/outcomes"}, []string{"/keys/new", "/members", "/admin/"}, false},
		{w.as(w.owner), []string{"Create API key", "/dashboard/members", "Sign out"}, []string{"/admin/"}, false},
		{w.as(w.admin), []string{"/dashboard/admin/new-freelancer", "/dashboard/admin/audit"}, nil, true},
	} {
		a := c.browser.get(commandsPath)
		for _, text := range c.has {
			if !strings.Contains(a.body, text) {
				t.Errorf("the menu lacks %s", text)
			}
		}
		for _, text := range c.hasnt {
			if strings.Contains(a.body, text) {
				t.Errorf("the menu has %s", text)
			}
		}
	}

	w.as(w.member).get("/dashboard/usage").expect(t, http.StatusOK, "Go to")
	if a := w.browser().get(commandsPath); !strings.HasPrefix(a.location, "/dashboard/sign-in") {
		t.Errorf("without a session: status %d, location %q", a.status, a.location)
	}
}

// The menu finds projects of the account and freelancers by name. Hostile names are text.
func TestCommands_FindNames(t *testing.T) {
	w := newWorld(t)
	p := projects.Project{Account: w.owner.Account, Name: "Shop <b>relaunch</b>", Owner: w.owner.ID}
	p, err := projects.New(w.db.Projects, w.clock.now).Create(t.Context(), audit.By{Actor: w.owner.ID}, p, nil)
	w.must(err)
	a := w.as(w.member).get(commandsPath + "?q=RELAUNCH")
	for _, want := range []string{`href="/dashboard/projects/` + p.ID + `"`, "Shop &lt;b&gt;relaunch&lt;/b&gt;"} {
		if !strings.Contains(a.body, want) {
			t.Errorf("the page lacks %s:\n%s", want, a.text())
		}
	}

	a = w.as(w.stranger).get(commandsPath + "?q=relaunch")
	if strings.Contains(a.body, p.ID) {
		t.Error("another account finds the project")
	}

	a = w.as(w.member).get(commandsPath+"?q=vask").expect(t, http.StatusOK, "Oren Vask")
	if !strings.Contains(a.body, `href="/dashboard/freelancers/g"`) {
		t.Errorf("no link to the freelancer:\n%s", a.text())
	}

	w.as(w.member).get(commandsPath+"?q=zzqx").expect(t, http.StatusOK, "No project or freelancer has this name.")
	if a = w.as(w.member).get(commandsPath + "?q=v"); strings.Contains(a.body, "Oren Vask") {
		t.Error("one character is searched")
	}

	long := strings.Repeat("é", 500)
	w.as(w.member).get(commandsPath+"?q="+long).expect(t, http.StatusOK, "New match")
}
