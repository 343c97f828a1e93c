package bulk

import (
	"fmt"
	"strconv"
	"strings"
)

// Limit is how many rows may be rejected before a load is given up: a number of rows, or a share of all rows. The zero
// Limit allows none.
type Limit struct {
	rows    int
	percent float64
	share   bool
}

// DefaultLimit is 5%: real files have some bad rows, and one with more is likely to be read in the wrong way.
func DefaultLimit() Limit { return Limit{percent: 5, share: true} }

// ParseLimit reads "50" or "5%".
func ParseLimit(text string) (Limit, error) {
	if share, ok := strings.CutSuffix(text, "%"); ok {
		percent, err := strconv.ParseFloat(share, 64)
		if err != nil || !(percent >= 0 && percent <= 100) {
			return Limit{}, fmt.Errorf("%q is not a share from 0%% to 100%%", text)
		}
		return Limit{percent: percent, share: true}, nil
	}
	rows, err := strconv.Atoi(text)
	if err != nil || rows < 0 {
		return Limit{}, fmt.Errorf("%q is neither a number of rows such as 50 nor a share such as 5%%", text)
	}
	return Limit{rows: rows}, nil
}

// String is the limit as ParseLimit reads it.
func (l Limit) String() string {
	if l.share {
		return strconv.FormatFloat(l.percent, 'f', -1, 64) + "%"
	}
	return strconv.Itoa(l.rows)
}

// exceeded reports whether more rows were rejected than the limit allows. A share says nothing before all rows were
// read: bad rows often stand together.
func (l Limit) exceeded(rejected, rows int, all bool) bool {
	if l.share {
		return all && float64(rejected)*100 > l.percent*float64(rows)
	}
	return rejected > l.rows
}

// LimitError says that a load was given up because too many rows were rejected.
type LimitError struct {
	Rejected, Rows int // so far, where the limit is a number
	Limit          Limit
}

// Error tells the counts and the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%d of %d rows were rejected, more than the limit of %s", e.Rejected, e.Rows, e.Limit)
}
