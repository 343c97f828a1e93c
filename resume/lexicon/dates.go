package lexicon

import (
	"strings"

	"github.com/freelancer-matching/service/resume/wording"
)

// Duration reports whether text is a duration: "2 years and 3 months", "6 mois".
func (d *DateWords) Duration(text string) bool {
	k := wording.Key(text)
	if strings.Contains(k, " ") && d.TimeUnits[k] { // "less than a year"
		return true
	}
	units := 0
	for word := range strings.FieldsSeq(k) {
		unit := strings.TrimLeft(word, "0123456789")
		switch {
		case d.TimeUnits[unit], d.TimeUnits[strings.TrimSuffix(unit, "s")]:
			units++
		case unit != "" && !d.Joiners[unit]:
			return false
		}
	}
	return units > 0 && wording.HasDigit(k)
}
