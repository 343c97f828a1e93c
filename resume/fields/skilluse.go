package fields

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"freelancer-matching/internal/matching"
	"freelancer-matching/resume"
)

// A use is a position or a project that may mention skills.
type use struct {
	text  string // as a key, with a space on both sides
	ids   set    // of the skills that it mentions
	end   string // YYYY-MM or YYYY, "" if unknown
	order string // of end, as a string that sorts by time
	time  period
	dated bool // the length of time is known
}

// uses returns the positions and projects of a resume with the skills that they mention.
func (r *skillReader) uses(found *resume.Resume) []use {
	today := r.dates.today()
	var all []use
	add := func(start, end string, current bool, texts ...string) {
		text := strings.Join(texts, "\n")
		u := use{text: " " + key(text) + " ", ids: make(set), end: end}
		for _, mention := range r.taxonomy.Extract(text) {
			u.ids[mention.ID] = true
		}

		if current {
			u.end = today.String()
		}
		u.order = u.end
		if len(u.end) == len("2006") {
			u.order += "-99" // a bare year means its end
		}

		s := span{from: parseDate(start), to: parseDate(end), current: current}
		if u.time, u.dated = s.period(today); s.from.year == 0 {
			u.dated = false
		}
		all = append(all, u)
	}
	for _, p := range found.Experience {
		add(p.Start, p.End, p.Current, p.Title, p.Description)
	}

	for _, p := range found.Projects {
		add(p.Start, p.End, false, p.Name, p.Description)
	}

	return all
}

// parseDate returns the date that YYYY-MM or YYYY denotes, the zero date for "".
func parseDate(text string) date {
	year, month, _ := strings.Cut(text, "-")
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	return date{y, m}
}

// withUse adds to each skill how long and until when positions and projects that mention it lasted. Overlapping time
// counts once.
func withUse(skills []resume.Skill, all []use) []resume.Skill {
	for i := range skills {
		s := &skills[i]
		written := " " + key(s.Written) + " "
		var times []period
		latest := ""
		for j := range all {
			u := &all[j]
			if !u.ids[s.ID] && (s.ID != "" || !strings.Contains(u.text, written)) {
				continue
			}

			if u.order > latest {
				latest = u.order
				s.LastUsed = u.end
			}

			if u.dated {
				times = append(times, u.time)
			}
		}

		if len(times) > 0 {
			s.Months = matching.Some(covered(times))
		}
	}

	return skills
}

// covered returns how many months periods last together. Overlaps count once.
func covered(periods []period) int {
	slices.SortFunc(periods, func(a, b period) int { return cmp.Compare(a.first, b.first) })
	months, next := 0, 0
	for _, p := range periods {
		if first := max(p.first, next); p.last >= first {
			months += p.last - first + 1
			next = p.last + 1
		}
	}
	return months
}
