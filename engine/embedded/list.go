package embedded

import (
	"bytes"
	"context"
	"slices"

	"freelancer-matching/engine"
	"freelancer-matching/engine/embedded/bitmap"
)

// List implements engine.Snapshot. Each part lists its first ids; the first of these together are the result.
func (v snapshot) List(ctx context.Context, f engine.Filters, after string, limit int) (_ []string, err error) {
	defer v.guard(&err)()
	ids := []string{}
	if limit <= 0 {
		return ids, ctx.Err()
	}
	of := clauses(&f)
	for _, x := range v.parts {
		found, err := newFilter(x, &f, of).list(ctx, after, limit)
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	if len(v.parts) > 1 {
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
	passing := make(bitmap.Set, bitmap.Words(len(x.lengths)))
	for i := range x.blocks {
		memory := new([blockSize / 64]uint64)
		of, any := c.start(i, memory)
		if any && of == nil {
			of = memory[:bitmap.Words(x.blockSize(i))]
			of.Fill(x.blockSize(i))
		}

		if any {
			copy(passing[i*blockSize/64:], of)
		}
	}

	if passing.Count() <= fewListed {
		for doc := range passing.All() {
			if id := x.id(uint32(doc)); string(id) > after {
				ids = append(ids, string(id))
			}
		}

		slices.Sort(ids)
		return ids[:min(len(ids), limit)], ctx.Err()
	}

	docs := x.ordered()
	from, found := slices.BinarySearchFunc(docs, after, func(doc uint32, after string) int {
		return bytes.Compare(x.id(doc), []byte(after))
	})
	if found {
		from++
	}

	for _, doc := range docs[from:] {
		if passing.Has(int(doc)) {
			if ids = append(ids, string(x.id(doc))); len(ids) == limit {
				break
			}
		}
	}

	return ids, ctx.Err()
}
