package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

// world makes documents and briefs whose words and skills are as frequent as in real ones: the rank of a word times
// its frequency is constant (Zipf).
type world struct {
	rng           *rand.Rand
	words, skills zipf
	centres       [][]float64 // of the vectors
}

// zipf draws ranks from 0 with a probability that falls as 1/(rank+1).
type zipf []float64 // cumulative

func newZipf(n int) zipf {
	z, sum := make(zipf, n), 0.0
	for i := range z {
		sum += 1 / float64(i+1)
		z[i] = sum
	}
	return z
}

func (z zipf) draw(rng *rand.Rand) int {
	i, _ := slices.BinarySearch(z, rng.Float64()*z[len(z)-1])
	return min(i, len(z)-1)
}

const (
	benchWords     = 30_000
	benchSkills    = 800
	benchStopWords = 20 // the most frequent words, which analysis leaves out

	benchCentres    = 500
	benchDimensions = 64
)

func newWorld(seed uint64) *world {
	w := &world{rng: rand.New(rand.NewPCG(seed, 1)), words: newZipf(benchWords), skills: newZipf(benchSkills)}
	// The centres are the same in every world. As in real spaces, the first dimensions say most, and there is a direction
	// that all texts share.
	rng := rand.New(rand.NewPCG(1, 2))
	for range benchCentres {
		centre := make([]float64, benchDimensions)
		for i := range centre {
			centre[i] = benchSpread(i)*rng.NormFloat64() + .02
		}
		w.centres = append(w.centres, centre)
	}
	return w
}

// benchSpread is the standard deviation of one dimension.
func benchSpread(dimension int) float64 { return 1 / (1 + float64(dimension)/16) }

// vector is a text near one of the centres: two texts of one centre have a cosine of about .7.
func (w *world) vector() matching.Vector {
	centre := w.centres[w.rng.IntN(benchCentres)]
	values, highest := make([]float64, len(centre)), 0.0
	noise := .4 + .5*w.rng.Float64()
	for i := range values {
		values[i] = centre[i] + noise*benchSpread(i)*w.rng.NormFloat64()
		highest = max(highest, math.Abs(values[i]))
	}
	v := make(matching.Vector, len(values))
	for i := range v {
		v[i] = int8(math.Round(127 * values[i] / highest))
	}
	return v
}

func (w *world) word() string {
	for {
		if rank := w.words.draw(w.rng); rank >= benchStopWords {
			return fmt.Sprintf("word%d", rank)
		}
	}
}

// document has about 60 words and 5 to 14 skills; one in ten has no rate, rating or availability.
func (w *world) document(i int) *engine.Document {
	d := &engine.Document{Freelancer: matching.Freelancer{
		ID: fmt.Sprintf("freelancer-%07d", i), Name: "A Name", JobTitle: "A Title", Description: "A description.",
	}}
	for range 50 + w.rng.IntN(21) {
		d.Terms = append(d.Terms, w.word())
	}
	seen, families := map[int]bool{}, map[int]bool{}
	for range 5 + w.rng.IntN(10) {
		skill := w.skills.draw(w.rng)
		if seen[skill] {
			continue
		}
		seen[skill] = true
		evidence := matching.Listed - matching.Evidence(w.rng.IntN(4))
		d.Skills = append(d.Skills, engine.Skill{ID: fmt.Sprintf("skill%d", skill), Evidence: evidence})
		if family := skill / 8; evidence >= matching.Implied && !families[family] {
			families[family] = true
			d.Families = append(d.Families, fmt.Sprintf("family%d", family))
		}
	}
	s := &d.Freelancer.Signals
	if w.rng.IntN(10) > 0 {
		s.HourlyRate = matching.Some(math.Round(5 * math.Exp(3*w.rng.Float64())))
	}
	if w.rng.IntN(10) > 0 {
		s.Rating = matching.Some(math.Round(10*(5-2*w.rng.Float64()*w.rng.Float64())) / 10)
		s.TotalSales = matching.Some(int(math.Exp(6 * w.rng.Float64())))
	}
	if w.rng.IntN(10) > 0 {
		s.Availability = matching.Some(w.rng.IntN(4) > 0)
	}
	s.Experience = matching.Some(float64(w.rng.IntN(21)))
	d.Vectors = []matching.Vector{w.vector()}
	return d
}

