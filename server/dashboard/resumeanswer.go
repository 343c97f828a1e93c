package dashboard

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"freelancer-matching/internal/matching"
	"freelancer-matching/resume"
)

// resumeAnswer is the answer of POST /parse.
type resumeAnswer struct {
	Data   readResume `json:"data"`
	TookMS float64    `json:"took_ms"`
}

// readResume is what a resume says. What was not found is "".
type readResume struct {
	Name           string                     `json:"name"`
	JobTitle       string                     `json:"job_title"`
	Contact        readContact                `json:"contact"`
	Summary        string                     `json:"summary"`
	Skills         []readSkill                `json:"skill_details"`
	Experience     []readPosition             `json:"experience"`
	Education      []readDegree               `json:"education"`
	Languages      []readLanguage             `json:"languages"`
	Certifications []readCertification        `json:"certifications"`
	Years          matching.Optional[float64] `json:"total_experience_years"`
	Language       string                     `json:"language"` // ISO 639-1
	Pages          matching.Optional[int]     `json:"pages"`
	Warnings       []resume.Warning           `json:"warnings"`
	Quality        readQuality                `json:"quality"`
	Freelancer     json.RawMessage            `json:"freelancer"`
}

type readContact struct {
	Email    string     `json:"email"`
	Phone    string     `json:"phone"`
	Location string     `json:"location"`
	Links    []readLink `json:"links"`
}

type readLink struct {
	Kind string `json:"kind"`
	URL  string `json:"url"`
}

type readSkill struct {
	Name    string `json:"name"`
	Section string `json:"section"`
}

type readPosition struct {
	period
	Title       string                 `json:"title"`
	Company     string                 `json:"company"`
	Location    string                 `json:"location"`
	Months      matching.Optional[int] `json:"months"`
	Description string                 `json:"description"`
}

type readDegree struct {
	period
	Degree      string `json:"degree"`
	Field       string `json:"field"`
	Institution string `json:"institution"`
}

type readLanguage struct {
	Name  string `json:"name"`
	Level string `json:"level"`
}

type readCertification struct {
	Name   string   `json:"name"`
	Issuer string   `json:"issuer"`
	Date   readDate `json:"date"`
}

type readQuality struct {
	Score   float64  `json:"score"`
	Reasons []string `json:"reasons"`
}

// Weak reports whether so little was found that a person should look before it is used.
func (q readQuality) Weak() bool { return q.Score < .6 }

// Share is the score in percent.
func (q readQuality) Share() float64 { return 100 * q.Score }

// period is the time of a position or a degree.
type period struct {
	Start   readDate `json:"start"`
	End     readDate `json:"end"`
	Current bool     `json:"current"`
}

// Told reports whether anything is known of the time.
func (p period) Told() bool { return p.Start != "" || p.End != "" || p.Current }

// readDate is a month, as YYYY-MM, or a year; "" where it is not told.
type readDate string

// Text is the date as people write it: Jan 2019.
func (d readDate) Text() string {
	if t, err := time.Parse("2006-01", string(d)); err == nil {
		return t.Format("Jan 2006")
	}
	return string(d)
}

// Length is how long a position was held: 3 years 7 months; "" where that is not told.
func (p readPosition) Length() string {
	years, months := p.Months.Value/12, p.Months.Value%12
	var parts []string
	if years > 0 {
		parts = append(parts, plural(years, "year", "years"))
	}
	if months > 0 {
		parts = append(parts, plural(months, "month", "months"))
	}
	return strings.Join(parts, " ")
}

// Tasks is the description, an entry a line.
func (p readPosition) Tasks() []string {
	return strings.FieldsFunc(p.Description, func(r rune) bool { return r == '\n' })
}

// Course is what was studied: the degree and its field.
func (d readDegree) Course() string {
	if d.Degree == "" || d.Field == "" {
		return d.Degree + d.Field
	}
	return d.Degree + " · " + d.Field
}

// Mail is the address to write to.
func (c readContact) Mail() string {
	mail := url.URL{Scheme: "mailto", Opaque: url.PathEscape(c.Email)}
	return mail.String()
}

// Safe reports whether a link may be followed: it leads to the web.
func (l readLink) Safe() bool {
	u, err := url.Parse(l.URL)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

// Text is the address as people write it.
func (l readLink) Text() string {
	text := strings.TrimPrefix(strings.TrimPrefix(l.URL, "https://"), "http://")
	return strings.TrimSuffix(strings.TrimPrefix(text, "www."), "/")
}

// Site is the name of what a link leads to.
func (l readLink) Site() string {
	known := map[string]string{
		"linkedin": "LinkedIn", "github": "GitHub", "gitlab": "GitLab", "stackoverflow": "Stack Overflow", "x": "X",
	}
	if name := known[l.Kind]; name != "" {
		return name
	}
	return title(l.Kind)
}

// skillGroup is the skills that were found first in one section.
type skillGroup struct {
	Label  string
	Class  string // for its colour
	Skills []string
}

// SkillGroups is the skills by the section they came from, in the order of the answer.
func (r readResume) SkillGroups() []skillGroup {
	known := map[string]skillGroup{
		"skills": {Label: "Listed as skills", Class: "f-skills"}, "experience": {Label: "In the experience", Class: "f-text"},
		"summary": {Label: "In the summary", Class: "f-semantic"}, "title": {Label: "In the job title", Class: "f-quality"},
		"education": {Label: "In the education", Class: "f-budget"}, "other": {Label: "Elsewhere", Class: "f-other"},
	}
	var groups []skillGroup
	at := map[string]int{}
	for _, s := range r.Skills {
		i, begun := at[s.Section]
		if !begun {
			group, ok := known[s.Section]
			if !ok {
				group = skillGroup{Label: title(s.Section), Class: "f-other"}
			}
			i = len(groups)
			at[s.Section], groups = i, append(groups, group)
		}
		groups[i].Skills = append(groups[i].Skills, s.Name)
	}
	return groups
}

// Cautions is the warnings in plain words.
func (r readResume) Cautions() []string {
	known := map[resume.Warning]string{
		resume.WarnHiddenText:    "Text that nobody sees was left out.",
		resume.WarnImagePage:     "Some pages are pictures. What stands on them was not read.",
		resume.WarnUnmappedGlyph: "The file does not say which letters some of its characters are. Words may be wrong or missing.",
		resume.WarnTruncated:     "The file is cut off or damaged. It was read as far as it goes.",
		resume.WarnManyPages:     "The file has more pages than are read. The last ones were left out.",
		resume.WarnNoSections:    "No headings were recognised, so that entries may stand in the wrong place.",
		resume.WarnInstructions:  "Some of the text speaks to a language model. Read it yourself before you rely on it.",
	}
	var cautions []string
	for _, w := range r.Warnings {
		text, ok := known[w]
		if !ok {
			text = sentence(strings.ReplaceAll(string(w), "_", " "))
		}
		cautions = append(cautions, text)
	}
	return cautions
}

// Tongue is the name of the text's language; "" where it was not told.
func (r readResume) Tongue() string { return tongue(r.Language) }

// tongue is the name of a language; "" for no code of one.
func tongue(code string) string {
	tag, err := language.Parse(code)
	if err != nil {
		return ""
	}
	return display.English.Languages().Name(tag)
}

// Draft is the draft of the person's record, to be copied.
func (r readResume) Draft() (string, error) {
	var text bytes.Buffer
	if err := json.Indent(&text, r.Freelancer, "", "  "); err != nil && len(r.Freelancer) > 0 {
		return "", err
	}
	return text.String(), nil
}
