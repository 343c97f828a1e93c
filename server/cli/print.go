package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

func newTable(out io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(out, 0, 0, 2, ' ', 0) }

// printFields writes one name and value per line. It omits fields with an empty value.
func printFields(out io.Writer, fields [][2]string) error {
	w := newTable(out)
	for _, f := range fields {
		if f[1] != "" {
			fmt.Fprintf(w, "%s\t%s\n", f[0], f[1])
		}
	}
	return w.Flush()
}

// minute returns t in UTC to the minute, such as 2026-01-31 09:30Z, or zero if t is the zero time.
func minute(t time.Time, zero string) string {
	if t.IsZero() {
		return zero
	}
	return t.UTC().Format("2006-01-02 15:04Z")
}

// orDash returns text, or a dash if it is empty.
func orDash(text string) string { return cmp.Or(text, "–") }

// printable replaces the characters in a person's text that could move the terminal's cursor. Names of old keys may
// contain any character.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// short returns at most n characters of a printable text. A longer text ends with "…".
func short(text string, n int) string {
	runes := []rune(printable(text))
	if len(runes) <= n {
		return string(runes)
	}
	return string(runes[:n-1]) + "…"
}
