package page

import (
	"html/template"
	"time"
)

// The layouts of times in pages. A script shows them in the viewer's zone; without it, they stay in UTC.
const (
	momentLayout = "Jan 2, 2006, 15:04 UTC"
	dateLayout   = "Jan 2, 2006"
)

// How the script in dashboard.js shows a time. It leaves the text of a relative time.
const (
	showsMoment   = "moment"
	showsDate     = "date"
	showsClock    = "clock"
	showsRelative = "relative"
)

// moment returns the element of a time with its date and clock.
func moment(t time.Time) template.HTML {
	return timeElement(t, showsMoment, t.UTC().Format(momentLayout))
}

// date returns the element of a time of which only the date matters.
func date(t time.Time) template.HTML { return timeElement(t, showsDate, t.UTC().Format(dateLayout)) }

// clock returns the element of a time of a day that is known from elsewhere.
func clock(t time.Time) template.HTML { return timeElement(t, showsClock, t.UTC().Format("15:04")) }

// day returns a day of the calendar, which is the same in every zone.
func day(t time.Time) string { return t.UTC().Format(dateLayout) }

// timeElement returns a time element. Its title has the time in UTC, whatever its text shows.
func timeElement(t time.Time, shows, text string) template.HTML {
	utc := t.UTC()
	attributes := `datetime="` + utc.Format(time.RFC3339) + `" data-shows="` + shows + `" title="` +
		utc.Format(momentLayout) + `"`
	return template.HTML("<time " + attributes + ">" + text + "</time>") //nolint:gosec // G203: formatted times only
}

// ago returns the element of a time in the past, such as "3 hours ago".
func (s *site) ago(t time.Time) template.HTML {
	return timeElement(t, showsRelative, ago(s.Now().Sub(t)))
}

// until returns the element of a time in the future, such as "in 3 hours".
func (s *site) until(t time.Time) template.HTML {
	return timeElement(t, showsRelative, "in "+Span(t.Sub(s.Now())))
}
