package bias

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/freelancer-matching/service/events"
	"github.com/freelancer-matching/service/internal/matching"
)

// An Audit collects matches and the events about them.
type Audit struct {
	groups *Groups
	top    int
	people map[uint64]*person // everybody in the file of groups

	matches, withEvents int
	from, to            time.Time
	unlisted            map[uint64]bool // freelancers in responses who aren't in the file
}

// A person is what the records have about a freelancer.
type person struct {
	responses int     // that had the freelancer
	inTop     bool    // in one of the first places of a response
	chosen    bool    // contacted or hired
	attention float64 // 1/log2(1+rank), summed over the responses
	scored    int     // responses with scores; those of earlier releases have none
	scores    float64 // summed over these
}

// New returns an audit of the freelancers in groups. top is the number of places that count as a selection by the
// ranking.
func New(groups *Groups, top int) *Audit {
	a := &Audit{groups: groups, top: top, people: map[uint64]*person{}, unlisted: map[uint64]bool{}}
	for id := range groups.values {
		a.people[id] = &person{}
	}
	return a
}

// Add adds a match with the events about it.
func (a *Audit) Add(m events.Match, list []events.Event) {
	a.matches++
	if len(list) > 0 {
		a.withEvents++
	}
	if a.from.IsZero() || m.At.Before(a.from) {
		a.from = m.At
	}
	if m.At.After(a.to) {
		a.to = m.At
	}

	for i, id := range m.Freelancers {
		if id == 0 {
			continue // erased
		}
		p := a.people[id]
		if p == nil {
			a.unlisted[id] = true
			continue
		}

		rank := m.Offset + i + 1
		p.responses++
		p.inTop = p.inTop || rank <= a.top
		p.attention += 1 / math.Log2(float64(1+rank))
		if i < len(m.Scores) {
			p.scored++
			p.scores += m.Scores[i]
		}
	}

	for _, e := range list {
		isChoice := e.Type == events.Contacted || e.Type == events.Hired
		if p := a.people[events.Hash(e.Freelancer)]; p != nil && isChoice {
			p.chosen = true
		}
	}
}

// A Report is the result of an audit.
type Report struct {
	From       time.Time `json:"from"` // of the first match
	To         time.Time `json:"to"`   // of the last match
	Matches    int       `json:"matches"`
	WithEvents int       `json:"matches_with_events"`
	People     int       `json:"people"`   // in the file of groups
	Unlisted   int       `json:"unlisted"` // freelancers in responses who aren't in the file
	Top        int       `json:"top"`
	MinShare   float64   `json:"min_share"` // smallest share of the people for an impact ratio
	Tables     []Table   `json:"tables"`
}

// A Table compares the categories of one or several columns by one measure.
type Table struct {
	Measure string   `json:"measure"`
	Columns []string `json:"columns"`
	Unknown int      `json:"unknown"` // people whose category is unknown, and who are left out
	Rows    []Row    `json:"rows"`    // by rate, the highest first
}

// A Row is one category. Its impact ratio is its rate divided by the highest rate of a category that isn't excluded.
type Row struct {
	Category string                     `json:"category"`
	People   int                        `json:"people"`
	Selected int                        `json:"selected"` // 0 for the measure exposure
	Rate     float64                    `json:"rate"`     // for exposure, the mean attention
	Ratio    matching.Optional[float64] `json:"impact_ratio"`
	Low      matching.Optional[float64] `json:"low"` // 95 % interval; unknown for the reference and without any selection
	High     matching.Optional[float64] `json:"high"`
	Excluded bool                       `json:"excluded"` // a smaller share of the people than MinShare
}

// The measures.
const (
	Top      = "top"      // people with a place among the first of a response, of all people
	Chosen   = "chosen"   // people contacted or hired, of those in responses
	Scoring  = "scoring"  // people whose mean score is above the median, of those in responses with scores
	Exposure = "exposure" // attention per person, of all people
)

// A measure is what a table compares: the mean of a value over the people that count.
type measure struct {
	name   string
	counts func(*person) bool
	value  func(*person) float64
}

