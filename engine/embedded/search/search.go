// Package search finds the best documents of a view, and counts and lists those that pass filters.
package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/bitmap"
	"github.com/freelancer-matching/service/engine/embedded/search/sieve"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/internal/matching"
)

// A scratch is the working memory of one goroutine of a search, about 800 KB. Searches share a pool of them.
type scratch struct {
	*progress          // of the search that it works for
	leads     progress // memory for a search of its own

	// What a document with all required skills needs to be among the best, and the score that it was computed from.
	neededSum float32
	neededFor float32

	// The current block.
	allowed  [segment.BlockSize / 64]uint64 // memory of passing
	passing  bitmap.Set                     // documents that pass the filter; nil if all do
	lists    blockLists
	sums     [segment.TilesPerBlock]uint32  // by tile
	credits  [segment.TilesPerBlock]float32 // by tile
	ofSkill  [segment.TilesPerBlock]float32 // by tile
	tiles    [segment.ShortList]uint8       // memory of the directory of a short list
	highest  [segment.ShortList]uint8
	matching bitmap.Set // documents that have a word

	// By document of the block. Only the elements of the current tile are valid, unless those of all tiles were computed.
	text     [segment.BlockSize]uint32  // sums of step · (code + 1)
	skills   [segment.BlockSize]float32 // sums of weight · credit
	hasSkill [segment.BlockSize]uint8   // 1 if the document has a skill of the current demand itself
	// A code: twice the number of required demands of which the document has a skill itself, and 1 more if it belongs to
	// the family of one; 0 if there is no discount.
	required    [segment.BlockSize]uint16
	blockSummed bool

	// The current tile.
	tile           blockLists // the parts of the lists in the tile, if they were cut
	cut            bool
	tileStart      int                       // its first document, counted from the beginning of the block
	bounds         [segment.TileSize]float32 // upper bounds of the scores without what is not known yet
	remaining      [segment.TileSize]uint8   // documents of the tile that passed all filters so far
	remainingCount int                       // the number of remaining documents
	// By code of scratch.required: what lowers the bound of a document.
	penalties []float32
	boundedAt float32 // what a document needs, for which penalties were computed
}

var noHit = float32(math.Inf(-1))

// Search implements engine.Snapshot. It computes an upper bound of the scores in each tile, searches the most promising
// tiles, and then every other tile whose bound exceeds the scores found so far (block-max pruning: Mallia, Suel and
// Tonellotto, SIGIR 2024).
func (v Snapshot) Search(ctx context.Context, q *engine.Query) (_ *engine.Page, err error) {
	defer v.Guard(&err)()
	if err := q.Check(v.Meta.Vectors); err != nil {
		return nil, fmt.Errorf("search index %q: %w", v.Meta.Name, err)
	}
	p := newPlan(v.View, q)

	if q.Size <= 0 {
		return &engine.Page{Reference: p.reference, UnknownTerms: p.unknown}, ctx.Err()
	}
	defer v.Shared.Searching.Enter()()
	s := v.borrow()
	defer v.giveBack(s)

	s.start(p)
	s.lookUpWords(p)
	found := s.count(p)
	if found < q.Window && p.meaning != nil && !q.MatchAll {
		similar, err := v.countSimilar(ctx, s, p, q.Window-found)
		if err != nil {
			return nil, err
		}
		found += similar
	}

	s.best.reset(min(q.Size, v.Totals.Documents), max(q.Size, q.Window))
	if err := v.search(ctx, s, p); err != nil {
		return nil, err
	}

	page := p.page(s.best.sorted())
	page.Matching = found
	return page, nil
}

// count returns the number of documents that have a word of the query, up to its window.
func (s *scratch) count(p *plan) (n int) {
	for _, b := range s.blocks {
		if n >= p.query.Window {
			return p.query.Window
		}
		if s.openBlock(p, b.x, b.number) {
			n += s.countBlock(p, b.x, b.number, p.query.Window-n)
		}
	}
	return min(n, p.query.Window)
}

