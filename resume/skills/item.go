package skills

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/wording"
	"github.com/freelancer-matching/service/taxonomy"
)

// maxItem and maxItemWords bound a listed skill that the taxonomy lacks.
const (
	maxItem      = 60 // characters
	maxItemWords = 7
)

// addItem adds the skills that an item of a list names. other holds items of the same list, which decide what an
// ambiguous name means.
func (s *skillSet) addItem(item string, other []string) {
	item = trimItem(item)
	if first, rest, ok := strings.Cut(item, " "); ok && s.lists.beforeItem(first) {
		item = trimItem(rest)
	}

	if s.lists.noSkill(item) {
		return
	}

	// Names go first as they are written, because a colon, a bracket or a dash can be a part of one.
	if _, ok := s.taxonomy.Named(item); ok && s.addKnown(item, item, other) {
		return
	}

	if label, rest, ok := s.lists.cutLabel(item); ok {
		if !s.lists.otherGroup(label, rest) {
			s.addItem(rest, other)
		}
		return
	}

	item = trimItem(s.lists.withoutRating(item))
	if s.lists.noSkill(item) || s.addKnown(item, item, other) {
		return
	}

	if rest, ok := s.lists.withoutLead(item); ok {
		if rest = trimItem(rest); s.lists.noSkill(rest) || s.addKnown(rest, item, other) {
			return
		}
		item = rest
	}

	if outside, inside, ok := cutBrackets(item); ok {
		s.addExplained(item, outside, inside, other)
		return
	}

	if name, remark, ok := cutRemark(item); ok {
		s.addItem(name, other)
		if s.lists.knownName(remark) {
			s.addItem(remark, other)
		}
		return
	}

	parts := s.lists.splitGlued(item)
	for _, part := range parts {
		s.addItem(part, other)
	}

	if len(parts) == 0 {
		s.addCompound(item, other)
	}
}

// beforeItem reports whether a word at the start of an item is no part of it: "and Go", "etc Go".
func (r *listReader) beforeItem(word string) bool {
	return wording.FirstIsLower(word) && (r.words.Joiners[word] || len(word) < 5 && r.words.NotSkills[word])
}

// addKnown adds the skill that a name means as a whole, and reports whether there is one.
func (s *skillSet) addKnown(name, written string, other []string) bool {
	t := s.taxonomy
	if !t.Resolve(name).Known {
		return false
	}
	found := t.ResolveAll(name, other...)
	for _, r := range found {
		if r.Known && len(found) == 1 {
			s.addListed(r, written)
			return true
		}
	}
	return false
}

// addListed adds a skill of a list.
func (s *skillSet) addListed(r taxonomy.Resolution, written string) {
	s.add(r.ID, written, "skills", odds.Sum(odds.If("listed", true, 3.5)))
}

// addExplained adds the skills of an item with brackets: the names of both parts in "AWS (EC2, S3)", one skill for a
// name with its abbreviation, and only the name if the brackets hold a remark.
func (s *skillSet) addExplained(item, outside, inside string, other []string) {
	parts := splitList(inside)

	// Brackets hold a list, a level, an abbreviation, another name or a remark, and are tried in this order.
	switch {
	case len(parts) > 1:
		s.addItem(outside, other)
		for _, part := range parts {
			s.addItem(part, other)
		}

	case s.lists.isRating(inside), outside == "":
		s.addItem(outside+inside, other)
	case abbreviates(inside, outside) || abbreviates(outside, inside):
		if !s.addKnown(outside, outside, other) && !s.addKnown(inside, inside, other) {
			s.addUnknown(item)
		}

	case s.lists.knownName(inside):
		s.addItem(outside, other)
		s.addItem(inside, other)
	case wording.FirstIsLower(inside) || s.lists.knownName(outside):
		s.addItem(outside, other)
	default:
		s.addUnknown(item)
	}
}

