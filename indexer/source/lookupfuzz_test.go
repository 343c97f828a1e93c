package source

import "testing"

// FuzzLookup checks that any header can be looked up, alone and among others.
func FuzzLookup(f *testing.F) {
	for _, header := range []string{
		"profile.hourlyRate.amount", "Stundensatz (€)", "¿Cuál es tu tarifa?", "skills/0/name", "ＩＤ", "((",
		"a\u0301\xff", "12",
	} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		h, ok := lookup(header)
		if ok != (h.headerGroup != nil) {
			t.Errorf("lookup(%q) = %+v, %t", header, h, ok)
		}
		if known := lookupAll([]string{header, "Vorname", "voto"}); len(known) != 3 {
			t.Errorf("%d headers", len(known))
		}
	})
}

func TestLookup(t *testing.T) {
	for header, want := range map[string]field{
		"hourly_rate": fieldHourlyRate, "Hourly Rate (USD)": fieldHourlyRate, "hourlyRateUSD": fieldHourlyRate,
		"hour_rate": fieldHourlyRate, "Hourly_Paid": fieldHourlyRate, "jobTitle": fieldJobTitle,
		"profile.title": fieldJobTitle, "Years of Experience": fieldExperience, "freelancername": fieldName,
		"User Name": fieldName, "company.name": fieldNone, "Accept_Rate": fieldNone, "price": fieldNone,
		"feedback_percent": fieldRating, "ＩＤ": fieldID, "": fieldNone, "profile_url": fieldProfileURL,
		"stats.reviews": fieldTotalSales,
	} {
		got := fieldNone
		if h, ok := lookup(header); ok {
			got = h.field
		}
		if got != want {
			t.Errorf("lookup(%q) = %v, want %v", header, got, want)
		}
	}
}
