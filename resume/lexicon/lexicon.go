package lexicon

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/freelancer-matching/service/internal/wordbook"
	"github.com/freelancer-matching/service/resume/wording"
)

// A Lexicon holds the words by which fields are recognized, in all languages together, by subject. It is read-only.
// Most of its fields are lists of the data files, which data/README.md describes.
type Lexicon struct {
	*commonWords
	*HeadingWords
	*DateWords
	*contactWords
	*nameWords
	*jobWords
	*activityWords
	*degreeWords
	*placeWords
	*languageWords
	*entryWords
	*skillWords
	*InstructionWords
}

// commonWords are words of running text that readers of several fields need.
type commonWords struct {
	Joiners       Set // words such as "and"
	FunctionWords Set
}

// HeadingWords are words of headings.
type HeadingWords struct {
	*commonWords

	Headings                 map[string]Kind
	compact                  map[string]Kind   // headings without their spaces
	HeadingLanguages         map[string]string // the language of a heading, "" if several languages have it
	HeadingsAtTop, modifiers Set
	weak                     Set // headings that are also ordinary words
	OpenHeadings             Set // of skills or of degrees, as the section tells
}

// DateWords are words of dates and durations.
type DateWords struct {
	*commonWords

	Months                     map[string]int
	MonthOf, Quarters, Seasons Set
	Since, OpenSince, Until    Set
	OpenUntil, Onward          Set // around a date without a start, or without an end
	Present, Expected          Set
	TimeUnits                  Set
	DateCharacters             string
}

// contactWords are words around contact details.
type contactWords struct {
	Labels    map[string]string // "phone" by "tel"
	Furigana  Set               // labels of how a name is spoken
	Faxes     []string
	Mailboxes Set        // of organizations: "info"
	streets   vocabulary // last words of streets, and first words
	streetsOf vocabulary
	facts     Set // personal facts without a label: "married", "0 children" for any number of them
}

// nameWords are words in and around the names of people.
type nameWords struct {
	Honorifics, Particles, NotInNames     Set
	GivenNames, Credentials, NameSuffixes Set
}

// jobWords are words of job titles and employers.
type jobWords struct {
	Titles, Organizations, Schools vocabulary
	Seniority, Legal, Contracts    Set
	Departments                    Set      // of companies: "HR"
	EmployerAfter                  []string // phrases before an employer: " at "
	EmployerWithin                 []string // and before an employer or a part of one: " im "
	EmployerWords                  Set      // "Company Name", as in templates and anonymized resumes
	seeking                        []string // phrases of people who want a job
}

// activityWords are words of texts that look like jobs or job titles and are none.
type activityWords struct {
	*jobWords

	activities, members, governing Set
	bodies                         vocabulary // what people are members of
	greetings                      Set
	pronouns                       Set // as written
}

// degreeWords are words of degrees, fields of study and grades.
type degreeWords struct {
	*jobWords

	Subjects                          vocabulary
	Degrees, Grades                   Set
	degreesInside, degreeSuffixes     []string // in scripts without spaces
	DegreeField, degreeName, fieldsIn []string
}

// placeWords are names and words of places.
type placeWords struct {
	*degreeWords

	Countries     map[string]string // ISO 3166 codes by the names of countries
	Regions       map[string]string // and by other names of countries, and the names of their parts
	Cities        map[string]string // and by the names of cities, "" for a city of several countries
	Remote        Set
	towns         vocabulary // endings of the names of towns: "heim"
	townWords     Set        // "City", as in "City, State" of templates and anonymized resumes
	regionWords   Set        // and "State"
	placeSuffixes []string
}

// languageWords are names of human languages and of their levels.
type languageWords struct {
	*commonWords

	Spoken         map[string]string // the English name of a language by its names
	Common         Set               // English names of languages with a code of two letters
	Native, Levels Set
	LevelWords     Set // the words of both, and others around them
	Speaks         Set // phrases before a language that the person speaks
}

// entryWords are words of certifications and publications.
type entryWords struct {
	Certifications, Publications vocabulary
	IssuedBy                     []string // phrases between a certification and its issuer
	// Words before the dates, the number and the issuer of a certification.
	Issued, Expires, CredentialIDs, Issuers Set

	Publishers []string // words before the publisher of a publication, in lower case
}

// skillWords are words of lists of skills.
type skillWords struct {
	SkillGroups, SkillLeads, SkillLevels, NotSkills Set
	EmployerBefore                                  Set // words that make the name after them an employer
}

