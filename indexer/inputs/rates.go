package inputs

import (
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/exchange"
	"github.com/freelancer-matching/service/internal/value"
)

// bindRates defines the flags that say how rates for other units than an hour are read.
func (o *Options) bindRates(flags *flag.FlagSet) {
	o.Source.HoursPerDay = value.DefaultHoursPerDay
	flags.Func("hours-per-day", "`hours` of work in a day, to convert rates per day, week (5 days), month and year "+
		"(52 weeks) (default 8)", o.setHoursPerDay)
	flags.Func("rate-bounds", "plausible amounts in -currency, as `unit=low:high`, such as day=100:3000; others are "+
		"unknown; the units are hour, day, week, month and year; may be repeated", o.setBounds)
}

func (o *Options) setHoursPerDay(text string) error {
	hours, err := strconv.ParseFloat(text, 64)
	if err != nil || !(hours > 0 && hours <= 24) {
		return errors.New("want a number of hours up to 24")
	}
	o.Source.HoursPerDay = hours
	return nil
}

func (o *Options) setBounds(text string) error {
	name, bounds, _ := strings.Cut(text, "=")
	low, high, _ := strings.Cut(bounds, ":")
	unit := value.UnitNamed(name)
	least, lowErr := strconv.ParseFloat(low, 64)
	most, highErr := strconv.ParseFloat(high, 64)

	isRange := lowErr == nil && highErr == nil && least >= 0 && least <= most
	if unit == value.NoUnit || !isRange {
		return errors.New("want unit=low:high, such as day=100:3000; the units are hour, day, week, month and year")
	}
	if o.Source.Bounds == nil {
		o.Source.Bounds = make(value.Bounds)
	}
	o.Source.Bounds[unit] = value.Range{Low: least, High: most}

	return nil
}

// readRates reads the operator's table of exchange rates, if there is one.
func (o *Options) readRates() (err error) {
	file := o.Config.ExchangeRates.File
	if file == "" {
		return nil
	}
	if o.rates, err = exchange.Load(file); err != nil {
		return fmt.Errorf("exchange-rates: %w", err)
	}
	return nil
}

// addRates adds the rates of the operator's table to those of -rate, which come first.
func (o *Options) addRates(now time.Time, log *slog.Logger) {
	if o.rates == nil {
		return
	}

	file := o.Config.ExchangeRates.File
	base := strings.ToUpper(o.Source.Currency)
	worth := o.rates.In(base)
	if worth == nil {
		log.Warn("the exchange rates lack the currency of the index, so only -rate converts amounts",
			"file", file, "currency", base)
		return
	}

	if age := o.rates.Age(now); time.Duration(age)*24*time.Hour > o.Config.ExchangeRates.MaxAge {
		log.Warn("the exchange rates are old", "file", file, "date", o.rates.Date(), "days", age)
	}
	given := make(map[string]bool, len(o.Source.Rates))
	for code := range o.Source.Rates {
		given[strings.ToUpper(code)] = true
	}

	o.RatesDates = make(map[string]string, len(worth))
	for code, rate := range worth {
		if !given[code] && code != base {
			o.Source.Rates[code], o.RatesDates[code] = rate, o.rates.Date()
		}
	}
}

// RecordRates adds the day of the exchange rates to the options that are stored with the index.
func (o *Options) RecordRates(options map[string]string) {
	for _, date := range o.RatesDates { // all have the same
		options["exchange-rates-date"] = date
	}
}
