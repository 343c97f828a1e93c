package embedded

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
	"github.com/freelancer-matching/service/engine/embedded/search"
	"github.com/freelancer-matching/service/engine/embedded/view"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// A world generates documents and briefs with realistic frequencies of words and skills: the frequency of a word is
// inversely proportional to its rank (Zipf's law).
type world struct {
	rng           *rand.Rand
	words, skills zipf
	centers       [][]float64 // of the vectors
}

// A zipf draws ranks from 0 with a probability proportional to 1/(rank+1).
type zipf []float64 // cumulative

func newZipf(n int) zipf {
	z := make(zipf, n)
	sum := 0.0
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
	benchStopWords = 20 // the most frequent words, which analysis removes

	benchCenters    = 500
	benchDimensions = 64
)

func newWorld(seed uint64) *world {
	w := &world{rng: rand.New(rand.NewPCG(seed, 1)), words: newZipf(benchWords), skills: newZipf(benchSkills)}
	// The centers are the same in every world. As in real spaces, the first dimensions vary most, and all texts share a
	// direction.
	rng := rand.New(rand.NewPCG(1, 2))
	for range benchCenters {
		center := make([]float64, benchDimensions)
		for i := range center {
			center[i] = benchSpread(i)*rng.NormFloat64() + .02
		}
		w.centers = append(w.centers, center)
	}
	return w
}

// benchSpread returns the standard deviation of a dimension.
func benchSpread(dimension int) float64 { return 1 / (1 + float64(dimension)/16) }

