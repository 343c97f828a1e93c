package main

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"freelancer-matching/internal/exchange"
)

// rateSettings returns the names of the settings for exchange rates.
func rateSettings() []string { return []string{"exchange-rates", "exchange-rates-max-age"} }

// readRates adds the rates of the operator's table to those of -rate, which come first.
func (o *loadOptions) readRates(now time.Time, log *slog.Logger) error {
	file := o.config.ExchangeRates.File
	if file == "" {
		return nil
	}
	table, err := exchange.Load(file)
	if err != nil {
		return fmt.Errorf("exchange-rates: %w", err)
	}

	base := strings.ToUpper(o.source.Currency)
	worth := table.In(base)
	if worth == nil {
		log.Warn("the exchange rates lack the currency of the index, so only -rate converts amounts",
			"file", file, "currency", base)
		return nil
	}

	if age := table.Age(now); time.Duration(age)*24*time.Hour > o.config.ExchangeRates.MaxAge {
		log.Warn("the exchange rates are old", "file", file, "date", table.Date(), "days", age)
	}
	given := make(map[string]bool, len(o.source.Rates))
	for code := range o.source.Rates {
		given[strings.ToUpper(code)] = true
	}

	o.ratesDates = make(map[string]string, len(worth))
	for code, rate := range worth {
		if !given[code] && code != base {
			o.source.Rates[code], o.ratesDates[code] = rate, table.Date()
		}
	}

	return nil
}

// recordRates adds the day of the exchange rates to the options that are stored with the index.
func (o *loadOptions) recordRates(options map[string]string) {
	for _, date := range o.ratesDates { // all have the same
		options["exchange-rates-date"] = date
	}
}
