package search

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/bitmap"
	"github.com/freelancer-matching/service/engine/embedded/vector"
)

// A meaning is a prepared engine.SemanticClause. The semantic score of a document is at most weight. Its upper bound is
// a linear function of a sum that estimates the cosine, with a margin for the error of the estimate.
type meaning struct {
	clause       *engine.SemanticClause
	query        *vector.Query
	squares      float64 // square of the length of the query's vector
	weight       float32
	without      float32 // score of a document without a vector, whose cosine is 0
	none         int     // the coarse sum whose bound is without
	coarse, fine line
}

// A line is the function slope · sum - offset.
type line struct{ slope, offset float32 }

// margin is the assumed error of an estimated cosine, in standard deviations for a vector perpendicular to the query's.
// The vectors of hits are closer and the errors smaller.
const margin = 4

func newMeaning(r *vector.Rotation, c *engine.SemanticClause) *meaning {
	q := r.Query(c.Vector)
	m := &meaning{
		clause:  c,
		query:   q,
		squares: float64(vector.Squares(c.Vector)),
		weight:  float32(c.Weight),
		without: float32(c.Weight * c.Closeness(0)),
		none:    math.MinInt16,
	}
	m.coarse, m.fine = m.line(q.Coarse), m.line(q.Fine)
	if m.coarse.slope > 0 {
		m.none = int(min(math.MaxInt16, max(math.MinInt16, math.Ceil(float64((m.coarse.offset+m.without)/m.coarse.slope)))))
	}
	return m
}

// line returns the upper bound of the score as a function of an estimate's sum. If the sum contains no information, the
// bound is the same for all documents.
func (m *meaning) line(e vector.Estimate) line {
	rise := m.clause.Weight / (m.clause.Ceiling - m.clause.Floor)
	slope := float32(rise * e.Unit)
	if slope == 0 {
		return line{offset: -m.without}
	}
	return line{slope: slope, offset: float32(rise * (m.clause.Floor - margin*e.Deviation))}
}

// countSimilar returns the number of documents that are hits without any word of the query, only because their meaning
// is close to the brief's. It stops counting at the limit.
func (v Snapshot) countSimilar(ctx context.Context, s *scratch, p *plan, limit int) (int, error) {
	var found atomic.Int64
	err := v.share(ctx, s, len(s.blocks), func(s *scratch, i int) {
		left := limit - int(found.Load())
		if b := s.blocks[i]; left > 0 && s.openBlock(p, b.x, b.number) {
			// Marks all documents with a word. Their lists are short, or else these would have filled the window.
			s.countBlock(p, b.x, b.number, math.MaxInt)
			found.Add(int64(s.countSimilarWithoutWords(p, b.x, b.number, left)))
		}
	})
	return min(int(found.Load()), limit), err
}

// countSimilarWithoutWords counts, in the current block, the similar documents that aren't marked as matching. It stops
// counting at the limit.
func (s *scratch) countSimilarWithoutWords(p *plan, x *partPlan, i, limit int) (n int) {
	m := p.meaning
	c := &x.Blocks[i].Vectors[m.clause.Space]
	marked := s.matching[:bitmap.Words(x.BlockSize(i))]

	// The estimates spare most documents the computation of their cosine.
	needed := m.weight * float32(m.clause.Hit)
	coarse := m.enough(m.coarse, needed)
	fine := m.enough(m.fine, needed)

	for doc := range x.BlockSize(i) {
		if m.query.Signs(c, doc) < coarse || m.query.Levels(c, doc) < fine {
			continue
		}
		if marked.Has(doc) || s.passing != nil && !s.passing.Has(doc) {
			continue
		}
		if m.clause.Closeness(m.cosine(c, doc)) <= m.clause.Hit {
			continue
		}
		if n++; n == limit {
			return n
		}
	}
	return n
}

// enough returns the lowest sum of an estimate whose bound reaches a score. It is the lowest number if documents
// without a vector reach it, or if the sum contains no information.
func (m *meaning) enough(estimate line, score float32) int {
	if score < m.without || estimate.slope == 0 {
		return math.MinInt
	}
	return int((score + estimate.offset) / estimate.slope)
}

// filterByCoarseEstimate keeps the documents that could become hits by the coarse estimate and what is added later. The
// loops of both filters have no data-dependent branches, so that the processor can work on several documents in
// parallel.
func (s *scratch) filterByCoarseEstimate(p *plan, x *partPlan, i int, later float32) {
	m := p.meaning
	c := &x.Blocks[i].Vectors[p.meaning.clause.Space]
	minScore := s.needed(p) - later + m.coarse.offset
	n := 0
	for _, doc := range s.remaining[:s.remainingCount] {
		sum := max(m.query.Signs(c, s.tileStart+int(doc)), m.none)
		s.remaining[n] = doc
		n += above(s.bounds[doc]+float32(sum)*m.coarse.slope, minScore)
	}
	s.remainingCount = n
}

// filterByFineEstimate keeps the documents that could become hits by the fine estimate, and adds it to their bounds.
func (s *scratch) filterByFineEstimate(p *plan, x *partPlan, i int, later float32) {
	m := p.meaning
	c := &x.Blocks[i].Vectors[p.meaning.clause.Space]
	minScore := s.needed(p) - later
	n := 0
	for _, doc := range s.remaining[:s.remainingCount] {
		bound := max(m.without, float32(m.query.Levels(c, s.tileStart+int(doc)))*m.fine.slope-m.fine.offset)
		s.bounds[doc] += min(bound, m.weight)
		s.remaining[n] = doc
		n += above(s.bounds[doc], minScore)
	}
	s.remainingCount = n
}

// cosine returns matching.Cosine of the query's vector and a document's, in half the time.
func (m *meaning) cosine(c *vector.Column, doc int) float64 {
	dot := vector.Product(m.clause.Vector, c.At(doc))
	if dot == 0 {
		return 0
	}
	return float64(dot) / math.Sqrt(m.squares*float64(c.Squares[doc]))
}

// above returns 1 if score > minScore and 0 otherwise. It uses the sign of the difference instead of a branch.
func above(score, minScore float32) int { return int(math.Float32bits(minScore-score) >> 31) }
