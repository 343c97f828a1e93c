// Package profile summarizes freelancers for a report: the distribution of their numbers, and their most frequent
// skills. Its memory is bounded, however many freelancers there are.
package profile

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
)

// A Profile summarizes freelancers. The zero Profile is empty and ready to use.
type Profile struct {
	Freelancers int
	known       map[string]int
	rates       distribution
	ratings     distribution
	experience  distribution
	skillCounts distribution // skills per freelancer
	skills      heavyHitters
}

// Add adds a freelancer.
func (p *Profile) Add(f *matching.Freelancer) {
	p.Freelancers++
	if p.known == nil {
		p.known = make(map[string]int)
	}
	for i := range matching.Fields {
		if d := &matching.Fields[i]; d.Known(f) {
			p.known[d.Name]++
		}
	}

	p.rates.add(f.HourlyRate)
	p.ratings.add(f.Rating)
	p.experience.add(f.Experience)
	p.skillCounts.add(matching.Some(float64(len(f.Skills))))

	for _, skill := range f.Skills {
		p.skills.add(skill)
	}
}

// Known returns the number of freelancers with a known value, by field.
func (p *Profile) Known() map[string]int { return maps.Clone(p.known) }

// A Histogram is the distribution of one number.
type Histogram struct {
	Known, Unknown int // freelancers
	Median         float64
	Step           float64 // the width of a bin
	Bins           []int   // from 0 up
	Above          int     // freelancers beyond the last bin
}

// From returns the lower end of a bin.
func (h *Histogram) From(bin int) float64 { return float64(bin) * h.Step }

// Rates returns the distribution of hourly rates.
func (p *Profile) Rates() Histogram { return p.rates.histogram(0, 0) }

// Ratings returns the distribution of ratings, in steps of a quarter.
func (p *Profile) Ratings() Histogram { return p.ratings.histogram(.25, 5) }

// Experience returns the distribution of years of experience.
func (p *Profile) Experience() Histogram { return p.experience.histogram(1, 0) }

// SkillCounts returns the distribution of the number of skills.
func (p *Profile) SkillCounts() Histogram { return p.skillCounts.histogram(1, 0) }

// A SkillCount is the number of freelancers who list a skill.
type SkillCount struct {
	Name        string
	Freelancers int
}

// TopSkills returns the n most frequent skills, ignoring case, and by how much their counts may be too low.
func (p *Profile) TopSkills(n int) (top []SkillCount, uncertainty int) {
	for _, c := range p.skills.counts {
		top = append(top, *c)
	}
	slices.SortFunc(top, func(a, b SkillCount) int {
		return cmp.Or(cmp.Compare(b.Freelancers, a.Freelancers), cmp.Compare(a.Name, b.Name))
	})
	return top[:min(n, len(top))], p.skills.removed
}

// distribution counts the values of a number, rounded to three digits, so that there are at most a few thousand.
type distribution struct {
	unknown, known int
	counts         map[float64]int
}

func (d *distribution) add(v matching.Optional[float64]) {
	if !v.Known {
		d.unknown++
		return
	}
	if d.counts == nil {
		d.counts = make(map[float64]int)
	}
	d.known++
	d.counts[round(v.Value)]++
}

// round returns a number from 0 up with three significant digits.
func round(x float64) float64 {
	if !(x >= 1e-3) || math.IsInf(x, 0) { // also NaN
		return 0
	}
	scale := math.Pow(10, math.Floor(math.Log10(x))-2)
	return math.Round(x/scale) * scale
}

// maxBins is the number of bins of a histogram, apart from the one above them.
const maxBins = 24

// histogram sorts the values into bins. The bins cover 99% of the values, so that a few outliers don't hide the others,
// or everything up to last if it is positive; a value equal to last is in the last bin. A bin is at least minStep wide.
func (d *distribution) histogram(minStep, last float64) Histogram {
	h := Histogram{Known: d.known, Unknown: d.unknown, Step: cmp.Or(minStep, 1)}
	if d.known == 0 {
		return h
	}
	values := slices.Sorted(maps.Keys(d.counts))
	h.Median = d.quantile(values, .5)
	end := last

	if last == 0 {
		end = d.quantile(values, .99)
		h.Step = max(minStep, niceStep(end/maxBins))
	}

	bins := max(1, int(math.Floor(end/h.Step+1e-9))+1)
	if last > 0 {
		bins = int(math.Round(last / h.Step))
	}
	h.Bins = make([]int, bins)
	for _, v := range values {
		bin := int(v/h.Step + 1e-9)
		if last > 0 && v == last {
			bin = bins - 1
		}

		if bin < bins {
			h.Bins[bin] += d.counts[v]
		} else {
			h.Above += d.counts[v]
		}
	}

	return h
}

// quantile returns the smallest of the sorted values that a share of all values doesn't exceed.
func (d *distribution) quantile(sorted []float64, share float64) float64 {
	left := int(math.Ceil(share * float64(d.known)))
	for _, v := range sorted {
		if left -= d.counts[v]; left <= 0 {
			return v
		}
	}
	return 0
}

// niceStep returns the smallest of 1, 2 and 5 times a power of ten that is at least x.
func niceStep(x float64) float64 {
	if !(x > 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, step := range []float64{1, 2, 5} {
		if step*power >= x*(1-1e-9) {
			return step * power
		}
	}
	return 10 * power
}

// maxSkills is the number of different skills that are counted at the same time. No data set has nearly as many that
// several people list.
const maxSkills = 20_000

// heavyHitters counts the most frequent names with the algorithm of Misra and Gries: if there are too many names, all
// counts go down by one, and names without a count are forgotten.
type heavyHitters struct {
	counts  map[string]*SkillCount // by name in lower case
	removed int                    // from each count, at most
}

func (h *heavyHitters) add(name string) {
	if h.counts == nil {
		h.counts = make(map[string]*SkillCount)
	}
	key := strings.ToLower(name)
	if c, ok := h.counts[key]; ok {
		c.Freelancers++
		return
	}
	if len(h.counts) < maxSkills {
		h.counts[strings.Clone(key)] = &SkillCount{strings.Clone(name), 1}
		return
	}
	h.removed++
	for key, c := range h.counts {
		if c.Freelancers--; c.Freelancers == 0 {
			delete(h.counts, key)
		}
	}
}
