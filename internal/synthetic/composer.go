package synthetic

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// composer creates one record at a time. It writes all texts into one buffer, which becomes one string at the end, so
// that a record costs two allocations.
type composer struct {
	*catalog
	source *rand.PCG
	rng    *rand.Rand

	trade  *trade
	years  int
	sales  int
	skills []string // as the person writes them
	rarity float64  // mean position of the skills in the trade's list, 0 to 1; rare skills come last
	text   []byte
	given  span
	title  span
	used   []*part // the sentences in use, by their first part
	words  int     // words in the sentences so far
	turn   uint32  // where this text starts in the lists that fill its slots
}

// span is a section of the composer's text.
type span struct{ from, to int }

func (c *composer) since(from int) span { return span{from, len(c.text)} }

func (c *composer) chance(p float64) bool { return c.rng.Float64() < p }

// between returns a random number from low to high.
func (c *composer) between(low, high float64) float64 { return low + (high-low)*c.rng.Float64() }

func (c *composer) drawTrade() { c.trade = &c.trades[c.tradeChance.at(c.rng.Float64())] }

// drawSkills draws n different skills of the trade, beginning with the given ones, at least two of them from its core
// if n allows. Each gets an alternative spelling with the given probability.
func (c *composer) drawSkills(n int, first []int, otherSpelling float64) {
	var taken uint64
	core, positions := 0, 0
	for count := range n {
		var i int
		if count < len(first) {
			i = first[count]
		} else {
			i = c.unusedSkill(taken, core < 2)
		}
		if i < len(c.trade.Core) {
			core++
		}
		taken |= 1 << i
		positions += i
		c.skills = append(c.skills, c.spelled(c.trade.skills[i], otherSpelling))
	}
	c.rarity = float64(positions) / float64(n*(len(c.trade.skills)-1))
}

func (c *composer) unusedSkill(taken uint64, fromCore bool) int {
	among := c.trade.skillChance
	if fromCore {
		among = among[:len(c.trade.Core)]
	}
	for {
		if i := among.at(c.rng.Float64()); taken&(1<<i) == 0 {
			return i
		}
	}
}

// borrowSkills adds up to n skills from the core of one neighbor of the trade, if it has neighbors.
func (c *composer) borrowSkills(n int, otherSpelling float64) {
	if len(c.trade.borrowed) == 0 {
		return
	}
	skills := oneOf(c, c.trade.borrowed)
	from := c.rng.IntN(len(skills))
	for i := range min(n, len(skills)) {
		c.skills = append(c.skills, c.spelled(skills[(from+i)%len(skills)], otherSpelling))
	}
}

// spelled returns a skill as people write it: mostly by its name, otherwise by another name, or carelessly.
func (c *composer) spelled(skill string, otherSpelling float64) string {
	if !c.chance(otherSpelling) {
		return skill
	}
	if others := c.spellings[skill]; len(others) > 0 {
		return oneOf(c, others)
	}
	return strings.ToLower(skill)
}

// writeTitle draws a title and a seniority and returns the indices of the skills it names.
func (c *composer) writeTitle() []int {
	from := len(c.text)
	step := slices.IndexFunc(c.seniorities, func(s seniority) bool { return c.years < s.UntilYears })
	if prefix := oneOf(c, c.seniorities[step].Prefixes); prefix != "" {
		c.text = append(append(c.text, prefix...), ' ')
	}
	i := c.rng.IntN(len(c.trade.Titles))
	c.text = append(c.text, c.trade.Titles[i]...)
	c.title = c.since(from)
	return c.trade.titleSkills[i]
}

// sentence writes a template that this text hasn't used yet, separated by a space.
func (c *composer) sentence(from []template) {
	t := oneOf(c, from)
	for slices.Contains(c.used, &t[0]) {
		t = oneOf(c, from)
	}
	c.used = append(c.used, &t[0])
	if n := len(c.text); c.words > 0 && c.text[n-1] != '\n' {
		c.text = append(c.text, ' ')
	}
	start := len(c.text)
	for i := range t {
		c.text = append(c.text, t[i].text...)
		c.fill(t[i].slot)
	}
	if opensLower(t) {
		c.text[start] = bytes.ToUpper(c.text[start : start+1])[0]
	}
	c.words += bytes.Count(c.text[start:], []byte{' '}) + 1
}

// opensLower reports whether a template starts with a slot whose words need a capital letter. Skills keep their case.
func opensLower(t template) bool {
	return t[0].text == "" && t[0].slot != slotSkill && t[0].slot != slotSkills
}

func (c *composer) fill(s slot) {
	switch s {
	case slotNone:
	case slotCompany:
		c.text = append(c.text, oneOf(c, c.names.FamilyStarts)...)
		c.text = append(c.text, oneOf(c, c.names.FamilyEnds)...)
		c.text = append(append(c.text, ' '), oneOf(c, c.names.CompanyEnds)...)

	case slotFormer:
		c.text = append(c.text, c.next(c.phrases.Formers)...)
	case slotHobby:
		c.text = append(c.text, c.next(c.phrases.Hobbies)...)
	case slotMake:
		c.text = append(c.text, c.next(c.trade.Makes)...)
	case slotName:
		c.text = append(c.text, c.text[c.given.from:c.given.to]...)
	case slotProjects:
		c.number(c.sales, "one project", " projects")
	case slotSector:
		c.text = append(c.text, c.next(c.phrases.Sectors)...)
	case slotSkill:
		c.text = append(c.text, c.next(c.skills)...)
	case slotSkills:
		c.list(c.skills[:min(3, len(c.skills))])
	case slotSolve:
		c.text = append(c.text, c.next(c.trade.Solves)...)
	case slotTitle:
		c.text = append(c.text, c.text[c.title.from:c.title.to]...)
	case slotYears:
		if c.years == 0 {
			c.text = append(c.text, "a few months"...)
			return
		}
		c.number(c.years, "one year", " years")
	}
}

func (c *composer) number(n int, one, many string) {
	if n == 1 {
		c.text = append(c.text, one...)
		return
	}
	c.text = append(strconv.AppendInt(c.text, int64(n), 10), many...)
}

// list writes words as "a, b and c".
func (c *composer) list(items []string) {
	for i, item := range items {
		switch {
		case i == 0:
		case i == len(items)-1:
			c.text = append(c.text, " and "...)
		default:
			c.text = append(c.text, ", "...)
		}
		c.text = append(c.text, item...)
	}
}

// next returns an element of a list, different from the previous one if the list has several.
func (c *composer) next(list []string) string {
	c.turn++
	return list[int(c.turn)%len(list)]
}

// oneOf draws an element uniformly.
func oneOf[T any](c *composer, list []T) T { return list[c.rng.IntN(len(list))] }

// round returns a number rounded to a multiple of step.
func round(x, step float64) float64 { return math.Round(x/step) * step }
