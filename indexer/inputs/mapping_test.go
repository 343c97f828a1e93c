package inputs

import "testing"

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"Price": "Price", "stats.rating": "stats.rating", "Col 7": "'Col 7'", "": "''", "it's": `'it'\''s'`, "$(x)": "'$(x)'",
	} {
		if got := shellWord(word); got != want {
			t.Errorf("shellWord(%q) = %s, want %s", word, got, want)
		}
	}
}
