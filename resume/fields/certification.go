package fields

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// certifications returns the entries of the sections about certifications. The name, the issuer and the date of a
// certification share a line, or follow each other on separate lines.
func (e *Extractor) certifications(p *page, all []*section) []resume.Certification {
	var list []resume.Certification
	for _, s := range all {
		if s.kind == certifications {
			list = append(list, e.certificationsOf(p, s)...)
		}
	}
	return list[:min(len(list), maxEntries)]
}

func (e *Extractor) certificationsOf(p *page, s *section) []resume.Certification {
	var list []resume.Certification
	var current *resume.Certification
	var named *line // of the current certification
	lines := e.unwrapped(p, s)
	datesLast, period := e.endsWithDate(s), e.linesEach(lines)
	for i, l := range lines {
		if len(l.text) > 3*maxHeader || sentence(l.text) && !l.Bullet && len(e.dates.find(l.text)) == 0 {
			continue
		}
		text, date := e.dates.separate(l.text)
		parts := splitHeader(text)
		isIssuer := len(parts) == 1 && current != nil && current.Issuer == "" && !l.Bullet
		if isIssuer && period > 0 {
			isIssuer = i%period != 0
		} else if isIssuer {
			isIssuer = belongsBelow(p, named, l, datesLast && current.Date == "")
		}
		switch {
		case isIssuer:
			current.Issuer = parts[0]
			current.Date = cmp.Or(current.Date, date)
		case len(parts) == 0:
			if current != nil {
				current.Date = cmp.Or(current.Date, date)
			}
		default:
			name, issuer := e.nameAndIssuer(parts)
			list = append(list, resume.Certification{Name: name, Issuer: issuer, Date: date})
			current, named = &list[len(list)-1], l
		}
	}
	return list
}

// belongsBelow reports whether a line belongs to the certification that the previous line names: both are in the same
// paragraph, and either the date is still to come, or the line is less prominent than the name.
func belongsBelow(p *page, named, l *line, datePending bool) bool {
	lessProminent := p.distinct(named) && !p.distinct(l) || named.Size > l.Size+.4
	return !named.Bullet && l.Gap <= paragraphGap && (datePending || lessProminent)
}

// unwrapped returns the lines of a section after joining those that a narrow column broke: lines where the next word
// did not fit, and lines that end with a comma.
func (e *Extractor) unwrapped(p *page, s *section) []*line {
	longest := 0
	for _, l := range s.lines {
		longest = max(longest, utf8.RuneCountInString(l.text))
	}
	datesLast := e.endsWithDate(s)
	var lines []*line
	for _, l := range s.lines {
		n := len(lines) - 1
		if n < 0 || l.Bullet || l.Gap > paragraphGap || len(l.cells) > 1 || len(l.text) > maxHeader ||
			p.distinct(l) != p.distinct(lines[n]) {
			lines = append(lines, l)
			continue
		}
		before := lines[n].text
		word, _, several := strings.Cut(l.text, " ")
		full := utf8.RuneCountInString(before)+1+utf8.RuneCountInString(word) > longest
		_, date := e.dates.separate(before)
		if date != "" || !strings.HasSuffix(before, ",") && (!full || datesLast || !several) {
			lines = append(lines, l)
			continue
		}
		joined := *lines[n]
		var text strings.Builder
		joinLine(&text, before, false)
		joinLine(&text, l.text, false)
		joined.text = text.String()
		lines[n] = &joined
	}
	return lines
}

// endsWithDate reports whether the last line of a section is only a date. In such a section, every certification ends
// with its date.
func (e *Extractor) endsWithDate(s *section) bool {
	return len(s.lines) > 0 && e.onlyDate(s.lines[len(s.lines)-1].text)
}

func (e *Extractor) onlyDate(text string) bool {
	rest, date := e.dates.separate(text)
	return date != "" && strings.TrimSpace(rest) == ""
}

// linesEach returns the number of lines per certification if it is the same for all: two with a date on the first line,
// or three with a date alone on the second or the third. Otherwise it returns 0.
func (e *Extractor) linesEach(lines []*line) int {
	var dated []int
	alone := true
	for i, l := range lines {
		if l.Bullet {
			return 0
		}
		if _, date := e.dates.separate(l.text); date != "" {
			dated = append(dated, i)
			alone = alone && e.onlyDate(l.text)
		}
	}
	every := func(size, first int) bool {
		for i, at := range dated {
			if at != size*i+first {
				return false
			}
		}
		return len(dated) > 0 && len(lines) == size*len(dated)
	}
	switch {
	case every(2, 0):
		return 2
	case alone && (every(3, 1) || every(3, 2)):
		return 3
	default:
		return 0
	}
}

// nameAndIssuer splits the parts of a line into the name and the issuer of a certification: "Name | Issuer", "Name,
// Issuer", "Name (Issuer)", "Name by Issuer", "Certified Architect – Associate, Issuer".
func (e *Extractor) nameAndIssuer(parts []string) (name, issuer string) {
	if len(parts) > 1 {
		level, by, ok := strings.Cut(parts[1], ", ")
		if ok && !strings.Contains(level, " ") && !e.words.legal[key(by)] {
			return parts[0] + " – " + level, by
		}
		return parts[0], parts[1]
	}
	text := parts[0]
	if before, inside, ok := strings.Cut(text, " ("); ok && strings.HasSuffix(inside, ")") && len(inside) > 7 {
		return before, strings.TrimSuffix(inside, ")")
	}
	if before, after, ok := cutAtFirst(text, e.words.issuedBy); ok {
		return before, after
	}
	if i := strings.LastIndex(text, ", "); i > 0 && !e.words.legal[key(text[i:])] {
		return text[:i], text[i+2:]
	}
	return text, ""
}
