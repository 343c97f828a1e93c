package value

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"

	"github.com/freelancer-matching/service/internal/matching"
)

// RateAdvice begins what the remark about a missing exchange rate advises users of the indexer to do. Where there is no
// such flag, the remark ends before it.
const RateAdvice = "; set one with -rate "

// Remarks on amounts of money.
const (
	remarkNotMoney      = "not an amount of money per hour"
	remarkNotHourly     = "an amount, but not per hour"
	remarkSalary        = "a salary per %s in a column of hourly rates, so no rate"
	remarkConverted     = "a rate per %s; converted at %v hours per day"
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

// Currencies holds the currency of a data set, and how amounts are converted to a rate per hour in it.
type Currencies struct {
	Base  string             // ISO 4217
	Rates map[string]float64 // by currency: the value of one unit of it in Base
	// HoursPerDay converts rates per day, week, month and year. If it is 0, they are unknown.
	HoursPerDay float64
	Bounds      Bounds // of plausible amounts; others are unknown
}

// HourlyRate returns the rate of Charge, and the remark.
func (c Currencies) HourlyRate(cell, column string) (rate matching.Optional[float64], remark string) {
	charge := c.Charge(cell, column, NoUnit)
	return charge.Rate, charge.Remark
}

// A Charge is what a cell says that somebody charges.
type Charge struct {
	Rate     matching.Optional[float64] // per hour, in the base currency
	Currency string                     // of the amount; "" if neither the cell nor its column names one
	Unit     Unit                       // that the amount is for; PerHour if nothing names another one
	Remark   string
	// IsConverted means that the remark only says how the amount was converted to hours.
	IsConverted bool
}

// Charge parses an amount such as "$25.00/hr", "€15", "EUR 15", "1.200,50 €", "$30-$50" and "450 € / jour", and
// converts it to a rate per hour in the base currency. A number without a currency is in the currency of its column, or
// in the base currency if column is empty; in a column of an AmbiguousCurrency or UnknownCurrency, it is unknown. An
// amount without a unit is for the unit of its column, or for an hour. Of a range, it returns the lower end. In a
// column of hourly rates, an amount per month or year is a salary and unknown.
//
// Amounts for other units, such as a project, and in currencies without a rate, are unknown. So are implausible
// amounts, and thousands of a currency such as the dollar in a short form, such as "$4k", unless a unit is named.
func (c Currencies) Charge(cell, column string, unit Unit) Charge {
	cell = strings.TrimSpace(cell)
	if Unknown(cell) {
		return Charge{}
	}

	parsed, remark := c.amountWithNote(cell, column)
	if remark == "" {
		remark = parsed.unitFault(unit)
	}
	if remark != "" {
		return Charge{Remark: remark}
	}

	named := cmp.Or(parsed.unit, unit)
	code := cmp.Or(parsed.currency, column)
	factor, hasFactor := c.factor(code)

	// Nobody works a week for 2.4, so 2.400 a week has thousands.
	worth := parsed.low * factor
	hasThousands := c.Bounds.excludes(worth, named) && !c.Bounds.excludes(worth*1000, named)
	if parsed.isUnclear && hasThousands {
		parsed.low *= 1000
		parsed.isUnclear = false
	}

	refused := c.refuse(&parsed, named, code, hasFactor)
	if refused.Remark != "" {
		return refused
	}

	charge := Charge{Currency: code, Unit: cmp.Or(named, PerHour)}
	if charge.Remark = c.Bounds.remark(parsed.low*factor, charge.Unit); charge.Remark != "" {
		return charge
	}

	switch {
	case parsed.isRange:
		charge.Remark = remarkRateRange
	case parsed.hasNote:
		charge.Remark = remarkNote
	case charge.Unit > PerHour:
		charge.Remark = fmt.Sprintf(remarkConverted, charge.Unit, c.HoursPerDay)
		charge.IsConverted = true
	}

	// An hourly amount in the base currency stays as it is written, without rounding.
	rate := parsed.low
	factor /= charge.Unit.Hours(c.HoursPerDay)
	if factor != 1 {
		rate = math.Round(parsed.low*factor*100) / 100
	}
	charge.Rate = matching.Some(rate)

	return charge
}

// refuse returns a charge without a rate, and with the reason, for an amount that can't be converted to a rate per hour
// in the base currency. The charge of any other amount has no remark. The unit and the currency come from the amount
// or, if it names none, from its column.
func (c Currencies) refuse(a *amount, unit Unit, code string, hasFactor bool) Charge {
	// Nobody charges thousands of dollars an hour, so "$4k" without a unit is for something else.
	isPerHour := unit <= PerHour && a.unit == NoUnit
	isThousands := isPerHour && a.isShortened && IsLargeCurrency(cmp.Or(code, c.Base))

	switch {
	case unit > PerHour && c.HoursPerDay == 0:
		return Charge{Remark: remarkNotHourly}
	case code == AmbiguousCurrency:
		return Charge{Remark: remarkAmbiguousSign}
	case code == UnknownCurrency:
		return Charge{Remark: remarkNoCurrency}
	case !hasFactor:
		return Charge{
			Currency: code,
			Remark:   "an amount in " + code + " without an exchange rate" + RateAdvice + code + "=AMOUNT",
		}
	case a.isUnclear:
		return Charge{Currency: code, Remark: remarkUnclearPoint}
	case a.low == 0:
		return Charge{Remark: remarkZeroRate}
	case isThousands:
		return Charge{Remark: remarkThousands}
	default:
		return Charge{}
	}
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
	high     float64 // of a range
	currency string  // empty if the cell names none, or an AmbiguousCurrency
	isRange  bool
	unit     Unit // that the cell names
	isPer    bool // something stands between the amount and the unit, so that it is no number of hours or days
	// A point may separate decimals or thousands.
	isUnclear bool
	// The amount is written as 4k.
	isShortened bool
	hasNote     bool // words follow that aren't part of the amount
}

// unitFault returns why the unit of an amount doesn't fit a column of amounts per unit, or "" if it fits.
func (a *amount) unitFault(unit Unit) string {
	// "12 days" is no rate, unless the column is about days, too.
	hasPrice := a.isPer || a.currency != ""
	countsUnits := a.unit > PerHour && !hasPrice && a.unit != unit
	if countsUnits {
		return remarkNotHourly
	}

	// Somebody who charges by the hour doesn't charge by the year, too.
	if unit == PerHour && a.unit >= PerMonth {
		return fmt.Sprintf(remarkSalary, a.unit)
	}

	return ""
}

// amountWithNote parses an amount, which a note may follow. It returns a remark if there is none.
func (c Currencies) amountWithNote(cell, column string) (parsed amount, remark string) {
	parsed, remark = c.parseAmount(cell, column)
	if remark == "" {
		return parsed, ""
	}

	beforeNote, ok := c.beforeNote(cell, column)
	if !ok {
		return amount{}, remark
	}
	beforeNote.hasNote = true
	return beforeNote, ""
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
	isRate := parsed.isPer && parsed.unit == PerHour
	return parsed, isRate || isNote(cell[end:])
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
		case kind == "other unit", kind == "amount prefix", unitOfList[kind] > PerHour, afterRhythm:
			return false
		}

		afterRhythm = false
	}
	return hasOtherWord && !afterRhythm
}

