package resumes

import (
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/resume"
)

// jobs judges the work experience. A job was found if the times overlap and the title or the employer is similar. It is
// whole if title, employer and both dates are right.
func (v *verdict) jobs(truth []position, found []resume.Position) {
	partners := pair(len(truth), len(found), 1+3, func(i, j int) int {
		if !sameJob(truth[i], found[j]) {
			return 0
		}
		m := matchJob(truth[i], found[j])
		return 1 + number(m.title) + number(m.company) + number(m.dates)
	})

	v.entries(goalWholeJob, partners, len(found),
		func(i int) string {
			p := truth[i]
			return entry(p.Title, p.Company, period(p.Start, p.End, p.Current))
		},
		func(j int) (string, float64) {
			p := found[j]
			return entry(p.Title, p.Company, period(p.Start, p.End, p.Current)), p.Confidence
		},
		func(i, j int) bool {
			m := matchJob(truth[i], found[j])
			return m.title && m.company && m.dates
		})

	// The parts are judged only in jobs that were found; a missing job counts once, in goalJobFound.
	jobsFound := 0
	for i, j := range partners {
		if j < 0 {
			continue
		}

		jobsFound++
		m := matchJob(truth[i], found[j])
		v.count(jobTitles, 1, 1, number(m.title))
		v.count(jobCompanies, 1, 1, number(m.company))
		v.count(jobDates, 1, 1, number(m.dates))
	}

	v.count(goalJobFound, len(truth), len(found), jobsFound)
}

// A jobMatch says which parts of a found job are right.
type jobMatch struct{ title, company, dates bool }

// matchJob compares a true job with a found one.
func matchJob(truth position, found resume.Position) jobMatch {
	bothCurrent := truth.Current && found.Current
	bothEnded := !truth.Current && !found.Current
	endUnknowable := truth.End == "*" // a label for an end that can't be known from the file
	endIsRight := bothCurrent || endUnknowable || bothEnded && matches(truth.End, found.End)

	return jobMatch{
		title:   matches(truth.Title, found.Title),
		company: matches(truth.Company, found.Company),
		dates:   matches(truth.Start, found.Start) && endIsRight,
	}
}

// sameJob reports whether a found position is about the true one.
func sameJob(truth position, found resume.Position) bool {
	hasTitle := truth.Title != "" && truth.Title != "*"
	hasCompany := truth.Company != "" && truth.Company != "*"
	sameTitle := hasTitle && found.Title != "" && resembles(truth.Title, found.Title)
	sameCompany := hasCompany && found.Company != "" && resembles(truth.Company, found.Company)

	// A job with a start alone also ended in that month or year.
	start := alternatives(truth.Start)[0]
	end := alternatives(truth.End)[0]
	if end == "" && !truth.Current {
		end = start
	}

	trueMonths := monthsOf(start, end, truth.Current)
	foundMonths := monthsOf(found.Start, found.End, found.Current)
	switch {
	case trueMonths.known && foundMonths.known:
		return (sameTitle || sameCompany) && trueMonths.overlaps(foundMonths)
	case trueMonths.known || foundMonths.known: // without dates to compare, both must be the same
		return sameTitle && sameCompany
	default:
		return sameTitle || sameCompany
	}
}

// A monthRange is a period from its first to its last month, counted from year 0. It is unknown if it has no dates.
type monthRange struct {
	first, last int
	known       bool
}

func (m monthRange) overlaps(other monthRange) bool {
	return m.first <= other.last && other.first <= m.last
}

// monthsOf returns the months of a period, whose dates are years or years with a month.
func monthsOf(start, end string, current bool) monthRange {
	const lastMonth = 3000 * 12 // of a period that goes on

	// A year without a month begins in January and ends in December.
	first := month(start, 1)
	last := month(end, 12)
	switch {
	case current:
		last = lastMonth
	case last == 0:
		last = month(start, 12)
	}

	if first == 0 && !current {
		first = month(end, 1)
	}

	return monthRange{first: first, last: last, known: first > 0 || last > 0}
}

// month returns the month of a date such as 2024-05 or 2024, counted from year 0, or 0 if it isn't one. A date without
// a month, or with an invalid one, gets the given month, 1 to 12.
func month(date string, missing int) int {
	yearText, monthText, hasMonth := strings.Cut(date, "-")
	year, err := strconv.Atoi(yearText)
	if err != nil {
		return 0
	}

	if n, err := strconv.Atoi(monthText); hasMonth && err == nil {
		return year*12 + n - 1
	}
	return year*12 + missing - 1
}
