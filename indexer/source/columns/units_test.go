package columns

import (
	"strings"
	"testing"

	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/headers"
	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/value"
)

// rates returns a table of people with a column of rates.
func rates(header string, cells ...string) table.Table {
	t := table.Table{Headers: []string{"name", header}}
	for _, cell := range cells {
		t.Sample = append(t.Sample, table.Record{Cells: []string{"Mira Talden", cell}})
	}
	return t
}

// The unit of rates comes from the header, or else from the cells.
func TestMap_UnitOfRates(t *testing.T) {
	for _, test := range []struct {
		header string
		cells  []string
		want   value.Unit
	}{
		{"TJM", nil, value.PerDay},
		{"Tarif journalier (€ HT)", nil, value.PerDay},
		{"Tagessatz netto", nil, value.PerDay},
		{"day_rate_gbp", nil, value.PerDay},
		{"Rate/day", nil, value.PerDay},
		{"€ / jour", nil, value.PerDay},
		{"Wochensatz", nil, value.PerWeek},
		{"rate (per week)", nil, value.PerWeek},
		{"Tarifa mensual", nil, value.PerMonth},
		{"Annual salary", nil, value.PerYear},
		{"年収", nil, value.PerYear},
		{"Hourly rate", nil, value.PerHour},
		{"Stundensatz", nil, value.PerHour},
		{"Rate", nil, value.NoUnit},
		{"Rate", []string{"450/day", "500", "€600 per day", "$500/day"}, value.PerDay},
		{"Rate", []string{"450/day", "500", "€600 per day", "$500/week"}, value.NoUnit},
		{"Rate", []string{"$45/h", "$90k/year", "$50/h"}, value.PerHour},
	} {
		m, err := Map(rates(test.header, test.cells...), Options{}, "USD")
		if err != nil {
			t.Fatal(err)
		}
		sets := m.Sets[field.HourlyRate]
		if len(sets) != 1 || sets[0].Unit != test.want {
			t.Errorf("%s %q: %+v, want one column per %v", test.header, test.cells, sets, test.want)
		}
	}
}

// A column that -map chooses for rates per hour, although its header says otherwise, would give several times the rate.
func TestMap_RefusesAnotherUnitThanTheHeader(t *testing.T) {
	for _, test := range []struct {
		header, name string
		want         string // a part of the error; "" for none
		unit         value.Unit
	}{
		{"tjm", "hourly_rate", `write -map daily_rate="tjm"`, 0},
		{"Annual salary", "hourly_rate", `write -map yearly_rate="Annual salary"`, 0},
		{"Stundensatz", "daily_rate", `write -map hourly_rate="Stundensatz"`, 0},
		{"tjm", "daily_rate", "", value.PerDay},
		{"Price", "daily_rate", "", value.PerDay},
		{"Rate", "monthly_rate", "", value.PerMonth},
		{"Hourly rate", "hourly_rate", "", value.PerHour},
		{"Col 7", "hourly_rate", "", value.NoUnit},
		{"Col 7", "dayly_rate", "weekly_rate", 0}, // the names are listed
	} {
		m, err := Map(rates(test.header), Options{Overrides: headers.Overrides{test.name: test.header}}, "USD")
		switch {
		case test.want != "":
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s=%s: error %v, want %q", test.name, test.header, err, test.want)
			}
		case err != nil:
			t.Errorf("%s=%s: %v", test.name, test.header, err)
		case m.Sets[field.HourlyRate][0].Unit != test.unit:
			t.Errorf("%s=%s: per %v, want %v", test.name, test.header, m.Sets[field.HourlyRate][0].Unit, test.unit)
		}
	}
}

// Codes that begin or end with a letter for an hour are no rates, whatever the header says.
func TestMap_CodesAreNoRates(t *testing.T) {
	for _, header := range []string{"id", "ref", "Kürzel", "x"} {
		for _, cells := range [][]string{
			{"u1", "u2", "u3"}, {"U001", "U002", "U003"}, {"h12", "h13"}, {"std5"}, {"u.1", "u.2"}, {"1-u", "2-u", "3-u"},
		} {
			m, err := Map(rates(header, cells...), Options{IsPartial: true, ID: []string{"name"}}, "USD")
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Sets[field.HourlyRate]) > 0 {
				t.Errorf("%s: %q is read as rates", header, cells)
			}
			if isID := len(m.Sets[field.ID]) > 0; header == "id" && !isID {
				t.Errorf("%s: %q isn't the id", header, cells)
			}
		}
	}

	// The control: amounts are.
	for _, cell := range []string{"25/h", "h/25", "25 p/h", "$25 hourly", "per hour 25"} {
		m, err := Map(rates("x", cell, cell, cell), Options{IsPartial: true, ID: []string{"name"}}, "USD")
		if err != nil || len(m.Sets[field.HourlyRate]) == 0 {
			t.Errorf("%s isn't read as a rate (%v)", cell, err)
		}
	}
}
