package search

import (
	"bytes"
	"context"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/bitmap"
	"github.com/freelancer-matching/service/engine/embedded/segment"
)

// List implements engine.Snapshot. Each part lists its first ids; the first of these together are the result.
func (v Snapshot) List(ctx context.Context, f engine.Filters, after string, limit int) (_ []string, err error) {
	defer v.Guard(&err)()
	ids := []string{}
	if limit <= 0 {
		return ids, ctx.Err()
	}
	of := segment.Clauses(&f)
	for _, x := range v.Parts {
		found, err := newFilter(x, &f, of).list(ctx, after, limit)
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	if len(v.Parts) > 1 {
		slices.Sort(ids)
		ids = ids[:min(len(ids), limit)]
	}
	return ids, ctx.Err()
}

// fewListed is the number of documents up to which it is faster to sort the ids of all than to go through those of the
// segment in order.
const fewListed = 1 << 12

// list returns the first limit ids after a given one.
func (c *filter) list(ctx context.Context, after string, limit int) (ids []string, err error) {
	x := c.x
	passing := make(bitmap.Set, bitmap.Words(len(x.Lengths)))
	for i := range x.Blocks {
		memory := new([segment.BlockSize / 64]uint64)
		of, any := c.passingIn(i, memory)
		if any && of == nil {
			of = memory[:bitmap.Words(x.BlockSize(i))]
			of.Fill(x.BlockSize(i))
		}

		if any {
			copy(passing[i*segment.BlockSize/64:], of)
		}
	}

	// Few documents are sorted by themselves, because ordering all of a million takes a second.
	if passing.Count() <= fewListed {
		for doc := range passing.All() {
			if id := x.ID(uint32(doc)); string(id) > after {
				ids = append(ids, string(id))
			}
		}

		slices.Sort(ids)
		return ids[:min(len(ids), limit)], ctx.Err()
	}

	docs := x.Ordered()
	from, found := slices.BinarySearchFunc(docs, after, func(doc uint32, after string) int {
		return bytes.Compare(x.ID(doc), []byte(after))
	})
	if found {
		from++
	}

	for _, doc := range docs[from:] {
		if passing.Has(int(doc)) {
			if ids = append(ids, string(x.ID(doc))); len(ids) == limit {
				break
			}
		}
	}

	return ids, ctx.Err()
}
