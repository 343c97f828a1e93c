package dashboard

import (
	"math"
	"time"

	"freelancer-matching/access/usage"
)

// The dimensions of the chart, in units of its SVG.
const (
	dayWidth    = 10
	barWidth    = 7
	chartHeight = 100
)

// chart shows requests per day as stacked bars.
type chart struct {
	Days  []chartDay
	Total outcome
	Top   int // requests at the highest line
	Half  int // requests at the middle line; 0 for none
	Width int
	Peak  chartDay // day with the most requests
}

type chartDay struct {
	Day time.Time
	outcome
	Labeled bool // its date is shown below the chart
	Bars    []bar
}

// bar is one part of a day's bar.
type bar struct {
	Class               string // ok, refused or failed
	X, Y, Width, Height float64
}

// newChart returns a chart of the given number of days from since on. It ignores the counts of other days.
func newChart(since time.Time, days int, counts []usage.Count) chart {
	c := chart{Days: make([]chartDay, days), Width: days * dayWidth}
	for i := range c.Days {
		c.Days[i].Day = since.AddDate(0, 0, i)
		c.Days[i].Labeled = days <= 7 || i%5 == 4
	}
	for _, n := range counts {
		if i := int(math.Floor(n.Day.Sub(since).Hours() / 24)); i >= 0 && i < days {
			c.Days[i].add(n.Status, n.Requests)
			c.Total.add(n.Status, n.Requests)
		}
	}
	c.Peak = c.Days[0]
	for _, day := range c.Days {
		if day.Total() > c.Peak.Total() {
			c.Peak = day
		}
	}
	c.Top = roundUp(c.Peak.Total())
	if c.Top%2 == 0 {
		c.Half = c.Top / 2
	}
	for i := range c.Days {
		c.Days[i].stack(float64(i*dayWidth)+(dayWidth-barWidth)/2., c.Top)
	}
	return c
}

// stack sets the bars of a day, from the bottom up.
func (d *chartDay) stack(x float64, top int) {
	y := float64(chartHeight)
	for _, part := range []struct {
		class    string
		requests int
	}{{"ok", d.OK}, {"refused", d.Refused}, {"failed", d.Failed}} {
		if part.requests == 0 {
			continue
		}
		height := float64(part.requests) / float64(top) * chartHeight
		y -= height
		d.Bars = append(d.Bars, bar{part.class, x, max(0, y), barWidth, height})
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
