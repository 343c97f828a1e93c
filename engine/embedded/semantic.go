package embedded

import (
	"math"
	"math/bits"

	"freelancer-matching/engine"
)

// A meaning is a prepared engine.SemanticClause. The semantic score of a document is at most weight. Its upper bound is
// a linear function of a sum that estimates the cosine, with a margin for the error of the estimate.
type meaning struct {
	clause       *engine.SemanticClause
	query        *sketchedQuery
	squares      float64 // square of the length of the query's vector
	weight       float32
	without      float32 // score of a document without a vector, whose cosine is 0
	none         int     // the coarse sum whose bound is without
	coarse, fine line
}

// A line is the function slope · sum - offset.
type line struct{ slope, offset float32 }

// chunkSize is the number of documents sifted together. Small chunks let the next documents benefit from the higher
// minimum score; a power of two avoids bounds checks.
const chunkSize = 1024

// margin is the assumed error of an estimated cosine, in standard deviations for a vector perpendicular to the query's.
// The vectors of hits are closer and the errors smaller: about 2 in 1,000 hits are missed, nearly all of them among the
// last ones (TestSearch_Recall).
const margin = 1.5

func (v *view) newMeaning(c *engine.SemanticClause) *meaning {
	q := v.shared.rotations[c.Space].query(c.Vector)
	m := &meaning{
		clause:  c,
		query:   q,
		squares: float64(squares(c.Vector)),
		weight:  float32(c.Weight),
		without: float32(c.Weight * c.Closeness(0)),
		none:    math.MinInt16,
	}
	m.coarse, m.fine = m.line(q.coarse), m.line(q.fine)
	if m.coarse.slope > 0 {
		m.none = int(min(math.MaxInt16, max(math.MinInt16, math.Ceil(float64((m.coarse.offset+m.without)/m.coarse.slope)))))
	}
	return m
}

// line returns the upper bound of the score as a function of an estimate's sum. If the sum contains no information, the
// bound is the same for all documents.
func (m *meaning) line(e estimate) line {
	rise := m.clause.Weight / (m.clause.Ceiling - m.clause.Floor)
	slope := float32(rise * e.unit)
	if slope == 0 {
		return line{offset: -m.without}
	}
	return line{slope: slope, offset: float32(rise * (m.clause.Floor - margin*e.deviation))}
}

// collectSemantic does what collect does, for a query with a semantic clause. It passes each chunk through sieves of
// increasing cost. Each sieve is a loop without data-dependent branches, so that the processor can work on several
// documents in parallel.
func (s *scratch) collectSemantic(p *plan, x *partPlan, i int) {
	for from, size := 0, x.blockSize(i); from < size; from += chunkSize {
		s.siftBase(p, x, from, min(from+chunkSize, size))
		s.siftCoarse(p, x, i)
		s.siftFine(p, x, i)
		s.computeSifted(p, x, i)
	}
}

// siftBase keeps the documents that could become hits with the highest bonus and the highest semantic score. Once the
// heap is full of documents that share words with the query, hardly any other document passes.
func (s *scratch) siftBase(p *plan, x *partPlan, from, to int) {
	text := s.text[from:to]
	skills := s.skills[from:to][:len(text)]
	minScore, slope, n := s.minScore()-x.bonus-p.meaning.weight, p.words.slope, 0
	if s.passing == nil || s.passing[from/64:words(to)].full() {
		for j, sum := range text {
			s.sifted[n%chunkSize] = uint16(from + j)
			n += above(float32(sum)*slope+skills[j], minScore)
		}
		s.kept = n
		return
	}
	for first := 0; first < len(text); first += 64 {
		passing := s.passing[(from+first)/64]
		if bits.OnesCount64(passing) > 64/fewPass {
			skills := skills[first:]
			for j, sum := range text[first:min(first+64, len(text))] {
				s.sifted[n%chunkSize] = uint16(from + first + j)
				n += above(float32(sum)*slope+skills[j], minScore) & int(passing&1)
				passing >>= 1
			}
			continue
		}
		for ; passing != 0; passing &= passing - 1 {
			j := first + bits.TrailingZeros64(passing)
			s.sifted[n%chunkSize] = uint16(from + j)
			n += above(float32(text[j])*slope+skills[j], minScore)
		}
	}
	s.kept = n
}

