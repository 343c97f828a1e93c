package layout

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDocument_RecordsFromRightToLeft(t *testing.T) {
	var glyphs []Glyph
	add := func(x, y float64, text string) { glyphs = append(glyphs, glyphsOf(x, y, text)...) }
	long := reversed("כתבתי את התוכנה של הבנק בשפה חדשה ועם אנשים טובים")
	add(480, 700, "2019 – 2021")
	add(490, 686, reversed("ברלין"))
	add(390, 700, reversed("מהנדס תוכנה"))
	add(200, 686, long)
	add(200, 672, long)
	add(480, 630, "2016 – 2019")
	add(490, 616, reversed("בון"))
	add(420, 630, reversed("פקיד"))
	add(200, 616, long)
	add(200, 602, long)
	var got []string
	for _, l := range layOutPage(t, glyphs).Lines {
		got = append(got, l.Text)
	}

	want := []string{
		"2019 – 2021\tברלין\tמהנדס תוכנה", reversed(long), reversed(long),
		"2016 – 2019\tבון\tפקיד", reversed(long), reversed(long),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The names of fields are dense, and none of them has a date beside it.
func TestDocument_NamesOfFields(t *testing.T) {
	var glyphs []Glyph
	var want []string
	y := 700.0
	for _, row := range []struct{ name, value string }{
		{"Name:", "Jan Georg Quill"},
		{"Adresse:", "Kurweg 154"},
		{"", "67435 Neustadt"},
		{"Eltern:", "Birgit Quill, Lehrerin"},
		{"Schule", ""},
		{"Sprachen:", "Deutsch und Englisch"},
		{"Hobbys:", "Lesen und Schwimmen"},
	} {
		text := row.name + row.value
		if row.name != "" {
			glyphs = append(glyphs, glyphsOf(57, y, row.name)...)
		}
		if row.value != "" {
			glyphs = append(glyphs, glyphsOf(185, y, row.value)...)
		}
		if row.name != "" && row.value != "" {
			text = row.name + "\t" + row.value
		}
		want = append(want, text)
		y -= 14
	}

	var got []string
	for _, l := range layOutPage(t, glyphs).Lines {
		got = append(got, l.Text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestIsDate(t *testing.T) {
	tests := map[string]bool{
		"2019 – 2021": true, "Jan 2019 – heute": true, "03/2019 - 11/2021": true, "12 March 2020": true,
		"de mars 2019 à juin 2021": true, "Summer 2021": true, "2019年4月 – 2021年3月": true, "since 2019": true,
		"Berlin": false, "Report Expert 2022": false, "Acme, a company founded in 2019": false, "+49 30 5550": false,
		"University of Leeds, 2014 – 2016, with honors": false,
	}
	for text, want := range tests {
		if got := isDate(text); got != want {
			t.Errorf("isDate(%q): got %v", text, got)
		}
	}
}

func TestContinuesDate(t *testing.T) {
	tests := []struct {
		above, text string
		want        bool
	}{
		{"2019 –", "2021", true},
		{"Jan 2019", "– Mar 2021", true},
		{"Jul 2020 – Sep", "2023", true},
		{"Nov", "2021 – Feb 2022", true},
		{"2019 – 2021", "2017 – 2019", false},
		{"2019 – 2021", "Berlin", false},
		{"2019", "2018", false},
		{"WORK", "2021 – 2022", false},
	}
	for _, test := range tests {
		if got := continuesDate(test.above, test.text); got != test.want {
			t.Errorf("%q, %q: got %v", test.above, test.text, got)
		}
	}
}
