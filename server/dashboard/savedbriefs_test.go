package dashboard_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/briefs"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard"
)

var briefPattern = regexp.MustCompile(`/dashboard/briefs/brf_\w+`)

// briefsOf returns all saved briefs of the owner's account.
func briefsOf(t *testing.T, w *world) []briefs.Brief {
	t.Helper()
	list, err := w.db.Briefs.List(t.Context(), w.owner.Account, "", 100)
	w.must(err)
	return list
}

// saveBrief saves a brief of an account, and returns its path.
func saveBrief(t *testing.T, w *world, owner account.User, n briefs.Settings) string {
	t.Helper()
	if n.Request == nil {
		n.Request = json.RawMessage(`{"description":"A shop","required_skills":["Clay"],"budget_range":[20,60],
			"budget_type":"hourly","filters":{"verified":true}}`)
	}
	b, err := briefs.New(w.db.Briefs, w.clock.now, true, func() {}).Create(
		t.Context(), audit.By{Actor: owner.ID}, owner.Account, "", n, 0)
	w.must(err)
	return "/dashboard/briefs/" + b.ID
}

// list puts people on the list of a brief, by ID with the hour since when they are on it.
func (w *world) list(path string, people ...briefs.Person) {
	w.t.Helper()
	ctx := w.t.Context()
	_, err := w.db.Briefs.Hold(ctx, "w", w.clock.now(), w.clock.now().Add(time.Minute))
	w.must(err)
	b, err := w.db.Briefs.Get(ctx, strings.TrimPrefix(path, "/dashboard/briefs/"))
	w.must(err)
	w.must(w.db.Briefs.Commit(ctx, "w", 1, []briefs.List{{
		Brief: b.ID, Account: b.Account, Revision: b.Revision, Matched: w.clock.now(), People: people,
	}}, w.clock.now()))
}

func (w *world) listed(id string, rank int) briefs.Person {
	return briefs.Person{
		ID: id, Rank: rank, Score: .81, Level: matching.LevelStrong, Available: true, Since: w.clock.now(),
	}
}

// The button on a result saves its brief without what only a page needs, ranked like the result, and once.
func TestSavedBriefs_WatchResult(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	result := resultOf(t, w, b, key.ID, hostilePeople())
	b.get(result).expect(t, http.StatusOK, "Watch this brief")
	shown := b.submit(result+"/watch").expect(t, http.StatusOK, "Watched from now on.")
	b.submit(result+"/watch").expect(t, http.StatusOK, "This brief was saved before.")

	list := briefsOf(t, w)
	if len(list) != 1 {
		t.Fatalf("%d briefs are saved, want 1", len(list))
	}
	saved := &list[0]
	if n := &saved.Settings; n.Name != "A shop" || !n.Notify || n.Top != briefs.DefaultTop {
		t.Errorf("settings %+v", n)
	}
	var r wire.MatchRequest
	w.must(json.Unmarshal(saved.Settings.Request, &r))
	if r.Limit != nil || r.Explain || r.Details || r.Description != "A shop" {
		t.Errorf("the request is %s", saved.Settings.Request)
	}

	w.list("/dashboard/briefs/"+saved.ID, w.listed("g", 1))
	b.get(result).expect(t, http.StatusOK, "Watched: 1 on the list")
	page := briefPattern.FindString(shown.body)
	b.get(page).expect(t, http.StatusOK, "A shop", "Oren Vask")

	again := b.get("/dashboard/playground?brief="+saved.ID).expect(t, http.StatusOK, "A shop")
	if !strings.Contains(again.body, `name="description"`) {
		t.Error("the form is missing")
	}
	w.as(w.stranger).get("/dashboard/playground?brief="+saved.ID).expect(t, http.StatusNotFound)
}

