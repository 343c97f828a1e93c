package fields

import (
	"embed"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"freelancer-matching/internal/analysis"
)

//go:embed data/*.txt
var files embed.FS

// set is a set of keys: words, or phrases of words apart by single spaces.
type set map[string]bool

// dictionary holds the words that fields are recognised by, in all languages at once. It is never changed.
type dictionary struct {
	headings  map[string]kind
	compact   map[string]kind   // headings without spaces
	speech    map[string]string // the language of a heading, where one language has it alone
	modifiers set
	weak      set // headings that running text has too, alone in a line: they must look like one

	months                         map[string]int
	seasons, present, since, until set
	open                           set // of since, those that mean "until today" without another date

	titles, organisations, schools vocabulary
	seniority, legal, degrees      set
	native, levels                 set
	spoken                         map[string]string // English names of languages, by their names
	countries, regions             map[string]string // ISO codes, by names of countries and of their parts
	cities                         map[string]string // codes of countries, "" where several have one
	remote                         set
	labels                         map[string]string // what a label is in front of
	acts, objects, phrases         []string          // of instructions
}

// vocabulary is a set of words, of ends of words, and of the parts of texts that are written without spaces.
type vocabulary struct {
	words set
	ends  []string
	parts []string
}

// entry is a line of the data: "list language: item; item".
type entry struct {
	list, language string
	items          []string
}

// load reads one file of the data.
func load(name string) []entry {
	text, err := files.ReadFile(path.Join("data", name))
	if err != nil {
		panic(err) // it is embedded
	}
	var entries []entry
	for line := range strings.Lines(string(text)) {
		head, items, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok || strings.HasPrefix(head, "#") {
			continue
		}
		list, lang, _ := strings.Cut(strings.TrimSpace(head), " ")
		e := entry{list: list, language: lang}
		for item := range strings.SplitSeq(items, ";") {
			if item = strings.TrimSpace(item); item != "" {
				e.items = append(e.items, item)
			}
		}
		entries = append(entries, e)
	}
	return entries
}

func newDictionary() *dictionary {
	d := &dictionary{
		headings: make(map[string]kind), compact: make(map[string]kind), speech: make(map[string]string), modifiers: make(set), weak: make(set), months: make(map[string]int),
		labels: make(map[string]string), countries: make(map[string]string), regions: make(map[string]string),
		cities: make(map[string]string), spoken: make(map[string]string),
	}
	d.readHeadings()
	d.readDates()
	d.titles, d.seniority = vocabularyOf("titles.txt", "title"), setOf("titles.txt", "seniority")
	d.organisations = vocabularyOf("organisations.txt", "organisation")
	d.schools = vocabularyOf("organisations.txt", "school")
	d.legal = setOf("organisations.txt", "legal")
	d.degrees = setOf("degrees.txt", "degree")
	d.native, d.levels = setOf("languages.txt", "native"), setOf("languages.txt", "level")
	for _, e := range load("labels.txt") {
		for _, item := range e.items {
			if d.labels[key(item)] == "" {
				d.labels[key(item)] = e.list
			}
		}
	}
	d.acts = slices.Sorted(maps.Keys(setOf("instructions.txt", "act")))
	d.objects = slices.Sorted(maps.Keys(setOf("instructions.txt", "object")))
	d.phrases = slices.Sorted(maps.Keys(setOf("instructions.txt", "phrase")))
	d.readNames()
	d.readPlaces()
	return d
}

func (d *dictionary) readHeadings() {
	for _, e := range load("headings.txt") {
		for _, item := range e.items {
			k := key(item)
			switch e.list {
			case "modifier":
				d.modifiers[k] = true
				continue
			case "weak":
				d.weak[k] = true
				continue
			}
			if _, ok := d.headings[k]; !ok {
				d.headings[k] = kind(e.list)
				d.compact[strings.ReplaceAll(k, " ", "")] = kind(e.list)
			}
			if said, ok := d.speech[k]; ok && said != e.language {
				d.speech[k] = ""
			} else {
				d.speech[k] = e.language
			}
		}
	}
}

