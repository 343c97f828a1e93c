package dates

import (
	"iter"
	"strings"
)

// A dayOrder is the order of day and month in dates such as "03/04/2018".
type dayOrder uint8

const (
	unknownOrder dayOrder = iota
	dayFirst
	monthFirst
)

// month returns the month of a date whose first two numbers are a day and a month, or 0 if it may be either. Only
// slashes are written in both orders: Americans write "3/15/2018", others "15/3/2018".
func (o dayOrder) month(first, second int, sign string) int {
	switch {
	case second > 12:
		return min(first, 12)
	case first > 12 || sign != "/" || first == second || o == dayFirst:
		return second
	case o == monthFirst:
		return first
	default:
		return 0
	}
}

// Ordered returns a finder for the dates of a document with these texts: one date that can be read in only one way,
// such as "30/07/2016", shows how the others are meant. It returns d if no date shows it, or if dates disagree.
func (d *Finder) Ordered(texts iter.Seq[string]) *Finder {
	found := unknownOrder
	for text := range texts {
		if strings.Count(text, "/") < 2 {
			continue
		}
		r := &dateReader{Finder: d, text: text, tokens: tokenize(text, d.words.DateCharacters)}
		for i := range r.tokens {
			o := r.orderAt(i)
			if o != unknownOrder && found != unknownOrder && o != found {
				return d
			}
			found = max(found, o)
		}
	}

	if found == unknownOrder {
		return d
	}
	ordered := *d
	ordered.order = found
	return &ordered
}

// orderAt returns the order that a date in numbers with slashes shows, which starts at token i.
func (r *dateReader) orderAt(i int) dayOrder {
	if !r.has(i, 3) || !leftBounded(r.text, r.tokens[i].Start) || r.gap(i+1) != "/" || r.gap(i+2) != "/" {
		return unknownOrder
	}
	if _, ok := r.shortYear(i, "/"); !ok && !r.isYear(r.tokens[i+2]) {
		return unknownOrder
	}

	switch {
	case r.number(i, 13, 31) && r.number(i+1, 1, 12):
		return dayFirst
	case r.number(i, 1, 12) && r.number(i+1, 13, 31):
		return monthFirst
	default:
		return unknownOrder
	}
}
