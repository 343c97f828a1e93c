// Package ratings finds the scale of the ratings in a column.
package ratings

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"github.com/freelancer-matching/service/internal/value"
)

// Stats counts the ratings of a column that name no scale. Zeros don't count, because they mean "not rated".
type Stats struct {
	Values   int
	Over     [3]int // values above 5, 10 and 100
	Parts    int    // values between 0 and 1
	Largest  float64
	Declared int // values that name their scale
	Decimals value.Decimals
}

// Add counts a cell.
func (s *Stats) Add(cell []byte) {
	cell = bytes.TrimSpace(cell)
	if len(cell) == 0 {
		return
	}
	n, err := strconv.ParseFloat(string(cell), 64) // doesn't allocate
	if err != nil {
		score, ok := value.ParseScore(s.Decimals.Clarify(string(cell)))
		switch {
		case !ok:
			return
		case score.Scale > 0:
			s.Declared++
			return
		}

		n = score.Value
	}

	if !(n > 0) || n > 1e9 { // also rejects NaN
		return
	}
	s.Values++
	s.Largest = max(s.Largest, n)

	if n < 1 {
		s.Parts++
	}

	for i, limit := range [...]float64{value.MaxRating, 10, 100} {
		if n > limit {
			s.Over[i]++
		}
	}
}

// isCommon reports whether n of the values are too many to be mistakes.
func (s *Stats) isCommon(n int) bool {
	return n >= 3 && n*50 >= s.Values || n >= 2 && n*2 >= s.Values
}

// Judge returns the scale of the column, and what it was judged by. The scale is 0 if the values are no ratings. A
// doubt says which values don't fit.
func (s *Stats) Judge() (scale float64, note, doubt string) {
	largest := fmt.Sprintf("the largest of %s values is %s", humanize.Comma(int64(s.Values)), humanize.Ftoa(s.Largest))
	if s.Values == 1 {
		largest = "the only value is " + humanize.Ftoa(s.Largest)
	}
	outliers := 0
	switch {
	case s.Values == 0 && s.Declared > 0:
		return value.MaxRating, "the values name their scale", ""
	case s.Values == 0:
		return value.MaxRating, "", ""
	case s.isCommon(s.Over[2]):
		return 0, largest + ", more than any rating", ""
	case s.isCommon(s.Over[1]):
		scale = 100
		note = "on a scale of 0 to 100, divided by 20: " + largest
		outliers = s.Over[2]

	case s.isCommon(s.Over[0]):
		scale = 10
		note = "on a scale of 0 to 10, halved: " + largest
		outliers = s.Over[1]

	case s.Largest <= 1 && s.Parts >= 3:
		scale = 1
		note = "on a scale of 0 to 1, multiplied by 5: " + largest
	default:
		scale = value.MaxRating
		note = "on a scale of 0 to 5: " + largest
		outliers = s.Over[0]
	}

	if outliers > 0 {
		doubt = fmt.Sprintf("%s exceed the scale of 0 to %v and stay unknown", english.Plural(outliers, "value", ""), scale)
		if outliers == 1 {
			doubt = fmt.Sprintf("1 value exceeds the scale of 0 to %v and stays unknown", scale)
		}
	}

	return scale, note, doubt
}

// HeaderScale returns the scale that a header declares, as in "Rating (0-10)", "score /100" and "stars out of 5", or 0.
func HeaderScale(header string) float64 {
	if strings.Contains(header, "%") {
		return 100
	}
	for _, scale := range []string{"100", "10", "5"} {
		i := strings.LastIndex(header, scale)
		if i <= 0 || strings.IndexFunc(header[i+len(scale):], unicode.IsDigit) >= 0 {
			continue
		}
		before := strings.TrimRight(header[:i], " ")
		words := strings.FieldsFunc(before, func(r rune) bool { return !unicode.IsLetter(r) })
		isRange := strings.ContainsAny(before[max(0, len(before)-1):], "/-(") || strings.HasSuffix(before, "–")
		isWord := len(words) > 1 && len(words[len(words)-1]) <= len("sur") && strings.HasSuffix(before, words[len(words)-1])
		if isRange || isWord && before != header[:i] {
			n, _ := strconv.ParseFloat(scale, 64)
			return n
		}
	}
	return 0
}
