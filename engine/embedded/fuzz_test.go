package embedded

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"freelancer-matching/engine"
	"freelancer-matching/engine/embedded/sectionfile"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

// FuzzDecode checks that arbitrary bytes either fail to decode or result in an index that can be searched.
func FuzzDecode(f *testing.F) {
	intact := storedIndex(f)
	f.Add(intact)
	f.Add(intact[:len(intact)/2])
	f.Add(intact[:8])
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := decode(sectionfile.ReadSections(bytes.NewReader(b), "index.bin", int64(len(b))), smallSpaces(), 5)
		if err != nil {
			return
		}

		q := &engine.Query{
			Terms:  []engine.Term{{Text: "every", Weight: 1, Reference: true}},
			Skills: []engine.SkillClause{{ID: "skill-1", Family: "family", Weight: 1}},
			Size:   3, MatchAll: true,
		}

		v := newView(engine.Info{Vectors: smallSpaces()}, x)
		for space, s := range smallSpaces() {
			vector := make(matching.Vector, s.Dimensions)
			vector[0] = 1
			q.Semantic = &engine.SemanticClause{Space: space, Vector: vector, Weight: 1, Ceiling: 1}
			if _, err := (snapshot{view: v}).Search(t.Context(), q); err != nil {
				t.Error(err)
			}
		}
	})
}

// storedIndex returns the index file of five documents.
func storedIndex(f *testing.F) []byte {
	f.Helper()
	dir := f.TempDir()
	w, err := newIndexWriter(dir, smallSpaces())
	if err != nil {
		f.Fatal(err)
	}
	for i := range 5 {
		if err := w.add(small(i), location{}); err != nil {
			f.Fatal(err)
		}
	}

	if err := w.collect(); err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(dir, "index.bin")
	if _, err := w.write(context.Background(), path, mappings.BM25{K1: 1.2, B: .75}); err != nil {
		f.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	return b
}
