package dates

import (
	"strings"
	"testing"

	"freelancer-matching/resume/lexicon"
	"freelancer-matching/resume/resumetest"
)

func newDates() *Finder { return NewFinder(lexicon.New().DateWords, resumetest.Today) }

// written returns a span as its start, followed by its end or by "now".
func written(s Span) string {
	switch {
	case s.Current:
		return s.From.String() + " now"
	case s.Single():
		return s.From.String()
	default:
		return s.From.String() + " " + s.To.String()
	}
}

func TestDates_Find(t *testing.T) {
	d := newDates()
	for text, want := range map[string]string{
		"Jan 2019 – Present":                "2019-01 now",
		"January 15, 2019 to March 3, 2020": "2019-01 2020-03",
		"03/2018":                           "2018-03",
		"15.03.2018 bis heute":              "2018-03 now",
		"2016—18":                           "2016 2018",
		"2010–12":                           "2010 2012",
		"2010-12":                           "2010-12",
		"1999-2003":                         "1999 2003",
		"seit 2020":                         "2020 now",
		"Depuis mars 2019":                  "2019-03 now",
		"2021年3月":                           "2021-03",
		"2021年3月至今":                         "2021-03 now",
		"2019年4月 〜 現在":                      "2019-04 now",
		"2017 年 6 月 ~ 2017 年 9 月":           "2017-06 2017-09",
		"2019.09 - 2022.01":                 "2019-09 2022-01",
		"Q3 2019":                           "2019-07",
		"Summer 2015":                       "2015",
		"06/15 - Now":                       "2015-06 now",
		"May – Aug 2020":                    "2020-05 2020-08",
		"From May to Aug 2020":              "2020-05 2020-08",
		"Nov – Feb 2021":                    "2020-11 2021-02",
		"Jan '19 – Feb '20":                 "2019-01 2020-02",
		"Sep. 2023 - Mar. 2024":             "2023-09 2024-03",
		"du 01/2019 au 12/2020":             "2019-01 2020-12",
		"janvier 2018 à aujourd'hui":        "2018-01 now",
		"de marzo de 2018 a la actualidad":  "2018-03 now",
		"März 2019 bis Dezember 2021":       "2019-03 2021-12",
		"maggio 2015 – giugno 2016":         "2015-05 2016-06",
		"2020 - 2018":                       "2018 2020",
		"03/04/2018":                        "2018", // either may be the month
		"25/12/2018":                        "2018-12",
		"$2,019 and 2019% and 12019":        "",
		"call 2019-555-0142 x":              "2019",
		"v2019 and e2020":                   "",
		"no year":                           "",
		"May be in 3 places":                "",
	} {
		var got []string
		for _, s := range d.Find(text) {
			got = append(got, written(s))
		}

		if strings.Join(got, " ") != want {
			t.Errorf("find(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestDates_Separate(t *testing.T) {
	d := newDates()
	for text, want := range map[string]struct{ rest, start string }{
		"Engineer (Jan 2019 – Mar 2020)":                     {"Engineer", "2019-01"},
		"Engineer\tfrom May – Aug 2020":                      {"Engineer", "2020-05"},
		"BSc in Physics, Expected 2027":                      {"BSc in Physics,", "2027"},
		"expected 2027":                                      {"", "2027"},
		"Jan 2019 – Mar 2020 (1 year 3 months)\tAcme":        {"Acme", "2019-01"},
		"janvier 2019 – juin 2019 (6 mois), Acme":            {", Acme", "2019-01"},
		"2019 – 2020 · 1 Jahr und 2 Monate\tAcme":            {"Acme", "2019"},
		"2019 – 2020 (Berlin)":                               {"(Berlin)", "2019"},
		"Certified in 2015, renewed in 2019, valid for ever": {"Certified in 2015, renewed in\tvalid for ever", "2019"},
		"no date": {"no date", ""},
	} {
		rest, start := d.separate(text)
		if rest = strings.Trim(rest, "\t "); rest != want.rest || start != want.start {
			t.Errorf("separate(%q) = %q, %q, want %q, %q", text, rest, start, want.rest, want.start)
		}
	}
}
