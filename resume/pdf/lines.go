package pdf

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"freelancer-matching/resume"
)

// placed is a line of text and where it stands.
type placed struct {
	resume.Line
	box
	baseline float64
	links    map[int]string // the text under each link of the page
}

// linesOf makes the lines of a region. Their Gap is from baseline to baseline; 0 for the first one.
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

// lineOf joins the words of a row.
func lineOf(r row) placed {
	var words []word
	for _, c := range r.chunks {
		words = append(words, c.words...)
	}
	slices.SortStableFunc(words, func(a, b word) int { return cmp.Compare(a.left, b.left) })
	l := placed{box: r.box, baseline: r.baseline, links: map[int]string{}}
	words, l.Bullet = unmark(logicalWords(words))
	var text strings.Builder
	var bold, length int
	weight := map[float64]int{}
	var before *word
	for i := range words {
		w := &words[i]
		gap := ""
		if before != nil {
			w.icon = w.icon || w.chunk != before.chunk && strings.Contains(strongMarks, w.text) // of an entry in a cell
			gap = separator(before, w)
			text.WriteString(gap)
		}
		if before = w; w.icon {
			continue
		}
		text.WriteString(w.text)
		length += len(w.text)
		weight[w.size] += len(w.text)
		if w.bold {
			bold += len(w.text)
		}
		if w.link >= 0 {
			l.links[w.link] = strings.TrimSpace(l.links[w.link] + gap + w.text)
		}
	}
	l.Text = spaced(text.String())
	l.Bold = 2*bold > length
	for size, n := range weight {
		if most := weight[l.Size]; n > most || n == most && size > l.Size {
			l.Size = size
		}
	}
	return l
}

// separator is what stands between two words of a line.
func separator(a, b *word) string {
	gap := max(b.left-a.right, a.left-b.right) / max(a.size, b.size, 1)
	switch {
	case a.icon || b.icon: // as between the entries of a line of contacts
		return "\t"
	case a.chunk == b.chunk:
		return " "
	case gap >= cellGap:
		return "\t"
	case gap < wordGap && a.baseline != b.baseline: // raised or lowered
		return ""
	}
	return " "
}

// spaced has one tab or one space where there are several, and none at its ends.
func spaced(text string) string {
	var b strings.Builder
	gap := ""
	for _, c := range text {
		switch {
		case c == '\t':
			gap = "\t"
			continue
		case unicode.IsSpace(c):
			gap = cmp.Or(gap, " ")
			continue
		}
		if b.Len() > 0 {
			b.WriteString(gap)
		}
		gap = ""
		b.WriteRune(c)
	}
	return b.String()
}
