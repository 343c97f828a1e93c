package makers

import (
	"embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
)

//go:embed words
var wordFiles embed.FS

// languages returns the languages that have a file of words.
func languages() []string { return []string{"en", "de", "fr", "es", "it"} }

// words are what documents of one language are made of.
type words struct {
	Given, Family, Cities        []string
	Titles, Stems, Forms         []string // of jobs; the starts and the ends of the names of employers
	Schools, Degrees, Fields     []string
	Starts, Middles, Ends        []string // of sentences about tasks
	Summaries, Abouts            []string
	Subheads, Tools, Notes       []string            // in entries
	Headings                     map[string][]string // by kind of section
	TitleLines, Groups, Personal []string
	Traits, Courses              []string
	Months, Short, Present       []string
	Labels                       map[string]string
	At, Years                    string
	MonthsWord                   string `json:"months_word"`

	Spoken, Certificates, Papers, Prizes, Hobbies, Refs []string
}

func wordsOf(language string) (*words, error) {
	file, err := wordFiles.ReadFile(path.Join("words", language+".json"))
	if err != nil {
		return nil, fmt.Errorf("no words for the language %q", language)
	}
	w := &words{}
	if err := json.Unmarshal(file, w); err != nil {
		return nil, fmt.Errorf("read the words for %q: %w", language, err)
	}
	return w, nil
}

// An inventor invents a document.
type inventor struct {
	*words
	*rand.Rand
	dateStyle  int
	titles     []string // in the order in which the document uses them
	hosts      []string
	skillNames []string
}

func (v *inventor) chance(p float64) bool { return v.Float64() < p }

func (v *inventor) pick(list []string) string { return list[v.IntN(len(list))] }

// shuffled returns a list in an order of its own.
func (v *inventor) shuffled(list []string) []string {
	list = slices.Clone(list)
	v.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// takeFrom returns the first item of a list, and moves it to the end.
func takeFrom(list *[]string) string {
	item := (*list)[0]
	*list = append((*list)[1:], item)
	return item
}

// invent invents a document. The same seed gives the same document.
func invent(language string, seed uint64) (*document, error) {
	w, err := wordsOf(language)
	if err != nil {
		return nil, err
	}

	ofLanguage := uint64(language[0])<<8 | uint64(language[1])
	v := &inventor{words: w, Rand: rand.New(rand.NewPCG(seed, ofLanguage))} //nolint:gosec // repeatable on purpose
	v.dateStyle = v.IntN(numDateStyles)
	v.titles = v.shuffled(w.Titles)
	v.hosts = v.shuffled(w.Stems)
	for i := range v.hosts {
		v.hosts[i] = strings.TrimSpace(v.hosts[i] + " " + v.pick(w.Forms))
	}
	v.skillNames = v.shuffled([]string{
		"Go", "Python", "PostgreSQL", "Docker", "Kubernetes", "SAP", "Excel", "React", "TypeScript", "AutoCAD",
		"Photoshop", "SQL", "Tableau", "Jira", "Scrum", "Kaizen", "Terraform", "Linux", "InDesign", "SPSS", "C#", "Figma",
	})

	given, family := v.pick(w.Given), v.pick(w.Family)
	d := &document{
		Language: language,
		Name:     given + " " + family,
		JobTitle: takeFrom(&v.titles),
		Email:    asciiLetters(given) + "." + asciiLetters(family) + "@example.org",
		Phone:    fmt.Sprintf("+44 20 7946 09%02d", v.IntN(100)),
		Place:    v.pick(w.Cities),
		Look:     v.look(),
		Labels:   w.Labels,
		At:       w.At,
	}
	if v.chance(.2) {
		d.TitleLine = v.pick(w.TitleLines)
	}
	if v.chance(.2) {
		d.Personal = w.Personal[:1+v.IntN(len(w.Personal))]
	}

	d.Sections = v.sections()
	for i := range d.Sections {
		d.Sections[i].Heading = v.pick(w.Headings[d.Sections[i].Kind])
	}

	return d, nil
}

func asciiLetters(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return -1
	}, strings.ToLower(text))
}

func (v *inventor) look() look {
	l := look{
		Size:        9 + float64(v.IntN(5))/2,
		HeadingSize: []float64{1, 1.15, 1.3, 1.5}[v.IntN(4)],
		Gap:         []float64{0, .4, .8, 1.2}[v.IntN(4)],
		Serif:       v.chance(.35),
		Upper:       v.chance(.4),
		BoldHeading: v.chance(.75),
		Rule:        v.chance(.4),
		Color:       v.chance(.4),
		BoldLead:    v.chance(.6),
		BoldHost:    v.chance(.3),
		EmptyLines:  v.chance(.8),
	}

	// Nobody writes headings that nothing distinguishes from text.
	if !l.BoldHeading && l.HeadingSize == 1 {
		l.Upper = true
	}
	return l
}