// parseAmount splits a cell into numbers, currencies and words. It rejects a cell with any other part.
func (c Currencies) parseAmount(text, column string) (parsed amount, remark string) {
	p := amountParser{base: c.Base, column: column, cell: text, rest: text}
	return p.parse()
}

// parse reads all parts.
func (p *amountParser) parse() (parsed amount, remark string) {
	for p.rest != "" {
		if remark := p.next(); remark != "" {
			return p.amount, remark
		}
	}

	if p.numbers == 0 {
		return p.amount, remarkNotMoney
	}
	return p.amount, ""
}

// An amountParser reads the parts of an amount from left to right.
type amountParser struct {
	amount
	base   string // currency of the data set
	column string // currency of the column
	cell   string
	rest   string // what is left of the cell
	// isTyped is set for what somebody types into a field for money: a point may only separate thousands or cents, and
	// the amount may be for the whole work.
	isTyped bool

	numbers       int
	hasDash       bool // a dash or a word such as "to" follows the first number
	isAfterNumber bool // the last part was a number
}

// next reads the next part: a number, the sign of a currency, or a word. It returns a remark if the part doesn't belong
// to an amount.
func (p *amountParser) next() (remark string) {
	if n, rest, ok := number(p.rest); ok {
		remark = p.addNumber(n)
		p.rest = rest
		p.isAfterNumber = true
		return remark
	}
	isAfterNumber := p.isAfterNumber
	p.isAfterNumber = false

	if sign, rest := signAt(p.rest); sign != nil {
		if p.currency == "" {
			p.currency = sign.currency(p.base, p.column)
		}
		p.rest = rest
		return ""
	}

	startsWithDash := strings.HasPrefix(p.rest, "-") || strings.HasPrefix(p.rest, "–") || strings.HasPrefix(p.rest, "—")
	if startsWithDash {
		if p.numbers == 0 { // a negative amount
			return remarkNotMoney
		}
		p.hasDash = true
	}

	word, rest := cutToken(p.rest)
	p.rest = rest
	return p.addWord(word, isAfterNumber)
}

