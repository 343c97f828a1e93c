package playground

import (
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api/wire"
	"freelancer-matching/server/dashboard/page"
)

// answerView is the answer to a brief.
type answerView struct {
	wire.MatchAnswer
	Cards       []card
	Headline    string // how many matches from how many candidates
	AsTable     bool   // the matches are shown as a table
	Legend      []segment
	WhyEmpty    string   // why there are no matches
	Nobody      []string // messages about required skills that no freelancer has, or none who passes the filters
	Suggestions []suggestion
}

// card is one match.
type card struct {
	wire.Match
	Rank     int
	URL      string // of the profile; "" unless it is on the web
	Rate     string // with its currency; "" if unknown
	Free     string // "available", "not available", "available from" a date, or "" if unknown
	Facts    []string
	Unknown  []string // fields without data
	Segments []segment

	PriceWord string // within or over the budget; "" for a brief without one
	Interview string // where the form for an interview is
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

func newAnswerView(a *wire.MatchAnswer) answerView {
	view := answerView{MatchAnswer: *a, WhyEmpty: whyEmpty(a.Reason), Headline: matchHeadline(a)}

	// A skill that nobody has explains few matches better than any score.
	for _, s := range a.RequiredSkills {
		if s.PassingFilters.Or(s.Freelancers) == 0 {
			view.Nobody = append(view.Nobody, s.Message)
		}
	}

	for i := range a.SuggestedFilters {
		if s, ok := newSuggestion(&a.SuggestedFilters[i]); ok {
			view.Suggestions = append(view.Suggestions, s)
		}
	}

	for i, m := range a.Matches {
		c := card{Match: m, Rank: i + 1, Facts: facts(&m), Segments: segments(m.Explanation), PriceWord: priceWord(m.Price)}
		c.Rate, c.Free = terms(&m, a.HourlyRateCurrency)

		// Profiles come from files, so a link may be anything, such as javascript:.
		if isWebURL(m.Freelancer.ProfileURL) {
			c.URL = m.Freelancer.ProfileURL
		}

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
	if len(a.Matches) == 0 && len(a.ReasonDetail) > 0 {
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
		known = append(known, countryName(*d.Country))
	}

	if d.TimeZone != nil {
		known = append(known, *d.TimeZone)
	}

	for _, l := range d.Languages {
		text := spokenName(l.Language)
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

// whyEmpty returns a sentence for the reason of an empty answer.
func whyEmpty(reason string) string {
	filter, isFilter := strings.CutPrefix(reason, matching.ReasonFilter)
	switch {
	case reason == "":
		return ""
	case reason == matching.ReasonNoData:
		return "No freelancers are loaded yet. An administrator can load them with the indexer."
	case reason == matching.ReasonNoOverlap:
		return "No freelancer shares a skill or a word with this brief. Rephrase it, or name other skills."
	case isFilter:
		return "No freelancer passes the filter “" + strings.ReplaceAll(filter, "_", " ") + "”. Relax it and try again."
	default:
		return "No matches (" + reason + ")."
	}
}
