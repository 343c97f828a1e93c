package dashboard_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/access/account"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/freelancers/freelancerstest"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard"
)

// loaded returns an option with other freelancers than usual, whose index has a provenance.
func loaded(p *engine.Provenance, list ...matching.Freelancer) option {
	return func(c *dashboard.Config, _ *account.Config) {
		w := freelancerstest.New(list...)
		w.Engine.Info.Provenance = p
		c.Freelancers = w
	}
}

// Members search for people by name, skill and place. An ID leads to the profile.
func TestFreelancers_Search(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.member)
	b.get(freelancersPage).expect(t, http.StatusOK, "2 freelancers", "Mira Talden", "Porto", "45.5 USD per hour",
		"Oren Vask")

	for query, want := range map[string]string{
		"name=TALDEN": "Mira", "name=oren+vask": "Oren", "skill=Triage": "Mira", "place=Portugal": "Mira",
		"place=porto&skill=First+aid": "Mira",
	} {
		a := b.get(freelancersPage+"?"+query).expect(t, http.StatusOK, "1 freelancer", want)
		if strings.Contains(a.text(), "Mira") == strings.Contains(a.text(), "Oren") {
			t.Errorf("%s finds others than %s", query, want)
		}
	}

	b.get(freelancersPage+"?name=Mira&place=Spain").expect(t, http.StatusOK, "Nobody found.")
	if a := b.get(freelancersPage+"?name=f/1").expect(t, http.StatusSeeOther); a.location != miraProfile {
		t.Errorf("an ID leads to %s", a.location)
	}
	b.get(freelancersPage+"/nobody").expect(t, http.StatusNotFound)
}

// IDs come in the order of their numbers, page by page.
func TestFreelancers_Pages(t *testing.T) {
	var list []matching.Freelancer
	for n := range 60 {
		list = append(list, matching.Freelancer{ID: fmt.Sprintf("f%d", n+1)})
	}
	w := newWorld(t, loaded(nil, list...))
	b := w.as(w.member)
	next := regexp.MustCompile(`href="([^"]*)" rel="next"`)

	var ids []string
	for path := freelancersPage; path != ""; {
		a := b.get(path).expect(t, http.StatusOK, "60 freelancers")
		for _, m := range regexp.MustCompile(`<code>(f\d+)</code>`).FindAllStringSubmatch(a.body, -1) {
			ids = append(ids, m[1])
		}
		path = ""
		if m := next.FindStringSubmatch(a.body); m != nil {
			path = m[1]
		}
	}

	for n, id := range ids {
		if id != fmt.Sprintf("f%d", n+1) {
			t.Fatalf("number %d is %s", n+1, id)
		}
	}
	if len(ids) != 60 {
		t.Errorf("%d freelancers on all pages", len(ids))
	}
	b.get(freelancersPage+"?offset=50").expect(t, http.StatusOK, "51 to 60", "Previous page")
	b.get(freelancersPage+"?offset=99").expect(t, http.StatusOK, "Nobody found.")
	b.get(freelancersPage+"?offset=-1").expect(t, http.StatusOK, "1 to 25")
}

// Everybody on a list or a profile counts toward the daily limit of the account, and the limit holds there, too.
func TestFreelancers_CountTowardTheLimit(t *testing.T) {
	w := newWorld(t)
	b := w.as(w.stranger) // on the smallest plan
	b.get(freelancersPage).expect(t, http.StatusOK)
	if n, err := w.db.Views.Views(t.Context(), w.stranger.Account, "2030-05-20"); err != nil || n != 2 {
		t.Errorf("%d freelancers counted, error %v", n, err)
	}

	var others []uint64
	for n := range uint64(498) {
		others = append(others, n+1)
	}
	_, _, err := w.db.Views.AddViews(t.Context(), w.stranger.Account, "2030-05-20", others, 500)
	w.must(err)
	b.get(miraProfile).expect(t, http.StatusOK, "Mira Talden") // seen today
	w.freelancers.Engine.Edit("new", func(f *matching.Freelancer) { f.ID = "new" })
	b.get(freelancersPage+"/new").expect(t, http.StatusTooManyRequests, "per day")
	w.as(w.admin).get(freelancersPage+"/new").expect(t, http.StatusOK)
}

