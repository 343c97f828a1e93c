// Package plain reads text files, with or without Markdown. It finds the layout that their authors expressed with
// characters: headings, bullets, gaps, and paragraphs whose lines an editor wrapped.
package plain

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/charset"
	"github.com/freelancer-matching/service/resume/flow"
)

// A Reader reads text files within its limits. It is safe for concurrent use.
type Reader struct{ limits flow.Limits }

var _ resume.Reader = (*Reader)(nil)

// New returns a Reader. All limits must be set.
func New(limits flow.Limits) *Reader { return &Reader{limits: limits} }

const (
	tabWidth = 8
	maxLine  = 100_000 // bytes; longer lines are cut into several
)

// Read implements resume.Reader.
func (r *Reader) Read(ctx context.Context, file []byte) (resume.Document, error) {
	if err := r.limits.CheckSize(file); err != nil {
		return resume.Document{}, err
	}

	text, lost := charset.Decode(file, "")
	b := flow.NewBuilder(r.limits)
	if lost {
		b.Lost()
	}

	lines, err := r.parse(ctx, b, text)
	if err != nil {
		return resume.Document{}, err
	}

	width := wrapWidth(lines)
	look := flow.Look{}
	for i, l := range lines {
		if l.heading == underline {
			continue
		}

		if i == 0 || !continues(lines[i-1], l, width) {
			b.StartParagraph(flow.Paragraph{Heading: l.heading, Bullet: l.bullet})
			for range l.above {
				b.EndParagraph() // an empty one is a gap
				b.StartParagraph(flow.Paragraph{Heading: l.heading, Bullet: l.bullet})
			}
		} else {
			b.Write(" ", look)
		}

		b.Write(l.text, flow.Look{Bold: l.bold})
	}

	return b.Document()
}

// A line is a line with text.
type line struct {
	text    string
	indent  int // columns before the text; behind a bullet
	end     int // the column after the text
	heading int // level; underline for a line under a heading
	bullet  bool
	bold    bool
	above   int // empty lines above, at most two
}

// underline is the level of a line that only underlines a heading.
const underline = -1

// parse splits the text into lines.
func (r *Reader) parse(ctx context.Context, b *flow.Builder, text string) ([]line, error) {
	var lines []line
	above := 0

	for text != "" {
		if err := b.Step(ctx); err != nil {
			return nil, err
		}

		var row string
		row, text = cutLine(text)
		l := parseLine(row)
		if l.text == "" && l.heading == 0 {
			above = min(above+1, 2)
			continue
		}

		l.above = above
		above = 0
		if l.heading == underline {
			if n := len(lines); n == 0 || l.above > 0 || lines[n-1].bullet || lines[n-1].heading != 0 ||
				lines[n-1].end > 60 {
				above = min(l.above+1, 2) // a rule between paragraphs
				continue
			}
			lines[len(lines)-1].heading = 1
		}

		lines = append(lines, l)
		if len(lines) > r.limits.Paragraphs {
			return nil, flow.TooComplex("The document has more than %d lines.", r.limits.Paragraphs)
		}
	}

	return lines, nil
}

// cutLine splits the text after the first line.
func cutLine(text string) (row, rest string) {
	window := text[:min(len(text), maxLine)]
	end := strings.IndexAny(window, "\n\r\f\v\u2028\u2029")
	if end < 0 {
		end = len(window)
		for end < len(text) && !utf8.RuneStart(text[end]) {
			end--
		}
		return text[:end], text[end:]
	}
	_, size := utf8.DecodeRuneInString(text[end:])
	if strings.HasPrefix(text[end:], "\r\n") {
		size = 2
	}
	return text[:end], text[end+size:]
}

// parseLine reads the indentation, the bullet and the Markdown of a line.
func parseLine(row string) line {
	row = strings.TrimRightFunc(row, unicode.IsSpace)
	text := strings.TrimLeftFunc(row, unicode.IsSpace)
	l := line{indent: columns(row[:len(row)-len(text)])}
	l.end = l.indent + columns(text)

	if isRule(text) {
		return line{heading: underline}
	}

	if marks := len(text) - len(strings.TrimLeft(text, "#")); 1 <= marks && marks <= 6 &&
		strings.HasPrefix(text[marks:], " ") {
		l.heading = marks
		text = strings.TrimSpace(strings.Trim(text, "#"))
	}

	// An item is indented as far as its text, so that lines which continue it align.
	if rest, bullet := flow.CutBullet(text); bullet {
		l.indent += columns(text[:len(text)-len(rest)])
		l.bullet = true
		text = rest
	}

	for _, mark := range []string{"**", "__"} {
		inner, found := strings.CutPrefix(text, mark)
		if inner, closed := strings.CutSuffix(inner, mark); found && closed && !strings.Contains(inner, mark) {
			text = inner
			l.bold = true
		}

		// An odd number of marks isn't emphasis, and the text keeps them.
		if strings.Count(text, mark)%2 == 0 {
			text = strings.ReplaceAll(text, mark, "")
		}
	}

	l.text = strings.TrimSpace(text)
	return l
}

// columns returns the width of a text on a screen.
func columns(text string) int {
	n := 0
	for _, r := range text {
		if r == '\t' {
			n += tabWidth - n%tabWidth
		} else {
			n++
		}
	}
	return n
}

// isRule reports whether a line only draws a rule: ====, ----, ____.
func isRule(text string) bool {
	const minLength = 3
	if utf8.RuneCountInString(text) < minLength {
		return false
	}
	return strings.Trim(text, "=-_*~#─━═—– ") == "" && !strings.Contains(text, "   ")
}

// wrapWidth returns the width at which an editor wrapped the lines of the text, or 0 if it didn't: the end of the
// longest line, if several lines end close to it and none is as long as a paragraph.
func wrapWidth(lines []line) int {
	const minWidth, maxWidth, close, several = 40, 120, 12, 3
	longest, near := 0, 0
	for _, l := range lines {
		longest = max(longest, l.end)
	}
	for i, l := range lines {
		if longest-l.end <= close && i+1 < len(lines) && lines[i+1].above == 0 && !hasGap(l.text) {
			near++
		}
	}
	if longest < minWidth || longest > maxWidth || near < several {
		return 0
	}
	return longest
}

// hasGap reports whether a line has a gap as wide as one between columns.
func hasGap(text string) bool { return strings.Contains(text, "   ") || strings.Contains(text, "\t") }

// continues reports whether a line continues the paragraph of the one before: wrapping filled the line before, so that
// the first word of this one didn't fit.
func continues(before, l line, width int) bool {
	if width == 0 || l.above > 0 || l.bullet || l.heading != 0 || before.heading != 0 || l.indent < before.indent ||
		l.indent > before.indent+2 && !before.bullet || hasGap(before.text) || hasGap(l.text) {
		return false
	}
	first, _, _ := strings.Cut(l.text, " ")
	if endsSentence(before.text) && l.end*3 < width*2 { // a heading or a line of its own follows as well
		return false
	}
	return before.end+1+columns(first) > width
}

func endsSentence(text string) bool {
	return text != "" && strings.ContainsAny(text[len(text)-1:], ".!?:;")
}
