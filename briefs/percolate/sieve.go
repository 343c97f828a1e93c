package percolate

import (
	"math"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// A sieve finds the briefs whose last place a document may reach. It is an inverted index of briefs: under each term,
// skill and family are the briefs that ask for it, with the most that it earns there. For each document, these are
// added up in a sum for each brief, in arrays that fit into a processor's cache, and the sums are compared with what
// the last place of each brief needs. To score a brief exactly takes far longer, because what it needs is scattered in
// memory.
type sieve struct {
	numbers  map[string]uint32 // of terms
	byTerm   [][]posting       // by number
	bySkill  map[string][]posting
	byFamily map[string][]posting
	entries  []*entry // nil for those that were removed
	bars     []bar    // of entries
	removed  int

	// The least saturation of the frequencies of terms is base + slope · length, and the highest credit of each kind of
	// evidence is credit.
	base, slope float64
	credit      [matching.Listed + 1]float32

	// The sums of the document that was put in last, for each of entries.
	text, skills []float32
}

// A posting is an entry that asks for a term or a skill, with the weight that it has there.
type posting struct {
	at     uint32 // index into sieve.entries
	weight float32
}

// A bar is what a document must reach for an entry to pass the sieve.
type bar struct {
	least      float32 // the least sum of all contributions; +Inf if nobody passes, or the entry was removed
	rest       float32 // the most that everything but skills and text contributes
	textWeight float32
	reference  float32 // the text score that contributes half of textWeight
}

// fewRemoved is how many removed entries the index keeps, however few others it has.
const fewRemoved = 64

// rounding is what sums of float32 may be too low by, as a share of a score.
const rounding = 1e-5

func newSieve() *sieve {
	return &sieve{
		numbers: map[string]uint32{}, bySkill: map[string][]posting{}, byFamily: map[string][]posting{},
		base: math.Inf(1), slope: math.Inf(1),
	}
}

// add adds an entry, and sets its at and terms.
func (s *sieve) add(e *entry) {
	q := e.Watch.Query
	at := uint32(len(s.entries))
	e.at = int(at)
	s.entries = append(s.entries, e)
	s.text = append(s.text, 0)
	s.skills = append(s.skills, 0)

	e.terms = make([]uint32, len(q.Terms))
	for i, term := range q.Terms {
		number, known := s.numbers[term.Text]
		if !known {
			number = uint32(len(s.byTerm))
			s.numbers[term.Text] = number
			s.byTerm = append(s.byTerm, nil)
		}
		e.terms[i] = number
		if weight := e.Watch.Scoring.Weights[i]; weight > 0 && e.Watch.Reference > 0 {
			s.byTerm[number] = append(s.byTerm[number], posting{at, float32(weight)})
		}
	}

	for _, demand := range e.bounds.demands {
		weight := float32(q.Skills[demand[0]].Weight)
		for _, clause := range demand {
			skill := &q.Skills[clause]
			s.bySkill[skill.ID] = append(s.bySkill[skill.ID], posting{at, weight})
			if skill.Family != "" {
				s.byFamily[skill.Family] = append(s.byFamily[skill.Family], posting{at, weight})
			}
		}
	}
	for kind, credit := range q.Credit {
		s.credit[kind] = max(s.credit[kind], float32(credit))
	}

	bm25 := e.Watch.Scoring.BM25
	s.base = min(s.base, bm25.K1*(1-bm25.B))
	s.slope = min(s.slope, bm25.K1*bm25.B/e.Watch.Scoring.MeanLength)

	b := bar{rest: float32(e.bounds.rest), reference: 1}
	if e.Watch.Reference > 0 {
		b.textWeight = float32(q.TextWeight)
		b.reference = float32(e.Watch.Reference)
	}
	s.bars = append(s.bars, b)
	s.setFloor(e)
}

// setFloor takes notice of another floor of an entry.
func (s *sieve) setFloor(e *entry) {
	least := 0.
	if e.floor != nil {
		least = e.bounds.least(e.floor.Score) - rounding
	}
	s.bars[e.at].least = float32(least)
}

// remove removes an entry. Its postings remain until they are half of all.
func (s *sieve) remove(e *entry) {
	s.entries[e.at] = nil
	s.bars[e.at].least = float32(math.Inf(1))
	s.removed++
	if s.removed < fewRemoved || s.removed < len(s.entries)/2 {
		return
	}

	entries := slices.DeleteFunc(s.entries, func(e *entry) bool { return e == nil })
	*s = *newSieve()
	for _, e := range entries {
		s.add(e)
	}
}

// document prepares a document to be scored for the entries.
func (s *sieve) document(d *engine.Document) *document {
	doc := &document{
		Document: d, skills: make(map[string]matching.Evidence, len(d.Skills)),
		families: make(map[string]bool, len(d.Families)), frequencies: make(map[uint32]float64, len(d.Terms)),
	}
	for _, s := range d.Skills {
		doc.skills[s.ID] = max(doc.skills[s.ID], s.Evidence)
	}
	for _, family := range d.Families {
		doc.families[family] = true
	}
	for _, term := range d.Terms {
		if number, known := s.numbers[term]; known {
			doc.frequencies[number]++
		}
	}
	return doc
}

// put adds up the sums of a document, and returns the entries that it may be on the list of.
func (s *sieve) put(d *document) (passed []*entry) {
	clear(s.text)
	clear(s.skills)
	norm := s.base + s.slope*float64(engine.RoundLength(len(d.Terms)))
	for number, frequency := range d.frequencies {
		addTo(s.text, s.byTerm[number], float32(frequency/(frequency+norm)))
	}
	for skill, evidence := range d.skills {
		addTo(s.skills, s.bySkill[skill], s.credit[evidence])
	}
	for family := range d.families {
		addTo(s.skills, s.byFamily[family], s.credit[matching.Sibling])
	}

	for at := range s.bars {
		b := &s.bars[at]
		sum := s.skills[at] + b.rest
		if sum+b.textWeight < b.least {
			continue
		}
		if text := s.text[at]; sum+b.textWeight*text/(text+b.reference) >= b.least {
			passed = append(passed, s.entries[at])
		}
	}
	return passed
}

// addTo adds the weights of postings to the sums of their entries, each times a factor.
func addTo(sums []float32, postings []posting, factor float32) {
	for _, p := range postings {
		sums[p.at] += p.weight * factor
	}
}

// highestText returns the highest text score of the document that was put in last, for an entry.
func (s *sieve) highestText(e *entry) float64 { return float64(s.text[e.at]) * (1 + rounding) }
