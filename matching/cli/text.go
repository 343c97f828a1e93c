package cli

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/indexer/format"
)

// printable returns a text of the server for a terminal: a profile may have control characters in it, which would move
// the cursor or change colors.
func printable(text string, limit int) string { return format.Printable(text, limit) }

// barWidth is the number of columns of the picture of a score.
const barWidth = 12

// bar draws a value from 0 to 1, to an eighth of a column.
func bar(value float64) string {
	eighths := int(math.Round(max(0, min(1, value)) * barWidth * 8))
	parts := []rune("▏▎▍▌▋▊▉")
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string(parts[rest-1])
	}
	return text + strings.Repeat("░", barWidth-utf8.RuneCountInString(text))
}

// picture returns the bar of a value with a space after it, or "" if stdout isn't a terminal.
func (c *cli) picture(value float64) string {
	if !c.terminal {
		return ""
	}
	return bar(value) + " "
}

// money formats an amount with commas, without cents from 100 on.
func money(amount float64) string {
	if amount == math.Trunc(amount) || amount >= 100 {
		return format.Number(int(math.Round(amount)))
	}
	return fmt.Sprintf("%.2f", amount)
}

// wrapped prints texts, separated by "; ", on lines that begin with an indent and end before the right edge.
func (c *cli) wrapped(indent string, texts ...string) {
	words := strings.Fields(strings.Join(texts, "; "))
	for _, line := range format.WrapList(words, " ", c.width-len(indent)) {
		fmt.Fprintln(c.stdout, indent+line)
	}
}

// joinNonEmpty joins the texts that are not empty.
func joinNonEmpty(separator string, texts ...string) string {
	var kept []string
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, separator)
}

// list returns a prefix and the items of a list, or "" for an empty one.
func list(prefix string, items []string) string {
	if len(items) == 0 {
		return ""
	}
	return prefix + printable(strings.Join(items, ", "), 300)
}
