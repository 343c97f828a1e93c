package fields

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// certificationsIn returns the certification that a block is about, or several if one line lists them.
func (r *certificationReader) certificationsIn(p *page, block []certificationLine) []candidate[resume.Certification] {
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

	if len(named) == 1 && date == "" {
		if names := r.listedCertifications(named[0].rest); len(names) > 1 {
			var all []candidate[resume.Certification]
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

	return []candidate[resume.Certification]{r.certification(c, "block")}
}

// certification scores an entry.
func (r *certificationReader) certification(c resume.Certification, source string) candidate[resume.Certification] {
	words := strings.Count(c.Name, " ") + 1
	return newCandidate(c, source,
		feature{"an entry", true, .5},
		feature{"date", c.Date != "", .7},
		feature{"issuer", c.Issuer != "", .3},
		feature{"words for certifications", r.words.certifications.any(key(c.Name)), 1},
		feature{"in a list", source == "list", -.3},
		feature{"running text", words > 14 || strings.HasSuffix(c.Name, ".") && words > 5, -2},
		feature{"no name", utf8.RuneCountInString(c.Name) < 2, -9},
		feature{"a place", r.words.place(c.Name) == placeByName, -3},
		feature{"starts in lower case", firstIsLower(c.Name), -1},
	)
}

// listedCertifications returns the certifications that a line without a date lists.
func (r *certificationReader) listedCertifications(text string) []string {
	for _, sign := range []string{";", "\t", "|", "•", ","} {
		parts := strings.Split(text, sign)
		if len(parts) < 2 {
			continue
		}
		alike := 0
		for i := range parts {
			parts[i] = strings.Trim(parts[i], " .")
			countIf(&alike, r.words.certifications.any(key(parts[i])) || abbreviation(parts[i]))
		}
		if sign == ";" || alike == len(parts) && len(parts) > 2 || len(parts) > 2 && 2*alike > len(parts) {
			return parts
		}
	}
	return nil
}

// abbreviation reports whether a text is a short name in capitals, such as "CISSP" or "AZ-900".
func abbreviation(text string) bool {
	return !strings.Contains(text, " ") && utf8.RuneCountInString(text) <= 8 && capitals(text)
}

// shortens reports whether a text is an abbreviation of a name, or has a digit, as codes have: "CSM" of "Certified
// ScrumMaster".
func shortens(text, name string) bool {
	if !abbreviation(text) || hasDigit(text) {
		return abbreviation(text)
	}
	for _, r := range name {
		if text != "" && unicode.IsUpper(r) && strings.HasPrefix(text, string(r)) {
			text = text[utf8.RuneLen(r):]
		}
	}
	return text == ""
}

// nameOverLines returns the name and the issuer of a block of lines. The name may continue over lines. The issuer may
// have a line of its own.
func (r *certificationReader) nameOverLines(p *page, lines []certificationLine) resume.Certification {
	text := func(lines []certificationLine) string {
		var b strings.Builder
		for _, l := range lines {
			joinLine(&b, l.rest, false)
		}
		return b.String()
	}

	whole := r.nameAndIssuer(lines[0].rest)
	if len(lines) > 1 {
		whole = r.nameAndIssuer(text(lines))
		whole.score -= 1
	}

	all := []candidate[resume.Certification]{whole}
	for i := 1; i < len(lines); i++ {
		before := lines[i-1]
		l := lines[i]
		inName := r.nameAndIssuer(text(lines[:i])).value.Issuer != ""
		other := p.distinct(before.line) != p.distinct(l.line) || before.Size > l.Size+.4
		f := newFragment(l.rest)
		all = append(all, newCandidate(resume.Certification{Name: text(lines[:i]), Issuer: firstPart(l.rest)}, "next line",
			feature{"lines have different looks", other, 2},
			feature{"the last line, alone", i == len(lines)-1 && !strings.Contains(l.rest, "\t"), 1},
			feature{"reads like an organization", r.words.companyScore(f) > 0 || r.words.schools.any(f.key), 1.5},
			feature{"has a word for certifications", r.words.certifications.any(f.key), -1.5},
			feature{"continues the line above", unfinished(before.rest) || firstIsLower(l.rest), -3},
			feature{"in brackets", strings.HasPrefix(l.rest, "("), -3},
			feature{"the name has an issuer", inName, -1.5},
			feature{"running text", sentence(l.rest), -3},
		))
	}

	best, _ := choose(all, nil)
	return best.value
}

func firstPart(text string) string {
	first, _, _ := strings.Cut(text, "\t")
	return first
}

// nameAndIssuer divides a text into the name and the issuer of a certification. Every separator may divide them, in
// either order, or none.
func (r *certificationReader) nameAndIssuer(text string) candidate[resume.Certification] {
	plain := strings.ReplaceAll(text, "\t", " – ")
	all := []candidate[resume.Certification]{r.issuedCertification(plain, "", "no separator")}
	for i, sign := range text {
		left := strings.TrimSpace(text[:i])
		right := ""
		source := ""
		switch {
		case sign == '\t':
			source = "cells"
			right = text[i+1:]
		case sign == ',' && strings.HasPrefix(text[i:], ", "):
			source = "comma"
			right = text[i+2:]
		case strings.ContainsRune("–—-/", sign) && strings.HasSuffix(text[:i], " "):
			if rest := text[i+utf8.RuneLen(sign):]; strings.HasPrefix(rest, " ") {
				source = "dash"
				right = rest[1:]
			}

		case sign == ':':
			source = "colon"
			right = text[i+1:]
		case sign == '(' && strings.HasSuffix(text, ")") && i > 0:
			source = "brackets"
			right = text[i+1 : len(text)-1]
		case sign == ' ':
			for _, by := range r.words.issuedBy {
				if rest, ok := strings.CutPrefix(text[i:], by); ok {
					source = "by"
					right = rest
				}
			}
		}

		right = strings.TrimSpace(right)
		if source == "" || left == "" || right == "" {
			continue
		}
		left = strings.ReplaceAll(left, "\t", " – ")
		right = strings.ReplaceAll(right, "\t", ", ")
		all = append(all, r.issuedCertification(left, right, source))

		if source == "cells" || source == "dash" || source == "colon" {
			all = append(all, r.issuedCertification(right, left, source+", issuer first"))
		}
	}

	best, _ := choose(all, nil)
	return best.candidate
}

// issuedCertification scores a name with an issuer, "" for none.
func (r *certificationReader) issuedCertification(name, issuer, source string) candidate[resume.Certification] {
	f := newFragment(issuer)
	segment, _, _ := strings.Cut(issuer, ", ")
	first, _, _ := strings.Cut(key(segment), " ")
	isRank := r.words.seniority[first] || r.words.levelWords[first] || r.words.titles.has(first)
	level := issuer != "" && r.words.companyScore(newFragment(segment)) == 0 && isRank
	organization := issuer != "" && (r.words.companyScore(f) > 0 || r.words.schools.any(f.key))
	separator, _, _ := strings.Cut(source, ",")

	return newCandidate(resume.Certification{Name: name, Issuer: issuer}, source,
		feature{"cells", separator == "cells", 1.2},
		feature{"by", source == "by", 2},
		feature{"dash", separator == "dash", .7},
		feature{"comma", source == "comma", .6},
		feature{"brackets", source == "brackets", .6},
		feature{"colon", separator == "colon", -1},
		feature{"issuer first", separator != source, -.8},
		feature{"the issuer reads like an organization", organization, 1.5},
		feature{"the name has words for certifications", r.words.certifications.any(key(name)), 1},
		feature{"the issuer has words for certifications", r.words.certifications.any(f.key), -2},
		feature{"the issuer is a level", level, -2.5},
		feature{"the issuer is one lower-case word, or has no letters", issuer != "" &&
			(firstIsLower(issuer) || !strings.ContainsFunc(issuer, unicode.IsLetter)), -2},
		feature{"the issuer is an abbreviation of the name", source == "brackets" && shortens(issuer, name), -3},
		feature{"the issuer has a number", !organization && hasDigit(issuer), -2},
		feature{"the issuer joins several", !organization && r.joins(issuer), -1},
		feature{"the issuer has separators", strings.ContainsAny(issuer, "(–|") || strings.Contains(issuer, " - "), -.8},
		feature{"the issuer is a place", r.words.place(issuer) == placeByName, -1.5},
		feature{"a legal form is no issuer", r.words.legal[f.key], -5},
		feature{"open brackets", strings.Count(name, "(") != strings.Count(name, ")") ||
			strings.Count(issuer, "(") != strings.Count(issuer, ")"), -4},
	)
}

// joins reports whether a text has a word such as "and".
func (r *certificationReader) joins(text string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if r.words.joiners[word] || word == "&" {
			return true
		}
	}
	return false
}