func (d *dictionary) readDates() {
	d.seasons, d.present = setOf("dates.txt", "season"), setOf("dates.txt", "present")
	d.since, d.until = setOf("dates.txt", "since"), setOf("dates.txt", "until")
	d.open = setOf("dates.txt", "onlysince")
	months := []string{
		"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
	}
	for i, month := range months {
		for word := range setOf("dates.txt", month) {
			d.months[word] = i + 1
		}
	}
}

// tongues are the languages whose names of countries and languages are known.
var tongues = []language.Tag{
	language.English, language.French, language.Spanish, language.German, language.Portuguese, language.Italian,
	language.Dutch, language.Arabic, language.Chinese, language.TraditionalChinese, language.Japanese,
}

// readNames takes the names of countries and languages from CLDR.
func (d *dictionary) readNames() {
	inEnglish := display.English.Languages()
	for _, tag := range tongues {
		regions, languages := display.Regions(tag), display.Languages(tag)
		for _, region := range language.Supported.Regions() {
			if name := key(regions.Name(region)); region.IsCountry() && name != "" && d.countries[name] == "" {
				d.countries[name] = region.Canonicalize().String() // East Germany's name is Deutschland, too
			}
		}
		for _, base := range display.Supported.BaseLanguages() {
			t, err := language.Compose(base)
			if name := key(languages.Name(t)); err == nil && utf8.RuneCountInString(name) > 1 && d.spoken[name] == "" {
				d.spoken[name] = inEnglish.Name(t)
			}
		}
	}
	for _, e := range load("languages.txt") {
		for _, item := range e.items {
			if name, english, ok := strings.Cut(item, "="); ok && e.list == "name" {
				d.spoken[key(name)] = english
			}
		}
	}
}

func (d *dictionary) readPlaces() {
	for _, e := range load("places.txt") {
		for _, item := range e.items {
			name, code, _ := strings.Cut(item, "=")
			switch e.list {
			case "city":
				d.cities[key(name)] = code
			case "remote":
			default:
				if d.regions[key(name)] == "" {
					d.regions[key(name)] = strings.ToUpper(e.list)
				}
			}
		}
	}
	d.remote = setOf("places.txt", "remote")
}

// setOf is one list of a file, in all languages.
func setOf(file, list string) set {
	s := make(set)
	for _, e := range load(file) {
		if e.list == list {
			for _, item := range e.items {
				s[key(item)] = true
			}
		}
	}
	return s
}

func vocabularyOf(file, list string) vocabulary {
	v := vocabulary{words: make(set)}
	for _, e := range load(file) {
		if e.list != list {
			continue
		}
		for _, item := range e.items {
			switch end, ok := strings.CutPrefix(item, "*"); {
			case ok:
				v.ends = append(v.ends, key(end))
			case wide(item):
				v.parts = append(v.parts, key(item))
			default:
				v.words[key(item)] = true
			}
		}
	}
	return v
}

// has reports whether a word belongs to the vocabulary.
func (v *vocabulary) has(word string) bool {
	if v.words[word] || v.words[strings.TrimSuffix(word, "s")] && len(word) > 3 {
		return true
	}
	for _, end := range v.ends {
		if strings.HasSuffix(word, end) {
			return true
		}
	}
	return !isASCII(word) && slices.ContainsFunc(v.parts, func(part string) bool { return strings.Contains(word, part) })
}

// any reports whether any word of a key belongs to the vocabulary.
func (v *vocabulary) any(key string) bool {
	for word := range strings.FieldsSeq(key) {
		if v.has(word) {
			return true
		}
	}
	return false
}

// key is what words and phrases are compared by: letters and digits in lower case without accents, single spaces.
func key(text string) string {
	folded := analysis.Fold(text)
	var b strings.Builder
	b.Grow(len(folded))
	space := false
	for _, r := range folded {
		switch {
		case r == 'ß':
			b.WriteString("ss")
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteRune(r)
		default:
			space = true
		}
	}
	return b.String()
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// wide reports whether text has characters of a script that is written without spaces.
func wide(text string) bool { return strings.ContainsFunc(text, wideRune) }

func wideRune(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}