// countBlock returns the number of documents of the current block that have a word of the query. It stops counting at
// the limit.
func (s *scratch) countBlock(p *plan, x *partPlan, i, limit int) int {
	s.matching = slices.Grow(s.matching[:0], segment.BlockSize/64)
	matching := s.matching[:bitmap.Words(x.BlockSize(i))]
	if p.query.MatchAll {
		matching.Fill(x.BlockSize(i))
		if s.passing != nil {
			matching.And(s.passing)
		}
		return matching.Count()
	}

	clear(matching)
	n := 0
	for _, lists := range [][]segment.List{s.lists.terms, s.lists.skills, s.lists.families} {
		for _, l := range lists {
			if len(l.Docs) == 0 {
				continue
			}

			for _, doc := range l.Docs {
				matching.Add(int(doc))
			}

			if s.passing != nil {
				matching.And(s.passing)
			}

			// Counting costs little, and may make the other lists superfluous.
			if n = matching.Count(); n >= limit {
				return n
			}
		}
	}

	return n
}

// maxSeeds is the number of tiles that are searched first. Their best documents exclude most of the other tiles.
const maxSeeds = 16

// A tilePlace is the place of a tile in a view.
type tilePlace struct {
	x           *partPlan
	block, tile int
	number      int // among the tiles of the view
}

// search offers the best documents to the heap.
func (v Snapshot) search(ctx context.Context, s *scratch, p *plan) error {
	if err := v.share(ctx, s, len(s.blocks), func(s *scratch, i int) { s.bound(p, s.blocks[i]) }); err != nil {
		return err
	}

	// The most promising tiles come first, because their scores exclude most of the others.
	seeds := s.seeds()
	if err := v.share(ctx, s, len(seeds), func(s *scratch, i int) { s.searchSeed(p, &seeds[i]) }); err != nil {
		return err
	}

	return v.share(ctx, s, len(s.blocks), func(s *scratch, i int) { s.searchRest(p, s.blocks[i]) })
}

// seeds returns the tiles with the highest limits, highest first.
func (s *scratch) seeds() (seeds []tilePlace) {
	for _, b := range s.blocks {
		first := b.x.tileNumber(b.number, 0)
		for tile, limit := range s.limits[first:][:segment.TilesFor(b.x.BlockSize(b.number))] {
			isTooLow := len(seeds) == maxSeeds && limit <= s.limits[seeds[maxSeeds-1].number]
			if isTooLow || limit == noHit {
				continue
			}
			seeds = s.insertSeed(seeds, tilePlace{b.x, b.number, tile, first + tile})
		}
	}
	return seeds
}

// insertSeed inserts a tile into the seeds at its place in the order of their limits. If there are enough, the last one
// is dropped.
func (s *scratch) insertSeed(seeds []tilePlace, seed tilePlace) []tilePlace {
	at, _ := slices.BinarySearchFunc(seeds, s.limits[seed.number], func(t tilePlace, limit float32) int {
		return cmp.Compare(limit, s.limits[t.number])
	})
	return slices.Insert(seeds[:min(len(seeds), maxSeeds-1)], at, seed)
}

// searchSeed searches a tile before all others, unless those before it have shown that it has no hit.
func (s *scratch) searchSeed(p *plan, seed *tilePlace) {
	if s.limits[seed.number] >= s.needed(p) && s.openBlock(p, seed.x, seed.block) {
		s.filterTile(p, seed.x, seed.block, seed.tile)

		// Few scores are known, so that most documents remain. The best of them spare the others an exact score.
		slices.SortFunc(s.remaining[:s.remainingCount], func(a, b uint8) int { return cmp.Compare(s.bounds[b], s.bounds[a]) })
		s.scoreRemaining(p, seed.x, seed.block, seed.tile)
	}
	s.limits[seed.number] = noHit
}

