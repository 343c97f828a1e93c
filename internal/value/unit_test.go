package value

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

// Amounts for other times than an hour become rates per hour of a day of 8 hours.
func TestCharge_Units(t *testing.T) {
	c := Currencies{Base: "EUR", Rates: map[string]float64{"USD": .5}, HoursPerDay: 8, Bounds: DefaultBounds()}
	for _, test := range []struct {
		cell   string
		column Unit
		want   float64 // 0 for unknown
		remark string  // a part of it
	}{
		{"€600/day", NoUnit, 75, "a rate per day; converted at 8 hours per day"},
		{"450 € / jour", NoUnit, 56.25, "per day"},
		{"TJM: 520 € HT", NoUnit, 65, "per day"},
		{"450 p/d", NoUnit, 56.25, "per day"},
		{"350 € al giorno", NoUnit, 43.75, "per day"},
		{"$800 per day", NoUnit, 50, "per day"}, // from dollars, too
		{"80k p.a.", NoUnit, 38.46, "per year"},
		{"62.400 € / an", NoUnit, 30, "per year"},
		{"2.400 € / Woche", NoUnit, 60, "per week"}, // 2.4 isn't plausible
		{"5200 € mensuels", NoUnit, 30, "per month"},
		{"600 - 700 €/Tag", NoUnit, 75, remarkRateRange},
		{"560 €/Tag (remote)", NoUnit, 70, "per day"},
		{"560", PerDay, 70, "per day"},
		{"70 €/h", PerDay, 70, ""},
		{"70 hours", PerDay, 70, ""},
		{"45", PerHour, 45, ""},
		{"480/day", PerHour, 60, "per day"},
		{"6k/month", PerHour, 0, "salary"},
		{"50k", PerHour, 0, "thousands"},
		{"50k", PerYear, 24.04, "per year"},
		{"80", PerYear, 0, "-rate-bounds year=LOW:HIGH"},
		{"9500", NoUnit, 0, "-rate-bounds hour=LOW:HIGH"},
		{"9500", PerMonth, 54.81, "per month"},
		{"12 days", NoUnit, 0, "not per hour"},
		{"500 fixed", PerDay, 0, "not per hour"},
		{"€40/h, 20 hours per week", NoUnit, 40, remarkNote},
	} {
		want := matching.Optional[float64]{Value: test.want, Known: test.want > 0}
		got := c.Charge(test.cell, "", test.column)
		if got.Rate != want || !strings.Contains(got.Remark, test.remark) || test.remark == "" && got.Remark != "" {
			t.Errorf("%q in a column per %q: %+v, want %v and %q", test.cell, test.column, got, want, test.remark)
		}
	}

	// Without hours, such as over HTTP, nothing is converted.
	if got := (Currencies{Base: "EUR"}).Charge("€600/day", "", NoUnit); got.Rate.Known || got.Remark != remarkNotHourly {
		t.Errorf("without hours per day: %+v", got)
	}
}

func TestUnit_Hours(t *testing.T) {
	for unit, want := range map[Unit]float64{PerHour: 1, PerDay: 6, PerWeek: 30, PerMonth: 130, PerYear: 1560} {
		if got := unit.Hours(6); got != want {
			t.Errorf("%v: %v hours, want %v", unit, got, want)
		}
		if got := UnitNamed(unit.String()); got != unit {
			t.Errorf("UnitNamed(%q) = %v", unit, got)
		}
	}
}
