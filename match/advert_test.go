package match_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/match/suggest"
)

// speaker returns a freelancer with a language, so that filters by language are suggested.
func speaker() matching.Freelancer {
	return matching.Freelancer{
		ID: "s", JobTitle: "Go developer", Skills: []string{"Go"},
		Details: matching.Details{Languages: []matching.SpokenLanguage{{Tag: "de", Level: "native"}}},
		Signals: known(40, 4.6, 6, 20, true),
	}
}

func readAdvert(t *testing.T, w *world, text string) *match.Advert {
	t.Helper()
	advert, err := w.service.Read(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return advert
}

// filterValues returns the values of suggested filters by name.
func filterValues(a *match.Advert) map[string]any {
	values := map[string]any{}
	for _, f := range a.Filters {
		values[f.Filter] = f.Value
	}
	return values
}

func TestRead_English(t *testing.T) {
	w := newWorld(t, speaker())
	got := readAdvert(t, w, `Backend developer for a booking platform (f/m/d)

We need a Go developer who knows PostgreSQL. Kubernetes is a plus. No WordPress.
Native German speaker required. You must be based in Austria.
Budget: 3,000 - 5,000 EUR in total. The work must be finished within six weeks.`)

	if got.Title != "Backend developer for a booking platform (f/m/d)" {
		t.Errorf("title %q", got.Title)
	}
	if want := []string{"Go", "PostgreSQL"}; !containsAll(got.RequiredSkills, want) {
		t.Errorf("required %q, want %q among them", got.RequiredSkills, want)
	}
	if !cmp.Equal(got.NiceToHaveSkills, []string{"Kubernetes"}) {
		t.Errorf("nice to have: %q", got.NiceToHaveSkills)
	}
	if want := (suggest.Budget{Low: 3000, High: 5000, Currency: "EUR"}); got.Budget != want {
		t.Errorf("budget %+v", got.Budget)
	}
	if got.Days != matching.Some(42) {
		t.Errorf("%v days", got.Days)
	}

	filters := filterValues(got)
	if !cmp.Equal(filters["countries"], []string{"AT"}) || !cmp.Equal(filters["exclude_skills"], []string{"WordPress"}) ||
		filters["languages"] == nil {
		t.Errorf("filters %v", filters)
	}
}

func TestRead_German(t *testing.T) {
	w := newWorld(t, speaker())
	got := readAdvert(t, w, `Python-Entwickler (m/w/d) für ein Datenprojekt
Wir suchen einen Entwickler mit Python und Docker, kein PHP.
Stundensatz bis 85 €/Std. Laufzeit: 3 Monate. Deutsch in Wort und Schrift.`)

	required := []string{"Python", "Docker"}
	if !strings.HasPrefix(got.Title, "Python-Entwickler") || !containsAll(got.RequiredSkills, required) {
		t.Errorf("title %q, required %q", got.Title, got.RequiredSkills)
	}
	if want := (suggest.Budget{High: 85, Currency: "EUR", Hourly: true}); got.Budget != want {
		t.Errorf("budget %+v", got.Budget)
	}
	filters := filterValues(got)
	if _, hasRate := filters["max_hourly_rate"]; hasRate || !cmp.Equal(filters["exclude_skills"], []string{"PHP"}) {
		t.Errorf("filters %v", filters)
	}
	if got.Days != matching.Some(90) {
		t.Errorf("%v days", got.Days)
	}
}

// Texts without anything to read, and hostile ones, propose nothing.
func TestRead_Nothing(t *testing.T) {
	w := newWorld(t, speaker())
	for _, text := range []string{
		"", "   \n\t ", "\xff\xfe", strings.Repeat("<div>", 4000), strings.Repeat("😀", 20_000),
		"' OR 1=1 --", strings.Repeat("a", 20_000),
	} {
		got := readAdvert(t, w, text)
		if len(got.RequiredSkills)+len(got.NiceToHaveSkills)+len(got.Filters) > 0 || got.Budget.High != 0 {
			t.Errorf("%.20q: %+v", text, got)
		}
		if len(got.Title) > 400 {
			t.Errorf("%.20q: a title of %d bytes", text, len(got.Title))
		}
	}
}

func TestRead_WithoutData(t *testing.T) {
	got := readAdvert(t, newWorld(t), "Go developer\nBudget: $500 fixed")
	if got.Title != "Go developer" || got.Budget.High != 500 || got.RequiredSkills != nil {
		t.Errorf("%+v", got)
	}
}

func containsAll(list, want []string) bool {
	for _, item := range want {
		if !strings.Contains("|"+strings.Join(list, "|")+"|", "|"+item+"|") {
			return false
		}
	}
	return true
}
