// Package headers knows the headers of columns in several languages: what they mean, how they are written, and which
// words say nothing. The known headers are in its text files, one for each language.
package headers

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/internal/value"
)

// A Group is a set of headers with the same meaning.
type Group struct {
	Field     field.Field
	IsPart    bool // the columns are parts of one value: names to join, numbers to add up
	isPercent bool // of satisfied clients
	IsDate    bool
	IsWebsite bool // several people may have the address
	Identity  field.Identity
	Use       string     // of languages and currencies; see mappingfile.Column
	Unit      value.Unit // that rates are for; value.NoUnit if it is an hour or unknown
	Note      string
}

// Scale returns the upper end of the scale that ratings have under a header of the group, or 0 if it says nothing.
func (g *Group) Scale() float64 {
	if g.isPercent {
		return 100
	}
	return 0
}

// A Known is a header of the vocabulary.
type Known struct {
	*Group
	label    string // of groups.txt
	language string // the name of the file that has the header, such as "en"
	Rank     int    // columns whose headers have a lower rank are preferred
}

//go:embed *.txt
var headerFiles embed.FS

// vocabulary returns the contents of the folder headers.
var vocabulary = sync.OnceValue(func() *vocabularyData { return parseHeaders(headerFiles) })

// A vocabularyData has the known headers of all languages.
type vocabularyData struct {
	labels                           map[string]headerLabel
	exact                            map[string]Known // by the joined words
	languages                        []*language      // those that come first are preferred
	ignoredPrefixes, ignoredSuffixes map[string]bool
}

// A headerLabel is a label of groups.txt.
type headerLabel struct {
	*Group
	rank int
}

// A language has the headers of one language.
type language struct {
	name    string
	byWords map[string]Known  // by wordsKey
	weak    map[string]Known  // by wordsKey: headers that count only beside another one in this language
	ignored map[string]bool   // words
	same    map[string]string // the usual word by another one for it
}

// labelRanks is more than the number of headers that a language has for one label.
const labelRanks = 10_000

// GroupLabeled returns the group of a label of groups.txt.
func GroupLabeled(label string) *Group { return vocabulary().labels[label].Group }

// LanguageCodes returns the codes of the languages that have headers, the preferred ones first.
func LanguageCodes() (names []string) {
	for _, l := range vocabulary().languages {
		names = append(names, l.name)
	}
	return names
}

// parseHeaders parses the folder headers: groups.txt, and one file for each language. It panics if they are malformed,
// because they are part of the program.
func parseHeaders(files fs.FS) *vocabularyData {
	v := &vocabularyData{
		labels: make(map[string]headerLabel), exact: make(map[string]Known),
		ignoredPrefixes: make(map[string]bool), ignoredSuffixes: make(map[string]bool),
	}
	for _, line := range Lines(files, "groups.txt") {
		if labels, group, ok := strings.Cut(line, " = "); ok {
			v.addGroup(labels, group)
			continue
		}

		label, items, _ := strings.Cut(line, ": ")
		for item := range strings.SplitSeq(items, "; ") {
			switch label {
			case "languages":
				v.languages = append(v.languages, &language{name: item})
			case "ignored suffix":
				v.ignoredSuffixes[foldHeader(item)] = true
			}
		}
	}

	// A field without a group is its own label, so that a field of its own kind needs no line in groups.txt.
	for _, name := range field.Names[1:] {
		isGrouped := func(label headerLabel) bool { return label.Field.String() == name }
		if !slices.ContainsFunc(slices.Collect(maps.Values(v.labels)), isGrouped) {
			v.addGroup(name, name)
		}
	}

	// If two languages have the same header, the one that groups.txt lists first decides.
	for _, language := range v.languages {
		v.addLanguage(language, Lines(files, language.name+".txt"))
	}

	return v
}

