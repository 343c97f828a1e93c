package segment

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/engine/embedded/embeddedtest"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/engine/embedded/vector"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

const storedFile = "index.bin"

// stored returns the index file of five documents.
func stored(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(storedIn(t, t.TempDir(), 5))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// storedIn writes an index file with the given number of documents, and returns its path.
func storedIn(t testing.TB, dir string, documents int) string {
	t.Helper()
	w, err := NewIndexWriter(dir, embeddedtest.Spaces())
	if err != nil {
		t.Fatal(err)
	}
	for i := range documents {
		if err := w.Add(embeddedtest.Document(i), Location{Offset: uint64(10 * i), Length: 10}); err != nil {
			t.Fatal(err)
		}
	}

	if err := w.Collect(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, storedFile)
	if _, err := w.Write(t.Context(), path, mappings.BM25{K1: 1.2, B: .75}); err != nil {
		t.Fatal(err)
	}
	return path
}

func decodeBytes(b []byte) (*Segment, error) { return decodeWith(b, embeddedtest.Spaces()) }

func decodeWith(b []byte, spaces []matching.VectorSpace) (*Segment, error) {
	return Decode(sectionfile.ReadSections(bytes.NewReader(b), storedFile, int64(len(b))), spaces, 5)
}

func TestDecode_Damage(t *testing.T) {
	intact := stored(t)
	if _, err := decodeBytes(intact); err != nil {
		t.Fatal(err)
	}
	step := 1

	if testing.Short() {
		step = 10
	}

	for size := 0; size < len(intact); size += step {
		if _, err := decodeBytes(intact[:size]); err == nil || !strings.Contains(err.Error(), storedFile) {
			t.Fatalf("truncated to %d bytes: error %v, want one that names the file", size, err)
		}
	}

	for i := 0; i < len(intact); i += step {
		for _, flip := range []byte{1, 0x80} {
			b := bytes.Clone(intact)
			b[i] ^= flip
			if _, err := decodeBytes(b); err == nil {
				t.Fatalf("byte %d flipped: no error", i)
			}
		}
	}

	if _, err := decodeBytes(append(bytes.Clone(intact), 0)); err == nil {
		t.Error("extra byte: no error")
	}
}

func TestDecode_NamesTheSection(t *testing.T) {
	intact := stored(t)
	want := `index.bin: section "signals rating": the file is damaged`
	for at := 0; at < len(intact); at += 64 { // sections are aligned
		b := bytes.Clone(intact)
		b[at] ^= 1
		if _, err := decodeBytes(b); err != nil && strings.Contains(err.Error(), want) {
			return
		}
	}
	t.Errorf("no damage has an error that contains %q", want)
}

// Sections with valid checksums may still contradict each other.
func TestCheck(t *testing.T) {
	terms := func(x *Segment) *Postings { return &x.Blocks[0].Postings[OfTerms] }
	intact := stored(t)
	for name, damage := range map[string]func(*Segment){
		"short column":                    func(x *Segment) { x.Signals.Sales = x.Signals.Sales[1:] },
		"unknown class":                   func(x *Segment) { x.Fit.Of[2] = 9999 },
		"document without class":          func(x *Segment) { x.Quality.Of = x.Quality.Of[1:] },
		"name ends before its start":      func(x *Segment) { x.Names[OfTerms].ends[1] = 0 },
		"names end after the text":        func(x *Segment) { s := &x.Names[OfSkills]; s.text = s.text[1:] },
		"id without document":             func(x *Segment) { x.DocOf = x.DocOf[1:] },
		"id of a missing document":        func(x *Segment) { x.DocOf[0] = 5 },
		"wrong number of ids":             func(x *Segment) { x.DocOf, x.IDs.ends = x.DocOf[:4], x.IDs.ends[:4] },
		"missing record":                  func(x *Segment) { x.Records.sums = x.Records.sums[1:] },
		"descending starts":               func(x *Segment) { terms(x).starts[1] = 100 },
		"missing key":                     func(x *Segment) { terms(x).keys = terms(x).keys[1:] },
		"no postings":                     func(x *Segment) { x.Blocks[0].Postings[OfSkills] = Postings{} },
		"missing code":                    func(x *Segment) { terms(x).codes = terms(x).codes[1:] },
		"posting of a missing term":       func(x *Segment) { terms(x).keys[len(terms(x).keys)-1] = 9999 },
		"keys in another order":           func(x *Segment) { terms(x).keys[0] = terms(x).keys[2] },
		"posting of a missing document":   func(x *Segment) { x.Blocks[0].Postings[OfFamilies].docs[0] = 5 },
		"short vector":                    func(x *Segment) { v := &x.Blocks[0].Vectors[0]; v.Values = v.Values[1:] },
		"vector without square":           func(x *Segment) { x.Blocks[0].Vectors[1].Squares = nil },
		"job title ends before its start": func(x *Segment) { x.Names[OfJobTitles].ends[1] = 0 },
		"undefined evidence": func(x *Segment) {
			x.Blocks[0].Postings[OfSkills].codes[0] = uint8(matching.Listed) + 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			x, err := decodeBytes(intact)
			if err != nil {
				t.Fatal(err)
			}
			damage(x)

			if x.checkShape(vector.NewRotations(embeddedtest.Spaces()), 5) == nil && x.CheckContent() == nil {
				t.Error("no error")
			}
		})
	}
}

func TestDecode_WrongSpaces(t *testing.T) {
	intact := stored(t)
	for name, spaces := range map[string][]matching.VectorSpace{
		"none":             nil,
		"one too few":      embeddedtest.Spaces()[:1],
		"one too many":     append(embeddedtest.Spaces(), matching.VectorSpace{Dimensions: 1}),
		"other dimensions": {{Dimensions: 4}, {Dimensions: 70}},
		"no dimensions":    {{Dimensions: 3}, {Dimensions: 0}},
		"negative":         {{Dimensions: -3}, {Dimensions: 70}},
		"huge":             {{Dimensions: 3}, {Dimensions: math.MaxInt}},
	} {
		_, err := decodeWith(intact, spaces)
		if err == nil || !strings.Contains(err.Error(), storedFile) {
			t.Errorf("%s: error %v, want one that names the file", name, err)
		}
	}
}

// TestNames_Find adds enough names to make the table grow several times.
func TestNames_Find(t *testing.T) {
	var n Names
	want := map[string]uint32{}
	for i := range uint32(5_000) {
		name := strings.Repeat("x", int(i%13)) + string(rune('a'+i%26)) + strings.Repeat("y", int(i/26))
		if _, ok := n.Find(name); ok != (want[name] != 0) {
			t.Fatalf("find %q: %v", name, ok)
		}
		number, added := n.add(name)
		if before, ok := want[name]; ok == added || ok && number != before-1 {
			t.Fatalf("add %q: %d, %v; want %d", name, number, added, before-1)
		}

		want[name] = number + 1
		if string(n.At(number)) != name {
			t.Fatalf("at %d = %q, want %q", number, n.At(number), name)
		}
	}

	n.index()
	for name, number := range want {
		if got, ok := n.Find(name); !ok || got != number-1 {
			t.Fatalf("find %q = %d, %v; want %d", name, got, ok, number-1)
		}
	}
}