// addNumber adds a number, with which the rest begins.
func (p *amountParser) addNumber(n float64) (remark string) {
	numeral := p.rest[:numeralEnd(p.rest)]
	if p.isTyped && isUnclear(numeral) {
		n *= 1000
	}

	p.numbers++
	endsRange := p.numbers == 2 && p.hasDash
	switch {
	case n > maxAmount:
		return remarkNotMoney
	case p.numbers == 1:
		p.low = n
	case endsRange:
		p.low, p.high = min(p.low, n), max(p.low, n)
		p.isRange = true
	default:
		return remarkNotMoney
	}

	if isShortened(p.rest[len(numeral):]) {
		p.isShortened = true
	}

	// A cell with nothing but 33.125 comes from a program. Programs write a decimal point, and no zeros at the end.
	isFromProgram := numeral == p.cell && !strings.HasSuffix(numeral, "0")
	if isUnclear(numeral) && !isFromProgram {
		p.isUnclear = true
	}

	return ""
}

// addWord adds a word or sign, which has been cut off the rest.
func (p *amountParser) addWord(word string, isAfterNumber bool) (remark string) {
	switch code, kind := classify(word); kind {
	case "amount filler":
		return ""

	case "amount article": // a word such as "a", which means "per" in English and "to" in Spanish
		switch {
		case p.numbers == 0:
		case isDigitOrSign(p.rest): // "30 a 50"
			p.hasDash = true
		case strings.Trim(p.rest, ".") == "": // "60,000 p.a."
			return p.setUnit(PerYear, true)
		}
		return ""

	case "amount prefix":
		if p.numbers > 0 { // "per min"
			return remarkNotHourly
		}
		return ""

	case "hour", "per day", "per week", "per month", "per year":
		return p.setUnit(unitOfList[kind], !isAfterNumber)

	case "amount range":
		if p.numbers == 0 { // an upper limit
			return remarkNotMoney
		}
		p.hasDash = true
		return ""

	case "currency":
		p.currency = code
		return ""

	case "other unit":
		if p.isTyped && words["whole work"].has(fold(word)) {
			return ""
		}
		return remarkNotHourly

	default:
		return remarkNotMoney
	}
}

// setUnit sets the unit that a cell names. It returns a remark if the cell names another one, too, as in "20 hours per
// week".
func (a *amount) setUnit(unit Unit, isPer bool) (remark string) {
	if a.unit != NoUnit && a.unit != unit {
		return remarkNotHourly
	}
	a.unit = unit
	a.isPer = a.isPer || isPer
	return ""
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
	"hour", "amount article", "amount prefix", "amount filler", "amount range", "per day", "per week", "per month",
	"per year", "other unit",
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
