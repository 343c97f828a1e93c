package dictionary

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/analysis"
)

// A Name is a part of a text that names something by itself, such as a skill, and what it is called in English.
type Name struct {
	Start, End int // byte offsets
	English    string
}

// A Reading is a text as read in English.
type Reading struct {
	Text string
	// Words holds the words that were read differently in English, in order.
	Words []Word
	// Unknown is the number of words, apart from function words, that stayed as they are.
	Unknown int
}

// A Word is a word or phrase and its English counterpart.
type Word struct{ Written, English string }

// Reads reports whether the dictionary has words of a language.
func (d *Dictionary) Reads(l analysis.Language) bool { return d.tables[l] != nil }

// Read reads a text, which is in the given language, in English. A name replaces the words at its place if they would
// change otherwise, and none of the dictionary's phrases is as long. Punctuation and line breaks stay, so that
// sentences and headlines end where they did. If the dictionary doesn't have the language, the text stays as it is.
func (d *Dictionary) Read(text string, l analysis.Language, names []Name) Reading {
	if !d.Reads(l) {
		return Reading{Text: text}
	}
	r := reader{d: d, table: d.tables[l](), language: l, text: text, tokens: tokens(text), names: names}
	units := groupNames(text, r.units())
	if l != analysis.German {
		units = adjectivesFirst(text, units)
	}
	return r.join(ofLast(text, units))
}

// A token is a run of letters and digits.
type token struct {
	text       string
	start, end int
}

// tokens returns the tokens of a text.
func tokens(text string) []token {
	var all []token
	start := -1
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			all = append(all, token{text[start:i], start, i})
			start = -1
		}
	}
	if start >= 0 {
		all = append(all, token{text[start:], start, len(text)})
	}
	return all
}

// A unit is a part of the text as it enters the reading.
type unit struct {
	english    string
	kind       kind
	start, end int // byte offsets in the text
	words      []Word
	unknown    bool
}

// A reader reads one text.
type reader struct {
	d        *Dictionary
	table    *table
	language analysis.Language
	text     string
	tokens   []token
	names    []Name
}

// units returns the units of the text in order.
func (r *reader) units() []unit {
	units := make([]unit, 0, len(r.tokens))
	for i := 0; i < len(r.tokens); {
		u, n := r.phrase(i)
		if named, size := r.named(i); size > n {
			u = named
			n = size
		}
		if n == 0 {
			u = r.word(i)
			n = 1
		}
		units = append(units, u)
		i += n
	}
	return units
}

// phrase returns the longest phrase that starts at a token, and its number of tokens, or 0.
func (r *reader) phrase(i int) (u unit, n int) {
	stems := r.d.stem(r.tokens[i].text, r.language)
	folded := exact + analysis.Fold(r.tokens[i].text)

	if !r.table.starts[stems] {
		return unit{}, 0
	}

	for j := i + 1; j < min(i+maxPhrase, len(r.tokens)); j++ {
		// A phrase ends at punctuation.
		switch r.text[r.tokens[j-1].end:r.tokens[j].start] {
		case " ", "-", "'", "’":
		default:
			return u, n
		}

		stems += " " + r.d.stem(r.tokens[j].text, r.language)
		folded += " " + analysis.Fold(r.tokens[j].text)
		s, ok := r.table.phrases[folded]
		if !ok {
			s, ok = r.table.phrases[stems]
		}

		if ok {
			u = r.unit(i, j, s)
			n = j - i + 1
		}
	}

	return u, n
}

// named returns the name that starts at a token, and its number of tokens, or 0. A name whose words are read in English
// anyway, or that stay the same, isn't needed.
func (r *reader) named(i int) (u unit, n int) {
	at := slices.IndexFunc(r.names, func(name Name) bool { return name.Start == r.tokens[i].start })
	if at < 0 {
		return unit{}, 0
	}
	name := r.names[at]
	changes := false
	for i+n < len(r.tokens) && r.tokens[i+n].end <= name.End {
		t := r.tokens[i+n]
		s, known := r.lookup(t.text)
		changes = changes || known && !strings.EqualFold(s.english, t.text)
		n++
	}
	if _, listed := find(r.table.words, key(r.tokens[i].text, r.language)); !changes || n == 1 && listed {
		return unit{}, 0
	}
	return r.unit(i, i+n-1, sense{name.English, noun}), n
}

