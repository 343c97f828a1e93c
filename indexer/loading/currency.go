package loading

import (
	"context"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/rows"
)

// DefaultCurrency is the currency of a data set if nothing names another one.
const DefaultCurrency = "USD"

// ChooseCurrency returns the currency of the amounts if no option names it, and what chose it: the live index, or in a
// first load, for which live is empty, the hourly rates.
func (in *Inputs) ChooseCurrency(ctx context.Context, live string) (code string, by bulk.CurrencySource, err error) {
	code, by = live, bulk.FromLiveIndex
	if live == "" {
		by = bulk.FromHourlyRates
		if code, err = in.commonCurrency(ctx); err != nil {
			return "", "", err
		}
	}

	if code == "" || code == DefaultCurrency {
		return DefaultCurrency, "", nil
	}
	return code, by, nil
}

// commonCurrency returns the currency that the hourly rates of every table name, or "" if there is no such currency.
func (in *Inputs) commonCurrency(ctx context.Context) (common string, err error) {
	for i := range in.mappings { // resumes, which come after the tables, have no rates
		named, err := namedCurrencies(ctx, &in.Files[i])
		if err != nil {
			return "", err
		}

		code := named.common()
		isOther := common != "" && code != common
		switch {
		case named.isEmpty():
		case code == "" || isOther:
			return "", nil
		default:
			common = code
		}
	}

	return common, nil
}

// firstRows is the number of rows that show whether the rates of a file may name one currency other than the dollar.
// Only such a file is read to its end.
const firstRows = 200

// namedCurrencies counts the rows of a file by the currency of their hourly rate.
func namedCurrencies(ctx context.Context, file *bulk.Input) (named currencyCounts, err error) {
	f, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()

	named = currencyCounts{}
	n := 0
	for row, err := range f.Rows(ctx) {
		if err != nil {
			return nil, err
		}
		named.add(&row)

		code := named.common()
		mayBeOther := code != "" && code != DefaultCurrency
		if n++; n >= firstRows && !mayBeOther {
			break
		}
	}

	return named, nil
}

// currencyCounts has the number of rows with an hourly rate, by the currency that they name, or "".
type currencyCounts map[string]int

func (c currencyCounts) isEmpty() bool { return len(c) == 0 }

func (c currencyCounts) add(row *rows.Row) {
	isUsed := len(row.Faults) == 0 && !row.Skipped && !row.LeftOut && !row.Deleted
	hasRate := row.RateIn != "" || row.Freelancer.HourlyRate.Known
	if isUsed && hasRate {
		c[row.RateIn]++
	}
}

// common returns the only currency that rows name. It returns "" if most rows name none, because their amounts may be
// in dollars.
func (c currencyCounts) common() string {
	for code, rows := range c {
		hasOther := len(c) > 2 || len(c) == 2 && c[""] == 0
		if code != "" && !hasOther && rows > c[""] {
			return code
		}
	}
	return ""
}
