package source

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
)

// A headerGroup is a set of headers with the same meaning.
type headerGroup struct {
	field     field
	isPart    bool // the columns are parts of one value: names to join, numbers to add up
	isPercent bool // of satisfied clients
	isDate    bool
	isWebsite bool // several people may have the address
	identity  identityUse
	use       string // of languages and currencies; see ColumnMapping
	note      string
}

// scale returns the upper end of the scale that ratings have under a header of the group, or 0 if it says nothing.
func (g *headerGroup) scale() float64 {
	if g.isPercent {
		return 100
	}
	return 0
}

// A knownHeader is a header of the vocabulary.
type knownHeader struct {
	*headerGroup
	label    string // of groups.txt
	language string // the name of the file that has the header, such as "en"
	rank     int    // columns whose headers have a lower rank are preferred
}

//go:embed headers/*.txt
var headerFiles embed.FS

// vocabulary returns the contents of the folder headers.
var vocabulary = sync.OnceValue(func() *headerVocabulary { return parseHeaders(headerFiles) })

// A headerVocabulary has the known headers of all languages.
type headerVocabulary struct {
	labels                           map[string]headerLabel
	exact                            map[string]knownHeader // by headerKey
	languages                        []*headerLanguage      // those that come first are preferred
	ignoredPrefixes, ignoredSuffixes map[string]bool
}

// A headerLabel is a label of groups.txt.
type headerLabel struct {
	*headerGroup
	rank int
}

// A headerLanguage has the headers of one language.
type headerLanguage struct {
	name    string
	byWords map[string]knownHeader // by wordsKey
	weak    map[string]knownHeader // by wordsKey: headers that count only beside another one in this language
	ignored map[string]bool        // words
	same    map[string]string      // the usual word by another one for it
}

// labelRanks is more than the number of headers that a language has for one label.
const labelRanks = 10_000

// groupLabeled returns the group of a label of groups.txt.
func groupLabeled(label string) *headerGroup { return vocabulary().labels[label].headerGroup }

// languageNames returns the codes of the languages that have headers, the preferred ones first.
func languageNames() (names []string) {
	for _, l := range vocabulary().languages {
		names = append(names, l.name)
	}
	return names
}

// parseHeaders parses the folder headers: groups.txt, and one file for each language. It panics if they are malformed,
// because they are part of the program.
func parseHeaders(files fs.FS) *headerVocabulary {
	v := &headerVocabulary{
		labels: make(map[string]headerLabel), exact: make(map[string]knownHeader),
		ignoredPrefixes: make(map[string]bool), ignoredSuffixes: make(map[string]bool),
	}
	for _, line := range dataLines(files, "groups.txt") {
		if labels, group, ok := strings.Cut(line, " = "); ok {
			v.addGroup(labels, group)
			continue
		}

		label, items, _ := strings.Cut(line, ": ")
		for item := range strings.SplitSeq(items, "; ") {
			switch label {
			case "languages":
				v.languages = append(v.languages, &headerLanguage{name: item})
			case "ignored suffix":
				v.ignoredSuffixes[foldHeader(item)] = true
			}
		}
	}

	for _, language := range v.languages {
		v.addLanguage(language, dataLines(files, language.name+".txt"))
	}

	return v
}

