package ranking

// Money converts amounts of the data set for the client. The zero value leaves them as they are, without a currency.
type Money struct {
	Currency     string  // of the client
	DataCurrency string  // of the data set
	Rate         float64 // the amount in Currency that one unit of DataCurrency is worth; 0 means 1
}

// of returns an amount in the client's currency.
func (m Money) of(amount float64) float64 {
	if m.Rate == 0 {
		return amount
	}
	return amount * m.Rate
}

// format formats an amount of the data set in the client's currency: "1,200 EUR".
func (m Money) format(x float64) string { return withUnit(amount(m.of(x)), m.Currency) }

// HourlyRate formats an hourly rate of the data set in the client's currency, and a converted one also as it is in the
// data: "48 EUR/h (60 USD/h)".
func (m Money) HourlyRate(x float64) string {
	text := m.format(x) + "/h"
	if m.Currency != m.DataCurrency {
		text += " (" + withUnit(amount(x), m.DataCurrency) + "/h)"
	}
	return text
}

func withUnit(number, unit string) string {
	if unit == "" {
		return number
	}
	return number + " " + unit
}
