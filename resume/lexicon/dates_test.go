package lexicon

import (
	"testing"
)

func TestDuration(t *testing.T) {
	d := New()
	for text, want := range map[string]bool{
		"2 years 3 months": true, "1 yr 2 mos": true, "6 mois": true, "2 ans et 3 mois": true, "3 Jahre": true, "1 mes": true,
		"2 年 3 ヶ月": true, "less than a year": true, "2y 3m": true,
		"years": false, "2": false, "Berlin": false, "3 people": false, "": false,
	} {
		if got := d.Duration(text); got != want {
			t.Errorf("duration(%q) = %v, want %v", text, got, want)
		}
	}
}
