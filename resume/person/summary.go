package person

import (
	"strings"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/odds"
	"github.com/freelancer-matching/service/resume/page"
	"github.com/freelancer-matching/service/resume/sections"
	"github.com/freelancer-matching/service/resume/wording"
)

// Summarize returns the text of the first section that is a summary, or else the running text below the name.
func Summarize(all []*sections.Section, named Naming) (odds.Choice[string], bool) {
	var found []odds.Candidate[string]
	for _, s := range all {
		if s.Is(lexicon.Summary) {
			found = append(found, summaryCandidate(page.Describe(s.Lines), "section", len(s.Lines)))
		}
	}
	for _, s := range all {
		if s.Kind == lexicon.Head {
			lines := runningText(s, named)
			found = append(found, summaryCandidate(page.Describe(lines), "below the name", len(lines)))
		}
	}
	best, ok := odds.Choose(found, nil)
	if best.Score <= 0 {
		return odds.Choice[string]{}, false
	}
	best.Margin = best.Score // a second summary is no rival
	return best, ok
}

func summaryCandidate(text, source string, lines int) odds.Candidate[string] {
	return odds.NewCandidate(text, source,
		odds.If("any", true, -1),
		odds.If("below a heading", source == "section", 5),
		odds.If("running text", len(text) >= sections.MinSummary, 2),
		odds.If("short text below the name", source != "section" && len(text) < sections.MinSummary, -2),
		odds.If("empty", text == "", -20),
		odds.If("more than a page", lines > 40, -2),
	)
}

// fullLine reports whether a line is as long as a line of running text, and has nothing that divides it.
func fullLine(l *page.Line) bool {
	return len(l.Text) > 60 && strings.Count(l.Text, " ") > 7 && len(l.Cells) == 1 &&
		!strings.ContainsAny(l.Text, "|•·@") && wording.CountDigits(l.Text) < minDigits
}

// runningText returns the first lines of the head that are sentences, list items, or continue them, up to the end of
// the paragraph that makes them long enough for a summary.
func runningText(s *sections.Section, named Naming) []*page.Line {
	var lines []*page.Line
	length := 0
	for i, l := range s.Lines {
		if l == named.line || strings.Contains(l.Text, "@") {
			continue
		}
		continues := len(lines) > 0 && lines[len(lines)-1] == s.Lines[i-1] && l.Gap < .3 && len(l.Cells) == 1
		switch {
		case wording.Sentence(l.Text) || l.Bullet || continues || fullLine(l):
			lines = append(lines, l)
			length += len(l.Text)
		case length >= sections.MinSummary:
			return lines
		}
	}
	return lines
}
