package fields

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// A set is a set of keys: words, or phrases of words with single spaces between them.
type set map[string]bool

// A dictionary holds the words by which fields are recognized, in all languages together, by subject. It is read-only.
// Most of its fields are lists of the data files, which data/README.md describes.
type dictionary struct {
	*commonWords
	*headingWords
	*dateWords
	*contactWords
	*nameWords
	*jobWords
	*degreeWords
	*placeWords
	*languageWords
	*entryWords
	*skillWords
	*instructionWords
}

// commonWords are words of running text that readers of several fields need.
type commonWords struct {
	joiners       set // words such as "and"
	functionWords set
}

// headingWords are words of headings.
type headingWords struct {
	*commonWords

	headings                 map[string]kind
	compact                  map[string]kind   // headings without their spaces
	headingLanguages         map[string]string // the language of a heading, "" if several languages have it
	headingsAtTop, modifiers set
	weak                     set // headings that are also ordinary words
	openHeadings             set // of skills or of degrees, as the section tells
}

// dateWords are words of dates and durations.
type dateWords struct {
	*commonWords

	months                     map[string]int
	monthOf, quarters, seasons set
	since, openSince, until    set
	present, expected          set
	timeUnits                  set
	dateCharacters             string
}

// contactWords are words around contact details.
type contactWords struct {
	labels    map[string]string // "phone" by "tel"
	furigana  set               // labels of how a name is spoken
	faxes     []string
	mailboxes set // of organizations: "info"
}

// nameWords are words in and around the names of people.
type nameWords struct {
	honorifics, particles, notInNames     set
	givenNames, credentials, nameSuffixes set
}

// jobWords are words of job titles and employers.
type jobWords struct {
	titles, organizations, schools vocabulary
	seniority, legal, contracts    set
	employerAfter                  []string // phrases before an employer: " at "
	employerWords                  set      // "Company Name", as in templates and anonymized resumes
}

// degreeWords are words of degrees, fields of study and grades.
type degreeWords struct {
	*jobWords

	subjects                          vocabulary
	degrees, grades                   set
	degreesInside, degreeSuffixes     []string // in scripts without spaces
	degreeField, degreeName, fieldsIn []string
}

// placeWords are names and words of places.
type placeWords struct {
	*degreeWords

	countries     map[string]string // ISO 3166 codes by the names of countries
	regions       map[string]string // and by other names of countries, and the names of their parts
	cities        map[string]string // and by the names of cities, "" for a city of several countries
	remote        set
	townWords     set // "City", as in "City, State" of templates and anonymized resumes
	regionWords   set // and "State"
	placeSuffixes []string
}

// languageWords are names of human languages and of their levels.
type languageWords struct {
	*commonWords

	spoken         map[string]string // the English name of a language by its names
	common         set               // English names of languages with a code of two letters
	native, levels set
	levelWords     set // the words of both, and others around them
	speaks         set // phrases before a language that the person speaks
}

// entryWords are words of certifications and publications.
type entryWords struct {
	certifications, publications            vocabulary
	issuedBy                                []string // phrases between a certification and its issuer
	issued, expires, credentialIDs, issuers set      // words before the dates, the number and the issuer of a certification
	publishers                              []string // words before the publisher of a publication, in lower case
}

// skillWords are words of lists of skills.
type skillWords struct {
	skillGroups, skillLeads, skillLevels, notSkills set
	employerBefore                                  set // words that make the name after them an employer
}

// instructionWords are words of instructions to a language model.
type instructionWords struct {
	acts, objects, phrases []string
}

