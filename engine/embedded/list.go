package embedded

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"freelancer-matching/engine"
)

// An idOrder holds the documents of an index in the byte order of their ids. It is built when it is first needed, which
// takes about a second for a million documents.
type idOrder struct {
	once sync.Once
	docs []uint32
}

// ordered returns the current documents in the byte order of their ids.
func (x *segment) ordered() []uint32 {
	x.order.once.Do(func() {
		docs := slices.Clone(x.docOf)
		slices.SortFunc(docs, func(a, b uint32) int { return bytes.Compare(x.id(a), x.id(b)) })
		x.order.docs = docs
	})
	return x.order.docs
}

// List implements engine.Snapshot. Each part lists its first ids; the first of these together are the result.
func (v *view) List(ctx context.Context, f engine.Filters, after string, limit int) ([]string, error) {
	ids := []string{}
	for _, x := range v.parts {
		of, err := x.list(ctx, x.newFilter(f), after, limit)
		if err != nil {
			return nil, err
		}
		ids = append(ids, of...)
	}
	if len(v.parts) > 1 {
		slices.Sort(ids)
		ids = ids[:min(len(ids), max(0, limit))]
	}
	return ids, ctx.Err()
}

func (x *part) list(ctx context.Context, c *filter, after string, limit int) (ids []string, err error) {
	if c.none || limit <= 0 {
		return nil, nil
	}
	docs := x.ordered()
	from, found := slices.BinarySearchFunc(docs, after, func(doc uint32, after string) int {
		return bytes.Compare(x.id(doc), []byte(after))
	})
	if found {
		from++
	}
	type prepared struct{ passing, memory *bitmap }
	blocks := make([]prepared, len(x.blocks)) // those that were needed
	var holders bitmap
	for _, doc := range docs[from:] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		i := int(doc / blockSize)
		b := &blocks[i]
		if b.memory == nil {
			b.memory = new(bitmap)
			var any bool
			if b.passing, any = c.start(i, b.memory, &holders); !any {
				b.passing = new(bitmap)
			}
		}
		if !c.pass(i, uint16(doc%blockSize), b.passing) {
			continue
		}
		if ids = append(ids, string(x.id(doc))); len(ids) == limit {
			break
		}
	}
	return ids, nil
}
