package embedded

import (
	"context"
	"math"
	"slices"

	"freelancer-matching/engine"
)

// A bitmap is a set of documents of one block.
type bitmap [blockSize / 64]uint64

func (m *bitmap) set(doc uint16)   { m[doc/64] |= 1 << (doc % 64) }
func (m *bitmap) clear(doc uint16) { m[doc/64] &^= 1 << (doc % 64) }

// fill makes m the set of the first n documents.
func (m *bitmap) fill(n int) {
	clear(m[:])
	for word := range m[:n/64] {
		m[word] = math.MaxUint64
	}
	if rest := n % 64; rest > 0 {
		m[n/64] = 1<<rest - 1
	}
}

func (m *bitmap) has(doc uint16) bool { return m[doc/64]&(1<<(doc%64)) != 0 }

// and removes the documents that other lacks.
func (m *bitmap) and(other *bitmap) {
	for i := range m {
		m[i] &= other[i]
	}
}

// A filter is engine.Filters with every name looked up. Conditions on ids and skills are evaluated into a bitmap for
// each block; those on signals are checked last, for the few documents that could be hits.
type filter struct {
	x        *part
	f        engine.Filters
	none     bool       // no document can pass
	include  []uint32   // documents of f.IDs, ascending
	exclude  []uint32   // documents of f.ExcludeIDs, ascending
	mustHave []uint32   // numbers of skills
	labels   [][]uint32 // numbers of labels, for each set
	by       int32      // f.AvailableBy
	bitmaps  bool       // there are conditions on ids, skills or labels
	signals  bool       // there are conditions on signals or the available-from day
}

func (x *part) newFilter(f engine.Filters) *filter {
	c := &filter{x: x, f: f, include: x.documents(f.IDs), exclude: x.documents(f.ExcludeIDs)}
	c.none = f.IDs != nil && len(c.include) == 0
	for _, skill := range f.MustHave {
		number, ok := x.names[ofSkills].find(skill)
		if !ok {
			c.none = true
		}
		c.mustHave = append(c.mustHave, number)
	}
	for _, set := range f.Labels {
		numbers := x.labelNumbers(set)
		c.none = c.none || len(numbers) == 0
		c.labels = append(c.labels, numbers)
	}
	c.bitmaps = f.IDs != nil || len(c.exclude) > 0 || len(c.mustHave)+len(c.labels) > 0
	c.signals = f.Available.Known || f.MinRating.Known || f.MinExperience.Known || f.MaxHourlyRate.Known ||
		f.RateLimit.Known || f.AvailableBy.Known
	c.by = dayOf(f.AvailableBy)
	return c
}

