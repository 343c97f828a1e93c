package fields

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// certificationBlocks divides lines into blocks, one for each certification. Sections separate their entries in
// different ways. Each way that fits is a candidate, and the one whose blocks look most alike wins.
func (r *certificationReader) certificationBlocks(p *page, lines []certificationLine) [][]certificationLine {
	prominent := func(l certificationLine) bool { return p.distinct(l.line) || l.Size > smallest(lines)+.4 }
	ways := map[string]func(i int) bool{
		"list items": func(i int) bool { return lines[i].Bullet && lines[i].rest != "" },
		"gaps":       func(i int) bool { return lines[i].Gap > paragraphGap },
		"looks":      func(i int) bool { return prominent(lines[i]) && !prominent(lines[i-1]) },
		"dates last": func(i int) bool { return lines[i-1].date != "" && lines[i].rest != "" },
		"dates first": func(i int) bool {
			return lines[0].date != "" && lines[i].date != ""
		},
		"two lines each":   func(i int) bool { return i%2 == 0 },
		"three lines each": func(i int) bool { return i%3 == 0 },
		"one line each":    func(i int) bool { return lines[i].rest != "" && !r.continuesName(p, lines, i) },
	}

	var all []candidate[[][]certificationLine]
	for _, way := range []string{
		"list items", "gaps", "looks", "dates last", "dates first", "two lines each", "three lines each", "one line each",
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

	best, _ := choose(all, nil)
	return best.value
}

// certificationWay scores a way to divide n lines into blocks.
func (r *certificationReader) certificationWay(way string, blocks [][]certificationLine, n int) candidate[[][]certificationLine] {
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
		named := func(l certificationLine) bool { return r.words.certifications.any(l.key) }
		words := slices.DeleteFunc(slices.Clone(b), func(l certificationLine) bool { return !named(l) })
		countIf(&certified, len(words) > 1)
	}

	uniform := most == least && most > 1
	single := way == "one line each"
	byNumber := way == "two lines each" || way == "three lines each"

	return newCandidate(blocks, way,
		feature{"several blocks", len(blocks) > 1, 1},
		feature{"one line each", single, .6},
		feature{"list items, gaps or looks", !single && !byNumber && !strings.HasPrefix(way, "dates"), .7},
		feature{"list items", way == "list items" && len(blocks) > 1, 1},
		feature{"each block has one date", dated == len(blocks), 1.5},
		feature{"most blocks have one date", 2*dated > len(blocks), .5},
		feature{"the dates are on the same line of each block", aligned && datedLine >= 0 && !single, .5},
		feature{"blocks of the same size", uniform && len(blocks) > 1, .7},
		feature{"only the number of lines speaks for it", byNumber && (!uniform || dated < len(blocks)), -6},
		feature{"blocks with two dates", crowded > 0, -3},
		feature{"a single block, with a date inside", len(blocks) == 1 && datedLine >= 0 && datedLine < n-1, -2.5},
		feature{"blocks without a name", unnamed > 0, -2},
		feature{"long blocks", most > 5, -2},
		feature{"blocks with two names", certified > 0, -1.5},
	)
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
func (r *certificationReader) continuesName(p *page, lines []certificationLine, i int) bool {
	before := lines[i-1]
	l := lines[i]
	longest := 0
	for _, l := range lines {
		longest = max(longest, utf8.RuneCountInString(l.text))
	}

	word, _, several := strings.Cut(l.text, " ")
	full := utf8.RuneCountInString(before.text)+1+utf8.RuneCountInString(word) > longest
	return sum(
		feature{"most lines continue nothing", true, -1.5},
		feature{"the line before is unfinished", unfinished(before.text), 4},
		feature{"starts in lower case or with a bracket", firstIsLower(l.text) || strings.HasPrefix(l.text, "("), 3},
		feature{"its first word did not fit above", full, .8},
		feature{"no gap, unlike other lines", l.Gap <= .1 && slices.ContainsFunc(lines, gapAbove), 1},
		feature{"reads like an organization", r.words.companyScore(newFragment(l.rest)) > 0, -1},
		feature{"has a word for certifications", r.words.certifications.any(l.key), -1},
		feature{"a single word", !several, -.5},
		feature{"after a date", before.date != "", -4},
		feature{"list item or gap", l.Bullet || gapAbove(l), -6},
		feature{"looks different", p.distinct(l.line) != p.distinct(before.line) || l.Size != before.Size, -4},
	) > 0
}

func gapAbove(l certificationLine) bool { return l.Gap > paragraphGap }

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
