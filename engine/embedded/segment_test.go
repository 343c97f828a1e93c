package embedded

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"freelancer-matching/engine/embedded/sectionfile"
	"freelancer-matching/engine/embedded/vector"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
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
	w, err := newIndexWriter(dir, smallSpaces())
	if err != nil {
		t.Fatal(err)
	}
	for i := range documents {
		if err := w.add(small(i), location{offset: uint64(10 * i), length: 10}); err != nil {
			t.Fatal(err)
		}
	}

	if err := w.collect(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, storedFile)
	if _, err := w.write(t.Context(), path, mappings.BM25{K1: 1.2, B: .75}); err != nil {
		t.Fatal(err)
	}
	return path
}

func decodeBytes(b []byte) (*segment, error) { return decodeWith(b, smallSpaces()) }

func decodeWith(b []byte, spaces []matching.VectorSpace) (*segment, error) {
	return decode(sectionfile.ReadSections(bytes.NewReader(b), storedFile, int64(len(b))), spaces, 5)
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
	terms := func(x *segment) *postings { return &x.blocks[0].postings[ofTerms] }
	intact := stored(t)
	for name, damage := range map[string]func(*segment){
		"short column":                    func(x *segment) { x.signals.sales = x.signals.sales[1:] },
		"unknown class":                   func(x *segment) { x.fit.of[2] = 9999 },
		"document without class":          func(x *segment) { x.quality.of = x.quality.of[1:] },
		"class that can't exist":          func(x *segment) { x.quality.table.keys[0][1] = 9999 },
		"name ends before its start":      func(x *segment) { x.names[ofTerms].ends[1] = 0 },
		"names end after the text":        func(x *segment) { s := &x.names[ofSkills]; s.text = s.text[1:] },
		"id without document":             func(x *segment) { x.docOf = x.docOf[1:] },
		"id of a missing document":        func(x *segment) { x.docOf[0] = 5 },
		"wrong number of ids":             func(x *segment) { x.docOf, x.ids.ends = x.docOf[:4], x.ids.ends[:4] },
		"missing record":                  func(x *segment) { x.records.sums = x.records.sums[1:] },
		"descending starts":               func(x *segment) { terms(x).starts[1] = 100 },
		"missing key":                     func(x *segment) { terms(x).keys = terms(x).keys[1:] },
		"no postings":                     func(x *segment) { x.blocks[0].postings[ofSkills] = postings{} },
		"missing code":                    func(x *segment) { terms(x).codes = terms(x).codes[1:] },
		"posting of a missing term":       func(x *segment) { terms(x).keys[len(terms(x).keys)-1] = 9999 },
		"keys in another order":           func(x *segment) { terms(x).keys[0] = terms(x).keys[2] },
		"posting of a missing document":   func(x *segment) { x.blocks[0].postings[ofFamilies].docs[0] = 5 },
		"short vector":                    func(x *segment) { v := &x.blocks[0].vectors[0]; v.Values = v.Values[1:] },
		"vector without square":           func(x *segment) { x.blocks[0].vectors[1].Squares = nil },
		"job title ends before its start": func(x *segment) { x.names[ofJobTitles].ends[1] = 0 },
		"undefined evidence": func(x *segment) {
			x.blocks[0].postings[ofSkills].codes[0] = uint8(matching.Listed) + 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			x, err := decodeBytes(intact)
			if err != nil {
				t.Fatal(err)
			}
			damage(x)

			if x.checkShape(vector.NewRotations(smallSpaces()), 5) == nil && x.checkContent() == nil {
				t.Error("no error")
			}
		})
	}
}

