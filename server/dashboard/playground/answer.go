package playground

import (
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// answerView is the answer to a brief.
type answerView struct {
	wire.MatchAnswer
	Cards       []card
	Headline    string       // how many matches from how many candidates
	Project     *openProject // that people can be added to; nil for none
	Bell        *Bell        // nil for a result that isn't saved
	Offset      int          // number of better matches, which are on other pages
	Legend      []segment
	WhyEmpty    string // why there are no matches
	Steps       []filterStep
	Nobody      []string // messages about required skills that no freelancer has, or none who passes the filters
	Suggestions []suggestion
	Assumptions []assumption
}

// A filterStep is the effect of one of the filters that leave nobody, in the order of their application.
type filterStep struct {
	matching.FilterStep
	Alone int  // freelancers whom this filter excludes, whatever the others are
	Lifts bool // the form has the filter, so that a button can remove it
}

// card is one match.
type card struct {
	wire.Match
	Rank     int
	URL      string // of the profile; "" unless it is on the web
	Page     string // address of the page about the person; "" if the result isn't saved
	Gist     string // the first words of the description, if there is no title
	Rate     string // with its currency; "" if unknown
	Free     string // "available", "not available", "available from" a date, or "" if unknown
	Facts    []string
	Unknown  []string // fields without data
	Segments []segment

	PriceWord string // within or over the budget; "" for a brief without one
	Interview string // where the form for an interview is
	Chosen    bool   // the person is in the open project
}

// priceWord compares a price with the budget in words. It is "" for a brief without a budget.
func priceWord(p *matching.Price) string {
	switch {
	case p == nil:
		return ""
	case p.Verdict == matching.PriceWithin:
		return "within budget"
	case p.Verdict == matching.PriceUnknown:
		return "rate unknown"
	case p.Times.Known && p.Times.Value >= 1.2:
		return "about " + page.Decimal(1, p.Times.Value) + " × the budget"
	default:
		return "over budget"
	}
}

// segment is one feature's contribution to a score: a part of the score bar, and a row of the breakdown.
type segment struct {
	matching.Feature
	Label string
	Class string // CSS class, for the color
	X     float64
	Width float64 // in units of barLength
	// The row's own bar, in percent of the heaviest feature's weight.
	Possible, Actual float64
}

// barLength is the length of a score bar that stands for a score of 1.
const barLength = 1000

// featureLabels returns the labels of the features that have their own color.
func featureLabels() map[string]string {
	return map[string]string{
		"skills": "Skills", "text": "Words", "semantic": "Meaning", "budget": "Budget", "timeline": "Timeline",
		"experience": "Experience", "quality": "Quality",
	}
}

// newAnswerView returns the answer to a brief, whose request had an offset.
func newAnswerView(a *wire.MatchAnswer, offset int) answerView {
	view := answerView{
		MatchAnswer: *a, Offset: offset, WhyEmpty: whyEmpty(a), Headline: matchHeadline(a), Steps: filterSteps(a),
	}

	// A skill that nobody has explains few matches better than any score. If nobody passes the filters, this is no
	// fault of a skill.
	nobodyPasses := strings.HasPrefix(a.Reason, matching.ReasonFilter)
	for _, s := range a.RequiredSkills {
		if s.Freelancers == 0 || !nobodyPasses && s.PassingFilters.Or(s.Freelancers) == 0 {
			view.Nobody = append(view.Nobody, s.Message)
		}
	}

	for i := range a.SuggestedFilters {
		if s, ok := newSuggestion(&a.SuggestedFilters[i]); ok {
			view.Suggestions = append(view.Suggestions, s)
		}
	}

	for i, m := range a.Matches {
		// Profiles come from files, so a link may be anything, such as javascript:.
		c := card{Match: m, Rank: offset + i + 1, Facts: facts(&m), URL: page.WebProfile(m.Freelancer.ProfileURL)}
		c.Segments = segments(m.Explanation)
		c.PriceWord = priceWord(m.Price)
		c.Rate, c.Free = terms(&m, a.HourlyRateCurrency)

		for _, name := range m.UnknownFields {
			c.Unknown = append(c.Unknown, strings.ReplaceAll(name, "_", " "))
		}
		view.Cards = append(view.Cards, c)
	}

	// All cards have the same features, so the first one serves as legend.
	if len(view.Cards) > 0 {
		view.Legend = view.Cards[0].Segments
	}

	return view
}

// matchHeadline returns how many matches there are, and from how many candidates. If filters excluded all freelancers,
// it says how many these were.
func matchHeadline(a *wire.MatchAnswer) string {
	if strings.HasPrefix(a.Reason, matching.ReasonFilter) && len(a.ReasonDetail) > 0 {
		return "0 matches of " + humanize.Comma(int64(a.ReasonDetail[0].Before)) + ", all excluded by filters"
	}
	matches := page.Plural(len(a.Matches), "match", "matches")
	return matches + " from " + page.Plural(a.Considered, "candidate", "candidates")
}

// money returns an amount with its currency, if that is known.
func money(decimals int, amount float64, currency string) string {
	return strings.TrimSpace(page.Decimal(decimals, amount) + " " + currency)
}

// terms returns a freelancer's hourly rate, and when the freelancer is available. A text is "" if this is unknown.
func terms(m *wire.Match, currency string) (rate, free string) {
	if !slices.Contains(m.UnknownFields, "hourly_rate") {
		rate = money(2, m.Freelancer.HourlyRate, currency) + " per hour"
	}
	switch {
	case m.Details != nil && m.Details.AvailableFrom != nil: // says more than the flag, as in the score
		free = "available from " + *m.Details.AvailableFrom
	case slices.Contains(m.UnknownFields, "availability"):
	case m.Freelancer.Availability:
		free = "available"
	default:
		free = "not available"
	}
	return rate, free
}

// facts returns what is known about a freelancer besides name, title, skills and terms.
func facts(m *wire.Match) []string {
	f := &m.Freelancer
	var known []string
	add := func(field, fact string) {
		if !slices.Contains(m.UnknownFields, field) {
			known = append(known, fact)
		}
	}
	add("rating", "rated "+page.Decimal(2, f.Rating))
	add("experience", page.Years(f.Experience)+" of experience")
	add("total_sales", page.Plural(f.TotalSales, "project", "projects"))
	return append(known, detailFacts(m.Details)...)
}

// detailFacts returns the known details of a freelancer, apart from those among the terms.
func detailFacts(d *wire.Details) []string {
	if d == nil {
		return nil
	}
	var known []string

	// The place usually names the country already.
	switch {
	case d.Location != nil:
		known = append(known, *d.Location)
	case d.Country != nil:
		known = append(known, page.CountryName(*d.Country))
	}

	if d.TimeZone != nil {
		known = append(known, *d.TimeZone)
	}

	for _, l := range d.Languages {
		text := page.SpokenName(l.Language)
		if l.Level != nil {
			text += " " + *l.Level
		}
		known = append(known, text)
	}

	if d.HoursPerWeek.Known {
		known = append(known, page.Decimal(1, d.HoursPerWeek.Value)+" hours per week")
	}

	if d.Verified.Value {
		known = append(known, "verified")
	}

	return known
}

func segments(explanation []matching.Feature) []segment {
	labels := featureLabels()
	heaviest := 0.
	for _, f := range explanation {
		heaviest = max(heaviest, f.Weight)
	}

	var parts []segment
	x := 0.
	for _, f := range explanation {
		s := segment{Feature: f, Label: labels[f.Name], Class: "f-" + f.Name, X: x, Width: f.Contribution * barLength}
		if s.Label == "" {
			s.Label = page.Title(f.Name)
			s.Class = "f-other"
		}

		// Bars in the breakdown are relative to the heaviest feature; those of light ones would be too short to
		// compare.
		if heaviest > 0 {
			s.Possible = 100 * f.Weight / heaviest
			s.Actual = 100 * f.Contribution / heaviest
		}

		x += s.Width
		parts = append(parts, s)
	}

	return parts
}

// filterSteps returns the filters in the explanation of an empty answer.
func filterSteps(a *wire.MatchAnswer) []filterStep {
	var steps []filterStep
	for _, s := range a.ReasonDetail {
		steps = append(steps, filterStep{FilterStep: s, Alone: excludedAlone(a, s.Filter)})
	}
	return steps
}

// excludedAlone returns how many freelancers a filter excludes, whatever the others are.
func excludedAlone(a *wire.MatchAnswer, filter string) int {
	for _, f := range a.Filters {
		if f.Filter == filter {
			return f.Excluded
		}
	}
	return 0
}

// whyEmpty returns a sentence for the reason of an empty answer.
func whyEmpty(a *wire.MatchAnswer) string {
	filter, isFilter := strings.CutPrefix(a.Reason, matching.ReasonFilter)
	switch {
	case a.Reason == "":
		return ""
	case a.Reason == matching.ReasonNoData:
		return "No freelancers are loaded yet. An administrator can load them with the indexer."
	case a.Reason == matching.ReasonNoOverlap && len(a.ReasonDetail) > 0:
		return "No freelancer who passes the filters shares a skill or a word with this brief. Rephrase it, name other " +
			"skills, or relax a filter."
	case a.Reason == matching.ReasonNoOverlap:
		return "No freelancer shares a skill or a word with this brief. Rephrase it, or name other skills."
	case isFilter && needsOthers(a, filter):
		return "Each filter has freelancers who pass it, but nobody passes all of them. Relax one and try again."
	case isFilter:
		return "No freelancer passes the filter “" + strings.ReplaceAll(filter, "_", " ") + "”. Relax it and try again."
	default:
		return "No matches (" + a.Reason + ")."
	}
}

// needsOthers reports whether a filter, after which nobody is left, excludes everybody only together with the filters
// before it.
func needsOthers(a *wire.MatchAnswer, filter string) bool {
	return len(a.ReasonDetail) > 1 && excludedAlone(a, filter) < a.ReasonDetail[0].Before
}
