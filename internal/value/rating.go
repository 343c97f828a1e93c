package value

import (
	"fmt"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
)

// Remarks on ratings.
const (
	remarkNotRating        = "not a rating"
	remarkRatingOutOfRange = "out of range: a rating without a scale must be between 0 and %v"
	remarkOffScale         = "out of range of the scale that the cell names"
	remarkFraction         = "could be a percentage or a fraction; write 98% or 4.9/5"
)

// MaxRating is the upper end of the scale to which all ratings are converted.
const MaxRating = 5

// Score is a rating as it is written.
type Score struct {
	Value    float64
	Scale    float64 // the upper end of the scale that the cell names: 5, 10 or 100; 0 if it names none
	Count    matching.Optional[int]
	hasCount bool
}

// IsMarked reports whether a cell can't be any other number than a rating: it names its scale, or a count follows.
func (s Score) IsMarked() bool { return s.Scale > 0 || s.hasCount }

// ParseScore parses a rating as in "4.9", "4.9/5", "9.8 out of 10", "98%", "★★★★☆" and "5.0(1k+)", where it also
// returns the count in brackets. ok is false if the cell is unknown or has anything else.
func ParseScore(cell string) (score Score, ok bool) {
	cell = strings.TrimSpace(cell)
	if Unknown(cell) {
		return score, false
	}
	full, all, rest := cutStars(cell)
	n, rest, ok := number(rest)
	if !ok {
		// A whole scale of stars, some of them empty, or only the full ones.
		isScale := all == MaxRating || full == float64(all) && all > 0 && all < MaxRating
		return Score{Value: full, Scale: MaxRating}, isScale && rest == ""
	}

	rest, bracket, hasBracket := strings.Cut(rest, "(")
	if hasBracket {
		var remark string
		if score.Count, remark = Count(strings.TrimSuffix(bracket, ")")); remark != "" {
			return Score{}, false
		}
	}

	score.Value = n
	score.hasCount = hasBracket
	score.Scale, ok = ratingScale(strings.TrimSpace(rest))

	return score, ok
}

// Rating parses a rating and converts it to the scale of 0 to 5. A number that names no scale is on the scale from 0 to
// the given upper end: 5, 10, 100 for percentages, or 1 for fractions. A rating of 0 is unknown: all sites rate from 1
// upward and print 0 for people without ratings.
func Rating(
	s string, scale float64,
) (rating matching.Optional[float64], count matching.Optional[int], remark string) {
	score, ok := ParseScore(s)
	if !ok {
		if !Unknown(s) {
			remark = remarkNotRating
		}
		return rating, count, remark
	}

	// In a column of percentages, 0.9 may be less than one percent or nine tenths.
	n := score.Value
	switch {
	case score.Scale > 0:
		scale = score.Scale
	case scale == 100 && n > 0 && n <= 1:
		return rating, score.Count, remarkFraction
	}

	switch {
	case n == 0:
		return rating, score.Count, ""
	case n > scale && score.Scale == 0:
		return rating, score.Count, fmt.Sprintf(remarkRatingOutOfRange, scale)
	case n > scale:
		return rating, score.Count, remarkOffScale
	case scale == MaxRating:
		return matching.Some(n), score.Count, "" // without a rounding error
	}

	return matching.Some(n * MaxRating / scale), score.Count, ""
}

// cutStars cuts a row of stars off the start of s. It returns how many are full and how many there are.
func cutStars(s string) (full float64, all int, rest string) {
	for i, r := range s {
		switch r {
		case '★', '⭐', '🌟':
			full++
			all++
		case '☆', '✩', '✰':
			all++
		case '½':
			full += .5
			all++
		case '\ufe0f', ' ': // a variation selector asks for a colored star
		default:
			return full, all, s[i:]
		}
	}
	return full, all, ""
}

// ratingScale parses the scale after a rating. Without a scale, it returns 0.
func ratingScale(s string) (scale float64, ok bool) {
	switch {
	case s == "":
		return 0, true
	case isStars(s):
		return MaxRating, true
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
