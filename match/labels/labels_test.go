package labels

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

func TestOf(t *testing.T) {
	languages := func(of ...string) (all []matching.SpokenLanguage) {
		for i := 0; i < len(of); i += 2 {
			all = append(all, matching.SpokenLanguage{Tag: of[i], Level: matching.LanguageLevel(of[i+1])})
		}
		return all
	}
	for _, c := range []struct {
		name    string
		details matching.Details
		want    []string
	}{
		{"nothing known", matching.Details{}, []string{"country:?", "zone:?", "lang:?", "verified:?"}},
		{
			"everything known",
			matching.Details{
				Country: "DE", TimeZone: "Europe/Berlin", Languages: languages("de", "native", "en", "C1"),
				Verified: matching.Some(true),
			},
			[]string{
				"country:DE", "zone:Europe/Berlin", "lang:de", "lang:de/native", "lang:en", "lang:en/C1", "verified:yes",
			},
		},
		{
			"fixed offset, not verified",
			matching.Details{TimeZone: "UTC+05:30", Verified: matching.Some(false)},
			[]string{"country:?", "zone:UTC+05:30", "lang:?", "verified:no"},
		},
		{
			"regional tag, unknown level",
			matching.Details{Languages: languages("pt-BR", "B2", "fr", "", "zh-Hant-TW", "fluent")},
			[]string{
				"country:?", "zone:?", "lang:pt-BR", "lang:pt-BR/B2", "lang:pt", "lang:pt/B2", "lang:fr", "lang:fr/?",
				"lang:zh-Hant-TW", "lang:zh-Hant-TW/?", "lang:zh-Hant", "lang:zh-Hant/?", "lang:zh", "lang:zh/?", "verified:?",
			},
		},
		{
			"the level of one variant is known",
			matching.Details{Languages: languages("pt-BR", "", "pt", "C1")},
			[]string{"country:?", "zone:?", "lang:pt-BR", "lang:pt-BR/?", "lang:pt", "lang:pt/C1", "verified:?"},
		},
		{
			"private use",
			matching.Details{Languages: languages("en-x-pirate", "A1")},
			[]string{
				"country:?", "zone:?", "lang:en-x-pirate", "lang:en-x-pirate/A1", "lang:en", "lang:en/A1", "verified:?",
			},
		},
	} {
		if diff := cmp.Diff(c.want, Of(&matching.Freelancer{Details: c.details})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// A document's labels and those of a filter fit each other.
func TestLabels_Filters(t *testing.T) {
	const (
		excluded = "excluded"
		unknown  = "unknown"
		found    = "found"
	)
	for _, c := range []struct {
		name    string
		details matching.Details
		filter  []string
		want    string
	}{
		{"country", matching.Details{Country: "DE"}, Country([]string{"AT", "DE"}), found},
		{"other country", matching.Details{Country: "CH"}, Country([]string{"AT", "DE"}), excluded},
		{"unknown country", matching.Details{}, Country([]string{"AT", "DE"}), unknown},
		{"zone", matching.Details{TimeZone: "Asia/Tokyo"}, Zone([]string{"Asia/Tokyo"}), found},
		{"other zone", matching.Details{TimeZone: "Asia/Tokyo"}, Zone([]string{"Asia/Seoul"}), excluded},
		{"unknown zone", matching.Details{}, Zone([]string{"Asia/Seoul"}), unknown},
		{"language", speaks("de", ""), Language("de", ""), found},
		{"other language", speaks("de", ""), Language("fr", ""), excluded},
		{"unknown languages", matching.Details{}, Language("fr", ""), unknown},
		{"region of the language", speaks("pt-BR", ""), Language("pt", ""), found},
		{"language without region", speaks("pt", ""), Language("pt-BR", ""), excluded},
		{"same level", speaks("de", "B2"), Language("de", "B2"), found},
		{"higher level", speaks("de-CH", "native"), Language("de", "B2"), found},
		{"lower level", speaks("de", "B1"), Language("de", "B2"), excluded},
		{"unknown level", speaks("de", ""), Language("de", "A1"), unknown},
		{"unknown level of another language", speaks("fr", ""), Language("de", "A1"), excluded},
		{"invalid level", speaks("de", "C2"), Language("de", "fluent"), excluded},
		{"verified", matching.Details{Verified: matching.Some(true)}, Verified(true), found},
		{"not verified", matching.Details{Verified: matching.Some(false)}, Verified(true), excluded},
		{"known as not verified", matching.Details{Verified: matching.Some(false)}, Verified(false), found},
		{"unknown verification", matching.Details{}, Verified(false), unknown},
	} {
		has := func(set []string) bool {
			has := Of(&matching.Freelancer{Details: c.details})
			return slices.ContainsFunc(has, func(l string) bool { return slices.Contains(set, l) })
		}
		got := excluded
		switch {
		case has(c.filter):
			got = found
		case has(engine.UnknownLabels(c.filter)):
			got = unknown
		}

		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func speaks(tag string, level matching.LanguageLevel) matching.Details {
	return matching.Details{Languages: []matching.SpokenLanguage{{Tag: tag, Level: level}}}
}

// Names and places are found by their words, without case and accents.
func TestLabels_Words(t *testing.T) {
	f := &matching.Freelancer{
		Name: "José  Márquez-Ruiz 3rd", Details: matching.Details{Location: "São Paulo, Brazil", Country: "BR"},
	}
	has := Of(f)
	passes := func(sets [][]string) bool {
		return !slices.ContainsFunc(sets, func(set []string) bool {
			return !slices.ContainsFunc(set, func(label string) bool { return slices.Contains(has, label) })
		})
	}

	for _, name := range []string{"jose", "RUIZ José", "márquez-ruiz", "", "3RD"} {
		if !passes(Name(name)) {
			t.Errorf("the name %q isn't found", name)
		}
	}
	for _, name := range []string{"jos", "jose smith"} {
		if passes(Name(name)) {
			t.Errorf("the name %q is found", name)
		}
	}
	if !passes(Place("sao paulo", "")) || !passes(Place("Brasil", "BR")) || passes(Place("Brasil", "")) {
		t.Error("places aren't found by their words or the country")
	}
}
