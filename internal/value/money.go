package value

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"

	"freelancer-matching/internal/matching"
)

// Remarks on amounts of money.
const (
	remarkNotMoney      = "not an amount of money per hour"
	remarkNotHourly     = "an amount, but not per hour"
	remarkThousands     = "thousands are not a rate per hour in this currency"
	remarkNote          = "the words after the amount were not read"
	remarkZeroRate      = "a rate of 0 is treated as unknown"
	remarkRateRange     = "a range of rates; the lower end is used"
	remarkUnclearPoint  = "the point may separate thousands or decimals, and no other value of the column shows which"
	remarkNoCurrency    = "the row names no known currency; complete it, or set the column's currency with -mapping"
	remarkAmbiguousSign = "several currencies use this sign; name the currency in the header or with -currency"
)

// maxAmount is more than an hour costs anywhere, in any currency.
const maxAmount = 1e9

// Currencies holds the currency of a data set and the exchange rates to it.
type Currencies struct {
	Base  string             // ISO 4217
	Rates map[string]float64 // by currency: the value of one unit of it in Base
}

// HourlyRate parses an amount per hour, as in "$25.00/hr", "€15", "EUR 15", "1.200,50 €" and "$30-$50", and converts it
// to the base currency. A number without a currency is in the currency of its column, or in the base currency if column
// is empty; in a column of an AmbiguousCurrency or UnknownCurrency, it is unknown. Of a range, it returns the lower
// end. Amounts for other units than an hour, and in currencies without a rate, are unknown. So are thousands of a
// currency such as the dollar in a short form, such as "$4k", unless the cell says that they are per hour.
func (c Currencies) HourlyRate(s, column string) (rate matching.Optional[float64], remark string) {
	rate, _, remark = c.ChargedRate(s, column)
	return rate, remark
}

// ChargedRate does what HourlyRate does, and also returns the currency of the amount. It is "" if neither the cell nor
// its column names one.
func (c Currencies) ChargedRate(cell, column string) (rate matching.Optional[float64], code, remark string) {
	cell = strings.TrimSpace(cell)
	if Unknown(cell) {
		return rate, "", ""
	}

	parsed, remark := c.parseAmount(cell, column)
	hasNote := false
	if remark != "" {
		if parsed, hasNote = c.beforeNote(cell, column); !hasNote {
			return rate, "", remark
		}
	}

	code = cmp.Or(parsed.currency, column)
	factor, ok := c.factor(code)
	switch {
	case code == AmbiguousCurrency:
		return rate, "", remarkAmbiguousSign
	case code == UnknownCurrency:
		return rate, "", remarkNoCurrency
	case !ok:
		return rate, code, "an amount in " + code + " without an exchange rate; set one with -rate " + code + "=AMOUNT"
	case parsed.isUnclear:
		return rate, code, remarkUnclearPoint
	case parsed.low == 0:
		return rate, "", remarkZeroRate
	case parsed.isShortened && !parsed.hasHours && words["large currency"].has(fold(cmp.Or(code, c.Base))):
		return rate, "", remarkThousands
	case parsed.isRange:
		remark = remarkRateRange
	case hasNote:
		remark = remarkNote
	default:
		remark = ""
	}

	// An amount in the base currency stays as it is written, without rounding.
	if factor != 1 {
		parsed.low = math.Round(parsed.low*factor*100) / 100
	}

	return matching.Some(parsed.low), code, remark
}

// factor returns the value of one unit of a currency in the base currency. An empty code means the base currency.
func (c Currencies) factor(code string) (float64, bool) {
	if code == "" || code == c.Base {
		return 1, true
	}
	rate, ok := c.Rates[code]
	return rate, ok
}

type amount struct {
	low      float64
	currency string // empty if the cell names none, or an AmbiguousCurrency
	isRange  bool
	hasHours bool // the cell has a word for hours
	isHourly bool // something stands between the amount and that word, so that it is no number of hours
	// A point may separate decimals or thousands. A program that writes decimals leaves out zeros at the end, so it
	// wrote a cell such as 33.125.
	isUnclear bool
	// The amount is written as 4k.
	isShortened bool
}

// beforeNote parses the amount before a note, as in "$40/hour (min. 1 day)" and "35 USD, weekly invoices". It reports
// whether there is one. Words that may say what the amount is for, as in "$600 (per day)", are no note, unless the
// amount itself is per hour.
func (c Currencies) beforeNote(cell, column string) (amount, bool) {
	end := -1
	for _, opening := range []string{"(", "[", ", ", "; "} {
		if i := strings.Index(cell, opening); i > 0 && (end < 0 || i < end) {
			end = i
		}
	}
	if end < 0 {
		return amount{}, false
	}

	parsed, remark := c.parseAmount(strings.TrimSpace(cell[:end]), column)
	if remark != "" {
		return amount{}, false
	}
	return parsed, parsed.isHourly || isNote(cell[end:])
}

// isNote reports whether a text has a word that isn't about an amount, and none that may be the unit of one.
func isNote(text string) bool {
	hasOtherWord := false
	afterRhythm := false
	for text != "" {
		var word string
		word, text = cutToken(text)
		first, _ := utf8.DecodeRuneInString(word)
		_, kind := classify(word)

		switch {
		case !unicode.IsLetter(first): // signs and numbers
			continue
		case words["rhythm"].has(fold(word)):
			afterRhythm = true
			continue
		case kind == "":
			hasOtherWord = true
		case kind == "other unit", kind == "amount prefix", afterRhythm:
			return false
		}

		afterRhythm = false
	}
	return hasOtherWord && !afterRhythm
}

