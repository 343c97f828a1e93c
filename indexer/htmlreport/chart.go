package htmlreport

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dustin/go-humanize"

	"github.com/freelancer-matching/service/indexer/profile"
)

// A Chart is a histogram, laid out in a drawing of chartWidth by chartHeight.
type Chart struct {
	Name, Title string // Name is unique on the page
	Summary     string
	Bars        []Bar
	Ticks       []Tick
}

// A Bar is one bin.
type Bar struct {
	X, Y, Width, Height float64
	Label               string // the range of the bin
	Count               int
}

// A Tick is a label below the bars.
type Tick struct {
	X     float64
	Label string
}

// Width returns the width of the drawing.
func (Chart) Width() int { return chartWidth }

// Height returns the height of the drawing, with the labels.
func (Chart) Height() int { return chartHeight + 24 }

// Base returns the position of the axis.
func (Chart) Base() int { return chartHeight }

// Charts returns the histograms.
func (p *Page) Charts() []Chart {
	if p.Profile == nil || p.Profile.Freelancers == 0 {
		return nil
	}
	return []Chart{
		newChart("rate", "Hourly rate in "+p.Currency, p.Profile.Rates(), false),
		newChart("rating", "Rating", p.Profile.Ratings(), false),
		newChart("experience", "Years of experience", p.Profile.Experience(), false),
		newChart("skills", "Skills per freelancer", p.Profile.SkillCounts(), true),
	}
}

// newChart lays out a histogram. The values of whole numbers have bins of their own if the step is 1.
func newChart(name, title string, h profile.Histogram, whole bool) Chart {
	c := Chart{Name: name, Title: title, Summary: "unknown for all freelancers"}
	if h.Known == 0 {
		return c
	}
	c.Summary = fmt.Sprintf("median %s, known for %s of %s", format(h.Median), comma(h.Known), comma(h.Known+h.Unknown))
	counts := h.Bins

	if h.Above > 0 {
		counts = append(counts[:len(counts):len(counts)], h.Above)
	}
	highest := 0
	for _, n := range counts {
		highest = max(highest, n)
	}

	width := float64(chartWidth) / float64(len(counts))
	every := max(1, int(math.Ceil(float64(len(counts))/8)))
	for i, n := range counts {
		height := float64(n) / float64(highest) * chartHeight
		if n > 0 {
			height = max(height, 2) // a few among millions are still visible
		}
		from := h.From(i)
		label := ""
		switch {
		case i == len(h.Bins):
			label = format(from) + " and more"
		case whole && h.Step == 1:
			label = format(from)
		default:
			label = format(from) + " to " + format(h.From(i+1))
		}

		c.Bars = append(c.Bars, Bar{
			X: two(float64(i)*width + 1), Y: two(chartHeight - height), Width: two(max(width-2, 1)), Height: two(height),
			Label: label, Count: n,
		})

		if i%every == 0 && i < len(h.Bins) {
			c.Ticks = append(c.Ticks, Tick{two(float64(i)*width + 1), format(from)})
		}
	}

	return c
}

// two rounds to two decimals, which is enough for a drawing.
func two(x float64) float64 { return math.Round(x*100) / 100 }

func comma(n int) string { return humanize.Comma(int64(n)) }

// format formats a value with at most two decimals.
func format(x float64) string {
	if x >= 1000 {
		return humanize.Comma(int64(x))
	}
	return strconv.FormatFloat(two(x), 'f', -1, 64)
}
