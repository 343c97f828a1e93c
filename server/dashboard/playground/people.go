package playground

import (
	"cmp"
	"context"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

const (
	maxPeople     = 3 // side by side
	compareTime   = 5 * time.Second
	smallestShown = .0005 // points of a score below this are shown as 0
)

// peopleView is the comparison of two or three people for a brief.
type peopleView struct {
	Back     page.Option // the page that the comparison belongs to
	People   []comparedPerson
	Facts    []comparedFact
	Features []comparedFeature
	Summary  []string // sentences about who is ahead, and by what
	Gone     []string // IDs that the data doesn't have any more
	TooFew   bool     // there is nothing to compare
}

// comparedPerson is a column of the comparison.
type comparedPerson struct {
	matching.Standing
	ID, Name, Title, URL string
}

// comparedFact is a row of the comparison.
type comparedFact struct {
	Label string
	Cells []comparedCell
}

// comparedCell is what a row says about a person.
type comparedCell struct {
	Text string // "" if it is unknown
	Best bool   // better than everybody else has
}

// comparedFeature is the row of a part of the scores.
type comparedFeature struct {
	Label, Class string
	Points       []float64
	Reasons      []string
	Difference   string // in a sentence
}

// comparePeople compares people of a saved match for its brief.
func (h *profileHandler) comparePeople(v *page.Visit) error {
	r, err := h.savedMatches(v)
	if err != nil {
		return err
	}
	var request wire.MatchRequest
	if err := decodeResponse(r.Request, &request); err != nil {
		return err
	}

	answer, err := h.savedAnswer(&r)
	if err != nil {
		return err
	}
	back := page.Option{Value: resultsPath + r.ID, Label: "Matches"}
	if r.Title != "" {
		back.Label += ": " + r.Title
	}
	wasShown := func(id string) bool { return slices.ContainsFunc(answer.Cards, hasID(id)) }

	return h.showPeople(v, &request, back, wasShown)
}

// compareInProject compares people of a project for its brief.
func (h *profileHandler) compareInProject(v *page.Visit) error {
	p, people, err := h.Projects.Find(v.Context(), v.Account.ID, v.Request.PathValue("project"))
	if err != nil {
		return err
	}
	request, err := h.requestOf(v, p.Brief.Form)
	if err != nil {
		return err
	}

	back := page.Option{Value: page.Root + "/projects/" + p.ID, Label: p.Name}
	shown := map[string]bool{}
	for _, person := range people {
		shown[person.Freelancer] = true
	}
	return h.showPeople(v, &request, back, func(id string) bool { return shown[id] })
}

// requestOf returns the request that a form describes.
func (h *client) requestOf(v *page.Visit, form url.Values) (wire.MatchRequest, error) {
	published, err := h.published(v)
	if err != nil {
		return wire.MatchRequest{}, err
	}
	asked := *v
	asked.Request = v.Request.Clone(v.Context())
	asked.Request.PostForm = form
	f := &briefReader{FormReader: page.FormReader{Visit: &asked}, ranking: published}
	f.dataCurrency, _ = h.Currencies(v.Context())
	request := f.matchRequest()
	return request, matching.Invalid(f.Faults)
}

// showPeople shows the people whom the query names side by side. Those whom the account hasn't seen with this brief
// count toward its daily limit.
func (h *profileHandler) showPeople(
	v *page.Visit, request *wire.MatchRequest, back page.Option, wasShown func(id string) bool,
) error {
	ids := slices.Compact(slices.Sorted(slices.Values(v.Request.URL.Query()["ids"])))
	if len(ids) > maxPeople {
		return matching.Invalid([]matching.FieldError{{
			Field: "ids", Code: "too_many", Message: "Select two or three people; you selected " +
				page.Decimal(0, float64(len(ids))) + ".",
		}})
	}
	others := slices.DeleteFunc(slices.Clone(ids), wasShown)
	if err := v.CountViews(h.Views, others...); err != nil {
		return err
	}

	view := peopleView{Back: back}
	if err := h.compareAll(v, request, ids, &view); err != nil {
		return err
	}
	return v.OK(page.Page{
		Template: "people", Title: "Compare people", Section: "playground", Data: view, Compressible: true,
	})
}

// compareAll fills in the comparison.
func (h *profileHandler) compareAll(v *page.Visit, request *wire.MatchRequest, ids []string, view *peopleView) error {
	ctx, cancel := context.WithTimeout(v.Context(), compareTime)
	defer cancel()
	published, err := h.published(v)
	if err != nil {
		return err
	}
	brief, err := wholeBrief(request, v.Account.Plan, published)
	if err != nil {
		return err
	}

	for _, id := range ids {
		standing, err := h.Matcher.Explain(ctx, brief, id)
		switch {
		case matching.CodeOf(err) == matching.CodeFreelancerUnknown:
			view.Gone = append(view.Gone, id)
			continue
		case err != nil:
			return err
		}

		f := &standing.Match.Freelancer
		view.People = append(view.People, comparedPerson{
			Standing: *standing, ID: id, Name: cmp.Or(f.Name, id), Title: f.JobTitle, URL: page.FreelancerURL(id),
		})
	}

	// The best comes first, so that sentences say who is ahead.
	slices.SortStableFunc(view.People, func(a, b comparedPerson) int {
		return cmp.Compare(b.Match.Score, a.Match.Score)
	})
	if view.TooFew = len(view.People) < 2; view.TooFew {
		return nil
	}
	view.Facts = comparedFacts(view.People, h.Now())
	view.Features = comparedFeatures(view.People)
	view.Summary = comparedScores(view.People, view.Features)

	return nil
}

// comparedFacts returns the rows of the comparison that aren't about scores.
func comparedFacts(people []comparedPerson, now time.Time) (facts []comparedFact) {
	add := func(label string, text func(p *comparedPerson) string) {
		facts = append(facts, factOf(people, label, text, nil))
	}
	// The best number is marked; sign is 1 if more is better and -1 if less is.
	addNumber := func(
		label string, sign float64, number func(p *comparedPerson) matching.Optional[float64],
		text func(p *comparedPerson, n float64) string,
	) {
		facts = append(facts, factOf(people, label, func(p *comparedPerson) string {
			if n := number(p); n.Known {
				return text(p, n.Value)
			}
			return ""
		}, func(p *comparedPerson) matching.Optional[float64] {
			n := number(p)
			n.Value *= sign
			return n
		}))
	}

	add("Rank", rankText)
	add("Skills met", func(p *comparedPerson) string { return strings.Join(p.Match.MatchedSkills, ", ") })
	add("Skills missing", func(p *comparedPerson) string {
		if len(p.Match.MissingSkills) == 0 {
			return "none"
		}
		return strings.Join(p.Match.MissingSkills, ", ")
	})

	addNumber("Hourly rate", -1,
		func(p *comparedPerson) matching.Optional[float64] { return p.Match.Freelancer.HourlyRate },
		func(p *comparedPerson, n float64) string { return money(2, n, p.Answer.DataCurrency) })
	addNumber("Estimated cost", -1,
		func(p *comparedPerson) matching.Optional[float64] { return p.Match.Estimate.Cost },
		func(p *comparedPerson, n float64) string {
			cost := money(0, n, p.Match.Estimate.Currency)
			if word := priceWord(&p.Match.Price); p.Match.Price.Verdict != "" && word != "" {
				cost += ", " + word
			}
			return cost
		})
	addNumber("Experience", 1,
		func(p *comparedPerson) matching.Optional[float64] { return p.Match.Freelancer.Experience },
		func(_ *comparedPerson, n float64) string { return page.Years(n) })
	addNumber("Rating", 1,
		func(p *comparedPerson) matching.Optional[float64] { return p.Match.Freelancer.Rating },
		func(p *comparedPerson, n float64) string {
			rating := page.Decimal(2, n) + " of 5"
			if sales := p.Match.Freelancer.TotalSales; sales.Known {
				rating += ", " + page.Plural(sales.Value, "project", "projects")
			}
			return rating
		})

	add("Availability", availabilityText)
	add("Place", func(p *comparedPerson) string {
		f := &p.Match.Freelancer
		if f.Location == "" && f.Country != "" {
			return page.CountryName(f.Country)
		}
		return f.Location
	})
	add("Local time", func(p *comparedPerson) string { return page.LocalTime(p.Match.Freelancer.TimeZone, now) })
	add("Languages", func(p *comparedPerson) string {
		var spoken []string
		for _, l := range p.Match.Freelancer.Languages {
			spoken = append(spoken, strings.TrimSpace(page.SpokenName(l.Tag)+" "+string(l.Level)))
		}
		return strings.Join(spoken, ", ")
	})

	return facts
}

// factOf returns a row. Unless order is nil, the one person with the highest value is the best.
func factOf(
	people []comparedPerson, label string, text func(*comparedPerson) string,
	order func(*comparedPerson) matching.Optional[float64],
) comparedFact {
	fact := comparedFact{Label: label, Cells: make([]comparedCell, len(people))}
	best, most, known := -1, math.Inf(-1), 0
	for i := range people {
		fact.Cells[i].Text = text(&people[i])
		if order == nil {
			continue
		}

		n := order(&people[i])
		switch {
		case !n.Known:
			continue
		case n.Value > most:
			best, most = i, n.Value
		case n.Value == most:
			best = -1 // a tie
		}
		known++
	}
	if best >= 0 && known > 1 {
		fact.Cells[best].Best = true
	}
	return fact
}

func rankText(p *comparedPerson) string {
	switch {
	case len(p.ExcludedBy) > 0:
		var names []string
		for _, e := range p.ExcludedBy {
			names = append(names, strings.ReplaceAll(e.Filter, "_", " "))
		}
		return "excluded by " + strings.Join(names, ", ")
	case p.Rank.Known:
		return page.Decimal(0, float64(p.Rank.Value)) + " of " + page.Decimal(0, float64(p.Total))
	default:
		return "behind the " + page.Decimal(0, float64(p.Total)) + " candidates"
	}
}

func availabilityText(p *comparedPerson) string {
	f := &p.Match.Freelancer
	text := ""
	switch {
	case f.AvailableFrom != "":
		text = "from " + f.AvailableFrom
	case !f.Availability.Known:
	case f.Availability.Value:
		text = "now"
	default:
		text = "not available"
	}
	if f.HoursPerWeek.Known {
		text = strings.TrimPrefix(text+", "+page.Decimal(1, f.HoursPerWeek.Value)+" hours per week", ", ")
	}
	return text
}

// comparedFeatures returns the parts of the scores, with who gets more by each.
func comparedFeatures(people []comparedPerson) (rows []comparedFeature) {
	for i, s := range segments(people[0].Match.Explanation) {
		row := comparedFeature{Label: s.Label, Class: s.Class}
		for j := range people {
			// All have the same features, because these depend on the brief.
			feature := &people[j].Match.Explanation[i]
			row.Points = append(row.Points, feature.Contribution)
			row.Reasons = append(row.Reasons, feature.Summary)
		}

		most := slices.Index(row.Points, slices.Max(row.Points))
		least := slices.Index(row.Points, slices.Min(row.Points))
		if by := row.Points[most] - row.Points[least]; by < smallestShown {
			row.Difference = "No difference."
		} else {
			row.Difference = people[most].Name + " gets " + points(by) + " more than " + people[least].Name + "."
		}
		rows = append(rows, row)
	}
	return rows
}

// comparedScores says for each person but the best how far behind they are, and which parts of the score that is.
func comparedScores(people []comparedPerson, features []comparedFeature) (sentences []string) {
	best := &people[0]
	for i := 1; i < len(people); i++ {
		other := &people[i]
		by := best.Match.Score - other.Match.Score
		if by < smallestShown {
			sentences = append(sentences, best.Name+" and "+other.Name+" have the same score.")
			continue
		}

		ahead := partsAhead(features, 0, i)
		behind := partsAhead(features, i, 0)
		sentence := best.Name + " is ahead of " + other.Name + " by " + points(by)
		if len(ahead) > 0 {
			sentence += ", mostly by " + strings.Join(ahead, " and ")
		}
		if len(behind) > 0 {
			sentence += "; " + other.Name + " is ahead by " + strings.Join(behind, " and ")
		}
		sentences = append(sentences, sentence+".")
	}
	return sentences
}

// partsAhead returns the two parts of the score by which one person is most ahead of another.
func partsAhead(features []comparedFeature, one, other int) (parts []string) {
	ahead := func(f *comparedFeature) float64 { return f.Points[one] - f.Points[other] }
	sorted := slices.Clone(features)
	slices.SortStableFunc(sorted, func(a, b comparedFeature) int { return cmp.Compare(ahead(&b), ahead(&a)) })
	for i := range sorted[:min(len(sorted), 2)] {
		if by := ahead(&sorted[i]); by >= smallestShown {
			parts = append(parts, strings.ToLower(sorted[i].Label)+" ("+points(by)+")")
		}
	}
	return parts
}

// points returns points of a score, as pages show them.
func points(n float64) string { return page.Decimal(3, n) }

// Columns returns the number of columns of the table.
func (p peopleView) Columns() int { return len(p.People) + 1 }
