package dashboard_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/resume"
)

// fakeMatcher finds the same people for every brief.
type fakeMatcher struct {
	answer matching.Answer
	brief  *matching.Brief // the last one

	advert match.Advert // that Read returns
	text   string       // that Read got
	file   resume.Text  // that Text returns
	err    error        // of Text

	standings    map[string]matching.Standing // that Explain returns, by ID
	alternatives []matching.Alternative
	unsupported  bool // what Alternatives returns

	// order returns what Order returns for a brief; nil for nobody.
	order func(b *matching.Brief) []string
}

func (m *fakeMatcher) Order(_ context.Context, b *matching.Brief) ([]string, error) {
	if m.order == nil {
		return nil, nil
	}
	return m.order(b), nil
}

func (m *fakeMatcher) Explain(_ context.Context, b *matching.Brief, id string) (*matching.Standing, error) {
	m.brief = b
	standing, ok := m.standings[id]
	if !ok {
		return nil, &matching.Error{Code: matching.CodeFreelancerUnknown, Message: "No freelancer has this ID."}
	}
	return &standing, nil
}

func (m *fakeMatcher) Alternatives(
	_ context.Context, b *matching.Brief, id string,
) ([]matching.Alternative, bool, error) {
	m.brief = b
	return m.alternatives, !m.unsupported, nil
}

func (m *fakeMatcher) Read(_ context.Context, advert string) (*match.Advert, error) {
	m.text = advert
	return &m.advert, nil
}

func (m *fakeMatcher) Text(context.Context, []byte, int) (resume.Text, error) { return m.file, m.err }

func (m *fakeMatcher) Match(_ context.Context, b *matching.Brief) (*matching.Answer, error) {
	m.brief = b
	return &m.answer, nil
}

// fakeOutcomes accepts every event.
type fakeOutcomes struct {
	list    []events.Event
	tallies []events.Tally
	matches []events.Match
	err     error
}

func (o *fakeOutcomes) Record(_ context.Context, account string, list []events.Event) (events.Result, error) {
	for _, e := range list {
		e.Account = account
		o.list = append(o.list, e)
	}
	return events.Result{Recorded: len(list)}, nil
}

func (o *fakeOutcomes) Of(_ context.Context, m events.Match) (found []events.Event, err error) {
	for _, e := range o.list {
		if e.Account == m.Account && e.Match == m.ID {
			found = append(found, e)
		}
	}
	return found, nil
}

func (o *fakeOutcomes) Latest(
	_ context.Context, account, freelancer string, limit int,
) (found []events.Event, err error) {
	for _, e := range slices.Backward(o.list) {
		if e.Account == account && e.Freelancer == freelancer && len(found) < limit {
			found = append(found, e)
		}
	}
	return found, nil
}

// fakeEvidence lists the skills of records, and finds one in every description.
type fakeEvidence struct{}

func (fakeEvidence) Skills(f *matching.Freelancer) (skills []documents.NamedSkill) {
	for _, name := range f.Skills {
		skills = append(skills, documents.NamedSkill{Name: name, Listed: true, Evidence: matching.Listed})
	}
	return append(skills, documents.NamedSkill{Name: "Listening", Evidence: matching.InText})
}

// Tally implements dashboard.Outcomes.
func (o *fakeOutcomes) Tally(context.Context, string, time.Time) ([]events.Tally, error) {
	return o.tallies, nil
}

// Newest implements dashboard.Outcomes.
func (o *fakeOutcomes) Newest(context.Context, string, time.Time, int, int) ([]events.Match, error) {
	return o.matches, o.err
}

// types returns the types of the events about a freelancer.
func (o *fakeOutcomes) types(freelancer string) (types []events.Type) {
	for _, e := range o.list {
		if e.Freelancer == freelancer {
			types = append(types, e.Type)
		}
	}
	return types
}

// The list has a line for each match, and beside it the profile of the best one or of the one that was selected.
func TestWorkbench(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	result := resultOf(t, w, b, key.ID, twoMatches)
	list := b.get(result).expect(t, http.StatusOK, "2 matches from 2 candidates",
		"1 =1+1 Potter 2/3 skills no Kiln", "60/h → 630 USD", "2 Ben", "Terms and facts", "60 USD per hour")
	if n := strings.Count(list.body, "<tr"); n > 0 {
		t.Errorf("%d table rows in the list", n)
	}
	if strings.Contains(list.body, "workbench chosen") {
		t.Error("a phone shows the profile though nobody was selected")
	}

	second := b.get(result+"?person=b2").expect(t, http.StatusOK, "place 2")
	if !strings.Contains(second.body, "workbench chosen") {
		t.Error("a phone doesn't show the selected profile")
	}
	b.get(result+"?person=nobody").expect(t, http.StatusOK, "place 1")
	b.get(result+"?view=code").expect(t, http.StatusOK, "X-API-Key: $MATCHING_API_KEY", "JSON response")
	b.get(result+"?view=cards").expect(t, http.StatusOK, "Words 1 =1+1 Potter 60 USD per hour , available")
}

