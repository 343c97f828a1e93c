package achievements

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/wording"
)

// certificationsIn returns the certification that a block is about, or several if one line lists them.
func (r *CertificationReader) certificationsIn(
	p *page.Page, block []certificationLine,
) []odds.Candidate[resume.Certification] {
	var date, issuer string
	var named []certificationLine
	for _, l := range block {
		if date == "" {
			date = l.date
		}

		if issuer == "" {
			issuer = l.issuer
		}

		if l.rest != "" {
			named = append(named, l)
		}
	}

	if len(named) == 0 {
		return nil
	}

	// A date belongs to one certification, so a line with one lists no others.
	if len(named) == 1 && date == "" {
		if names := r.listedCertifications(named[0].rest); len(names) > 1 {
			var all []odds.Candidate[resume.Certification]
			for _, name := range names {
				all = append(all, r.certification(resume.Certification{Name: name}, "list"))
			}
			return all
		}
	}

	c := r.nameOverLines(p, named)
	if issuer != "" {
		c.Issuer = issuer
	}
	c.Date = date

	return []odds.Candidate[resume.Certification]{r.certification(c, "block")}
}

// certification scores an entry.
func (r *CertificationReader) certification(
	c resume.Certification, source string,
) odds.Candidate[resume.Certification] {
	words := strings.Count(c.Name, " ") + 1
	return odds.NewCandidate(c, source,
		odds.If("an entry", true, .5),
		odds.If("date", c.Date != "", .7),
		odds.If("issuer", c.Issuer != "", .3),
		odds.If("words for certifications", r.words.Certifications.Any(wording.Key(c.Name)), 1),
		odds.If("in a list", source == "list", -.3),
		odds.If("running text", words > 14 || strings.HasSuffix(c.Name, ".") && words > 5, -2),
		odds.If("no name", utf8.RuneCountInString(c.Name) < 2, -9),
		odds.If("a place", r.words.Place(c.Name) == lexicon.PlaceByName, -3),
		odds.If("starts in lower case", wording.FirstIsLower(c.Name), -1),
	)
}

// listedCertifications returns the certifications that a line without a date lists.
func (r *CertificationReader) listedCertifications(text string) []string {
	for _, sign := range []string{";", "\t", "|", "•", ","} {
		parts := strings.Split(text, sign)
		if len(parts) < 2 {
			continue
		}
		alike := 0
		for i := range parts {
			parts[i] = strings.Trim(parts[i], " .")
			countIf(&alike, r.words.Certifications.Any(wording.Key(parts[i])) || abbreviation(parts[i]))
		}

		// Names of certifications have commas, too, so two parts may be one name.
		mostlyNames := len(parts) > 2 && 2*alike > len(parts)
		if sign == ";" || mostlyNames {
			return parts
		}
	}
	return nil
}

// abbreviation reports whether a text is a short name in capitals, such as "CISSP" or "AZ-900".
func abbreviation(text string) bool {
	return !strings.Contains(text, " ") && utf8.RuneCountInString(text) <= 8 && wording.Capitals(text)
}

// shortens reports whether a text is an abbreviation of a name, or has a digit, as codes have: "CSM" of "Certified
// ScrumMaster".
func shortens(text, name string) bool {
	if !abbreviation(text) || wording.HasDigit(text) {
		return abbreviation(text)
	}
	for _, r := range name {
		if text == "" {
			break
		}

		if unicode.IsUpper(r) && strings.HasPrefix(text, string(r)) {
			text = text[utf8.RuneLen(r):]
		}
	}
	return text == ""
}

