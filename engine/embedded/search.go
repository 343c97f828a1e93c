package embedded

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// A scratch is the working memory of one search, about half a megabyte. Searches share a pool of them.
type scratch struct {
	text   [blockSize]uint32  // sums of step · code
	skills [blockSize]float32 // sums of weight · credit
	has    [blockSize]uint8   // 1 if the document has the current skill itself
	best   top

	allowed [blockSize / 64]uint64 // memory of passing
	passing bitmap                 // documents of the block that pass the filter; nil if all do

	// For queries with a semantic clause.
	floor   float32           // all hits score higher than this
	sifted  [chunkSize]uint16 // documents of the chunk that passed the sieves so far
	kept    int               // the number of sifted documents
	touched uint32            // has no meaning; keeps the compiler from removing reads
}

// Search implements engine.Snapshot. For each block of each part, it sums up the terms and skills of every document and
// then offers the promising documents to the heap. Documents are offered in their order, which breaks ties.
func (v *view) Search(ctx context.Context, q *engine.Query) (*engine.Page, error) {
	if q.Semantic != nil {
		if err := q.Semantic.Check(v.info.Vectors); err != nil {
			return nil, fmt.Errorf("search index %q: %w", v.info.Name, err)
		}
	}
	p := v.newPlan(q)
	if q.Size <= 0 {
		return &engine.Page{Reference: p.reference}, ctx.Err()
	}
	return v.run(ctx, p)
}

// run executes a plan.
func (v *view) run(ctx context.Context, p *plan) (*engine.Page, error) {
	s := v.shared.scratch.Get().(*scratch)
	defer v.shared.scratch.Put(s)
	s.best.reset(min(p.query.Size, v.totals.documents))
	s.floor = float32(math.Inf(-1))
	for i := range p.parts {
		if err := s.searchPart(ctx, p, &p.parts[i]); err != nil {
			return nil, err
		}
	}
	best := s.best.sorted()
	p.refine(best)
	return p.page(best), nil
}

// searchPart offers the documents of one part to the heap.
func (s *scratch) searchPart(ctx context.Context, p *plan, x *partPlan) error {
	if !x.words && !p.query.MatchAll && p.meaning == nil {
		return ctx.Err()
	}
	for i := range x.blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		var any bool
		if s.passing, any = x.filter.start(i, &s.allowed); !any {
			continue
		}
		size := x.blockSize(i)
		clear(s.text[:size])
		clear(s.skills[:size])
		s.addTerms(x, &x.blocks[i])
		s.addSkills(p, x, &x.blocks[i], size)
		if p.meaning == nil {
			s.collect(p, x, i, size)
			continue
		}
		if len(s.best.heap) == 0 {
			// Similarity never lowers a score, so the scores without it are a lower bound for the best hits. Without that
			// bound, nearly every document would have to be examined until the heap is full of good ones.
			s.collect(p, x, i, min(size, warmUp))
			s.floor = math.Nextafter32(s.best.minScore(), float32(math.Inf(-1))) // a score equal to the bound is enough
			s.best.reset(s.best.size)
		}
		s.collectSemantic(p, x, i)
	}
	return nil
}

// addTerms adds the terms to the text sums of a block.
func (s *scratch) addTerms(x *partPlan, b *block) {
	for _, t := range x.terms {
		l := b.postings[ofTerms].find(t.number)
		impacts := l.codes[:len(l.docs)]
		for i, doc := range l.docs {
			s.text[doc] += t.step * uint32(impacts[i])
		}
	}
}

