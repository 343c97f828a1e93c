package value

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
)

func TestHourlyRate(t *testing.T) {
	dollars := Currencies{Base: "USD", Rates: map[string]float64{"EUR": 1.08, "INR": 0.012}}
	euros := Currencies{Base: "EUR"}
	pesos := Currencies{Base: "MXN"}
	unknown := matching.Optional[float64]{}
	tests := []struct {
		cell, column string
		c            Currencies
		want         matching.Optional[float64]
		remark       string
	}{
		{"25", "", dollars, matching.Some(25.0), ""},
		{"$25.00/hr", "", dollars, matching.Some(25.0), ""},
		{"$20 USD per hour", "", dollars, matching.Some(20.0), ""},
		{"$3.5", "", dollars, matching.Some(3.5), ""},
		{"33.125", "", dollars, matching.Some(33.125), ""}, // by a program
		{"4.5E1", "", dollars, matching.Some(45.0), ""},
		{"25 $ / h", "", dollars, matching.Some(25.0), ""},
		{"Hourly rate: $25", "", dollars, matching.Some(25.0), ""},
		{"from 20 dollars an hour", "", dollars, matching.Some(20.0), ""},
		{"0.03508771929824561", "", dollars, matching.Some(0.03508771929824561), ""},
		{"1,200.50", "", dollars, matching.Some(1200.5), ""},
		{"1.200,50 €", "", euros, matching.Some(1200.5), ""},
		{"$1.2K", "", dollars, unknown, remarkThousands},
		{"50k", "", dollars, unknown, remarkThousands},
		{"4k", "EUR", dollars, unknown, remarkThousands},
		{"$1.2K/hr", "", dollars, matching.Some(1200.0), ""},
		{"150k", "IDR", Currencies{Base: "IDR"}, matching.Some(150000.0), ""},
		{"35 USD, weekly invoices", "", dollars, matching.Some(35.0), remarkNote},
		{"$40/hour (min. 1 day)", "", dollars, matching.Some(40.0), remarkNote},
		{"$30 (negotiable, daily standup)", "", dollars, matching.Some(30.0), remarkNote},
		{"40 €; Anfahrt extra", "", euros, matching.Some(40.0), remarkNote},
		{"$30-$50 [depends on scope]", "", dollars, matching.Some(30.0), remarkRateRange},
		{"$600 (per day)", "", dollars, unknown, remarkNotHourly},
		{"$600 (day rate, remote only)", "", dollars, unknown, remarkNotHourly},
		{"$600, weekly", "", dollars, unknown, remarkNotHourly},
		{"$900 (fixed price for small sites)", "", dollars, unknown, remarkNotHourly},
		{"$900 (flat)", "", dollars, unknown, remarkNotHourly},
		{"$20, $30", "", dollars, unknown, remarkNotMoney},
		{"call me (later)", "", dollars, unknown, remarkNotMoney},
		{"€15", "", dollars, matching.Some(16.2), ""},
		{"EUR 15", "", dollars, matching.Some(16.2), ""},
		{"15 eur/hr", "", dollars, matching.Some(16.2), ""},
		{"15", "EUR", dollars, matching.Some(16.2), ""},
		{"15", "GBP", dollars, unknown, "an amount in GBP without an exchange rate; set one with -rate GBP=AMOUNT"},
		{"₹500", "", dollars, matching.Some(6.0), ""},
		{"$20", "", pesos, matching.Some(20.0), ""}, // the data set's currency uses the sign too
		{"$20 USD", "", pesos, unknown, "an amount in USD without an exchange rate; set one with -rate USD=AMOUNT"},
		{"$20", "", euros, unknown, "an amount in USD without an exchange rate; set one with -rate USD=AMOUNT"},
		{"£15", "", dollars, unknown, "an amount in GBP without an exchange rate; set one with -rate GBP=AMOUNT"},
		{"A$15", "", dollars, unknown, "an amount in AUD without an exchange rate; set one with -rate AUD=AMOUNT"},
		{"Rs 500", "", dollars, unknown, remarkAmbiguousSign},
		{"kr 500", "NOK", Currencies{Base: "NOK"}, matching.Some(500.0), ""},
		{"Rs 500 INR", "", dollars, matching.Some(6.0), ""},
		{"500", AmbiguousCurrency, dollars, unknown, remarkAmbiguousSign},
		{"500", UnknownCurrency, dollars, unknown, remarkNoCurrency},
		{"₹500", AmbiguousCurrency, dollars, matching.Some(6.0), ""},
		{"$30-$50/hr", "", dollars, matching.Some(30.0), remarkRateRange},
		{"$30/hr – $50/hr", "", dollars, matching.Some(30.0), remarkRateRange},
		{"30 to 50", "", dollars, matching.Some(30.0), remarkRateRange},
		{"$2K+ earned", "", dollars, unknown, remarkNotHourly},
		{"$200/day", "", dollars, unknown, remarkNotHourly},
		{"3000 per month", "", dollars, unknown, remarkNotHourly},
		{"$60,000 a year", "", dollars, unknown, remarkNotHourly},
		{"$0", "", dollars, unknown, remarkZeroRate},
		{"-25", "", dollars, unknown, remarkNotMoney},
		{"98%", "", dollars, unknown, remarkNotMoney},
		{"negotiable", "", dollars, unknown, remarkNotMoney},
		{"$", "", dollars, unknown, remarkNotMoney},
		{"20 25", "", dollars, unknown, remarkNotMoney},
		{"1e400", "", dollars, unknown, remarkNotMoney},
		{"NaN", "", dollars, unknown, ""},
		{"N/A", "", dollars, unknown, ""},
	}
	for _, test := range tests {
		t.Run(test.cell+" in "+test.c.Base, func(t *testing.T) {
			got, remark := test.c.HourlyRate(test.cell, test.column)
			if diff := cmp.Diff(test.want, got); diff != "" || remark != test.remark {
				t.Errorf("remark %q, want %q (-want +got)\n%s", remark, test.remark, diff)
			}
		})
	}
}