// A profile says everything that is known: the record, the evidence for skills, where the data came from, what happened
// in the account, and who is similar.
func TestFreelancer_Profile(t *testing.T) {
	at := time.Date(2030, 5, 1, 8, 0, 0, 0, time.UTC)
	p := &engine.Provenance{Run: engine.Run{
		Files: []engine.SourceFile{{Name: "/data/people.csv"}}, Rows: 2, Finished: at,
	}}
	w := newWorld(t, loaded(p, mira()))
	w.matcher.answer.Matches = []matching.Match{{Freelancer: matching.Freelancer{ID: "g", Name: "Oren Vask"}}}
	for i, kind := range []events.Type{events.Shown, events.Contacted, events.Hired} {
		w.outcomes.list = append(w.outcomes.list, events.Event{
			Account: w.owner.Account, Freelancer: "f/1", Type: kind, At: at.AddDate(0, 0, i), Rank: 3,
		})
	}
	w.outcomes.list = append(w.outcomes.list, events.Event{
		Account: w.stranger.Account, Freelancer: "f/1", Type: events.Rejected, At: at, Rank: 7,
	})

	b := w.as(w.member)
	a := b.get(miraProfile).expect(t, http.StatusOK, "Mira Talden", "Nurse", "f/1",
		"Listed Triage First aid", "In the description Listening", "One. Two.",
		"Available from Jun 1, 2030, 20 hours a week", "45.5 USD per hour, charged in EUR", "Porto",
		"Europe/Lisbon, now 13:00", "German C1, Portuguese native", "Experience Unknown",
		"Shown in 1 match of your account, last May 1, 2030",
		"Hired, number 3 of a match May 3, 2030 Contacted, number 3 of a match May 2, 2030",
		"Similar people Oren Vask", "Loaded May 1, 2030")
	for _, unwanted := range []string{"Not suitable", "people.csv", "/admin/"} {
		if strings.Contains(a.body, unwanted) {
			t.Errorf("the profile has %q", unwanted)
		}
	}
	w.as(w.admin).get(miraProfile).expect(t, http.StatusOK, "Loaded May 1, 2030 from people.csv (2 rows).")
	if !strings.Contains(a.body, `x="1.71" width="10.29"`) {
		t.Error("the bar doesn't begin on June 1, 12 days after May 20")
	}
	if got := w.matcher.brief.Filters.ExcludeIDs; len(got) != 1 || got[0] != "f/1" {
		t.Errorf("similar people exclude %v", got)
	}
}

// Interviews are a part of the history.
func TestFreelancer_ProfileWithInterviews(t *testing.T) {
	w := newWorld(t, loaded(nil, matching.Freelancer{ID: "f1", Name: "Mira"}))
	session := w.interview(w.owner, "Mira", "I read the chart aloud.", "")
	w.interview(w.stranger, "Mira")
	a := w.as(w.member).get(freelancersPage+"/f1").expect(t, http.StatusOK,
		"Interview for Night shift Mira", "All interviews",
		"The index doesn’t record where its data came from.", "Nobody similar was found.")
	if n := strings.Count(a.body, "Interview for"); n != 1 || !strings.Contains(a.body, "/dashboard/interviews/"+session) {
		t.Errorf("%d interviews", n)
	}
}

// Links to the web lead to real sites only. Generated data has addresses of example.com.
func TestFreelancer_ProfileOnTheWeb(t *testing.T) {
	for link, want := range map[string]bool{
		"https://people.site/mira": true, "https://example.com/freelancers/f1": false, "http://www.EXAMPLE.org": false,
		"javascript:alert(1)": false, "https://mira.test/": false, "https://user@people.site/": false, "": false,
		"https://notexample.com/mira": true,
	} {
		w := newWorld(t, loaded(nil, matching.Freelancer{ID: "f1", ProfileURL: link}))
		a := w.as(w.member).get(freelancersPage + "/f1")
		if got := strings.Contains(a.text(), "Profile on the web"); got != want {
			t.Errorf("%q: a link %v, want %v", link, got, want)
		}
	}
}
