package quota

import "time"

// Left is how many requests a window has left.
func (w Window) Left() int { return max(0, w.Limit-w.Used) }

// Counted is the window as it stands in a store that has counted used requests in the window from start on. An earlier one is
// over, and nothing of it is left; a later one takes the place of w.
func (w Window) Counted(start time.Time, used int) Window {
	if start.Before(w.Start) {
		return Window{Start: w.Start, Limit: w.Limit}
	}
	return Window{Start: start, Limit: w.Limit, Used: min(used, max(0, w.Limit))}
}

// windows is what a request at a moment falls into.
func (a Allowance) windows(now time.Time) Windows {
	return Windows{
		Minute: Window{Start: now.UTC().Truncate(Minute), Limit: a.PerMinute},
		Month:  Window{Start: month(a.Since, now), Limit: a.PerMonth},
	}
}

// month is the start of the month that a moment falls into, to the millisecond. Before the plan begins (where a clock lags behind
// the one that wrote Since) it is the first one already: its count goes on when the plan has begun.
func month(since, now time.Time) time.Time {
	first, length := since.UnixMilli(), Month.Milliseconds()
	passed := max(0, now.UnixMilli()-first) / length
	return time.UnixMilli(first + passed*length).UTC()
}
