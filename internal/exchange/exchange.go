// Package exchange converts amounts of money with a dated table of exchange rates that the operator provides. It has
// no rates of its own and never looks any up.
package exchange

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/currency"
)

const (
	// maxBytes limits the size of a file. A day of the European Central Bank has 2 KiB, and 90 days have 150 KiB.
	maxBytes = 1 << 20
	// The accepted rates. They are far beyond those of real currencies, and keep products of amounts finite.
	minRate, maxRate = 1e-9, 1e9
)

// A Table holds the exchange rates of one day. It is immutable. A nil Table knows no currency.
type Table struct {
	date   string // 2026-11-20
	source string
	// perBase holds the amount of each currency that one unit of the base is worth, and 1 for the base itself.
	perBase map[string]float64
}

// Load reads the table in a file, in one of the formats of Parse.
func Load(name string) (*Table, error) {
	_, t, err := load(name)
	return t, err
}

func load(name string) (data []byte, t *Table, err error) {
	if data, err = readFile(name); err != nil {
		return nil, nil, err
	}
	if t, err = Parse(data); err != nil {
		return data, nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, t, nil
}

func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && len(data) > maxBytes {
		err = fmt.Errorf("%s: more than %d bytes, which is too large for a table of exchange rates", name, maxBytes)
	}
	return data, err
}

// Parse reads a table in one of two formats: the XML that the European Central Bank publishes, of which the newest day
// counts, and JSON, in which the rates are the amounts that one unit of the base is worth:
//
//	{"date": "2026-11-20", "base": "EUR", "source": "…", "rates": {"USD": 1.25, "GBP": 0.8}}
//
// The source is optional and names the publisher.
func Parse(data []byte) (*Table, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("<")) {
		return parseXML(data)
	}
	return parseJSON(data)
}

func parseJSON(data []byte) (*Table, error) {
	var file struct {
		Date   string             `json:"date"`
		Base   string             `json:"base"`
		Source string             `json:"source"`
		Rates  map[string]float64 `json:"rates"`
		Amount *float64           `json:"amount"` // of the base; Frankfurter, an API for the bank's rates, sends 1
	}

	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("neither JSON with date, base and rates nor XML of the European Central Bank: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the file continues after its JSON object")
	}
	if file.Amount != nil && *file.Amount != 1 {
		return nil, fmt.Errorf("amount is %v; the rates must be for 1 unit of the base", *file.Amount)
	}

	return newTable(file.Date, file.Base, file.Source, file.Rates)
}

func parseXML(data []byte) (*Table, error) {
	var file struct {
		Days []struct {
			Date  string `xml:"time,attr"`
			Rates []struct {
				Currency string  `xml:"currency,attr"`
				Rate     float64 `xml:"rate,attr"`
			} `xml:"Cube"`
		} `xml:"Cube>Cube"`
	}
	if err := xml.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("not XML of the European Central Bank: %w", err)
	}
	if len(file.Days) == 0 {
		return nil, errors.New("not XML of the European Central Bank: there is no element Cube with a time")
	}

	// The file with 90 days has the same form as the daily one.
	newest := file.Days[0]
	for _, day := range file.Days {
		if day.Date > newest.Date {
			newest = day
		}
	}

	rates := make(map[string]float64, len(newest.Rates))
	for _, r := range newest.Rates {
		rates[r.Currency] = r.Rate
	}

	return newTable(newest.Date, "EUR", "European Central Bank", rates)
}

// newTable validates the content of a file and reports all of its faults.
func newTable(date, base, source string, rates map[string]float64) (*Table, error) {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		fault("date is %q; use a date such as 2026-11-20", date)
	}

	if len(rates) == 0 {
		fault("there are no rates")
	}

	t := &Table{date: date, source: source, perBase: make(map[string]float64, len(rates)+1)}
	for _, code := range append(slices.Sorted(maps.Keys(rates)), base) {
		if known, err := Code(code); err != nil || known != code {
			fault("%q is not an ISO 4217 code in capital letters, such as EUR", code)
		}
		t.perBase[code] = rates[code]
	}

	// Written so that NaN fails, too.
	for _, code := range slices.Sorted(maps.Keys(rates)) {
		if rate := rates[code]; !(rate >= minRate && rate <= maxRate) {
			fault("the rate of %s is %v; use a number from %v to %v", code, rate, minRate, maxRate)
		}
	}

	if own, ok := rates[base]; ok && own != 1 {
		fault("the rate of the base %s is %v; leave it out or use 1", base, own)
	}

	t.perBase[base] = 1

	if err := errors.Join(faults...); err != nil {
		return nil, err
	}

	return t, nil
}

// newCodes lists the currencies that ISO 4217 has added since the data of golang.org/x/text was published.
const newCodes = "MRU SLE UYW VED VES XCG ZWG"

// Code returns the ISO 4217 code of a currency in capital letters, or an error if there is no such code.
func Code(code string) (string, error) {
	upper := strings.ToUpper(code)
	if slices.Contains(strings.Fields(newCodes), upper) {
		return upper, nil
	}
	unit, err := currency.ParseISO(upper)
	if err != nil || unit == currency.XXX || unit == currency.XTS {
		return "", fmt.Errorf("%q is not an ISO 4217 code of a currency, such as EUR", code)
	}
	return unit.String(), nil
}

// Date returns the day of the rates, such as 2026-11-20, and "" for a nil Table.
func (t *Table) Date() string {
	if t == nil {
		return ""
	}
	return t.date
}

// Source returns the publisher of the rates, or "" if the file doesn't name it.
func (t *Table) Source() string {
	if t == nil {
		return ""
	}
	return t.source
}

// Age returns the number of days from the date of the rates to now, in UTC. It is negative for a date in the future.
func (t *Table) Age(now time.Time) int {
	date, _ := time.Parse(time.DateOnly, t.date) // checked by newTable
	return int(math.Floor(now.UTC().Sub(date).Hours() / 24))
}

// Currencies returns the codes of all currencies in alphabetical order.
func (t *Table) Currencies() []string {
	if t == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(t.perBase))
}

// Rate returns the amount in one currency that one unit of another is worth. It is 1 from a currency to itself, known
// or not. ok is false if the table lacks one of two different currencies.
func (t *Table) Rate(from, to string) (rate float64, ok bool) {
	if from == to {
		return 1, true
	}
	if t == nil {
		return 0, false
	}
	a := t.perBase[from]
	b := t.perBase[to]
	if a == 0 || b == 0 {
		return 0, false
	}
	return b / a, true
}

// In returns the amount in one currency that one unit of each known currency is worth, or nil if the table lacks that
// currency.
func (t *Table) In(to string) map[string]float64 {
	if t == nil || t.perBase[to] == 0 {
		return nil
	}
	worth := make(map[string]float64, len(t.perBase))
	for from := range t.perBase {
		worth[from], _ = t.Rate(from, to)
	}
	return worth
}
