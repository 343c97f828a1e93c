// Package loads turns the history of loads into what the data page shows.
package loads

import (
	"time"

	"github.com/freelancer-matching/service/internal/lastload"
)

// replacing is the command of loads that replace everybody.
const replacing = "load"

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

// Verb returns what became of the freelancers of the load: "loaded", or "not loaded" if they didn't go live.
func (l Load) Verb() string {
	if l.Result.Outcome() == lastload.Loaded {
		return "loaded"
	}
	return "not loaded"
}

// Duration returns how long the load took.
func (l Load) Duration() time.Duration {
	return l.Result.Finished.Sub(l.Result.Started).Round(time.Second)
}

// A LiveIndex is what the history knows about the live index.
type LiveIndex struct {
	lastload.Entry // the newest load that went live in the index

	// Sources holds the loads whose freelancers are in the index, the newest first. A load that adds to the live
	// freelancers keeps those of the loads before it.
	Sources []Source
	Partial bool // the index also has freelancers of loads that the history lacks
}

// A Source is a load whose freelancers are in an index.
type Source struct {
	Files    []lastload.File
	Finished time.Time
	Adds     bool // it added to the live freelancers, or changed them
}

// Live returns what the history knows about the live index, or nil if it lacks the index.
func Live(h lastload.History, index string) *LiveIndex {
	for i, e := range h.Entries {
		if e.Result.Outcome() != lastload.Loaded || e.Result.Index != index {
			continue
		}
		sources, complete := sourcesOf(h.Entries[i:], index)
		return &LiveIndex{Entry: e, Sources: sources, Partial: !complete}
	}
	return nil
}

// sourcesOf returns the loads whose freelancers are in an index, among entries with the newest first. complete is false
// if the entries don't reach back to a load that replaced everybody.
func sourcesOf(entries []lastload.Entry, index string) (list []Source, complete bool) {
	base := ""
	var rest []lastload.Entry
	for i, e := range entries {
		if e.Result.Index != index || e.Result.Outcome() != lastload.Loaded {
			continue
		}

		adds := e.Result.Command != replacing
		list = append(list, Source{Files: e.Files, Finished: e.Result.Finished, Adds: adds})
		if !adds {
			return list, true
		}
		base = e.Previous
		rest = entries[i+1:]
	}

	// The first load of this index added to the freelancers of the index that was live before.
	if base == "" {
		return list, false
	}
	earlier, complete := sourcesOf(rest, base)
	return append(list, earlier...), complete
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
