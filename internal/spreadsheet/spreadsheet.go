// Package spreadsheet makes texts of others safe in files that people open with a spreadsheet program.
package spreadsheet

import "strings"

// Cell returns the text of a cell of a CSV file. A program would run a text that starts like a formula, so Cell puts an
// apostrophe before it.
func Cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}
