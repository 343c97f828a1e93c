package inputs

import (
	"context"
	"log/slog"
	"time"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/loading"
)

// ChooseCurrency sets the currency of the amounts, unless -currency names it. It takes the live index's currency, or in
// a first load, for which live is empty, the one that all hourly rates name. Then it adds the operator's exchange
// rates. Rates that -rate gives are in dollars if nothing else says what they are in.
func (o *Options) ChooseCurrency(
	ctx context.Context, in *Inputs, live string, now time.Time, log *slog.Logger,
) (err error) {
	_, convertsLive := o.Source.Rates[live]
	ratesInDollars := live == "" && len(o.Source.Rates) > 0
	switch {
	case o.Source.Currency != "":
	case convertsLive || ratesInDollars:
		o.Source.Currency = loading.DefaultCurrency
	default:
		if o.Source.Currency, o.CurrencyBy, err = in.ChooseCurrency(ctx, live); err != nil {
			return err
		}
	}
	o.addRates(now, log)
	in.SetAmounts(o.Source.Currency, o.Source.Rates)

	return nil
}

// AdoptCurrency sets the currency of the amounts to the one that the live index has, unless -currency names one, or
// -rate converts amounts from it. live is empty if there is no live index.
func (o *Options) AdoptCurrency(live string) {
	_, convertsLive := o.Source.Rates[live]
	if o.Source.Currency == "" && live != "" && !convertsLive {
		o.Source.Currency = live
		if live != loading.DefaultCurrency {
			o.CurrencyBy = bulk.FromLiveIndex
		}
	}
}
