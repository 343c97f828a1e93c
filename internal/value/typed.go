package value

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
)

// Remarks on what people type into forms.
const (
	remarkNotTypedMoney = "not an amount; write one such as 3,000, 50 EUR/h or 3000–5000"
	remarkNotDuration   = "not a time; write one such as 10 days, two weeks or 3 months"
)

// Money is an amount of money, or a range, as people write it.
type Money struct {
	Low, High matching.Optional[float64] // Low is unknown unless it is a range
	Currency  string                     // ISO 4217; "" if the text names none
	Unit      Unit                       // NoUnit if the text names none, or says that it is for the whole work
}

// TypedMoney parses an amount or a range as people write it: "3,000", "3.000 €", "10 EUR/h", "$3k-5k", "1,200.50". base
// is the currency that a sign such as $ stands for if it can. A point or a comma before a group of three digits
// separates thousands, because nobody writes a budget with three decimals. It returns a remark if the text is anything
// else.
func TypedMoney(text, base string) (m Money, remark string) {
	c := Currencies{Base: base}
	parsed, remark := amountParserOf(c, text).parse()
	switch {
	case remark != "":
		return Money{}, remarkNotTypedMoney
	case parsed.currency == AmbiguousCurrency:
		return Money{}, remarkAmbiguousSign
	}

	m = Money{High: matching.Some(parsed.low), Currency: parsed.currency, Unit: parsed.unit}
	if parsed.isRange {
		m.Low = matching.Some(parsed.low)
		m.High = matching.Some(parsed.high)
	}
	return m, ""
}

// amountParserOf returns a parser of what somebody types into a field for money.
func amountParserOf(c Currencies, text string) *amountParser {
	text = strings.TrimSpace(text)
	return &amountParser{base: c.Base, cell: text, rest: text, isTyped: true}
}

// A Duration is a number of hours, days, weeks, months or years.
type Duration struct {
	Count float64
	Unit  Unit // NoUnit if the text is a number
}

// Days returns the number of days by the calendar, in which a month has 30 days. Hours and a number without a unit
// return false.
func (d Duration) Days() (days float64, ok bool) {
	switch d.Unit {
	case PerDay:
		return d.Count, true
	case PerWeek:
		return d.Count * 7, true
	case PerMonth:
		return d.Count * 30, true
	case PerYear:
		return d.Count * 365, true
	default:
		return 0, false
	}
}

// maxDuration is more than any work takes, in any unit.
const maxDuration = 1e6

// TypedDuration parses a time as people write it: "10", "10 days", "two weeks", "3 Monate", "40 h". Of a range such as
// "2-3 weeks", it returns the upper end, which is the most that the work may take. It returns a remark if the text is
// anything else.
func TypedDuration(text string) (d Duration, remark string) {
	rest := fold(strings.TrimSpace(text))
	if len(rest) > maxDate {
		return Duration{}, remarkNotDuration
	}

	numbers := 0
	for rest != "" {
		n, after, isNumber := number(rest)
		if !isNumber {
			var word string
			word, after = cutToken(rest)
			n, isNumber = numberInWords(word)
			if !isNumber && !d.addWord(word, numbers) {
				return Duration{}, remarkNotDuration
			}
		}
		rest = after
		if isNumber {
			numbers++
			d.Count = max(d.Count, n)
		}
	}

	isPlausible := d.Count > 0 && d.Count <= maxDuration && !math.IsNaN(d.Count)
	if numbers == 0 || numbers > 2 || !isPlausible {
		return Duration{}, remarkNotDuration
	}
	return d, ""
}

// addWord adds a word or sign after some numbers. It reports whether the word can be part of a duration.
func (d *Duration) addWord(word string, numbers int) bool {
	_, kind := classify(word)
	unit := unitOfList[kind]
	switch {
	case unit != NoUnit:
		isFirst := d.Unit == NoUnit
		d.Unit = unit
		return isFirst && numbers > 0
	case slices.Contains([]string{"-", "–", "—", "."}, word), kind == "amount range", words["number range"].has(word):
		return numbers > 0
	default:
		return false
	}
}

// numberInWords returns the number that a folded word such as "two" names, from 1 to 12.
func numberInWords(word string) (n float64, ok bool) {
	for i := 1; i <= 12; i++ {
		if words["number "+strconv.Itoa(i)].has(word) {
			return float64(i), true
		}
	}
	return 0, false
}