// addCompound adds the skills of an item that may name several: "Linux/Unix", "Git & GitHub". A part that the taxonomy
// lacks is a skill beside one that it knows if it is as short as a name. An item that names no known skill is a single
// skill.
func (s *skillSet) addCompound(item string, other []string) {
	parts, slashes := s.lists.splitCompound(item)
	known := 0
	short := true
	for _, part := range parts {
		if s.lists.knownName(part) {
			known++
		} else {
			words := strings.Count(part, " ") + 1
			short = short && words <= 2 && (slashes || words == 1 && !wording.FirstIsLower(part))
		}
	}

	// One known part shows that the sign separates names; "TCP/IP" was found as a whole before.
	separateNames := known > 0 && (known == len(parts) || short)
	if len(parts) > 1 && separateNames {
		for _, part := range parts {
			if !s.lists.noSkill(part) && !s.addKnown(part, part, other) {
				s.addUnknown(part)
			}
		}
		return
	}

	found := false
	for _, r := range s.taxonomy.ResolveAll(item, other...) {
		if r.Known {
			s.addListed(r, item)
			found = true
		}
	}

	if !found {
		s.addUnknown(item)
	}
}

// addUnknown adds a listed skill that the taxonomy lacks, if it is as short and simple as a name.
func (s *skillSet) addUnknown(written string) {
	written = trimItem(written)
	letters := 0
	for _, r := range written {
		if unicode.IsLetter(r) {
			letters++
		}
	}

	// One Chinese or Japanese character can be a word.
	words := strings.Count(written, " ") + 1
	tooShort := letters < 2 && !wording.Wide(written)
	tooLong := words > maxItemWords || utf8.RuneCountInString(written) > maxItem
	if tooShort || tooLong {
		return
	}

	phrase := wording.FirstIsLower(written) && words > 4 || strings.ContainsAny(written, "@?!")
	if phrase || s.lists.noSkill(written) {
		return
	}

	if s.names[wording.Key(written)] || s.lists.organization(written) {
		return
	}

	// What remains may still be a phrase. Each doubt lowers the confidence instead of rejecting the item.
	function := 0
	for word := range strings.FieldsSeq(written) {
		if s.words.FunctionWords[strings.ToLower(word)] {
			function++
		}
	}

	s.add("", written, "skills", odds.Sum(
		odds.If("listed", true, 2.5),
		odds.If("short", words <= 3, .5),
		odds.If("lower case", wording.FirstIsLower(written), -.5),
		odds.If("phrase", function > 1 || words > 5, -1),
	))
}

// organization reports whether an item that the taxonomy lacks is the name of a company or a school.
func (r *listReader) organization(item string) bool {
	k := wording.Key(item)
	return r.words.Schools.Any(k) || r.words.EndsLegal(k)
}

// noSkill reports whether an item of a list of skills is something else: a level, a heading, a human language, a date,
// a place or a web address.
func (r *listReader) noSkill(item string) bool {
	k := wording.Key(item)
	switch {
	case k == "", r.words.NotSkills[k], r.words.FunctionWords[k], r.words.Present[k], r.words.Degrees[k],
		r.onlySpoken(item),
		r.isRating(item) && (r.words.SkillLevels[k] || !r.knownName(item)):
		return true
	case strings.Contains(item, "://"), strings.HasPrefix(k, "www "),
		strings.Contains(item, "@") && strings.Contains(item, "."):
		return true
	case !strings.Contains(item, " ") && strings.Contains(item, "/") &&
		strings.Contains(item[:strings.IndexByte(item, '/')], ".") && !r.knownName(item):
		return true
	case r.words.Countries[k] != "", isCity(r.words, k), r.words.ExactHeading(k) != "" && !r.knownName(item):
		return true
	}
	return false
}

// onlySpoken reports whether a text names human languages and nothing else, but levels and words like "and".
func (r *listReader) onlySpoken(text string) bool {
	found := r.words.SpokenIn(text)
	if len(found) == 0 {
		return false
	}
	from := 0
	for _, f := range append(found, lexicon.LanguageMention{Range: wording.Range{Start: len(text), End: len(text)}}) {
		for word := range strings.FieldsSeq(wording.Key(text[from:f.Start])) {
			joins := r.words.Joiners[word] || r.words.FunctionWords[word]
			if !joins && !r.isRating(word) {
				return false
			}
		}
		from = f.End
	}
	return true
}

// isCity reports whether a key is the name of a city.
func isCity(d *lexicon.Lexicon, k string) bool {
	_, ok := d.Cities[k]
	return ok
}
