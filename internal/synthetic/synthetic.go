// Package synthetic generates fictional freelancers and briefs for tests, benchmarks, the demo and /generate-test-data.
// Their fields correlate as in real data: the trade determines title, skills and range of rates; experience and rare
// skills raise the rate; experience brings sales; the description mentions all of them. Names are composed of syllables
// and belong to no country and no one.
//
// Every word comes from the files in data, where trades can be added without code. Records depend only on the seed and
// their position, so a longer run starts with the shorter one.
package synthetic

import (
	"iter"
	"math/rand/v2"

	"github.com/freelancer-matching/service/internal/matching"
)

// Generator generates records. It is immutable and safe for concurrent use.
type Generator struct {
	catalog *catalog
}

// New returns a generator with the embedded data files. It fails only if one of them is malformed.
func New() (*Generator, error) {
	c, err := readCatalog(dataFiles)
	if err != nil {
		return nil, err
	}
	return &Generator{catalog: c}, nil
}

// Freelancers yields n freelancers with the ids f1 to fn. All fields are known: experience in whole years from 0 to 35,
// rating from 1.0 to 5.0 in tenths, an hourly rate in cents within the trade's band, at least one sale. The same seed
// gives the same records for any n.
func (g *Generator) Freelancers(n int, seed uint64) iter.Seq[matching.Freelancer] {
	return func(yield func(matching.Freelancer) bool) {
		c := newComposer(g.catalog)
		for i := range n {
			c.begin(seed, streamFreelancers, i)
			if !yield(c.freelancer(i + 1)) {
				return
			}
		}
	}
}

// DetailedFreelancers yields the freelancers that Freelancers yields, with details: a place and its country, time zone,
// language and currency, and often further languages, a date of availability, weekly hours and whether a marketplace
// has verified the person. Each of them is unknown for some freelancers.
func (g *Generator) DetailedFreelancers(n int, seed uint64) iter.Seq[matching.Freelancer] {
	return func(yield func(matching.Freelancer) bool) {
		c := newComposer(g.catalog)
		i := 0
		for f := range g.Freelancers(n, seed) {
			c.begin(seed, streamDetails, i)
			f.Details = c.details()
			if i++; !yield(f) {
				return
			}
		}
	}
}

// Briefs yields an endless sequence of briefs, the same for the same seed. Each has a description of 15 to 60 words
// whose first line is a headline; other fields are present as often as real clients fill them in.
func (g *Generator) Briefs(seed uint64) iter.Seq[matching.Brief] {
	return func(yield func(matching.Brief) bool) {
		c := newComposer(g.catalog)
		for i := 0; ; i++ {
			c.begin(seed, streamBriefs, i)
			if !yield(c.brief()) {
				return
			}
		}
	}
}

// The streams separate the random numbers of briefs, freelancers and their details with the same seed.
const (
	streamFreelancers uint64 = iota
	streamBriefs
	streamDetails
)

// begin starts the record at index. Its random numbers depend on the three arguments only.
func (c *composer) begin(seed, stream uint64, index int) {
	c.source.Seed(mix(seed)+stream, mix(uint64(index)))
	c.text = c.text[:0]
	c.used = c.used[:0]
	c.skills = c.skills[:0]
	c.words = 0
	c.turn = c.rng.Uint32N(1 << 16)
}

// mix spreads adjacent numbers over all 64 bits, so that adjacent records are unrelated. It is the finalizer of
// SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func newComposer(c *catalog) *composer {
	source := rand.NewPCG(0, 0)
	rng := rand.New(source) //nolint:gosec // must be repeatable; no secret depends on it
	return &composer{catalog: c, source: source, rng: rng}
}
