package fields

import (
	"cmp"
	"strings"
	"unicode"

	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/value"
	"freelancer-matching/resume"
)

// maxDescription bounds the description of a draft in bytes.
const maxDescription = 6_000

// draft returns a draft of the person's record. Resumes with the same text have the same ID. What a resume does not
// contain, such as a rate or a rating, stays unknown.
func draft(r resume.Resume, doc resume.Document) matching.Freelancer {
	record := matching.Freelancer{
		ID:          identity(&doc),
		Name:        r.Name,
		JobTitle:    cmp.Or(r.JobTitle, latest(r.Experience).Title),
		Description: description(&r),
		ProfileURL:  profile(r.Contact.Links),
	}
	record.Experience = r.ExperienceYears
	record.Skills = skillNames(r.Skills)
	record.Country = value.CountryOf(r.Contact.Location)
	if !strings.ContainsFunc(r.Contact.Location, unicode.IsDigit) { // street addresses and postal codes are not stored
		record.Location = r.Contact.Location
	}
	record.Languages = spoken(r.Languages)
	return record
}

// skillNames returns the names of skills for a record: first those of the taxonomy, then the others as written.
func skillNames(skills []resume.Skill) (names []string) {
	var unknown []string
	for _, s := range skills {
		if s.ID == "" {
			unknown = append(unknown, s.Name)
		} else {
			names = append(names, s.Name)
		}
	}
	return append(names, unknown...)
}

// spoken returns the languages of a record. Languages and levels that have no code are left out.
func spoken(languages []resume.Language) (list []matching.SpokenLanguage) {
	for _, l := range languages {
		tag, _ := value.Language(l.Name)
		level, _ := value.LanguageLevel(l.Level)
		list, _ = value.AddLanguage(list, matching.SpokenLanguage{Tag: tag, Level: level})
	}
	return list
}

// latest returns the current position with a title, or else the one that ended last. Among equals it returns the first.
func latest(positions []resume.Position) resume.Position {
	var found resume.Position
	for _, p := range positions {
		isLater := found.Title == "" || until(p) > until(found)
		if isLater && p.Title != "" {
			found = p
		}
	}
	return found
}

// until returns when a position ended, as a string that sorts by time. A bare year means its end.
func until(p resume.Position) string {
	end := cmp.Or(p.End, p.Start)
	switch {
	case p.Current:
		return "now" // larger than all digits
	case len(end) == len("2006"):
		return end + "-99"
	default:
		return end
	}
}

// identity returns a hash of the words of the text.
func identity(doc *resume.Document) string {
	var text strings.Builder
	text.WriteString("text")
	for _, l := range doc.Lines {
		for word := range strings.FieldsSeq(l.Text) {
			text.WriteString(" " + word)
		}
	}
	return resume.IDOf(text.String())
}

// description returns the summary followed by the positions.
func description(r *resume.Resume) string {
	var b strings.Builder
	b.WriteString(r.Summary)
	for _, p := range r.Experience {
		text := p.Title
		if p.Company != "" {
			text = strings.TrimPrefix(text+", "+p.Company, ", ")
		}

		if p.Description != "" {
			text += "\n" + p.Description
		}

		// The description ends between positions rather than within one.
		if b.Len()+len(text) > maxDescription {
			break
		}

		if b.Len() > 0 {
			b.WriteString("\n\n")
		}

		b.WriteString(text)
	}

	return b.String()
}

// profile returns the web address that presents the person best, or "".
func profile(links []resume.ContactLink) string {
	for _, kind := range []string{"linkedin", "portfolio", "website", "github"} {
		for _, l := range links {
			if l.Kind == kind {
				return l.URL
			}
		}
	}
	if len(links) > 0 {
		return links[0].URL
	}
	return ""
}
