package layout

import (
	"cmp"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/resume"
)

// A placed line is a line of text with its place on the page.
type placed struct {
	resume.Line
	Box
	baseline float64
	links    map[int]string // the text under each link of the page
}

// linesOf returns the lines of a region. Their Gap is the distance between baselines, or 0 for the first line.
func linesOf(r region, page int) []placed {
	var lines []placed
	for _, row := range r.rows {
		l := lineOf(row)
		if l.Text == "" {
			continue
		}
		l.Page = page
		if r.side {
			l.Part = resume.Sidebar
		}
		if n := len(lines); n > 0 {
			l.Gap = (lines[n-1].baseline - l.baseline) / l.Size
		}
		lines = append(lines, l)
	}
	return lines
}

// lineOf joins the words of a row into a line.
func lineOf(r row) placed {
	l := placed{Box: r.Box, baseline: r.baseline, links: map[int]string{}}
	if r.heading {
		l.Heading = 1
	}

	words, bullet := trimBullet(wordsOf(r))
	l.Bullet = bullet
	var text strings.Builder
	var bold, length int
	lengthBySize := map[float64]int{}
	var previous *word
	for i := range words {
		w := &words[i]
		gap := ""

		if previous != nil {
			bulletInCell := w.chunk != previous.chunk && strings.Contains(strongBullets, w.text)
			w.icon = w.icon || bulletInCell
			gap = separator(previous, w)
			text.WriteString(gap)
		}

		previous = w
		if w.icon {
			continue
		}

		text.WriteString(w.text)
		length += len(w.text)
		lengthBySize[w.size] += len(w.text)
		if w.bold {
			bold += len(w.text)
		}

		if w.link >= 0 {
			l.links[w.link] = strings.TrimSpace(l.links[w.link] + gap + w.text)
		}
	}

	l.Text = collapseSpace(text.String())
	l.Bold = 2*bold > length

	// The order of a map is random, so the larger of two sizes with the same amount of text must win.
	for size, n := range lengthBySize {
		longest := lengthBySize[l.Size]
		winsTie := n == longest && size > l.Size
		if n > longest || winsTie {
			l.Size = size
		}
	}

	return l
}

// wordsOf returns the words of a row in reading order.
func wordsOf(r row) []word {
	var words []word
	for i, part := range r.parts {
		added := wordsOf(part)
		if i > 0 {
			added[0].joint = r.joint
		}

		if r.heading { // justified headings have wide spaces
			for j := range added[1:] {
				added[j+1].joint = " "
			}
		}

		words = append(words, added...)
	}

	if r.parts != nil {
		return words
	}

	for _, c := range r.chunks {
		words = append(words, c.words...)
	}

	slices.SortStableFunc(words, func(a, b word) int { return cmp.Compare(a.Left, b.Left) })

	return wordsInReadingOrder(words)
}

// separator returns the text between two words of a line.
func separator(a, b *word) string {
	if b.joint != "" {
		return b.joint
	}
	gap := max(b.Left-a.Right, a.Left-b.Right) / max(a.size, b.size, 1)
	switch {
	case a.icon || b.icon: // icons separate the items of a line with contact details
		return "\t"
	case a.chunk == b.chunk:
		return " "
	case gap >= cellGap:
		return "\t"
	case gap < wordGap && a.baseline != b.baseline: // superscript or subscript
		return ""
	}
	return " "
}

// collapseSpace replaces each run of white space by a tab, if it contains one, or a space, and removes it at the ends.
func collapseSpace(text string) string {
	var cells []string
	for cell := range strings.SplitSeq(text, "\t") {
		if words := strings.Fields(cell); len(words) > 0 {
			cells = append(cells, strings.Join(words, " "))
		}
	}
	return strings.Join(cells, "\t")
}
