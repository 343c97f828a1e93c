package playground

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/freelancer-matching/service/access/apikey"
	"github.com/freelancer-matching/service/access/results"
	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// A Matcher finds freelancers for briefs, and reads adverts; see match.Service. People who are shown from its answers
// count toward the account's daily limit.
type Matcher interface {
	Match(ctx context.Context, b *matching.Brief) (*matching.Answer, error)
	Order(ctx context.Context, b *matching.Brief) (ids []string, err error)
	Explain(ctx context.Context, b *matching.Brief, id string) (*matching.Standing, error)
	Alternatives(
		ctx context.Context, b *matching.Brief, id string,
	) (list []matching.Alternative, isSupported bool, err error)
	Read(ctx context.Context, advert string) (*match.Advert, error)
}

// Outcomes stores and reads events about the people in responses; see events.Service and store.MatchEvents.
type Outcomes interface {
	Record(ctx context.Context, account string, list []events.Event) (events.Result, error)
	Of(ctx context.Context, match events.Match) ([]events.Event, error)
}

const (
	maxCounted    = 500 // matches that facets count
	maxFacets     = 5   // values of a facet
	overviewLimit = 2 * time.Second
)

// An overview counts the facts of the best matches of a brief, up to maxCounted.
type overview struct {
	Counted   int          `json:"counted"`
	Countries []facetCount `json:"countries,omitempty"`
	Languages []facetCount `json:"languages,omitempty"`
	Rates     []rateCount  `json:"rates,omitempty"` // lowest first
	Available int          `json:"available,omitempty"`
	AllSkills int          `json:"all_skills,omitempty"` // matches without missing skills
	Skills    []string     `json:"skills,omitempty"`     // those that AllSkills is about
}

// facetCount is the number of people with a value.
type facetCount struct {
	Value  string `json:"value"`
	People int    `json:"people"`
}

// rateCount is the number of people whose hourly rate is at most Up.
type rateCount struct {
	Up     float64 `json:"up"`
	People int     `json:"people"`
}

// facetGroup is a facet with its values.
type facetGroup struct {
	Title  string
	Facets []facet
}

// facet is a value of a facet, whose button sets a filter.
type facet struct {
	Label  string
	People int
	Use    string // see suggestion.Use
}

// addMatchExtras adds what the page of a match shows besides the response: counts over all matches. It records that the
// people of the response were shown. Neither may fail the result, whose request has counted.
func (h *matchHandler) addMatchExtras(v *page.Visit, request *wire.MatchRequest, plan string, r *results.Result) {
	var answer wire.MatchAnswer
	if decodeResponse(r.Response, &answer) != nil || len(answer.Matches) == 0 {
		return
	}

	if err := h.recordShown(v.Context(), r.Account, &answer); err != nil {
		h.Log.WarnContext(v.Context(), "people shown not recorded", "error", err)
	}

	published, err := h.published(v)
	var counts *overview
	if err == nil {
		counts, err = h.count(v.Context(), request, plan, published)
	}
	if err == nil {
		r.Overview, err = json.Marshal(counts)
	}
	if err != nil {
		h.Log.WarnContext(v.Context(), "facets of matches not counted", "error", err)
	}
}

// recordShown records that the people of a response were shown.
func (h *client) recordShown(ctx context.Context, account string, answer *wire.MatchAnswer) error {
	list := make([]events.Event, len(answer.Matches))
	for i := range answer.Matches {
		list[i] = events.Event{
			Match: answer.RequestID, Freelancer: answer.Matches[i].Freelancer.ID, Type: events.Shown,
		}
	}
	_, err := h.Outcomes.Record(ctx, account, list)
	return err
}

// count returns the counts over the best matches of a brief.
func (h *client) count(
	ctx context.Context, request *wire.MatchRequest, planName string, published *matching.Ranking,
) (*overview, error) {
	brief, err := wholeBrief(request, planName, published)
	if err != nil {
		return nil, err
	}
	brief.Limit = maxCounted
	brief.Explain = false

	ctx, cancel := context.WithTimeout(ctx, overviewLimit)
	defer cancel()
	found, err := h.Matcher.Match(ctx, brief)
	if err != nil {
		return nil, err
	}

	return newOverview(found, request.RequiredSkills), nil
}

// wholeBrief returns the brief of a request without its page, ranked as the API does it for an account with a published
// ranking. The request must be one that the API accepts on a plan.
func wholeBrief(
	request *wire.MatchRequest, planName string, published *matching.Ranking,
) (*matching.Brief, error) {
	plan, _ := apikey.PlanNamed(planName) // a key has a plan that exists
	var faults validate.Faults
	whole := *request
	whole.Offset, whole.Limit = nil, nil
	brief := whole.Brief(plan, &faults)
	if request.Profile == "" && len(request.Weights) == 0 {
		brief.Ranking = published
	}
	return brief, faults.Err()
}

