package achievements

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/wording"
)

// certificationBlocks divides lines into blocks, one for each certification. Sections separate their entries in
// different ways. Each way that fits is a candidate, and the one whose blocks look most alike wins.
func (r *CertificationReader) certificationBlocks(p *page.Page, lines []certificationLine) [][]certificationLine {
	prominent := func(l certificationLine) bool { return p.Distinct(l.Line) || l.Size > smallest(lines)+.4 }
	least := leastPitch(lines)
	const wider = 1.15 // than the distance of lines of one name
	ways := map[string]func(i int) bool{
		"list items": func(i int) bool { return lines[i].Bullet && lines[i].rest != "" },
		"gaps":       func(i int) bool { return lines[i].Gap > page.ParagraphGap },
		"pitch":      func(i int) bool { return pitch(lines, i) > wider*least },
		"looks":      func(i int) bool { return prominent(lines[i]) && !prominent(lines[i-1]) },
		"dates last": func(i int) bool { return lines[i-1].date != "" && lines[i].rest != "" },
		"dates first": func(i int) bool {
			return lines[0].date != "" && lines[i].date != ""
		},
		"two lines each":   func(i int) bool { return i%2 == 0 },
		"three lines each": func(i int) bool { return i%3 == 0 },
		"one line each":    func(i int) bool { return lines[i].rest != "" && !r.continuesName(p, lines, i) },
	}

	// A slice gives the order, because the first of equal candidates wins and a map has no order.
	var all []odds.Candidate[[][]certificationLine]
	for _, way := range []string{
		"list items", "gaps", "pitch", "looks", "dates last", "dates first",
		"two lines each", "three lines each", "one line each",
	} {
		var blocks [][]certificationLine
		for i, l := range lines {
			if i == 0 || ways[way](i) {
				blocks = append(blocks, nil)
			}
			blocks[len(blocks)-1] = append(blocks[len(blocks)-1], l)
		}

		all = append(all, r.certificationWay(way, blocks, len(lines)))
	}

	best, _ := odds.Choose(all, nil)
	return best.Value
}

// certificationWay scores a way to divide n lines into blocks.
func (r *CertificationReader) certificationWay(
	way string, blocks [][]certificationLine, n int,
) odds.Candidate[[][]certificationLine] {
	most := 0
	least := n
	dated := 0
	unnamed := 0
	crowded := 0
	aligned := true
	certified := 0
	datedLine := -1
	for _, b := range blocks {
		most = max(most, len(b))
		least = min(least, len(b))
		dates := 0
		for i, l := range b {
			if l.date == "" {
				continue
			}
			dates++
			aligned = aligned && (datedLine < 0 || i == datedLine)
			datedLine = i
		}

		countIf(&dated, dates == 1)
		countIf(&crowded, dates > 1)
		countIf(&unnamed, b[0].rest == "" && len(b) == 1 || !slices.ContainsFunc(b, func(l certificationLine) bool {
			return l.rest != ""
		}))
		named := func(l certificationLine) bool { return r.words.Certifications.Any(l.Key) }
		words := slices.DeleteFunc(slices.Clone(b), func(l certificationLine) bool { return !named(l) })
		countIf(&certified, len(words) > 1)
	}

	// Two or three lines each fit nearly any section, so they need dates and equal sizes.
	uniform := most == least && most > 1
	single := way == "one line each"
	byNumber := way == "two lines each" || way == "three lines each"

	return odds.NewCandidate(blocks, way,
		odds.If("several blocks", len(blocks) > 1, 1),
		odds.If("one line each", single, .6),
		odds.If("list items, gaps, pitch or looks", !single && !byNumber && !strings.HasPrefix(way, "dates"), .7),
		odds.If("list items", way == "list items" && len(blocks) > 1, 1),
		odds.If("each block has one date", dated == len(blocks), 1.5),
		odds.If("most blocks have one date", 2*dated > len(blocks), .5),
		odds.If("the dates are on the same line of each block", aligned && datedLine >= 0 && !single, .5),
		odds.If("blocks of the same size", uniform && len(blocks) > 1, .7),
		odds.If("only the number of lines speaks for it", byNumber && (!uniform || dated < len(blocks)), -6),
		odds.If("blocks with two dates", crowded > 0, -3),
		odds.If("a single block, with a date inside", len(blocks) == 1 && datedLine >= 0 && datedLine < n-1, -2.5),
		odds.If("blocks without a name", unnamed > 0, -2),
		odds.If("long blocks", most > 5, -2),
		odds.If("blocks with two names", certified > 0, -1.5),
	)
}

// pitch returns the distance in points from the line before line i to line i, 0 if it is unknown.
func pitch(lines []certificationLine, i int) float64 {
	above := lines[i-1]
	l := lines[i]
	if above.Page != l.Page || above.Part != l.Part || l.Place.Height == 0 {
		return 0
	}
	return max(l.Place.Y-above.Place.Y, 0)
}

// leastPitch returns the least known distance of two adjacent lines in points, 0 if none is known.
func leastPitch(lines []certificationLine) float64 {
	least := 0.0
	for i := 1; i < len(lines); i++ {
		if p := pitch(lines, i); p > 0 && (least == 0 || p < least) {
			least = p
		}
	}
	return least
}

// smallest returns the smallest size of the letters of lines.
func smallest(lines []certificationLine) float64 {
	size := lines[0].Size
	for _, l := range lines {
		size = min(size, l.Size)
	}
	return size
}

// continuesName reports whether line i continues the line before, which a narrow column broke.
func (r *CertificationReader) continuesName(p *page.Page, lines []certificationLine, i int) bool {
	before := lines[i-1]
	l := lines[i]
	longest := 0
	for _, l := range lines {
		longest = max(longest, utf8.RuneCountInString(l.Text))
	}

	// A word that would have fitted into the line above was put on a new line on purpose.
	word, _, several := strings.Cut(l.Text, " ")
	full := utf8.RuneCountInString(before.Text)+1+utf8.RuneCountInString(word) > longest
	return odds.Sum(
		odds.If("most lines continue nothing", true, -1.5),
		odds.If("the line before is unfinished", unfinished(before.Text), 4),
		odds.If("starts in lower case or with a bracket", wording.FirstIsLower(l.Text) || strings.HasPrefix(l.Text, "("), 3),
		odds.If("its first word did not fit above", full, .8),
		odds.If("no gap, unlike other lines", l.Gap <= .1 && slices.ContainsFunc(lines, gapAbove), 1),
		odds.If("reads like an organization", r.words.CompanyScore(wording.NewFragment(l.rest)) > 0, -1),
		odds.If("has a word for certifications", r.words.Certifications.Any(l.Key), -1),
		odds.If("a single word", !several, -.5),
		odds.If("after a date", before.date != "", -4),
		odds.If("list item or gap", l.Bullet || gapAbove(l), -6),
		odds.If("looks different", p.Distinct(l.Line) != p.Distinct(before.Line) || l.Size != before.Size, -4),
	) > 0
}

func gapAbove(l certificationLine) bool { return l.Gap > page.ParagraphGap }

// unfinished reports whether a line must continue on the next one.
func unfinished(text string) bool {
	return strings.HasSuffix(text, ",") || strings.HasSuffix(text, "-") || strings.HasSuffix(text, "–") ||
		strings.HasSuffix(text, "&") || strings.Count(text, "(") > strings.Count(text, ")")
}

// countIf increments n if is is true.
func countIf(n *int, is bool) {
	if is {
		*n++
	}
}
