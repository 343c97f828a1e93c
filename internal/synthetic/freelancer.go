package synthetic

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/freelancer-matching/service/internal/matching"
)

// Proportions of the records, modeled on real marketplaces: eight years and a handful of skills are usual, ratings
// crowd near the top, and a few people have thousands of sales.
const (
	maxYears        = 35
	meanYears       = 7.0
	fewestSkills    = 3
	mostSkills      = 14
	oneMoreSkill    = 0.7  // probability of each further skill
	bordering       = 0.25 // probability of skills from a neighboring trade
	mostBorrowed    = 4
	otherSpelling   = 0.15 // probability of a name other than the canonical one
	available       = 0.75
	ratingDistance  = 0.3 // mean distance from 5
	fewestWords     = 30
	mostTargetWords = 95 // a text ends with the sentence that reaches its target
	mostWords       = 120
	longestClosing  = 20 // words
)

// freelancer composes the record with a 1-based number.
func (c *composer) freelancer(number int) matching.Freelancer {
	c.drawTrade()
	c.years = min(maxYears, int(meanYears/2*(c.rng.ExpFloat64()+c.rng.ExpFloat64())))
	c.sales = 1 + int(min(9999, math.Exp(math.Log(1+2*float64(c.years))+1.4*c.rng.NormFloat64())))

	// The order of the draws is part of the format: the same seed has to give the same people in every version.
	id := c.writeID(number)
	name := c.writeName()
	titleSkills := c.writeTitle()
	skills := fewestSkills
	for skills < mostSkills && c.chance(oneMoreSkill) {
		skills++
	}

	c.drawSkills(skills, titleSkills, otherSpelling)
	if c.chance(bordering) {
		c.borrowSkills(min(1+c.rng.IntN(mostBorrowed), mostSkills-skills), otherSpelling)
	}

	title := c.writeSuffix()
	url := c.writeURL(name, id)
	description := c.writeDescription()

	text := string(c.text)
	return matching.Freelancer{
		ID:          text[id.from:id.to],
		Name:        text[name.from:name.to],
		JobTitle:    text[title.from:title.to],
		Skills:      slices.Clone(c.skills),
		Description: text[description.from:description.to],
		ProfileURL:  text[url.from:url.to],
		Signals: matching.Signals{
			Experience:   matching.Some(float64(c.years)),
			Rating:       matching.Some(c.rating()),
			HourlyRate:   matching.Some(c.hourlyRate()),
			Availability: matching.Some(c.chance(available)),
			TotalSales:   matching.Some(c.sales),
		},
	}
}

// rating draws a skewed rating: most are close to 5, and more sales reduce the randomness.
func (c *composer) rating() float64 {
	distance := c.rng.ExpFloat64() * ratingDistance
	if c.sales > 100 {
		distance = (distance + ratingDistance) / 2
	}
	return round(max(1, 5-distance)*10, 1) / 10
}

// hourlyRate draws a rate within the trade's range that rises with experience and rare skills.
func (c *composer) hourlyRate() float64 {
	years := float64(c.years)
	climbed := 0.1 + 0.6*years/(years+7) + 0.3*c.rarity + 0.1*c.rng.NormFloat64()
	low := c.trade.Rate[0]
	high := c.trade.Rate[1]
	rate := low * math.Pow(high/low, min(1, max(0, climbed)))
	step := 1.0
	if c.chance(0.3) {
		step = 0.25
	}
	return min(high, max(low, round(rate, step)))
}

func (c *composer) writeID(number int) span {
	from := len(c.text)
	c.text = strconv.AppendInt(append(c.text, 'f'), int64(number), 10)
	return c.since(from)
}

func (c *composer) writeName() span {
	from := len(c.text)
	c.text = append(c.text, oneOf(c, c.names.GivenStarts)...)
	c.text = append(c.text, oneOf(c, c.names.GivenEnds)...)
	c.given = c.since(from)
	c.text = append(append(c.text, ' '), oneOf(c, c.names.FamilyStarts)...)
	c.text = append(c.text, oneOf(c, c.names.FamilyEnds)...)
	return c.since(from)
}

// writeSuffix appends two skills to some titles, as people do to be found, and returns the whole title. The last skill
// is a borrowed one if there is any.
func (c *composer) writeSuffix() span {
	if c.chance(0.3) {
		c.text = append(append(c.text, " | "...), c.skills[1]...)
		c.text = append(append(c.text, ", "...), c.skills[len(c.skills)-1]...)
	}
	return c.since(c.title.from)
}

// writeURL writes a profile URL that is unique by the number in the id.
func (c *composer) writeURL(name, id span) span {
	from := len(c.text)
	c.text = append(c.text, "https://example.com/freelancers/"...)
	slug := len(c.text)
	c.text = append(c.text, c.text[name.from:name.to]...)
	copy(c.text[slug:], bytes.ToLower(c.text[slug:]))
	c.text[slug+bytes.IndexByte(c.text[slug:], ' ')] = '-'
	c.text = append(append(c.text, '-'), c.text[id.from+1:id.to]...)
	return c.since(from)
}

func (c *composer) writeDescription() span {
	from := len(c.text)
	target := fewestWords + c.rng.IntN(mostTargetWords-fewestWords+1)
	p := &c.phrases
	body := [...][]template{
		c.trade.Sentences, p.Experience, p.Habits, c.trade.Sentences, p.Experience, p.Backgrounds, p.Habits,
	}
	c.sentence(p.Openings)
	for i := 0; c.words < target && i < 2*len(body); i++ {
		c.sentence(body[i%len(body)])
	}
	if c.words <= mostWords-longestClosing && c.chance(0.6) {
		c.sentence(p.Closings)
	}
	return c.since(from)
}