// newDictionary reads the data files. It panics if a file is malformed or has an unknown list.
func newDictionary() *dictionary {
	l, languages := readLists()
	commonLists := &commonWords{
		joiners:       l.set("joiner"),
		functionWords: l.set("function-word"),
	}
	headingLists := &headingWords{
		commonWords:   commonLists,
		headingsAtTop: l.set("heading-at-top"),
		modifiers:     l.set("modifier"),
		weak:          l.set("weak"),
		openHeadings:  l.set("skills-or-degrees"),
	}
	dateLists := &dateWords{
		commonWords:    commonLists,
		monthOf:        l.set("month-of"),
		quarters:       l.set("quarter"),
		seasons:        l.set("season"),
		since:          l.set("since"),
		openSince:      l.set("since-open"),
		until:          l.set("until"),
		present:        l.set("present"),
		expected:       l.set("expected"),
		timeUnits:      l.set("time-unit"),
		dateCharacters: strings.Join(l.items("date-character"), ""),
	}
	contactLists := &contactWords{
		labels:    l.secondWords("label"),
		furigana:  l.set("furigana"),
		faxes:     l.keys("fax"),
		mailboxes: setOf(l.items("mailbox")),
	}
	nameLists := &nameWords{
		honorifics:   setOf(l.items("honorific")),
		particles:    setOf(l.items("name-particle")),
		notInNames:   l.set("not-in-name"),
		givenNames:   l.set("given-name"),
		credentials:  l.set("credential"),
		nameSuffixes: l.set("suffix-of-name"),
	}
	jobLists := &jobWords{
		titles:        l.vocabulary("title"),
		organizations: l.vocabulary("organization"),
		schools:       l.vocabulary("school"),
		seniority:     l.set("seniority"),
		legal:         l.set("legal"),
		contracts:     l.set("contract"),
		employerAfter: l.phrases("employer-after"),
		employerWords: l.set("employer-word"),
	}
	degreeLists := &degreeWords{
		jobWords:       jobLists,
		subjects:       l.vocabulary("subject"),
		degrees:        l.set("degree"),
		grades:         l.set("grade"),
		degreesInside:  l.items("degree-inside"),
		degreeSuffixes: l.items("degree-suffix"),
		degreeField:    l.items("degree-field"),
		degreeName:     l.items("degree-name"),
		fieldsIn:       l.phrases("field-in"),
	}
	placeLists := &placeWords{
		degreeWords:   degreeLists,
		regions:       l.secondWords("region"),
		cities:        l.secondWords("city"),
		remote:        l.set("remote"),
		townWords:     l.set("town-word"),
		regionWords:   l.set("region-word"),
		placeSuffixes: l.items("place-suffix"),
	}
	languageLists := &languageWords{
		commonWords: commonLists,
		native:      l.set("native"),
		levels:      l.set("level"),
		speaks:      l.set("speaks"),
	}
	entryLists := &entryWords{
		certifications: l.vocabulary("certification"),
		publications:   l.vocabulary("publication"),
		issuedBy:       l.phrases("issued-by"),
		issued:         l.set("issued"),
		expires:        l.set("expires"),
		credentialIDs:  l.set("credential-number"),
		issuers:        l.set("issuer"),
		publishers:     l.items("publisher"),
	}
	skillLists := &skillWords{
		skillGroups:    l.set("skill-group"),
		skillLeads:     l.set("skill-lead"),
		skillLevels:    l.set("skill-level"),
		notSkills:      l.set("not-skill"),
		employerBefore: l.set("employer-mention"),
	}
	instructionLists := &instructionWords{
		acts:    l.keys("instruction-act"),
		objects: l.keys("instruction-object"),
		phrases: l.keys("instruction-phrase"),
	}
	d := &dictionary{
		commonWords:      commonLists,
		headingWords:     headingLists,
		dateWords:        dateLists,
		contactWords:     contactLists,
		nameWords:        nameLists,
		jobWords:         jobLists,
		degreeWords:      degreeLists,
		placeWords:       placeLists,
		languageWords:    languageLists,
		entryWords:       entryLists,
		skillWords:       skillLists,
		instructionWords: instructionLists,
	}

	d.levelWords = wordsOf(d.native, d.levels, l.set("level-word"))
	d.readHeadings(l)
	d.readMonths(l)
	d.readNames(l, languages)

	for _, city := range l.items("city") { // of several countries
		d.cities[key(city)] = ""
	}

	if len(l) > 0 {
		panic(fmt.Sprintf("data files: unknown lists %q", slices.Sorted(maps.Keys(l))))
	}

	return d
}

