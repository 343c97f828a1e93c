package build

import (
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/internal/value"
)

// Remarks on rows that aren't about anybody.
const (
	remarkHeader   = "skipped, because the row repeats the header"
	remarkTotal    = "skipped, because the row has totals"
	remarkComment  = "skipped, because the row is a comment"
	remarkRule     = "skipped, because the row is a line between rows"
	remarkOnlyName = "the row has only a name, so no search finds this person"
)

// notPerson returns why a row isn't about anybody, or "". Such rows are common in files that people put together by
// hand, and neither a person nor a mistake that should stop a load.
func notPerson(cells, headers []string) string {
	switch {
	case repeatsHeader(cells, headers):
		return remarkHeader
	case len(cells) == 1 && len(headers) > 1 && strings.HasPrefix(cells[0], "#"):
		return remarkComment
	case isRule(cells):
		return remarkRule
	case hasTotals(cells):
		return remarkTotal
	}
	return ""
}

// repeatsHeader reports whether every cell has the header of its column, or is empty.
func repeatsHeader(cells, headers []string) bool {
	same := 0
	for i, cell := range cells {
		cell = strings.TrimSpace(cell)
		switch {
		case cell == "":
		case i >= len(headers) || !strings.EqualFold(cell, strings.TrimSpace(headers[i])):
			return false
		default:
			same++
		}
	}
	return same > 1 || same == 1 && len(headers) == 1
}

// isRule reports whether all cells are lines drawn with hyphens, equals signs or the like, or empty.
func isRule(cells []string) bool {
	drawn := false
	for _, cell := range cells {
		cell = strings.TrimSpace(cell)
		if cell == "" {
			continue
		}
		if len(cell) < 3 || strings.Trim(cell, "-=_*~+:") != "" {
			return false
		}
		drawn = true
	}
	return drawn
}

// hasTotals reports whether the first cell is a word such as "Total", perhaps with a number, and no other cell has
// letters.
func hasTotals(cells []string) bool {
	isFirst := true
	for _, cell := range cells {
		cell = strings.TrimSpace(cell)
		if cell == "" {
			continue
		}

		if isFirst {
			rest, ok := value.CutTotal(cell)
			if !ok {
				return false
			}
			cell = rest
			isFirst = false
		}

		if strings.ContainsFunc(cell, unicode.IsLetter) {
			return false
		}
	}

	return !isFirst
}
