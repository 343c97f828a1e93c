package embedded

import (
	"context"
	"fmt"
	"math"
	"slices"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// A scratch is the working memory of one search, about half a megabyte. Searches share a pool of them.
type scratch struct {
	text    [blockSize]uint32  // sums of step · code
	skills  [blockSize]float32 // sums of weight · credit
	has     [blockSize]uint8   // 1 if the document has the current skill itself
	allowed bitmap             // documents that pass the conditions on ids and skills
	holders bitmap             // documents with the current must-have skill
	best    top

	// For queries with a semantic clause.
	floor   float32           // all hits score higher than this
	sifted  [chunkSize]uint16 // documents of the chunk that passed the sieves so far
	kept    int               // the number of sifted documents
	touched uint32            // has no meaning; keeps the compiler from removing reads
}

// Search implements engine.Snapshot. For each block, it sums up the terms and skills of every document and then offers
// the promising documents to the heap. Documents are offered in the order of their numbers, which breaks ties.
func (x *segment) Search(ctx context.Context, q *engine.Query) (*engine.Page, error) {
	if q.Semantic != nil {
		if err := q.Semantic.Check(x.info.Vectors); err != nil {
			return nil, fmt.Errorf("search index %q: %w", x.info.Name, err)
		}
	}
	p := x.newPlan(q)
	if q.Size <= 0 {
		return &engine.Page{Reference: p.reference}, ctx.Err()
	}
	return x.run(ctx, p)
}

// run executes a plan.
func (x *segment) run(ctx context.Context, p *plan) (*engine.Page, error) {
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
			// Similarity never lowers a score, so the scores without it are a lower bound for the best hits. Without that
			// bound, nearly every document would have to be examined until the heap is full of good ones.
			s.collect(p, x, i, min(x.blockSize(i), warmUp))
			s.floor = math.Nextafter32(s.best.minScore(), float32(math.Inf(-1))) // a score equal to the bound is enough
			s.best.reset(size)
		}
		s.collectSemantic(p, x, i)
	}
	best := s.best.sorted()
	x.refine(p, best)
	return x.page(p, best), nil
}

// addTerms adds the terms to the text sums of a block.
func (s *scratch) addTerms(p *plan, b *block) {
	for _, t := range p.terms {
		l := b.terms.find(t.number)
		impacts := l.codes[:len(l.docs)]
		for i, doc := range l.docs {
			s.text[doc] += t.step * uint32(impacts[i])
		}
	}
}

// addSkills adds the skills to the skill sums of a block: the credit for the evidence of the skill itself, or for
// Sibling if a document only has a skill of the same family. The bytes in has avoid a branch and bit operations, which
// take twice as long if many documents have the skill.
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

// warmUp is the number of documents that set the lower bound of the scores in a search with a semantic clause: enough
// for a bound close to that of all documents, and few enough to cost less than the bound saves.
const warmUp = 1 << 14

// collect offers the first size documents of block i to the heap. It skips nearly all of them, because even the highest
// bonus could not lift them above the worst hit so far.
func (s *scratch) collect(p *plan, x *segment, i, size int) {
	first := i * blockSize
	fit, quality := x.fit.of[first:first+size], x.quality.of[first:first+size]
	text, skills := s.text[:size], s.skills[:size]
	matchAll := p.query.MatchAll
	cut := s.best.minScore() - p.bonus
	for doc, sum := range text {
		skill := skills[doc]
		if p.words.bound(sum)+skill < cut || sum == 0 && skill == 0 && !matchAll {
			continue
		}
		score := p.words.of(sum) + skill + p.fit[fit[doc]] + p.quality[quality[doc]]
		if score <= s.best.minScore() || !p.filter.pass(i, uint16(doc), &s.allowed) {
			continue
		}
		s.best.offer(candidate{score: score, doc: uint32(first + doc), text: sum})
		cut = s.best.minScore() - p.bonus
	}
}

// page returns the hits with all the facts that ranking needs.
func (x *segment) page(p *plan, best []candidate) *engine.Page {
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

// A candidate is one of the best documents so far.
type candidate struct {
	score  float32
	doc    uint32
	text   uint32  // sum of step · code
	words  float64 // BM25 score; set by refine, exactly for the best hits
	cosine float64 // to the query's vector; 0 without one
}

// worse reports whether c has a lower score than another candidate, or the same score and a higher number.
func (c candidate) worse(than candidate) bool {
	return c.score < than.score || c.score == than.score && c.doc > than.doc
}

// A top keeps the best candidates in a heap whose root is the worst of them.
type top struct {
	size int
	heap []candidate
}

func (t *top) reset(size int) {
	t.size = size
	t.heap = slices.Grow(t.heap[:0], size)
}

// minScore returns the score that a document must exceed to become a hit.
func (s *scratch) minScore() float32 { return max(s.best.minScore(), s.floor) }

// minScore returns the score that a document must exceed to enter the heap.
func (t *top) minScore() float32 {
	if len(t.heap) < t.size {
		return float32(math.Inf(-1))
	}
	return t.heap[0].score
}

// offer adds a candidate whose score exceeds minScore.
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

// sorted returns the candidates, best first. The heap must be reset afterwards.
func (t *top) sorted() []candidate {
	sortBest(t.heap)
	return t.heap
}

// sortBest sorts candidates, best first.
func sortBest(candidates []candidate) {
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
