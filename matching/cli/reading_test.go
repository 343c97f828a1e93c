package cli

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	tests := []struct {
		text string
		want reading
	}{
		{"React shop, 5k, 30 days", reading{budget: []float64{0, 5000}, days: 30, text: "React shop"}},
		{"React shop; within 6 weeks", reading{days: 42, text: "React shop"}},
		{"Logo; two colors; 5k", reading{budget: []float64{0, 5000}, text: "Logo; two colors"}},
		{"2 months, Logo", reading{days: 60, text: "Logo"}},
		{"Logo, 3k-5k EUR", reading{budget: []float64{3000, 5000}, currency: "EUR", text: "Logo"}},
		{"Logo, $1,500 – $2,000", reading{budget: []float64{1500, 2000}, currency: "USD", text: "Logo"}},
		{"Logo, up to €800", reading{budget: []float64{0, 800}, currency: "EUR", text: "Logo"}},
		{"Logo, $40-60/h", reading{budget: []float64{40, 60}, currency: "USD", hourly: true, text: "Logo"}},
		{"Logo, 45 per hour", reading{budget: []float64{0, 45}, hourly: true, text: "Logo"}},
		{"Logo, 2.5k", reading{budget: []float64{0, 2500}, text: "Logo"}},
		{"5k", reading{budget: []float64{0, 5000}}},
		{"React, Node.js, 5,000", reading{budget: []float64{0, 5000}, text: "React, Node.js"}},

		// What is not a budget or a time by itself stays in the text.
		{"React shop for 5k users in 30 days", reading{text: "React shop for 5k users in 30 days"}},
		{"Team, 2", reading{text: "Team, 2"}},
		{"Shop, 5k-3k", reading{text: "Shop, 5k-3k"}},
		{"Shop, 0 days, 99999 days", reading{text: "Shop, 0 days, 99999 days"}},
		{"", reading{}},

		// Only the first of each is read.
		{"Shop, 5k, 6k", reading{budget: []float64{0, 5000}, text: "Shop, 6k"}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, read(test.text), cmp.AllowUnexported(reading{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, diff)
		}
	}
}

// Whatever the text, a reading is one that the API accepts, and other words are not lost.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"Shop, 5k, 30 days", "$1,000-2,000/h; 3 weeks", ",,;", "9999999999999k", "1,", "€"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := read(text)
		if r.days < 0 || r.days > maxDays {
			t.Errorf("%d days", r.days)
		}
		if b := r.budget; b != nil && (math.IsNaN(b[0]+b[1]) || b[0] < 0 || b[0] > b[1]) {
			t.Errorf("budget %v", b)
		}
		if r.budget == nil && r.days == 0 && r.text != text {
			t.Errorf("%q became %q", text, r.text)
		}
		for _, word := range strings.FieldsFunc(r.text, func(c rune) bool { return strings.ContainsRune(separators, c) }) {
			if !strings.Contains(text, word) {
				t.Errorf("%q isn't in %q", word, text)
			}
		}
	})
}

func TestBar(t *testing.T) {
	for value, want := range map[float64]string{
		-1: "░░░░░░░░░░░░", 0: "░░░░░░░░░░░░", 0.01: "▏░░░░░░░░░░░", 0.5: "██████░░░░░░", 1: "████████████",
		2: "████████████",
	} {
		if got := bar(value); got != want {
			t.Errorf("bar(%v) = %s, want %s", value, got, want)
		}
	}
}
