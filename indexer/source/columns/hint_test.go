package columns

import (
	"testing"

	"github.com/freelancer-matching/service/indexer/source/field"
)

func TestHint(t *testing.T) {
	for header, want := range map[string]field.Field{
		"hourly rate asked": field.HourlyRate, "gefragter Stundensatz": field.None, "skill matrix": field.Skills,
		"yrs": field.Experience, "exchange rate": field.None, "hourly rate of the employer": field.None,
		"orders in queue": field.None, "months": field.None, "": field.None, "x": field.None,
	} {
		if got := hint(header); got != want {
			t.Errorf("hint(%q) = %v, want %v", header, got, want)
		}
	}
}

func TestLookupWithoutUnit(t *testing.T) {
	for header, want := range map[string]field.Field{
		"Rate €/h": field.HourlyRate, "€/h": field.HourlyRate, "USD per hour": field.HourlyRate,
		"Rate USD/hr":        field.HourlyRate,
		"Stundensatz in EUR": field.HourlyRate, "Prix horaire €": field.HourlyRate, "Tarifa €/h": field.HourlyRate,
		"stars out of 5": field.Rating, "rating /10": field.Rating, "Price (€)": field.None, "hours": field.None,
		"Rate": field.None,
	} {
		h, _ := lookupWithoutUnit(header)
		got := field.None
		if h.Group != nil {
			got = h.Field
		}
		if got != want {
			t.Errorf("lookupWithoutUnit(%q) = %+v, want %v", header, h.Group, want)
		}
	}
}