// fewPass says from when on a filter is selective: if at most one in fewPass documents passes, it is faster to look at
// them one by one.
const fewPass = 4

// siftCoarse keeps the documents that could become hits with the highest bonus, by the coarse estimate.
func (s *scratch) siftCoarse(p *plan, x *partPlan, i int) {
	m, c := p.meaning, &x.blocks[i].vectors[p.meaning.clause.Space]
	minScore, n := s.minScore()-x.bonus+m.coarse.offset, 0
	for _, doc := range s.sifted[:s.kept] {
		sum := max(m.query.signs(c, int(doc)), m.none)
		s.sifted[n%chunkSize] = doc
		n += above(p.words.bound(s.text[doc])+s.skills[doc]+float32(sum)*m.coarse.slope, minScore)
	}
	s.kept = n
}

// siftFine keeps the documents that could become hits with their own bonus, by the fine estimate.
func (s *scratch) siftFine(p *plan, x *partPlan, i int) {
	m, c := p.meaning, &x.blocks[i].vectors[p.meaning.clause.Space]
	first, size := i*blockSize, x.blockSize(i)
	fit, quality := x.part.fit.of[first:first+size], x.part.quality.of[first:first+size]
	minScore, n := s.minScore(), 0
	for _, doc := range s.sifted[:s.kept] {
		score := s.base(p, doc) + x.fit[fit[doc]] + x.quality[quality[doc]]
		bound := max(m.without, float32(m.query.levels(c, int(doc)))*m.fine.slope-m.fine.offset)
		s.sifted[n%chunkSize] = doc
		n += above(score+min(bound, m.weight), minScore)
	}
	s.kept = n
}

// computeSifted computes the scores of the remaining documents and offers the best to the heap.
func (s *scratch) computeSifted(p *plan, x *partPlan, i int) {
	m, c := p.meaning, &x.blocks[i].vectors[p.meaning.clause.Space]
	first := i * blockSize
	for _, doc := range s.sifted[:s.kept] { // load the vectors in parallel; the next loop would wait for each
		s.touched += c.squares[doc] + uint32(c.at(int(doc))[0])
	}
	for _, doc := range s.sifted[:s.kept] {
		cosine := m.cosine(c, int(doc))
		closeness := m.clause.Closeness(cosine)
		number := first + int(doc)
		score := s.base(p, doc) + x.fit[x.part.fit.of[number]] + x.quality[x.part.quality.of[number]] +
			m.weight*float32(closeness) // in the order of collect, which rounds the same way
		if score <= s.minScore() || s.text[doc] == 0 && s.skills[doc] == 0 && closeness == 0 && !p.query.MatchAll {
			continue
		}
		s.best.offer(candidate{score: score, place: placeOf(x.number, number), text: s.text[doc], cosine: cosine})
	}
}

// cosine returns matching.Cosine of the query's vector and a document's, in half the time.
func (m *meaning) cosine(c *vectors, doc int) float64 {
	dot := 0
	a, b := m.clause.Vector, c.at(doc)
	for len(a) >= 8 && len(b) >= 8 {
		dot += int(a[0])*int(b[0]) + int(a[1])*int(b[1]) + int(a[2])*int(b[2]) + int(a[3])*int(b[3]) +
			int(a[4])*int(b[4]) + int(a[5])*int(b[5]) + int(a[6])*int(b[6]) + int(a[7])*int(b[7])
		a, b = a[8:], b[8:]
	}
	for i, value := range a {
		dot += int(value) * int(b[i])
	}
	if dot == 0 {
		return 0
	}
	return float64(dot) / math.Sqrt(m.squares*float64(c.squares[doc]))
}

// base returns the part of a document's score that comes from terms and skills.
func (s *scratch) base(p *plan, doc uint16) float32 {
	return p.words.of(s.text[doc]) + s.skills[doc]
}

// above returns 1 if score > minScore and 0 otherwise. It uses the sign of the difference instead of a branch.
func above(score, minScore float32) int { return int(math.Float32bits(minScore-score) >> 31) }