// parseAmount splits a cell into numbers, currencies and words. It rejects a cell with any other part.
func (c Currencies) parseAmount(text, column string) (parsed amount, remark string) {
	numbers := 0
	hasDash := false
	cell := text
	isAfterNumber := false
	for text != "" {
		afterNumber := isAfterNumber
		isAfterNumber = false

		if n, rest, ok := number(text); ok {
			numbers++
			isAfterNumber = true

			switch {
			case n > maxAmount, numbers == 2 && !hasDash, numbers > 2:
				return parsed, remarkNotMoney
			case numbers == 2:
				parsed.low = min(parsed.low, n)
				parsed.isRange = true
			default:
				parsed.low = n
			}

			numeral := text[:numeralEnd(text)]
			parsed.isShortened = parsed.isShortened || isShortened(text[len(numeral):])
			parsed.isUnclear = parsed.isUnclear || isUnclear(numeral) && (numeral != cell || strings.HasSuffix(numeral, "0"))
			text = rest
			continue
		}

		if sign, rest := signAt(text); sign != nil {
			if parsed.currency == "" {
				parsed.currency = sign.currency(c.Base, column)
			}
			text = rest
			continue
		}

		startsWithDash := strings.HasPrefix(text, "-") || strings.HasPrefix(text, "–") || strings.HasPrefix(text, "—")
		if startsWithDash {
			if numbers == 0 { // a negative amount
				return parsed, remarkNotMoney
			}
			hasDash = true
		}

		word, rest := cutToken(text)
		text = rest

		switch code, kind := classify(word); kind {
		case "amount filler":
		case "amount article":
			switch {
			case isDigitOrSign(text) && numbers > 0: // "30 a 50"
				hasDash = true
			case strings.Trim(text, ".") == "" && numbers > 0:
				return parsed, remarkNotHourly
			}

		case "amount prefix":
			if numbers > 0 { // "per min"
				return parsed, remarkNotHourly
			}

		case "hour":
			parsed.isHourly = parsed.isHourly || !afterNumber
			parsed.hasHours = true
		case "amount range":
			if numbers == 0 { // an upper limit
				return parsed, remarkNotMoney
			}
			hasDash = true

		case "currency":
			parsed.currency = code
		case "other unit":
			return parsed, remarkNotHourly
		default:
			return parsed, remarkNotMoney
		}
	}

	if numbers == 0 {
		return parsed, remarkNotMoney
	}

	return parsed, ""
}

// isDigitOrSign reports whether an amount begins with a digit or the sign of a currency.
func isDigitOrSign(s string) bool {
	sign, _ := signAt(s)
	return sign != nil || s != "" && isDigit(s[0])
}

// cutToken cuts a run of letters, or else one character, off the start of s.
func cutToken(s string) (token, rest string) {
	end := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	switch {
	case end < 0:
		end = len(s)
	case end == 0:
		_, end = utf8.DecodeRuneInString(s)
	}
	return s[:end], strings.TrimSpace(s[end:])
}

// amountLists are the lists of words of an amount. The first list with a word decides.
var amountLists = []string{
	"hour", "amount article", "amount prefix", "amount filler", "amount range", "other unit",
}

// classify returns the list that has a word of an amount, or "currency" and the code of the currency that it names. The
// kind is empty if the word is unknown.
func classify(word string) (code, kind string) {
	lower := fold(word)
	for _, list := range amountLists {
		if words[list].has(lower) {
			return "", list
		}
	}
	if code, ok := currencyNames[lower]; ok {
		return code, "currency"
	}
	if len(word) == 3 {
		if unit, err := currency.ParseISO(strings.ToUpper(word)); err == nil {
			return unit.String(), "currency"
		}
	}
	return "", ""
}

// currencySign is a sign such as $, which many currencies share.
type currencySign struct {
	sign        string
	currencies  []string
	isAmbiguous bool // the sign does not mean the first currency by default
}

// currencyNames has the codes of currencies by name. currencySigns has longer signs before signs that they end with.
var currencyNames, currencySigns = loadCurrencies()

func loadCurrencies() (names map[string]string, signs []currencySign) {
	names = make(map[string]string)
	for _, e := range load("currencies.txt") {
		switch kind, key, _ := strings.Cut(e.list, " "); kind {
		case "name":
			for _, name := range e.items {
				names[fold(name)] = key
			}
		default:
			signs = append(signs, currencySign{sign: key, currencies: e.items, isAmbiguous: kind == "ambiguous"})
		}
	}
	return names, signs
}

// currency returns the currency that a sign means in a column of a data set. It may be an AmbiguousCurrency.
func (s *currencySign) currency(base, column string) string {
	for _, preferred := range []string{column, base} {
		if slices.Contains(s.currencies, preferred) {
			return preferred
		}
	}
	if s.isAmbiguous {
		return AmbiguousCurrency
	}
	return s.currencies[0]
}

// signAt returns the currency sign at the start of s, or nil.
func signAt(s string) (sign *currencySign, rest string) {
	for i := range currencySigns {
		sign := &currencySigns[i]
		rest, ok := strings.CutPrefix(s, sign.sign)
		if !ok {
			continue
		}
		last, _ := utf8.DecodeLastRuneInString(sign.sign)
		next, _ := utf8.DecodeRuneInString(rest)
		if unicode.IsLetter(last) && unicode.IsLetter(next) {
			continue // the start of a word
		}
		return sign, strings.TrimSpace(rest)
	}
	return nil, s
}
