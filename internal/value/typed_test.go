package value_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/value"
)

func TestTypedMoney(t *testing.T) {
	up := func(high float64, currency string, unit value.Unit) value.Money {
		return value.Money{High: matching.Some(high), Currency: currency, Unit: unit}
	}
	between := func(low, high float64, currency string, unit value.Unit) value.Money {
		return value.Money{Low: matching.Some(low), High: matching.Some(high), Currency: currency, Unit: unit}
	}

	for text, want := range map[string]value.Money{
		"3000":            up(3000, "", value.NoUnit),
		"9000.5":          up(9000.5, "", value.NoUnit),
		"3,000":           up(3000, "", value.NoUnit),
		"3.000":           up(3000, "", value.NoUnit),
		"12.345":          up(12345, "", value.NoUnit),
		"3 000 €":         up(3000, "EUR", value.NoUnit),
		"1.200,50 EUR":    up(1200.5, "EUR", value.NoUnit),
		"1,200.50":        up(1200.5, "", value.NoUnit),
		"10 EUR/h":        up(10, "EUR", value.PerHour),
		"$25.00/hr":       up(25, "USD", value.PerHour),
		"85 € pro Stunde": up(85, "EUR", value.PerHour),
		"600 CHF per day": up(600, "CHF", value.PerDay),
		"5k":              up(5000, "", value.NoUnit),
		"$3k-5k":          between(3000, 5000, "USD", value.NoUnit),
		"5.000 - 3.000 €": between(3000, 5000, "EUR", value.NoUnit),
		"3000 to 5000":    between(3000, 5000, "", value.NoUnit),
		"4000 EUR fixed":  up(4000, "EUR", value.NoUnit),
		"0":               up(0, "", value.NoUnit),
	} {
		got, remark := value.TypedMoney(text, "USD")
		if remark != "" || !cmp.Equal(got, want) {
			t.Errorf("%q: %+v, %q; want %+v", text, got, remark, want)
		}
	}

	for _, text := range []string{
		"", "soon", "many", "-5", "3000 5000 7000", "two thousand pigs", "1e400", "3000 per word", "<b>", "€", "50 kr",
	} {
		if got, remark := value.TypedMoney(text, "USD"); remark == "" {
			t.Errorf("%q: %+v without a remark", text, got)
		}
	}
}

func TestTypedDuration(t *testing.T) {
	for text, want := range map[string]value.Duration{
		"45":             {Count: 45, Unit: value.NoUnit},
		"12.5":           {Count: 12.5, Unit: value.NoUnit},
		"10 days":        {Count: 10, Unit: value.PerDay},
		"10d":            {Count: 10, Unit: value.PerDay},
		"two weeks":      {Count: 2, Unit: value.PerWeek},
		"a month":        {Count: 1, Unit: value.PerMonth},
		"Zwei Wochen":    {Count: 2, Unit: value.PerWeek},
		"3 Monate":       {Count: 3, Unit: value.PerMonth},
		"6 mois":         {Count: 6, Unit: value.PerMonth},
		"dos semanas":    {Count: 2, Unit: value.PerWeek},
		"2-3 weeks":      {Count: 3, Unit: value.PerWeek},
		"two to 3 weeks": {Count: 3, Unit: value.PerWeek},
		"6 bis 8 Wochen": {Count: 8, Unit: value.PerWeek},
		"40 h":           {Count: 40, Unit: value.PerHour},
		"40 hrs.":        {Count: 40, Unit: value.PerHour},
		"1 year":         {Count: 1, Unit: value.PerYear},
	} {
		got, remark := value.TypedDuration(text)
		if remark != "" || got != want {
			t.Errorf("%q: %+v, %q; want %+v", text, got, remark, want)
		}
	}

	for _, text := range []string{
		"", "soon", "weeks", "0 days", "2 weeks 3 days", "1 2 3", "-3 days", "days 3", "1e300 weeks", "3 €", "\x00",
		"3 weeks after the moon has gone down over the hills and far away from here",
	} {
		if got, remark := value.TypedDuration(text); remark == "" {
			t.Errorf("%q: %+v without a remark", text, got)
		}
	}
}

func TestDuration_Days(t *testing.T) {
	for d, want := range map[value.Duration]float64{
		{Count: 3, Unit: value.PerDay}: 3, {Count: 2, Unit: value.PerWeek}: 14,
		{Count: 2, Unit: value.PerMonth}: 60, {Count: 1, Unit: value.PerYear}: 365,
	} {
		if got, ok := d.Days(); !ok || got != want {
			t.Errorf("%+v is %v days, want %v", d, got, want)
		}
	}
	if _, ok := (value.Duration{Count: 3, Unit: value.PerHour}).Days(); ok {
		t.Error("hours have days")
	}
}