// newOverview returns the counts over the matches of an answer. The facet of all skills needs at least one required
// skill that a filter could demand.
func newOverview(found *matching.Answer, required []string) *overview {
	o := &overview{Counted: len(found.Matches), Skills: required}
	if len(required) == 0 {
		o.Skills = found.DerivedSkills
	}

	countries := map[string]int{}
	languages := map[string]int{}
	var rates []float64
	for i := range found.Matches {
		m := &found.Matches[i]
		if m.Freelancer.Country != "" {
			countries[m.Freelancer.Country]++
		}
		for _, l := range m.Freelancer.Languages {
			languages[l.Tag]++
		}
		if m.Freelancer.HourlyRate.Known {
			rates = append(rates, m.Freelancer.HourlyRate.Value)
		}
		if m.Freelancer.Availability.Value {
			o.Available++
		}
		if len(o.Skills) > 0 && len(m.MissingSkills) == 0 {
			o.AllSkills++
		}
	}

	o.Countries = mostFrequent(countries)
	o.Languages = mostFrequent(languages)
	if found.Conversion == nil { // rates are in the currency of the data, and filters in that of the brief
		o.Rates = rateCounts(rates)
	}
	return o
}

// mostFrequent returns the most frequent values, of equally frequent ones the first in the alphabet.
func mostFrequent(counts map[string]int) []facetCount {
	var list []facetCount
	for _, value := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, facetCount{value, counts[value]})
	}
	slices.SortStableFunc(list, func(a, b facetCount) int { return cmp.Compare(b.People, a.People) })
	return list[:min(len(list), maxFacets)]
}

// rateCounts returns the numbers of people below round rates. A rate that is below no one's, or above everyone's, tells
// nobody apart and is left out.
func rateCounts(rates []float64) []rateCount {
	slices.Sort(rates)
	var list []rateCount
	for _, up := range []float64{10, 20, 30, 50, 75, 100, 150, 200} {
		n, _ := slices.BinarySearchFunc(rates, up, func(rate, up float64) int {
			if rate <= up {
				return -1
			}
			return 1
		})
		isNew := len(list) == 0 || list[len(list)-1].People < n
		if n > 0 && n < len(rates) && isNew {
			list = append(list, rateCount{up, n})
		}
	}
	return list[max(0, len(list)-maxFacets):]
}

// facetGroups returns the facets of a result, and the number of matches that they count. Filters that the form has are
// left out.
func facetGroups(r *results.Result, answer *wire.MatchAnswer) (groups []facetGroup, counted int) {
	var o overview
	if r.Overview == nil || json.Unmarshal(r.Overview, &o) != nil {
		return nil, 0
	}

	add := func(filter, title string, facets []facet) {
		if r.Form.Get(filter) == "" && len(facets) > 0 {
			groups = append(groups, facetGroup{title, facets})
		}
	}

	var people []facet
	if o.AllSkills > 0 && o.AllSkills < o.Counted && r.Form.Get("must_have_skills") == "" {
		people = append(people, newFacet("All skills of the brief", o.AllSkills, "must_have_skills", o.Skills))
	}
	if o.Available > 0 && o.Available < o.Counted && r.Form.Get("available") == "" {
		people = append(people, newFacet("Available", o.Available, "available", true))
	}
	if len(people) > 0 {
		groups = append(groups, facetGroup{"People", people})
	}

	var rates, countries, languages []facet
	for _, c := range o.Rates {
		label := "up to " + money(0, c.Up, answer.HourlyRateCurrency)
		rates = append(rates, newFacet(label, c.People, "max_hourly_rate", c.Up))
	}
	for _, c := range o.Countries {
		countries = append(countries, newFacet(page.CountryName(c.Value), c.People, "countries", []string{c.Value}))
	}
	for _, c := range o.Languages {
		filter := []wire.LanguageFilter{{Language: c.Value}}
		languages = append(languages, newFacet(page.SpokenName(c.Value), c.People, "languages", filter))
	}

	add("max_hourly_rate", "Hourly rate", rates)
	add("countries", "Country", countries)
	add("languages", "Language", languages)
	return groups, o.Counted
}

// newFacet returns a facet that sets a filter of the API to a value.
func newFacet(label string, people int, filter string, value any) facet {
	use, err := json.Marshal(map[string]any{filter: value})
	if err != nil {
		panic(err) // texts, numbers and lists of them can be encoded
	}
	return facet{label, people, string(use)}
}
