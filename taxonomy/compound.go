package taxonomy

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ResolveAll finds all skills that a name means, each once: of a compound ("HTML/CSS/JS", "Graphic & web design",
// "React (Next.js)") those of its parts, of a language pair ("EN-PT translation") the translation of those that are not
// English. What has a name of its own is not taken apart: "CI/CD", "TCP/IP", "A/B testing", "PL/SQL", "S/4HANA"; neither
// are numbers and letters: "24/7 support", "I/O". A part that no skill is called stands for the skills that it mentions,
// as by Extract; one that mentions none stays, unknown. There is always at least one.
//
// Of the names given along with it, list, words tell what an abbreviation means: "CV" is Computer Vision beside "ML".
func (t *Taxonomy) ResolveAll(name string, list ...string) []Resolution {
	if !isASCII(name) {
		name = norm.NFKC.String(name)
	}
	c := compound{taxonomy: t, list: list}
	c.add(name)
	if len(c.found) == 0 || !slices.ContainsFunc(c.found, func(r Resolution) bool { return r.Known }) {
		return []Resolution{t.Resolve(name)}
	}
	return c.found
}

// compound collects what a name means.
type compound struct {
	taxonomy *Taxonomy
	list     []string // names given along with it
	found    []Resolution
}

func (c *compound) take(skill int32) {
	s := &c.taxonomy.skills[skill]
	c.append(Resolution{ID: s.ID, Name: s.Name, Known: true})
}

func (c *compound) append(r Resolution) {
	if !slices.ContainsFunc(c.found, func(have Resolution) bool { return have.ID == r.ID }) {
		c.found = append(c.found, r)
	}
}

// add takes apart a name, brackets first.
func (c *compound) add(name string) {
	if c.whole(name) {
		return
	}
	before, rest, ok := strings.Cut(name, "(")
	inside, after, closed := strings.Cut(rest, ")")
	if ok && closed && strings.TrimSpace(before+after) != "" {
		c.bracketed(strings.TrimSpace(before+" "+after), inside)
		return
	}
	parts := split(name)
	if len(parts) == 1 {
		c.mentioned(name)
		return
	}
	for i := 0; i < len(parts); {
		i = c.longest(name, parts, i)
	}
}

// whole takes a name that needs no taking apart.
func (c *compound) whole(name string) bool {
	var buf [maxKey + 32]byte
	if key, _, ok := appendKey(buf[:0], name); ok {
		if l := c.taxonomy.known(key); l != nil {
			c.take(c.taxonomy.senseAmong(l, c.list))
			return true
		}
	}
	skills := c.taxonomy.translations(name)
	for _, skill := range skills {
		c.take(skill)
	}
	return len(skills) > 0
}

// bracketed takes a name and what explains it in brackets: "React (Next.js)" is both. An abbreviation is only read by
// its explanation, "AI (Adobe Illustrator)"; and a remark that names no skill, "Excel (advanced)", adds nothing.
func (c *compound) bracketed(outside, inside string) {
	t := c.taxonomy
	explained, abbreviated := t.resolve(inside), len(outside) <= maxAcronym
	abbreviates := len(inside) <= maxAcronym && t.resolve(outside) != nil
	if !abbreviated || explained == nil {
		c.add(outside)
	}
	if explained != nil && !abbreviates || len(split(inside)) > 1 {
		inner := compound{taxonomy: t, list: c.list}
		inner.add(inside)
		for _, r := range inner.found {
			if r.Known {
				c.append(r)
			}
		}
		c.found = slices.DeleteFunc(c.found, func(r Resolution) bool { return !r.Known })
	}
}

// longest takes the part at i, along with as many behind it as make one name, and returns the next.
func (c *compound) longest(name string, parts []part, i int) int {
	for j := len(parts); j > i+1; j-- {
		if j-i < len(parts) && c.whole(name[parts[i].start:parts[j-1].end]) {
			return j
		}
	}
	p := parts[i].of(name)
	if c.shared(name, parts, i) || c.whole(p) {
		return i + 1
	}
	if !c.reading(p) {
		c.mentioned(p)
	}
	return i + 1
}

// shared completes a part that is unknown or too general by itself with a word of the last part ("2D/3D animation",
// "Graphic & web design") or the first one ("Google Ads/Analytics").
func (c *compound) shared(name string, parts []part, i int) bool {
	p := parts[i].of(name)
	if l := c.taxonomy.resolve(p); l != nil && l.mode != Never {
		return false
	}
	last, first := strings.Fields(parts[len(parts)-1].of(name)), strings.Fields(parts[0].of(name))
	switch {
	case i < len(parts)-1 && len(last) > 1 && c.reading(p+" "+last[len(last)-1]):
	case i > 0 && len(first) > 1 && c.whole(first[0]+" "+p):
	default:
		return false
	}
	return true
}

// reading takes what a name means, if that is one skill.
func (c *compound) reading(name string) bool {
	l := c.taxonomy.resolve(name)
	if l != nil {
		c.take(l.skill)
	}
	return l != nil
}

// mentioned takes the skill that a name means, or the skills that it mentions.
func (c *compound) mentioned(name string) {
	r := c.taxonomy.Resolve(name)
	if r.Known {
		c.append(r)
		return
	}
	mentions := c.taxonomy.Extract(name)
	for _, m := range mentions {
		if skill, ok := c.taxonomy.Skill(m.ID); ok {
			c.append(Resolution{ID: skill.ID, Name: skill.Name, Known: true})
		}
	}
	if len(mentions) == 0 && strings.ContainsFunc(r.Name, unicode.IsLetter) {
		c.append(r)
	}
}

// part is where a part of a compound stands in it.
type part struct{ start, end int }

func (p part) of(name string) string { return name[p.start:p.end] }

// split finds the parts of a compound: between commas, bars, slashes, plus signs and words like "and". A slash or an
// ampersand beside a number or a letter joins.
func split(name string) []part {
	var parts []part
	start := 0
	cut := func(end, next int) {
		from := start + len(name[start:end]) - len(strings.TrimLeftFunc(name[start:end], unicode.IsSpace))
		to := start + len(strings.TrimRightFunc(name[start:end], unicode.IsSpace))
		if from < to {
			parts = append(parts, part{from, to})
		}
		start = next
	}
	for i, r := range name {
		if i < start {
			continue
		}
		size := utf8.RuneLen(r)
		switch r {
		case ',', ';', '|', '•', '·', '\n':
			cut(i, i+size)
		case '/', '&', '\\':
			if !joins(name, i) {
				cut(i, i+size)
			}
		case '+', '-', '–', '—':
			if spaced(name, i, i+size) {
				cut(i, i+size)
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

func spaced(name string, start, end int) bool {
	return start > 0 && name[start-1] == ' ' && end < len(name) && name[end] == ' '
}

// conjunction is the length of a word, with spaces around it, that joins names; 0 where none stands in front of rest.
func conjunction(rest string) int {
	for _, word := range [...]string{" and ", " or ", " with ", " using ", " plus ", " y ", " et ", " und ", " e "} {
		if len(rest) > len(word) && strings.EqualFold(rest[:len(word)], word) {
			return len(word) - 1 // the space behind it may begin the next one
		}
	}
	return 0
}

// joins reports whether the sign at name[i] stands beside a number or a letter that is no name of its own: "24/7",
// "I/O", "P&L". One that is all there is on its side is a name: "C/C++", "R/Python".
func joins(name string, i int) bool {
	before, after := strings.TrimSpace(name[:i]), strings.TrimSpace(name[i+1:])
	left := before[strings.LastIndexAny(before, " /&,")+1:]
	right := after
	if end := strings.IndexAny(after, " /&,"); end >= 0 {
		right = after[:end]
	}
	return short(left) && short(right) || number(left) || number(right)
}

func short(word string) bool { return len(word) == 1 }

func number(word string) bool {
	return word != "" && strings.Trim(word, "0123456789") == ""
}