// nameOverLines returns the name and the issuer of a block of lines. The name may continue over lines. The issuer may
// have a line of its own.
func (r *CertificationReader) nameOverLines(p *page.Page, lines []certificationLine) resume.Certification {
	text := func(lines []certificationLine) string {
		var b strings.Builder
		for i, l := range lines {
			rest := l.rest
			if i < len(lines)-1 && l.date == "" && strings.HasSuffix(l.Text, ",") {
				rest += ","
			}
			wording.JoinLine(&b, rest, false)
		}
		return b.String()
	}

	whole := r.nameAndIssuer(lines[0].rest)
	if len(lines) > 1 {
		whole = r.nameAndIssuer(text(lines))
		whole.Score -= 1
	}

	// The issuer may be the line after any part of the name.
	all := []odds.Candidate[resume.Certification]{whole}
	for i := 1; i < len(lines); i++ {
		before := lines[i-1]
		l := lines[i]
		inName := r.nameAndIssuer(text(lines[:i])).Value.Issuer != ""
		other := p.Distinct(before.Line) != p.Distinct(l.Line) || before.Size > l.Size+.4
		f := wording.NewFragment(l.rest)
		split := resume.Certification{Name: text(lines[:i]), Issuer: firstPart(l.rest)}
		all = append(all, odds.NewCandidate(split, "next line",
			odds.If("lines have different looks", other, 2),
			odds.If("the last line, alone", i == len(lines)-1 && !strings.Contains(l.rest, "\t"), 1),
			odds.If("reads like an organization", r.words.CompanyScore(f) > 0 || r.words.Schools.Any(f.Key), 1.5),
			odds.If("has a word for certifications", r.words.Certifications.Any(f.Key), -1.5),
			odds.If("continues the line above", unfinished(before.rest) || wording.FirstIsLower(l.rest), -3),
			odds.If("its first word did not fit into the line above", brokenInSidebar(p, before.Line, l.Line), -2.5),
			odds.If("in brackets", strings.HasPrefix(l.rest, "("), -3),
			odds.If("the name has an issuer", inName, -1.5),
			odds.If("running text", wording.Sentence(l.rest), -3),
		))
	}

	if len(lines) == 2 {
		all = append(all, r.issuerAbove(lines[0], lines[1]))
	}

	best, _ := odds.Choose(all, nil)
	return best.Value
}

// issuerAbove scores that the first of two lines has the issuer and the second one the name.
func (r *CertificationReader) issuerAbove(above, below certificationLine) odds.Candidate[resume.Certification] {
	issuer := wording.NewFragment(wording.WithoutBrackets(above.rest)) // "Dock Guild Corporation (DGC)"
	name := wording.NewFragment(below.rest)
	c := resume.Certification{Name: firstPart(below.rest), Issuer: firstPart(above.rest)}
	return odds.NewCandidate(c, "line above",
		odds.If("any", true, -1.5),
		odds.If("reads like an organization", r.words.CompanyScore(issuer) > 0 || r.words.Schools.Any(issuer.Key), 2),
		odds.If("the line below has a word for certifications", r.words.Certifications.Any(name.Key), 1.5),
		odds.If("the date is on the line below", above.date == "" && below.date != "", 1),
		odds.If("the line below reads like an organization", r.words.CompanyScore(name) > 0, -2),
		odds.If("continues the line above", unfinished(above.rest) || wording.FirstIsLower(below.rest), -3),
		odds.If("running text", wording.Sentence(below.rest), -3),
	)
}

// brokenInSidebar reports whether the first word of a line of a sidebar is there because it did not fit into the line
// above.
func brokenInSidebar(p *page.Page, above, l *page.Line) bool {
	if l.Part != resume.Sidebar || l.Place.Width == 0 {
		return false
	}

	width := 0.0
	for i := range p.Lines {
		if other := &p.Lines[i]; other.Page == l.Page && other.Part == l.Part {
			width = max(width, other.Place.X+other.Place.Width-l.Place.X)
		}
	}

	letterWidth := l.Place.Width / float64(max(utf8.RuneCountInString(l.Text), 1))
	word, _, _ := strings.Cut(l.Text, " ")
	needed := above.Place.Width + letterWidth*float64(1+utf8.RuneCountInString(word))
	return needed > width
}

func firstPart(text string) string {
	first, _, _ := strings.Cut(text, "\t")
	return first
}

// nameAndIssuer divides a text into the name and the issuer of a certification. Every separator may divide them, in
// either order, or none.
func (r *CertificationReader) nameAndIssuer(text string) odds.Candidate[resume.Certification] {
	plain := strings.ReplaceAll(text, "\t", " – ")
	all := []odds.Candidate[resume.Certification]{r.issuedCertification(plain, "", "no separator")}
	for i := range text {
		source, right := r.afterSeparator(text, i)
		left := strings.TrimSpace(text[:i])
		right = strings.TrimSpace(right)
		isEmpty := left == "" || right == ""
		if source == "" || isEmpty {
			continue
		}

		left = strings.ReplaceAll(left, "\t", " – ")
		right = strings.ReplaceAll(right, "\t", ", ")
		all = append(all, r.issuedCertification(left, right, source))

		// Some people name the issuer first: "AWS – Solutions Architect".
		eitherOrder := source == "cells" || source == "dash" || source == "colon"
		if eitherOrder {
			all = append(all, r.issuedCertification(right, left, source+", issuer first"))
		}
	}

	// The candidate without any separator is among them, so a name need not be divided.
	best, _ := odds.Choose(all, nil)
	return best.Candidate
}

