package embedded

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// stored is the index file of a few documents.
func stored(t testing.TB) []byte {
	t.Helper()
	dir := t.TempDir()
	fill(t, open(t, dir), "index", 5)
	b, err := os.ReadFile(filepath.Join(dir, "index", indexFile))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decodeBytes(b []byte) (*index, error) {
	return decode(readSections(bytes.NewReader(b), indexFile, int64(len(b))), engine.Info{Documents: 5, Vectors: smallSpaces()})
}

func TestDecode_Damage(t *testing.T) {
	whole := stored(t)
	if _, err := decodeBytes(whole); err != nil {
		t.Fatal(err)
	}
	for size := range whole {
		if _, err := decodeBytes(whole[:size]); err == nil || !strings.Contains(err.Error(), indexFile) {
			t.Fatalf("cut to %d bytes: error %v, want one that names the file", size, err)
		}
	}
	for i := range whole {
		for _, flip := range []byte{1, 0x80} {
			b := bytes.Clone(whole)
			b[i] ^= flip
			if _, err := decodeBytes(b); err == nil {
				t.Fatalf("byte %d changed: no error", i)
			}
		}
	}
	if _, err := decodeBytes(append(bytes.Clone(whole), 0)); err == nil {
		t.Error("a byte too many: no error")
	}
}

func TestDecode_NamesTheSection(t *testing.T) {
	whole := stored(t)
	at := bytes.Index(whole, []byte("signals rating"))
	whole[at+len("signals rating")+9] ^= 1 // the first element
	if _, err := decodeBytes(whole); err == nil || !strings.Contains(err.Error(), `index.bin: section "signals rating": checksum`) {
		t.Errorf("error %v does not name file and section", err)
	}
}

// TestCheck has sections that are whole one by one and do not fit together.
func TestCheck(t *testing.T) {
	for name, spoil := range map[string]func(*index){
		"a column is short":             func(x *index) { x.signals.sales = x.signals.sales[1:] },
		"a class does not exist":        func(x *index) { x.fit.of[2] = 9999 },
		"a document has no class":       func(x *index) { x.quality.of = x.quality.of[1:] },
		"class means differ":            func(x *index) { x.quality.means.rating = nil },
		"a name ends early":             func(x *index) { x.terms.ends[1] = 0 },
		"names end past the text":       func(x *index) { x.skills.text = x.skills.text[1:] },
		"an id has no document":         func(x *index) { x.docOf = x.docOf[1:] },
		"an id's document is beyond":    func(x *index) { x.docOf[0] = 5 },
		"another number of ids":         func(x *index) { x.info.Documents = 6 },
		"a record is missing":           func(x *index) { x.records.sums = x.records.sums[1:] },
		"a term has no count":           func(x *index) { x.termDocs = x.termDocs[1:] },
		"postings start backwards":      func(x *index) { x.blocks[0].terms.starts[1] = 100 },
		"a key has no postings":         func(x *index) { x.blocks[0].terms.keys = x.blocks[0].terms.keys[1:] },
		"no postings at all":            func(x *index) { x.blocks[0].skills = postings{} },
		"a code is missing":             func(x *index) { x.blocks[0].skills.codes = x.blocks[0].skills.codes[1:] },
		"a posting is beyond":           func(x *index) { x.blocks[0].families.docs[0] = 5 },
		"a vector is short":             func(x *index) { x.blocks[0].vectors[0].values = x.blocks[0].vectors[0].values[1:] },
		"a vector has no square":        func(x *index) { x.blocks[0].vectors[1].squares = x.blocks[0].vectors[1].squares[1:] },
		"a vector has no sketch":        func(x *index) { x.blocks[0].vectors[1].low[1] = nil },
		"an unknown skill has no count": func(x *index) { x.unknown.documents = nil },
		"a job title ends early":        func(x *index) { x.jobTitles.ends[1] = 0 },
		"evidence is unheard of":        func(x *index) { x.blocks[0].skills.codes[0] = uint8(matching.Listed) + 1 },
	} {
		t.Run(name, func(t *testing.T) {
			x, err := decodeBytes(stored(t))
			if err != nil {
				t.Fatal(err)
			}
			spoil(x)
			if err := x.check(); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestDecode_WrongSpaces(t *testing.T) {
	whole := stored(t)
	for name, spaces := range map[string][]matching.VectorSpace{
		"none":               nil,
		"one too few":        smallSpaces()[:1],
		"one too many":       append(smallSpaces(), matching.VectorSpace{Dimensions: 1}),
		"other dimensions":   {{Dimensions: 4}, {Dimensions: 70}},
		"without dimensions": {{Dimensions: 3}, {Dimensions: 0}},
		"negative":           {{Dimensions: -3}, {Dimensions: 70}},
		"endless":            {{Dimensions: 3}, {Dimensions: math.MaxInt}},
	} {
		_, err := decode(readSections(bytes.NewReader(whole), indexFile, int64(len(whole))), engine.Info{Documents: 5, Vectors: spaces})
		if err == nil || !strings.Contains(err.Error(), indexFile) {
			t.Errorf("%s: error %v, want one that names the file", name, err)
		}
	}
}

// FuzzDecode reads any bytes as an index: an error, or an index that can be searched.
func FuzzDecode(f *testing.F) {
	whole := stored(f)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := decodeBytes(b)
		if err != nil {
			return
		}
		q := &engine.Query{
			Terms:  []engine.Term{{Text: "every", Weight: 1, Reference: true}},
			Skills: []engine.SkillClause{{ID: "skill-1", Family: "family", Weight: 1}},
			Size:   3, MatchAll: true,
		}
		for space, s := range smallSpaces() {
			vector := make(matching.Vector, s.Dimensions)
			vector[0] = 1
			q.Semantic = &engine.SemanticClause{Space: space, Vector: vector, Weight: 1, Ceiling: 1}
			if _, err := x.Search(t.Context(), q); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestFetch_DamagedRecord changes a byte of a record on the disk.
func TestFetch_DamagedRecord(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	fill(t, e, "index", 5)
	if _, err := e.PointAlias(t.Context(), "all", "index"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "index", recordsFile)
	records, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records[bytes.Index(records, []byte("id-2"))+3] = '9'
	if err := os.WriteFile(path, records, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := e.Open(t.Context(), "all")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Fetch(t.Context(), []string{"id-1"}); err != nil {
		t.Errorf("fetch of a whole record: %v", err)
	}
	if _, err := s.Fetch(t.Context(), []string{"id-2"}); err == nil || !strings.Contains(err.Error(), recordsFile) {
		t.Errorf("fetch of a damaged record: error %v, want one that names the file", err)
	}
}

// TestNames_Find adds enough names that the table grows several times.
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

// TestClasses holds that the members of a class are alike enough for one score.
func TestClasses(t *testing.T) {
	w := newWorld(3)
	var s signals
	for i := range 5_000 {
		s.add(w.document(i).Freelancer.Signals)
	}
	everyone := func(int) bool { return true }
	fit, quality := classify(&s, everyone, fitKey), classify(&s, everyone, qualityKey)
	near := func(name string, value, mean matching.Optional[float64], most float64) {
		if value.Known != mean.Known || value.Known && max(value.Value-mean.Value, mean.Value-value.Value) > most {
			t.Errorf("%s %v is in a class of mean %v, want at most %v apart", name, value, mean, most)
		}
	}
	for i := range fit.of {
		value, mean := s.at(i), fit.means.at(int(fit.of[i]))
		near("rate", value.HourlyRate, mean.HourlyRate, .1*value.HourlyRate.Value)
		near("experience", value.Experience, mean.Experience, 5)
		if value.Availability != mean.Availability {
			t.Errorf("availability %v is in a class of %v", value.Availability, mean.Availability)
		}
		mean = quality.means.at(int(quality.of[i]))
		near("rating", value.Rating, mean.Rating, .05)
		if sales := value.TotalSales; sales.Known != mean.TotalSales.Known ||
			sales.Known && float64(max(sales.Value-mean.TotalSales.Value, mean.TotalSales.Value-sales.Value)) > 1+.25*float64(sales.Value) {
			t.Errorf("sales %v are in a class of mean %v", sales, mean.TotalSales)
		}
	}
}
