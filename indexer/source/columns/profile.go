package columns

import (
	"math"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/indexer/source/table"
	"github.com/freelancer-matching/service/internal/value"
)

// Vocabulary knows the names of skills and jobs, which tell lists of skills from other lists, and job titles from other
// short texts.
type Vocabulary interface {
	IsSkill(name string) bool
	IsJob(name string) bool
}

// noVocabulary knows nothing.
type noVocabulary struct{}

// IsSkill returns false.
func (noVocabulary) IsSkill(string) bool { return false }

// IsJob returns false.
func (noVocabulary) IsJob(string) bool { return false }

// profile sums up the cells of a column in a sample.
type profile struct {
	cells    []string // that say something
	kinds    [kindCounts]int
	distinct map[string]int

	numbers    int // cells whose amount is known
	fractional int // of them, those that are not whole
	low, high  float64
}

// newProfile profiles a column.
func newProfile(sample []table.Record, column int) *profile {
	p := &profile{distinct: make(map[string]int), low: math.Inf(1), high: math.Inf(-1)}
	for _, rec := range sample {
		cell := strings.TrimSpace(table.CellAt(rec.Cells, column))
		if rec.Fault != "" || value.Unknown(cell) {
			continue
		}
		p.cells = append(p.cells, cell)
		p.distinct[cell]++
	}

	for cell, n := range p.distinct {
		k, amount := kindOf(cell)
		p.kinds[k] += n
		switch k {
		case kindNumber, kindPercent, kindScore, kindYears, kindCount, kindMoney, kindRate:
			p.numbers += n
			p.low, p.high = min(p.low, amount), max(p.high, amount)
			if amount != math.Trunc(amount) {
				p.fractional += n
			}

		default: // other kinds have no amounts
		}
	}

	return p
}

// share returns the share of cells that are of one of these kinds.
func (p *profile) share(kinds ...cellKind) float64 {
	n := 0
	for _, k := range kinds {
		n += p.kinds[k]
	}
	return float64(n) / float64(max(1, len(p.cells)))
}

// shareOf returns the share of cells that satisfy a condition.
func (p *profile) shareOf(is func(cell string) bool) float64 {
	n := 0
	for cell, count := range p.distinct {
		if is(cell) {
			n += count
		}
	}
	return float64(n) / float64(max(1, len(p.cells)))
}

// main returns the most frequent kind.
func (p *profile) main() cellKind {
	best := kindText
	for k, n := range p.kinds {
		if n > p.kinds[best] {
			best = cellKind(k)
		}
	}
	return best
}

// variety returns the share of cells that differ from all others.
func (p *profile) variety() float64 { return float64(len(p.distinct)) / float64(max(1, len(p.cells))) }

// meanLength returns the mean number of characters of a cell.
func (p *profile) meanLength() float64 {
	sum := 0
	for _, cell := range p.cells {
		sum += utf8.RuneCountInString(cell)
	}
	return float64(sum) / float64(max(1, len(p.cells)))
}

// items returns how often each item occurs in the lists of the column.
func (p *profile) items() (items map[string]int, total int) {
	items = make(map[string]int)
	for cell, n := range p.distinct {
		list, _ := value.Skills(cell, value.IsSlug(cell))
		for _, item := range list {
			items[strings.ToLower(item)] += n
			total += n
		}
	}
	return items, total
}

// hostShare returns the share of URLs on the most frequent host.
func (p *profile) hostShare() float64 {
	hosts := make(map[string]int)
	most := 0
	for cell, n := range p.distinct {
		address, _ := value.URL(cell)
		if u, err := url.Parse(address); err == nil && u.Host != "" && strings.Trim(u.Path, "/") != "" {
			hosts[u.Host] += n
			most = max(most, hosts[u.Host])
		}
	}
	return float64(most) / float64(max(1, len(p.cells)))
}

// isAvailability reports whether the column has words for both yes and no that say what it is about: "Available" and
// "Busy" do, "yes" and "no" don't.
func (p *profile) isAvailability() bool {
	longest := make(map[bool]int)
	for cell := range p.distinct {
		if flag, _ := value.Flag(cell); flag.Known {
			longest[flag.Value] = max(longest[flag.Value], len(cell))
		}
	}
	return longest[true] > len("booked") && longest[false] >= len("busy")
}
