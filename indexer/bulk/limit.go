package bulk

import (
	"fmt"
	"strconv"
	"strings"
)

// Limit is the number or the percentage of rows that a load may reject. The zero Limit allows none.
type Limit struct {
	rows      int
	percent   float64
	isPercent bool
}

// DefaultLimit returns 5%. Real files have some bad rows; a file with more is probably being read the wrong way.
func DefaultLimit() Limit { return Limit{percent: 5, isPercent: true} }

// NoLimit returns a limit that is never exceeded.
func NoLimit() Limit { return Limit{percent: 100, isPercent: true} }

// ParseLimit parses a number of rows, such as "50", or a percentage, such as "5%".
func ParseLimit(text string) (Limit, error) {
	if number, ok := strings.CutSuffix(text, "%"); ok {
		percent, err := strconv.ParseFloat(number, 64)
		if err != nil || !(percent >= 0 && percent <= 100) {
			return Limit{}, fmt.Errorf("%q is not a percentage between 0%% and 100%%", text)
		}
		return Limit{percent: percent, isPercent: true}, nil
	}
	rows, err := strconv.Atoi(text)
	if err != nil || rows < 0 {
		return Limit{}, fmt.Errorf("%q is neither a number of rows, such as 50, nor a percentage, such as 5%%", text)
	}
	return Limit{rows: rows}, nil
}

// String formats the limit as ParseLimit reads it.
func (l Limit) String() string {
	if l.isPercent {
		return strconv.FormatFloat(l.percent, 'f', -1, 64) + "%"
	}
	return strconv.Itoa(l.rows)
}

// exceeded reports whether too many of the rows read so far were rejected. A percentage is only enforced once all rows
// have been read, because bad rows often come together.
func (l Limit) exceeded(rejected, rows int, allRead bool) bool {
	if l.isPercent {
		return allRead && float64(rejected)*100 > l.percent*float64(rows)
	}
	return rejected > l.rows
}

// LimitError reports that a load was stopped because it rejected too many rows.
type LimitError struct {
	Rejected, Rows int // when the load stopped, which is before the end of the input if the limit is a number of rows
	Limit          Limit
}

// Error names the counts and the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%d of %d rows rejected, which exceeds the limit of %s", e.Rejected, e.Rows, e.Limit)
}
