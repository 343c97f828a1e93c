// Package synthetic makes freelancers and briefs that never existed, for tests, benchmarks, the demo and
// /generate-test-data. Their parts hang together as they do in real data: the trade decides the title, the skills and
// the band of rates; years and rare skills raise the rate; years bring sales; the description speaks of all of them.
// Names are put together from syllables and belong to no country, and nobody.
//
// Every word comes from the files in data; a trade is added there, without a line of code. Records depend on nothing
// but the seed and their position, so that a longer run begins with the shorter one.
package synthetic

import (
	"iter"
	"math/rand/v2"

	"freelancer-matching/internal/matching"
)

// Generator makes records. It never changes after New, and any number of goroutines may use it.
type Generator struct {
	catalogue *catalogue
}

// New reads the embedded data files. It fails only where one of them is malformed, and says which and where.
func New() (*Generator, error) {
	c, err := readCatalogue(dataFiles)
	if err != nil {
		return nil, err
	}
	return &Generator{catalogue: c}, nil
}

// Freelancers yields n freelancers with the ids f1 to fn. All fields are known: experience in whole years from 0 to 35,
// rating from 1.0 to 5.0 in tenths, an hourly rate in cents within the trade's band, at least one sale. The same seed
// gives the same records, whatever n.
func (g *Generator) Freelancers(n int, seed uint64) iter.Seq[matching.Freelancer] {
	return func(yield func(matching.Freelancer) bool) {
		c := newComposer(g.catalogue)
		for i := range n {
			c.begin(seed, streamFreelancers, i)
			if !yield(c.freelancer(i + 1)) {
				return
			}
		}
	}
}

// Briefs yields briefs without end, the same for the same seed. Each has a description of 15 to 60 words whose first
// line is a headline; the other members are there as often as real clients fill them in.
func (g *Generator) Briefs(seed uint64) iter.Seq[matching.Brief] {
	return func(yield func(matching.Brief) bool) {
		c := newComposer(g.catalogue)
		for i := 0; ; i++ {
			c.begin(seed, streamBriefs, i)
			if !yield(c.brief()) {
				return
			}
		}
	}
}

// The streams keep the random numbers of briefs apart from those of freelancers under the same seed.
const (
	streamFreelancers uint64 = iota
	streamBriefs
)

// begin starts the record at index, whose random numbers depend on the three arguments alone.
func (c *composer) begin(seed, stream uint64, index int) {
	c.source.Seed(mix(seed)+stream, mix(uint64(index)))
	c.text = c.text[:0]
	c.used = c.used[:0]
	c.skills = c.skills[:0]
	c.words = 0
	c.turn = c.rng.Uint32N(1 << 16)
}

// mix spreads neighbouring numbers over all 64 bits, so that records side by side have nothing in common. It is the
// finalizer of SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func newComposer(c *catalogue) *composer {
	source := rand.NewPCG(0, 0)
	rng := rand.New(source) //nolint:gosec // must be repeatable, guards nothing
	return &composer{catalogue: c, source: source, rng: rng}
}
