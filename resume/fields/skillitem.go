package fields

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/taxonomy"
)

// maxItem and maxItemWords bound a listed skill that the taxonomy lacks.
const (
	maxItem      = 60 // characters
	maxItemWords = 7
)

// addItem adds the skills that an item of a list names. other holds items of the same list, which decide what an
// ambiguous name means.
func (s *skillSet) addItem(item string, other []string) {
	e := s.extractor
	item = trimItem(item)
	if e.noSkill(item) {
		return
	}
	if _, ok := e.taxonomy.Named(item); ok && s.addKnown(item, item, other) {
		return
	}
	if label, rest, ok := e.cutLabel(item); ok {
		if !e.otherGroup(label, rest) {
			s.addItem(rest, other)
		}
		return
	}
	item = trimItem(e.withoutRating(item))
	if e.noSkill(item) || s.addKnown(item, item, other) {
		return
	}
	if rest, ok := e.withoutLead(item); ok {
		if rest = trimItem(rest); e.noSkill(rest) || s.addKnown(rest, item, other) {
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
		if e.knownName(remark) {
			s.addItem(remark, other)
		}
		return
	}
	parts := e.splitGlued(item)
	for _, part := range parts {
		s.addItem(part, other)
	}
	if len(parts) == 0 {
		s.addCompound(item, other)
	}
}

// splitGlued splits an item in which only spaces separate several skills, as between the columns of a list: "Project
// management Team building". A capital after a word in lower case starts a new skill. The item is not split, and the
// result is nil, unless the taxonomy knows one of the parts, or the item is long.
func (e *Extractor) splitGlued(item string) (parts []string) {
	words := strings.Fields(item)
	starts := []int{0}
	for i := 1; i < len(words); i++ {
		before := strings.ToLower(words[i-1])
		if capitalized(words[i]) && firstIsLower(words[i-1]) &&
			!e.words.functionWords[before] && !e.words.joiners[before] {
			starts = append(starts, i)
		}
	}
	if len(starts) == 1 || !capitalized(words[0]) {
		return nil
	}
	known := len(starts) > 2 && len(words) > 5
	for i, start := range starts {
		end := len(words)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		part := strings.Join(words[start:end], " ")
		known = known || e.knownName(part)
		parts = append(parts, part)
	}
	if !known {
		return nil
	}
	return parts
}

// addKnown adds the skill that a name means as a whole, and reports whether there is one.
func (s *skillSet) addKnown(name, written string, other []string) bool {
	t := s.extractor.taxonomy
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
	s.add(r.ID, written, "skills", sum(feature{"listed", true, 3.5}))
}

// addExplained adds the skills of an item with brackets: the names of both parts in "AWS (EC2, S3)", one skill for a
// name with its abbreviation, and only the name if the brackets hold a remark.
func (s *skillSet) addExplained(item, outside, inside string, other []string) {
	parts := splitList(inside)
	switch {
	case len(parts) > 1:
		s.addItem(outside, other)
		for _, part := range parts {
			s.addItem(part, other)
		}
	case s.extractor.isRating(inside), outside == "":
		s.addItem(outside+inside, other)
	case abbreviates(inside, outside) || abbreviates(outside, inside):
		if !s.addKnown(outside, outside, other) && !s.addKnown(inside, inside, other) {
			s.addUnknown(item)
		}
	case s.extractor.knownName(inside):
		s.addItem(outside, other)
		s.addItem(inside, other)
	case firstIsLower(inside) || s.extractor.knownName(outside):
		s.addItem(outside, other)
	default:
		s.addUnknown(item)
	}
}

// abbreviates reports whether short consists of the first letters of the words of a name.
func abbreviates(short, name string) bool {
	if len(short) > 6 || strings.Contains(short, " ") {
		return false
	}
	var initials strings.Builder
	for word := range strings.FieldsFuncSeq(strings.ToLower(name), func(r rune) bool { return r == ' ' || r == '-' || r == '/' }) {
		first, _ := utf8.DecodeRuneInString(word)
		initials.WriteRune(first)
	}
	return initials.String() == key(short) || strings.Contains(initials.String(), key(short)) && len(short) > 2
}

// addCompound adds the skills of an item that may name several: "Linux/Unix", "Git & GitHub". A part that the taxonomy
// lacks is a skill beside one that it knows if it is as short as a name. An item that names no known skill is one skill.
func (s *skillSet) addCompound(item string, other []string) {
	e := s.extractor
	parts, slashes := e.splitCompound(item)
	known := 0
	short := true
	for _, part := range parts {
		if e.knownName(part) {
			known++
		} else {
			words := strings.Count(part, " ") + 1
			short = short && words <= 2 && (slashes || words == 1 && !firstIsLower(part))
		}
	}
	if len(parts) > 1 && known > 0 && (known == len(parts) || short) {
		for _, part := range parts {
			if !e.noSkill(part) && !s.addKnown(part, part, other) {
				s.addUnknown(part)
			}
		}
		return
	}
	found := false
	for _, r := range e.taxonomy.ResolveAll(item, other...) {
		if r.Known {
			s.addListed(r, item)
			found = true
		}
	}
	if !found {
		s.addUnknown(item)
	}
}

// splitCompound splits an item at slashes, "&", "+" between spaces, and words like "and". slashes reports whether it
// was split at slashes only.
func (e *Extractor) splitCompound(item string) (parts []string, slashes bool) {
	start := 0
	slashes = true
	cut := func(end, next int) {
		if part := trimItem(item[start:end]); part != "" {
			parts = append(parts, part)
		}
		start = next
	}
	for i := 0; i < len(item); i++ {
		rest := item[i:]
		switch {
		case item[i] == '/':
			cut(i, i+1)
		case item[i] == '&', strings.HasPrefix(rest, " + "):
			cut(i, i+1+len(rest)-len(strings.TrimLeft(rest, " +&")))
			i, slashes = max(i, start-1), false
		case item[i] == ' ':
			word, _, ok := strings.Cut(rest[1:], " ")
			if ok && e.words.joiners[strings.ToLower(word)] {
				cut(i, i+2+len(word))
				i, slashes = start-1, false
			}
		}
	}
	cut(len(item), len(item))
	return parts, slashes
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
	words := strings.Count(written, " ") + 1
	if letters < 2 && !wide(written) || utf8.RuneCountInString(written) > maxItem || words > maxItemWords ||
		firstIsLower(written) && words > 4 || strings.ContainsAny(written, "@?!") || s.extractor.noSkill(written) ||
		s.names[key(written)] || s.extractor.organization(written) {
		return
	}
	function := 0
	for word := range strings.FieldsSeq(written) {
		if s.extractor.words.functionWords[strings.ToLower(word)] {
			function++
		}
	}
	s.add("", written, "skills", sum(
		feature{"listed", true, 2.5},
		feature{"short", words <= 3, .5},
		feature{"lower case", firstIsLower(written), -.5},
		feature{"phrase", function > 1 || words > 5, -1},
	))
}

// organization reports whether an item that the taxonomy lacks is the name of a company or a school.
func (e *Extractor) organization(item string) bool {
	k := key(item)
	return e.words.schools.any(k) || e.words.endsLegal(k)
}

// noSkill reports whether an item of a list of skills is something else: a level, a heading, a human language, a date, a
// place or a web address.
func (e *Extractor) noSkill(item string) bool {
	k := key(item)
	switch {
	case k == "", e.words.notSkills[k], e.words.functionWords[k], e.words.present[k], e.words.degrees[k], e.onlySpoken(item),
		e.isRating(item) && (e.words.skillLevels[k] || !e.knownName(item)):
		return true
	case strings.Contains(item, "://"), strings.HasPrefix(k, "www "),
		strings.Contains(item, "@") && strings.Contains(item, "."):
		return true
	case !strings.Contains(item, " ") && strings.Contains(item, "/") &&
		strings.Contains(item[:strings.IndexByte(item, '/')], ".") && !e.knownName(item):
		return true
	case e.words.countries[k] != "", isCity(e.words, k), e.words.exactHeading(k) != "" && !e.knownName(item):
		return true
	}
	return false
}

// onlySpoken reports whether a text names human languages and nothing else, but levels and words like "and".
func (e *Extractor) onlySpoken(text string) bool {
	found := e.words.spokenIn(text)
	if len(found) == 0 {
		return false
	}
	from := 0
	for _, f := range append(found, languageMention{textRange: textRange{len(text), len(text)}}) {
		for word := range strings.FieldsSeq(key(text[from:f.start])) {
			if !e.words.joiners[word] && !e.words.functionWords[word] && !e.isRating(word) {
				return false
			}
		}
		from = f.end
	}
	return true
}

// trimItem returns an item without the signs around it, and without "etc.".
func trimItem(item string) string {
	item = strings.TrimSpace(item)
	for {
		before := item
		item = strings.TrimLeft(item, " \t:–—*•&/~>\"“”'")
		if !strings.HasPrefix(item, ".NET") && !strings.HasPrefix(item, ".net") {
			item = strings.TrimLeft(item, ".")
		}
		if strings.HasPrefix(item, "- ") || strings.HasPrefix(item, "+ ") {
			item = item[2:]
		}
		item = strings.TrimRight(item, " \t.:–—-*•&/\"“”'…")
		if strings.HasSuffix(item, " etc") {
			item = strings.TrimSuffix(item, " etc")
		}
		if opened := strings.Count(item, "("); opened != strings.Count(item, ")") {
			item = strings.TrimSuffix(strings.TrimPrefix(item, "("), ")")
			if opened > 0 {
				item = strings.TrimSuffix(item, "(")
			}
		}
		for _, word := range [...]string{"and ", "or ", "und ", "et ", "y "} {
			item = strings.TrimPrefix(item, word)
		}
		if item == before {
			return item
		}
	}
}

// cutBrackets cuts the text in the brackets at the end of an item.
func cutBrackets(item string) (outside, inside string, ok bool) {
	open := strings.IndexAny(item, "([")
	if open < 0 {
		return "", "", false
	}
	length := strings.LastIndexAny(item[open:], ")]")
	if length < 0 {
		return strings.TrimSpace(item[:open]), strings.TrimSpace(item[open+1:]), true
	}
	outside = strings.TrimSpace(strings.TrimSpace(item[:open]) + " " + strings.TrimSpace(item[open+length+1:]))
	return outside, strings.TrimSpace(item[open+1 : open+length]), true
}

// cutRemark cuts an item at a dash between spaces: "Git – branching and reviews".
func cutRemark(item string) (name, remark string, ok bool) {
	for _, dash := range []string{" – ", " — ", " - "} {
		if name, remark, ok = strings.Cut(item, dash); ok {
			return name, remark, true
		}
	}
	return item, "", false
}

// ratingSigns draw how well a skill is known.
const ratingSigns = "●○◉◯■□▪▫★☆⬤◆◇▮▯█░▒▓•◐◑◔◕*"

// isRating reports whether a text says only how well or how long a skill is known: "expert", "3+ years", "4/5", "80 %".
func (e *Extractor) isRating(text string) bool {
	words := wordRanges(text, 12, func(r rune) bool { return letterOrMark(r) || unicode.IsDigit(r) })
	if len(words) == 0 {
		return strings.TrimSpace(text) != ""
	}
	for i := 0; i < len(words); {
		n := min(5, len(words)-i)
		for ; n > 0; n-- {
			k := key(text[words[i].start:words[i+n-1].end])
			if e.words.levels[k] || e.words.native[k] || e.words.skillLevels[k] || isTime(e.words, k) {
				break
			}
		}
		if n == 0 {
			return false
		}
		i += n
	}
	return len(words) < 12
}

// isTime reports whether a word is a number or a unit of time, or both: "3", "years", "5y".
func isTime(d *dictionary, word string) bool {
	unit := strings.TrimLeft(word, "0123456789")
	if unit == "" {
		return true
	}
	return d.timeUnits[unit] || len(unit) > 2 && d.timeUnits[strings.TrimSuffix(unit, "s")]
}

// withoutRating returns an item without what follows the name of its skill and says how well it is known.
func (e *Extractor) withoutRating(item string) string {
	for range 3 {
		before := item
		item = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(item), ratingSigns+" "))
		if outside, inside, ok := cutBrackets(item); ok && outside != "" && e.isRating(inside) {
			item = outside
		}
		for _, sign := range []string{" – ", " — ", " - ", ":", "–", "="} {
			if i := strings.LastIndex(item, sign); i > 0 && e.isRating(item[i+len(sign):]) && item[i+len(sign):] != "" {
				item = strings.TrimSpace(item[:i])
			}
		}
		words := wordRanges(item, 12, func(r rune) bool { return r != ' ' })
		for n := min(4, len(words)-1); n > 0; n-- {
			at := words[len(words)-n].start
			if e.rates(item[at:]) && (hasDigit(item[at:]) || e.knownName(item[:at]) || !firstIsLower(item[at:])) {
				item = strings.TrimSpace(item[:at])
				break
			}
		}
		if item == before {
			break
		}
	}
	return item
}

// rates reports whether the last words of an item are a rating although no sign is before them. A number alone is a
// version, and "basic" may be part of a name.
func (e *Extractor) rates(tail string) bool {
	if !e.isRating(tail) {
		return false
	}
	k := key(tail)
	digits := strings.TrimLeft(tail, "0123456789. ")
	switch {
	case e.words.skillLevels[k], e.words.levels[k] && strings.Contains(k, " "):
		return true
	case !hasDigit(tail):
		return false
	case strings.HasPrefix(digits, "%"):
		return true
	case strings.HasPrefix(digits, "/"):
		scale := strings.TrimSpace(digits[1:])
		return slices.Contains([]string{"4", "5", "6", "10", "100"}, scale)
	default:
		return strings.ContainsFunc(k, unicode.IsLetter)
	}
}

// isCity reports whether a key is the name of a city.
func isCity(d *dictionary, k string) bool {
	_, ok := d.cities[k]
	return ok
}
