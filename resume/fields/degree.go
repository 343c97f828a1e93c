package fields

import (
	"slices"
	"strings"
	"unicode/utf8"

	"freelancer-matching/resume"
)

// degrees are the entries of the education.
func (e *Extractor) degrees(p *page, all []*section) []resume.Degree {
	var degrees []resume.Degree
	for _, s := range all {
		if !s.is(education) {
			continue
		}
		items := e.entries(p, s)
		if len(items) == 0 {
			items = e.undated(s)
		}
		for _, it := range items {
			d := e.degree(it.fragments)
			if it.dated {
				d.Start, d.End = it.span.from.String(), it.span.to.String()
				if it.span.single() {
					d.Start, d.End = "", d.Start
				}
			}
			if d.Degree != "" || d.Institution != "" {
				degrees = append(degrees, d)
			}
		}
	}
	return degrees[:min(len(degrees), maxEntries)]
}

// undated divides a section of education without dates: an entry begins with a school or degree that the one before it
// has already.
func (e *Extractor) undated(s *section) []item {
	var items []item
	school, degree := true, true
	for _, l := range s.lines {
		if l.Bullet || utf8.RuneCountInString(l.text) > maxHeader || len(items) == maxEntries {
			continue
		}
		isSchool, isDegree := e.words.schools.any(l.key), e.degreeEnd(l.text) > 0
		if !isSchool && !isDegree {
			continue
		}
		if isSchool && school || isDegree && degree {
			items = append(items, item{})
			school, degree = false, false
		}
		items[len(items)-1].add(l.text, false)
		school, degree = school || isSchool, degree || isDegree
	}
	return items
}

// degree tells the parts of a header apart.
func (e *Extractor) degree(fragments []fragment) resume.Degree {
	var d resume.Degree
	var rest []fragment
	for _, f := range fragments {
		text, place := e.words.splitPlace(strings.TrimRight(f.text, "."))
		if left, right, ok := e.splitSchool(text); ok {
			rest = append(rest, fragment{text: left, key: key(left)}, fragment{text: right, key: key(right)})
			continue
		}
		if text != "" && (place == "" || e.words.schools.any(key(text)) || e.degreeEnd(text) > 0 || len(fragments) > 1) {
			rest = append(rest, fragment{text: text, key: key(text)})
		}
	}
	rest = slices.DeleteFunc(rest, func(f fragment) bool { return grade(f.key) })
	at, best := -1, 0
	for i, f := range rest {
		score := 3*btoi(e.degreeEnd(f.text) > 0) - 2*btoi(e.words.schools.any(f.key) && !e.startsWithDegree(f))
		if score > best || score == best && at >= 0 && score > 0 && strings.HasPrefix(f.key, rest[at].key+" ") {
			at, best = i, score // of "PhD" and "PhD in Physics" the longer one
		}
	}
	if at >= 0 {
		var school string
		d.Degree, d.Field, school = e.splitDegree(rest[at].text)
		d.Institution = school
	}
	for i, f := range rest {
		if i != at && d.Institution == "" && e.words.schools.any(f.key) {
			d.Institution = f.text
			rest[i].text = ""
		}
	}
	for i, f := range rest {
		if i == at || f.text == "" || at >= 0 && strings.HasPrefix(rest[at].key, f.key+" ") {
			continue
		}
		switch {
		case d.Institution == "":
			d.Institution = f.text
		case at >= 0 && d.Field == "" && i == at+1 && len(f.key) > 3 && e.words.place(f.text) == 0:
			d.Field = f.text
		}
	}
	return d
}

// splitSchool divides "University of X, BSc in Physics" and "Major in Physics, University of X".
func (e *Extractor) splitSchool(text string) (left, right string, ok bool) {
	for i := 0; ; {
		j := strings.Index(text[i:], ", ")
		if j < 0 {
			return "", "", false
		}
		left, right = text[:i+j], text[i+j+2:]
		first, _, _ := strings.Cut(right, ", ")
		leftSchool, rightSchool := e.words.schools.any(key(left)), e.words.schools.any(key(first))
		if leftSchool && e.startsWithDegree(fragment{text: right}) || rightSchool && !leftSchool && !e.startsWithDegree(fragment{text: right}) {
			return left, right, true
		}
		i += j + 2
	}
}

func (e *Extractor) startsWithDegree(f fragment) bool {
	end := e.degreeEnd(f.text)
	return end > 0 && e.words.degrees[key(f.text[:end])]
}

