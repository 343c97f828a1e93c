package csvfile

import (
	"bytes"
	"strings"

	"github.com/freelancer-matching/service/indexer/source/headers"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/internal/value"
)

// skipPreamble skips what may come before the header of a CSV file: the line "sep=;", with which spreadsheets declare
// the delimiter, and comments. It returns the declared delimiter, or 0.
//
// A line that begins with # is a comment only before the header, because later it may be a row: a title such as "#1
// designer".
func skipPreamble(in *input.Stream, o Options) (delim rune, err error) {
	if text := strings.Trim(firstLine(in), `"`); len(text) == 5 && strings.EqualFold(text[:4], "sep=") {
		delim = rune(text[4])
		if err := in.SkipLines(1); err != nil {
			return 0, err
		}
		in.Note("line %d declares the delimiter %q", in.SkippedLines, delim)
	}

	comments, first := 0, ""
	for !o.NoHeader && bytes.HasPrefix(in.Head, []byte{'#'}) && !isHeaderLine(firstLine(in), o) {
		if comments++; comments == 1 {
			first, _ = value.Line(firstLine(in), 60)
		}
		if err := in.SkipLines(1); err != nil {
			return 0, err
		}
	}

	if comments > 0 {
		in.Note("skipped comments above the header: %d, beginning with %q", comments, first)
	}

	return delim, nil
}

// firstLine returns the first line of head.
func firstLine(in *input.Stream) string {
	line, _, _ := bytes.Cut(in.Head, []byte{'\n'})
	return strings.TrimSuffix(string(line), "\r")
}

// isHeaderLine reports whether a line that begins with # is a header: a column named "#", or several known headers.
func isHeaderLine(line string, o Options) bool {
	candidates := headers.Delimiters
	if o.Delimiter != 0 {
		candidates = string(o.Delimiter)
	}
	for _, delim := range candidates {
		cells := strings.Split(line, string(delim))
		cells[0] = strings.Trim(cells[0], `# "`)
		if len(cells) > 1 && cells[0] == "" || o.Overrides.CountKnown(cells) > 1 {
			return true
		}
	}
	return false
}
