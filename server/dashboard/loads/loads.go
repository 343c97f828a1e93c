// Package loads turns the history of loads into what the data page shows.
package loads

import (
	"time"

	"freelancer-matching/internal/lastload"
)

// A Load is a load with the parts of its bar.
type Load struct {
	lastload.Entry
	Label, Class string // of the outcome; Class is the CSS class of its badge
	Bars         []Bar
}

// A Bar is a part of a bar that is 100 wide if it belongs to the largest load.
type Bar struct {
	Class    string // ok, refused, failed or other
	X, Width float64
}

// Duration returns how long the load took.
func (l Load) Duration() time.Duration {
	return l.Result.Finished.Sub(l.Result.Started).Round(time.Second)
}

// Live returns the load that filled the live index, or nil if the history lacks it.
func Live(h lastload.History, index string) *lastload.Entry {
	for i := range h.Entries {
		if e := &h.Entries[i]; e.Result.Index == index && e.Result.Outcome() == lastload.Loaded {
			return e
		}
	}
	return nil
}

// New returns the newest loads of a history.
func New(h lastload.History, limit int) []Load {
	entries := h.Entries[:min(len(h.Entries), limit)]
	largest := 1
	for _, e := range entries {
		largest = max(largest, e.Result.Rows)
	}
	all := make([]Load, len(entries))
	for i, e := range entries {
		all[i] = newLoad(e, largest)
	}
	return all
}

func newLoad(e lastload.Entry, largest int) Load {
	l := Load{Entry: e, Label: "Failed", Class: "bad"}
	switch e.Result.Outcome() {
	case lastload.Loaded:
		l.Label = "Loaded"
		l.Class = "on"
	case lastload.Refused:
		l.Label = "Refused"
		l.Class = "warn"
	case lastload.Canceled:
		l.Label = "Canceled"
		l.Class = "off"
	case lastload.Failed:
	}

	x := 0.
	for _, part := range []struct {
		class string
		rows  int
	}{
		// The rows of a freelancer beyond the first are merged, and those that the engine refused are not loaded.
		{"ok", e.Result.Rows - e.Result.Merged - e.Result.Rejected - e.Other},
		{"other", e.Result.Merged},
		{"failed", e.Result.Rejected},
		{"refused", e.Other},
	} {
		if part.rows > 0 {
			width := float64(part.rows) / float64(largest) * 100
			l.Bars = append(l.Bars, Bar{part.class, x, width})
			x += width
		}
	}

	return l
}
