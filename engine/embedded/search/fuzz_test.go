package search

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/embeddedtest"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/engine/embedded/view"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// FuzzDecode checks that arbitrary bytes either fail to decode or result in an index that can be searched.
func FuzzDecode(f *testing.F) {
	intact := storedIndex(f)
	f.Add(intact)
	f.Add(intact[:len(intact)/2])
	f.Add(intact[:8])
	f.Fuzz(func(t *testing.T, b []byte) {
		sections := sectionfile.ReadSections(bytes.NewReader(b), "index.bin", int64(len(b)))
		x, err := segment.Decode(sections, embeddedtest.Spaces(), 5)
		if err != nil {
			return
		}

		q := &engine.Query{
			Terms:  []engine.Term{{Text: "every", Weight: 1, Reference: true}},
			Skills: []engine.SkillClause{{ID: "skill-1", Family: "family", Weight: 1}},
			Size:   3, MatchAll: true,
		}

		v := view.NewView(engine.Info{Vectors: embeddedtest.Spaces()}, x)
		for space, s := range embeddedtest.Spaces() {
			vector := make(matching.Vector, s.Dimensions)
			vector[0] = 1
			q.Semantic = &engine.SemanticClause{Space: space, Vector: vector, Weight: 1, Ceiling: 1}
			if _, err := (Snapshot{View: v}).Search(t.Context(), q); err != nil {
				t.Error(err)
			}
		}
	})
}

// storedIndex returns the index file of five documents.
func storedIndex(f testing.TB) []byte {
	f.Helper()
	dir := f.TempDir()
	w, err := segment.NewIndexWriter(dir, embeddedtest.Spaces())
	if err != nil {
		f.Fatal(err)
	}
	for i := range 5 {
		if err := w.Add(embeddedtest.Document(i), segment.Location{}); err != nil {
			f.Fatal(err)
		}
	}

	if err := w.Collect(); err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(dir, "index.bin")
	if _, err := w.Write(context.Background(), path, mappings.BM25{K1: 1.2, B: .75}); err != nil {
		f.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	return b
}
