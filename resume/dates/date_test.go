package dates

import (
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/resume/lexicon"
	"github.com/freelancer-matching/service/resume/resumetest"
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
		"Oct. 19 – Juin 24":                 "2019-10 2024-06",
		"Août 24 – Présent":                 "2024-08 now",
		"Sep 98 to Mar 03":                  "1998-09 2003-03",
		"Oct-19 - Jun-24":                   "2019-10 2024-06",
		"2 May 19 - 30 Jun 20":              "2019-05 2020-06",
		"May 10 – May 12, 2020":             "2020-05 2020-05",
		"Jan 19":                            "", // may be a day
		"March (2021) – November (2021)":    "2021-03 2021-11",
		"01.08.2020 - 10.07.21":             "2020-08 2021-07",
		"13/02/19 – 01/03/20":               "2019-02 2020",
		"10.07.21":                          "", // may be a version
		"2014 Aug – Dec":                    "2014-08 2014-12",
		"2012 Jan – April":                  "2012-01 2012-04",
		"2014 Nov - Feb":                    "2014-11 2015-02",
		"2014 Aug - 2015 Dec":               "2014-08 2015-12",
		"2014 March to 2016 May":            "2014-03 2016-05",
		"2012 – 2014 May Day Committee":     "2012 2014",
		"2019, March 2020":                  "2019 2020-03",
		"يناير 2019 - الآن":                 "2019-01 now",
		"أغسطس 2015 - آذار 2018":            "2015-08 2018-03",
		"Aug 2014 – Dec":                    "2014-08", // the year of the end may be on the next line
		"Jan 2014 – March of Dimes":         "2014-01",
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

func TestDates_OrderOfTheDocument(t *testing.T) {
	for _, c := range []struct{ other, want string }{
		{"30/07/2016", "2015-09"},
		{"21/11/16–30/06/19", "2015-09"},
		{"12/31/2016", "2015-04"},
		{"12/10/2016", "2015"},
		{"30/07/2016 and 12/31/2016", "2015"}, // no order fits both
		{"https://example.com/30/07/2016", "2015"},
	} {
		d := newDates().Ordered(slices.Values([]string{"Mullen & Sons", c.other}))
		if got := d.Find("04/09/2015"); len(got) != 1 || got[0].From.String() != c.want {
			t.Errorf("with %q, dates are %v, want %s", c.other, got, c.want)
		}
	}
}

func TestDates_Extended(t *testing.T) {
	d := newDates()
	for text, want := range map[string]struct{ rest, span string }{
		"Porter\tuntil Dec 2010":             {"Porter", " 2010-12"},
		"Kellner, Café Lindow bis 2008":      {"Kellner, Café Lindow", " 2008"},
		"Courier\tup to March 2006":          {"Courier", " 2006-03"},
		"Vendeur (jusqu'en 2004)":            {"Vendeur", " 2004"},
		"hasta 2011\tCamarera":               {"Camarera", " 2011"},
		"Clerk\tPresent - 2015/01":           {"Clerk", "2015-01 now"},
		"heute – 2019\tLeiterin":             {"Leiterin", "2019 now"},
		"March 2012 onwards, Hotel Alster":   {"Hotel Alster", "2012-03 now"},
		"2018 en adelante":                   {"", "2018 now"},
		"Clerk, Harbor Goods\tJan 2015 -":    {"Clerk, Harbor Goods", "2015-01 now"},
		"2020 –\tEngineer":                   {"Engineer", "2020 now"},
		"Engineer (2020 – )":                 {"Engineer", "2020 now"},
		"Porter\tApril 2010 – ?":             {"Porter\t\t– ?", "2010-04"},
		"2020 - Engineer":                    {"- Engineer", "2020"},
		"Porter\tuntil 2010 - 2012":          {"Porter\tuntil", "2010 2012"},
		"Museum of Tomorrow, Rotterdam 2010": {"Museum of Tomorrow, Rotterdam", "2010"},
	} {
		spans := d.Find(text)
		if len(spans) != 1 {
			t.Errorf("%q has dates %v, want one", text, spans)
			continue
		}

		s := d.Extended(text, spans[0])
		if rest := strings.TrimSpace(d.Without(text, s)); rest != want.rest || written(s) != want.span {
			t.Errorf("%q is %q with %q, want %q with %q", text, rest, written(s), want.rest, want.span)
		}
	}
}
