package search

import (
	"context"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/bitmap"
	"github.com/freelancer-matching/service/engine/embedded/segment"
)

// A filter is engine.Filters for one part, with every condition evaluated.
type filter struct {
	x          *segment.Part
	ids        bool         // only documents of include pass
	include    []uint32     // documents of Filters.IDs, ascending
	exclude    []uint32     // documents of Filters.ExcludeIDs, ascending
	conditions []bitmap.Set // the documents that meet each of the other conditions
}

// newFilter returns a filter. of holds the clauses of f.
func newFilter(p *segment.Part, f *engine.Filters, of []segment.Clause) *filter {
	c := &filter{x: p, ids: f.IDs != nil, include: p.Find(f.IDs), exclude: p.Find(f.ExcludeIDs)}
	if c.ids && len(c.include) == 0 {
		return c // no document can pass
	}
	for i := range of {
		c.conditions = append(c.conditions, p.Matching(&of[i]))
	}
	return c
}

// within returns those of the ascending documents that are in block i.
func within(docs []uint32, i int) []uint32 {
	from, _ := slices.BinarySearch(docs, uint32(i*segment.BlockSize))
	to, _ := slices.BinarySearch(docs[from:], uint32((i+1)*segment.BlockSize))
	return docs[from : from+to]
}

// passingIn prepares block i. It returns the documents that pass, or nil if all do, and reports whether any document
// may pass. The result uses memory.
func (c *filter) passingIn(i int, memory *[segment.BlockSize / 64]uint64) (passing bitmap.Set, any bool) {
	dead := c.x.Dead[i]
	size := c.x.BlockSize(i)
	exclude := within(c.exclude, i)
	unfiltered := !c.ids && len(c.conditions) == 0
	if unfiltered && len(exclude) == 0 && dead == nil {
		return nil, true
	}

	passing = memory[:bitmap.Words(size)]
	met := c.conditions
	first := i * segment.BlockSize / 64

	switch {
	case c.ids:
		include := within(c.include, i)
		if len(include) == 0 {
			return nil, false
		}
		clear(passing)

		for _, doc := range include {
			passing.Add(int(doc % segment.BlockSize))
		}

	case len(met) > 0:
		// The bitmaps of conditions are cached and shared, so the result starts as a copy.
		copy(passing, met[0][first:])
		met = met[1:]
	default:
		passing.Fill(size)
	}

	for _, m := range met {
		passing.And(m[first:])
	}
	passing.AndNot(dead)

	for _, doc := range exclude {
		passing.Remove(int(doc % segment.BlockSize))
	}

	// A block without any document that passes is not searched at all.
	for _, word := range passing {
		if word != 0 {
			return passing, true
		}
	}

	return nil, false
}

// count returns the number of documents that pass.
func (c *filter) count(memory *[segment.BlockSize / 64]uint64) int {
	if !c.ids && len(c.conditions) == 0 {
		n := c.x.Alive
		for _, doc := range c.exclude {
			if c.x.Current(doc) {
				n--
			}
		}
		return n
	}

	// The documents of a single condition are counted in the cached bitmap, without a copy.
	single := !c.ids && len(c.conditions) == 1 && len(c.exclude) == 0
	n := 0
	for i := range c.x.Blocks {
		if first := i * segment.BlockSize / 64; single {
			n += c.conditions[0][first:][:bitmap.Words(c.x.BlockSize(i))].CountWithout(c.x.Dead[i])
		} else if passing, any := c.passingIn(i, memory); any {
			n += passing.Count() // not nil, because there are conditions
		}
	}
	return n
}

// Count implements engine.Snapshot.
func (v Snapshot) Count(ctx context.Context, f engine.Filters) (_ int, err error) {
	defer v.Guard(&err)()
	counts, err := v.CountEach(ctx, []engine.Filters{f})
	if err != nil {
		return 0, err
	}
	return counts[0], nil
}

// CountEach implements engine.Snapshot.
func (v Snapshot) CountEach(ctx context.Context, filters []engine.Filters) (_ []int, err error) {
	defer v.Guard(&err)()
	s := v.borrow()
	defer v.giveBack(s)
	counts := make([]int, len(filters))
	for i, f := range filters {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		of := segment.Clauses(&f)
		isOfSkills := segment.AskForSkills(of) && f.IDs == nil && len(f.ExcludeIDs) == 0
		for _, x := range v.Parts {
			if isOfSkills {
				counts[i] += x.CountWithSkills(of)
				continue
			}
			counts[i] += newFilter(x, &f, of).count(&s.allowed)
		}
	}
	return counts, ctx.Err()
}

// CountUnknown implements engine.Snapshot.
func (v Snapshot) CountUnknown(ctx context.Context, f engine.Filters) (_ int, err error) {
	defer v.Guard(&err)()
	count := 0
	of := segment.UnknownClauses(&f)
	for _, x := range v.Parts {
		lacking := make(bitmap.Set, bitmap.Words(len(x.Lengths)))
		for i := range of {
			lacking.Or(x.Matching(&of[i]))
		}
		for i := range x.Blocks {
			count += lacking[i*segment.BlockSize/64:][:bitmap.Words(x.BlockSize(i))].CountWithout(x.Dead[i])
		}
	}
	return count, ctx.Err()
}
