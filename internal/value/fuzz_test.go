package value

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
)

// seeds has cells of every kind. Every fuzz test gets them all, because a file can have any cell in any column.
var seeds = [...]string{
	"", "N/A", "$25.00/hr", "1.200,50 €", "$30-$50", "Rs. 500", "1.2K+", "98%", "5.0(1k+)", "9.8/10",
	"10-15 years",
	"2 years 6 months", "Available now", "https://example.com//a", "['a', 'b\\'c', '']", `["a", "\u00e9"]`,
	"UI/UX, C/C++ / Go (a, b)",
	"25 EUR/Std. zzgl. MwSt.", "30 à 50 € / h", "CHF 120.–", "1\u202f234,50\u00a0€", "1.234",
	"über 5 Jahre", "2 años y 6 meses",
	"part-time, 20h/week", "verfügbar ab 01.03.2027", "k. A.", `{Python,"a \"b\"",NULL}`, "{'a', 'b'}",
	"Python ★★★☆☆, Go (5 ans)",
	"C#: expert; Vue 3 - 90%", "HTML, CSS y Go", "4,5 von 5 Sternen (35)",
	"HTMLCSSJavaScript", "<p>x</p><script>y</script>&amp;amp;", "𝑫𝒂𝒕𝒂\u200b\x00\xff", "1e308B", "0,,1",
	"<<<a<b<", "((((",
}

func addSeeds(f *testing.F) {
	for _, seed := range seeds {
		f.Add(seed)
	}
}

// FuzzDetails checks that a value is in the form of matching.Details, that it parses to itself, and that a value that
// could not be parsed has a remark.
func FuzzDetails(f *testing.F) {
	addSeeds(f)
	for _, seed := range []string{
		"Porto, Portugal", "🇩🇪 Germany", "UTC+5:30", "(GMT-03:00) x", "12/31/2026", "1er déc. 2026", "full-time (35h)",
		"English (fluent), Deutsch: B2/C1", `[{"language":{"name":"en"},"level":"NATIVE"}]`, "no:?; zh-Hant:C1", "USA",
	} {
		f.Add(seed)
	}

	check := func(t *testing.T, what, s, got, remark string, parse func(string) (string, string)) {
		t.Helper()
		if got == "" && remark == "" && !Unknown(s) {
			t.Errorf("%s %q is unknown without a remark", what, s)
		}

		if again, _ := parse(got); again != got && got != "NA" {
			t.Errorf("%s %q: %q, then %q", what, s, got, again)
		}
	}

	f.Fuzz(func(t *testing.T, s string) {
		for what, parse := range map[string]func(string) (string, string){
			"country": Country, "time zone": TimeZone, "language": Language,
			"date":     func(s string) (string, string) { return Date(s, MonthFirst) },
			"currency": func(s string) (string, string) { return ChargedCurrency(s, "USD") },
			"level":    func(s string) (string, string) { l, remark := LanguageLevel(s); return string(l), remark },
		} {
			got, remark := parse(s)
			check(t, what, s, got, remark, parse)
		}

		if code := CountryOf(s); code != "" && !countries().codes[code] {
			t.Errorf("country %q of the place %q", code, s)
		}
		hours, remark := HoursPerWeek(s)
		within(t, "hours", hours, maxHours)

		if !hours.Known && remark == "" && !Unknown(s) {
			t.Errorf("hours %q are unknown without a remark", s)
		}
		list, _ := SpokenLanguages(s)
		cell := make([]string, len(list))
		for i, l := range list {
			cell[i] = l.Tag + ":" + cmp.Or(string(l.Level), "?")
		}

		if again, remark := SpokenLanguages(strings.Join(cell, ";")); !slices.Equal(again, list) || remark != "" {
			t.Errorf("%q: %v, then %v (%s)", s, list, again, remark)
		}

		if len(list) > MaxLanguages {
			t.Errorf("%d languages", len(list))
		}
	})
}

func FuzzNumbers(f *testing.F) {
	addSeeds(f)
	c := Currencies{Base: "USD", Rates: map[string]float64{"EUR": 1.1}}
	f.Fuzz(func(t *testing.T, s string) {
		rate, _ := c.HourlyRate(s, "")
		years, _ := Years(s)
		rating, count, _ := Rating(s, 5)
		percent, _, _ := Rating(s, 100)
		within(t, "rate", rate, 2*maxAmount)
		within(t, "years", years, maxYears)
		within(t, "rating", rating, MaxRating)
		within(t, "percentage", percent, MaxRating)

		for _, n := range []matching.Optional[int]{count, first(Count(s))} {
			if n.Known && (n.Value < 0 || n.Value > maxCount) || !n.Known && n.Value != 0 {
				t.Errorf("count %v", n)
			}
		}

		if flag, remark := Flag(s); flag.Known && remark != "" {
			t.Errorf("flag %v with the remark %q", flag, remark)
		}
	})
}

func within(t *testing.T, what string, v matching.Optional[float64], limit float64) {
	t.Helper()
	if v.Known && (v.Value < 0 || v.Value > limit || math.IsNaN(v.Value)) || !v.Known && v.Value != 0 {
		t.Errorf("%s %v with value %v", what, v, v.Value)
	}
}

func first[T, U any](v T, _ U) T { return v }

// FuzzDecimals checks that no numbers get lost, and that a clear cell stays clear.
func FuzzDecimals(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		for _, d := range []Decimals{UnclearDecimals, PointDecimals, CommaDecimals} {
			got := d.Clarify(s)
			if again := d.Clarify(got); again != got {
				t.Errorf("%q became %q, then %q", s, got, again)
			}
		}
		JudgeDecimals(slices.Values([]string{s}))
	})
}

func FuzzText(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		for _, clean := range []func(string, int) (string, bool){Line, Text} {
			got, _ := clean(s, 50)
			if !utf8.ValidString(got) || utf8.RuneCountInString(got) > 50 || strings.TrimSpace(got) != got {
				t.Errorf("%q became %q", s, got)
			}

			if again, _ := clean(got, 50); again != got {
				t.Errorf("%q became %q, then %q", s, got, again)
			}

			if strings.ContainsAny(got, "\x00\r\u200b\u202e") || strings.Contains(got, "  ") {
				t.Errorf("%q became %q", s, got)
			}
		}

		if got, _ := Line(s, 1000); strings.Contains(got, "\n") {
			t.Errorf("line %q", got)
		}

		if got, _ := URL(s); got != "" {
			again, remark := URL(got)
			if again != got || remark != "" || !strings.HasPrefix(got, "http") || len(got) > MaxURL {
				t.Errorf("%q became %q, then %q (%s)", s, got, again, remark)
			}
		}
	})
}

func FuzzSkills(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		skills, _ := Skills(s, len(s)%2 == 0)
		if len(skills) > MaxSkills {
			t.Errorf("%d skills", len(skills))
		}
		for i, skill := range skills {
			if skill == "" || utf8.RuneCountInString(skill) > MaxSkill || ContainsSkill(skills[:i], skill) {
				t.Errorf("skill %q of %q", skill, skills)
			}
		}
		if name := withoutLevel(s); !strings.HasPrefix(s, name) || name == "" && s != "" {
			t.Errorf("%q without its level became %q", s, name)
		}
		if pieces := splitGlued(s); strings.Join(pieces, "") != s {
			t.Errorf("%q was cut into %q", s, pieces)
		}
	})
}
