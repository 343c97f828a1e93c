package directory

import (
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/dashboard/page"
)

// lineWeeks is the number of weeks that a line of availability spans.
const lineWeeks = 12

// A line is a bar over the next weeks, which is filled from the day on which a freelancer can start.
type line struct {
	Text   string  // what it says
	From   float64 // in weeks from today, from 0 to lineWeeks
	Length float64 // in weeks
	Weeks  []time.Time
}

// Span returns the number of weeks of the line.
func (line) Span() int { return lineWeeks }

// newLine returns the line of a freelancer, or nil if nothing is known.
func newLine(f *matching.Freelancer, now time.Time) *line {
	today := matching.DayOf(now)
	l := &line{From: lineWeeks}
	day, hasDate := matching.Day(f.AvailableFrom)
	switch {
	case hasDate && day > today:
		l.From = min(float64(day-today)/7, lineWeeks)
		l.Text = "Available from " + time.Unix(int64(day)*24*60*60, 0).UTC().Format("Jan 2, 2006")
	case hasDate || f.Availability.Or(false):
		l.From = 0
		l.Text = "Available now"
	case f.Availability.Known:
		l.Text = "Not available"
	case f.HoursPerWeek.Known:
		return &line{Text: "Start unknown, " + hoursText(f)}
	default:
		return nil
	}

	if f.HoursPerWeek.Known && l.Text != "Not available" {
		l.Text += ", " + hoursText(f)
	}
	l.Length = lineWeeks - l.From
	for week := 0; week < lineWeeks; week += lineWeeks / 4 {
		l.Weeks = append(l.Weeks, now.UTC().AddDate(0, 0, 7*week))
	}

	return l
}

func hoursText(f *matching.Freelancer) string {
	if f.HoursPerWeek.Value == 1 {
		return "1 hour a week"
	}
	return page.Decimal(1, f.HoursPerWeek.Value) + " hours a week"
}
