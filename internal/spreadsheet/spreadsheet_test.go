package spreadsheet_test

import (
	"testing"

	"github.com/freelancer-matching/service/internal/spreadsheet"
)

func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"":                "",
		"Mira":            "Mira",
		"a=b":             "a=b",
		"=1+1":            "'=1+1",
		"+1":              "'+1",
		"-1":              "'-1",
		"@SUM(A1)":        "'@SUM(A1)",
		"\t=1":            "'\t=1",
		"\r=1":            "'\r=1",
		"\n=1":            "'\n=1",
		"\u00e9":          "\u00e9",
		"system,=1+1,\"x": "system,=1+1,\"x",
	} {
		if got := spreadsheet.Cell(text); got != want {
			t.Errorf("Cell(%q) = %q, want %q", text, got, want)
		}
	}
}