// Lines returns the lines of a data file without comments and empty lines.
func Lines(files fs.FS, path string) (lines []string) {
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
func (v *vocabularyData) addGroup(labels, text string) {
	text, note, _ := strings.Cut(text, ": ")
	name, kind, _ := strings.Cut(text, " ")
	group := &Group{
		Field:     field.Named(name),
		IsPart:    kind == "(part)",
		isPercent: kind == "(percent)",
		IsDate:    kind == "(date)",
		IsWebsite: kind == "(website)",
		Note:      note,
	}

	if kind == "(identity)" {
		group.Identity = field.OnlyIdentity
	}

	switch use := strings.Trim(kind, "()"); group.Field {
	case field.Languages, field.Currency:
		group.Use = use
	case field.HourlyRate:
		group.Unit = value.UnitNamed(use)
	default: // other fields have no uses
	}

	// Of several columns for a field, the one whose label comes first in groups.txt is used, whatever its place among the
	// headers of the label.
	for label := range strings.SplitSeq(labels, "; ") {
		v.labels[label] = headerLabel{group, len(v.labels) * labelRanks}
	}
}

// addLanguage adds the lines "label: header; header" of a language. Lists of words may come after the headers that they
// apply to.
func (v *vocabularyData) addLanguage(l *language, lines []string) {
	l.byWords, l.weak = make(map[string]Known), make(map[string]Known)
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
			// A header of another label keeps its place among those of its line, because countries and cities distinguish people
			// in one order.
			header, name := cutLabel(item, line.label)
			known := Known{v.labels[name].Group, name, l.name, label.rank}
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
func (v *vocabularyData) addHeader(l *language, header string, known Known) {
	header, isWeak := strings.CutPrefix(header, "?")
	for _, spelling := range spellings(header) {
		words := Words(spelling)
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

func addKnown(headers map[string]Known, key string, known Known) {
	if _, ok := headers[key]; !ok && key != "" {
		headers[key] = known
	}
}

// brackets begin an addition to a header.
const brackets = "([{"

// maxHeader is the length in bytes of the longest header that is looked up.
const maxHeader = 200

// Lookup returns the vocabulary's entry for a header in any language: as a whole, in another order of its words,
// without a part in brackets, or without ignored words.
func Lookup(header string) (h Known, ok bool) {
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
func lookupTranslated(header string) (h Known, ok bool) {
	for _, separator := range []string{" / ", " | "} {
		parts := strings.Split(header, separator)
		if len(parts) < 2 || len(header) > maxHeader {
			continue
		}
		h, ok = Lookup(parts[0])
		for _, part := range parts[1:] {
			other, known := Lookup(part)
			ok = ok && known && other.Field == h.Field
		}
		if ok {
			return h, true
		}
	}
	return Known{}, false
}

// LookupAll finds all headers of a file. A header that several languages use for different things is known if another
// header of the file is in its language. A file with "Name" and "First name" has last names in the former.
func LookupAll(headers []string) []Known {
	known := make([]Known, len(headers))
	count := make(map[string]int) // by language
	for i, header := range headers {
		known[i], _ = Lookup(header)
		count[known[i].language]++
	}

	for i, header := range headers {
		isUsed := known[i].Group != nil && known[i].Field != field.None
		if isUsed {
			continue
		}

		// Of the languages in which the header has a meaning, the one of most other headers decides.
		best := 0
		for _, l := range vocabulary().languages {
			if count[l.name] <= best {
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

func (l *language) lookupWeak(header string) (h Known, ok bool) {
	for _, words := range headerForms(header) {
		for _, ignore := range []bool{false, true} {
			if h, ok := l.weak[l.wordsKey(words, ignore)]; ok {
				return h, true
			}
		}
	}
	return Known{}, false
}

// completeName makes a column such as "Name" the missing part of names if the file has a column for only one part.
func completeName(headers []string, known []Known) {
	has := func(label string) bool {
		return slices.ContainsFunc(known, func(h Known) bool { return h.label == label })
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
		if h.label == "name" && len(Words(headers[i])) == 1 {
			label := vocabulary().labels[missing]
			known[i].Group, known[i].label, known[i].Rank = label.Group, missing, label.rank
			return
		}
	}
}

// Delimiters has the delimiters of CSV that are detected, the most likely first.
const Delimiters = ",;\t|"

// Overrides have the header of a column by field, as the options give them. "" or "-" stands for no column.
type Overrides map[string]string

// IsKnown reports whether a header stands for a field, according to the vocabulary or the options. A text with a
// delimiter doesn't: it may be several headers.
func (o Overrides) IsKnown(header string) bool {
	for _, column := range o {
		if column != "" && strings.EqualFold(column, strings.TrimSpace(header)) {
			return true
		}
	}
	if strings.ContainsAny(header, Delimiters) {
		return false
	}
	h, ok := Lookup(header)
	return ok && h.Field != field.None
}

// CountKnown returns the number of cells that are known headers.
func (o Overrides) CountKnown(cells []string) (n int) {
	for _, cell := range cells {
		if o.IsKnown(strings.Trim(cell, ` "`)) {
			n++
		}
	}
	return n
}