// InstructionWords are words of instructions to a language model.
type InstructionWords struct {
	Acts, objects, Phrases []string
}

// New reads the data files. It panics if a file is malformed or has an unknown list.
func New() *Lexicon {
	l := readLists()
	commonLists := &commonWords{
		Joiners:       l.set("joiner"),
		FunctionWords: l.set("function-word"),
	}
	headingLists := &HeadingWords{
		commonWords:   commonLists,
		HeadingsAtTop: l.set("heading-at-top"),
		modifiers:     l.set("modifier"),
		weak:          l.set("weak"),
		OpenHeadings:  l.set("skills-or-degrees"),
	}
	dateLists := &DateWords{
		commonWords:    commonLists,
		MonthOf:        bookSet(wordbook.MonthOf),
		Quarters:       l.set("quarter"),
		Seasons:        l.set("season"),
		Since:          l.set("since"),
		OpenSince:      l.set("since-open"),
		Until:          l.set("until"),
		OpenUntil:      l.set("until-open"),
		Onward:         l.set("onward"),
		Present:        l.set("present"),
		Expected:       l.set("expected"),
		TimeUnits:      l.set("time-unit"),
		DateCharacters: strings.Join(l.items("date-character"), ""),
	}
	contactLists := &contactWords{
		Labels:    l.secondWords("label"),
		Furigana:  l.set("furigana"),
		Faxes:     l.keys("fax"),
		Mailboxes: SetOf(l.items("mailbox")),
		streets:   l.vocabulary("street"),
		streetsOf: l.vocabulary("street-first"),
		facts:     l.set("personal-fact"),
	}
	nameLists := &nameWords{
		Honorifics:   SetOf(l.items("honorific")),
		Particles:    SetOf(l.items("name-particle")),
		NotInNames:   l.set("not-in-name"),
		GivenNames:   l.set("given-name"),
		Credentials:  l.set("credential"),
		NameSuffixes: l.set("suffix-of-name"),
	}
	jobLists := &jobWords{
		Titles:         l.vocabulary("title"),
		Organizations:  l.vocabulary("organization"),
		Schools:        l.vocabulary("school"),
		Seniority:      l.set("seniority"),
		Legal:          l.set("legal"),
		Contracts:      l.set("contract"),
		EmployerAfter:  l.phrases("employer-after"),
		EmployerWithin: l.phrases("employer-within"),
		EmployerWords:  l.set("employer-word"),
		Departments:    l.set("department"),
		seeking:        l.keys("job-seeking"),
	}
	activityLists := &activityWords{
		jobWords:   jobLists,
		activities: l.set("activity"),
		members:    l.set("member"),
		governing:  l.set("governing"),
		bodies:     l.vocabulary("body"),
		greetings:  l.set("greeting"),
		pronouns:   SetOf(l.items("pronoun")),
	}
	degreeLists := &degreeWords{
		jobWords:       jobLists,
		Subjects:       l.vocabulary("subject"),
		Degrees:        l.set("degree"),
		Grades:         l.set("grade"),
		degreesInside:  l.items("degree-inside"),
		degreeSuffixes: l.items("degree-suffix"),
		DegreeField:    l.items("degree-field"),
		degreeName:     l.items("degree-name"),
		fieldsIn:       l.phrases("field-in"),
	}
	placeLists := &placeWords{
		degreeWords:   degreeLists,
		Regions:       l.secondWords("region"),
		Cities:        l.secondWords("city"),
		Remote:        l.set("remote"),
		towns:         l.vocabulary("town"),
		townWords:     l.set("town-word"),
		regionWords:   l.set("region-word"),
		placeSuffixes: l.items("place-suffix"),
	}
	languageLists := &languageWords{
		commonWords: commonLists,
		Native:      l.set("native").with(bookSet(wordbook.Native)),
		Levels:      l.set("level").with(bookSet("A1", "A2", "B1", "B2", "C1", "C2")),
		Speaks:      l.set("speaks"),
	}
	entryLists := &entryWords{
		Certifications: l.vocabulary("certification"),
		Publications:   l.vocabulary("publication"),
		IssuedBy:       l.phrases("issued-by"),
		Issued:         l.set("issued"),
		Expires:        l.set("expires"),
		CredentialIDs:  l.set("credential-number"),
		Issuers:        l.set("issuer"),
		Publishers:     l.items("publisher"),
	}
	skillLists := &skillWords{
		SkillGroups:    l.set("skill-group"),
		SkillLeads:     l.set("skill-lead"),
		SkillLevels:    l.set("skill-level"),
		NotSkills:      l.set("not-skill"),
		EmployerBefore: l.set("employer-mention"),
	}
	instructionLists := &InstructionWords{
		Acts:    l.keys("instruction-act"),
		objects: l.keys("instruction-object"),
		Phrases: l.keys("instruction-phrase"),
	}
	d := &Lexicon{
		commonWords:      commonLists,
		HeadingWords:     headingLists,
		DateWords:        dateLists,
		contactWords:     contactLists,
		nameWords:        nameLists,
		jobWords:         jobLists,
		activityWords:    activityLists,
		degreeWords:      degreeLists,
		placeWords:       placeLists,
		languageWords:    languageLists,
		entryWords:       entryLists,
		skillWords:       skillLists,
		InstructionWords: instructionLists,
	}

	d.LevelWords = wordsOf(d.Native, d.Levels, l.set("level-word"))
	d.readHeadings(l)
	d.readMonths()
	d.readNames(l)

	for _, city := range l.items("city") { // of several countries
		d.Cities[wording.Key(city)] = ""
	}

	if len(l) > 0 {
		panic(fmt.Sprintf("data files: unknown lists %q", slices.Sorted(maps.Keys(l))))
	}

	return d
}