func TestDecode_WrongSpaces(t *testing.T) {
	intact := stored(t)
	for name, spaces := range map[string][]matching.VectorSpace{
		"none":             nil,
		"one too few":      smallSpaces()[:1],
		"one too many":     append(smallSpaces(), matching.VectorSpace{Dimensions: 1}),
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
	var n names
	want := map[string]uint32{}
	for i := range uint32(5_000) {
		name := strings.Repeat("x", int(i%13)) + string(rune('a'+i%26)) + strings.Repeat("y", int(i/26))
		if _, ok := n.find(name); ok != (want[name] != 0) {
			t.Fatalf("find %q: %v", name, ok)
		}
		number, added := n.add(name)
		if before, ok := want[name]; ok == added || ok && number != before-1 {
			t.Fatalf("add %q: %d, %v; want %d", name, number, added, before-1)
		}

		want[name] = number + 1
		if string(n.at(number)) != name {
			t.Fatalf("at %d = %q, want %q", number, n.at(number), name)
		}
	}

	n.index()
	for name, number := range want {
		if got, ok := n.find(name); !ok || got != number-1 {
			t.Fatalf("find %q = %d, %v; want %d", name, got, ok, number-1)
		}
	}
}

// The members of a class are similar enough to share one score.
// No function that is monotonic in each signal exceeds its bound for the document's class, and the bound is close.
func TestClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var s signals
	for range 1_000 {
		var of matching.Signals
		if rng.IntN(10) > 0 {
			of.HourlyRate = matching.Some(math.Round(5 * math.Exp(3*rng.Float64())))
		}
		if rng.IntN(10) > 0 {
			of.Rating = matching.Some(math.Round(10*(5-2*rng.Float64()*rng.Float64())) / 10)
			of.TotalSales = matching.Some(int(math.Exp(6 * rng.Float64())))
		}
		if rng.IntN(10) > 0 {
			of.Availability = matching.Some(rng.IntN(4) > 0)
		}
		of.Experience = matching.Some(float64(rng.IntN(21)))
		s.add(of)
	}

	for _, extreme := range []matching.Signals{
		{HourlyRate: matching.Some(1e9), Experience: matching.Some(200.), Availability: matching.Some(true)},
		{HourlyRate: matching.Some(0.), Rating: matching.Some(5.), TotalSales: matching.Some(math.MaxInt32)},
		{Rating: matching.Some(0.), TotalSales: matching.Some(0)},
	} {
		s.add(extreme)
	}

	fit := func(s matching.Signals) float64 {
		fit := .04
		if s.HourlyRate.Known {
			fit = .085 * min(1, 6000/(120*s.HourlyRate.Value))
		}
		if s.Availability.Or(true) {
			fit += .057
		}
		return fit + .028*min(1, s.Experience.Or(3)/3)
	}
	quality := func(s matching.Signals) float64 {
		n := float64(s.TotalSales.Or(0))
		return .056 * (n*s.Rating.Or(4.6) + 10*4.6) / (n + 10) / 5
	}
	falling := func(s matching.Signals) float64 {
		return -s.HourlyRate.Or(50) - 10*s.Experience.Or(3) + 7*(2.5-s.Rating.Or(2))*float64(s.TotalSales.Or(1))
	}
	for _, c := range []struct {
		name     string
		banding  banding
		function func(matching.Signals) float64
		near     float64 // highest acceptable difference, except at the ends of the range
	}{
		{"fit", fitBanding(), fit, .02},
		{"quality", qualityBanding(), quality, .02},
		{"falling fit", fitBanding(), falling, math.Inf(1)},
		{"falling quality", qualityBanding(), falling, math.Inf(1)},
	} {
		classes := classify(&s, c.banding)
		bounds := classes.table.bounds(c.function)
		for doc := range classes.of {
			of := s.at(doc)
			if strings.HasSuffix(c.name, "fit") {
				of.Rating = matching.Optional[float64]{}
				of.TotalSales = matching.Optional[int]{}
			} else {
				of = matching.Signals{Rating: of.Rating, TotalSales: of.TotalSales}
			}

			value := c.function(of)
			bound := float64(bounds.at(classes.of[doc]))
			if value > bound || bound > float64(bounds.highest) || doc < 1_000 && bound-value > c.near {
				t.Errorf("%s of %+v is %v, the bound %v, that of all classes %v", c.name, of, value, bound, bounds.highest)
			}
		}
	}
}
