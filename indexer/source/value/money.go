package value

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"

	"freelancer-matching/internal/matching"
)

// Remarks on amounts of money.
const (
	remarkNotMoney     = "not an amount of money per hour"
	remarkNotHourly    = "an amount, but not per hour"
	remarkZeroRate     = "a rate of 0 says nothing"
	remarkRangeOfRates = "a range of rates: its lower end is used"
	remarkAmbiguous    = "a currency sign of several currencies: none is that of the data set"
)

// maxAmount is more than an hour costs anywhere, in any currency.
const maxAmount = 1e9

// Currencies knows the currency of a data set and what others are worth in it.
type Currencies struct {
	Base  string             // ISO 4217
	Rates map[string]float64 // currency → units of Base that one unit of it is worth
}

// HourlyRate is an amount per hour in the base currency, as in "$25.00/hr", "€15", "EUR 15", "1.200,50 €" and
// "$30-$50". A number without a currency is in that of its column, or in the base currency where that is "". The
// rate of somebody who states a range is its lower end. Amounts for anything but an hour, and in currencies without a
// rate, are unknown: converting them would take a guess.
func (c Currencies) HourlyRate(s, column string) (rate matching.Optional[float64], remark string) {
	s = strings.TrimSpace(s)
	if Unknown(s) {
		return rate, ""
	}
	a, remark := c.parseAmount(s, column)
	if remark != "" {
		return rate, remark
	}
	worth, ok := c.worth(a.currency, column)
	switch {
	case !ok:
		return rate, "an amount in " + a.currency + ", a currency without a rate"
	case a.low == 0:
		return rate, remarkZeroRate
	case a.isRange:
		remark = remarkRangeOfRates
	}
	if worth != 1 {
		a.low = math.Round(a.low*worth*100) / 100
	}
	return matching.Some(a.low), remark
}

// worth is what one unit of a currency is worth in the base currency.
func (c Currencies) worth(code, column string) (float64, bool) {
	if code == "" {
		code = column
	}
	if code == "" || code == c.Base {
		return 1, true
	}
	worth, ok := c.Rates[code]
	return worth, ok
}

type amount struct {
	low      float64
	currency string // "" when the cell names none
	isRange  bool
}

// parseAmount takes a cell apart into numbers, currencies and words, and refuses it when any part is none of these.
func (c Currencies) parseAmount(s, column string) (a amount, remark string) {
	numbers, isSpan := 0, false
	for s != "" {
		if n, rest, ok := number(s); ok {
			numbers++
			switch {
			case n > maxAmount, numbers == 2 && !isSpan, numbers > 2:
				return a, remarkNotMoney
			case numbers == 2:
				a.low, a.isRange = min(a.low, n), true
			default:
				a.low = n
			}
			s = rest
			continue
		}
		sign, rest := symbolAt(s)
		switch {
		case sign != nil:
			code := sign.currency(c.Base, column)
			if code == "" {
				return a, remarkAmbiguous
			}
			if a.currency == "" {
				a.currency = code
			}
			s = rest
			continue
		case strings.HasPrefix(s, "-"), strings.HasPrefix(s, "–"), strings.HasPrefix(s, "—"):
			if numbers == 0 {
				return a, remarkNotMoney
			}
			isSpan = true
		}
		word, rest := cutWordOrSign(s)
		s = rest
		switch code, kind := classify(word); kind {
		case wordFiller:
		case wordSpan:
			isSpan = true
		case wordCurrency:
			a.currency = code
		case wordOtherUnit:
			return a, remarkNotHourly
		case wordUnreadable:
			return a, remarkNotMoney
		}
	}
	if numbers == 0 {
		return a, remarkNotMoney
	}
	return a, ""
}

// cutWordOrSign cuts a run of letters, or else one character, off the start of s.
func cutWordOrSign(s string) (word, rest string) {
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	switch {
	case end < 0:
		end = len(s)
	case end == 0:
		_, end = utf8.DecodeRuneInString(s)
	}
	return s[:end], strings.TrimSpace(s[end:])
}

type wordKind int

const (
	wordFiller wordKind = iota
	wordSpan
	wordCurrency
	wordOtherUnit
	wordUnreadable
)