// searchRest searches the tiles of a block whose bound exceeds the scores found so far.
func (s *scratch) searchRest(p *plan, b blockPlace) {
	x := b.x
	size := x.BlockSize(b.number)
	limits := s.limits[x.tileNumber(b.number, 0):][:segment.TilesFor(size)]
	left := 0
	for tile, limit := range limits {
		mayHit := limit != noHit && limit >= s.needed(p)
		if !mayHit || !s.reachableByMeaning(p, x, b.number, tile) {
			limits[tile] = noHit
			continue
		}
		left++
	}

	if left == 0 {
		return
	}
	s.openBlock(p, x, b.number)

	// With many tiles left, sums of the whole block are faster than those of each tile.
	if left > manyTiles {
		s.blockSummed = true
		s.addTerms(x, &s.lists, 0, size)
		s.addSkills(p, &s.lists, 0, size)
		s.markRequired(p, &s.lists, 0, size)
	}

	for tile, limit := range limits {
		// Scores found in earlier tiles exclude some of the later ones.
		if limit != noHit && limit >= s.needed(p) {
			s.filterTile(p, x, b.number, tile)
			s.scoreRemaining(p, x, b.number, tile)
		}
	}
}

// needed returns the sum that a document with all required skills needs to be among the best.
func (s *scratch) needed(p *plan) float32 {
	if score := s.best.minScore(); score != s.neededFor {
		s.neededFor = score
		s.neededSum = p.discount.needed(score)
	}
	return s.neededSum
}

// reachableByMeaning reports whether any document of a tile may be close enough to the brief in meaning to reach the
// scores found so far. The limit of the tile assumes the highest similarity.
func (s *scratch) reachableByMeaning(p *plan, x *partPlan, i, tile int) bool {
	m := p.meaning
	if m == nil {
		return true
	}
	number := x.tileNumber(i, tile)
	needed := s.needed(p)
	limit := s.limits[number]
	if p.discount.required != nil {
		needed = p.discount.raise(needed, s.tileCodes[number])
		limit = p.discount.raise(limit, s.tileCodes[number])
	}
	missing := needed - (limit - m.weight)
	if missing <= m.without || m.coarse.slope == 0 {
		return true
	}
	enough := int((missing + m.coarse.offset) / m.coarse.slope)
	first := tile * segment.TileSize
	end := min(first+segment.TileSize, x.BlockSize(i))
	return m.query.SignsReach(enough, &x.Blocks[i].Vectors[m.clause.Space], first, end)
}

// manyTiles is the number of tiles of a block from which it is faster to compute the sums of all its documents at once.
const manyTiles = segment.TilesPerBlock / 4

// fewRemaining is the number of documents for which cutting the lists takes longer than searching whole ones.
const fewRemaining = 2

// filterTile keeps the documents of a tile of the current block that may be among the best. It passes them through
// filters of increasing cost.
func (s *scratch) filterTile(p *plan, x *partPlan, i, tile int) {
	s.tileStart = tile * segment.TileSize
	size := min(segment.TileSize, x.BlockSize(i)-s.tileStart)
	s.cut = !s.blockSummed
	if s.cut {
		s.tile.cutToTile(&s.lists, tile)
		s.addTerms(x, &s.tile, s.tileStart, size)
		s.addSkills(p, &s.tile, s.tileStart, size)
		s.markRequired(p, &s.tile, s.tileStart, size)
	}
	if s.wordless[x.tileNumber(i, tile)] {
		s.keepAll(p, size)
	} else {
		s.filterByWords(p, x, size)
	}

	s.filterByBonus(p, x, i)
}