// dataLines returns the lines of a data file without comments and empty lines.
func dataLines(files fs.FS, path string) (lines []string) {
	text, err := fs.ReadFile(files, path)
	if err != nil {
		panic(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// addGroup adds the group of a line "label; label = field (kind): note".
func (v *headerVocabulary) addGroup(labels, text string) {
	text, note, _ := strings.Cut(text, ": ")
	name, kind, _ := strings.Cut(text, " ")
	group := &headerGroup{
		field:     fieldNamed(name),
		isPart:    kind == "(part)",
		isPercent: kind == "(percent)",
		isDate:    kind == "(date)",
		isWebsite: kind == "(website)",
		note:      note,
	}

	if kind == "(identity)" {
		group.identity = onlyIdentity
	}

	if use := strings.Trim(kind, "()"); group.field == fieldLanguages || group.field == fieldCurrency {
		group.use = use
	}

	for label := range strings.SplitSeq(labels, "; ") {
		v.labels[label] = headerLabel{group, len(v.labels) * labelRanks}
	}
}

// addLanguage adds the lines "label: header; header" of a language. Lists of words may come after the headers that they
// apply to.
func (v *headerVocabulary) addLanguage(l *headerLanguage, lines []string) {
	l.byWords, l.weak = make(map[string]knownHeader), make(map[string]knownHeader)
	l.ignored, l.same = make(map[string]bool), make(map[string]string)
	type line struct{ label, items string }
	var headers []line
	for _, text := range lines {
		label, items, ok := strings.Cut(text, ": ")
		list, word, _ := strings.Cut(label, " ")
		switch {
		case !ok:
			panic(fmt.Sprintf("%s.txt: not a line \"label: header; header\": %s", l.name, text))
		case label == "ignored prefix":
			addWords(v.ignoredPrefixes, items)
		case label == "ignored suffix":
			addWords(v.ignoredSuffixes, items)
		case label == "ignored":
			addWords(l.ignored, items)
		case list == "same":
			for item := range strings.SplitSeq(items, "; ") {
				l.same[singular(foldHeader(item))] = singular(foldHeader(word))
			}

		default:
			headers = append(headers, line{label, items})
		}
	}

	for _, line := range headers {
		label, ok := v.labels[line.label]
		if !ok {
			panic(fmt.Sprintf("%s.txt: groups.txt has no label %q", l.name, line.label))
		}

		for item := range strings.SplitSeq(line.items, "; ") {
			header, name := cutLabel(item, line.label)
			known := knownHeader{v.labels[name].headerGroup, name, l.name, label.rank}
			label.rank++
			v.addHeader(l, header, known)
		}

		v.labels[line.label] = label
	}
}

// cutLabel splits an item "header (label)". Other items have the label of their line.
func cutLabel(item, ofLine string) (header, label string) {
	header, label, ok := strings.Cut(strings.TrimSuffix(item, ")"), " (")
	if !ok {
		return item, ofLine
	}
	return header, label
}

func addWords(set map[string]bool, items string) {
	for item := range strings.SplitSeq(items, "; ") {
		set[foldHeader(item)] = true
	}
}

// addHeader adds a header unless it is known already. A header with ignored words is also known without them if that
// leaves two words.
func (v *headerVocabulary) addHeader(l *headerLanguage, header string, known knownHeader) {
	header, isWeak := strings.CutPrefix(header, "?")
	for _, spelling := range spellings(header) {
		words := headerWords(spelling)
		if isWeak {
			addKnown(l.weak, l.wordsKey(words, false), known)
			continue
		}
		addKnown(v.exact, strings.Join(words, ""), known)
		addKnown(l.byWords, l.wordsKey(words, false), known)
		if key := l.wordsKey(words, true); strings.Contains(key, " ") {
			addKnown(l.byWords, key, known)
		}
	}
}

func addKnown(headers map[string]knownHeader, key string, known knownHeader) {
	if _, ok := headers[key]; !ok && key != "" {
		headers[key] = known
	}
}

// brackets begin an addition to a header.
const brackets = "([{"

// maxHeader is the length in bytes of the longest header that is looked up.
const maxHeader = 200

// lookup returns the vocabulary's entry for a header in any language: as a whole, in another order of its words,
// without a part in brackets, or without ignored words.
func lookup(header string) (h knownHeader, ok bool) {
	v := vocabulary()
	hasBracket := strings.ContainsAny(header, brackets)
	for i, words := range headerForms(header) {
		// What is in brackets isn't the end of the word before them: "rate (Rs)" doesn't mean raters.
		if h, ok := v.exact[strings.Join(words, "")]; ok && (i > 0 || !hasBracket) {
			return h, true
		}
		for _, l := range v.languages {
			for _, ignore := range []bool{false, true} {
				if h, ok := l.byWords[l.wordsKey(words, ignore)]; ok {
					return h, true
				}
			}
		}
	}
	return lookupTranslated(header)
}

// lookupTranslated finds a header in several languages, such as "Skills / Habilidades". All parts must be known and
// mean the same.
func lookupTranslated(header string) (h knownHeader, ok bool) {
	for _, separator := range []string{" / ", " | "} {
		parts := strings.Split(header, separator)
		if len(parts) < 2 || len(header) > maxHeader {
			continue
		}
		h, ok = lookup(parts[0])
		for _, part := range parts[1:] {
			other, known := lookup(part)
			ok = ok && known && other.field == h.field
		}
		if ok {
			return h, true
		}
	}
	return knownHeader{}, false
}

// lookupAll finds all headers of a file. A header that several languages use for different things is known if another
// header of the file is in its language. A file with "Name" and "First name" has last names in the former.
func lookupAll(headers []string) []knownHeader {
	known := make([]knownHeader, len(headers))
	count := make(map[string]int) // by language
	for i, header := range headers {
		known[i], _ = lookup(header)
		count[known[i].language]++
	}

	for i, header := range headers {
		best := 0
		for _, l := range vocabulary().languages {
			isUsed := known[i].headerGroup != nil && known[i].field != fieldNone
			if isUsed && best == 0 || count[l.name] <= best {
				continue
			}

			if h, ok := l.lookupWeak(header); ok {
				known[i] = h
				best = count[l.name]
			}
		}
	}

	completeName(headers, known)
	return known
}

func (l *headerLanguage) lookupWeak(header string) (h knownHeader, ok bool) {
	for _, words := range headerForms(header) {
		for _, ignore := range []bool{false, true} {
			if h, ok := l.weak[l.wordsKey(words, ignore)]; ok {
				return h, true
			}
		}
	}
	return knownHeader{}, false
}

// completeName makes a column such as "Name" the missing part of names if the file has a column for only one part.
func completeName(headers []string, known []knownHeader) {
	has := func(label string) bool {
		return slices.ContainsFunc(known, func(h knownHeader) bool { return h.label == label })
	}
	missing := "first name"
	switch {
	case has("first name") == has("last name"):
		return
	case has("first name"):
		missing = "last name"
	}
	for i, h := range known {
		// A longer header, such as "full name", has the whole name.
		if h.label == "name" && len(headerWords(headers[i])) == 1 {
			label := vocabulary().labels[missing]
			known[i].headerGroup, known[i].label, known[i].rank = label.headerGroup, missing, label.rank
			return
		}
	}
}

// delimiters has the delimiters of CSV that are detected, the most likely first.
const delimiters = ",;\t|"

// headerOverrides have the header of a column by field, as the options give them. "" or "-" stands for no column.
type headerOverrides map[string]string

// isKnown reports whether a header stands for a field, according to the vocabulary or the options. A text with a
// delimiter doesn't: it may be several headers.
func (o headerOverrides) isKnown(header string) bool {
	for _, column := range o {
		if column != "" && strings.EqualFold(column, strings.TrimSpace(header)) {
			return true
		}
	}
	if strings.ContainsAny(header, delimiters) {
		return false
	}
	h, ok := lookup(header)
	return ok && h.field != fieldNone
}

// countKnown returns the number of cells that are known headers.
func (o headerOverrides) countKnown(cells []string) (n int) {
	for _, cell := range cells {
		if o.isKnown(strings.Trim(cell, ` "`)) {
			n++
		}
	}
	return n
}
