package embedded

import (
	"context"
	"fmt"
	"math"
	"slices"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// scratch is the working memory of one search: about half a megabyte, reused through a pool.
type scratch struct {
	text    [blockSize]uint32  // sums of step · code
	skills  [blockSize]float32 // sums of weight · credit
	has     [blockSize]uint8   // 1 for a document that has the skill at hand itself
	allowed bitmap             // documents that pass the conditions on names
	holders bitmap             // documents with a skill that a document must have
	best    top

	// Of a query with a semantic clause.
	floor   float32           // the worst hit has more
	sifted  [chunkSize]uint16 // documents of the block that passed the sieves so far
	kept    int               // how many
	touched uint32            // of no meaning
}

// Search visits the index block by block: sum up the terms and the skills of every document, then offer those that can
// be among the best to the heap. Documents are offered in the order of their numbers, which decides ties.
func (x *index) Search(ctx context.Context, q *engine.Query) (*engine.Page, error) {
	if q.Semantic != nil {
		if err := q.Semantic.Check(x.info.Vectors); err != nil {
			return nil, fmt.Errorf("search index %q: %w", x.info.Name, err)
		}
	}
	p := x.newPlan(q)
	if q.Size <= 0 {
		return &engine.Page{Reference: p.reference}, ctx.Err()
	}
	return x.carryOut(ctx, p)
}

// carryOut searches as planned.
func (x *index) carryOut(ctx context.Context, p *plan) (*engine.Page, error) {
	s := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	size := min(p.query.Size, x.info.Documents)
	s.best.reset(size)
	s.floor = float32(math.Inf(-1))
	for i := range x.blocks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !p.filter.start(i, &s.allowed, &s.holders) {
			continue
		}
		clear(s.text[:x.blockSize(i)])
		clear(s.skills[:x.blockSize(i)])
		s.addTerms(p, &x.blocks[i])
		s.addSkills(p, &x.blocks[i], x.blockSize(i))
		if p.meaning == nil {
			s.collect(p, x, i, x.blockSize(i))
			continue
		}
		if len(s.best.heap) == 0 {
			// What the best hits reach without any meaning, they reach with it. Knowing that spares nearly all the work on
			// documents that come before the heap is full of good ones.
			s.collect(p, x, i, min(x.blockSize(i), warmUp))
			s.floor = math.Nextafter32(s.best.least(), float32(math.Inf(-1))) // as good as the worst is good enough
			s.best.reset(size)
		}
		s.collectSemantic(p, x, i)
	}
	best := s.best.sorted()
	x.refine(p, best)
	return x.page(p, best), nil
}

// addTerms sums up the text score.
func (s *scratch) addTerms(p *plan, b *block) {
	for _, t := range p.terms {
		l := b.terms.find(t.number)
		impacts := l.codes[:len(l.docs)]
		for i, doc := range l.docs {
			s.text[doc] += t.step * uint32(impacts[i])
		}
	}
}

// addSkills sums up the skill score: the evidence of the skill, and for those of its family without any, Sibling.
// Whether a document has the skill itself is a byte that is only ever stored, then used as an index: setting bits, or a
// branch, makes the processor wait twice as long where many documents have the skill.
func (s *scratch) addSkills(p *plan, b *block, size int) {
	for i := range p.skills {
		c := &p.skills[i]
		clear(s.has[:size])
		if c.skillKnown {
			l := b.skills.find(c.skill)
			evidence := l.codes[:len(l.docs)]
			for j, doc := range l.docs {
				s.skills[doc] += c.credit[evidence[j]%evidenceCodes]
				s.has[doc] = 1
			}
		}
		if c.familyKnown {
			sibling := [2]float32{c.credit[matching.Sibling], 0}
			for _, doc := range b.families.find(c.family).docs {
				s.skills[doc] += sibling[s.has[doc]%2]
			}
		}
	}
}

// warmUp is how many documents tell what the best hits reach at least: enough to be near the truth for all, few enough
// to cost less than they spare.
const warmUp = 1 << 14