// Report returns the report. Categories with a smaller share of the people than minShare get no impact ratio.
func (a *Audit) Report(minShare float64) Report {
	r := Report{
		From: a.from, To: a.to, Matches: a.matches, WithEvents: a.withEvents, People: len(a.people),
		Unlisted: len(a.unlisted), Top: a.top, MinShare: minShare,
	}
	median := a.medianScore()
	isReturned := func(p *person) bool { return p.responses > 0 }
	isScored := func(p *person) bool { return p.scored > 0 }
	isAnybody := func(*person) bool { return true }
	asNumber := func(is bool) float64 {
		if is {
			return 1
		}
		return 0
	}

	measures := []measure{
		{Top, isAnybody, func(p *person) float64 { return asNumber(p.inTop) }},
		{Chosen, isReturned, func(p *person) float64 { return asNumber(p.chosen) }},
		{Scoring, isScored, func(p *person) float64 { return asNumber(p.meanScore() > median) }},
		{Exposure, isAnybody, func(p *person) float64 { return p.attention }},
	}
	for _, columns := range a.groups.columnSets() {
		for _, m := range measures {
			r.Tables = append(r.Tables, a.table(columns, &m, minShare))
		}
	}

	return r
}

// columnSets returns each column by itself, and all of them together for the intersections.
func (g *Groups) columnSets() [][]int {
	var sets [][]int
	var all []int
	for i := range g.columns {
		sets = append(sets, []int{i})
		all = append(all, i)
	}
	if len(all) > 1 {
		sets = append(sets, all)
	}
	return sets
}

func (p *person) meanScore() float64 { return p.scores / float64(max(1, p.scored)) }

// medianScore returns the median of the mean scores of the people in responses with scores.
func (a *Audit) medianScore() float64 {
	var all []float64
	for _, p := range a.people {
		if p.scored > 0 {
			all = append(all, p.meanScore())
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	middle := len(all) / 2
	if len(all)%2 == 1 {
		return all[middle]
	}
	return (all[middle-1] + all[middle]) / 2
}

// A sample holds the sums of a value over the people of a category.
type sample struct{ n, sum, squares float64 }

func (s *sample) add(value float64) {
	s.n++
	s.sum += value
	s.squares += value * value
}

func (s *sample) mean() float64 { return s.sum / s.n }

// relativeVariance returns the variance of the mean, divided by its square.
func (s *sample) relativeVariance() float64 {
	m := s.mean()
	return (s.squares/s.n - m*m) / s.n / (m * m)
}

// table compares the categories by a measure.
func (a *Audit) table(columns []int, m *measure, minShare float64) Table {
	t := Table{Measure: m.name}
	for _, c := range columns {
		t.Columns = append(t.Columns, a.groups.columns[c])
	}

	samples, unknown := a.samples(columns, m)
	t.Unknown = unknown
	people := 0.
	for _, s := range samples {
		people += s.n
	}

	// Ratios refer to the category with the highest rate, of those with enough people.
	var best *sample
	for _, category := range slices.Sorted(maps.Keys(samples)) {
		s := samples[category]
		row := Row{Category: category, People: int(s.n), Rate: s.mean(), Excluded: s.n < minShare*people}
		if m.name != Exposure { // attention selects nobody
			row.Selected = int(s.sum)
		}
		t.Rows = append(t.Rows, row)

		isBest := best == nil || s.mean() > best.mean()
		if !row.Excluded && isBest {
			best = s
		}
	}

	for i := range t.Rows {
		if row := &t.Rows[i]; !row.Excluded {
			row.compare(samples[row.Category], best)
		}
	}

	slices.SortFunc(t.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Rate, a.Rate), strings.Compare(a.Category, b.Category))
	})

	return t
}

// samples returns the sums of a measure by category, and the number of people whose category is unknown.
func (a *Audit) samples(columns []int, m *measure) (byCategory map[string]*sample, unknown int) {
	byCategory = map[string]*sample{}

	// The order of addition must not depend on the order of a map, or the last digits would vary.
	for _, id := range slices.Sorted(maps.Keys(a.people)) {
		p := a.people[id]
		if !m.counts(p) {
			continue
		}

		category, known := a.groups.category(id, columns)
		if !known {
			unknown++
			continue
		}

		s := byCategory[category]
		if s == nil {
			s = &sample{}
			byCategory[category] = s
		}
		s.add(m.value(p))
	}

	return byCategory, unknown
}

// compare sets the impact ratio, with its interval by the delta method on the logarithm (Katz et al., Biometrics 1978,
// for rates). The interval takes the reference as given, although it was chosen for its rate.
func (r *Row) compare(s, best *sample) {
	const z = 1.96 // 95 %
	if best.mean() == 0 {
		return // nobody was selected
	}
	ratio := s.mean() / best.mean()
	r.Ratio = matching.Some(ratio)
	if s == best || ratio == 0 {
		return
	}
	spread := math.Exp(z * math.Sqrt(s.relativeVariance()+best.relativeVariance()))
	r.Low = matching.Some(ratio / spread)
	r.High = matching.Some(ratio * spread)
}
