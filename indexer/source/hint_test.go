package source

import "testing"

func TestHint(t *testing.T) {
	for header, want := range map[string]field{
		"hourly rate asked": fieldHourlyRate, "gefragter Stundensatz": fieldNone, "skill matrix": fieldSkills,
		"yrs": fieldExperience, "exchange rate": fieldNone, "hourly rate of the employer": fieldNone,
		"orders in queue": fieldNone, "months": fieldNone, "": fieldNone, "x": fieldNone,
	} {
		if got := hint(header); got != want {
			t.Errorf("hint(%q) = %v, want %v", header, got, want)
		}
	}
}

func TestLookupWithoutUnit(t *testing.T) {
	for header, want := range map[string]field{
		"Rate €/h": fieldHourlyRate, "€/h": fieldHourlyRate, "USD per hour": fieldHourlyRate, "Rate USD/hr": fieldHourlyRate,
		"Stundensatz in EUR": fieldHourlyRate, "Prix horaire €": fieldHourlyRate, "Tarifa €/h": fieldHourlyRate,
		"stars out of 5": fieldRating, "rating /10": fieldRating, "Price (€)": fieldNone, "hours": fieldNone,
		"Rate": fieldNone,
	} {
		h, _ := lookupWithoutUnit(header)
		got := fieldNone
		if h.headerGroup != nil {
			got = h.field
		}
		if got != want {
			t.Errorf("lookupWithoutUnit(%q) = %+v, want %v", header, h.headerGroup, want)
		}
	}
}
