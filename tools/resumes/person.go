package resumes

import (
	"embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A person is an invented person: the truth by which the fields of a parser are judged. Dates are YYYY-MM or YYYY, as
// in resume.Resume. If a resume writes a field in another form, a field called …Written has that form.
type person struct {
	Language       string          `json:"language"`
	Name           string          `json:"name"`
	JobTitle       string          `json:"job_title"`
	Email          string          `json:"email"`
	Phone          string          `json:"phone"` // E.164
	PhoneWritten   string          `json:"phone_written"`
	Location       string          `json:"location"`
	Links          []string        `json:"links"`
	Summary        string          `json:"summary"`
	DateStyle      string          `json:"date_style"`
	Experience     []position      `json:"experience"`
	Years          float64         `json:"experience_years"` // overlaps count once; 0: the resume has no months
	Education      []degree        `json:"education"`
	Skills         []string        `json:"skills"`
	Languages      []spoken        `json:"languages"`
	Certifications []certification `json:"certifications"`
}

type position struct {
	Title   string   `json:"title"`
	Company string   `json:"company"`
	Start   string   `json:"start"`
	End     string   `json:"end,omitempty"`
	Current bool     `json:"current,omitempty"`
	Written string   `json:"dates_written"`
	Tasks   []string `json:"tasks"`
}

type degree struct {
	Degree      string `json:"degree"`
	Field       string `json:"field"`
	Institution string `json:"institution"`
	Start       string `json:"start"`
	End         string `json:"end"`
	Written     string `json:"dates_written"`
}

type spoken struct {
	Name         string `json:"name"` // in English
	Level        string `json:"level"`
	Written      string `json:"written"`
	LevelWritten string `json:"level_written"`
}

type certification struct {
	Name   string `json:"name"`
	Issuer string `json:"issuer"`
	Date   string `json:"date"`
}

//go:embed words
var wordFiles embed.FS

// words are what people of one language are made of. A pair of lists has the starts and the ends of names.
type words struct {
	Given        [2][]string `json:"given"`
	Family       [2][]string `json:"family"`
	FamilyFirst  bool        `json:"family_first"` // family name first, without a space
	Romaji       []string    `json:"romaji"`       // names for addresses, in Latin letters
	Company      [][]string  `json:"company"`
	CompanyForms []string    `json:"company_forms"`
	Cities       []struct {
		Name    string   `json:"name"`
		Schools []string `json:"schools"` // of the higher degree, then of the lower one
	} `json:"cities"`
	Phones []struct { // # stands for a digit
		Written string `json:"written"`
		E164    string `json:"e164"`
	} `json:"phones"`
	Headings   map[string]string `json:"headings"`
	Labels     map[string]string `json:"labels"`
	Months     []string          `json:"months"`
	Short      []string          `json:"short"`
	Present    string            `json:"present"`
	Since      string            `json:"since"`
	DateStyles []string          `json:"date_styles"`
	Degrees    []string          `json:"degrees"` // the higher one first
	Spoken     []spoken          `json:"spoken"`
	Trades     []trade           `json:"trades"`
}

type trade struct {
	Titles         []string        `json:"titles"` // highest first
	Field          string          `json:"field"`
	Skills         []string        `json:"skills"`
	Certifications []certification `json:"certifications"`
	Summary        string          `json:"summary"`
	Tasks          []string        `json:"tasks"`
}

// wordsOf reads the words of a language from a folder of words.
func wordsOf(folder, language string) (*words, error) {
	file, err := wordFiles.ReadFile(path.Join(folder, language+".json"))
	if err != nil {
		return nil, fmt.Errorf("no words for the language %q", language)
	}
	w := &words{}
	if err := json.Unmarshal(file, w); err != nil {
		return nil, fmt.Errorf("read the words for %q: %w", language, err)
	}
	return w, nil
}

// newPerson invents person n of a language, counted from 0, from a folder of words. The same n gives the same person.
func newPerson(folder, language string, n int) (person, error) {
	w, err := wordsOf(folder, language)
	if err != nil {
		return person{}, err
	}

	seed := uint64(language[0])<<8 | uint64(language[1])
	random := rand.New(rand.NewPCG(uint64(n), seed)) //nolint:gosec // repeatable on purpose
	trade := w.Trades[n%len(w.Trades)]
	city := w.Cities[n%len(w.Cities)]
	p := person{
		Language:       language,
		JobTitle:       trade.Titles[0],
		Location:       city.Name,
		Summary:        trade.Summary,
		DateStyle:      w.DateStyles[n%len(w.DateStyles)],
		Skills:         trade.Skills,
		Languages:      w.Spoken,
		Certifications: slices.Clone(trade.Certifications),
	}

	p.name(w, random)
	phone := w.Phones[n%len(w.Phones)]
	digits := fmt.Sprintf("%02d", random.IntN(100))
	p.PhoneWritten = strings.Replace(phone.Written, "##", digits, 1)
	p.Phone = strings.ReplaceAll(strings.Replace(phone.E164, "##", digits, 1), " ", "")
	first := p.work(w, trade, random)
	p.study(w, trade, city.Schools, first)

	for i := range p.Certifications {
		p.Certifications[i].Date = fmt.Sprint(first/12 + 3 + 2*i)
	}

	return p, nil
}

// name invents the name, and the addresses made of it.
func (p *person) name(w *words, random *rand.Rand) {
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	given := pick(w.Given[0]) + pick(w.Given[1])
	family := pick(w.Family[0]) + pick(w.Family[1])
	p.Name = given + " " + family
	if w.FamilyFirst {
		p.Name = family + given
	}
	if len(w.Romaji) > 0 {
		given = w.Romaji[0]
		family = w.Romaji[1]
	}
	local := asciiLetters(given) + "." + asciiLetters(family)
	p.Email = local + "@example.org"
	handle := strings.ReplaceAll(local, ".", "-")
	p.Links = []string{"linkedin.com/in/" + handle, "github.com/" + handle}
}

// asciiLetters returns a name as email addresses have it.
func asciiLetters(name string) string {
	return keep(norm.NFD.String(strings.ToLower(name)), func(r rune) bool { return r >= 'a' && r <= 'z' })
}

// work invents the positions, the latest first, and returns the first month of the earliest, counted from year 0. About
// a quarter of the positions overlap the one before.
func (p *person) work(w *words, trade trade, random *rand.Rand) (first int) {
	const (
		now      = 2026*12 + 5 // June 2026
		shortest = 16          // months of a position
		overlap  = 3           // months
	)

	end := now
	covered := make(map[int]bool) // months; those of overlapping positions count once
	for i, title := range trade.Titles {
		start := end - shortest - random.IntN(34)
		job := position{
			Title:   title,
			Company: company(w, random, p.Experience),
			Start:   p.date(start),
			Current: i == 0,
			Tasks:   tasksOf(trade, i),
		}
		if !job.Current {
			job.End = p.date(end)
		}

		job.Written = p.period(w, start, end, job.Current)
		p.Experience = append(p.Experience, job)
		first = start
		for month := start; month <= end; month++ {
			covered[month] = true
		}

		// The position before ended up to three months earlier, or overlaps this one.
		end = start - 1 - random.IntN(4)
		if random.IntN(4) == 0 {
			end = start + overlap
		}
	}

	// Years without months don't show how many months were worked.
	if p.DateStyle != "years" {
		p.Years = float64(len(covered)) / 12
	}

	return first
}

// tasksOf returns the tasks of position i of four: two each in the latest two, one each in the others.
func tasksOf(trade trade, i int) []string {
	if i < 2 {
		return trade.Tasks[2*i : 2*i+2]
	}
	return trade.Tasks[i+2 : i+3]
}

// company invents the name of a company that the person has not worked for yet.
func company(w *words, random *rand.Rand, known []position) string {
	for {
		var name strings.Builder
		for _, parts := range w.Company {
			name.WriteString(parts[random.IntN(len(parts))])
		}
		full := strings.TrimSpace(name.String() + " " + w.CompanyForms[random.IntN(len(w.CompanyForms))])
		if !slices.ContainsFunc(known, func(p position) bool { return p.Company == full }) {
			return full
		}
	}
}

// study invents two degrees, of which the later ends in the summer before the first position.
func (p *person) study(w *words, trade trade, schools []string, firstMonth int) {
	end := (firstMonth-7)/12*12 + 6 // a July
	for i, name := range w.Degrees {
		start := end - 21 - 12*i
		p.Education = append(p.Education, degree{
			Degree: name, Field: trade.Field, Institution: schools[i], Start: p.date(start), End: p.date(end),
			Written: p.period(w, start, end, false),
		})
		end = start - 3
	}
}
