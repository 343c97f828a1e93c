package synthetic

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestCatalog checks the data files, including any new trade.
func TestCatalog(t *testing.T) {
	c, err := readCatalog(dataFiles)
	if err != nil {
		t.Fatal(err)
	}

	if len(c.trades) < 40 {
		t.Errorf("%d trades, want 40 or more", len(c.trades))
	}

	used := map[string]bool{}
	trades := map[string]bool{}
	for i := range c.trades {
		trade := &c.trades[i]
		if trades[trade.Name] {
			t.Errorf("two trades are called %q", trade.Name)
		}

		trades[trade.Name] = true
		written := map[string]string{}
		for _, skill := range slices.Concat(slices.Concat(trade.borrowed...), trade.skills) {
			used[skill] = true
			for _, spelling := range append([]string{skill}, c.spellings[skill]...) {
				key := strings.ToLower(spelling)
				if other, ok := written[key]; ok && other != skill {
					t.Errorf("%s: %q may mean %q and %q", trade.Name, spelling, other, skill)
				}
				written[key] = skill

				if strings.Contains(spelling, ",") {
					t.Errorf("%s: the comma in %q would split it in a CSV cell", trade.Name, spelling)
				}
			}
		}

		checkSentences(t, trade.Name, trade.Sentences)
	}

	for skill, others := range c.spellings {
		if !used[skill] || slices.Contains(others, skill) {
			t.Errorf("spellings of %q: no trade uses it, or it is its own spelling", skill)
		}
	}

	checkSentences(t, "openings", c.phrases.Openings)
	checkSentences(t, "experience", c.phrases.Experience)
	checkSentences(t, "habits", c.phrases.Habits)
	checkSentences(t, "backgrounds", c.phrases.Backgrounds)
	checkSentences(t, "brief sentences", c.phrases.BriefSentences)
}

func checkSentences(t *testing.T, where string, sentences []template) {
	t.Helper()
	for _, s := range sentences {
		var text strings.Builder
		for _, part := range s {
			text.WriteString(part.text)
			text.WriteString(string(part.slot))
		}
		end := strings.TrimRight(text.String(), ".?!")
		if words := len(strings.Fields(end)); words > 20 || end == text.String() {
			t.Errorf("%s: not a sentence of up to 20 words: %q", where, text.String())
		}
	}
}

func TestReadCatalog_Faults(t *testing.T) {
	tests := []struct{ name, file, old, new, want string }{
		{"not JSON", "data/names.json", "{", "", "data/names.json"},
		{"unknown member", "data/trades/creative.json", `"makes"`, `"builds"`, `unknown field "builds"`},
		{"unknown slot", "data/phrases.json", "{hobby}", "{pastime}", "no slot {pastime}"},
		{"open brace", "data/phrases.json", "{hobby}", "{hobby", "a brace is not closed"},
		{"empty sentence", "data/phrases.json", `"Ready when you are."`, `""`, "a sentence is empty"},
		{"weight", "data/trades/language.json", `"weight": 6`, `"weight": 0`, `trade "Copywriting": weight must be above 0`},
		{"rate", "data/trades/language.json", `[8, 95]`, `[95, 8]`, `trade "Copywriting": rate must be two amounts`},
		{
			"unknown neighbor", "data/trades/language.json", `"neighbors": ["Search engine optimization"`,
			`"neighbors": ["Falconry"`, `no trade is called "Falconry"`,
		},
		{
			"too few skills", "data/trades/engineering.json", `"core": [`, `"core": [], "more": [`,
			`trade "Mechanical design": needs at least 5 core skills`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := copyOf(t, dataFiles)
			text := string(files[test.file].Data)
			if !strings.Contains(text, test.old) {
				t.Fatalf("%s does not contain %s", test.file, test.old)
			}

			files[test.file] = &fstest.MapFile{Data: []byte(strings.Replace(text, test.old, test.new, 1))}
			if _, err := readCatalog(files); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func copyOf(t *testing.T, from fs.FS) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	err := fs.WalkDir(from, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, path)
		files[path] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestChances(t *testing.T) {
	c := chances{}.with(1).with(2).with(1)
	for _, test := range []struct {
		u    float64
		want int
	}{{0, 0}, {0.2, 0}, {0.25, 1}, {0.5, 1}, {0.74, 1}, {0.75, 2}, {0.99, 2}} {
		if got := c.at(test.u); got != test.want {
			t.Errorf("at(%v) = %d, want %d", test.u, got, test.want)
		}
	}
}
