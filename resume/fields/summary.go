package fields

import "strings"

// minSummary is the length in bytes from which running text below the name is a summary.
const minSummary = 80

// summarize returns the text of the first section that is a summary, or else the running text below the name.
func summarize(all []*section, named naming) (choice[string], bool) {
	var found []candidate[string]
	for _, s := range all {
		if s.is(summary) {
			found = append(found, summaryCandidate(describe(s.lines), "section", len(s.lines)))
		}
	}
	for _, s := range all {
		if s.kind == head {
			lines := runningText(s, named)
			found = append(found, summaryCandidate(describe(lines), "below the name", len(lines)))
		}
	}
	best, ok := choose(found, nil)
	if best.score <= 0 {
		return choice[string]{}, false
	}
	best.margin = best.score // a second summary is no rival
	return best, ok
}

func summaryCandidate(text, source string, lines int) candidate[string] {
	return newCandidate(text, source,
		feature{"any", true, -1},
		feature{"below a heading", source == "section", 5},
		feature{"running text", len(text) >= minSummary, 2},
		feature{"short text below the name", source != "section" && len(text) < minSummary, -2},
		feature{"empty", text == "", -20},
		feature{"more than a page", lines > 40, -2},
	)
}

// fullLine reports whether a line is as long as a line of running text, and has nothing that divides it.
func fullLine(l *line) bool {
	return len(l.text) > 60 && strings.Count(l.text, " ") > 7 && len(l.cells) == 1 &&
		!strings.ContainsAny(l.text, "|•·@") && countDigits(l.text) < minDigits
}

// runningText returns the first lines of the head that are sentences, list items, or continue them, up to the end of
// the paragraph that makes them long enough for a summary.
func runningText(s *section, named naming) []*line {
	var lines []*line
	length := 0
	for i, l := range s.lines {
		if l == named.line || strings.Contains(l.text, "@") {
			continue
		}
		continues := len(lines) > 0 && lines[len(lines)-1] == s.lines[i-1] && l.Gap < .3 && len(l.cells) == 1
		switch {
		case sentence(l.text) || l.Bullet || continues || fullLine(l):
			lines = append(lines, l)
			length += len(l.text)
		case length >= minSummary:
			return lines
		}
	}
	return lines
}
