package quota

import "time"

// Left returns how many requests the window has left.
func (w Window) Left() int { return max(0, w.Limit-w.Used) }

// Counted returns the state of w in a store whose current window begins at start and has used requests. If the stored
// window is earlier than w, it has ended and w is empty. If it is later, it replaces w.
func (w Window) Counted(start time.Time, used int) Window {
	if start.Before(w.Start) {
		return Window{Start: w.Start, Limit: w.Limit}
	}
	return Window{Start: start, Limit: w.Limit, Used: min(used, max(0, w.Limit))}
}

// windows returns the two windows that contain now.
func (a Allowance) windows(now time.Time) Windows {
	return Windows{
		Minute: Window{Start: now.UTC().Truncate(Minute), Limit: a.PerMinute},
		Month:  Window{Start: monthStart(a.Since, now), Limit: a.PerMonth},
	}
}

// monthStart returns the start of the month that contains now, to the millisecond. If now is before the start of the
// plan, because this server's clock lags behind the one that wrote since, it returns the start of the first month.
func monthStart(since, now time.Time) time.Time {
	first, length := since.UnixMilli(), Month.Milliseconds()
	months := max(0, now.UnixMilli()-first) / length
	return time.UnixMilli(first + months*length).UTC()
}

// left reports whether both windows have a request left.
func (w Windows) left() bool { return w.Minute.Left() > 0 && w.Month.Left() > 0 }
