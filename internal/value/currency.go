package value

import (
	"slices"
	"strings"
	"unicode"
)

// AmbiguousCurrency stands for the currency of a sign that several currencies use, such as Rs.
const AmbiguousCurrency = "?"

// UnknownCurrency stands for the currency of a row that should name one, and doesn't.
const UnknownCurrency = "!"

// AmountKind is what the text of an amount says about its meaning.
type AmountKind int

// The kinds of amounts.
const (
	NotAmount AmountKind = iota
	BareAmount
	MoneyAmount  // with a currency
	HourlyAmount // per hour, with or without a currency
	PeriodAmount // per day, week, month or year, with a currency
	OtherAmount  // per project, in total, or a number of hours or days
)

// Amount returns the kind of an amount and, except for OtherAmount, the amount itself.
func Amount(s string) (kind AmountKind, amount float64) {
	s = strings.TrimSpace(s)
	if Unknown(s) {
		return NotAmount, 0
	}
	parsed, remark := Currencies{}.parseAmount(s, "")
	switch {
	case remark == remarkNotHourly:
		return OtherAmount, 0
	case remark != "":
		return NotAmount, 0
	case parsed.unit == PerHour && (parsed.isPer || parsed.currency != ""):
		return HourlyAmount, parsed.low
	case parsed.unit > PerHour && parsed.currency != "":
		return PeriodAmount, parsed.low
	case parsed.unit != NoUnit:
		return OtherAmount, 0
	case parsed.currency != "":
		return MoneyAmount, parsed.low
	}
	return BareAmount, parsed.low
}

// AmountUnit returns the unit of an amount such as "$30/h" and "450 per day", or NoUnit. A number of hours or days has
// none.
func AmountUnit(s string) Unit {
	parsed, remark := Currencies{}.parseAmount(strings.TrimSpace(s), "")
	isRate := remark == "" && (parsed.isPer || parsed.currency != "")
	if !isRate {
		return NoUnit
	}
	return parsed.unit
}

// Currency returns the currency that a column's header names by its sign, code or name, or "". It may be an
// AmbiguousCurrency. Because headers have other words of three letters, such as "all", a code counts only if it is in
// capitals among small letters, or belongs to a currency that is known by its sign.
func Currency(header, base string) string {
	hasSmall := strings.IndexFunc(header, unicode.IsLower) >= 0
	for rest := header; rest != ""; {
		if sign, _ := signAt(rest); sign != nil {
			return sign.currency(base, "")
		}
		var word string
		word, rest = cutToken(rest)
		code, kind := classify(word)
		if kind != "currency" {
			continue
		}

		isCode := word == code && hasSmall
		if isCode || HasSign(code) {
			return code
		}
	}
	return ""
}

// HasSign reports whether a currency is known by a sign.
func HasSign(code string) bool {
	return slices.ContainsFunc(currencySigns, func(s currencySign) bool { return slices.Contains(s.currencies, code) })
}

// CurrencyCode returns the currency that a cell names, and nothing else: "INR", "€", "euro", "USD ($)". It may be an
// AmbiguousCurrency. ok is false if the cell is unknown or has anything else.
func CurrencyCode(cell, base string) (code string, ok bool) {
	if cell = strings.TrimSpace(cell); Unknown(cell) {
		return "", false
	}
	var first *currencySign // named the currency; a code may say more

	for cell != "" {
		found := ""
		sign, rest := signAt(cell)
		if sign != nil {
			found = sign.currency(base, code)
		} else {
			var word, kind string
			word, rest = cutToken(cell)
			found, kind = classify(word)
			if kind != "currency" && !slices.Contains([]string{"(", ")", "-", "–", "/", ":", "."}, word) {
				return "", false
			}
		}

		// A sign that several currencies share is narrowed down by a code beside it. Two codes contradict each other.
		cell = rest
		switch {
		case found == "", found == code, found == AmbiguousCurrency && code != "":
		case code == "":
			code = found
			first = sign
		case first != nil && slices.Contains(first.currencies, found):
			code = found
		default:
			return "", false
		}
	}

	return code, code != ""
}
