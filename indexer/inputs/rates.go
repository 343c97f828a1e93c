package inputs

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"freelancer-matching/internal/exchange"
)

// readRates adds the rates of the operator's table to those of -rate, which come first.
func (o *Options) readRates(now time.Time, log *slog.Logger) error {
	file := o.Config.ExchangeRates.File
	if file == "" {
		return nil
	}
	table, err := exchange.Load(file)
	if err != nil {
		return fmt.Errorf("exchange-rates: %w", err)
	}

	base := strings.ToUpper(o.Source.Currency)
	worth := table.In(base)
	if worth == nil {
		log.Warn("the exchange rates lack the currency of the index, so only -rate converts amounts",
			"file", file, "currency", base)
		return nil
	}

	if age := table.Age(now); time.Duration(age)*24*time.Hour > o.Config.ExchangeRates.MaxAge {
		log.Warn("the exchange rates are old", "file", file, "date", table.Date(), "days", age)
	}
	given := make(map[string]bool, len(o.Source.Rates))
	for code := range o.Source.Rates {
		given[strings.ToUpper(code)] = true
	}

	o.RatesDates = make(map[string]string, len(worth))
	for code, rate := range worth {
		if !given[code] && code != base {
			o.Source.Rates[code], o.RatesDates[code] = rate, table.Date()
		}
	}

	return nil
}

// RecordRates adds the day of the exchange rates to the options that are stored with the index.
func (o *Options) RecordRates(options map[string]string) {
	for _, date := range o.RatesDates { // all have the same
		options["exchange-rates-date"] = date
	}
}