// addSkills adds the skills to the skill sums of a block: the credit for the evidence of the skill itself, or for
// Sibling if a document only has a skill of the same family. The bytes in has avoid a branch and bit operations, which
// take twice as long if many documents have the skill.
func (s *scratch) addSkills(p *plan, x *partPlan, b *block, size int) {
	for i := range x.skills {
		c, credit := &x.skills[i], &p.credit[i]
		if !c.skillKnown && !c.familyKnown {
			continue
		}
		clear(s.has[:size])
		if c.skillKnown {
			l := b.postings[ofSkills].find(c.skill)
			evidence := l.codes[:len(l.docs)]
			for j, doc := range l.docs {
				s.skills[doc] += credit[evidence[j]%evidenceCodes]
				s.has[doc] = 1
			}
		}
		if c.familyKnown {
			sibling := [2]float32{credit[matching.Sibling], 0}
			for _, doc := range b.postings[ofFamilies].find(c.family).docs {
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
func (s *scratch) collect(p *plan, x *partPlan, i, size int) {
	first := i * blockSize
	fit, quality := x.part.fit.of[first:first+size], x.part.quality.of[first:first+size]
	text, skills := s.text[:size], s.skills[:size]
	matchAll := p.query.MatchAll
	cut := s.best.minScore() - x.bonus
	for doc, sum := range text {
		skill := skills[doc]
		if p.words.bound(sum)+skill < cut || sum == 0 && skill == 0 && !matchAll ||
			s.passing != nil && !s.passing.has(doc) {
			continue
		}
		score := p.words.of(sum) + skill + x.fit[fit[doc]] + x.quality[quality[doc]]
		if score <= s.best.minScore() {
			continue
		}
		s.best.offer(candidate{score: score, place: placeOf(x.number, first+doc), text: sum})
		cut = s.best.minScore() - x.bonus
	}
}

// page returns the hits with all the facts that ranking needs.
func (p *plan) page(best []candidate) *engine.Page {
	hits := make([]engine.Hit, len(best))
	skills := len(p.query.Skills)
	evidence := make([]matching.Evidence, len(best)*skills)
	for i, c := range best {
		x, doc := &p.parts[c.place.part()], c.place.doc()
		hits[i] = engine.Hit{
			ID:        string(x.id(doc)),
			Retrieval: float64(c.score),
			Text:      c.words,
			Cosine:    c.cosine,
			Evidence:  evidence[i*skills : (i+1)*skills : (i+1)*skills],
			Signals:   x.signals.at(int(doc)),
		}
	}
	for _, in := range p.byBlock(best) {
		postings := &in.block.postings
		for j, c := range in.x.skills {
			var skill, family list
			if c.skillKnown {
				skill = postings[ofSkills].find(c.skill)
			}
			if c.familyKnown {
				family = postings[ofFamilies].find(c.family)
			}
			for _, hit := range in.hits {
				doc := uint16(best[hit].place.doc() % blockSize)
				code := skill.code(doc)
				if code == 0 {
					code = family.code(doc)
				}
				hits[hit].Evidence[j] = matching.Evidence(code)
			}
		}
	}
	return &engine.Page{Hits: hits, Matching: min(len(hits), p.query.Window), Reference: p.reference}
}

// blockHits lists the hits in one block.
type blockHits struct {
	x     *partPlan
	block *block
	hits  []int // their places among the best
}

// byBlock groups the best candidates by block.
func (p *plan) byBlock(best []candidate) []blockHits {
	order := make([]int, len(best))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(best[a].place, best[b].place) })
	var groups []blockHits
	for from := 0; from < len(order); {
		first := best[order[from]].place
		to := from + 1
		for to < len(order) && best[order[to]].place/blockSize == first/blockSize {
			to++
		}
		x := &p.parts[first.part()]
		groups = append(groups, blockHits{x, &x.blocks[first.doc()/blockSize], order[from:to]})
		from = to
	}
	return groups
}

// A candidate is one of the best documents so far.
type candidate struct {
	score  float32
	text   uint32 // sum of step · code
	place  place
	words  float64 // BM25 score; set by refine, exactly for the best hits
	cosine float64 // to the query's vector; 0 without one
}

// A place is a part of a view and a document in it. Places have the order of the documents.
type place uint64

func placeOf(part, doc int) place { return place(part)<<32 | place(doc) }
func (p place) part() int         { return int(p >> 32) }
func (p place) doc() uint32       { return uint32(p) }

// worse reports whether c has a lower score than another candidate, or the same score and a later place.
func (c *candidate) worse(than *candidate) bool {
	return c.score < than.score || c.score == than.score && c.place > than.place
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
			if !t.heap[i].worse(&t.heap[parent]) {
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
		if right := child + 1; right < len(t.heap) && t.heap[right].worse(&t.heap[child]) {
			child = right
		}
		if !t.heap[child].worse(&t.heap[i]) {
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
		case b.worse(&a):
			return -1
		case a.worse(&b):
			return 1
		default:
			return 0
		}
	})
}