// query is a brief of 40 words, of which analysis leaves 25, with 4 skills: half the terms as they come, half evenly
// from all ranks, common and rare. The weights are the shares of the default profile for a brief with budget, timeline
// and complexity.
func (w *world) query() *engine.Query {
	q := &engine.Query{
		TextWeight: .565, Credit: [matching.Listed + 1]float64{0, .15, .5, .9, 1, 1}, Size: 500,
		Fit: func(s matching.Signals) float64 {
			fit := .04
			if s.HourlyRate.Known {
				fit = .085 * min(1, 6000/(120*s.HourlyRate.Value))
			}
			if s.Availability.Or(true) {
				fit += .057
			}
			return fit + .028*min(1, s.Experience.Or(3)/3)
		},
		Quality: func(s matching.Signals) float64 {
			n := float64(s.TotalSales.Or(0))
			return .056 * (n*s.Rating.Or(4.6) + 10*4.6) / (n + 10) / 5
		},
	}
	seen := map[string]bool{}
	for len(q.Terms) < 25 {
		text := w.word()
		if len(q.Terms)%2 == 0 {
			low, high := math.Log(benchStopWords), math.Log(benchWords)
			text = fmt.Sprintf("word%d", int(math.Exp(low+(high-low)*w.rng.Float64())))
		}
		if !seen[text] {
			seen[text] = true
			q.Terms = append(q.Terms, engine.Term{Text: text, Weight: 1 + float64(w.rng.IntN(3)), Reference: len(q.Terms) < 8})
		}
	}
	for len(q.Skills) < 4 {
		skill := w.skills.draw(w.rng)
		q.Skills = append(q.Skills, engine.SkillClause{
			ID: fmt.Sprintf("skill%d", skill), Family: fmt.Sprintf("family%d", skill/8), Weight: .124 / 4,
		})
	}
	return q
}

// semantic is the meaning of a brief, weighted and rescaled as ranking does.
func (w *world) semantic() *engine.SemanticClause {
	return &engine.SemanticClause{Vector: w.vector(), Weight: .085, Floor: .22, Ceiling: 1}
}

func benchSpec(mapping mappings.Mapping) engine.Spec {
	space := matching.VectorSpace{Model: "generated", Dimensions: benchDimensions}
	return engine.Spec{Name: "bench", Mapping: mapping, Vectors: []matching.VectorSpace{space}, Created: time.Now()}
}

// benchIndex builds an index of so many documents, and points the alias "all" to it.
func benchIndex(b testing.TB, documents int) *Engine {
	b.Helper()
	if documents > 100_000 && testing.Short() {
		b.Skip("a million documents take a while: run without -short")
	}
	e, err := Open(b.TempDir(), Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { e.Close() })
	ctx, w := context.Background(), newWorld(1)
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		b.Fatal(err)
	}
	if err := e.Create(ctx, benchSpec(mapping)); err != nil {
		b.Fatal(err)
	}
	bulk, err := e.Bulk(ctx, "bench", nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := range documents {
		if err := bulk.Add(ctx, w.document(i)); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := bulk.Close(ctx); err != nil {
		b.Fatal(err)
	}
	if _, err := e.PointAlias(ctx, "all", "bench"); err != nil {
		b.Fatal(err)
	}
	return e
}

var benchSizes = []int{100_000, 1_000_000}

// BenchmarkSearch asks the same briefs without and with their meaning.
func BenchmarkSearch(b *testing.B) {
	for _, documents := range benchSizes {
		b.Run(fmt.Sprintf("docs=%d", documents), func(b *testing.B) {
			e := benchIndex(b, documents)
			snapshot, err := e.Open(context.Background(), "all")
			if err != nil {
				b.Fatal(err)
			}
			w := newWorld(2)
			plain, semantic := make([]*engine.Query, 200), make([]*engine.Query, 200)
			for i := range plain {
				plain[i] = w.query()
				with := *plain[i]
				with.Semantic = w.semantic()
				semantic[i] = &with
			}
			b.Run("semantic=false", func(b *testing.B) { benchSearch(b, snapshot, plain) })
			b.Run("semantic=true", func(b *testing.B) { benchSearch(b, snapshot, semantic) })
		})
	}
}

func benchSearch(b *testing.B, snapshot engine.Snapshot, queries []*engine.Query) {
	var took []time.Duration
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		page, err := snapshot.Search(context.Background(), queries[i%len(queries)])
		took = append(took, time.Since(start))
		if err != nil || len(page.Hits) != 500 {
			b.Fatalf("%d hits, error %v", len(page.Hits), err)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1e3, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1e3, "p99-ms")
}

// BenchmarkBulk is the whole of Add, with the JSON of a small record, and Close.
func BenchmarkBulk(b *testing.B) {
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		b.Fatal(err)
	}
	w := newWorld(1)
	documents := make([]*engine.Document, 100_000)
	for i := range documents {
		documents[i] = w.document(i)
	}
	ctx := context.Background()
	for b.Loop() {
		e, err := Open(b.TempDir(), Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := e.Create(ctx, benchSpec(mapping)); err != nil {
			b.Fatal(err)
		}
		bulk, err := e.Bulk(ctx, "bench", nil)
		if err != nil {
			b.Fatal(err)
		}
		for _, d := range documents {
			if err := bulk.Add(ctx, d); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := bulk.Close(ctx); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(documents)*b.N)/b.Elapsed().Seconds(), "docs/s")
}

// BenchmarkOpen is the time from a stored index to the first answer.
func BenchmarkOpen(b *testing.B) {
	for _, documents := range benchSizes {
		b.Run(fmt.Sprintf("docs=%d", documents), func(b *testing.B) {
			built := benchIndex(b, documents)
			b.ReportAllocs()
			for b.Loop() {
				e, err := Open(built.dir, Options{Log: built.log})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := e.Open(context.Background(), "all"); err != nil {
					b.Fatal(err)
				}
				e.Close()
			}
		})
	}
}