// Facets count all matches of the brief, not only those of the response. Their buttons set filters.
func TestWorkbench_Facets(t *testing.T) {
	w := newWorld(t)
	person := func(id, country string, rate float64, missing ...string) matching.Match {
		m := matching.Match{Freelancer: matching.Freelancer{ID: id}, MissingSkills: missing}
		m.Freelancer.Country = country
		m.Freelancer.Languages = []matching.SpokenLanguage{{Tag: "de"}}
		m.Freelancer.HourlyRate = matching.Some(rate)
		return m
	}
	w.matcher.answer.Matches = []matching.Match{
		person("a", "DE", 40), person("b", "DE", 60), person("c", "AT", 90, "Glaze"),
	}

	b, key := player(t, w)
	w.api.status, w.api.body = http.StatusOK, twoMatches
	form := []string{"key", key.ID, "required_skills", "Clay, Glaze", "limit", "5"}
	result := b.post("/dashboard/playground", form...).expect(t, http.StatusSeeOther).location
	page := b.get(result).expect(t, http.StatusOK, "All skills of the brief 2", "up to 50 USD 1", "up to 75 USD 2",
		"Germany 2 Austria 1", "German 3", "Counts of the best 3 matches.")
	if w.matcher.brief.Limit < 500 || w.matcher.brief.Offset != 0 {
		t.Errorf("counted with limit %d and offset %d", w.matcher.brief.Limit, w.matcher.brief.Offset)
	}
	if strings.Contains(page.text(), "up to 100") {
		t.Error("a facet that everybody passes is shown")
	}

	b.play("/dashboard/playground", append(form, "use", `{"countries":["DE"]}`)...).
		expect(t, http.StatusOK, "Country: Germany")
	expectRequest(t, w, `{"required_skills":["Clay","Glaze"],"filters":{"countries":["DE"]},"limit":5,"explain":true,
		"details":true}`)
	filtered := b.play("/dashboard/playground", append(form, "use", `{"must_have_skills":["Clay","Glaze"]}`)...).
		expect(t, http.StatusOK, "With: Clay, Glaze")
	if strings.Contains(filtered.text(), "All skills of the brief") {
		t.Error("a filter that is set is offered")
	}
}

// A list leads on to the matches after it. Ranks continue.
func TestWorkbench_Pages(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	body := strings.Replace(twoMatches, `"considered":2`, `"considered":9,"next_offset":4`, 1)
	w.api.status, w.api.body = http.StatusOK, body
	form := []string{"key", key.ID, "description", "A shop", "limit", "5", "offset", "2"}
	result := b.post("/dashboard/playground", form...).expect(t, http.StatusSeeOther).location
	expectRequest(t, w, `{"description":"A shop","limit":5,"offset":2,"explain":true,"details":true}`)
	b.get(result).expect(t, http.StatusOK, "3 =1+1 Potter", "← Matches 1 to 2", "Matches 5 to 6 →")
	if csv := b.get(result + "/matches.csv").body; !strings.Contains(csv, "\n3,\"a,1\"") {
		t.Errorf("the ranks in the file start over: %s", csv)
	}
}

// What became of a person is recorded as an event about the match, and shown from then on.
func TestWorkbench_Outcomes(t *testing.T) {
	w := newWorld(t)
	b, key := player(t, w)
	result := resultOf(t, w, b, key.ID, strings.Replace(twoMatches, `{"status"`, `{"request_id":"r1","status"`, 1))
	b.get(result)
	if got := w.outcomes.types("b2"); !slices.Equal(got, []events.Type{events.Shown}) {
		t.Fatalf("events %v after the list was shown", got)
	}

	person := result + "/freelancers/b2"
	b.get(person+"?pane=1").expect(t, http.StatusOK)
	b.get(person).expect(t, http.StatusOK)
	saved := b.post(person, "outcome", "rejected", "back", "list").expect(t, http.StatusSeeOther)
	b.get(saved.location).expect(t, http.StatusOK, "Ben: not suitable.", "2 Ben not suitable")
	b.post(person, "outcome", "contacted", "back", "pane").expect(t, http.StatusSeeOther)
	b.get(person+"?pane=1").expect(t, http.StatusOK, "Contacted.")

	want := []events.Type{events.Shown, events.Clicked, events.Rejected, events.Contacted}
	if got := w.outcomes.types("b2"); !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
	if e := w.outcomes.list[0]; e.Match != "r1" || e.Account != w.owner.Account {
		t.Errorf("recorded %+v", e)
	}

	b.post(person, "outcome", "shown").expect(t, http.StatusBadRequest)
	b.post(result+"/freelancers/nobody", "outcome", "hired").expect(t, http.StatusNotFound)
	w.as(w.stranger).post(person, "outcome", "hired").expect(t, http.StatusNotFound)
}
