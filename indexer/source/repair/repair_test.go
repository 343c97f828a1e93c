package repair_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"github.com/freelancer-matching/service/indexer/source/repair"
)

func TestCell(t *testing.T) {
	for _, test := range []struct{ name, cell, want, remark string }{
		{"a text for Excel", `="00123"`, "00123", ""},
		{"a text for Excel with quotes", `="the ""best"""`, `the "best"`, ""},
		{"another formula", `="a"&"b"`, `="a"&"b"`, ""},
		{"an unfinished formula", `="a`, `="a`, ""},
		{"an empty formula", `=""`, "", ""},
		{"digits after an apostrophe", "'00125", "00125", ""},
		{"a name with an apostrophe", "'t Hooft", "'t Hooft", ""},
		{"only an apostrophe", "'", "'", ""},
		{"decoded letters", "JÃ¼rgen MÃ¶ller", "Jürgen Möller", repair.RemarkDecoded},
		{"a control character for a byte without a letter", "Å\u0081ukasz Å»ak", "Łukasz Żak", repair.RemarkDecoded},
		{"decoded punctuation", "Dâ€™Arcy", "D’Arcy", repair.RemarkDecoded},
		{"decoded twice", "RenÃƒÂ©e", "Renée", repair.RemarkDecoded},
		{"decoded Cyrillic", decodedWrongly("Москва"), "Москва", repair.RemarkDecoded},
		{"a formula with decoded letters", `="ZoÃ«"`, "Zoë", repair.RemarkDecoded},
		{"decoded letters beside right ones", "MÃ¼ller – 日本", "MÃ¼ller – 日本", repair.RemarkDamaged},
		{"right letters", "Zoë Müller, São João", "Zoë Müller, São João", ""},
		{"capitals before punctuation", "CAFÉ… IRMÃ, Â", "CAFÉ… IRMÃ, Â", ""},
		{"a capital before a closing quote", "«À LA CARTÉ»", "«À LA CARTÉ»", ""},
		{"ASCII", "Developer", "Developer", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, remark := repair.Cell(test.cell)
			if text != test.want || remark != test.remark {
				t.Errorf("Cell(%q) = %q, %q; want %q, %q", test.cell, text, remark, test.want, test.remark)
			}
		})
	}
}

// decodedWrongly returns the text that a program shows when it decodes UTF-8 as Windows-1252. It keeps bytes without a
// letter as control characters.
func decodedWrongly(s string) string {
	var text []rune
	for _, b := range []byte(s) {
		r := charmap.Windows1252.DecodeByte(b)
		if r == utf8.RuneError {
			r = rune(b)
		}
		text = append(text, r)
	}
	return string(text)
}

func TestRow_LeavesTheReadersCells(t *testing.T) {
	cells := []string{"Ann", `="7"`, "JÃ¼rgen"}
	var warned []int
	var row repair.Row
	got := row.Repair(cells, func(column int, _, _ string) { warned = append(warned, column) })

	if want := []string{"Ann", "7", "Jürgen"}; !slices.Equal(got, want) {
		t.Errorf("repaired %q, want %q", got, want)
	}
	if want := []string{"Ann", `="7"`, "JÃ¼rgen"}; !slices.Equal(cells, want) {
		t.Errorf("the cells of the reader became %q", cells)
	}

	unchanged := []string{"Bo", "8"}
	if got := row.Repair(unchanged, nil); !slices.Equal(got, unchanged) {
		t.Errorf("repaired %q, want %q", got, unchanged)
	}
	row.Repair([]string{`="9"`}, nil)
	if want := []string{"Bo", "8"}; !slices.Equal(unchanged, want) {
		t.Errorf("the cells of an earlier row became %q", unchanged)
	}

	if want := []int{2}; !slices.Equal(warned, want) {
		t.Errorf("warned about the columns %v, want %v", warned, want)
	}
}

func FuzzCell(f *testing.F) {
	for _, s := range []string{"Müller", "Łódź", "Москва", "日本語", "plain", "É…", `="1"`} {
		f.Add(s)
		f.Add(decodedWrongly(s))
	}
	f.Fuzz(func(t *testing.T, cell string) {
		text, _ := repair.Cell(cell)
		if again := string(repair.Bytes([]byte(cell))); again != text {
			t.Errorf("Bytes(%q) = %q, want %q", cell, again, text)
		}
		if utf8.ValidString(cell) && !utf8.ValidString(text) {
			t.Errorf("Cell(%q) = %q, which is not UTF-8", cell, text)
		}
	})
}
