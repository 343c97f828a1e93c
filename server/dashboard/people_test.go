package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

// standing returns the standing of somebody with a name, a rank, and the contributions of skills and budget.
func standing(id, name string, rank int, skills, budget float64) matching.Standing {
	f := matching.Freelancer{ID: id, Name: name, JobTitle: "Developer"}
	f.HourlyRate = matching.Some(20 * float64(rank))
	f.Details = matching.Details{Country: "PT", TimeZone: "Europe/Lisbon"}
	return matching.Standing{
		Match: matching.Match{
			Freelancer: f, Score: skills + budget, Level: "strong", MatchedSkills: []string{"React"},
			MissingSkills: []string{"Go"}[:rank-1],
			Explanation: []matching.Feature{
				{Name: "skills", Contribution: skills, Summary: name + " and skills"},
				{Name: "budget", Contribution: budget, Summary: name + " and budget"},
			},
		},
		Rank: matching.Some(rank), Total: 40, Answer: matching.Answer{DataCurrency: "EUR"},
	}
}

func withStandings(w *world) {
	w.matcher.standings = map[string]matching.Standing{
		"f850": standing("f850", "Ada <b>Lima", 1, .5, .125), "f146": standing("f146", "Ben Roe", 2, .25, .25),
	}
}

// People of a match are compared for its brief: facts, contributions, and who is ahead by what.
func TestComparePeople(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	path := b.play2(t, "key", key.ID, "required_skills", "React, Go", "limit", "3")
	withStandings(w)

	list := b.get(path).expect(t, http.StatusOK, "Compare people")
	if !strings.Contains(list.body, `type="checkbox" name="ids"`) {
		t.Error("the rows have no boxes")
	}

	a := b.get(path+"/people?ids=f146&ids=f850&ids=f850").expect(t, http.StatusOK, "Compare people",
		"Ada <b>Lima is ahead of Ben Roe by 0.125, mostly by skills (0.25); Ben Roe is ahead by budget (0.125).",
		"Ada <b>Lima gets 0.25 more than Ben Roe.", "Ben Roe and budget.", "1 of 40", "20 EUR (best)", "Skills missing",
		"Local time", "Portugal")
	if strings.Contains(a.body, "<b>Lima") {
		t.Error("a name is markup")
	}
	if got := w.matcher.brief.RequiredSkills; len(got) != 2 {
		t.Errorf("compared for a brief with the skills %v", got)
	}

	b.get(path+"/people?ids=f850").expect(t, http.StatusOK, "Select two or three people")
	b.get(path+"/people").expect(t, http.StatusOK, "Select two or three people")
	b.get(path+"/people?ids=f850&ids=f146&ids=gone").expect(t, http.StatusOK, "Nothing is stored any more about gone")
	b.get(path+"/people?ids=1&ids=2&ids=3&ids=4").expect(t, http.StatusUnprocessableEntity, "you selected 4")
	b.get(path+"/people?ids="+url.QueryEscape("<script>")).expect(t, http.StatusOK, "Select two or three people")
	b.get(path+"/people?ids=%00").expect(t, http.StatusBadRequest)
	w.as(w.stranger).get(path+"/people?ids=f850&ids=f146").expect(t, http.StatusNotFound)
}

// play2 submits a brief and returns the path of its result.
func (b *browser) play2(t *testing.T, fields ...string) string {
	t.Helper()
	return b.post("/dashboard/playground", fields...).expect(t, http.StatusSeeOther).location
}

// People of a project are compared for its brief.
func TestComparePeople_OfAProject(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, matchExample(t, "usual_answer")
	path := b.play2(t, "key", key.ID, "required_skills", "React, Go", "budget_high", "$3k", "limit", "3")
	b.post(path+"/project").expect(t, http.StatusSeeOther)
	withStandings(w)

	list, err := w.db.Projects.List(t.Context(), w.owner.Account)
	if err != nil || len(list) != 1 {
		t.Fatalf("projects %v, %v", list, err)
	}
	project := "/dashboard/projects/" + list[0].ID
	b.get(project+"/compare?ids=f850&ids=f146").expect(t, http.StatusOK, "is ahead of Ben Roe")
	if budget := w.matcher.brief.Budget; budget.Value.High != 3000 {
		t.Errorf("compared for the budget %+v", budget)
	}
	w.as(w.stranger).get(project+"/compare?ids=f850&ids=f146").expect(t, http.StatusNotFound)
}
