package value

import (
	"strings"

	"freelancer-matching/internal/matching"
)

// Remarks on ratings.
const (
	remarkNotRating   = "not a rating"
	remarkRatingRange = "rating out of range: 0 to 5 without a scale"
	remarkShare       = "a percentage or a share: write 98% or 4.9/5"
)

// MaxRating is the upper end of the scale that every rating is brought to.
const MaxRating = 5

// Rating is a rating on the scale of 0 to 5, as in "4.9", "4.9/5", "9.8 out of 10", "98%" and "5.0(1k+)", where the
// count in brackets comes back too. In a column of percentages, a number without a scale is one. Every site rates
// from 1 upwards and prints 0 for those nobody has rated, so that 0 is unknown.
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
		return rating, count, remarkShare
	case scale == 0 && percent:
		scale = 100
	case scale == 0:
		scale = MaxRating
	}
	switch {
	case n == 0:
		return rating, count, ""
	case n > scale:
		return rating, count, remarkRatingRange
	case scale == MaxRating:
		return matching.Some(n), count, "" // as it is written, without a rounding error
	}
	return matching.Some(n * MaxRating / scale), count, ""
}

// ratingScale reads the scale behind a rating; 0 means that it names none.
func ratingScale(s string) (scale float64, ok bool) {
	switch {
	case s == "", isStars(s), strings.Trim(s, "★⭐️ ") == "":
		return 0, true
	case s == "%":
		return 100, true
	}
	for _, sign := range []string{"/", "out of", "of"} {
		rest, found := cutFold(s, sign)
		if !found {
			continue
		}
		scale, rest, ok := number(strings.TrimSpace(rest))
		isScale := scale == 5 || scale == 10 || scale == 100
		return scale, ok && isScale && (rest == "" || isStars(rest))
	}
	return 0, false
}