// unit returns the unit of the tokens from i to j.
func (r *reader) unit(i, j int, s sense) unit {
	start := r.tokens[i].start
	end := r.tokens[j].end
	u := unit{english: s.english, kind: s.kind, start: start, end: end}
	if written := r.text[start:end]; !strings.EqualFold(written, s.english) {
		u.words = []Word{{written, s.english}}
	} else {
		u.english = written
	}
	return u
}

// word returns the unit of a single token.
func (r *reader) word(i int) unit {
	t := r.tokens[i]
	kept := unit{english: t.text, kind: noun, start: t.start, end: t.end, unknown: unicode.IsLetter(firstRune(t.text))}
	if s, ok := find(r.table.words, key(t.text, r.language)); ok {
		if s.kind == connector && r.joined(i) {
			return kept
		}
		return r.unit(i, i, s)
	}

	switch {
	case r.joined(i) || len(t.text) > 1 && t.text == strings.ToUpper(t.text): // "White-Hat", "IT"
	case ofWords[r.language][analysis.Fold(t.text)]:
		return unit{kind: of, start: t.start, end: t.end}
	case r.elided(i) || r.d.isFunction(t.text, r.language):
		return unit{kind: function, start: t.start, end: t.end}
	}

	if s, ok := r.lookup(t.text); ok {
		return r.unit(i, i, s)
	}

	return kept
}

// joined reports whether a token is written together with a neighbor that is not a function word: the O of "O&M", but
// not that of "y/o".
func (r *reader) joined(i int) bool {
	joins := func(a, b int) bool {
		if a < 0 || b == len(r.tokens) {
			return false
		}
		other := a + b - i
		gap := r.text[r.tokens[a].end:r.tokens[b].start]
		return len(gap) == 1 && strings.ContainsAny(gap, "-&/.+") && !r.d.isFunction(r.tokens[other].text, r.language)
	}
	return joins(i-1, i) || joins(i, i+1)
}

// lookup returns the sense of a single word.
func (r *reader) lookup(word string) (sense, bool) {
	k := key(word, r.language)
	if s, ok := find(r.table.words, k); ok {
		return s, true
	}
	if utf8.RuneCountInString(word) < minPart {
		return sense{}, false
	}

	// From sure to daring: known forms, the stem, and the parts of a compound.
	for _, form := range baseForms(k, r.language) {
		if s, ok := find(r.table.words, form); ok {
			return s, true
		}
	}

	if s, ok := find(r.table.stems, stemKey(word, r.d.stem(word, r.language), r.language)); ok {
		return s, true
	}

	if r.language == analysis.German {
		if parts := r.compound(strings.ToLower(word), 3); parts != nil {
			return sense{strings.Join(parts, " "), noun}, true
		}
	}

	return sense{}, false
}

// elided reports whether a token is an article or a preposition that lost its vowel: "l'image", "d'une".
func (r *reader) elided(i int) bool {
	t := r.tokens[i]
	return len(t.text) <= 2 && (strings.HasPrefix(r.text[t.end:], "'") || strings.HasPrefix(r.text[t.end:], "’"))
}

// linking lists the letters that connect the parts of a German compound.
var linking = []string{"", "s", "n", "es", "en", "er"}

// compound returns the English words for the parts of a German compound of at most limit parts, or nil if it has
// unknown parts. It prefers long parts at the end, which say what the whole is.
func (r *reader) compound(word string, limit int) []string {
	for i := range word {
		if i < minPart || len(word)-i < minPart {
			continue
		}

		last, ok := r.part(word[i:])
		if !ok {
			continue
		}

		// German joins the parts with letters that neither of them has, as in "Arbeitsamt".
		for _, link := range linking {
			first, ok := strings.CutSuffix(word[:i], link)
			if !ok || len(first) < minPart {
				continue
			}
			if s, ok := r.part(first); ok {
				return []string{s, last}
			}

			if limit > 2 {
				if parts := r.compound(first, limit-1); parts != nil {
					return append(parts, last)
				}
			}
		}
	}

	return nil
}