// scoreRemaining offers the documents that remain of a tile to the heap.
func (s *scratch) scoreRemaining(p *plan, x *partPlan, i, tile int) {
	// Words are found sooner in the parts of the lists, which were cut already unless the block was summed up.
	if s.blockSummed && s.remainingCount > fewRemaining {
		s.tile.cutToTile(&s.lists, tile)
		s.cut = true
	}
	for _, doc := range s.remaining[:s.remainingCount] {
		s.score(p, x, i, int(doc))
	}
}

// addTerms computes the text sums of size documents from the first on, whose postings are in the lists.
func (s *scratch) addTerms(x *partPlan, lists *blockLists, first, size int) {
	clear(s.text[first : first+size])
	for i, t := range x.terms {
		l := &lists.terms[i]
		impacts := l.Codes[:len(l.Docs)]
		for j, doc := range l.Docs {
			s.text[doc] += t.step * (uint32(impacts[j]) + 1)
		}
	}
}

// addSkills computes the skill sums of size documents from the first on: the credit for the evidence of the skill
// itself, or for Sibling if a document only has a skill of the same family. The bytes in has avoid a branch and bit
// operations, which take twice as long if many documents have the skill.
func (s *scratch) addSkills(p *plan, lists *blockLists, first, size int) {
	clear(s.skills[first : first+size])
	for i := range p.demands {
		skill := &lists.skills[i]
		family := &lists.families[i]
		credit := &p.credit[i]

		if len(skill.Docs)+len(family.Docs) == 0 {
			continue
		}
		clear(s.hasSkill[first : first+size])
		evidence := skill.Codes[:len(skill.Docs)]
		for j, doc := range skill.Docs {
			s.skills[doc] += credit[evidence[j]%evidenceCodes]
			s.hasSkill[doc] = 1
		}

		sibling := [2]float32{credit[matching.Sibling], 0}
		for _, doc := range family.Docs {
			s.skills[doc] += sibling[s.hasSkill[doc]%2]
		}
	}
}

// keepAll keeps the documents of a tile without words that pass the filter. The bound of the tile is already that of
// each document's words, so comparing their sums would drop none.
func (s *scratch) keepAll(p *plan, size int) {
	s.boundCodes(p)
	bound := -s.penalties[0]
	s.remainingCount = 0
	for doc := range size {
		if s.passing != nil && !s.passing.Has(s.tileStart+doc) {
			continue
		}
		s.bounds[doc] = bound
		s.remaining[s.remainingCount] = uint8(doc)
		s.remainingCount++
	}
}

// filterByWords keeps the documents that pass the filter and could become hits with the highest bonus.
func (s *scratch) filterByWords(p *plan, x *partPlan, size int) {
	const rounding = 1 + 4e-6 // more than that of textScore.bound, which decides
	minScore := s.needed(p) - x.bonus
	s.boundCodes(p)
	words := sieve.Words{
		Text:   (*[segment.TileSize]uint32)(s.text[s.tileStart:]),
		Skills: (*[segment.TileSize]float32)(s.skills[s.tileStart:]),
		Codes:  (*[segment.TileSize]uint16)(s.required[s.tileStart:]),
	}
	var found sieve.Set
	sieve.Filter(&found, &words, &sieve.Needs{
		Score:     minScore,
		Weight:    float32(p.text.weight) * rounding,
		Half:      float32(p.text.half),
		Stretch:   x.stretch,
		Penalties: s.penalties,
	})

	needsWord := !p.query.MatchAll && p.meaning == nil
	s.remainingCount = 0
	for doc := range found.All() {
		if doc >= size {
			break
		}
		bound := x.bound(&p.text, words.Text[doc]) + words.Skills[doc] - s.penalties[words.Codes[doc]]

		// The cheapest test comes first.
		if bound < minScore {
			continue
		}
		if s.passing != nil && !s.passing.Has(s.tileStart+doc) {
			continue
		}
		hasWord := words.Text[doc] > 0 || words.Skills[doc] > 0
		if needsWord && !hasWord {
			continue
		}

		s.bounds[doc] = bound
		s.remaining[s.remainingCount] = uint8(doc)
		s.remainingCount++
	}
}