// classify says what a word or sign in an amount is for, and for a currency its code.
func classify(word string) (code string, kind wordKind) {
	switch strings.ToLower(word) {
	case "/", "-", "–", "—", "+", "~", "≈", ":", ".", ",", "(", ")", "*", "'", "per", "an", "a", "p", "from", "about", "around",
		"approx", "approximately", "ca", "starting", "at", "rate", "only", "average", "avg",
		"h", "hr", "hrs", "hour", "hours", "hourly", "ph":
		return "", wordFiller
	case "to":
		return "", wordSpan
	case "d", "day", "days", "daily", "week", "weeks", "weekly", "wk", "mo", "month", "months", "monthly", "pm", "year", "years",
		"yearly", "yr", "annum", "annual", "annually", "pa", "min", "minute", "minutes", "fixed", "project", "projects",
		"task", "word", "words", "page", "piece", "order", "total", "earned", "gig", "price":
		return "", wordOtherUnit
	case "dollar", "dollars":
		return "USD", wordCurrency
	case "euro", "euros":
		return "EUR", wordCurrency
	}
	if len(word) == 3 {
		if unit, err := currency.ParseISO(strings.ToUpper(word)); err == nil {
			return unit.String(), wordCurrency
		}
	}
	return "", wordUnreadable
}

// symbol is a currency sign. Many currencies share some of them.
type symbol struct {
	sign       string
	currencies []string
	isClear    bool // the first currency is meant unless the data set says otherwise
}

// currency is the currency that a sign means in a column of a data set, "" when nothing tells.
func (s *symbol) currency(base, column string) string {
	for _, preferred := range []string{column, base} {
		for _, code := range s.currencies {
			if code == preferred {
				return code
			}
		}
	}
	if s.isClear {
		return s.currencies[0]
	}
	return ""
}

// symbols holds longer signs before their own endings.
var symbols = [...]symbol{
	{"US$", []string{"USD"}, true},
	{"AU$", []string{"AUD"}, true},
	{"CA$", []string{"CAD"}, true},
	{"NZ$", []string{"NZD"}, true},
	{"HK$", []string{"HKD"}, true},
	{"MX$", []string{"MXN"}, true},
	{"A$", []string{"AUD"}, true},
	{"C$", []string{"CAD"}, true},
	{"S$", []string{"SGD"}, true},
	{"R$", []string{"BRL"}, true},
	{"$", []string{"USD", "AUD", "CAD", "NZD", "SGD", "HKD", "MXN", "ARS", "CLP", "COP"}, true},
	{"€", []string{"EUR"}, true},
	{"£", []string{"GBP", "EGP"}, true},
	{"₹", []string{"INR"}, true},
	{"₨", []string{"INR", "PKR", "LKR", "NPR"}, false},
	{"Rs", []string{"INR", "PKR", "LKR", "NPR"}, false},
	{"CN¥", []string{"CNY"}, true},
	{"¥", []string{"JPY", "CNY"}, false},
	{"₩", []string{"KRW"}, true},
	{"₽", []string{"RUB"}, true},
	{"₺", []string{"TRY"}, true},
	{"₴", []string{"UAH"}, true},
	{"₫", []string{"VND"}, true},
	{"₱", []string{"PHP"}, true},
	{"₦", []string{"NGN"}, true},
	{"฿", []string{"THB"}, true},
	{"₪", []string{"ILS"}, true},
	{"zł", []string{"PLN"}, true},
	{"kr", []string{"SEK", "NOK", "DKK", "ISK"}, false},
}

// symbolAt finds a currency sign at the start of s.
func symbolAt(s string) (sign *symbol, rest string) {
	for i := range symbols {
		rest, ok := strings.CutPrefix(s, symbols[i].sign)
		if !ok {
			continue
		}
		last, _ := utf8.DecodeLastRuneInString(symbols[i].sign)
		next, _ := utf8.DecodeRuneInString(rest)
		if unicode.IsLetter(last) && unicode.IsLetter(next) {
			continue // the start of a word
		}
		return &symbols[i], strings.TrimSpace(rest)
	}
	return nil, s
}

// Currency is the currency that a column's header names, by its sign or code, "" when it names none.
func Currency(header, base string) string {
	for rest := header; rest != ""; {
		if sign, _ := symbolAt(rest); sign != nil {
			return sign.currency(base, "")
		}
		var word string
		word, rest = cutWordOrSign(rest)
		if code, kind := classify(word); kind == wordCurrency {
			return code
		}
	}
	return ""
}