// labelNumbers returns the numbers of the known labels of a set.
func (x *segment) labelNumbers(set []string) []uint32 {
	var numbers []uint32
	for _, label := range set {
		if number, ok := x.names[ofLabels].find(label); ok {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

// documents returns the distinct documents with the given ids, ascending. It skips unknown ids.
func (x *segment) documents(ids []string) []uint32 {
	var docs []uint32
	for _, id := range ids {
		if number, ok := x.ids.find(id); ok {
			docs = append(docs, x.docOf[number])
		}
	}
	slices.Sort(docs)
	return slices.Compact(docs)
}

// within returns those of the ascending documents that are in block i.
func within(docs []uint32, i int) []uint32 {
	from, _ := slices.BinarySearch(docs, uint32(i*blockSize))
	to, _ := slices.BinarySearch(docs[from:], uint32((i+1)*blockSize))
	return docs[from : from+to]
}

// start prepares block i. It returns the documents that meet the conditions on ids and skills, or nil if all do, and
// reports whether any document of the block may pass. The result uses allowed; holders is scratch space.
func (c *filter) start(i int, allowed, holders *bitmap) (passing *bitmap, any bool) {
	dead := c.x.dead[i]
	switch {
	case c.none:
		return nil, false
	case !c.bitmaps && dead == nil:
		return nil, true
	case c.f.IDs != nil:
		include := within(c.include, i)
		clear(allowed[:])
		for _, doc := range include {
			allowed.set(uint16(doc))
		}
		if len(include) == 0 {
			return nil, false
		}
	default:
		allowed.fill(c.x.blockSize(i))
	}
	for word, gone := range dead {
		allowed[word] &^= gone
	}
	for _, doc := range within(c.exclude, i) {
		allowed.clear(uint16(doc))
	}
	for _, skill := range c.mustHave {
		clear(holders[:])
		for _, doc := range c.x.blocks[i].postings[ofSkills].find(skill).docs {
			holders.set(doc)
		}
		allowed.and(holders)
	}
	for _, set := range c.labels {
		clear(holders[:])
		c.x.addHolders(i, set, holders)
		allowed.and(holders)
	}
	return allowed, true
}

// addHolders adds the documents of block i that have one of the labels.
func (x *segment) addHolders(i int, labels []uint32, to *bitmap) {
	for _, label := range labels {
		for _, doc := range x.blocks[i].postings[ofLabels].find(label).docs {
			to.set(doc)
		}
	}
}

// pass reports whether a document of block i passes. passing is what start returned for the block.
func (c *filter) pass(i int, doc uint16, passing *bitmap) bool {
	if passing != nil && !passing.has(doc) {
		return false
	}
	if !c.signals {
		return true
	}
	d, s, f := i*blockSize+int(doc), &c.x.signals, &c.f
	switch { // an unknown value is NaN, for which every comparison is false
	case f.MinRating.Known && !(s.rating[d] >= f.MinRating.Value),
		f.MinExperience.Known && !(s.experience[d] >= f.MinExperience.Value),
		f.MaxHourlyRate.Known && !(s.rate[d] <= f.MaxHourlyRate.Value),
		f.RateLimit.Known && !(s.rate[d] <= f.RateLimit.Value.Max(known(s.experience[d]))),
		f.AvailableBy.Known && (c.x.from[d] > c.by || c.x.from[d] == unknownDay):
		return false
	case f.Available.Known:
		return s.availability[d] != availabilityUnknown && (s.availability[d] == available) == f.Available.Value
	default:
		return true
	}
}

// Count implements engine.Snapshot.
func (v *view) Count(ctx context.Context, f engine.Filters) (int, error) {
	s := v.shared.scratch.Get().(*scratch)
	defer v.shared.scratch.Put(s)
	total := 0
	for _, x := range v.parts {
		n, err := x.count(ctx, x.newFilter(f), s)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, ctx.Err()
}

// count returns the number of documents that pass a filter.
func (x *part) count(ctx context.Context, c *filter, s *scratch) (int, error) {
	if !c.bitmaps && !c.signals {
		return x.alive, nil
	}
	count := 0
	for i := range x.blocks {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		passing, any := c.start(i, &s.allowed, &s.holders)
		if !any {
			continue
		}
		for doc := range x.blockSize(i) {
			if c.pass(i, uint16(doc), passing) {
				count++
			}
		}
	}
	return count, nil
}

// CountEach implements engine.Snapshot.
func (v *view) CountEach(ctx context.Context, filters []engine.Filters) ([]int, error) {
	counts := make([]int, len(filters))
	for i, f := range filters {
		var err error
		if counts[i], err = v.Count(ctx, f); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// CountUnknown implements engine.Snapshot.
func (v *view) CountUnknown(ctx context.Context, f engine.Filters) (int, error) {
	count := 0
	for _, x := range v.parts {
		s := &x.signals
		lacking := make([]bitmap, len(x.blocks)) // the documents whose label says that a value is unknown
		for i := range lacking {
			for _, set := range f.Labels {
				x.addHolders(i, x.labelNumbers(engine.UnknownLabels(set)), &lacking[i])
			}
		}
		for doc := range x.lengths {
			if !x.current(uint32(doc)) {
				continue
			}
			switch {
			case f.MinRating.Known && s.rating[doc] != s.rating[doc], // NaN
				f.MinExperience.Known && s.experience[doc] != s.experience[doc],
				(f.MaxHourlyRate.Known || f.RateLimit.Known) && s.rate[doc] != s.rate[doc],
				f.AvailableBy.Known && x.from[doc] == unknownDay,
				lacking[doc/blockSize].has(uint16(doc % blockSize)),
				f.Available.Known && s.availability[doc] == availabilityUnknown:
				count++
			}
		}
	}
	return count, ctx.Err()
}
