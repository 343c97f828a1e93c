// Package loads turns the history of loads into what the data page shows.
package loads

import (
	"strings"
	"time"

	"github.com/freelancer-matching/service/internal/lastload"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard/page"
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

// Difference returns how many freelancers there were more than before, with its sign, or "" if that isn't known or what
// changed was counted.
func (l Load) Difference() string {
	if l.Changes != nil || l.Before == 0 || l.Live == 0 {
		return ""
	}
	if l.Live < l.Before {
		return "−" + page.Decimal(0, float64(l.Before-l.Live))
	}
	return "+" + page.Decimal(0, float64(l.Live-l.Before))
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
	Fields  []Field // how many freelancers have a value; nil if that isn't recorded
	Partial bool    // the index also has freelancers of loads that the history lacks
}

// A Source is a load whose freelancers are in an index.
type Source struct {
	Files    []lastload.File
	Finished time.Time
	Adds     bool // it added to the live freelancers, or changed them
	Live     int  // freelancers after it
}

// A Field is a field of freelancers.
type Field struct {
	Name, Use string
	Known     int // freelancers with a value
	Percent   int
}

// uses returns what each field of freelancers is used for.
func uses() map[string]string {
	return map[string]string{
		"name":           "shown, search by name",
		"job_title":      "ranking, shown",
		"skills":         "ranking, filters",
		"experience":     "ranking, filter",
		"rating":         "ranking, filter",
		"hourly_rate":    "budget, filter, estimate of the cost",
		"profile_url":    "link",
		"availability":   "ranking, filter",
		"total_sales":    "ranking",
		"description":    "ranking, search by words and meaning",
		"country":        "filter",
		"location":       "shown, search by place",
		"time_zone":      "filter",
		"languages":      "filter",
		"currency":       "conversion of the rate",
		"available_from": "start of the work, filter",
		"hours_per_week": "length of the work",
		"verified":       "filter, shown",
	}
}

// fieldsOf returns the fields of the freelancers in an index.
func fieldsOf(e *lastload.Entry) []Field {
	if e.Live == 0 || len(e.Known) == 0 {
		return nil
	}
	var list []Field
	use := uses()
	for i := range matching.Fields {
		name := matching.Fields[i].Name
		known := min(e.Known[name], e.Live)
		list = append(list, Field{name, use[name], known, 100 * known / e.Live})
	}
	return list
}

// Origin returns where the current number of freelancers comes from, such as "5,125 from week2.csv, 1 added since", or
// "" if that isn't recorded.
func (l *LiveIndex) Origin(now int) string {
	base := &l.Sources[len(l.Sources)-1]
	if base.Adds || base.Live == 0 {
		return ""
	}

	names := make([]string, len(base.Files))
	for i, f := range base.Files {
		names[i] = f.Name
	}
	text := page.Plural(base.Live, "freelancer", "freelancers")
	if len(names) > 0 {
		text += " from " + strings.Join(names[:min(len(names), maxNames)], ", ")
	}
	if more := len(names) - maxNames; more > 0 {
		text += " and " + page.Plural(more, "other file", "other files")
	}

	// Clients also change freelancers over HTTP, which the history doesn't have.
	switch {
	case now > base.Live:
		text += ", " + page.Decimal(0, float64(now-base.Live)) + " added since"
	case now < base.Live:
		text += ", " + page.Decimal(0, float64(base.Live-now)) + " removed since"
	}
	return text
}

// maxNames is how many files Origin names.
const maxNames = 3

// Live returns what the history knows about the live index, or nil if it lacks the index.
func Live(h lastload.History, index string) *LiveIndex {
	for i, e := range h.Entries {
		if e.Result.Outcome() != lastload.Loaded || e.Result.Index != index {
			continue
		}
		sources, complete := sourcesOf(h.Entries[i:], index)
		return &LiveIndex{Entry: e, Sources: sources, Fields: fieldsOf(&e), Partial: !complete}
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
		list = append(list, Source{Files: e.Files, Finished: e.Result.Finished, Adds: adds, Live: e.Live})
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