// sections invents the sections of a document, in an order of its own and without their headings.
func (v *inventor) sections() []section {
	jobs := section{Kind: "experience", Entries: v.positions()}
	studies := section{Kind: "education", Entries: v.degrees()}
	skills := v.skills()

	// Some people put what they studied, or what they know, before their jobs.
	all := []section{jobs, studies, skills}
	switch v.IntN(5) {
	case 0:
		all = []section{studies, jobs, skills}
	case 1:
		all = []section{skills, jobs, studies}
	}

	if v.chance(.7) {
		text := v.pick(v.Summaries)
		if v.chance(.3) {
			text += " " + strings.Join(v.tasks(2), " ")
		}
		all = slices.Insert(all, 0, section{Kind: "summary", Text: text})
	}

	// Most documents have a few more sections, mostly at the end.
	for _, extra := range []struct {
		share float64
		section
	}{
		{.6, v.list("languages", v.Spoken, 4)},
		{.4, v.list("certifications", v.Certificates, 3)},
		{.35, section{Kind: "projects", Entries: v.projects()}},
		{.25, v.list("publications", v.Papers, 3)},
		{.2, section{Kind: "volunteer", Entries: v.volunteering()}},
		{.25, v.list("awards", v.Prizes, 3)},
		{.3, v.list("interests", v.Hobbies, 1)},
		{.15, v.list("references", v.Refs, 1)},
		{.3, v.list("other", v.Traits, 6)}, // "Highlights"
	} {
		if v.chance(extra.share) {
			at := max(1, len(all)-v.IntN(4))
			all = slices.Insert(all, at, extra.section)
		}
	}

	return all
}

// list returns a section with up to most items.
func (v *inventor) list(kind string, from []string, most int) section {
	items := v.shuffled(from)
	return section{Kind: kind, Items: items[:min(len(items), 1+v.IntN(most))], Lines: v.chance(.4)}
}

// skills returns a section with a list of skills, which may be divided into groups.
func (v *inventor) skills() section {
	s := section{Kind: "skills", Items: v.skillNames[:4+v.IntN(8)]}
	switch v.IntN(4) {
	case 0:
		items := s.Items
		s.Items, s.Lines = nil, true
		for i := 0; i+1 < len(items); i += 2 {
			group := v.Groups[i/2%len(v.Groups)]
			s.Items = append(s.Items, group+": "+strings.Join(items[i:i+2], ", "))
		}
	case 1:
		s.Items = append(slices.Clone(s.Items), v.Traits[:2]...)
	case 2:
		s.Lines = true
	}
	return s
}

// positions invents positions, the latest first.
func (v *inventor) positions() []entry {
	const now = 2026*12 + 5 // June 2026
	end := now
	employed := v.chance(.8)
	if !employed {
		end -= 3 + v.IntN(20)
	}

	// What a document does in one entry it does in most of them.
	capitals, promotions, prose := v.chance(.15), v.chance(.3), v.chance(.3)
	places, abouts := v.chance(.5), v.chance(.2)
	subheads, tools := v.chance(.25), v.chance(.2)

	var all []entry
	for range 2 + v.IntN(5) {
		start := end - 4 - v.IntN(50)
		e := entry{Lead: takeFrom(&v.titles), Host: takeFrom(&v.hosts), Current: employed && len(all) == 0}
		e.Total = fmt.Sprintf("%d %s %d %s", 1+v.IntN(9), v.Years, 1+v.IntN(10), v.MonthsWord)
		if capitals {
			e.Lead = strings.ToUpper(e.Lead)
		}
		if places {
			e.Place = v.pick(v.Cities)
		}
		if abouts && v.chance(.7) {
			e.About = v.pick(v.Abouts)
		}

		// Layouts differ in whether they repeat the employer.
		if len(all) > 0 && promotions && v.chance(.4) {
			last := all[len(all)-1]
			e.Host, e.Place, e.Total, e.About, e.SameHost = last.Host, last.Place, "", "", true
		}

		v.setDates(&e, start, end)
		e.Blocks = v.blocks(prose, subheads, tools)
		all = append(all, e)
		end = start - v.IntN(5)
	}

	return all
}

