package changelog

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

var at = time.Date(2026, 11, 22, 10, 0, 0, 5, time.UTC)

func create(t testing.TB) *Log {
	t.Helper()
	l, err := Create(filepath.Join(t.TempDir(), "changes-7.log"), 7)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// A change is an entry in words.
type change struct {
	id, record, document string // record is "" for a deletion
	base                 Span
}

func (c change) addTo(b *Batch) {
	if c.record == "" {
		b.Delete(at, c.id, c.base)
	} else {
		b.Put(at, c.id, true, []byte(c.record), []byte(c.document))
	}
}

func appendBatch(t testing.TB, l *Log, to Position, changes ...change) ([]Entry, Position) {
	t.Helper()
	var b Batch
	for _, c := range changes {
		c.addTo(&b)
	}
	entries, end, err := l.Append(to, &b)
	if err != nil {
		t.Fatal(err)
	}
	return entries, end
}

// read returns the batches of a log, with "erased" for an erased entry, and where they end.
func read(t testing.TB, l *Log, from Position) (batches [][]change, end Position) {
	t.Helper()
	end, err := l.Read(from, func(entries []Entry) error {
		var batch []change
		for _, e := range entries {
			switch e.Kind {
			case Put:
				record := make([]byte, e.Record.Length)
				if _, err := l.File().ReadAt(record, e.Record.Offset); err != nil {
					return err
				}
				if sum := crc32.Checksum(record, castagnoli); sum != e.Record.Sum {
					return fmt.Errorf("record sum %x, want %x", e.Record.Sum, sum)
				}

				batch = append(batch, change{id: e.ID, record: string(record), document: string(e.Document)})

			case Delete, Deleted:
				batch = append(batch, change{id: e.ID, base: e.Record})
			case Erased:
				batch = append(batch, change{id: "erased"})
			}

			if !e.Time.Equal(at) && e.Kind != Erased {
				return fmt.Errorf("time %v", e.Time)
			}
		}

		batches = append(batches, batch)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	return batches, end
}

func TestLog(t *testing.T) {
	l := create(t)
	want := [][]change{
		{{id: "a", record: "{\"id\":\"a\"}\n", document: "doc"}},
		{{id: "b", base: Span{10, 20, 30}}, {id: "c", record: "{}\n"}, {id: "d"}},
		{{id: "e", record: string(make([]byte, 3*windowBytes))}},
		{{id: "a"}},
	}

	var ends []Position
	var end Position
	for _, batch := range want {
		_, end = appendBatch(t, l, end, batch...)
		ends = append(ends, end)
	}

	opened, err := Open(filepath.Join(filepath.Dir(l.file.Name()), "changes-7.log"), false)
	if err != nil || opened.Generation() != 7 || opened.Salt() != l.Salt() {
		t.Fatalf("open: %v", err)
	}
	defer opened.Close()

	got, gotEnd := read(t, opened, Position{})
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(change{})); diff != "" || gotEnd != end {
		t.Errorf("read until %v, want %v (-want +got):\n%s", gotEnd, end, diff)
	}

	if s, err := opened.Summarize(); s.Added != 0 || !s.Updated.Equal(at) || s.Bytes != end.Offset || err != nil {
		t.Errorf("summary = %+v, %v", s, err)
	}

	if got, _ := read(t, opened, ends[1]); len(got) != 2 {
		t.Errorf("from the middle: %d batches, want 2", len(got))
	}

	if got, gotEnd := read(t, opened, end); got != nil || gotEnd != end {
		t.Errorf("from the end: %v until %v", got, gotEnd)
	}
	stop := errors.New("stop")
	gotEnd, err = opened.Read(Position{}, func([]Entry) error { return stop })
	if gotEnd.Offset > headerBytes || !errors.Is(err, stop) {
		t.Errorf("stopped at %v with %v", gotEnd, err)
	}
}

// Wherever the last write was interrupted, the earlier batches can be read and the log can be continued.
func TestTornTail(t *testing.T) {
	l := create(t)
	_, end := appendBatch(t, l, Position{}, change{id: "a", record: "{}\n"})
	long := strings.Repeat("x", sectorBytes+50)
	appendBatch(t, l, end, change{id: "b", record: "{}\n", document: long}, change{id: "c"})
	whole, err := os.ReadFile(l.file.Name())
	if err != nil {
		t.Fatal(err)
	}

	for _, tail := range []struct {
		name string
		make func(size int) []byte
	}{
		{"missing", func(size int) []byte { return whole[:size] }},
		// If the machine fails, whole sectors are lost.
		{"zeros", func(size int) []byte {
			size -= size % sectorBytes
			size = max(size, int(end.Offset))
			return append(bytes.Clone(whole[:size]), make([]byte, len(whole)-size)...)
		}},
		{"only the tail", func(size int) []byte {
			size = min(size-size%sectorBytes+sectorBytes, len(whole))
			return slices.Concat(whole[:end.Offset], make([]byte, int64(size)-end.Offset), whole[size:])
		}},
	} {
		for size := int(end.Offset) + 1; size < len(whole)-1; size++ {
			if err := os.WriteFile(l.file.Name(), tail.make(size), 0o600); err != nil {
				t.Fatal(err)
			}
			got, gotEnd := read(t, l, Position{})

			if bytes.Equal(tail.make(size), whole) {
				continue
			}

			if len(got) != 1 || gotEnd != end {
				t.Fatalf("%s, cut at %d: %d batches until %v, want 1 until %v", tail.name, size, len(got), gotEnd, end)
			}

			if err := l.Check(gotEnd); err != nil {
				t.Fatalf("%s, cut at %d: %v", tail.name, size, err)
			}

			if err := l.Truncate(gotEnd); err != nil {
				t.Fatal(err)
			}
			appendBatch(t, l, gotEnd, change{id: "d"})

			if got, _ := read(t, l, Position{}); len(got) != 2 || got[1][0].id != "d" {
				t.Fatalf("%s, cut at %d: continued with %v", tail.name, size, got)
			}
		}
	}
}

// A change of any bit of the last batch is damage, too: an interrupted write leaves a part of it, or zeros.
func TestDamagedEnd(t *testing.T) {
	l := create(t)
	_, end := appendBatch(t, l, Position{}, change{id: "a", record: "{}\n"})
	appendBatch(t, l, end, change{id: "b", record: "{}\n", document: "xyz"}, change{id: "c"})
	whole, err := os.ReadFile(l.file.Name())
	if err != nil {
		t.Fatal(err)
	}

	for i := int(end.Offset) * 8; i < len(whole)*8; i++ {
		b := bytes.Clone(whole)
		b[i/8] ^= 1 << (i % 8)
		if err := os.WriteFile(l.file.Name(), b, 0o600); err != nil {
			t.Fatal(err)
		}
		got, gotEnd := read(t, l, Position{})
		if len(got) != 1 || gotEnd != end {
			t.Fatalf("bit %d of byte %d: %d batches until %v, want 1 until %v", i%8, i/8, len(got), gotEnd, end)
		}
		if err := l.Check(gotEnd); !errors.Is(err, ErrDamagedEnd) {
			t.Fatalf("bit %d of byte %d: error %v, want damage at the end", i%8, i/8, err)
		}
	}
}

// A change of any bit before the last batch is damage.
func TestDamage(t *testing.T) {
	l := create(t)
	entries, end := appendBatch(t, l, Position{}, change{id: "a", record: "{}\n"}, change{id: "b", record: "{}\n"})
	if err := l.Erase([]int64{entries[1].Offset}); err != nil {
		t.Fatal(err)
	}

	_, end = appendBatch(t, l, end, change{id: "c"})
	appendBatch(t, l, end, change{id: "d", record: "{}\n"})
	whole, err := os.ReadFile(l.file.Name())
	if err != nil {
		t.Fatal(err)
	}

	for i := range int(end.Offset) * 8 {
		b := bytes.Clone(whole)
		b[i/8] ^= 1 << (i % 8)
		if err := os.WriteFile(l.file.Name(), b, 0o600); err != nil {
			t.Fatal(err)
		}

		opened, err := Open(l.file.Name(), false)
		if err == nil {
			batches := 0
			var gotEnd Position
			gotEnd, err = opened.Read(Position{}, func([]Entry) error { batches++; return nil })
			if err == nil && batches < 3 {
				err = opened.Check(gotEnd)
			}

			erased := entries[1].Offset + entryBytes
			if err == nil && (int64(i/8) < erased || int64(i/8) >= erased+int64(len(entries[1].payload))) {
				t.Errorf("bit %d of byte %d: no error", i%8, i/8)
			}
			opened.Close()
		}

		if err != nil && !errors.Is(err, ErrDamaged) && (i/8 < 8 || i/8 >= 12) { // but for the version
			t.Errorf("bit %d of byte %d: %v, want damage", i%8, i/8, err)
		}
	}
}

// Salvage skips what can't be read and says where it is.
func TestSalvage(t *testing.T) {
	l := create(t)
	var offsets []int64
	var end Position
	for i := range 6 {
		offsets = append(offsets, max(end.Offset, headerBytes))
		_, end = appendBatch(t, l, end, change{id: fmt.Sprint(i)}, change{id: fmt.Sprint(i, "b")})
	}

	whole, err := os.ReadFile(l.file.Name())
	if err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct {
		damage []int64
		gaps   []int64
		want   string
	}{
		{nil, nil, "0 1 2 3 4 5"},
		{[]int64{offsets[1] + 30}, offsets[1:2], "0 2 3 4 5"},
		{[]int64{offsets[1] + 1, offsets[2]}, offsets[1:2], "0 3 4 5"},
		{[]int64{offsets[0] + 1, offsets[3] + 5}, []int64{offsets[0], offsets[3]}, "1 2 4 5"},
		{[]int64{offsets[5] + 5}, offsets[5:], "0 1 2 3 4"},
	} {
		b := bytes.Clone(whole)
		for _, offset := range test.damage {
			b[offset] ^= 1
		}

		if err := os.WriteFile(l.file.Name(), b, 0o600); err != nil {
			t.Fatal(err)
		}
		var got []string
		gaps, err := l.Salvage(func(batch []Entry) error {
			got = append(got, batch[0].ID)
			return nil
		})
		if err != nil || strings.Join(got, " ") != test.want || !slices.Equal(gaps, test.gaps) {
			t.Errorf("damage at %v: %v with gaps at %v, %v; want %v with gaps at %v",
				test.damage, got, gaps, err, test.want, test.gaps)
		}
	}
}

// A reader that has read a batch that was then replaced notices.
func TestReplacedBatch(t *testing.T) {
	l := create(t)
	_, start := appendBatch(t, l, Position{}, change{id: "a"})
	_, seen := appendBatch(t, l, start, change{id: "b"})
	if err := l.Truncate(start); err != nil {
		t.Fatal(err)
	}
	_, end := appendBatch(t, l, start, change{id: "c"})
	_, end = appendBatch(t, l, end, change{id: "d"})
	if got, gotEnd := read(t, l, seen); got != nil || gotEnd != seen || gotEnd == end {
		t.Errorf("read %v until %v", got, gotEnd)
	}
	if got, gotEnd := read(t, l, Position{}); len(got) != 3 || gotEnd != end {
		t.Errorf("from the start: read %v until %v, want %v", got, gotEnd, end)
	}
}

func TestErase(t *testing.T) {
	l := create(t)
	entries, end := appendBatch(t, l, Position{},
		change{id: "kept", record: "{\"kept\"}\n"}, change{id: "secret", record: "{\"secret\"}\n", document: "secret"})
	deletion, end := appendBatch(t, l, end, change{id: "gone"})

	for range 2 {
		if err := l.Erase([]int64{entries[1].Offset}); err != nil {
			t.Fatal(err)
		}
	}

	if err := l.Finish([]int64{deletion[0].Offset}); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(l.file.Name())
	if err != nil || bytes.Contains(content, []byte("secret")) {
		t.Errorf("the file still contains the erased record, or %v", err)
	}

	got, gotEnd := read(t, l, Position{})
	want := [][]change{{{id: "kept", record: "{\"kept\"}\n"}, {id: "erased"}}, {{id: "gone"}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(change{})); diff != "" || gotEnd != end {
		t.Errorf("read until %v, want %v (-want +got):\n%s", gotEnd, end, diff)
	}

	if err := l.Erase([]int64{deletion[0].Offset}); !errors.Is(err, ErrDamaged) {
		t.Errorf("erase a deletion: %v", err)
	}

	// Interrupted between the two steps, the record is erased all the same.
	if err := l.setKind([]int64{entries[0].Offset}, Erased); err != nil {
		t.Fatal(err)
	}

	if got, _ := read(t, l, Position{}); got[0][0].id != "erased" {
		t.Errorf("read %v, want the first entry erased", got)
	}
}

func TestBatch_TooLarge(t *testing.T) {
	l := create(t)
	var b Batch
	b.Put(at, "a", false, make([]byte, MaxEntry), nil)
	if _, _, err := l.Append(Position{}, &b); err == nil {
		t.Error("no error for an entry that is too large")
	}
	if got, _ := read(t, l, Position{}); got != nil {
		t.Errorf("read %v, want nothing", got)
	}
}

func document() *engine.Document {
	d := &engine.Document{
		Freelancer: matching.Freelancer{ID: "a", Signals: matching.Signals{
			Experience: matching.Some(2.5), Rating: matching.Some(4.9), HourlyRate: matching.Some(0.0),
			Availability: matching.Some(false), TotalSales: matching.Some(-3),
		}},
		Skills:        []engine.Skill{{ID: "go", Evidence: matching.Listed}, {ID: "sql", Evidence: matching.InText}},
		Families:      []string{"backend"},
		Terms:         []string{"a", "b", "a", ""},
		Labels:        []string{"country:DE"},
		Schedule:      matching.Schedule{From: matching.Some(-20_000), HoursPerWeek: matching.Some(37.5)},
		JobTitles:     []string{"engineer"},
		UnknownSkills: []string{"x", "y"},
		Vectors:       []matching.Vector{{-128, 0, 127}, nil},
	}
	return d
}

func TestDocument(t *testing.T) {
	for _, want := range []*engine.Document{document(), {Freelancer: matching.Freelancer{ID: "a"}}} {
		b := AppendDocument(nil, want)
		got, err := DecodeDocument("a", b)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		early := *want // what earlier versions appended
		early.Schedule.HoursPerWeek = matching.Optional[float64]{}
		complete := len(AppendDocument(nil, &early))

		for size := range b {
			if _, err := DecodeDocument("a", b[:size]); err == nil && size != complete {
				t.Errorf("cut to %d bytes: no error", size)
			}
		}
	}
}

func FuzzDocument(f *testing.F) {
	f.Add(AppendDocument(nil, document()))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := DecodeDocument("a", b)
		if err != nil {
			return
		}
		again, err := DecodeDocument("a", AppendDocument(nil, d))
		same := cmp.Comparer(func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
		if diff := cmp.Diff(d, again, same); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// FuzzReader reads arbitrary bytes after a valid header. Whatever Read accepts, it accepts again, and it says the same
// of what follows.
func FuzzReader(f *testing.F) {
	l := create(f)
	entries, end := appendBatch(f, l, Position{}, change{id: "a", record: "{}\n"}, change{id: "b"})
	appendBatch(f, l, end, change{id: "c", record: "{}\n", document: "xyz"})

	if err := l.Erase([]int64{entries[0].Offset}); err != nil {
		f.Fatal(err)
	}
	seed, err := os.ReadFile(l.file.Name())
	if err != nil {
		f.Fatal(err)
	}

	f.Add(seed[headerBytes:])
	f.Add(seed[headerBytes : len(seed)-3])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		content := bytes.NewReader(slices.Concat(seed[:headerBytes], b))
		count := 0
		end, err := l.read(content, content.Size(), Position{}, func(entries []Entry) error {
			count += len(entries)
			return nil
		})
		if err != nil && !errors.Is(err, ErrDamaged) || end.Offset > content.Size() {
			t.Fatalf("read until %v: %v", end, err)
		}

		if err := l.check(content, content.Size(), end); err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		cut := bytes.NewReader(slices.Concat(seed[:headerBytes], b)[:end.Offset])
		again, err := l.read(cut, cut.Size(), Position{}, func(entries []Entry) error {
			count -= len(entries)
			return nil
		})
		if again != end || count != 0 || err != nil {
			t.Fatalf("read until %v, then until %v, %v", end, again, err)
		}
	})
}

// BenchmarkRead measures how fast a log of 100,000 changes is read and its documents are decoded.
func BenchmarkRead(b *testing.B) {
	l := create(b)
	d := document()
	for i := range 60 {
		d.Terms = append(d.Terms, fmt.Sprintf("word%d", i))
	}

	d.Vectors = []matching.Vector{make(matching.Vector, 256)}
	encoded := AppendDocument(nil, d)
	record := make([]byte, 800)
	var end Position
	for range 1000 {
		var batch Batch
		for i := range 100 {
			batch.Put(at, fmt.Sprintf("id-%d", i), i == 0, record, encoded)
		}
		var err error
		if _, end, err = l.Append(end, &batch); err != nil {
			b.Fatal(err)
		}
	}

	b.SetBytes(end.Offset)
	for b.Loop() {
		if _, err := l.Read(Position{}, func(entries []Entry) error {
			for _, e := range entries {
				if _, err := DecodeDocument(e.ID, e.Document); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			b.Fatal(err)
		}
	}
}
