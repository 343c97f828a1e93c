package document

import (
	"encoding/base64"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// randomColumns returns a random document and its columns.
func randomColumns(rng *rand.Rand) (d *engine.Document, c Columns) {
	text := func() string { return strings.Repeat("ü\x00", rng.IntN(200)) + "x" }
	c = Columns{ID: text(), position: rng.Int64N(1 << rng.IntN(63))}
	numbers := []float64{0, math.Copysign(0, -1), 33.333333333333336, math.MaxFloat64, math.Inf(1), rng.NormFloat64()}
	s := &c.Signals
	for _, field := range []*matching.Optional[float64]{&s.Experience, &s.Rating, &s.HourlyRate} {
		if rng.IntN(2) == 0 {
			*field = matching.Optional[float64]{Value: numbers[rng.IntN(len(numbers))], Known: true}
		}
	}

	if rng.IntN(2) == 0 {
		s.TotalSales = matching.Some([]int{0, -1, 12, math.MaxInt64, math.MinInt64}[rng.IntN(5)])
	}

	if rng.IntN(2) == 0 {
		s.Availability = matching.Some(rng.IntN(2) == 0)
	}

	if rng.IntN(2) == 0 {
		c.Schedule.From = matching.Some([]int{0, -1, 20_000, math.MaxInt64}[rng.IntN(4)])
	}

	if rng.IntN(2) == 0 {
		c.Schedule.HoursPerWeek = matching.Some([]float64{.1, 37.5, 168}[rng.IntN(3)])
	}

	for range rng.IntN(5) {
		c.Skills = append(c.Skills, engine.Skill{ID: text(), Evidence: matching.InText + matching.Evidence(rng.IntN(4))})
		c.Families = append(c.Families, text())
	}

	for range rng.IntN(3) {
		v := make(matching.Vector, []int{0, 1, 384}[rng.IntN(3)])
		for i := range v {
			v[i] = int8(rng.IntN(255) - 127)
		}
		c.Vectors = append(c.Vectors, v)
	}

	d = &engine.Document{Schedule: c.Schedule, Skills: c.Skills, Families: c.Families, Vectors: c.Vectors}
	d.Freelancer.ID = c.ID
	d.Freelancer.Signals = c.Signals

	return d, c
}

func TestColumns_RoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		d, want := randomColumns(rng)
		b := AppendColumns([]byte("before"), d, want.position)[len("before"):]
		got, err := DecodeColumns(b)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Columns{}), cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
		if cut := b[:rng.IntN(len(b))]; len(cut) > 0 {
			if _, err := DecodeColumns(cut); err == nil {
				t.Errorf("%d of %d bytes decoded without an error", len(cut), len(b))
			}
		}
		if _, err := DecodeColumns(append(b, 0)); err == nil {
			t.Error("one byte too many decoded without an error")
		}
	}
}

// A change of the format requires a new columnsVersion, so that older columns are rejected and not misread.
func TestColumns_Format(t *testing.T) {
	d := &engine.Document{
		Skills:   []engine.Skill{{ID: "go", Evidence: matching.Listed}, {ID: "sql", Evidence: matching.InText}},
		Families: []string{"languages"},
		Vectors:  []matching.Vector{{1, -1, 127}, nil},
	}

	d.Freelancer.ID = "f1"
	d.Freelancer.Signals = matching.Signals{
		Experience: matching.Some(2.5), HourlyRate: matching.Some(40.0),
		TotalSales: matching.Some(-3), Availability: matching.Some(true),
	}
	d.Schedule = matching.Schedule{From: matching.Some(64), HoursPerWeek: matching.Some(40.0)}

	const want = "02" + // version
		"026631" + "ac02" + // id f1, position 300
		"fd" + "0000000000000440" + "0000000000004440" + "05" + // known, 2.5 years, rate 40, sales -3
		"8001" + "0000000000004440" + // from day 64, 40 hours
		"02" + "0502676f" + "020373716c" + // two skills
		"01" + "096c616e677561676573" + // one family
		"02" + "0301ff7f" + "00" // two vectors, the second nil
	if got := hex.EncodeToString(AppendColumns(nil, d, 300)); got != want {
		t.Errorf("columns (-want +got):\n%s", cmp.Diff(want, got))
	}

	if ColumnsVersion != 2 {
		t.Error("update the expected bytes above")
	}
	_, err := DecodeColumns([]byte{ColumnsVersion + 1, 0})
	if err == nil || !strings.Contains(err.Error(), "indexer reindex") {
		t.Errorf("another version: got error %v, want one that says what to do", err)
	}
}

// The columns of indexes that were built before schedules are read without one.
func TestColumns_WithoutSchedule(t *testing.T) {
	d := &engine.Document{Freelancer: matching.Freelancer{ID: "f1"}, Skills: []engine.Skill{{ID: "go", Evidence: 5}}}
	d.Freelancer.Rating = matching.Some(4.5)
	b := AppendColumns(nil, d, 300)
	want, err := DecodeColumns(b)
	if err != nil {
		t.Fatal(err)
	}
	b[0] = withoutSchedule
	got, err := DecodeColumns(b)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Columns{})); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func FuzzDecodeColumns(f *testing.F) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 5 {
		d, c := randomColumns(rng)
		f.Add(AppendColumns(nil, d, c.position))
	}

	f.Add([]byte{})
	f.Add([]byte{ColumnsVersion, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := DecodeColumns(b)
		if err != nil {
			return
		}

		// Each item takes at least one byte, so the input bounds the memory.
		if n := len(c.Skills) + len(c.Families) + len(c.Vectors); n > len(b) {
			t.Errorf("decoded %d items from %d bytes", n, len(b))
		}
		d := &engine.Document{Skills: c.Skills, Families: c.Families, Vectors: c.Vectors}
		d.Freelancer.ID = c.ID
		d.Freelancer.Signals = c.Signals
		if got, err := DecodeColumns(AppendColumns(nil, d, c.position)); err != nil || !equalColumns(&c, &got) {
			t.Errorf("round trip changed the columns: error %v, input %s", err, base64.StdEncoding.EncodeToString(b))
		}
	})
}

// equalColumns compares columns that may contain NaN.
func equalColumns(a, b *Columns) bool {
	return a.ID == b.ID && a.position == b.position &&
		slices.Equal(a.Skills, b.Skills) && slices.Equal(a.Families, b.Families) &&
		cmp.Equal(a.Signals, b.Signals, cmpopts.EquateNaNs()) && cmp.Equal(a.Vectors, b.Vectors)
}

func TestColumns_Evidence(t *testing.T) {
	c := Columns{
		Skills:   []engine.Skill{{ID: "react", Evidence: matching.InText}, {ID: "vue", Evidence: matching.Listed}},
		Families: []string{"frontend"},
	}
	for _, test := range []struct {
		clause engine.SkillClause
		want   matching.Evidence
	}{
		{engine.SkillClause{ID: "vue"}, matching.Listed},
		{engine.SkillClause{ID: "react", Family: "frontend"}, matching.InText},
		{engine.SkillClause{ID: "angular", Family: "frontend"}, matching.Sibling},
		{engine.SkillClause{ID: "angular"}, matching.NoEvidence},
		{engine.SkillClause{ID: "angular", Family: "mobile"}, matching.NoEvidence},
	} {
		if got := c.Evidence(test.clause); got != test.want {
			t.Errorf("evidence(%+v) = %v, want %v", test.clause, got, test.want)
		}
	}
}
