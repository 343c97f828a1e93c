package resumes

import (
	"strconv"
	"strings"

	"freelancer-matching/resume"
)

// jobs judges the work experience. A job was found if the times overlap and the title or the employer is similar. It is
// whole if title, employer and both dates are right.
func (v *verdict) jobs(truth []position, found []resume.Position) {
	same := func(i, j int) (title, company, dates bool) {
		w := truth[i]
		f := found[j]
		// The label * means that the end can't be known from the file.
		end := w.Current && f.Current || w.End == "*" || !w.Current && !f.Current && matches(w.End, f.End)
		return matches(w.Title, f.Title), matches(w.Company, f.Company), matches(w.Start, f.Start) && end
	}

	partners := pair(len(truth), len(found), 4, func(i, j int) int {
		title, company, dates := same(i, j)
		if !sameJob(truth[i], found[j]) {
			return 0
		}
		return 1 + number(title) + number(company) + number(dates)
	})

	v.entries(goalWholeJob, partners, len(found),
		func(i int) string {
			return entry(truth[i].Title, truth[i].Company, period(truth[i].Start, truth[i].End, truth[i].Current))
		},
		func(j int) (string, float64) {
			f := found[j]
			return entry(f.Title, f.Company, period(f.Start, f.End, f.Current)), f.Confidence
		},
		func(i, j int) bool { title, company, dates := same(i, j); return title && company && dates })

	// The parts are judged only in jobs that were found; a missing job counts once, in goalJobFound.
	pairs := 0
	for i, j := range partners {
		if j < 0 {
			continue
		}
		pairs++
		title, company, dates := same(i, j)
		v.count(jobTitles, 1, 1, number(title))
		v.count(jobCompanies, 1, 1, number(company))
		v.count(jobDates, 1, 1, number(dates))
	}

	v.count(goalJobFound, len(truth), len(found), pairs)
}

// sameJob reports whether a found position is about the true one.
func sameJob(truth position, found resume.Position) bool {
	title := truth.Title != "" && truth.Title != "*" && found.Title != "" && resembles(truth.Title, found.Title)
	company := truth.Company != "" && truth.Company != "*" && found.Company != "" &&
		resembles(truth.Company, found.Company)
	end := alternatives(truth.End)[0]
	if end == "" && !truth.Current {
		end = alternatives(truth.Start)[0]
	}
	from, to, dated := months(alternatives(truth.Start)[0], end, truth.Current)
	gotFrom, gotTo, gotDates := months(found.Start, found.End, found.Current)
	if !dated || !gotDates {
		return title && company || !dated && !gotDates && (title || company)
	}
	return (title || company) && from <= gotTo && gotFrom <= to
}

// months returns the first and the last month of a period, counted from year 0. ok is false if it has no dates.
func months(start, end string, current bool) (first, last int, ok bool) {
	month := func(date string, missing int) int {
		y, m, hasMonth := strings.Cut(date, "-")
		year, err := strconv.Atoi(y)
		if err != nil {
			return 0
		}

		if n, err := strconv.Atoi(m); hasMonth && err == nil {
			missing = n - 1
		}

		return year*12 + missing
	}

	// A year without a month begins in January and ends in December.
	first = month(start, 0)
	last = month(end, 11)
	switch {
	case current:
		last = 3000 * 12
	case last == 0:
		last = month(start, 11)
	}

	if first == 0 && !current {
		first = month(end, 0)
	}

	return first, last, first > 0 || last > 0
}