// afterSeparator returns what kind of separator is at offset i of a text, and the text that it separates from the text
// before. kind is "" if there is none.
func (r *CertificationReader) afterSeparator(text string, i int) (kind, after string) {
	sign, size := utf8.DecodeRuneInString(text[i:])
	rest := text[i+size:]
	spacedSign := strings.HasSuffix(text[:i], " ") && strings.HasPrefix(rest, " ")

	switch {
	case sign == '\t':
		return "cells", rest
	case sign == ',' && strings.HasPrefix(rest, " "):
		return "comma", rest[1:]
	case strings.ContainsRune("–—-/", sign) && spacedSign:
		return "dash", rest[1:]
	case sign == ':':
		return "colon", rest
	case sign == '(' && strings.HasSuffix(text, ")") && i > 0:
		return "brackets", text[i+size : len(text)-1]

	case sign == ' ': // " by ", " issued by "
		for _, by := range r.words.IssuedBy {
			if issuer, ok := strings.CutPrefix(text[i:], by); ok {
				kind = "by"
				after = issuer
			}
		}
	}

	return kind, after
}

// issuedCertification scores a name with an issuer, "" for none.
func (r *CertificationReader) issuedCertification(name, issuer, source string) odds.Candidate[resume.Certification] {
	separator, _, _ := strings.Cut(source, ",")
	hasIssuer := issuer != ""
	f := wording.NewFragment(issuer)
	organization := hasIssuer && (r.words.CompanyScore(f) > 0 || r.words.Schools.Any(f.Key))

	// "Professional" and "Level 2" are levels of the certification, and not issuers.
	firstSegment, _, _ := strings.Cut(issuer, ", ")
	firstWord, _, _ := strings.Cut(wording.Key(firstSegment), " ")
	isRank := r.words.Seniority[firstWord] || r.words.LevelWords[firstWord] || r.words.Titles.Has(firstWord)
	level := hasIssuer && isRank && r.words.CompanyScore(wording.NewFragment(firstSegment)) == 0

	noLetters := !strings.ContainsFunc(issuer, unicode.IsLetter)
	noName := hasIssuer && (noLetters || wording.FirstIsLower(issuer))
	abbreviation := source == "brackets" && shortens(issuer, name)
	separated := strings.ContainsAny(issuer, "(–|") || strings.Contains(issuer, " - ")
	openBrackets := func(text string) bool { return strings.Count(text, "(") != strings.Count(text, ")") }

	// Names of certifications contain commas, dashes and brackets, so a separator needs an issuer that reads like one.
	return odds.NewCandidate(resume.Certification{Name: name, Issuer: issuer}, source,
		odds.If("cells", separator == "cells", 1.2),
		odds.If("by", source == "by", 2),
		odds.If("dash", separator == "dash", .7),
		odds.If("comma", source == "comma", .6),
		odds.If("brackets", source == "brackets", .6),
		odds.If("colon", separator == "colon", -1),
		odds.If("issuer first", separator != source, -.8),
		odds.If("the issuer reads like an organization", organization, 1.5),
		odds.If("the name has words for certifications", r.words.Certifications.Any(wording.Key(name)), 1),
		odds.If("the issuer has words for certifications", r.words.Certifications.Any(f.Key), -2),
		odds.If("the issuer is a level", level, -2.5),
		odds.If("the issuer is one lower-case word, or has no letters", noName, -2),
		odds.If("the issuer is an abbreviation of the name", abbreviation, -3),
		odds.If("the issuer has a number", !organization && wording.HasDigit(issuer), -2),
		odds.If("the issuer joins several", !organization && r.joins(issuer), -1),
		odds.If("the issuer has separators", separated, -.8),
		odds.If("the issuer is a place", r.words.Place(issuer) == lexicon.PlaceByName, -1.5),
		odds.If("a legal form is no issuer", r.words.Legal[f.Key], -5),
		odds.If("open brackets", openBrackets(name) || openBrackets(issuer), -4),
	)
}

// joins reports whether a text has a word such as "and".
func (r *CertificationReader) joins(text string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if r.words.Joiners[word] || word == "&" {
			return true
		}
	}
	return false
}
