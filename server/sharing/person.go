package sharing

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/llm/sanitize"
	"github.com/freelancer-matching/service/projects"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// person is what the page shows about a person.
type person struct {
	Name   string // a number, unless the name is released
	Title  string
	URL    string // of the profile on the web; "" unless it is released
	State  string
	Has    []string
	Lacks  []string
	Facts  []string
	Skills []string // others than those of the brief
}

// maxSkills is the number of further skills that the page shows.
const maxSkills = 12

// newPerson returns what the page shows about the n-th person. Texts come from files, so that they may have contact
// details, which are removed: clients talk to people through the account. Titles and skills of people who aren't
// released may have names, too.
func newPerson(n int, p *projects.Person, f *matching.Freelancer, currency string) person {
	shown := person{Name: "Person " + strconv.Itoa(n), Has: p.Match.Has, Lacks: p.Match.Lacks, Facts: facts(f, currency)}
	switch p.State {
	case projects.Hired:
		shown.State = "hired"
	case projects.Interested:
		shown.State = "interested"
	default: // whether somebody was asked is the account's business
	}

	hiddenNames := []string{f.Name}
	if p.Released {
		shown.Name = cmp.Or(sanitize.Redact([]string{f.Name}, nil)[0], shown.Name)
		shown.URL = page.WebProfile(f.ProfileURL)
		hiddenNames = nil
	}

	texts := []string{f.JobTitle}
	for _, skill := range f.Skills {
		if len(texts) <= maxSkills && !contains(shown.Has, skill) {
			texts = append(texts, skill)
		}
	}
	texts = sanitize.Redact(texts, hiddenNames)
	shown.Title = texts[0]
	shown.Skills = texts[1:]

	return shown
}

func contains(words []string, word string) bool {
	for _, w := range words {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}

// facts returns what is known about somebody and doesn't tell who it is. Rates are in a currency.
func facts(f *matching.Freelancer, currency string) []string {
	known := []string{page.HourlyRate(f, currency), page.Availability(f)}
	if f.Experience.Known {
		known = append(known, page.Years(f.Experience.Value)+" of experience")
	}
	if f.Rating.Known {
		known = append(known, "rated "+page.Decimal(2, f.Rating.Value)+" of 5")
	}
	if f.Country != "" {
		known = append(known, page.CountryName(f.Country))
	}
	known = append(known, page.Spoken(f)...)
	return slices.DeleteFunc(known, func(fact string) bool { return fact == "" })
}
