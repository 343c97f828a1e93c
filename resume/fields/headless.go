package fields

import "slices"

// withoutHeadings divides the head of a page into sections by their content if no heading announces experience, as in a
// file without headings, or with headings that were not recognized. Kinds that a heading announces are not looked for.
func (r *sectionReader) withoutHeadings(all []*section) []*section {
	announced := func(k kind) bool { return slices.ContainsFunc(all, func(s *section) bool { return s.is(k) }) }
	if announced(experience) {
		return all
	}
	var divided []*section
	for _, s := range all {
		if s.kind == head {
			divided = append(divided, r.divideHead(s, announced)...)
		} else {
			divided = append(divided, s)
		}
	}
	return divided
}

// divideHead divides a head into paragraphs, and joins those that follow each other and are of the same kind. A
// paragraph whose kind is unknown or announced belongs to the one before. The first paragraph always stays in the head.
func (r *sectionReader) divideHead(s *section, announced func(kind) bool) []*section {
	all := []*section{{kind: head}}
	last := all[0]
	for i, lines := range paragraphs(s.lines) {
		k := other
		if i > 0 {
			k = r.contentKind(lines, "")
		}
		ofJob := last.kind == experience && k == skills && !lines[0].startsParagraph()
		dividing := slices.Contains([]kind{experience, education, languages, skills, certifications, publications}, k)
		if dividing && !announced(k) && k != last.kind && !ofJob {
			last = &section{kind: k, lines: r.takeHeader(k, last)}
			all = append(all, last)
		}
		last.lines = append(last.lines, lines...)
	}
	return all
}

// paragraphs divides lines at the gaps between them. Without gaps, every line is a paragraph.
func paragraphs(lines []*line) [][]*line {
	gaps := slices.ContainsFunc(lines[min(1, len(lines)):], (*line).startsParagraph)
	var all [][]*line
	for i, l := range lines {
		if i == 0 || !gaps || l.startsParagraph() {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], l)
	}
	return all
}

// startsParagraph reports whether there is a gap above a line.
func (l *line) startsParagraph() bool { return l.Gap > .5 }

// takeHeader takes the lines from the end of a section that belong to the first entry of the section that follows:
// "Acme GmbH" above "Engineer, 2019 – 2021".
func (r *sectionReader) takeHeader(k kind, from *section) []*line {
	if k != experience && k != education {
		return nil
	}
	start := len(from.lines)
	for start > 1 && len(from.lines)-start < 2 {
		l := from.lines[start-1]
		f := newFragment(l.text)
		if !headerShape(l) || r.titles.titleScore(f) == 0 && r.words.companyScore(f) == 0 && r.words.degreeEnd(l.text) == 0 {
			break
		}
		start--
	}
	taken := slices.Clone(from.lines[start:])
	from.lines = from.lines[:start]
	return taken
}
