package exchange_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/exchange"
)

const (
	jsonTable = `{"date": "2026-11-20", "base": "EUR", "source": "Example Bank", "rates": {"USD": 1.25, "GBP": 0.8}}`
	xmlTable  = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01"
  xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
  <Cube>
    <Cube time='2026-11-19'><Cube currency='USD' rate='2'/><Cube currency='GBP' rate='0.5'/></Cube>
    <Cube time='2026-11-20'><Cube currency='USD' rate='1.25'/><Cube currency='GBP' rate='0.8'/></Cube>
  </Cube>
</gesmes:Envelope>`
)

func TestBothFormatsConvertBetweenAnyTwoCurrencies(t *testing.T) {
	for name, text := range map[string]string{
		"JSON": jsonTable, "XML": xmlTable, "byte order mark": "\ufeff" + jsonTable,
	} {
		table, err := exchange.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}

		if table.Date() != "2026-11-20" || table.Source() == "" {
			t.Errorf("%s: date %q, source %q", name, table.Date(), table.Source())
		}

		if got := table.Currencies(); !slices.Equal(got, []string{"EUR", "GBP", "USD"}) {
			t.Errorf("%s: currencies %v", name, got)
		}

		for _, c := range []struct {
			from, to string
			want     float64
		}{
			{"EUR", "USD", 1.25},
			{"USD", "EUR", .8},
			{"GBP", "USD", 1.5625},
			{"USD", "USD", 1},
			{"INR", "INR", 1},
		} {
			if got, ok := table.Rate(c.from, c.to); !ok || math.Abs(got-c.want) > 1e-12 {
				t.Errorf("%s: 1 %s = %v %s (%v), want %v", name, c.from, got, c.to, ok, c.want)
			}
		}

		if rate, ok := table.Rate("USD", "INR"); ok {
			t.Errorf("%s: 1 USD = %v INR without a rate", name, rate)
		}

		if got := table.In("USD"); len(got) != 3 || got["EUR"] != 1.25 || got["GBP"] != 1.5625 || got["USD"] != 1 {
			t.Errorf("%s: worth in USD: %v", name, got)
		}
	}
}

func TestWithoutATableOnlyTheSameCurrencyIsKnown(t *testing.T) {
	var table *exchange.Table
	if rate, ok := table.Rate("USD", "USD"); !ok || rate != 1 {
		t.Errorf("USD to USD: %v, %v", rate, ok)
	}
	if _, ok := table.Rate("USD", "EUR"); ok {
		t.Error("USD to EUR is known")
	}
	if table.Currencies() != nil || table.In("USD") != nil || table.Date() != "" || table.Source() != "" {
		t.Error("a nil table is not empty")
	}
	var file *exchange.File
	if file.Table() != nil || file.Stale() {
		t.Error("a nil file has a table")
	}
}

func TestFaultyTablesAreRejectedWithTheReason(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, "neither JSON"},
		{`USD 1.25`, "neither JSON"},
		{`{"date": "2026-11-20", "base": "EUR", "rates": {"USD": 1.25}} x`, "continues after"},
		{`{"date": "2026-11-20", "base": "EUR", "currencies": {"USD": 1.25}}`, `unknown field "currencies"`},
		{`{"date": "20 Nov 2026", "base": "EUR", "rates": {"USD": 1.25}}`, `date is "20 Nov 2026"; use a date such as`},
		{`{"date": "2026-11-20", "base": "EUR", "rates": {}}`, "there are no rates"},
		{`{"date": "2026-11-20", "rates": {"USD": 1.25}}`, `"" is not an ISO 4217 code`},
		{`{"date": "2026-11-20", "base": "EUR", "rates": {"usd": 1.25}}`, `"usd" is not an ISO 4217 code in capital letters`},
		{`{"date": "2026-11-20", "base": "EUR", "rates": {"USD": 0}}`, "the rate of USD is 0"},
		{`{"date": "2026-11-20", "base": "EUR", "rates": {"USD": -1}}`, "the rate of USD is -1"},
		{`{"date": "2026-11-20", "base": "EUR", "rates": {"USD": 1e300}}`, "the rate of USD is 1e+300"},
		{`{"date": "2026-11-20", "base": "EUR", "rates": {"EUR": 2, "USD": 1}}`, "the rate of the base EUR is 2"},
		{`{"amount": 100, "date": "2026-11-20", "base": "EUR", "rates": {"USD": 125}}`, "amount is 100"},
		{`<html>Service unavailable</html>`, "no element Cube with a time"},
		{`<Envelope><Cube><Cube time='2026-11-20'><Cube currency='USD' rate='N/A'/></Cube></Cube></Envelope>`, "not XML"},
		{`<Envelope><Cube><Cube time='2026-11-20'></Cube></Cube></Envelope>`, "there are no rates"},
		{strings.Repeat(" ", 2<<20), "too large"},
	} {
		name := filepath.Join(t.TempDir(), "rates")
		if err := os.WriteFile(name, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}

		if _, err := exchange.Load(name); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%.60s: error %v, want %q and the name of the file", c.text, err, c.want)
		}
	}

	_, err := exchange.Parse([]byte(`{"date": "", "base": "Euro", "rates": {"USD": -1}}`))
	for _, want := range []string{"date", "Euro", "USD"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("not all faults are reported at once: %v", err)
		}
	}
}

func TestCode(t *testing.T) {
	for _, code := range []string{"EUR", "usd", "Inr", "VES", "sle"} {
		if got, err := exchange.Code(code); err != nil || got != strings.ToUpper(code) {
			t.Errorf("%q: %q, %v", code, got, err)
		}
	}
	for _, code := range []string{"", "€", "Euro", "EU", "XXX", "XTS", "ABC", "EURO"} {
		if got, err := exchange.Code(code); err == nil {
			t.Errorf("%q is %q", code, got)
		}
	}
}

func TestAgeCountsDays(t *testing.T) {
	table, err := exchange.Parse([]byte(jsonTable))
	if err != nil {
		t.Fatal(err)
	}
	for now, want := range map[string]int{
		"2026-11-19T23:00:00Z": -1, "2026-11-20T00:00:00Z": 0, "2026-11-20T23:59:59Z": 0, "2026-11-27T00:00:00Z": 7,
	} {
		at, _ := time.Parse(time.RFC3339, now)
		if got := table.Age(at); got != want {
			t.Errorf("age at %s is %d, want %d", now, got, want)
		}
	}
}

// A replaced file counts at the next check. An unusable one changes nothing, and is logged once.
func TestReplacedFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "rates.json")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	table := func(date string) string {
		return fmt.Sprintf(`{"date": %q, "base": "EUR", "rates": {"USD": 1.25}}`, date)
	}
	var log bytes.Buffer
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	write(table("2026-11-20"))
	f, err := exchange.Open(name, 7, func() time.Time { return now }, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}

	expect := func(date string, stale bool) {
		t.Helper()
		now = now.Add(time.Minute)
		if got := f.Table().Date(); got != date || f.Stale() != stale {
			t.Errorf("date %s, stale %v; want %s, %v\n%s", got, f.Stale(), date, stale, &log)
		}
	}

	write(table("2026-11-21"))
	expect("2026-11-21", false)
	write("not a table")
	expect("2026-11-21", false)
	expect("2026-11-21", false)

	if n := strings.Count(log.String(), "exchange rates not reloaded"); n != 1 {
		t.Errorf("%d messages about the unusable file, want 1:\n%s", n, &log)
	}

	now = now.Add(10 * 24 * time.Hour)
	expect("2026-11-21", true)
	expect("2026-11-21", true)

	if n := strings.Count(log.String(), "exchange rates are not current"); n != 1 {
		t.Errorf("%d warnings on one day, want 1:\n%s", n, &log)
	}

	write(table("2027-01-01"))
	expect("2027-01-01", true) // in the future
	write(table(now.Format(time.DateOnly)))
	expect(now.Format(time.DateOnly), false)

	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}

	expect(now.Format(time.DateOnly), false)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(jsonTable))
	f.Add([]byte(xmlTable))
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := exchange.Parse(data)
		if err != nil {
			return
		}
		for _, from := range table.Currencies() {
			for to, rate := range table.In(from) {
				if !(rate > 0) || math.IsInf(rate, 0) {
					t.Errorf("1 %s = %v %s", to, rate, from)
				}
			}
		}
	})
}