func TestCurrency(t *testing.T) {
	for header, want := range map[string]string{
		"Hourly Rate (EUR)": "EUR",
		"rate_gbp":          "GBP",
		"Rate in €":         "EUR",
		"Rate ($)":          "USD",
		"Hourly Rate":       "",
		"Hourly_Paid":       "",
		"Rate (INR)":        "INR",
		"€/h":               "EUR",
		"RATE PEN":          "",
		"Rate (PEN)":        "PEN",
		"all rates":         "",
		"Rate (Rs)":         AmbiguousCurrency,
	} {
		if got := Currency(header, "USD"); got != want {
			t.Errorf("Currency(%q) = %q, want %q", header, got, want)
		}
	}

	if got := Currency("Rate ($)", "AUD"); got != "AUD" {
		t.Errorf("Currency of a dollar sign in a data set in AUD = %q", got)
	}
}

func TestCurrencyCode(t *testing.T) {
	for cell, want := range map[string]string{
		"INR": "INR", "usd": "USD", " € ": "EUR", "Euro": "EUR", "US$": "USD", "A$": "AUD", "USD ($)": "USD", "$ CAD": "CAD",
		"Rs": AmbiguousCurrency, "Rs (INR)": "INR",
		"": "", "N/A": "", "EUR USD": "", "€15": "", "Go": "", "DEV": "", "per hour": "",
	} {
		if got, ok := CurrencyCode(cell, "USD"); got != want || ok != (want != "") {
			t.Errorf("CurrencyCode(%q) = %q, %t, want %q", cell, got, ok, want)
		}
	}
	if got, _ := CurrencyCode("Rs", "INR"); got != "INR" {
		t.Errorf("CurrencyCode of Rs in a data set in INR = %q", got)
	}
}

func TestAmount(t *testing.T) {
	for cell, want := range map[string]AmountKind{
		"$51/hr": HourlyAmount, "40 per hour": HourlyAmount, "$20-30/h": HourlyAmount, "Rs 500/hr": HourlyAmount,
		"$51": MoneyAmount, "EUR 20": MoneyAmount, "Rs 500": MoneyAmount, "51": BareAmount, "20-30": BareAmount,
		"25/hr": HourlyAmount, "hourly 25": HourlyAmount, "€25 h": HourlyAmount, "40 hours": OtherAmount, "40h": OtherAmount,
		"$500/day": PeriodAmount, "450 € / jour": PeriodAmount, "€80k p.a.": PeriodAmount, "450 per day": OtherAmount,
		"12 days": OtherAmount, "$2K+ earned": OtherAmount,
		"98%": NotAmount, "7 yrs": NotAmount, "N/A": NotAmount, "": NotAmount, "Go": NotAmount,
	} {
		if got, _ := Amount(cell); got != want {
			t.Errorf("Amount(%q) = %v, want %v", cell, got, want)
		}
	}
}
