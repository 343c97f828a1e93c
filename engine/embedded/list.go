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

// id returns the id of a current document.
func (x *segment) id(doc uint32) []byte { return x.ids.at(x.idOf[doc]) }

// List implements engine.Snapshot.
func (x *segment) List(ctx context.Context, f engine.Filters, after string, limit int) ([]string, error) {
	ids := []string{}
	c := x.newFilter(f)
	if c.none || limit <= 0 {
		return ids, ctx.Err()
	}
	docs := x.ordered()
	from, found := slices.BinarySearchFunc(docs, after, func(doc uint32, after string) int {
		return bytes.Compare(x.id(doc), []byte(after))
	})
	if found {
		from++
	}
	allowed := make([]*bitmap, len(x.blocks)) // those that were needed
	var holders bitmap
	for _, doc := range docs[from:] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		i := int(doc / blockSize)
		if allowed[i] == nil {
			allowed[i] = new(bitmap)
			if !c.start(i, allowed[i], &holders) {
				clear(allowed[i][:])
			}
		}
		if !c.pass(i, uint16(doc%blockSize), allowed[i]) {
			continue
		}
		if ids = append(ids, string(x.id(doc))); len(ids) == limit {
			break
		}
	}
	return ids, nil
}