// part returns the English word for a part of a German compound.
func (r *reader) part(word string) (english string, ok bool) {
	if s, ok := find(r.table.words, capital+key(word, r.language)); ok && s.kind != connector {
		return s.english, true
	}
	if r.table.english[word] {
		return word, true
	}
	s, ok := find(r.table.stems, capital+r.d.stem(word, r.language))
	return s.english, ok
}

// ofWords lists the prepositions that connect nouns, contracted with articles, and German articles in the genitive.
var ofWords = map[analysis.Language]map[string]bool{
	analysis.Spanish:    set("de del"),
	analysis.French:     set("de d du des"),
	analysis.German:     set("von der des"),
	analysis.Portuguese: set("de do da dos das"),
	analysis.Italian:    set("di d del dello della dei degli delle dell"),
}

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		m[word] = true
	}
	return m
}

// adjacent reports whether nothing but spaces or an apostrophe is between two units.
func adjacent(text string, a, b unit) bool { return strings.Trim(text[a.end:b.start], " '’") == "" }

// groupNames joins neighboring words in capitals that stay as they are, such as "Google Maps", to one unit.
func groupNames(text string, units []unit) []unit {
	isName := func(u unit) bool {
		return len(u.words) == 0 && u.english != "" && !unicode.IsLower(firstRune(u.english))
	}
	kept := units[:0]
	for _, u := range units {
		n := len(kept)
		if n == 0 || !isName(u) || !isName(kept[n-1]) {
			kept = append(kept, u)
			continue
		}

		// Only what occurs inside names may stand between two of them.
		switch last := &kept[n-1]; text[last.end:u.start] {
		case " ", "-", "/", ".", "&":
			last.english = text[last.start:u.end]
			last.end = u.end
			last.kind = noun
			last.unknown = last.unknown || u.unknown

		default:
			kept = append(kept, u)
		}
	}

	return kept
}

// adjectivesFirst moves adjectives before the noun they follow.
func adjectivesFirst(text string, units []unit) []unit {
	kept := units[:0]
	for _, u := range units {
		if n := len(kept); n > 0 && u.kind == adjective && kept[n-1].kind == noun && adjacent(text, kept[n-1], u) {
			kept[n-1] = merge(u, kept[n-1])
			continue
		}
		kept = append(kept, u)
	}
	return kept
}

// ofLast turns "A of B" into "B A", from the end of the text, so that "A of B of C" becomes "C B A".
func ofLast(text string, units []unit) []unit {
	for i := len(units) - 1; i >= 2; i-- {
		first := i - 1
		for first > 0 && units[first].kind == function && adjacent(text, units[first], units[first+1]) {
			first-- // "de la", "de mi"
		}
		if first < 1 || units[i].kind != noun && units[i].kind != adjective || units[first].kind != of ||
			units[first-1].kind != noun || !adjacent(text, units[first-1], units[first]) ||
			!adjacent(text, units[first], units[first+1]) {
			continue
		}
		units[first-1] = merge(units[i], units[first-1])
		units = slices.Delete(units, first, i+1)
		i = first
	}
	return units
}

// merge returns two neighboring units as one noun, with the words of a before those of b.
func merge(a, b unit) unit {
	return unit{
		english: a.english + " " + b.english, kind: noun,
		start: min(a.start, b.start), end: max(a.end, b.end),
		words: append(a.words, b.words...), unknown: a.unknown || b.unknown,
	}
}

// join returns the reading of the units, with the text between them.
func (r *reader) join(units []unit) Reading {
	var b strings.Builder
	b.Grow(len(r.text))
	var reading Reading
	end := 0
	for _, u := range units {
		gap := r.text[end:u.start]
		if end > 0 {
			gap = strings.TrimLeft(gap, "'’")
		}

		// Function words that English puts elsewhere are dropped, with the space before them.
		if dropped := u.kind == of || u.kind == function; dropped || u.english == "" {
			b.WriteString(strings.TrimRight(gap, " "))
			end = u.end
			continue
		}

		if b.Len() > 0 && gap == "" {
			gap = " "
		}

		b.WriteString(gap)
		b.WriteString(u.english)
		reading.Words = append(reading.Words, u.words...)

		if u.unknown {
			reading.Unknown++
		}

		end = u.end
	}

	b.WriteString(r.text[end:])
	reading.Text = b.String()
	return reading
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
