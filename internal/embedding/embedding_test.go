package embedding

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

func TestEmbed_CloseInMeaning(t *testing.T) {
	m := load(t)
	tests := []struct{ text, near, far string }{
		{"React developer", "frontend engineer, JavaScript", "tax accountant"},
		{"bookkeeping", "accountant", "video editing"},
		{"logo design", "graphic designer", "data engineer"},
		{"translator English to French", "language translation", "mechanical engineering"},
		{"lawyer", "legal contracts", "game development"},
		{"photo retouching", "Photoshop image editing", "payroll"},
		{"machine learning", "data scientist, deep learning", "interior design"},
		{"voice over", "narrator", "plumbing"},
	}
	for _, test := range tests {
		v := embed(t, m, test.text, test.near, test.far)
		near := matching.Cosine(v[0], v[1])
		far := matching.Cosine(v[0], v[2])
		if near < far+.1 {
			t.Errorf("%q: %.2f to %q, %.2f to %q", test.text, near, test.near, far, test.far)
		}
	}
}

// Texts in other languages are closer to an English one about the same work than to one about other work.
func TestEmbed_OtherLanguages(t *testing.T) {
	m := load(t)
	tests := []struct{ text, near, far string }{
		{"desarrollo de páginas web", "website development", "legal drafting"},
		{"contable para pequeñas empresas", "accountant for small companies", "animation"},
		{"traducción de documentos", "document translation", "machine maintenance"},
		{"edición de vídeo", "video editing", "payroll"},
		{"rédaction de contenu", "content writing", "network security"},
		{"comptabilité et facturation", "bookkeeping and invoicing", "photography"},
		{"gestion de projet", "project management", "singing"},
		{"Buchhaltung", "bookkeeping", "game development"},
		{"tradução de textos", "translation", "welding"},
	}
	for _, test := range tests {
		v := embed(t, m, test.text, test.near, test.far)
		near := matching.Cosine(v[0], v[1])
		far := matching.Cosine(v[0], v[2])
		if near < far+.2 {
			t.Errorf("%q: %.2f to %q, %.2f to %q", test.text, near, test.near, far, test.far)
		}
	}
}

func TestEmbed_SpellingsThatMeanTheSame(t *testing.T) {
	m := load(t)
	for _, pair := range [][2]string{
		{"Graphic Designer", "graphic designer"},
		{"résumé writing", "resume writing"},
		{"re\u0301sume\u0301 writing", "resume writing"},
		{"logo  design\n", "logo design"},
		{"logo\x00 des\u200bign", "logo design"},
		{"logo de\x7fsign", "logo design"},
		{"C++/Qt", "C + + / Qt"},
	} {
		v := embed(t, m, pair[0], pair[1])
		if diff := cmp.Diff(v[0], v[1]); diff != "" {
			t.Errorf("%q and %q differ:\n%s", pair[0], pair[1], diff)
		}
	}
}

func TestEmbed_NothingKnown(t *testing.T) {
	m := load(t)
	for _, text := range []string{"", " \t\n", "\x00\x01", strings.Repeat("x", maxWordBytes+1), "\xff\xfe"} {
		if v := embed(t, m, text)[0]; v != nil {
			t.Errorf("%q has a vector", text)
		}
	}
}

// The range of a vector is used in full, so that rounding loses least, and the order of words does not matter.
func TestEmbed_RangeAndOrder(t *testing.T) {
	m := load(t)
	rng := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("react developer tax 3d logo c++ seo übersetzer 翻译 wordpress video qa k8s ###")
	for range 200 {
		rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		some := words[:1+rng.IntN(len(words))]
		text := strings.Join(some, " ")
		rng.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
		v := embed(t, m, text, strings.Join(some, " "))
		if diff := cmp.Diff(v[0], v[1]); diff != "" {
			t.Fatalf("%q depends on the order:\n%s", text, diff)
		}

		largest := int8(0)
		for _, x := range v[0] {
			largest = max(largest, x, -x)
		}

		if v[0] != nil && (largest != math.MaxInt8 || len(v[0]) != m.Space().Dimensions) {
			t.Fatalf("%q: %d dimensions, at most %d", text, len(v[0]), largest)
		}
	}
}

// A table with texts of equal prefixes finds the longest one, and none that isn't in it.
func TestPieceTable(t *testing.T) {
	table := newPieceTable(500)
	known := map[string]int32{}
	for i := range int32(500) {
		text := strings.Repeat(string('a'+i%7), int(i%11)+1) + strconv.Itoa(int(i%50))
		if _, ok := known[text]; table.add(text, i) == ok {
			t.Fatalf("adding %q: it is listed: %t", text, ok)
		} else if !ok {
			known[text] = i
		}
	}

	for i := range 2000 {
		text := strings.Repeat(string('a'+rune(i%8)), i%13) + strconv.Itoa(i%120)
		number, length := table.prefix(text)
		want := len(text)
		for ; want > 0; want-- {
			if _, ok := known[text[:want]]; ok {
				break
			}
		}

		if length != want || length > 0 && number != known[text[:want]] {
			t.Fatalf("the longest piece of %q has %d bytes and number %d, want %d bytes", text, length, number, want)
		}
	}
}