// wordsOf returns the words of phrases.
func wordsOf(phrases ...Set) Set {
	words := make(Set)
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
func (d *Lexicon) readHeadings(l lists) {
	d.Headings, d.compact, d.HeadingLanguages = make(map[string]Kind), make(map[string]Kind), make(map[string]string)
	for _, kind := range kinds {
		for _, list := range l.take("heading " + string(kind)) {
			base, _ := list.language.Base()
			for _, item := range list.items {
				k := wording.Key(item)
				if d.Headings[k] == "" {
					d.Headings[k] = kind
					d.compact[strings.ReplaceAll(k, " ", "")] = kind
				}
				if code, ok := d.HeadingLanguages[k]; ok && code != base.String() {
					d.HeadingLanguages[k] = ""
				} else {
					d.HeadingLanguages[k] = base.String()
				}
			}
		}
	}
}

// readMonths reads the names of the twelve months from the word book.
func (d *Lexicon) readMonths() {
	d.Months = make(map[string]int)
	for _, list := range bookLists() {
		if list.Name == wordbook.Months {
			for name, number := range list.MonthNames {
				d.Months[wording.Key(name)] = number
			}
		}
	}
}

// readNames reads the names of countries and languages from CLDR, in every language of the word book, and the other
// names from the word book and the data files.
func (d *Lexicon) readNames(l lists) {
	d.Countries, d.Spoken, d.Common = make(map[string]string), make(map[string]string), make(Set)
	inEnglish := display.English.Languages()
	bases := append([]language.Base(nil), display.Supported.BaseLanguages()...)
	for _, base := range language.Supported.BaseLanguages() { // thousands, most of them without a name in CLDR
		if len(base.String()) == 2 {
			bases = append(bases, base)
		}
	}

	for _, tag := range wordbook.Languages() {
		regionNames := display.Regions(tag)
		languageNames := display.Languages(tag)

		for _, region := range language.Supported.Regions() {
			name := wording.Key(regionNames.Name(region))
			isNew := name != "" && d.Countries[name] == ""
			if isNew && region.IsCountry() {
				d.Countries[name] = region.Canonicalize().String() // East Germany is called Deutschland, too
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

	for _, list := range bookLists() {
		code, isCountry := strings.CutPrefix(list.Name, wordbook.CountryPrefix)
		tag, isLanguage := strings.CutPrefix(list.Name, wordbook.LanguagePrefix)

		for _, name := range list.Items {
			switch k := wording.Key(name); {
			case isCountry:
				d.Regions[k] = code
			case isLanguage:
				// A resume names a language without its region: American English is English.
				base, _ := language.MustParse(tag).Base()
				english := inEnglish.Name(language.MustParse(base.String()))
				if english == "" { // rare, and without a name in CLDR
					continue
				}
				if d.Spoken[k] == "" {
					d.Spoken[k] = english
				}
				d.Common[d.Spoken[k]] = true
			}
		}
	}

	for _, item := range l.items("language-name") {
		name, english, _ := strings.Cut(item, "=")
		d.Spoken[wording.Key(name)] = english
		d.Common[english] = true
	}
}
