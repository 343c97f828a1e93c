package skills

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/dates"
	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
	"github.com/freelancer-matching/service/taxonomy"
)

// A listReader divides lists of skills into items.
type listReader struct {
	words    *lexicon.Lexicon
	dates    *dates.Finder
	taxonomy *taxonomy.Taxonomy
}

// A skillRow is a row of a list of skills: a line without the name of its group, and the lines that continue it.
type skillRow struct {
	text    string
	skipped bool // its group is about something else, such as certifications
}

// widths returns the number of characters in the longest line of each part of the pages.
func widths(all []*sections.Section) map[resume.Part]int {
	longest := make(map[resume.Part]int)
	for _, s := range all {
		for _, l := range s.Lines {
			longest[l.Part] = max(longest[l.Part], utf8.RuneCountInString(l.Text))
		}
	}
	return longest
}

// skillRows returns the rows of a list of skills.
func (r *listReader) skillRows(s *sections.Section, longest map[resume.Part]int) []skillRow {
	var rows []skillRow
	var before *page.Line
	for i, l := range s.Lines {
		if r.headsLevels(l) {
			before = nil
			continue
		}

		label, values := r.withoutGroup(s, i)
		if values = strings.TrimSpace(values); values == "" {
			before = nil
			continue
		}

		// A line with a group of its own always starts a row.
		continues := before != nil && label == "" && r.continuesRow(rows[len(rows)-1].text, before, l, longest[l.Part])
		if continues {
			row := &rows[len(rows)-1].text
			between, divided := wording.Joint(*row, values)
			if divided {
				*row = (*row)[:len(*row)-1]
			}
			*row += between + values
		} else {
			rows = append(rows, skillRow{values, r.otherGroup(label, values)})
		}

		before = l
	}

	return rows
}

// headsLevels reports whether a line is the head of a grid of levels of languages, or a row of it: at least two cells,
// all but the first with nothing but words around levels ("Listening", "Spoken interaction") or levels ("B2").
func (r *listReader) headsLevels(l *page.Line) bool {
	const minCells = 3
	if len(l.Cells) < minCells {
		return false
	}
	for _, cell := range l.Cells[1:] {
		for word := range strings.FieldsSeq(wording.Key(cell)) {
			if !r.words.LevelWords[word] {
				return false
			}
		}
	}
	return true
}

// continuesRow reports whether a line continues the row that ends with the line before. A line break is part of a row
// if the row announces more (a comma, an open bracket), if both ends of it make one skill, or if the line was too full
// for another word and the list goes on.
func (r *listReader) continuesRow(row string, before, l *page.Line, width int) bool {
	// The first line of a page has no meaningful gap.
	apart := l.Part != before.Part || l.Page > before.Page+1 || l.Gap > .5 && l.Page == before.Page
	looksNew := l.Bullet || len(l.Cells) > 1 || l.Style().Size != before.Style().Size
	if apart || looksNew {
		return false
	}

	items := splitList(row)
	if len(items) == 0 {
		return false
	}

	lastItem := items[len(items)-1]
	if r.announcesMore(row, lastItem, l.Text) {
		return true
	}

	firstItem := l.Text
	if i := strings.IndexFunc(firstItem, wording.ListSign); i >= 0 {
		firstItem = firstItem[:i]
	}

	// A single short row says nothing about whether the list goes on.
	isLong := len(items) > 1 || utf8.RuneCountInString(row) > 2*maxGroup
	several := isLong && !strings.Contains(row, "\t")
	bothKnown := r.knownName(lastItem) && r.knownName(firstItem)
	lowerFollows := wording.FirstIsLower(l.Text) && !wording.FirstIsLower(row)
	switch {
	case r.knownName(lastItem + " " + firstItem):
		return several || !bothKnown
	case lowerFollows && (before.Bullet || several):
		return true
	case bothKnown || !several:
		return false
	}

	// The line before was full if the first word of this one didn't fit. Letters differ in width, so a line that is a
	// little shorter than the longest one counts as full, too.
	const full = .9
	firstWord, _, _ := strings.Cut(l.Text, " ")
	needed := utf8.RuneCountInString(before.Text) + 1 + utf8.RuneCountInString(firstWord)
	return float64(needed) > full*float64(width)
}

// announcesMore reports whether a row of a list can't end before the next line: a hyphen divides a word, or the row
// ends with a comma, within brackets, or with a word such as "and".
func (r *listReader) announcesMore(row, lastItem, next string) bool {
	if _, divided := wording.Joint(row, next); divided {
		return true
	}

	last, _ := utf8.DecodeLastRuneInString(row)
	if strings.ContainsRune(",;&/，、(", last) || openBracket(row) {
		return true
	}

	words := strings.Fields(lastItem)
	return len(words) > 0 && r.words.Joiners[strings.ToLower(words[len(words)-1])]
}

// knownName reports whether the taxonomy has a name.
func (r *listReader) knownName(name string) bool { return r.taxonomy.Resolve(name).Known }

// prose reports whether a row of a list of skills is running text: its parts between commas are too long for names.
// afterLead says that words such as "experience with" were cut off.
func (r *listReader) prose(text string, items []string, afterLead bool) bool {
	if wording.Wide(text) {
		return strings.Contains(text, "。")
	}
	words, function := 0, 0
	for word := range strings.FieldsSeq(text) {
		words++
		if r.words.FunctionWords[strings.ToLower(strings.Trim(word, ",;."))] {
			function++
		}
	}
	switch perItem := float64(words) / float64(max(len(items), 1)); {
	case perItem > 6:
		return true
	case perItem > 3:
		return strings.HasSuffix(text, ".") || afterLead || len(items) > 1 && 6*function >= words
	default:
		return false
	}
}

// listItems returns the items of the lists in a section, and its running text. A section with many lines of other
// entries, such as degrees below "Qualifications", has running text only.
func (r *listReader) listItems(s *sections.Section, longest map[resume.Part]int) (items []string, running string) {
	rows := r.skillRows(s, longest)
	others := 0
	for _, row := range rows {
		if r.otherEntry(row.text) {
			others++
		}
	}

	// Where a third of the rows are entries of another kind, the section is no list of skills.
	ofOtherKind := 3*others >= len(rows)
	var text strings.Builder
	for i, row := range rows {
		if row.skipped || r.otherEntry(row.text) {
			continue
		}

		rest, afterLead := r.withoutLead(row.text)
		list := splitList(rest)

		// "Experience in leadership" is a name.
		short := strings.Count(row.text, " ") < 4 && !strings.HasSuffix(row.text, ".")
		if len(list) == 1 && short {
			rest = row.text
			afterLead = false
			list = []string{row.text}
		}

		if len(list) == 1 && !strings.HasSuffix(rest, ".") {
			if glued := r.splitGlued(rest); glued != nil {
				list = glued
			}
		}

		if ofOtherKind || r.prose(rest, list, afterLead) {
			text.WriteString("\n" + row.text + "\n")
			continue
		}

		isEmpty := len(list) == 0
		if isEmpty || len(list) == 1 && r.aboveList(rows[i:]) {
			continue
		}

		list[0] = r.withoutHeading(list)
		items = append(items, list[:min(len(list), maxListed-len(items))]...)
	}

	return slices.Clip(items), text.String()
}