func TestPieces(t *testing.T) {
	m := &Model{starts: newPieceTable(9), others: newPieceTable(9)}
	for number, piece := range []string{"play", "##ing", "##er", "a", "##b", "+", "c", "日", "##a"} {
		m.addPiece(piece, int32(number))
	}

	tests := []struct {
		text string
		want []int32
	}{
		{"playing player", []int32{0, 1, 0, 2}},
		{"Play, a-b", []int32{0, 3}}, // "b" alone is no piece, "," and "-" neither
		{"ab", []int32{3, 4}},
		{"abz play", []int32{0}}, // a word is taken whole or not at all
		{"c++", []int32{6, 5, 5}},
		{"日日a", []int32{7, 7, 3}},
		{"player playeringa", []int32{0, 2, 0, 2, 1, 8}},
		{"", nil},
	}
	for _, test := range tests {
		var got []int32
		m.pieces(test.text, func(piece int32) { got = append(got, piece) })
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%q:\n%s", test.text, diff)
		}
	}
}

func TestRound(t *testing.T) {
	tests := []struct {
		in   []float32
		want matching.Vector
	}{
		{[]float32{0, .5, -1}, matching.Vector{0, 64, -127}},
		{[]float32{1e-30, -1e-30}, matching.Vector{127, -127}},
		{[]float32{0, 0}, nil},
		{nil, nil},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, Round(test.in)); diff != "" {
			t.Errorf("%v:\n%s", test.in, diff)
		}
	}
}

func TestFloor_RefusesVectorsThatDependOnOtherTexts(t *testing.T) {
	mixing := embedder(func(texts []string) ([]matching.Vector, error) {
		vectors := make([]matching.Vector, len(texts))
		for i := range vectors {
			vectors[i] = matching.Vector{1, int8(len(texts))}
		}
		return vectors, nil
	})
	if _, err := Floor(t.Context(), mixing); err == nil || !strings.Contains(err.Error(), "mixes up texts") {
		t.Errorf("got %v", err)
	}
}

func TestFloor_RefusesAModelThatTellsNothingApart(t *testing.T) {
	same := embedder(func(texts []string) ([]matching.Vector, error) {
		vectors := make([]matching.Vector, len(texts))
		for i := range vectors {
			vectors[i] = matching.Vector{1, 2, 3}
		}
		return vectors, nil
	})
	if _, err := Floor(t.Context(), same); err == nil || !strings.Contains(err.Error(), "cannot tell them apart") {
		t.Errorf("got %v", err)
	}
	broken := errors.New("broken")
	failing := embedder(func([]string) ([]matching.Vector, error) { return nil, broken })
	if _, err := Floor(t.Context(), failing); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

func TestParse_Damaged(t *testing.T) {
	good := "vectors 1 tiny 2 2\na\nb\n\x01\x02\x03\x04"
	if _, err := parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, data := range []string{
		"", "vectors 2 tiny 2 2\n", "vectors 1 tiny 2\na\nb\n\x01\x02\x03\x04", "vectors 1 tiny 0 2\na\nb\n",
		"vectors 1 tiny 2 99\na\nb\n", good[:len(good)-1], good + "\x05",
		"vectors 1 tiny 2 2\na\na\n\x01\x02\x03\x04", "vectors 1 tiny 2 2\na\nb",
	} {
		if _, err := parse([]byte(data)); err == nil {
			t.Errorf("%q was read", data)
		}
	}
}

func FuzzEmbed(f *testing.F) {
	for _, text := range []string{
		"React developer. C++, node.js", "Müller & Söhne 翻译 🙂", "\xff\x00a", strings.Repeat("z", 300),
	} {
		f.Add(text)
	}
	m, err := Load()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := embed(t, m, text)[0]
		if v != nil && len(v) != m.Space().Dimensions {
			t.Errorf("%d dimensions", len(v))
		}
	})
}

func BenchmarkEmbed(b *testing.B) {
	m, err := Load()
	if err != nil {
		b.Fatal(err)
	}
	texts := []string{"Senior React developer. TypeScript, Next.js, Node.js, PostgreSQL, Docker, AWS, REST APIs, GraphQL"}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Embed(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	b.SetBytes(int64(len(mappings.Vectors())))
	for b.Loop() {
		if _, err := read(); err != nil {
			b.Fatal(err)
		}
	}
}

type embedder func(texts []string) ([]matching.Vector, error)

func (e embedder) Embed(_ context.Context, texts []string) ([]matching.Vector, error) {
	return e(texts)
}

func load(t *testing.T) *Model {
	t.Helper()
	m, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func embed(t *testing.T, m *Model, texts ...string) []matching.Vector {
	t.Helper()
	vectors, err := m.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}
