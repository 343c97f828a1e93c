// Package format writes numbers, times and lists as text for a terminal of 80 columns.
package format

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

// Width is the number of columns of the narrowest terminal that reports fit on.
const Width = 80

// countWidth is the width of a count at the start of a line, with the space after it.
const countWidth = 13

// TimeLayout is the layout of times in UTC.
const TimeLayout = "2006-01-02 15:04:05Z"

// Number formats n with commas: 1,234.
func Number(n int) string { return humanize.Comma(int64(n)) }

// Count formats n with commas and a noun: "1 row", "1,234 rows".
func Count(n int, noun, plural string) string {
	return Number(n) + " " + english.PluralWord(n, noun, plural)
}

// Printable makes text from a file safe for a terminal: one line, without control characters, at most limit characters.
func Printable(text string, limit int) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text))
	if len(runes) > limit {
		runes = append(runes[:limit-1], '…')
	}
	return string(runes)
}

// WrapList joins the items of a list into lines of about width characters.
func WrapList(items []string, separator string, width int) (lines []string) {
	for i, item := range items {
		last := len(lines) - 1
		size := utf8.RuneCountInString(separator) + utf8.RuneCountInString(item)
		if i == 0 || utf8.RuneCountInString(lines[last])+size > width {
			if i > 0 {
				lines[last] += strings.TrimRight(separator, " ")
			}
			lines = append(lines, item)
			continue
		}
		lines[last] += separator + item
	}
	return lines
}

// PrintCounted prints a count with a text, and a remark: beside the text if there is room, or below it.
func PrintCounted(w io.Writer, n int, text, remark string) {
	width := Width - countWidth
	lines := WrapList(strings.Fields(text), " ", width)
	if len(lines) == 0 {
		lines = []string{""}
	}

	if last := &lines[len(lines)-1]; remark != "" {
		if len(lines) == 1 && utf8.RuneCountInString(*last)+2+utf8.RuneCountInString(remark) <= width {
			*last += "  " + remark
		} else {
			lines = append(lines, WrapList(strings.Split(remark, ", "), ", ", width)...)
		}
	}

	for i, line := range lines {
		if i == 0 {
			fmt.Fprintf(w, "  %10s %s\n", Number(n), line)
		} else {
			fmt.Fprintf(w, "%*s%s\n", countWidth, "", line)
		}
	}
}

// Prefixed returns text after a prefix, or nothing if text is empty.
func Prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// TimeOrDash formats a time in UTC, or returns a dash for the zero time.
func TimeOrDash(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(TimeLayout)
}
