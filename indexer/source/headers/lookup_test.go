package headers

import (
	"testing"

	"github.com/freelancer-matching/service/indexer/source/field"
)

// FuzzLookup checks that any header can be looked up, alone and among others.
func FuzzLookup(f *testing.F) {
	for _, header := range []string{
		"profile.hourlyRate.amount", "Stundensatz (€)", "¿Cuál es tu tarifa?", "skills/0/name", "ＩＤ", "((",
		"a\u0301\xff", "12",
	} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		h, ok := Lookup(header)
		if ok != (h.Group != nil) {
			t.Errorf("lookup(%q) = %+v, %t", header, h, ok)
		}
		if known := LookupAll([]string{header, "Vorname", "voto"}); len(known) != 3 {
			t.Errorf("%d headers", len(known))
		}
	})
}

func TestLookup(t *testing.T) {
	for header, want := range map[string]field.Field{
		"hourly_rate": field.HourlyRate, "Hourly Rate (USD)": field.HourlyRate, "hourlyRateUSD": field.HourlyRate,
		"hour_rate": field.HourlyRate, "Hourly_Paid": field.HourlyRate, "jobTitle": field.JobTitle,
		"profile.title": field.JobTitle, "Years of Experience": field.Experience, "freelancername": field.Name,
		"User Name": field.Name, "company.name": field.None, "Accept_Rate": field.None, "price": field.None,
		"feedback_percent": field.Rating, "ＩＤ": field.ID, "": field.None, "profile_url": field.ProfileURL,
		"stats.reviews": field.TotalSales,
	} {
		got := field.None
		if h, ok := Lookup(header); ok {
			got = h.Field
		}
		if got != want {
			t.Errorf("lookup(%q) = %v, want %v", header, got, want)
		}
	}
}
