package fields

import (
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// certifications are the entries of the sections of certifications: a name, who gave it, and when, in one line or in
// one below the other.
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
	var before *line
	lines := e.unwrapped(p, s)
	dated, every := e.endsWithDates(s), e.period(lines)
	for i, l := range lines {
		if len(l.text) > 3*maxHeader || sentence(l.text) && !l.Bullet && len(e.dates.find(l.text)) == 0 {
			continue
		}
		text, date := e.dateOf(l.text)
		parts := splitHeader(text)
		switch {
		case len(parts) == 0:
			if current != nil && current.Date == "" {
				current.Date = date
			}
		case current != nil && len(parts) == 1 && current.Issuer == "" && !l.Bullet && (every > 0 && i%every != 0 || every == 0 && e.issues(p, before, l, current, dated && i > 0)):
			current.Issuer = parts[0]
			if current.Date == "" {
				current.Date = date
			}
		default:
			name, issuer := parts[0], ""
			if len(parts) > 1 {
				issuer = parts[1]
				if level, by, ok := strings.Cut(issuer, ", "); ok && !strings.Contains(level, " ") && !e.words.legal[key(by)] {
					name, issuer = name+" – "+level, by // Certified Architect – Associate, Issuer
				}
			} else {
				name, issuer = e.splitIssuer(name)
			}
			list = append(list, resume.Certification{Name: name, Issuer: issuer, Date: date})
			current, before = &list[len(list)-1], l
		}
	}
	return list
}

// unwrapped are the lines of a section, those joined that were broken because the next word did not fit: a narrow column.
func (e *Extractor) unwrapped(p *page, s *section) []*line {
	longest, apart := 0, e.endsWithDates(s)
	for _, l := range s.lines {
		longest = max(longest, utf8.RuneCountInString(l.text))
	}
	var lines []*line
	for _, l := range s.lines {
		n := len(lines) - 1
		if n < 0 || l.Bullet || l.Gap > .3 || len(l.cells) > 1 || p.distinct(l) != p.distinct(lines[n]) || len(l.text) > maxHeader {
			lines = append(lines, l)
			continue
		}
		before := lines[n].text
		word, _, _ := strings.Cut(l.text, " ")
		full := utf8.RuneCountInString(before)+1+utf8.RuneCountInString(word) > longest
		if _, date := e.dateOf(before); date != "" || (!full || apart) && !strings.HasSuffix(before, ",") || l.text == word && !strings.HasSuffix(before, ",") {
			lines = append(lines, l)
			continue
		}
		joined := *lines[n]
		var text strings.Builder
		join(&text, before, false)
		join(&text, l.text, false)
		joined.text = text.String()
		lines[n] = &joined
	}
	return lines
}

// endsWithDates reports whether every certification of a section ends with a line that has nothing but a date.
func (e *Extractor) endsWithDates(s *section) bool {
	if len(s.lines) == 0 {
		return false
	}
	text, date := e.dateOf(s.lines[len(s.lines)-1].text)
	return date != "" && strings.TrimSpace(text) == ""
}

// period is how many lines each certification of a section has, where that is the same for all: two, the first one with
// the date, or three, the second or the last one with nothing else. It is 0 where it cannot be told.
func (e *Extractor) period(lines []*line) int {
	var dated []int
	alone := true
	for i, l := range lines {
		if l.Bullet {
			return 0
		}
		if text, date := e.dateOf(l.text); date != "" {
			dated = append(dated, i)
			alone = alone && strings.TrimSpace(text) == ""
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

// issues reports whether a line names who issued the certification in the line before.
func (e *Extractor) issues(p *page, before, l *line, current *resume.Certification, dated bool) bool {
	switch {
	case before.Bullet || l.Gap > .3:
		return false
	case dated && current.Date == "":
		return true
	default:
		return p.distinct(before) && !p.distinct(l) || before.Size > l.Size+.4
	}
}

// dateOf takes the date out of a line.
func (e *Extractor) dateOf(text string) (rest, date string) {
	spans := e.dates.find(text)
	if len(spans) == 0 {
		return text, ""
	}
	return withoutSpan(text, spans[len(spans)-1]), spans[len(spans)-1].from.String()
}

// splitIssuer divides "Name, Issuer" and "Name (Issuer)".
func (e *Extractor) splitIssuer(text string) (name, issuer string) {
	if before, inside, ok := strings.Cut(text, " ("); ok && strings.HasSuffix(inside, ")") && len(inside) > 7 {
		return before, strings.TrimSuffix(inside, ")")
	}
	if before, after, ok := strings.Cut(text, " by "); ok {
		return before, after
	}
	if i := strings.LastIndex(text, ", "); i > 0 && !e.words.legal[key(text[i:])] {
		return text[:i], text[i+2:]
	}
	return text, ""
}
