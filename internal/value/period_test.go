package value

import (
	"slices"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestDate(t *testing.T) {
	for _, test := range []struct {
		cell  string
		order DateOrder
		want  string
	}{
		{"2026-12-31", UnclearOrder, "2026-12-31"},
		{"2026-12-31T10:00:00Z", UnclearOrder, "2026-12-31"},
		{"2026-12-31 10:00", UnclearOrder, "2026-12-31"},
		{"2026/12/01", UnclearOrder, "2026-12-01"},
		{"01.12.2026", UnclearOrder, "2026-12-01"},
		{"1.2.26", UnclearOrder, "2026-02-01"},
		{"12/31/2026", UnclearOrder, "2026-12-31"},
		{"31/12/2026", UnclearOrder, "2026-12-31"},
		{"12/01/2026", DayFirst, "2026-01-12"},
		{"12/01/2026", MonthFirst, "2026-12-01"},
		{"01/01/2026", UnclearOrder, "2026-01-01"},
		{"1 Dec 2026", UnclearOrder, "2026-12-01"},
		{"December 1st, 2026", UnclearOrder, "2026-12-01"},
		{"1. Dezember 2026", UnclearOrder, "2026-12-01"},
		{"1er décembre 2026", UnclearOrder, "2026-12-01"},
		{"1 de diciembre de 2026", UnclearOrder, "2026-12-01"},
		{"Dec 2026", UnclearOrder, "2026-12-01"},
		{"2026-12", UnclearOrder, "2026-12-01"},
		{"available from 2026-12-01", UnclearOrder, "2026-12-01"},
		{"ab 01.12.2026", UnclearOrder, "2026-12-01"},
		{"1-Dec-2026", UnclearOrder, "2026-12-01"},
		{"Indisponible jusqu'au 01/02/2027", UnclearOrder, "2027-02-01"},
		{"Indisponible jusqu’au 1er février 2027", UnclearOrder, "2027-02-01"},
		{"not available until 2027-02-01", UnclearOrder, "2027-02-01"},
		{"Unavailable until 13/02/2027", UnclearOrder, "2027-02-13"},
		{"busy till 02/01/2027", MonthFirst, "2027-02-01"},
		{"Nicht verfügbar bis zum 01/02/2027", UnclearOrder, "2027-02-01"},
		{"Ausgebucht bis Februar 2027", UnclearOrder, "2027-02-01"},
		{"no disponible hasta el 01/02/2027", UnclearOrder, "2027-02-01"},
		{"Non disponibile fino al 1 febbraio 2027", UnclearOrder, "2027-02-01"},
		{"indisponível até 01/02/2027", UnclearOrder, "2027-02-01"},
		{"niet beschikbaar tot 01/02/2027", UnclearOrder, "2027-02-01"},
		{"niedostępna do 01.02.2027", UnclearOrder, "2027-02-01"},
		{"недоступен до 01/02/2027", UnclearOrder, "2027-02-01"},
		{"n/a", UnclearOrder, ""},
	} {
		if got, remark := Date(test.cell, test.order); got != test.want || remark != "" {
			t.Errorf("%q: %q (%s), want %q", test.cell, got, remark, test.want)
		}
	}

	for _, cell := range []string{
		"12/01/2026", "1-2-2026", "2026", "now", "in 2 weeks", "31.02.2026", "2026-13-01", "45000", "13/13/2026",
		"0001-01-01",
		"not available until 01/02/2027", "indisponible jusqu'au printemps", "jusqu'au 01/02/2027",
		"1 Dec", "32 Dec 2026", "2026-12-31 foo", "Dec Dec 2026", "1 2 Dec 2026",
	} {
		if got, remark := Date(cell, UnclearOrder); got != "" || remark == "" {
			t.Errorf("%q: %q (%s), want a remark", cell, got, remark)
		}
	}
}

func TestJudgeDates(t *testing.T) {
	for _, test := range []struct {
		cells []string
		want  DateOrder
	}{
		{[]string{"1/2/2026", "31/12/2026"}, DayFirst},
		{[]string{"1/2/2026", "12/31/2026"}, MonthFirst},
		{[]string{"31/12/2026", "12/31/2026"}, UnclearOrder},
		{[]string{"1/2/2026"}, UnclearOrder},
		{[]string{"1/2/2026", "available from 12/31/2026"}, MonthFirst},
		{[]string{"1/2/2026", "Ausgebucht bis 3/4/2026"}, DayFirst},
		{nil, UnclearOrder},
	} {
		if got := JudgeDates(slices.Values(test.cells)); got != test.want {
			t.Errorf("%q: %v, want %v", test.cells, got, test.want)
		}
	}
}

func TestHoursPerWeek(t *testing.T) {
	for _, test := range []struct {
		cell   string
		want   float64
		remark string
	}{
		{"40", 40, ""},
		{"30+ hrs/week", 30, ""},
		{"More than 30 hrs/week", 30, ""},
		{"20 Std. pro Woche", 20, ""},
		{"20h", 20, ""},
		{"full-time", 40, ""},
		{"Teilzeit", 20, ""},
		{"part-time, 25h/week", 25, ""},
		{"Full-time (35 hours)", 35, ""},
		{"20-30 hrs/week", 20, remarkHoursRange},
		{"37.5", 37.5, ""},
		{"40 hours per week", 40, ""},
	} {
		got, remark := HoursPerWeek(test.cell)
		if got != matching.Some(test.want) || remark != test.remark {
			t.Errorf("%q: %v (%s), want %v (%s)", test.cell, got, remark, test.want, test.remark)
		}
	}

	for _, test := range []struct{ cell, remark string }{
		{"Less than 30 hrs/week", remarkUpperHours},
		{"8 hours per day", remarkNotHours},
		{"0", remarkNotHours},
		{"200", remarkNotHours},
		{"as needed", remarkNotHours},
		{"full-time, part-time", remarkNotHours},
		{"20h, 30h", remarkNotHours},
		{"", ""},
		{"tbd", ""},
	} {
		if got, remark := HoursPerWeek(test.cell); got.Known || remark != test.remark {
			t.Errorf("%q: %v (%s), want %s", test.cell, got, remark, test.remark)
		}
	}
}

func TestVerified(t *testing.T) {
	for cell, want := range map[string]matching.Optional[bool]{
		"true": matching.Some(true), "Verified": matching.Some(true), "✅": matching.Some(true), "Ja": matching.Some(true),
		"identity-verified": matching.Some(true), "no": matching.Some(false), "Not verified": matching.Some(false),
		"nicht verifiziert": matching.Some(false), "": {},
	} {
		if got, remark := Verified(cell); got != want || remark != "" {
			t.Errorf("%q: %v (%s), want %v", cell, got, remark, want)
		}
	}
	if got, remark := Verified("full-time"); got.Known || remark == "" {
		t.Errorf("%v (%s), want a remark", got, remark)
	}
}

func TestChargedCurrency(t *testing.T) {
	for cell, want := range map[string]string{"EUR": "EUR", "€": "EUR", "$": "USD", "euro": "EUR", "": ""} {
		if got, remark := ChargedCurrency(cell, "USD"); got != want || remark != "" {
			t.Errorf("%q: %q (%s), want %q", cell, got, remark, want)
		}
	}
	for _, cell := range []string{"Rs", "money", "XYZ", "XXX"} {
		if got, remark := ChargedCurrency(cell, "USD"); got != "" || remark == "" {
			t.Errorf("%q: %q (%s), want a remark", cell, got, remark)
		}
	}
}
