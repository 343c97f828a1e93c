package outcomes

import (
	"slices"
	"strconv"
	"time"

	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
)

// counts are the numbers of events by type.
type counts struct{ Shown, Clicked, Contacted, Hired, Rejected int }

func (c *counts) add(t events.Type, n int) {
	switch t {
	case events.Shown:
		c.Shown += n
	case events.Clicked:
		c.Clicked += n
	case events.Contacted:
		c.Contacted += n
	case events.Hired:
		c.Hired += n
	case events.Rejected:
		c.Rejected += n
	}
}

// A share is a part of a whole, for a bar.
type share struct{ Part, Whole int }

// Known reports whether there is a whole.
func (s share) Known() bool { return s.Whole > 0 }

// Of returns the share from 0 to 1. Clients may report contacts of people whom they haven't reported as shown.
func (s share) Of() float64 {
	if s.Whole == 0 {
		return 0
	}
	return min(1, float64(s.Part)/float64(s.Whole))
}

// Percent returns the share for the width of a bar.
func (s share) Percent() string { return strconv.FormatFloat(100*s.Of(), 'f', 1, 64) }

// funnelRow is a range of ranks.
type funnelRow struct {
	Label string
	counts
}

// ContactedShare returns how many of the people shown were contacted.
func (r funnelRow) ContactedShare() share { return share{r.Contacted, r.Shown} }

// funnel returns the events by ranges of ranks, with a last row for all of them. It reports whether anybody was
// contacted, hired or rejected.
func funnel(tallies []events.Tally) (rows []funnelRow, decided bool) {
	all := funnelRow{Label: "All"}
	ranks := events.Ranks()
	for i, first := range ranks {
		row := funnelRow{Label: strconv.Itoa(first) + " and later"}
		if i+1 < len(ranks) {
			row.Label = strconv.Itoa(first) + " to " + strconv.Itoa(ranks[i+1]-1)
		}
		for _, t := range tallies {
			if t.Rank == first {
				row.add(t.Type, t.N)
				all.add(t.Type, t.N)
			}
		}
		if row.counts != (counts{}) {
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		rows = append(rows, all)
	}
	return rows, all.Contacted+all.Hired+all.Rejected > 0
}

// weekRow is a week of traffic and quality.
type weekRow struct {
	Monday   time.Time
	Requests int
	Busiest  int // requests of the busiest week
	counts

	Matches int // with a known best score
	Good    int // of these, with a strong best person
	score   float64
}

// Traffic returns the requests compared with those of the busiest week.
func (w *weekRow) Traffic() share { return share{w.Requests, w.Busiest} }

// Quality returns how many matches had a strong best person.
func (w *weekRow) Quality() share { return share{w.Good, w.Matches} }

// MeanScore returns the mean of the best scores.
func (w *weekRow) MeanScore() float64 { return w.score / float64(max(1, w.Matches)) }

// weekRows returns the weeks, the newest first.
func weekRows(s *sources, now time.Time) []weekRow {
	rows := make([]weekRow, weeks)
	byMonday := map[time.Time]*weekRow{}
	for i := range rows {
		rows[i].Monday = events.WeekOf(now).AddDate(0, 0, -7*i)
		byMonday[rows[i].Monday] = &rows[i]
	}
	of := func(at time.Time) *weekRow {
		if row := byMonday[events.WeekOf(at)]; row != nil {
			return row
		}
		return &weekRow{} // the clock was set back
	}

	for _, c := range s.usage {
		if c.Operation == operation {
			of(c.Start).Requests += c.Requests
		}
	}
	for _, t := range s.tallies {
		of(t.Week).add(t.Type, t.N)
	}
	for i := range s.matches {
		best, known := bestScore(&s.matches[i])
		if !known {
			continue
		}
		row := of(s.matches[i].At)
		row.Matches++
		row.score += best
		if isGood(s, best) {
			row.Good++
		}
	}

	busiest := slices.MaxFunc(rows, func(a, b weekRow) int { return a.Requests - b.Requests }).Requests
	for i := range rows {
		rows[i].Busiest = busiest
	}
	return rows
}

// bestScore returns the score of the best person of a match. Only the first page of a list has them.
func bestScore(m *events.Match) (float64, bool) {
	if m.Offset > 0 || len(m.Scores) == 0 {
		return 0, false
	}
	return m.Scores[0], true
}

// isGood reports whether a score is strong in the default ranking profile.
func isGood(s *sources, score float64) bool {
	level := s.profile.Level(score)
	return level == matching.LevelStrong || level == matching.LevelExcellent
}
