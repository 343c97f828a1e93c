package dashboard

import (
	"math"
	"time"

	"freelancer-matching/access/usage"
)

// The chart's own units: each day is dayWide wide, and the highest bar that fits is chartHigh high.
const (
	dayWide   = 10
	barWide   = 7
	chartHigh = 100
)

// chart is requests a day as stacked bars, in units of an SVG picture without text.
type chart struct {
	Days  []chartDay
	Total outcome
	Top   int // what the highest line stands for
	Half  int // and the middle one; 0: none
	Width int
	Peak  chartDay // with the most requests
}

type chartDay struct {
	Day time.Time
	outcome
	Labelled bool // its date stands under the chart
	Bars     []bar
}

// bar is one part of a day's bar.
type bar struct {
	Class               string // ok, refused, failed
	X, Y, Width, Height float64
}

// newChart is a chart of days from since on. Counts of other days are passed over.
func newChart(since time.Time, days int, counts []usage.Count) chart {
	c := chart{Days: make([]chartDay, days), Width: days * dayWide}
	for i := range c.Days {
		c.Days[i].Day = since.AddDate(0, 0, i)
		c.Days[i].Labelled = i%5 == 4
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
		c.Days[i].stack(float64(i*dayWide)+(dayWide-barWide)/2., c.Top)
	}
	return c
}

// stack piles the parts of a day on each other from the ground up.
func (d *chartDay) stack(x float64, top int) {
	ground := float64(chartHigh)
	for _, part := range []struct {
		class    string
		requests int
	}{{"ok", d.OK}, {"refused", d.Refused}, {"failed", d.Failed}} {
		if part.requests == 0 {
			continue
		}
		high := float64(part.requests) / float64(top) * chartHigh
		ground -= high
		d.Bars = append(d.Bars, bar{part.class, x, max(0, ground), barWide, high})
	}
}

// roundUp is the smallest of 2, 4, 10, 20, 40, 100 … that is no less than n.
func roundUp(n int) int {
	for unit := 1; ; unit *= 10 {
		for _, step := range []int{2, 4, 10} {
			if n <= step*unit {
				return step * unit
			}
		}
	}
}