// A project knows its saved brief, whether it was saved from the project or from its result, and takes it along when it
// is deleted.
func TestSavedBriefs_WatchProject(t *testing.T) {
	for _, from := range []string{"result", "project"} {
		t.Run(from, func(t *testing.T) {
			w := newWorld(t)
			b := w.as(w.owner)
			result, project := newProject(t, w, b, "g")
			watched := result
			if from == "project" {
				watched = project
			}
			b.get(project).expect(t, http.StatusOK, "Watch this brief")
			b.submit(watched+"/watch").expect(t, http.StatusOK, "Watched from now on.")
			page := briefPattern.FindString(b.get(project).expect(t, http.StatusOK, "Watched").body)
			b.get(result).expect(t, http.StatusOK, "Watched")
			b.get(page).expect(t, http.StatusOK, "from a project", "A shop")

			w.list(page, w.listed("g", 1))
			b.get(page).expect(t, http.StatusOK, "Oren Vask")
			w.clock.advance(time.Hour)
			w.list(page, briefs.Person{ID: "g", Rank: 1, Since: w.clock.now().Add(-time.Hour)}, w.listed("f/1", 2))
			b.get(project).expect(t, http.StatusOK, "Watched: 1 new of 2", "end its watch")
			b.get(page).expect(t, http.StatusOK, "1 person is new since you looked last")
			b.get(project).expect(t, http.StatusOK, "Watched: 2 on the list")

			b.submit(project+"/delete", "confirm", "yes").expect(t, http.StatusOK, "Project deleted.")
			if list := briefsOf(t, w); len(list) > 0 {
				t.Errorf("%d saved briefs are left", len(list))
			}
			b.get(page).expect(t, http.StatusNotFound)
		})
	}
}

// A brief that can't be saved is not lost without a word.
func TestSavedBriefs_Refused(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.stranger) // on the smallest plan
	_, key := w.key(w.stranger, "Playground")
	result := resultOf(t, w, b, key.ID, hostilePeople())
	b.get("/dashboard/briefs").expect(t, http.StatusOK, "0 saved briefs of 20 on the plan Freelancer.", "Match a brief")
	for n := range 20 {
		saveBrief(t, w, w.stranger, briefs.Settings{Name: fmt.Sprintf("Brief %d", n), Top: 1})
	}
	b.get("/dashboard/briefs").expect(t, http.StatusOK, "20 saved briefs of 20 on the plan Freelancer.", "Delete one")
	b.get(result).expect(t, http.StatusOK, "Limit of 20 saved briefs reached")
	b.submit(result+"/watch").expect(t, http.StatusOK, "The brief wasn’t saved.", "which is the limit of its plan")

	p, err := projects.New(w.db.Projects, w.clock.now).Create(t.Context(), audit.By{Actor: w.stranger.ID},
		projects.Project{Account: w.stranger.Account, Name: "Odd", Brief: projects.Brief{Form: url.Values{
			"budget_low": {"much"}, "budget_high": {"more"},
		}}}, nil)
	w.must(err)
	b.submit("/dashboard/projects/"+p.ID+"/watch").expect(t, http.StatusOK, "The brief wasn’t saved.")
}

// Members see who is on a list, change its settings, close, reopen and delete the brief.
func TestSavedBriefs_Manage(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	w.key(w.owner, "Playground")
	page := saveBrief(t, w, w.owner, briefs.Settings{Name: "Pots <b>", Top: 5, Notify: true})
	b.get("/dashboard/briefs").
		expect(t, http.StatusOK, "Pots <b>", "Watched", "being put together", "1 saved brief of 500")
	b.get(page).expect(t, http.StatusOK, "The list is being put together", "None of your webhooks gets these messages",
		"Clay", "20–60 USD an hour")
	b.get("/dashboard/playground?brief="+strings.TrimPrefix(page, "/dashboard/briefs/")).
		expect(t, http.StatusOK, "The form has no field for filters.verified")

	w.list(page, w.listed("f/1", 1), w.listed("g", 3), w.listed("gone", 4))
	shown := b.get(page).
		expect(t, http.StatusOK, "Mira", "Oren Vask", "gone", "0.81 strong", "The best 5 of all freelancers")
	if strings.Contains(shown.text(), "New") || !strings.Contains(shown.body, `href="/dashboard/freelancers/f%2F1"`) {
		t.Errorf("the page is\n%s", shown.text())
	}
	b.get("/dashboard/briefs").expect(t, http.StatusOK, "3 of 5")

	fields := func(more ...string) []string {
		return append([]string{"name", "Jugs", "top", "7", "min_level", "fair", "notify", "yes"}, more...)
	}
	b.submit(page, fields("min_score", "2")...).expect(t, http.StatusUnprocessableEntity, "Lowest score")
	b.submit(page, "name", "", "top", "x").expect(t, http.StatusUnprocessableEntity, "whole number")
	b.submit(page, fields("min_score", "0.25")...).expect(t, http.StatusOK, "Saved.", "Jugs", "being put together")
	n := briefsOf(t, w)[0].Settings
	if n.Name != "Jugs" || n.Top != 7 || n.MinScore != .25 || n.MinLevel != matching.LevelFair || !n.Notify {
		t.Errorf("settings %+v", n)
	}
	w.list(page)
	b.get(page).expect(t, http.StatusOK, "Nobody reaches the minimum now.")

	b.submit(page+"/state", "closed", "yes").expect(t, http.StatusOK, "Closed.", "Reopen it to get a new list")
	b.get("/dashboard/briefs").expect(t, http.StatusOK, "Closed", "not watched")
	b.submit(page+"/state").expect(t, http.StatusOK, "Reopened.", "being put together")
	b.submit(page+"/delete").expect(t, http.StatusOK, "Saved brief “Jugs” deleted.", "Match a brief")
}