// filterByBonus keeps the documents that could become hits by their signals and their similarity. What can be worth
// more comes first, because it drops more of them: signals if the brief has a budget, and similarity otherwise.
func (s *scratch) filterByBonus(p *plan, x *partPlan, i int) {
	if p.meaning == nil {
		s.filterBySignals(p, x, i, 0)
		return
	}

	signals := x.bonus - p.meaning.weight
	if signals > p.meaning.weight {
		s.filterBySignals(p, x, i, p.meaning.weight)
		signals = 0
	}
	s.filterByCoarseEstimate(p, x, i, signals)
	s.filterByFineEstimate(p, x, i, signals)
	if signals > 0 {
		s.filterBySignals(p, x, i, 0)
	}
}

// filterBySignals keeps the documents that could become hits with the highest fit and quality of their classes and what
// is added later, and adds the former to their bounds.
func (s *scratch) filterBySignals(p *plan, x *partPlan, i int, later float32) {
	first := i*segment.BlockSize + s.tileStart
	minScore := s.needed(p) - later
	n := 0
	for _, doc := range s.remaining[:s.remainingCount] {
		s.bounds[doc] += x.fit.At(x.Fit.Of[first+int(doc)]) + x.quality.At(x.Quality.Of[first+int(doc)])
		s.remaining[n] = doc
		n += above(s.bounds[doc], minScore)
	}
	s.remainingCount = n
}

// score offers a document of the current tile to the heap with its exact score. It adds up the parts of the score from
// the cheapest to compute to the most expensive, and stops when the bounds of the missing parts show that the document
// isn't among the best.
func (s *scratch) score(p *plan, x *partPlan, block, inTile int) {
	needed := s.needed(p)
	if s.bounds[inTile] < needed { // documents scored since the last filter have raised it
		return
	}

	inBlock := s.tileStart + inTile
	inPart := block*segment.BlockSize + inBlock
	text := s.text[inBlock]
	skills := s.skills[inBlock]
	hasWord := text > 0 || skills > 0

	sum := 0.0
	cosine := 0.0
	if m := p.meaning; m != nil {
		cosine = m.cosine(&x.Blocks[block].Vectors[m.clause.Space], inBlock)
		closeness := m.clause.Closeness(cosine)
		isHit := hasWord || p.query.MatchAll || closeness > m.clause.Hit
		if !isHit {
			return
		}
		sum += m.clause.Weight * closeness
	}
	sum = x.addSignals(sum, p.query, inPart)

	// A document that loses a share of its score needs a higher sum.
	code := s.required[inBlock]
	if float32(sum)+x.bound(&p.text, text)+skills < p.discount.raise(needed, code) {
		return
	}

	lists := &s.lists
	if s.cut {
		lists = &s.tile
	}
	for i, demand := range p.demands {
		evidence := cmp.Or(lists.skills[i].Code(uint16(inBlock)), lists.families[i].Code(uint16(inBlock)))
		sum += p.query.Skills[demand[0]].Weight * p.query.Credit[evidence]
	}
	words := p.exactText(x, lists, inPart)
	sum += p.text.at(words / p.unit)

	s.best.offer(candidate{
		score:  p.discount.score(sum, code),
		place:  placeOf(x.number, inPart),
		id:     x.ID(uint32(inPart)),
		words:  words,
		cosine: cosine,
	})
}

// addSignals adds the fit and the quality of a document to the sum of the other parts of its score.
func (p *partPlan) addSignals(sum float64, q *engine.Query, doc int) float64 {
	if q.Fit == nil && q.Quality == nil {
		return sum
	}
	signals := p.Signals.At(doc)
	if q.Fit != nil {
		sum += q.Fit(signals, p.Schedules.At(doc))
	}
	if q.Quality != nil {
		sum += q.Quality(signals)
	}
	return sum
}
