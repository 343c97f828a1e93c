package segment

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A union is searched by tile like the list of one key.
func TestUnion(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var lists [2]List
		codes := map[uint16]uint8{}
		for i := range lists {
			l := &lists[i]
			for doc := range uint16(8 * TileSize) {
				if rng.IntN(1+rng.IntN(100)) == 0 {
					l.Docs = append(l.Docs, doc)
					l.Codes = append(l.Codes, uint8(1+rng.IntN(5)))
					codes[doc] = max(codes[doc], l.Codes[len(l.Codes)-1])
				}
			}
		}

		union := Union(lists[0], lists[1])
		got := map[uint16]uint8{}
		for tile := range 8 {
			l := union.InTile(tile)
			for i, doc := range l.Docs {
				got[doc] = l.Codes[i]
			}
		}
		if diff := cmp.Diff(codes, got); diff != "" || !slices.IsSorted(union.Docs) {
			t.Fatalf("documents and codes (-want +got):\n%s", diff)
		}
		if hasDirectory := len(union.Tiles) > 0; hasDirectory != (len(union.Docs) > ShortList) {
			t.Fatalf("a list of %d documents has the directory %v", len(union.Docs), union.Tiles)
		}
	}
}