// People on a list count toward the daily limit.
func TestSavedBriefs_CountsViews(t *testing.T) {
	w := newWorld(t)
	page := saveBrief(t, w, w.owner, briefs.Settings{Name: "Pots", Top: 5})
	w.list(page, w.listed("f/1", 1), w.listed("g", 2))
	b := w.as(w.owner)
	b.get(page).expect(t, http.StatusOK)
	b.get("/dashboard/usage").expect(t, http.StatusOK, "2 of 5,000 used")
}

// unwatched are the saved briefs of a server whose search engine can't watch them.
type unwatched struct{ *briefs.Service }

func (unwatched) Watches() bool { return false }

// Where briefs can't be watched, pages say so and what works instead.
func TestSavedBriefs_Unwatched(t *testing.T) {
	w := newWorld(t, func(c *dashboard.Config, _ *account.Config) {
		watching, _ := c.Briefs.(*briefs.Service)
		c.Briefs = unwatched{watching}
	})
	b, key := player(t, w)
	b.get("/dashboard/briefs").expect(t, http.StatusOK, "briefs can’t be watched", "Match one again", "Save this brief")
	result := resultOf(t, w, b, key.ID, hostilePeople())
	shown := b.submit(result+"/watch").expect(t, http.StatusOK, "Match it again", "Brief saved")
	page := briefPattern.FindString(shown.body)
	b.get(page).expect(t, http.StatusOK, "Elasticsearch, can’t watch briefs", "Match again")
	if n := briefsOf(t, w)[0].Settings; n.Notify {
		t.Error("the brief announces changes")
	}
	b.submit(page, "name", "Renamed", "top", "10", "min_level", "", "min_score", "").
		expect(t, http.StatusOK, "Saved.", "Renamed")
	b.get("/dashboard/briefs").expect(t, http.StatusOK, "Renamed", "Saved")
}

// A profile has the open briefs that suit the person best, with what they have and lack.
func TestProfile_SuitedBriefs(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.owner)
	if a := b.get("/dashboard/freelancers/g"); strings.Contains(a.body, "Open briefs for this person") {
		t.Error("the page has the section without saved briefs")
	}
	saveBrief(t, w, w.owner, briefs.Settings{Name: "Pots", Top: 5})
	saveBrief(t, w, w.owner, briefs.Settings{Name: "Closed", Top: 5, Closed: true})
	standing := matching.Standing{Rank: matching.Some(3), Total: 57}
	standing.Match.Score = .75
	standing.Match.Level = matching.LevelStrong
	standing.Match.MatchedSkills = []string{"Clay"}
	standing.Match.MissingSkills = []string{"Kiln", "Glaze"}
	w.matcher.standings = map[string]matching.Standing{"g": standing}
	shown := b.get("/dashboard/freelancers/g").expect(t, http.StatusOK, "Open briefs for this person", "Pots",
		"Rank 3 of 57. Has 1 of 3 required skills; lacks Kiln and Glaze.", "1 open brief was ranked")
	if strings.Contains(shown.text(), "Closed") {
		t.Error("the page has a closed brief")
	}

	standing.ExcludedBy = []matching.Exclusion{{Filter: "available"}}
	w.matcher.standings["g"] = standing
	b.get("/dashboard/freelancers/g").expect(t, http.StatusOK, "None of your open briefs suits this person.",
		"1 has filters that this person doesn’t pass.")
	delete(w.matcher.standings, "g")
	b.get("/dashboard/freelancers/g").expect(t, http.StatusOK, "took too long")
}
