package embedded

import (
	"math"

	"freelancer-matching/engine"
)

// meaning is an engine.SemanticClause as collect wants it: what the closeness of a document earns is estimated, raised
// by a margin, as a linear function of the sums that estimate its cosine. It is at most weight.
type meaning struct {
	clause       *engine.SemanticClause
	query        *sketchedQuery
	squares      float64 // of the query's vector
	weight       float32
	without      float32 // what a document without a vector earns: the cosine 0
	none         int     // the coarse sum that earns that
	coarse, fine line
}

// line is slope · sum - offset.
type line struct{ slope, offset float32 }

// chunkSize is how many documents are sifted together: few enough that the next ones profit from what these raise the
// least score to, and a power of two, which spares bounds checks.
const chunkSize = 1024

// margin is by how much a cosine may be underestimated, in standard deviations for a vector at a right angle. Hits are
// closer than that and deviate less: about 2 in 1,000 are missed, nearly all of them the last ones (TestSearch_Recall).
const margin = 1.5

func (x *index) newMeaning(c *engine.SemanticClause) *meaning {
	q := x.rotations[c.Space].query(c.Vector)
	m := &meaning{
		clause: c, query: q, squares: float64(squares(c.Vector)), weight: float32(c.Weight),
		without: float32(c.Weight * c.Closeness(0)), none: math.MinInt16,
	}
	m.coarse, m.fine = m.line(q.coarse), m.line(q.fine)
	if m.coarse.slope > 0 {
		m.none = int(min(math.MaxInt16, max(math.MinInt16, math.Ceil(float64((m.coarse.offset+m.without)/m.coarse.slope)))))
	}
	return m
}

// line is what the sums of an estimate earn. Where they say nothing, all documents earn the same.
func (m *meaning) line(e estimate) line {
	rise := m.clause.Weight / (m.clause.Ceiling - m.clause.Floor)
	slope := float32(rise * e.unit)
	if slope == 0 {
		return line{offset: -m.without}
	}
	return line{slope: slope, offset: float32(rise * (m.clause.Floor - margin*e.deviation))}
}

// collectSemantic is collect for a query with a semantic clause. It goes by chunks, in sieves of rising cost, each a
// loop of its own without a branch that depends on the data, so that the processor works on many documents at once.
func (s *scratch) collectSemantic(p *plan, x *index, i int) {
	for from, size := 0, x.blockSize(i); from < size; from += chunkSize {
		s.siftBase(p, from, min(from+chunkSize, size))
		s.siftCoarse(p, x, i)
		s.siftFine(p, x, i)
		s.computeSifted(p, x, i)
	}
}

// siftBase keeps the documents that could be among the best with the highest bonus and the closest meaning. Once the
// heap is full of documents that share words with the query, hardly any other passes.
func (s *scratch) siftBase(p *plan, from, to int) {
	text := s.text[from:to]
	skills := s.skills[from:to][:len(text)]
	least, slope, n := s.least()-p.bonus-p.meaning.weight, p.words.slope, 0
	for j, sum := range text {
		s.sifted[n%chunkSize] = uint16(from + j)
		n += above(float32(sum)*slope+skills[j], least)
	}
	s.kept = n
}

// siftCoarse keeps those that could be among the best with the highest bonus, by the coarse estimate.
func (s *scratch) siftCoarse(p *plan, x *index, i int) {
	m, c := p.meaning, &x.blocks[i].vectors[p.meaning.clause.Space]
	least, n := s.least()-p.bonus+m.coarse.offset, 0
	for _, doc := range s.sifted[:s.kept] {
		sum := max(m.query.signs(c, int(doc)), m.none)
		s.sifted[n%chunkSize] = doc
		n += above(p.words.most(s.text[doc])+s.skills[doc]+float32(sum)*m.coarse.slope, least)
	}
	s.kept = n
}

// siftFine keeps those that could be among the best with their own bonus, by the fine estimate.
func (s *scratch) siftFine(p *plan, x *index, i int) {
	m, c := p.meaning, &x.blocks[i].vectors[p.meaning.clause.Space]
	first, size := i*blockSize, x.blockSize(i)
	fit, quality := x.fit.of[first:first+size], x.quality.of[first:first+size]
	least, n := s.least(), 0
	for _, doc := range s.sifted[:s.kept] {
		score := s.base(p, doc) + p.fit[fit[doc]] + p.quality[quality[doc]]
		most := max(m.without, float32(m.query.levels(c, int(doc)))*m.fine.slope-m.fine.offset)
		s.sifted[n%chunkSize] = doc
		n += above(score+min(most, m.weight), least)
	}
	s.kept = n
}

// computeSifted offers those that are among the best to the heap.
func (s *scratch) computeSifted(p *plan, x *index, i int) {
	m, c := p.meaning, &x.blocks[i].vectors[p.meaning.clause.Space]
	first := i * blockSize
	for _, doc := range s.sifted[:s.kept] { // reads of memory that go on at once, where the next loop would wait for each
		s.touched += c.squares[doc] + uint32(c.at(int(doc))[0])
	}
	for _, doc := range s.sifted[:s.kept] {
		if !p.filter.pass(i, doc, &s.allowed) {
			continue
		}
		cosine := m.cosine(c, int(doc))
		closeness := m.clause.Closeness(cosine)
		number := first + int(doc)
		score := s.base(p, doc) + p.fit[x.fit.of[number]] + p.quality[x.quality.of[number]] + m.weight*float32(closeness)
		if score <= s.least() || s.text[doc] == 0 && s.skills[doc] == 0 && closeness == 0 && !p.query.MatchAll {
			continue
		}
		s.best.offer(candidate{score: score, doc: uint32(number), text: s.text[doc], cosine: cosine})
	}
}

// cosine is matching.Cosine of the query's vector and a document's, in half the time.
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

// base is what terms and skills earn a document.
func (s *scratch) base(p *plan, doc uint16) float32 {
	return p.words.of(s.text[doc]) + s.skills[doc]
}

// above is 1 when score > least, and 0 otherwise, without a branch: it is the sign of the difference.
func above(score, least float32) int { return int(math.Float32bits(least-score) >> 31) }
