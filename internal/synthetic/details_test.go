package synthetic

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
)

func TestDetailedFreelancers(t *testing.T) {
	g, err := New()
	if err != nil {
		t.Fatal(err)
	}

	const n = 2000
	known := make(map[string]int)
	plain := slices.Collect(g.Freelancers(n, 7))
	i := 0
	for f := range g.DetailedFreelancers(n, 7) {
		for j := range matching.Fields {
			if field := &matching.Fields[j]; field.Known(&f) {
				known[field.Name]++
			}
		}

		checkDetails(t, &f.Details)
		f.Details = matching.Details{}
		if diff := cmp.Diff(plain[i], f); diff != "" {
			t.Fatalf("details change %s:\n%s", f.ID, diff)
		}

		i++
	}

	for _, name := range matching.FieldNames(matching.ScopeDetails) {
		if count := known[name]; count < n/5 || count == n {
			t.Errorf("%s is known for %d of %d", name, count, n)
		}
	}

	short := slices.Collect(g.DetailedFreelancers(5, 7))
	if diff := cmp.Diff(short, slices.Collect(g.DetailedFreelancers(6, 7))[:5]); diff != "" {
		t.Errorf("a longer run begins with others:\n%s", diff)
	}
}

// checkDetails checks that details are in the form in which they are stored.
func checkDetails(t *testing.T, d *matching.Details) {
	t.Helper()
	same := func(what, text string, parse func(string) (string, string)) {
		if got, remark := parse(text); got != text {
			t.Errorf("%s %q is stored as %q (%s)", what, text, got, remark)
		}
	}

	same("country", d.Country, value.Country)
	same("time zone", d.TimeZone, value.TimeZone)
	same("currency", d.Currency, func(s string) (string, string) { return value.ChargedCurrency(s, "USD") })
	same("date", d.AvailableFrom, func(s string) (string, string) { return value.Date(s, value.UnclearOrder) })

	for _, l := range d.Languages {
		same("language", l.Tag, value.Language)
		same("level", string(l.Level), func(s string) (string, string) {
			level, remark := value.LanguageLevel(s)
			return string(level), remark
		})
	}

	if country := value.CountryOf(d.Location); country != d.Country {
		t.Errorf("%s is in %q, not in %q", d.Location, country, d.Country)
	}
}
