package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"freelancer-matching/resume"
)

// facts are what is known of a person, by field: texts in one canonical form, in which found and true ones are compared. A field
// that is not among the keys is not judged; one with an empty list has nothing to be found.
type facts map[string][]string

// field is one thing that the evaluation judges.
type field struct {
	name string
	// same tells whether what was found is the truth; nil: they are equal. There are no partial points.
	same func(truth, found string) bool
	// open is a field of which the truth lists only some: what else was found does not count, so only its recall says anything.
	open bool
}

// judgedFields are all, in the order of the report. Texts are compared in any case, with spaces as one, in Unicode's compatibility
// form, with one kind of dash and apostrophe, and without punctuation around them; accents count. An entry ("experience", "education")
// is right when all its parts are; the parts have fields of their own. Running text (summary, tasks) is compared by letters and
// digits only, because hyphens and spaces at line ends are the layout's.
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
		{name: "skills"},                      // of the section of skills
		{name: "skills.anywhere", open: true}, // those of the section of skills, found in whatever section
	}
}

// oneOf compares with any of the true values, which have bars between them.
func oneOf(truth, found string) bool {
	for one := range strings.SplitSeq(truth, "|") {
		if one == found {
			return true
		}
	}
	return false
}

// samePhone compares digits. A truth without the country's code is met by a number with one: 020 7946 0000 by +44 20 7946 0000.
func samePhone(truth, found string) bool {
	wanted, other := digits(truth), digits(found)
	if wanted == other {
		return true
	}
	national := strings.TrimLeft(wanted, "0")
	code := len(other) - len(national)
	return !strings.HasPrefix(truth, "+") && strings.HasPrefix(found, "+") && code >= 1 && code <= 3 && strings.HasSuffix(other, national)
}

func digits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, text)
}

// sameYears allows for rounding to a tenth.
func sameYears(truth, found string) bool {
	a, errA := strconv.ParseFloat(truth, 64)
	b, errB := strconv.ParseFloat(found, 64)
	return errA == nil && errB == nil && math.Abs(a-b) <= 0.1
}

// fold is the form in which short texts are compared.
func fold(text string) string {
	text = strings.NewReplacer("’", "'", "–", "-", "—", "-").Replace(norm.NFKC.String(text))
	return strings.TrimFunc(strings.Join(strings.Fields(strings.ToLower(text)), " "), func(r rune) bool {
		return strings.ContainsRune(".,;:|•·- ", r)
	})
}

// letters is the form in which running text is compared.
func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, strings.ToLower(norm.NFKC.String(text)))
}

// address is a link without scheme, www and final slash.
func address(url string) string {
	url = strings.ToLower(strings.TrimSpace(url))
	for _, prefix := range []string{"https://", "http://", "www."} {
		url = strings.TrimPrefix(url, prefix)
	}
	return strings.TrimSuffix(url, "/")
}

// entry is a fact of several parts.
func entry(parts ...string) string {
	for i := range parts {
		parts[i] = fold(parts[i])
	}
	return strings.Join(parts, " | ")
}

// add adds a fact that is told.
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

// found are the facts in what the parser says.
func found(r resume.Resume) facts {
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
		dates := period(p.Start, p.End, p.Current)
		f.position(p.Title, p.Company, dates, p.Description)
	}
	if r.ExperienceYears.Known {
		f.add("experience_years", fmt.Sprintf("%.2f", r.ExperienceYears.Value))
	}
	for _, d := range r.Education {
		f.degree(d.Degree, d.Field, d.Institution, period(d.Start, d.End, false))
	}
	for _, l := range r.Languages {
		f.add("languages", fold(l.Name))
		f.add("languages.level", entry(l.Name, l.Level))
	}
	for _, c := range r.Certifications {
		f.add("certifications", entry(c.Name, c.Issuer, c.Date))
		f.add("certifications.name", fold(c.Name))
	}
	for _, s := range r.Skills {
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
