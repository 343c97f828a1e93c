package value

import (
	"strings"

	"freelancer-matching/internal/matching"
)

// Remarks on ratings.
const (
	remarkNotRating        = "not a rating"
	remarkRatingOutOfRange = "out of range: a rating without a scale must be between 0 and 5"
	remarkFraction         = "could be a percentage or a fraction; write 98% or 4.9/5"
)

// MaxRating is the upper end of the scale to which all ratings are converted.
const MaxRating = 5

// Rating parses a rating and converts it to the scale of 0 to 5, as in "4.9", "4.9/5", "9.8 out of 10", "98%" and
// "5.0(1k+)", where it also returns the count in brackets. In a column of percentages, a number without a scale is a
// percentage. A rating of 0 is unknown: all sites rate from 1 upward and print 0 for people without ratings.
func Rating(s string, percent bool) (rating matching.Optional[float64], count matching.Optional[int], remark string) {
	s = strings.TrimSpace(s)
	if Unknown(s) {
		return rating, count, ""
	}
	n, rest, ok := number(strings.TrimLeft(s, "★⭐️ "))
	if !ok {
		return rating, count, remarkNotRating
	}
	rest, bracket, hasBracket := strings.Cut(rest, "(")
	if hasBracket {
		if count, remark = Count(strings.TrimSuffix(bracket, ")")); remark != "" {
			return rating, matching.Optional[int]{}, remarkNotRating
		}
	}
	scale, ok := ratingScale(strings.TrimSpace(rest))
	switch {
	case !ok:
		return rating, count, remarkNotRating
	case scale == 0 && percent && n > 0 && n <= 1:
		return rating, count, remarkFraction
	case scale == 0 && percent:
		scale = 100
	case scale == 0:
		scale = MaxRating
	}
	switch {
	case n == 0:
		return rating, count, ""
	case n > scale:
		return rating, count, remarkRatingOutOfRange
	case scale == MaxRating:
		return matching.Some(n), count, "" // without a rounding error
	}
	return matching.Some(n * MaxRating / scale), count, ""
}

// ratingScale parses the scale after a rating. Without a scale, it returns 0.
func ratingScale(s string) (scale float64, ok bool) {
	switch {
	case isStars(s), strings.Trim(s, "★⭐️ ") == "":
		return 0, true
	case s == "%":
		return 100, true
	}
	rest, ok := cutWord(s, "out of")
	if !ok {
		return 0, false
	}
	scale, rest, ok = number(rest)
	isScale := scale == 5 || scale == 10 || scale == 100
	return scale, ok && isScale && (rest == "" || isStars(rest))
}