// wordsOf returns the words of phrases.
func wordsOf(phrases ...set) set {
	words := make(set)
	for _, all := range phrases {
		for phrase := range all {
			for word := range strings.FieldsSeq(phrase) {
				words[word] = true
			}
		}
	}
	return words
}

// readHeadings reads the headings. If several kinds of sections share a heading, it belongs to the first of kinds.
func (d *dictionary) readHeadings(l lists) {
	d.headings, d.compact, d.headingLanguages = make(map[string]kind), make(map[string]kind), make(map[string]string)
	for _, kind := range kinds {
		for _, list := range l.take("heading " + string(kind)) {
			base, _ := list.language.Base()
			for _, item := range list.items {
				k := key(item)
				if d.headings[k] == "" {
					d.headings[k] = kind
					d.compact[strings.ReplaceAll(k, " ", "")] = kind
				}
				if code, ok := d.headingLanguages[k]; ok && code != base.String() {
					d.headingLanguages[k] = ""
				} else {
					d.headingLanguages[k] = base.String()
				}
			}
		}
	}
}

// readMonths reads the names of the twelve months, each with its short forms.
func (d *dictionary) readMonths(l lists) {
	d.months = make(map[string]int)
	for _, list := range l.take("months") {
		for i, names := range list.items {
			for name := range strings.SplitSeq(names, ",") {
				d.months[key(name)] = i + 1
			}
		}
	}
}

// readNames reads the names of countries and languages from CLDR, in every language that has a data file, and the other
// names of languages from those files.
func (d *dictionary) readNames(l lists, languages []language.Tag) {
	d.countries, d.spoken, d.common = make(map[string]string), make(map[string]string), make(set)
	inEnglish := display.English.Languages()
	bases := append([]language.Base(nil), display.Supported.BaseLanguages()...)
	for _, base := range language.Supported.BaseLanguages() { // thousands, most of them without a name in CLDR
		if len(base.String()) == 2 {
			bases = append(bases, base)
		}
	}

	for _, tag := range languages {
		regionNames := display.Regions(tag)
		languageNames := display.Languages(tag)

		for _, region := range language.Supported.Regions() {
			name := key(regionNames.Name(region))
			if region.IsCountry() && name != "" && d.countries[name] == "" {
				d.countries[name] = region.Canonicalize().String() // East Germany is called Deutschland, too
			}
		}

		for _, base := range bases {
			if t, err := language.Compose(base); err == nil {
				d.addSpoken(languageNames.Name(t), inEnglish.Name(t), base)
			}
		}
	}

	for _, base := range display.Supported.BaseLanguages() { // what languages call themselves
		if t, err := language.Compose(base); err == nil {
			d.addSpoken(display.Self.Name(t), inEnglish.Name(t), base)
		}
	}

	for _, item := range l.items("language-name") {
		name, english, _ := strings.Cut(item, "=")
		d.spoken[key(name)] = english
		d.common[english] = true
	}
}

// addSpoken adds a name of a language. Languages without a code of two letters are rare, and their shortest names are
// often ordinary words.
func (d *languageWords) addSpoken(name, english string, base language.Base) {
	const minRare = 4 // characters
	k := key(name)
	common := len(base.String()) == 2
	if utf8.RuneCountInString(k) < 2 || english == "" || !common && utf8.RuneCountInString(k) < minRare && !wide(k) {
		return
	}
	if d.spoken[k] == "" {
		d.spoken[k] = english
	}
	if common {
		d.common[english] = true
	}
}

// A vocabulary is a set of words that may also match a part of a longer word.
type vocabulary struct {
	words set
	ends  []string // ends of words
	parts []string // parts of words, in scripts without spaces
}

// has reports whether a word belongs to the vocabulary.
func (v *vocabulary) has(word string) bool {
	if v.words[word] || len(word) > 3 && v.words[strings.TrimSuffix(word, "s")] {
		return true
	}
	if slices.ContainsFunc(v.ends, func(end string) bool { return strings.HasSuffix(word, end) }) {
		return true
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
