package synthetic

import (
	"math"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
)

// Proportions of the briefs: clients abbreviate more than freelancers, a quarter name no skills, and most leave half of
// the form empty.
const (
	noSkills           = 0.25
	mostRequiredSkills = 6
	briefOtherSpelling = 0.35
	fewestBriefWords   = 15
	mostTargetBrief    = 40 // words; a brief ends with the sentence that reaches the target
)

// brief composes a client's brief.
func (c *composer) brief() matching.Brief {
	c.drawTrade()
	c.years = c.rng.IntN(15)
	required := 1 + c.rng.IntN(mostRequiredSkills)
	inText := max(3, required) // the text names skills even if the form doesn't
	c.drawSkills(inText, c.writeTitle(), briefOtherSpelling)
	description := c.writeBrief()

	// All parts share one text, so a brief costs one allocation.
	text := string(c.text)
	brief := matching.Brief{Description: text[description.from:description.to], Limit: 10}
	if !c.chance(noSkills) {
		brief.RequiredSkills = slices.Clone(c.skills[:required])
	}

	if c.chance(0.25) {
		brief.NiceToHaveSkills = c.niceToHave()
	}

	if c.chance(0.3) {
		brief.JobTitle = text[c.title.from:c.title.to]
	}

	// A quarter of the briefs leave out the complexity, as clients do.
	switch c.rng.IntN(4) {
	case 0:
		brief.Complexity = matching.ComplexityLow
	case 1:
		brief.Complexity = matching.ComplexityMedium
	case 2:
		brief.Complexity = matching.ComplexityHigh
	}

	if c.chance(0.85) {
		brief.Budget = matching.Some(c.budget(brief.Complexity))
	}

	if c.chance(0.6) {
		brief.TimelineDays = matching.Some(3 + int(60*c.rng.ExpFloat64())%360)
	}

	if c.chance(0.1) {
		brief.EffortHours = matching.Some(float64(5 * (1 + c.rng.IntN(60))))
	}

	if c.chance(0.25) {
		brief.Filters = c.filters()
	}

	return brief
}

func (c *composer) writeBrief() span {
	from := len(c.text)
	c.sentence(c.phrases.BriefTitles)
	c.text = append(c.text, '\n')
	target := fewestBriefWords + c.rng.IntN(mostTargetBrief-fewestBriefWords+1)
	for first := true; first || c.words < target; first = false {
		c.sentence(c.phrases.BriefSentences)
	}
	return c.since(from)
}

// niceToHave returns one or two skills of the trade that the brief doesn't mention.
func (c *composer) niceToHave() []string {
	var skills []string
	for range 1 + c.rng.IntN(2) {
		skill := oneOf(c, c.trade.More)
		same := func(other string) bool { return strings.EqualFold(other, skill) }
		if !slices.ContainsFunc(c.skills, same) && !slices.ContainsFunc(skills, same) {
			skills = append(skills, skill)
		}
	}
	return skills
}

// budget returns a range around the usual price of the trade, sometimes too low, a third of the time per hour.
func (c *composer) budget(complexity matching.Complexity) matching.Budget {
	low := c.trade.Rate[0]
	high := c.trade.Rate[1]
	rate := low * math.Pow(high/low, c.between(0.2, 0.8))
	if c.chance(1.0 / 3) {
		upper := max(2, math.Round(rate*c.between(1, 1.4)))
		return matching.Budget{Low: math.Round(upper * c.between(0.5, 1)), High: upper, Kind: matching.BudgetHourly}
	}
	hours := 80.0
	switch complexity {
	case matching.ComplexityLow:
		hours = 40
	case matching.ComplexityMedium:
		hours = 120
	case matching.ComplexityHigh:
		hours = 320
	}
	upper := max(50, round(rate*hours*c.between(0.6, 1.3), 50))
	return matching.Budget{
		Low: min(upper, round(upper*c.between(0, 1), 10)), High: upper, Kind: matching.BudgetFixed,
	}
}

// filters returns one or two filters that some freelancers pass.
func (c *composer) filters() matching.Filters {
	var f matching.Filters
	for range 1 + c.rng.IntN(2) {
		switch c.rng.IntN(5) {
		case 0:
			f.Available = matching.Some(true)
		case 1:
			f.MinRating = matching.Some(round(c.between(40, 48), 1) / 10)
		case 2:
			f.MinExperience = matching.Some(float64(1 + c.rng.IntN(6)))
		case 3:
			f.MaxHourlyRate = matching.Some(math.Round(c.between(c.trade.Rate[1]/3, c.trade.Rate[1])))
		case 4:
			f.MustHaveSkills = []string{c.trade.Core[c.rng.IntN(3)]}
		}
	}
	return f
}
