package lexicon

import (
	"testing"
)

func TestPlace_Known(t *testing.T) {
	d := New()
	for text, country := range map[string]string{
		"San Francisco, CA":       "US",
		"Columbus, Ohio 44444":    "US",
		"Chicago IL":              "US",
		"10115 Berlin":            "DE",
		"Lyon, France":            "FR",
		"München":                 "DE",
		"Zaragoza, España":        "ES",
		"Seoul, S.Korea":          "KR",
		"Tallinn, Estland":        "EE",
		"上海":                      "CN",
		"Toronto, ON":             "CA",
		"Wien, Österreich":        "AT",
		"القاهرة، مصر":            "EG",
		"横浜市":                     "",
		"Greater Manchester Area": "",
		"Tbilisi, Georgia":        "GE",
	} {
		if got := d.Country(text); got != country {
			t.Errorf("country(%q) = %q, want %q", text, got, country)
		}
		if d.Place(text) != PlaceByName {
			t.Errorf("place(%q) = %d, want %d", text, d.Place(text), PlaceByName)
		}
	}
}

func TestTownAt(t *testing.T) {
	d := New()
	for text, want := range map[string]string{
		"Chicago, IL Welder":             "Chicago, IL",
		"Austin, TX, USA, 2019":          "Austin, TX, USA",
		"City , State , United States X": "City , State , United States",
		"Stadt, Land":                    "Stadt, Land",
		"City, Engineer":                 "",
		"Chicago, Engineer":              "",
		"state, city":                    "",
		"Chicago":                        "",
	} {
		if got := text[:d.TownAt(text)]; got != want {
			t.Errorf("townAt(%q) ends %q, want %q", text, got, want)
		}
	}
}

func TestPlace_Unknown(t *testing.T) {
	d := New()
	for text, want := range map[string]PlaceRank{
		"Springfield, Evergreen":          PlaceByForm,
		"Software Engineer":               NotPlace,
		"Tidewheel GmbH, Berlin":          NotPlace,
		"Acme, Berlin":                    NotPlace,
		"Go, Python, SQL":                 PlaceByForm,
		"ada@example.org":                 NotPlace,
		"University of Eastmere, London":  NotPlace,
		"led the team, in Springfield":    NotPlace,
		"Springfield, Engineer":           NotPlace,
		"One, Two, Three, Four, Five":     NotPlace,
		"A very long name of some, Place": NotPlace,
	} {
		if got := d.Place(text); got != want {
			t.Errorf("place(%q) = %d, want %d", text, got, want)
		}
	}
}
