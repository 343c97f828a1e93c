package traffic

import (
	"math"
	"time"

	"github.com/freelancer-matching/service/access/usage"
)

// The dimensions of the chart, in units of its SVG.
const (
	columnWidth = 10
	barWidth    = 7
	chartHeight = 100
)

// Chart shows requests per hour or day as stacked bars.
type Chart struct {
	Columns []chartColumn
	Step    time.Duration // length of a column's time: an hour or a day
	Total   outcome
	Top     int // requests at the highest line
	Half    int // requests at the middle line; 0 for none
	Width   int
	Peak    chartColumn // with the most requests
}

// Unit returns the unit of time that a column stands for.
func (c Chart) Unit() string {
	if c.Hourly() {
		return "hour"
	}
	return "day"
}

// Hourly reports whether a column stands for an hour.
func (c Chart) Hourly() bool { return c.Step == time.Hour }

// First returns when the first column starts.
func (c Chart) First() time.Time { return c.Columns[0].Start }

// Name returns when a column starts: May 17, 2030, or May 17, 14:00 UTC.
func (c Chart) Name(start time.Time) string {
	if c.Hourly() {
		return start.UTC().Format("Jan 2, 15:04 UTC")
	}
	return start.UTC().Format("Jan 2, 2006")
}

// Label returns the text below the column of a day.
func (c Chart) Label(start time.Time) string { return start.UTC().Format("Jan 2") }

type chartColumn struct {
	Start time.Time
	outcome
	Labeled bool // its time is shown below the chart
	Bars    []bar
}

// bar is one part of a column.
type bar struct {
	Class               string // ok, refused or failed
	X, Y, Width, Height float64
}

// NewChart returns a chart of the hours or days of a period. It ignores the counts of other times.
func NewChart(p TimeRange, counts []usage.Count) Chart {
	c := Chart{Columns: make([]chartColumn, p.Columns), Step: p.Step, Width: p.Columns * columnWidth}
	every := 1 // column with a label, counted from the last one
	switch {
	case p.Step == time.Hour:
		every = 6
	case p.Columns > 7:
		every = 5
	}

	// Labels are counted from the right, so that the present hour or day always has one.
	for i := range c.Columns {
		c.Columns[i].Start = p.Since.Add(time.Duration(i) * p.Step)
		c.Columns[i].Labeled = (p.Columns-1-i)%every == 0
	}

	// A time before the period has a negative position, which a mere conversion would round up to the first column.
	for _, n := range counts {
		if i := int(math.Floor(float64(n.Start.Sub(p.Since)) / float64(p.Step))); i >= 0 && i < p.Columns {
			c.Columns[i].add(n.Status, n.Requests)
			c.Total.add(n.Status, n.Requests)
		}
	}

	c.Peak = c.Columns[0]
	for _, column := range c.Columns {
		if column.Total() > c.Peak.Total() {
			c.Peak = column
		}
	}

	c.Top = roundUp(c.Peak.Total())
	if c.Top%2 == 0 {
		c.Half = c.Top / 2
	}

	for i := range c.Columns {
		c.Columns[i].stack(float64(i*columnWidth)+(columnWidth-barWidth)/2., c.Top)
	}

	return c
}

// stack sets the bars of a column, from the bottom up.
func (c *chartColumn) stack(x float64, top int) {
	y := float64(chartHeight)
	for _, part := range []struct {
		class    string
		requests int
	}{{"ok", c.OK}, {"refused", c.Refused}, {"failed", c.Failed}} {
		if part.requests == 0 {
			continue
		}
		height := float64(part.requests) / float64(top) * chartHeight
		y -= height
		c.Bars = append(c.Bars, bar{part.class, x, max(0, y), barWidth, height})
	}
}

// roundUp returns the smallest of 2, 4, 10, 20, 40, 100 … that is at least n.
func roundUp(n int) int {
	for unit := 1; ; unit *= 10 {
		for _, step := range []int{2, 4, 10} {
			if n <= step*unit {
				return step * unit
			}
		}
	}
}