// vector returns a vector near one of the centers. Two vectors near the same center have a cosine of about .7.
func (w *world) vector() matching.Vector {
	center := w.centers[w.rng.IntN(benchCenters)]
	values := make([]float64, len(center))
	highest := 0.0
	noise := .4 + .5*w.rng.Float64()
	for i := range values {
		values[i] = center[i] + noise*benchSpread(i)*w.rng.NormFloat64()
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

// document returns a document with about 60 words and 5 to 14 skills. One in ten lacks each of rate, rating and
// availability.
func (w *world) document(i int) *engine.Document {
	d := &engine.Document{Freelancer: matching.Freelancer{
		ID: fmt.Sprintf("freelancer-%07d", i), Name: "A Name", JobTitle: "A Title", Description: "A description.",
	}}
	for range 50 + w.rng.IntN(21) {
		d.Terms = append(d.Terms, w.word())
	}

	seen := map[int]bool{}
	families := map[int]bool{}
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
	addLabels(rand.New(rand.NewPCG(uint64(i), 3)), d)

	return d
}

// query returns a brief of 40 words, of which analysis keeps 25, with 4 skills. Half the terms have the frequencies of
// real text; the other half is spread evenly over all ranks. The weights are the default profile's for a brief
// with budget, timeline and complexity.
func (w *world) query() *engine.Query {
	q := &engine.Query{
		TextWeight: .565, Credit: [matching.Listed + 1]float64{0, .15, .5, .9, 1, 1}, Size: 10, Window: 500,
		Fit: func(s matching.Signals, _ matching.Schedule) float64 {
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
			low := math.Log(benchStopWords)
			high := math.Log(benchWords)
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

// semantic returns the semantic clause of a brief with the weight and scale of the default profile.
func (w *world) semantic() *engine.SemanticClause {
	return &engine.SemanticClause{Vector: w.vector(), Weight: .085, Floor: .22, Ceiling: 1}
}

func benchSpec(mapping mappings.Mapping) engine.Spec {
	space := matching.VectorSpace{Model: "generated", Dimensions: benchDimensions}
	return engine.Spec{Name: "bench", Mapping: mapping, Vectors: []matching.VectorSpace{space}, Created: time.Now()}
}

// benchIndex builds an index with the given number of documents and points the alias "all" to it.
func benchIndex(b testing.TB, documents int) *Engine {
	b.Helper()
	if documents > 100_000 && testing.Short() {
		b.Skip("a million documents take minutes")
	}
	e, err := Open(b.TempDir(), Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}

	b.Cleanup(func() { e.Close() })
	ctx := context.Background()
	w := newWorld(1)
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

// BenchmarkSearch runs the same briefs without and with semantic clauses.
func BenchmarkSearch(b *testing.B) {
	for _, documents := range benchSizes {
		b.Run(fmt.Sprintf("docs=%d", documents), func(b *testing.B) {
			e := benchIndex(b, documents)
			snapshot, err := e.Open(context.Background(), "all")
			if err != nil {
				b.Fatal(err)
			}

			w := newWorld(2)
			plain := make([]*engine.Query, 200)
			semantic := make([]*engine.Query, 200)
			rare := make([]*engine.Query, 200)
			for i := range plain {
				plain[i] = w.query()
				with := *plain[i]
				with.Semantic = w.semantic()
				semantic[i] = &with

				// Fewer documents than the window have the word, so that those that are only similar are counted, too.
				one := with
				one.Terms = []engine.Term{{Text: fmt.Sprintf("word%d", benchWords-1-i), Weight: 1, Reference: true}}
				one.Skills = nil
				rare[i] = &one
			}

			b.Run("semantic=false", func(b *testing.B) { benchSearch(b, snapshot, plain) })
			b.Run("semantic=true", func(b *testing.B) { benchSearch(b, snapshot, semantic) })
			b.Run("rare-word", func(b *testing.B) { benchSearch(b, snapshot, rare) })
		})
	}
}

// BenchmarkSearchChanged compares an index as loaded with the same index after one in twenty documents was replaced,
// one by one. It searches them in turns and reports the mean over the briefs of the shortest time that each one took,
// which other programs on the machine hardly affect.
func BenchmarkSearchChanged(b *testing.B) {
	for _, documents := range benchSizes {
		b.Run(fmt.Sprintf("docs=%d", documents), func(b *testing.B) {
			snapshot, err := benchIndex(b, documents).Open(context.Background(), "all")
			if err != nil {
				b.Fatal(err)
			}
			views := []*view.View{viewOf(snapshot), changeDocuments(viewOf(snapshot), documents, documents/20)}
			for _, semantic := range []bool{false, true} {
				b.Run(fmt.Sprintf("semantic=%v", semantic), func(b *testing.B) { benchTurns(b, views, semantic) })
			}
		})
	}
}

func benchTurns(b *testing.B, views []*view.View, semantic bool) {
	w := newWorld(2)
	queries := make([]*engine.Query, 50)
	shortest := make([][2]time.Duration, len(queries))
	for i := range queries {
		queries[i] = w.query()
		shortest[i] = [2]time.Duration{time.Hour, time.Hour}
		if semantic {
			queries[i].Semantic = w.semantic()
		}
	}

	for b.Loop() {
		for i, q := range queries {
			for n, v := range views {
				start := time.Now()
				if _, err := (search.Snapshot{View: v}).Search(context.Background(), q); err != nil {
					b.Fatal(err)
				}
				shortest[i][n] = min(shortest[i][n], time.Since(start))
			}
		}
	}

	var total [2]time.Duration
	for _, s := range shortest {
		total[0] += s[0]
		total[1] += s[1]
	}

	b.ReportMetric(total[0].Seconds()*1000/float64(len(queries)), "fresh-ms")
	b.ReportMetric(total[1].Seconds()*1000/float64(len(queries)), "changed-ms")
	b.ReportMetric(float64(total[1])/float64(total[0]), "changed/fresh")
}

// changeDocuments replaces n random documents, one by one, and does all jobs that become due.
func changeDocuments(v *view.View, documents, n int) *view.View {
	w := newWorld(4)
	for range n {
		d := w.document(w.rng.IntN(documents))
		v = done(v.Apply([]view.Write{{ID: d.Freelancer.ID, Document: d}}))
	}
	return v
}

// BenchmarkApply measures single changes, without the jobs that are done in the background.
func BenchmarkApply(b *testing.B) {
	for _, documents := range benchSizes {
		b.Run(fmt.Sprintf("docs=%d", documents), func(b *testing.B) {
			snapshot, err := benchIndex(b, documents).Open(context.Background(), "all")
			if err != nil {
				b.Fatal(err)
			}
			v := viewOf(snapshot)
			w := newWorld(5)
			changes := make([]view.Write, 4096)
			for i := range changes {
				d := w.document(w.rng.IntN(documents))
				changes[i] = view.Write{ID: d.Freelancer.ID, Document: d}
			}

			var durations []time.Duration
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				start := time.Now()
				v = v.Apply(changes[i%len(changes):][:1])
				durations = append(durations, time.Since(start))
				b.StopTimer()
				v = done(v)
				b.StartTimer()
			}

			slices.Sort(durations)
			b.ReportMetric(float64(durations[len(durations)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// BenchmarkJobs measures all work of single changes, including the jobs that are done in the background.
func BenchmarkJobs(b *testing.B) {
	for _, documents := range benchSizes {
		b.Run(fmt.Sprintf("docs=%d", documents), func(b *testing.B) {
			snapshot, err := benchIndex(b, documents).Open(context.Background(), "all")
			if err != nil {
				b.Fatal(err)
			}
			v := viewOf(snapshot)
			b.ReportAllocs()
			for b.Loop() {
				changeDocuments(v, documents, 20_000)
			}
			b.ReportMetric(20_000*float64(b.N)/b.Elapsed().Seconds(), "changes/s")
		})
	}
}

// BenchmarkWriteBase measures the work of writing a new base after one in twenty documents was replaced.
func BenchmarkWriteBase(b *testing.B) {
	for _, documents := range benchSizes {
		b.Run(fmt.Sprintf("docs=%d", documents), func(b *testing.B) {
			e := benchIndex(b, documents)
			snapshot, err := e.Open(context.Background(), "all")
			if err != nil {
				b.Fatal(err)
			}

			v := viewOf(snapshot)
			w := newWorld(4)
			for range documents / 20 / 1000 {
				var batch []view.Write
				for range 1000 {
					d := w.document(w.rng.IntN(documents))
					p, doc, _ := v.Find(d.Freelancer.ID)
					batch = append(batch, view.Write{ID: d.Freelancer.ID, Document: d, Record: p.Records.At(doc)})
				}

				v = done(v.Apply(batch))
			}

			dir := b.TempDir()
			work := time.Duration(0)
			longest := time.Duration(0)
			pause := func(_ context.Context, worked time.Duration) error {
				work += worked
				longest = max(longest, worked)
				return nil
			}

			b.ReportAllocs()
			for b.Loop() {
				index := filepath.Join(dir, datadir.IndexFile)
				records := filepath.Join(dir, datadir.RecordsFile)
				_, err := v.WriteBase(context.Background(), index, records, pause, func(step func() error) error { return step() })
				if err != nil {
					b.Fatal(err)
				}
			}

			b.ReportMetric(float64(v.Totals.Documents*b.N)/b.Elapsed().Seconds(), "docs/s")
			b.ReportMetric(float64(longest.Microseconds())/1000, "longest-ms")
		})
	}
}

func benchSearch(b *testing.B, snapshot engine.Snapshot, queries []*engine.Query) {
	var durations []time.Duration
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		page, err := snapshot.Search(context.Background(), queries[i%len(queries)])
		durations = append(durations, time.Since(start))
		if err != nil || len(page.Hits) < queries[i%len(queries)].Size {
			b.Fatalf("%d hits, error %v", len(page.Hits), err)
		}
	}
	slices.Sort(durations)
	b.ReportMetric(float64(durations[len(durations)/2].Microseconds())/1e3, "p50-ms")
	b.ReportMetric(float64(durations[len(durations)*99/100].Microseconds())/1e3, "p99-ms")
}

// BenchmarkBulk measures Add, including the encoding of a small record, and Close.
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

// BenchmarkOpen measures the time to load a stored index.
func BenchmarkOpen(b *testing.B) {
	for _, documents := range benchSizes {
		b.Run(fmt.Sprintf("docs=%d", documents), func(b *testing.B) {
			built := benchIndex(b, documents)
			b.ReportAllocs()
			for b.Loop() {
				e, err := Open(built.root.Path, Options{Log: built.log})
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

var (
	mappedIndex = flag.String("mapped-index", "", "a folder for the index of BenchmarkMapped, built if it doesn't exist")
	mappedSize  = flag.Int("mapped-documents", 1_000_000, "the number of documents that BenchmarkMapped builds")
)

// BenchmarkMapped measures how long an index takes to open that another process has built, the resident memory after
// that and after searches, and the searches. Run it twice: the first run only builds the index.
func BenchmarkMapped(b *testing.B) {
	if *mappedIndex == "" {
		b.Skip("no -mapped-index")
	}

	if _, err := os.Stat(filepath.Join(*mappedIndex, "all.alias")); err != nil {
		buildMapped(b)
		b.Skip("built the index; run the benchmark again to measure it")
	}

	metrics := map[string]float64{}
	took := func(what string, start time.Time) {
		metrics[what+"-ms"] = float64(time.Since(start).Microseconds()) / 1000
	}
	opened := time.Now()
	e, err := Open(*mappedIndex, Options{Log: slog.New(slog.DiscardHandler), Poll: time.Hour}) // no work in the background
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()

	e.mapFrom = 0
	snapshot, err := e.Open(context.Background(), "all")
	if err != nil {
		b.Fatal(err)
	}

	took("open", opened)
	addMemory(b, metrics, "open")
	w := newWorld(2)
	queries := make([]*engine.Query, 200)
	for i := range queries {
		queries[i] = w.query()
		queries[i].Semantic = w.semantic()
	}

	start := time.Now()
	if _, err := snapshot.Search(context.Background(), queries[0]); err != nil {
		b.Fatal(err)
	}
	took("first", start)
	benchSearch(b, snapshot, queries)
	addMemory(b, metrics, "searched")
	start = time.Now()

	if err := viewOf(snapshot).Verify(context.Background(), nil); err != nil {
		b.Fatal(err)
	}
	took("verify", start)

	for name, value := range metrics {
		b.ReportMetric(value, name)
	}
}

// buildMapped builds an index from 100,000 documents that are repeated with other ids.
func buildMapped(b *testing.B) {
	e, err := Open(*mappedIndex, Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()

	ctx := context.Background()
	w := newWorld(1)
	documents := make([]*engine.Document, min(*mappedSize, 100_000))
	for i := range documents {
		documents[i] = w.document(i)
	}

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

	for i := range *mappedSize {
		d := documents[i%len(documents)]
		d.Freelancer.ID = fmt.Sprintf("freelancer-%08d", i)
		if err := bulk.Add(ctx, d); err != nil {
			b.Fatal(err)
		}
	}

	if _, err := bulk.Close(ctx); err != nil {
		b.Fatal(err)
	}

	if _, err := e.PointAlias(ctx, "all", "bench"); err != nil {
		b.Fatal(err)
	}
}

// addMemory adds the resident memory of the process, after a collection of garbage, to metrics: that of the heap and
// the like, and that of mapped files.
func addMemory(b *testing.B, metrics map[string]float64, when string) {
	runtime.GC()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip(err)
	}
	for line := range strings.Lines(string(status)) {
		var kB float64
		name, value, _ := strings.Cut(line, ":")
		if _, err := fmt.Sscanf(value, "%f kB", &kB); err == nil && (name == "RssAnon" || name == "RssFile") {
			metrics[when+"-"+name+"-MB"] = kB / 1024
		}
	}
}