// blocks invents the description of a position.
func (v *inventor) blocks(prose, subheads, tools bool) []block {
	if v.chance(.1) {
		return nil
	}
	all := []block{{Tasks: v.tasks(1 + v.IntN(4)), Prose: prose}}
	if subheads && v.chance(.6) {
		all = append(all, block{Heading: v.pick(v.Subheads), Tasks: v.tasks(1 + v.IntN(3)), Prose: prose})
	}
	if tools {
		all[len(all)-1].Tools = v.pick(v.Tools) + ": " + strings.Join(v.skillNames[:3], ", ")
	}
	return all
}

// degrees invents degrees, the latest first.
func (v *inventor) degrees() []entry {
	fields, notes, places, years := v.chance(.7), v.chance(.35), v.chance(.25), v.chance(.3)
	schools, names := v.shuffled(v.Schools), v.shuffled(v.Degrees)
	end := 2012*12 + 6 + v.IntN(60)
	var all []entry
	for range 1 + v.IntN(3) {
		start := end - 20 - v.IntN(30)
		e := entry{Lead: takeFrom(&names), Host: takeFrom(&schools)}
		if fields && v.chance(.8) {
			e.Field = v.pick(v.Fields)
		}
		if places {
			e.Place = v.pick(v.Cities)
		}
		if notes && v.chance(.7) {
			e.Note = v.pick(v.Notes)
		}
		if notes && v.chance(.4) {
			e.Blocks = []block{{Tasks: v.Courses[:1+v.IntN(len(v.Courses))]}}
		}

		// Many degrees have the year of the end only.
		v.setDates(&e, start, end)
		if years {
			e.Start = ""
			e.End = fmt.Sprint(end / 12)
			e.Dates = e.End
		}
		all = append(all, e)
		end = start - v.IntN(4)
	}
	return all
}

func (v *inventor) projects() []entry {
	var all []entry
	for range 1 + v.IntN(3) {
		e := entry{Lead: v.pick(v.Stems) + v.pick([]string{" Atlas", " Board", " 2.0", " App", " Index"})}
		if v.chance(.5) {
			v.setDates(&e, 2019*12+v.IntN(30), 2022*12+v.IntN(20))
		}
		e.Blocks = []block{{Tasks: v.tasks(1 + v.IntN(2))}}
		all = append(all, e)
	}
	return all
}

func (v *inventor) volunteering() []entry {
	e := entry{Lead: takeFrom(&v.titles), Host: takeFrom(&v.hosts)}
	v.setDates(&e, 2010*12+v.IntN(30), 2014*12+v.IntN(20))
	if v.chance(.5) {
		e.Blocks = []block{{Tasks: v.tasks(1)}}
	}
	return []entry{e}
}

// tasks invents n sentences about tasks.
func (v *inventor) tasks(n int) []string {
	var all []string
	for range n {
		text := v.pick(v.Starts)
		if v.chance(.8) {
			text += " " + v.pick(v.Middles)
		}
		if v.chance(.7) {
			text += " " + v.pick(v.Ends)
		}
		all = append(all, text)
	}
	return all
}

// Documents write months in numDateStyles ways, of which yearsOnly omits the month.
const (
	yearsOnly     = 3
	numDateStyles = 8
)

// setDates sets the dates of an entry. Months are counted from January of year 0.
func (v *inventor) setDates(e *entry, start, end int) {
	e.Start = v.date(start)
	last := v.pick(v.Present)
	if !e.Current {
		e.End = v.date(end)
		last = v.written(end)
	}
	dashes := []string{" – ", " - ", "–", " — "}
	e.Dates = v.written(start) + dashes[v.dateStyle%len(dashes)] + last
}

// date returns a month as precisely as the document writes it.
func (v *inventor) date(month int) string {
	if v.dateStyle == yearsOnly {
		return fmt.Sprintf("%04d", month/12)
	}
	return fmt.Sprintf("%04d-%02d", month/12, month%12+1)
}

// written returns a month as the document writes it.
func (v *inventor) written(month int) string {
	year := month / 12
	month %= 12
	switch v.dateStyle {
	case 0, 1:
		return fmt.Sprintf("%s %d", v.Short[month], year)
	case 2:
		return fmt.Sprintf("%s %d", v.Months[month], year)
	case yearsOnly:
		return fmt.Sprint(year)
	case 4:
		return fmt.Sprintf("%02d.%d", month+1, year)
	case 5:
		return fmt.Sprintf("%d-%02d", year, month+1)
	default:
		return fmt.Sprintf("%02d/%d", month+1, year)
	}
}