// splitDegree divides "Bachelor of Science in Physics, University of X" into its parts.
func (e *Extractor) splitDegree(text string) (degree, field, school string) {
	for {
		i := strings.LastIndex(text, ", ")
		if i <= 0 || !e.words.schools.any(key(text[i:])) || e.degreeEnd(text[i+2:]) > 0 {
			break
		}
		school = strings.TrimPrefix(strings.Trim(text[i+2:]+", "+school, ", "), " ")
		text = text[:i]
	}
	if parts := strings.SplitN(text, ", ", 2); school == "" && len(parts) == 2 && e.words.schools.any(key(parts[0])) &&
		e.degreeEnd(parts[0]) == 0 {
		school, text = parts[0], parts[1]
	}
	end := e.degreeEnd(text)
	if wide(text) && end > 0 {
		return wideDegree(text, end, school)
	}
	if end == 0 || !e.words.degrees[key(text[:end])] {
		return text, "", school
	}
	degree = strings.TrimSpace(text[:end])
	rest := strings.Trim(text[end:], " ,:;.–—-•·")
	if _, after, ok := strings.Cut(text[end:], "("); ok && strings.TrimSpace(text[end:end+strings.Index(text[end:], "(")]) == "" {
		if inside, tail, closed := strings.Cut(after, ")"); closed {
			switch tail = strings.Trim(tail, " ,:;–-"); {
			case tail == "":
				rest = inside
			case utf8.RuneCountInString(inside) <= 8: // Bachelor of Science (B.Sc.) Informatik
				degree, rest = degree+" ("+inside+")", tail
			}
		}
	}
	lower := strings.ToLower(rest)
	for _, word := range []string{"in ", "en ", "of ", "d'", "d’", "de ", "im fach ", "im bereich ", "der ", "des ", "em ", "zum ", "zur ", "als ", "'s in ", "degree in ", "degree, "} {
		if strings.HasPrefix(lower, word) {
			switch word {
			case "of ", "zum ", "zur ", "als ":
				before, after, ok := cutField(rest)
				if !ok {
					return strings.TrimSpace(text), "", school
				}
				return degree + " " + before, after, school
			}
			return degree, withoutGrade(rest[len(word):]), school
		}
	}
	return degree, withoutGrade(rest), school
}

// wideDegree divides text in which the field stands before or behind the degree, apart or not: "软件工程 硕士".
func wideDegree(text string, end int, school string) (degree, field, institution string) {
	before, degree := text[:end], ""
	for _, name := range wideDegrees() {
		if strings.HasSuffix(before, name) {
			degree, before = name, strings.TrimSuffix(before, name)
			break
		}
	}
	field = strings.Trim(strings.Trim(before, " ，,()（）")+" "+strings.Trim(text[end:], " ，,()（）"), " ")
	return degree, strings.TrimSuffix(field, "学位"), school
}

func wideDegrees() []string {
	return []string{
		"硕士研究生", "博士研究生", "工商管理硕士", "本科", "学士", "硕士", "博士", "大专", "专科", "研究生", "修士", "碩士", "學士", "高中",
	}
}

// cutField divides "Engineering in Physics".
func cutField(text string) (before, after string, ok bool) {
	before, after, ok = strings.Cut(text, " in ")
	return strings.TrimSpace(before), withoutGrade(after), ok
}

// withoutGrade drops what is behind the field.
func withoutGrade(field string) string {
	for _, sign := range []string{" - ", " – ", " (", "; "} {
		if i := strings.Index(field, sign); i > 0 {
			field = field[:i]
		}
	}
	return strings.Trim(field, " ,.:;)")
}

// degreeEnd is where the first degree that a text names ends, 0 where it names none. It is at the start, or behind few
// words.
func (e *Extractor) degreeEnd(text string) int {
	if wide(text) {
		for _, name := range wideDegrees() {
			if i := strings.Index(text, name); i >= 0 {
				return i + len(name)
			}
		}
		return 0
	}
	type word struct{ start, end int }
	var words []word
	for i := 0; i < len(text) && len(words) < 12; {
		for i < len(text) && strings.IndexByte(" ,:;()/", text[i]) >= 0 {
			i++
		}
		start := i
		for i < len(text) && strings.IndexByte(" ,:;()/", text[i]) < 0 {
			i++
		}
		if i > start {
			words = append(words, word{start, i})
		}
	}
	for i := range min(len(words), 3) {
		for n := min(5, len(words)-i); n > 0; n-- {
			name := text[words[i].start:words[i+n-1].end]
			k := key(name)
			if !e.words.degrees[k] || len(k) <= 2 && !capitals(name) && !strings.Contains(name, ".") {
				continue
			}
			if i > 0 && !strings.Contains(k, " ") && len(k) < 4 {
				continue
			}
			return words[i+n-1].end
		}
	}
	return 0
}

// grade reports whether a part of a header is a mark.
func grade(k string) bool {
	first, _, _ := strings.Cut(k, " ")
	switch first {
	case "gpa", "cgpa", "grade", "note", "mention", "abschlussnote", "nota", "overall", "major", "minor", "cum", "magna", "summa", "honors",
		"rank", "promedio", "gesamtnote", "expected", "graduated", "graduation", "grad", "thesis":
		return true
	default:
		return strings.Trim(k, "0123456789 ") == ""
	}
}
