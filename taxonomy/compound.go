package taxonomy

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ResolveAll returns all skills that a name means, without duplicates. For a compound ("HTML/CSS/JS", "Graphic & web
// design", "React (Next.js)"), these are the skills of its parts; for a language pair ("EN-PT translation"), the
// translations of the languages other than English. ResolveAll doesn't split names that are skills themselves ("CI/CD",
// "TCP/IP", "A/B testing", "PL/SQL", "S/4HANA"), nor numbers and single letters ("24/7 support", "I/O"). A part that is
// no skill's name yields the skills that Extract finds in it; if Extract finds none, the part is returned as an unknown
// skill. The result is never empty.
//
// The other names of the same list, if given, decide what an abbreviation means: "CV" is Computer Vision next to "ML".
//
// The result is shared and must not be modified.
func (t *Taxonomy) ResolveAll(name string, list ...string) []Resolution {
	if known := t.resolved.Get(name); known != nil {
		return *known
	}
	normal := norm.NFKC.String(name)
	c := compound{taxonomy: t, list: list}
	c.add(normal)
	if !slices.ContainsFunc(c.found, func(r Resolution) bool { return r.Known }) {
		c.found = []Resolution{t.Resolve(normal)}
	}

	// What depends on the other items of a list may be wrong beside others.
	fitsCache := len(name) <= maxResolvedName && len(c.found) <= maxResolved
	if fitsCache && !c.usesList {
		for i := range c.found {
			r := &c.found[i]
			r.ID, r.Name = strings.Clone(r.ID), strings.Clone(r.Name)
		}
		t.resolved.Put(name, slices.Clip(c.found))
	}
	return c.found
}

// Limits of the cache of ResolveAll: names, bytes of a name, and skills of a name. Full, it takes about 20 MB.
const (
	resolvedNames   = 1 << 16
	maxResolvedName = 96
	maxResolved     = 4
	// singleNames limits the cache of Resolve. Full, it takes about 3 MB.
	singleNames = 1 << 14
)

// A compound collects the skills that a name means.
type compound struct {
	taxonomy *Taxonomy
	list     []string // the other names of the list
	found    []Resolution
	usesList bool // another list could have changed what was found
}

func (c *compound) addSkill(skill int32) {
	s := &c.taxonomy.names.skills[skill]
	c.addUnique(Resolution{ID: s.ID, Name: s.Name, Known: true})
}

func (c *compound) addUnique(r Resolution) {
	if !slices.ContainsFunc(c.found, func(other Resolution) bool { return other.ID == r.ID }) {
		c.found = append(c.found, r)
	}
}

// add adds the skills of a name, splitting it first at parentheses and then into parts.
func (c *compound) add(name string) {
	if c.addWhole(name) {
		return
	}

	before, rest, opened := strings.Cut(name, "(")
	inside, after, closed := strings.Cut(rest, ")")
	hasParentheses := opened && closed
	if hasParentheses && strings.TrimSpace(before+after) != "" {
		c.addParenthesized(strings.TrimSpace(before+" "+after), inside)
		return
	}
	parts := split(name)
	if len(parts) == 1 {
		c.addMentioned(name)
		return
	}
	for i := 0; i < len(parts); {
		i = c.addLongest(name, parts, i)
	}
}

// addWhole adds the skills of a name that needs no splitting, and reports whether there are any.
func (c *compound) addWhole(name string) bool {
	if l := c.taxonomy.names.named(name); l != nil {
		c.usesList = c.usesList || l.sense != 0
		c.addSkill(c.taxonomy.senses.among(l, name, c.list))
		return true
	}

	skills := c.taxonomy.languages.translations(name)
	for _, skill := range skills {
		c.addSkill(skill)
	}
	return len(skills) > 0
}

// addParenthesized adds the skills of a name and of its explanation in parentheses: "React (Next.js)" means both. An
// abbreviation means only its explanation, as in "AI (Adobe Illustrator)". A remark that names no skill, as in "Excel
// (advanced)", adds nothing.
func (c *compound) addParenthesized(outside, inside string) {
	t := c.taxonomy
	explanation := t.resolver.resolve(inside)
	acronymOutside := len(outside) <= maxAcronym
	acronymInside := len(inside) <= maxAcronym && t.resolver.resolve(outside) != nil
	if !acronymOutside || explanation == nil {
		c.add(outside)
	}

	// An acronym beside a known name only repeats it, as in "Search Engine Optimization (SEO)".
	isOtherName := explanation != nil && !acronymInside
	if isOtherName || len(split(inside)) > 1 {
		inner := compound{taxonomy: t, list: c.list}
		inner.add(inside)
		c.usesList = c.usesList || inner.usesList
		for _, r := range inner.found {
			if r.Known {
				c.addUnique(r)
			}
		}
		c.found = slices.DeleteFunc(c.found, func(r Resolution) bool { return !r.Known })
	}
}

// addLongest adds the longest name that starts with the part at i, and returns the index of the part after it.
func (c *compound) addLongest(name string, parts []part, i int) int {
	for j := len(parts); j > i+1; j-- {
		if j-i < len(parts) && c.addWhole(name[parts[i].start:parts[j-1].end]) {
			return j
		}
	}
	p := parts[i].of(name)
	if c.addShared(name, parts, i) || c.addWhole(p) {
		return i + 1
	}
	if !c.addResolved(p) {
		c.addMentioned(p)
	}
	return i + 1
}

// addShared completes a part that is unknown or too general by itself with the last word of the last part ("2D/3D
// animation", "Graphic & web design") or the first word of the first part ("Google Ads/Analytics"). It reports whether
// that names a skill.
func (c *compound) addShared(name string, parts []part, i int) bool {
	p := parts[i].of(name)
	if l := c.taxonomy.resolver.resolve(p); l != nil && l.mode != Never {
		return false
	}
	last := strings.Fields(parts[len(parts)-1].of(name))
	first := strings.Fields(parts[0].of(name))
	switch {
	case i < len(parts)-1 && len(last) > 1 && c.addResolved(p+" "+last[len(last)-1]):
	case i > 0 && len(first) > 1 && c.addWhole(first[0]+" "+p):
	default:
		return false
	}
	return true
}

// addResolved adds the skill that Resolve finds for a name, and reports whether there is one.
func (c *compound) addResolved(name string) bool {
	l := c.taxonomy.resolver.resolve(name)
	if l == nil {
		return false
	}
	skill := l.skill
	if c.taxonomy.senses.trades[skill] {
		c.usesList = true
		skill = c.taxonomy.senses.among(l, name, c.list)
	}
	c.addSkill(skill)
	return true
}

// addMentioned adds the skill that a name means or, if it is unknown, the skills it mentions.
func (c *compound) addMentioned(name string) {
	r := c.taxonomy.Resolve(name)
	switch {
	case c.taxonomy.IsTrade(r.ID):
		c.addResolved(name) // "Freelance Illustrator" is another skill than "Illustrator"
		return
	case r.Known:
		c.addUnique(r)
		return
	}
	mentions := c.taxonomy.Extract(name)
	for _, m := range mentions {
		if skill, ok := c.taxonomy.Skill(m.ID); ok {
			c.addUnique(Resolution{ID: skill.ID, Name: skill.Name, Known: true})
		}
	}
	if len(mentions) == 0 && strings.ContainsFunc(r.Name, unicode.IsLetter) {
		c.addUnique(r)
	}
}

// A part is the position of a part of a compound, in bytes.
type part struct{ start, end int }

func (p part) of(name string) string { return name[p.start:p.end] }

// split returns the parts of a compound, which are separated by commas, bars, slashes, plus signs or words like "and".
// A slash or ampersand next to a number or a single letter doesn't separate.
func split(name string) []part {
	var parts []part
	start := 0
	cut := func(end, next int) {
		if p := trimmed(name, part{start, end}); p.start < p.end {
			parts = append(parts, p)
		}
		start = next
	}

	for i, r := range name {
		// A separator of several runes, such as " and ", has been cut off already.
		if i < start {
			continue
		}

		after := i + utf8.RuneLen(r)
		switch r {
		case ',', ';', '|', '•', '·', '\n':
			cut(i, after)
		case '/', '&', '\\':
			if !joins(name, i) {
				cut(i, after)
			}

		// Hyphens join words, except where spaces surround them.
		case '+', '-', '–', '—':
			if spaced(name, i, after) {
				cut(i, after)
			}

		case ' ':
			if n := conjunction(name[i:]); n > 0 {
				cut(i, i+n)
			}
		}
	}

	cut(len(name), len(name))
	return parts
}

// trimmed returns a part without the spaces around it.
func trimmed(name string, p part) part {
	text := p.of(name)
	start := p.start + len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	end := p.start + len(strings.TrimRightFunc(text, unicode.IsSpace))
	return part{start, end}
}

func spaced(name string, start, end int) bool {
	return start > 0 && name[start-1] == ' ' && end < len(name) && name[end] == ' '
}

// conjunction returns the length of the conjunction that rest starts with, without the space after it, or 0 if there is
// none.
func conjunction(rest string) int {
	for _, word := range [...]string{" and ", " or ", " with ", " using ", " plus ", " y ", " et ", " und ", " e "} {
		if len(rest) > len(word) && strings.EqualFold(rest[:len(word)], word) {
			return len(word) - 1 // the space after it may start the next conjunction
		}
	}
	return 0
}

// joins reports whether the sign at name[i] belongs to a name because it stands next to numbers or single letters:
// "24/7", "I/O", "P&L". Names of a single letter are separated from longer ones: "R/Python".
func joins(name string, i int) bool {
	before := strings.TrimSpace(name[:i])
	after := strings.TrimSpace(name[i+1:])
	left := before[strings.LastIndexAny(before, " /&,")+1:]
	right := after
	if end := strings.IndexAny(after, " /&,"); end >= 0 {
		right = after[:end]
	}
	return len(left) == 1 && len(right) == 1 || number(left) || number(right)
}

func number(word string) bool {
	return word != "" && strings.Trim(word, "0123456789") == ""
}