// collect offers the first documents of block i, so many, to the heap. Nearly all are passed over because even the
// highest bonus would not lift them to the last hit so far.
func (s *scratch) collect(p *plan, x *index, i, size int) {
	first := i * blockSize
	fit, quality := x.fit.of[first:first+size], x.quality.of[first:first+size]
	text, skills := s.text[:size], s.skills[:size]
	everyone := p.query.MatchAll
	cut := s.best.least() - p.bonus
	for doc, sum := range text {
		skill := skills[doc]
		if p.words.most(sum)+skill < cut || sum == 0 && skill == 0 && !everyone {
			continue
		}
		score := p.words.of(sum) + skill + p.fit[fit[doc]] + p.quality[quality[doc]]
		if score <= s.best.least() || !p.filter.pass(i, uint16(doc), &s.allowed) {
			continue
		}
		s.best.offer(candidate{score: score, doc: uint32(first + doc), text: sum})
		cut = s.best.least() - p.bonus
	}
}

// page is the answer: the hits with everything that ranking wants to know about them.
func (x *index) page(p *plan, best []candidate) *engine.Page {
	hits := make([]engine.Hit, len(best))
	evidence := make([]matching.Evidence, len(best)*len(p.skills))
	for i, c := range best {
		hits[i] = engine.Hit{
			ID:        string(x.ids.at(x.idOf[c.doc])),
			Retrieval: float64(c.score),
			Text:      c.words,
			Cosine:    c.cosine,
			Evidence:  evidence[i*len(p.skills) : (i+1)*len(p.skills) : (i+1)*len(p.skills)],
			Signals:   x.signals.at(int(c.doc)),
		}
	}
	skills, families := make([]list, len(x.blocks)), make([]list, len(x.blocks))
	for j, c := range p.skills {
		for i := range x.blocks {
			skills[i], families[i] = list{}, list{}
			if c.skillKnown {
				skills[i] = x.blocks[i].skills.find(c.skill)
			}
			if c.familyKnown {
				families[i] = x.blocks[i].families.find(c.family)
			}
		}
		for i, hit := range best {
			in, doc := hit.doc/blockSize, uint16(hit.doc%blockSize)
			code := skills[in].code(doc)
			if code == 0 {
				code = families[in].code(doc)
			}
			hits[i].Evidence[j] = matching.Evidence(code)
		}
	}
	return &engine.Page{Hits: hits, Reference: p.reference}
}

// candidate is a document that is among the best so far.
type candidate struct {
	score  float32
	doc    uint32
	text   uint32  // in steps, from rounded impacts
	words  float64 // BM25, of the best hits exactly; not known before refine
	cosine float64 // to the query's vector, 0 without one
}

// worse orders candidates: a lower score, or the same and a later document.
func (c candidate) worse(than candidate) bool {
	return c.score < than.score || c.score == than.score && c.doc > than.doc
}

// top keeps the best candidates in a heap whose root is the worst of them.
type top struct {
	size int
	heap []candidate
}

func (t *top) reset(size int) {
	t.size = size
	t.heap = slices.Grow(t.heap[:0], size)
}

// least is the score that a document must exceed.
func (s *scratch) least() float32 { return max(s.best.least(), s.floor) }

// least is the score that a later document must exceed.
func (t *top) least() float32 {
	if len(t.heap) < t.size {
		return float32(math.Inf(-1))
	}
	return t.heap[0].score
}

// offer adds a candidate that exceeds least.
func (t *top) offer(c candidate) {
	if len(t.heap) < t.size {
		t.heap = append(t.heap, c)
		for i := len(t.heap) - 1; i > 0; {
			parent := (i - 1) / 2
			if !t.heap[i].worse(t.heap[parent]) {
				return
			}
			t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
			i = parent
		}
		return
	}
	t.heap[0] = c
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(t.heap) {
			return
		}
		if right := child + 1; right < len(t.heap) && t.heap[right].worse(t.heap[child]) {
			child = right
		}
		if !t.heap[child].worse(t.heap[i]) {
			return
		}
		t.heap[i], t.heap[child] = t.heap[child], t.heap[i]
		i = child
	}
}

// sorted is the candidates, best first. The heap is spent afterwards.
func (t *top) sorted() []candidate {
	order(t.heap)
	return t.heap
}

// order sorts candidates, best first.
func order(candidates []candidate) {
	slices.SortFunc(candidates, func(a, b candidate) int {
		switch {
		case b.worse(a):
			return -1
		case a.worse(b):
			return 1
		default:
			return 0
		}
	})
}
