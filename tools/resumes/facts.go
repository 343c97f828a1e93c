package resumes

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/freelancer-matching/service/resume"
)

// facts maps the fields of a person to what is known about them, in the form in which facts are compared. A field that
// is not a key is not judged. A field with an empty list must not be found.
type facts map[string][]string

// A field is one thing that the evaluation judges.
type field struct {
	name string
	same func(truth, found string) bool // nil: they must be equal
	open bool                           // the truth is incomplete: only recall is meaningful
}

// judgedFields returns all fields in the order of the report. A fact is right or wrong; there are no partial points.
//
//   - Short texts are compared without regard to case, Unicode compatibility forms, kinds of spaces, dashes and
//     apostrophes, and punctuation at their ends. Accents count.
//   - Running text (summary, tasks) is compared by letters and digits only, because hyphens and spaces at line ends
//     belong to the layout.
//   - An entry (experience, education) is right if all its parts are. The parts are also fields of their own.
func judgedFields() []field {
	return []field{
		{name: "name"},
		{name: "job_title"},
		{name: "email", same: oneOf},
		{name: "phone", same: samePhone},
		{name: "location"},
		{name: "links"},
		{name: "summary"},
		{name: "language"},
		{name: "experience"}, // title, company, start and end
		{name: "experience.title"},
		{name: "experience.company"},
		{name: "experience.dates"},
		{name: "experience.tasks"},
		{name: "experience_years", same: sameYears},
		{name: "education"}, // degree, field, institution, start and end
		{name: "education.degree"},
		{name: "education.institution"},
		{name: "education.dates"},
		{name: "languages"},
		{name: "languages.level"}, // language and level
		{name: "certifications"},  // name, issuer and date
		{name: "certifications.name"},
		{name: "skills"},                      // of the skills section
		{name: "skills.anywhere", open: true}, // the same, found in any section
	}
}

// oneOf reports whether what was found is one of the true values, which are separated by bars.
func oneOf(truth, found string) bool { return slices.Contains(strings.Split(truth, "|"), found) }

// samePhone compares digits. A number with a country code matches a truth without one: "020 7946 0000" and
// "+44 20 7946 0000".
func samePhone(truth, found string) bool {
	wanted := keep(truth, isDigit)
	got := keep(found, isDigit)
	if wanted == got {
		return true
	}
	national := strings.TrimLeft(wanted, "0")
	code := len(got) - len(national)
	return !strings.HasPrefix(truth, "+") && strings.HasPrefix(found, "+") &&
		code >= 1 && code <= 3 && strings.HasSuffix(got, national)
}

// sameYears allows for rounding to a tenth.
func sameYears(truth, found string) bool {
	a, errA := strconv.ParseFloat(truth, 64)
	b, errB := strconv.ParseFloat(found, 64)
	return errA == nil && errB == nil && math.Abs(a-b) <= 0.1
}

// fold returns the form in which short texts are compared.
func fold(text string) string {
	text = strings.NewReplacer("’", "'", "–", "-", "—", "-").Replace(norm.NFKC.String(text))
	return strings.Trim(strings.Join(strings.Fields(strings.ToLower(text)), " "), ".,;:|•·- ")
}

// letters returns the form in which running text is compared.
func letters(text string) string {
	return keep(strings.ToLower(norm.NFKC.String(text)), func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	})
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// keep returns the characters of a text that are wanted.
func keep(text string, wanted func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if wanted(r) {
			return r
		}
		return -1
	}, text)
}

// address returns a link without scheme, www and final slash.
func address(url string) string {
	url = strings.ToLower(strings.TrimSpace(url))
	for _, prefix := range []string{"https://", "http://", "www."} {
		url = strings.TrimPrefix(url, prefix)
	}
	return strings.TrimSuffix(url, "/")
}

// entry returns one fact of several parts.
func entry(parts ...string) string {
	for i := range parts {
		parts[i] = fold(parts[i])
	}
	return strings.Join(parts, " | ")
}

// add adds a fact. An empty one only makes the field a judged one.
func (f facts) add(field, value string) {
	if _, ok := f[field]; !ok {
		f[field] = nil
	}
	if value != "" {
		f[field] = append(f[field], value)
	}
}

func period(start, end string, current bool) string {
	if current {
		end = "now"
	}
	return start + " to " + end
}

// extracted returns the facts that the parser found.
func extracted(r resume.Resume) facts {
	f := facts{}
	f.add("name", fold(r.Name))
	f.add("job_title", fold(r.JobTitle))
	f.add("email", strings.ToLower(r.Contact.Email))
	f.add("phone", r.Contact.Phone)
	f.add("location", fold(r.Contact.Location))

	for _, link := range r.Contact.Links {
		f.add("links", address(link.URL))
	}

	f.add("summary", letters(r.Summary))
	f.add("language", r.Language)

	for _, p := range r.Experience {
		f.position(p.Title, p.Company, period(p.Start, p.End, p.Current), p.Description)
	}

	if r.ExperienceYears.Known {
		f.add("experience_years", fmt.Sprintf("%.2f", r.ExperienceYears.Value))
	}

	for _, d := range r.Education {
		f.degree(d.Degree, d.Field, d.Institution, period(d.Start, d.End, false))
	}

	for _, l := range r.Languages {
		f.language(l.Name, l.Level)
	}

	for _, c := range r.Certifications {
		f.certification(c.Name, c.Issuer, c.Date)
	}

	for _, s := range r.Skills {
		if s.ID == "" {
			continue // the truth has skills of the taxonomy only
		}
		f.add("skills.anywhere", s.ID)

		if s.Section == "skills" {
			f.add("skills", s.ID)
		}
	}

	return f
}

func (f facts) position(title, company, dates, tasks string) {
	f.add("experience", entry(title, company, dates))
	f.add("experience.title", fold(title))
	f.add("experience.company", fold(company))
	f.add("experience.dates", dates)
	f.add("experience.tasks", letters(tasks))
}

func (f facts) degree(degree, field, institution, dates string) {
	f.add("education", entry(degree, field, institution, dates))
	f.add("education.degree", fold(degree))
	f.add("education.institution", fold(institution))
	f.add("education.dates", dates)
}

func (f facts) language(name, level string) {
	f.add("languages", fold(name))
	f.add("languages.level", entry(name, level))
}

func (f facts) certification(name, issuer, date string) {
	f.add("certifications", entry(name, issuer, date))
	f.add("certifications.name", fold(name))
}
