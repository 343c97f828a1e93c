package sharing

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/llm/sanitize"
	"github.com/freelancer-matching/service/projects"
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

// newPerson returns what the page shows about the n-th person. Texts come from files, so that titles and skills of
// people who aren't released may have names or contact details, which are removed.
func newPerson(n int, p *projects.Person, f *matching.Freelancer, currency string) person {
	shown := person{
		Name: "Person " + strconv.Itoa(n), Title: f.JobTitle, Has: p.Match.Has, Lacks: p.Match.Lacks,
		Facts: facts(f, currency),
	}
	switch p.State {
	case projects.Hired:
		shown.State = "hired"
	case projects.Interested:
		shown.State = "interested"
	default: // whether somebody was asked is the account's business
	}

	for _, skill := range f.Skills {
		if len(shown.Skills) < maxSkills && !contains(shown.Has, skill) {
			shown.Skills = append(shown.Skills, skill)
		}
	}

	if p.Released {
		if f.Name != "" {
			shown.Name = f.Name
		}
		if isWebURL(f.ProfileURL) {
			shown.URL = f.ProfileURL
		}
		return shown
	}

	texts := sanitize.Redact(append([]string{shown.Title}, shown.Skills...), []string{f.Name})
	shown.Title, shown.Skills = texts[0], texts[1:]
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
func facts(f *matching.Freelancer, currency string) (known []string) {
	number := func(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

	if f.HourlyRate.Known {
		known = append(known, strings.TrimSpace(number(f.HourlyRate.Value)+" "+currency)+" per hour")
	}
	switch {
	case f.AvailableFrom != "":
		known = append(known, "available from "+f.AvailableFrom)
	case f.Availability.Known && f.Availability.Value:
		known = append(known, "available")
	}
	if f.Experience.Known {
		known = append(known, number(f.Experience.Value)+" years of experience")
	}
	if f.Rating.Known {
		known = append(known, "rated "+number(f.Rating.Value)+" of 5")
	}
	if region, err := language.ParseRegion(f.Country); err == nil {
		known = append(known, display.English.Regions().Name(region))
	}
	for _, l := range f.Languages {
		if tag, err := language.Parse(l.Tag); err == nil {
			known = append(known, strings.TrimSpace(display.English.Tags().Name(tag)+" "+string(l.Level)))
		}
	}
	return known
}

// isWebURL reports whether a link is safe to follow: an absolute http or https URL without credentials.
func isWebURL(link string) bool {
	u, err := url.Parse(link)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}
