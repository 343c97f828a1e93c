package playground

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/dashboard/page"
	"github.com/freelancer-matching/service/server/dashboard/snippet"
)

// Functions returns the functions that the playground's templates call.
func Functions(now func() time.Time) template.FuncMap {
	return template.FuncMap{
		"money": money,
		"row":   func(w *workbenchView, r *listRow) rowInList { return rowInList{r, w.Columns} },

		"month":          month,
		"monthsLong":     monthsLong,
		"positionPeriod": positionPeriod,
		"degreePeriod":   degreePeriod,
		"projectPeriod":  projectPeriod,
		"doubt":          doubt,
		"skillUse":       func(s wire.ResumeSkill) string { return skillUse(s, now()) },
		"course":         course,
		"textLines":      textLines,
		"mailto":         mailto,
		"isWebURL":       page.IsWebURL,
		"shortURL":       shortURL,
		"siteName":       siteName,
	}
}

// period is the time span of a position or a degree. Dates are YYYY-MM or YYYY; "" if unknown.
type period struct {
	Start, End wire.NullableString
	Current    bool
}

func positionPeriod(p wire.Position) period { return period{p.Start, p.End, p.Current} }

func degreePeriod(d wire.Degree) period { return period{d.Start, d.End, false} }

func projectPeriod(p wire.Project) period { return period{p.Start, p.End, false} }

// month returns a date as people write it: Jan 2019, or the year alone.
func month(date wire.NullableString) string {
	if t, err := time.Parse("2006-01", string(date)); err == nil {
		return t.Format("Jan 2006")
	}
	return string(date)
}

// monthsLong returns a number of months in words, such as 3 years 7 months, or "" if it is unknown.
func monthsLong(total matching.Optional[int]) string {
	var parts []string
	if years := total.Value / 12; years > 0 {
		parts = append(parts, page.Plural(years, "year", "years"))
	}
	if months := total.Value % 12; months > 0 {
		parts = append(parts, page.Plural(months, "month", "months"))
	}
	return strings.Join(parts, " ")
}

// textLines returns the lines of a text that are not empty.
func textLines(text wire.NullableString) []string {
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

// course returns what was studied: the degree and its field.
func course(d wire.Degree) string {
	if d.Degree == "" || d.Field == "" {
		return string(d.Degree + d.Field)
	}
	return string(d.Degree + " · " + d.Field)
}

// mailto returns a link that writes to one address, whatever the address contains.
func mailto(address wire.NullableString) string {
	mail := url.URL{Scheme: "mailto", Opaque: url.PathEscape(string(address))}
	return mail.String()
}

// shortURL returns a link without the parts that people leave out.
func shortURL(link string) string {
	text := strings.TrimPrefix(strings.TrimPrefix(link, "https://"), "http://")
	return strings.TrimSuffix(strings.TrimPrefix(text, "www."), "/")
}

// siteName returns the name of the site that a link of a kind leads to.
func siteName(kind string) string {
	known := map[string]string{
		"linkedin": "LinkedIn", "github": "GitHub", "gitlab": "GitLab", "stackoverflow": "Stack Overflow", "x": "X",
	}
	if name := known[kind]; name != "" {
		return name
	}
	return page.Title(kind)
}

// skillGroup holds the skills that were first found in one section.
type skillGroup struct {
	Label  string
	Class  string // CSS class, for the color
	Skills []wire.ResumeSkill
}

// sure is the confidence from which the page doesn't ask to check a value.
const sure = .7

// doubt returns how sure the parser is of a value that a person should check, or "". 0 means that nothing was
// estimated.
func doubt(confidence float64) string {
	if confidence == 0 || confidence >= sure {
		return ""
	}
	return fmt.Sprintf("%.0f%% sure", 100*confidence)
}

// skillUse returns for how long a skill was used, and until when if that is past: 3 years, until 2019.
func skillUse(s wire.ResumeSkill, now time.Time) string {
	use := monthsLong(s.Months)
	isPast := !strings.HasPrefix(now.UTC().Format("2006-01"), string(s.LastUsed))
	if use != "" && isPast {
		use += ", until " + month(s.LastUsed)
	}
	return use
}

// HasUnknownSkills reports whether the taxonomy lacks some of the skills.
func (v resumeView) HasUnknownSkills() bool {
	return slices.ContainsFunc(v.Answer.Data.SkillDetails, func(s wire.ResumeSkill) bool { return s.ID == "" })
}

// SkillGroups returns the skills grouped by section, in the order of the answer.
func (v resumeView) SkillGroups() []skillGroup {
	known := map[string]skillGroup{
		"skills":     {Label: "Skills section", Class: "f-skills"},
		"experience": {Label: "Experience", Class: "f-text"},
		"summary":    {Label: "Summary", Class: "f-semantic"},
		"title":      {Label: "Job title", Class: "f-quality"},
		"education":  {Label: "Education", Class: "f-budget"},
		"other":      {Label: "Elsewhere", Class: "f-other"},
	}

	// The parser reports skills by the first place where it found them, and groups keep this order.
	var groups []skillGroup
	positions := map[string]int{}
	for _, s := range v.Answer.Data.SkillDetails {
		i, seen := positions[s.Section]
		if !seen {
			group, ok := known[s.Section]
			if !ok {
				group = skillGroup{Label: page.Title(s.Section), Class: "f-other"}
			}
			i = len(groups)
			positions[s.Section], groups = i, append(groups, group)
		}

		groups[i].Skills = append(groups[i].Skills, s)
	}

	return groups
}

// Warnings returns a sentence for each warning.
func (v resumeView) Warnings() []string {
	known := map[resume.Warning]string{
		resume.WarnHiddenText:    "Hidden text was ignored.",
		resume.WarnImagePage:     "Some pages are images. Their text was not read.",
		resume.WarnOCR:           "Some pages are images. Their text was recognized, and single letters may be wrong.",
		resume.WarnUnmappedGlyph: "Some characters of the file could not be decoded. Words may be wrong or missing.",
		resume.WarnTruncated:     "The file is truncated or damaged. Only part of it was read.",
		resume.WarnManyPages:     "The file has too many pages. The last pages were ignored.",
		resume.WarnNoSections:    "No section headings were recognized, so some entries may be in the wrong section.",
		resume.WarnInstructions:  "Some of the text addresses a language model. Review the resume yourself.",
	}

	// A warning that this page doesn't know yet is still shown, in its own words.
	var warnings []string
	for _, w := range v.Answer.Data.Warnings {
		text, ok := known[w]
		if !ok {
			text = page.Sentence(strings.ReplaceAll(string(w), "_", " "))
		}
		warnings = append(warnings, text)
	}

	return warnings
}

// LowQuality reports whether so little was found that a person should check the result.
func (v resumeView) LowQuality() bool { return v.Answer.Data.Quality.Score < .6 }

// Draft returns the draft record as JSON.
func (v resumeView) Draft() string { return string(snippet.ReadableJSON(v.Answer.Data.Freelancer)) }

// LanguageName returns the name of the resume's language, or "" if it is unknown.
func (v resumeView) LanguageName() string { return page.LanguageName(string(v.Answer.Data.Language)) }
