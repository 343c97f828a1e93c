package fields

import "testing"

func TestPlace_Known(t *testing.T) {
	d := newDictionary()
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
		if got := d.country(text); got != country {
			t.Errorf("country(%q) = %q, want %q", text, got, country)
		}
		if d.place(text) != placeByName {
			t.Errorf("place(%q) = %d, want %d", text, d.place(text), placeByName)
		}
	}
}

func TestTownAt(t *testing.T) {
	d := newDictionary()
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
		if got := text[:d.townAt(text)]; got != want {
			t.Errorf("townAt(%q) ends %q, want %q", text, got, want)
		}
	}
}

func TestPlace_Unknown(t *testing.T) {
	d := newDictionary()
	for text, want := range map[string]placeRank{
		"Springfield, Evergreen":          placeByForm,
		"Software Engineer":               notPlace,
		"Tidewheel GmbH, Berlin":          notPlace,
		"Acme, Berlin":                    notPlace,
		"Go, Python, SQL":                 placeByForm,
		"ada@example.org":                 notPlace,
		"University of Eastmere, London":  notPlace,
		"led the team, in Springfield":    notPlace,
		"Springfield, Engineer":           notPlace,
		"One, Two, Three, Four, Five":     notPlace,
		"A very long name of some, Place": notPlace,
	} {
		if got := d.place(text); got != want {
			t.Errorf("place(%q) = %d, want %d", text, got, want)
		}
	}
}
