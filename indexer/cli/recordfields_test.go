package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const detailedCSV = "id;name;title;rate;location;languages;availability;hours per week;verified\n" +
	"1;Ada;Nurse;€40;Porto, Poland;English (fluent), de;30+ hrs/week;;yes\n" +
	"2;Bo;Cook;$30;Dover, DE;Klingonese;;37.5;no\n" +
	"3;Cy;Cook;£20;Kenya;;;;\n"

// ratesFile writes a table of exchange rates.
func (s *session) ratesFile(base string) string {
	return s.file("rates.json", `{"date": "2026-11-20", "base": "`+base+`", "rates": {"EUR": 0.8, "USD": 1}}`)
}

// A load says what it derived and converted, and stores what it read.
func TestLoad_Details(t *testing.T) {
	s := newSession(t)
	file := s.file("people.csv", detailedCSV)
	rates := s.ratesFile("USD")
	out := unwrap(s.must("load", "-exchange-rates", rates, "-exchange-rates-max-age", "10000d", "-rate", "GBP=1.5", file))
	for _, want := range []string{
		"2 country from location", "2 time_zone from country", "1 hours_per_week from availability",
		"1 from EUR with the rates of 2026-11-20", "1 from GBP with -rate", "languages: not a language",
		"country 67%", "verified 67%",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the report lacks %q:\n%s", want, out)
		}
	}

	if status := unwrap(s.must("status")); !strings.Contains(status, "-exchange-rates-date 2026-11-20") ||
		!strings.Contains(status, "country 67%") {
		t.Errorf("status doesn't show details and the date of the rates:\n%s", status)
	}

	export := s.must("export")
	for _, want := range []string{
		`"hourly_rate":50,`, `"hourly_rate_currency":"USD","country":"PL","location":"Porto, Poland",` +
			`"time_zone":"Europe/Warsaw","languages":[{"language":"en","level":"C1"},{"language":"de"}],"currency":"EUR",` +
			`"available_from":"","hours_per_week":30,"verified":true`,
		`"country":"","location":"Dover, DE"`,
	} {
		if !strings.Contains(export, want) {
			t.Errorf("the export lacks %s:\n%s", want, export)
		}
	}
}

func TestLoad_DetailsAsJSON(t *testing.T) {
	s := newSession(t)
	file := s.file("people.csv", detailedCSV)
	rates := s.ratesFile("USD")
	var got struct {
		Derived []struct {
			Value string
			Rows  int
		}
		Converted []struct {
			Currency  string
			Rows      int
			RatesDate string `json:"rates_date"`
		}
	}

	out := s.must("validate", "-json", "-exchange-rates", rates, "-exchange-rates-max-age", "10000d", file)
	var envelope map[string]json.RawMessage
	if err := json.Unmarshal([]byte(out), &envelope); err != nil {
		t.Fatal(err)
	}

	if err := json.Unmarshal([]byte(out), &got); err == nil && got.Derived == nil {
		_ = json.Unmarshal(envelope["result"], &got)
	}

	if len(got.Derived) != 3 || got.Derived[0].Value != "country from location" || got.Derived[0].Rows != 2 ||
		len(got.Converted) != 1 || got.Converted[0].Currency != "EUR" || got.Converted[0].RatesDate != "2026-11-20" {
		t.Errorf("got %+v from\n%s", got, out)
	}
}

// A file that export wrote has the same freelancers, although they charge in other currencies.
func TestExport_LoadsAsTheSame(t *testing.T) {
	for _, format := range []string{"csv", "ndjson"} {
		s := newSession(t)
		s.must("load", "-rate", "EUR=1.25", "-rate", "GBP=1.5", s.file("people.csv", detailedCSV))
		before := s.must("export")
		path := filepath.Join(s.files, "export."+format)
		s.must("export", "-format", format, "-o", path)
		s.must("load", path)
		if diff := cmp.Diff(before, s.must("export")); diff != "" {
			t.Errorf("%s (-exported +loaded):\n%s", format, diff)
		}
	}
}

// A patch of languages replaces all of them, also the levels of those that stay.
func TestLoad_PatchDetails(t *testing.T) {
	s := newSession(t)
	s.must("load", "-rate", "EUR=1.25", "-rate", "GBP=1.5", s.file("people.csv", detailedCSV))
	patch := `{"id": "1", "languages": ["en", "fr"], "location": "Lima, Peru"}` + "\n"
	s.must("load", "-patch", s.file("patch.ndjson", patch))
	want := `"country":"PL","location":"Lima, Peru","time_zone":"Europe/Warsaw",` +
		`"languages":[{"language":"en"},{"language":"fr"}],"currency":"EUR"`
	if export := s.must("export"); !strings.Contains(export, want) {
		t.Errorf("want %s in\n%s", want, export)
	}
}

func TestLoad_ExchangeRates(t *testing.T) {
	s := newSession(t)
	file := s.file("people.csv", detailedCSV)
	rates := s.ratesFile("USD")
	for _, test := range []struct {
		name string
		args []string
		code int // 1 if no rate can be read
		want string
	}{
		{"old rates", []string{"-exchange-rates", rates, "-exchange-rates-max-age", "1d"}, 0, "the exchange rates are old"},
		{"another base", []string{"-exchange-rates", rates, "-currency", "CHF"}, 1, "lack the currency of the index"},
		{"none", nil, 0, "an amount in EUR without an exchange rate"},
	} {
		code, stdout, stderr := s.run("", append([]string{"validate", file}, test.args...)...)
		if code != test.code || !strings.Contains(unwrap(stdout+stderr), test.want) {
			t.Errorf("%s: exit code %d, want %q in\n%s%s", test.name, code, test.want, stdout, stderr)
		}
	}

	broken := s.file("broken.json", "{")
	s.wantError(1, []string{"validate", "-exchange-rates", broken, file}, "exchange-rates: ", "broken.json")
	if _, err := os.Stat(s.data); err == nil {
		t.Error("validate created the data folder")
	}
}
