package build

import (
	"strings"
	"testing"
)

// TestNotPerson checks rows of a table with the columns name, skills and jobs.
func TestNotPerson(t *testing.T) {
	t.Parallel()
	tests := []struct{ row, want string }{
		{"name|skills|jobs", remarkHeader},
		{" Name |SKILLS|", remarkHeader},
		{"Skills|Name|12", ""}, // people may have odd names
		{"name|Go|", ""},
		{"name||", ""},
		{"----|------|---", remarkRule},
		{"====||", remarkRule},
		{"# new since Monday", remarkComment},
		{"#1 Go developer|Go|", ""},
		{"-|Go|12", ""},
		{"-||", ""}, // an unknown value
		{"Total: 250||", remarkTotal},
		{"|Total|250", remarkTotal},
		{"TOTAL||1,204", remarkTotal},
		{"Grand total||$250", remarkTotal},
		{"Summe||12", remarkTotal},
		{"Średnia||4,5", remarkTotal},
		{"Total Recall||12", ""},
		{"Total|Archiving|12", ""},
		{"Totally Spies||", ""},
		{"Mira Total|Go|12", ""},
		{"Mira Talden||", ""},
		{"||", ""},
	}
	for _, test := range tests {
		got := notPerson(strings.Split(test.row, "|"), []string{"name", "skills", "jobs"})
		if got != test.want {
			t.Errorf("%q: %q, want %q", test.row, got, test.want)
		}
	}
}
