package sections

import (
	"slices"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/wording"
)

// withoutHeadings divides the head of a page into sections by their content if no heading announces experience, as in a
// file without headings, or with headings that were not recognized. Kinds that a heading announces are not looked for.
func (r *Reader) withoutHeadings(all []*Section) []*Section {
	announced := func(k lexicon.Kind) bool { return slices.ContainsFunc(all, func(s *Section) bool { return s.Is(k) }) }
	if announced(lexicon.Experience) {
		return all
	}
	var divided []*Section
	for _, s := range all {
		if s.Kind == lexicon.Head {
			divided = append(divided, r.divideHead(s, announced)...)
		} else {
			divided = append(divided, s)
		}
	}
	return divided
}

// recognizedByContent lists the kinds of sections that are recognized without their headings.
var recognizedByContent = []lexicon.Kind{
	lexicon.Experience, lexicon.Education, lexicon.Languages, lexicon.Skills, lexicon.Certifications, lexicon.Publications,
}

// divideHead divides a head into paragraphs, and joins those that follow each other and are of the same kind. A
// paragraph whose kind is unknown or announced belongs to the one before. The first paragraph always stays in the head.
func (r *Reader) divideHead(s *Section, announced func(lexicon.Kind) bool) []*Section {
	all := []*Section{{Kind: lexicon.Head}}
	last := all[0]
	for i, lines := range paragraphs(s.Lines) {
		k := lexicon.Other
		if i > 0 {
			k = r.contentKind(lines, "")
		}

		// A list of technologies right below a job describes the job.
		ofJob := last.Kind == lexicon.Experience && k == lexicon.Skills && !lines[0].StartsParagraph()
		isOtherKind := k != last.Kind && slices.Contains(recognizedByContent, k) && !announced(k)
		if isOtherKind && !ofJob {
			last = &Section{Kind: k, Lines: r.takeHeader(k, last)}
			all = append(all, last)
		}
		last.Lines = append(last.Lines, lines...)
	}
	return all
}

// paragraphs divides lines at the gaps between them. Without gaps, every line is a paragraph.
func paragraphs(lines []*page.Line) [][]*page.Line {
	gaps := slices.ContainsFunc(lines[min(1, len(lines)):], (*page.Line).StartsParagraph)
	var all [][]*page.Line
	for i, l := range lines {
		startsParagraph := !gaps || l.StartsParagraph()
		if i == 0 || startsParagraph {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], l)
	}
	return all
}

// takeHeader takes the lines from the end of a section that belong to the first entry of the section that follows:
// "Acme GmbH" above "Engineer, 2019 – 2021".
func (r *Reader) takeHeader(k lexicon.Kind, from *Section) []*page.Line {
	if k != lexicon.Experience && k != lexicon.Education {
		return nil
	}
	start := len(from.Lines)
	for start > 1 && len(from.Lines)-start < 2 {
		l := from.Lines[start-1]
		f := wording.NewFragment(l.Text)
		named := r.titles.TitleScore(f) > 0 || r.words.CompanyScore(f) > 0 || r.words.DegreeEnd(l.Text) > 0
		if !page.HeaderShape(l) || !named {
			break
		}
		start--
	}
	taken := slices.Clone(from.Lines[start:])
	from.Lines = from.Lines[:start]
	return taken
}
