package quota

import "time"

// Left returns how many requests the window has left.
func (w Window) Left() int { return max(0, w.Limit-w.Used) }

// MaxLag is how far a server's clock may lag behind the clock of another server that counts in the same store.
const MaxLag = 2 * time.Minute

// LatestStart returns the latest time at which a stored window can start if no clock lags by more than MaxLag. A window
// that starts later is left over from a clock that has been set back since. It is discarded, because it would otherwise
// block a key until the clock reaches it again.
func (w Windows) LatestStart() time.Time { return w.Minute.Start.Add(Minute + MaxLag) }

// Counted returns the state of w in a store with the given current windows, whose limits it ignores. Of each window,
// the later one applies, except that a stored one that starts after LatestStart is discarded.
func (w Windows) Counted(minute, month Window) Windows {
	latest := w.LatestStart()
	return Windows{Minute: w.Minute.counted(minute, latest), Month: w.Month.counted(month, latest)}
}

func (w Window) counted(stored Window, latest time.Time) Window {
	if stored.Start.Before(w.Start) || stored.Start.After(w.Start) && stored.Start.After(latest) {
		return Window{Start: w.Start, Limit: w.Limit}
	}
	return Window{Start: stored.Start, Limit: w.Limit, Used: min(stored.Used, max(0, w.Limit))}
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
	first := since.UnixMilli()
	length := Month.Milliseconds()
	months := max(0, now.UnixMilli()-first) / length
	return time.UnixMilli(first + months*length).UTC()
}

// left reports whether both windows have a request left.
func (w Windows) left() bool { return w.Minute.Left() > 0 && w.Month.Left() > 0 }
