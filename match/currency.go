package match

import (
	"fmt"
	"strings"

	"github.com/freelancer-matching/service/internal/exchange"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
)

// inDataCurrency returns a copy of the brief with all amounts in the currency of the data set, and what it takes to
// convert the amounts of the response. The conversion is nil if the currencies are the same. The error is a
// *matching.Error if there is no exchange rate.
func (r *briefReader) inDataCurrency(
	brief *matching.Brief, data string,
) (converted *matching.Brief, money ranking.Money, conversion *matching.Conversion, err error) {
	if brief.Currency == "" || brief.Currency == data {
		return brief, ranking.Money{Currency: data, DataCurrency: data}, nil, nil
	}

	table := r.exchangeTable()
	toData, ok := table.Rate(brief.Currency, data)
	if !ok {
		return nil, money, nil, noExchangeRate(brief.Currency, data, table)
	}

	toClient, _ := table.Rate(data, brief.Currency)
	c := *brief
	c.Budget.Value.Low *= toData
	c.Budget.Value.High *= toData
	c.Filters.MaxHourlyRate.Value *= toData
	c.Filters.MaxCost.Value *= toData

	return &c, ranking.Money{Currency: brief.Currency, DataCurrency: data, Rate: toClient}, &matching.Conversion{
		Date: table.Date(), Source: table.Source(), From: data, To: brief.Currency, Rate: toClient,
	}, nil
}

// exchangeTable returns the current exchange rates, or nil if there are none.
func (r *briefReader) exchangeTable() *exchange.Table {
	if r.rates == nil {
		return nil
	}
	return r.rates()
}

// noExchangeRate returns the error for a brief in a currency that can't be converted to that of the data set.
func noExchangeRate(wanted, data string, table *exchange.Table) error {
	known := table.Currencies()
	var message string
	switch {
	case data == "":
		message = fmt.Sprintf("currency is %s, but the currency of the data set is unknown. Omit currency; amounts are then "+
			"compared as they are.", wanted)
	case known == nil:
		message = fmt.Sprintf("currency is %s, but the amounts of this data set are in %s, and the server has no exchange "+
			"rates. Use %[2]s, or ask the operator to configure rates with the setting exchange-rates.", wanted, data)
	default:
		missing := wanted
		if _, ok := table.Rate(data, known[0]); !ok {
			missing = data + ", the currency of the data set"
			known = []string{data}
		}
		message = fmt.Sprintf("currency is %s, but the exchange rates of %s lack %s. Use one of %s, or ask the operator to "+
			"complete the file in the setting exchange-rates.", wanted, table.Date(), missing, strings.Join(known, ", "))
	}

	return matching.Invalid([]matching.FieldError{{Field: "currency", Code: "no_exchange_rate", Message: message}})
}
