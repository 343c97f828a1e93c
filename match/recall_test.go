package match

import (
	"flag"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic"
	"github.com/freelancer-matching/service/internal/synthetic/realistic"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

var (
	recallDocuments = flag.Int("recall-documents", 5000,
		"number of freelancers in the recall test; docs/benchmarks.md covers 100,000 and 1,000,000")

	realisticDocuments = flag.Int("realistic-documents", 3000, "number of freelancers with as many words as real ones")
	realisticBriefs    = flag.Int("realistic-briefs", 24, "number of briefs with as many words as real ones")
	recallBriefs       = flag.Int("recall-briefs", 200, "number of briefs in the recall test")
)

// Ranking can't recover what retrieval misses: the ten freelancers with the highest exact scores must be the first ten
// hits. Every fourth brief asks for a single skill and nothing else, which is the hardest case: everyone
// with that skill gets the same skills score, so only the other signals decide.
func TestRetrieval_Recall(t *testing.T) {
	const k = 10
	briefs := *recallBriefs
	if testing.Short() {
		briefs = 20
	}

	generator, err := synthetic.New()
	if err != nil {
		t.Fatal(err)
	}

	s, snapshot := newService(t, generator)
	profile, err := ranking.Load("")
	if err != nil {
		t.Fatal(err)
	}

	sum := 0.
	worst := 1.
	n := 0
	for b := range generator.Briefs(7) {
		if n++; n > briefs {
			break
		}

		b.Filters = matching.Filters{} // filters apply to the window and to all freelancers alike
		if n%4 == 0 && len(b.RequiredSkills) > 0 {
			b = matching.Brief{RequiredSkills: b.RequiredSkills[:1]}
		}

		all := s.scores(t, snapshot, profile, &b, snapshot.Info().Documents)
		found := s.scores(t, snapshot, profile, &b, k)
		recall := eval.RetrievalRecall(all, found, min(k, len(found))) // others have nothing in common with the brief
		sum += recall
		worst = min(worst, recall)
	}

	got := sum / float64(briefs)
	t.Logf("recall@%d among %d freelancers: %.4f, worst brief %.2f", k, snapshot.Info().Documents, got, worst)
	if got < 1 {
		t.Errorf("recall@%d is %.4f, want 1", k, got)
	}
}

// The pages of briefs with as many words as real ones are the freelancers with the highest exact scores. On such words,
// hardly any tile is skipped, and the sieves drop the documents.
func TestRetrieval_RecallOfRealisticWords(t *testing.T) {
	generator, err := realistic.New()
	if err != nil {
		t.Fatal(err)
	}
	s, snapshot := newServiceIn(t, *kindsData, generator.Freelancers(*realisticDocuments, 1))
	profile, err := ranking.Load("")
	if err != nil {
		t.Fatal(err)
	}

	briefs := 0
	for b := range generator.Briefs(7) {
		if briefs++; briefs > *realisticBriefs {
			break
		}
		if briefs%3 == 0 {
			tightenBudget(&b)
		}

		all := s.scores(t, snapshot, profile, &b, snapshot.Info().Documents)
		for _, size := range []int{10, 410} {
			found := s.scores(t, snapshot, profile, &b, size)
			if recall := eval.RetrievalRecall(all, found, min(size, len(all))); recall < 1 {
				t.Errorf("brief %d: the page of %d has %.3f of the best", briefs, size, recall)
			}
		}
	}
}

// Nobody with none of the required skills and no related one is ranked before somebody who has all of them, unless that
// person's title and description contradict one, or price and time differ. The ranking doesn't guarantee this for any
// data, but without the discount, a quarter of these briefs would show such a pair.
func TestMatch_NoneIsNeverBeforeAll(t *testing.T) {
	generator, err := synthetic.New()
	if err != nil {
		t.Fatal(err)
	}

	s, snapshot := newService(t, generator)
	profiles := ranking.Names()
	n := 0
	compared := 0
	for b := range generator.Briefs(8) {
		if n++; n > 100 {
			break
		}

		b.Filters = matching.Filters{}
		b.Budget = matching.Optional[matching.Budget]{}
		b.TimelineDays = matching.Optional[int]{}
		b.RequiredSkills = b.RequiredSkills[:min(1+n%3, len(b.RequiredSkills))]
		profile := s.profiles[profiles[n%len(profiles)]]
		understood, err := s.understand(t.Context(), snapshot, profile, &b)
		if err != nil {
			t.Fatal(err)
		}

		d := understood.demand
		if d.derived || d.required == 0 {
			continue
		}

		d.size = DefaultWindow
		r, err := s.retrieve(t.Context(), snapshot, profile, understood.inData, &d)
		if err != nil {
			t.Fatal(err)
		}

		none, all := "", ""
		for _, ranked := range r.scorer.Rank(r.candidates) {
			c := &r.candidates[ranked.Index]
			f, err := snapshot.Fetch(t.Context(), []string{c.ID})
			if err != nil {
				t.Fatal(err)
			}

			facts := d.facts(s.reader, &f[0], c.Evidence)
			matched := 0
			related := false
			for i, evidence := range c.Evidence[:d.required] {
				switch {
				case facts.Contradicted[i]:
					matched = -d.required // neither none nor all
				case evidence.Matches():
					matched++
				case evidence == matching.Sibling:
					related = true
				}
			}

			switch {
			case matched == 0 && !related:
				none = c.ID
			case matched == d.required:
				if all = c.ID; none != "" {
					t.Errorf("%s with none of the skills %q is before %s with all of them", none, b.RequiredSkills, all)
				}
			}
		}

		if none != "" && all != "" {
			compared++
		}
	}

	if compared < 20 {
		t.Errorf("only %d briefs found both kinds of freelancers", compared)
	}
}

// scores returns the exact scores of the best hits, best first. If all documents are asked for, the engine scores
// freelancers who have nothing in common with the brief, too; they are left out, because they are no hits, even if they
// are the only ones within the budget.
func (s *Service) scores(
	t *testing.T, snapshot engine.Snapshot, profile *ranking.Profile, b *matching.Brief, size int,
) []float64 {
	t.Helper()
	understood, err := s.understand(t.Context(), snapshot, profile, b)
	if err != nil {
		t.Fatal(err)
	}

	d := understood.demand
	d.size, d.matchAll = size, size >= snapshot.Info().Documents
	r, err := s.retrieve(t.Context(), snapshot, profile, understood.inData, &d)
	if err != nil {
		t.Fatal(err)
	}

	var scores []float64
	for _, ranked := range r.scorer.Rank(r.candidates) {
		c := &r.candidates[ranked.Index]
		shares := func(e matching.Evidence) bool { return e != matching.NoEvidence }
		near := r.query.Semantic != nil && c.Semantic > r.query.Semantic.Hit
		if c.Text > 0 || slices.ContainsFunc(c.Evidence, shares) || near {
			scores = append(scores, ranked.Score)
		}
	}

	return scores
}

// newService returns a service over generated freelancers, a fifth of them in short mode.
func newService(tb testing.TB, generator *synthetic.Generator) (*Service, engine.Snapshot) {
	tb.Helper()
	size := *recallDocuments
	if testing.Short() {
		size /= 5 // still twice the window
	}
	return newServiceOf(tb, generator.Freelancers(size, 1))
}

// newServiceOf returns a service over the given freelancers.
func newServiceOf(tb testing.TB, people iter.Seq[matching.Freelancer]) (*Service, engine.Snapshot) {
	tb.Helper()
	return newServiceIn(tb, tb.TempDir(), people)
}

// newServiceIn returns a service with its index in a folder, of the given freelancers unless the folder has an index.
func newServiceIn(tb testing.TB, dir string, people iter.Seq[matching.Freelancer]) (*Service, engine.Snapshot) {
	tb.Helper()
	if dir == "" {
		dir = tb.TempDir()
	}
	log := slog.New(slog.DiscardHandler)
	e, err := embedded.Open(dir, embedded.Options{Log: log})
	if err != nil {
		tb.Fatal(err)
	}

	tb.Cleanup(func() { e.Close() })
	skills := knownSkills(tb)
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		tb.Fatal(err)
	}

	vectors, err := embedding.Load()
	if err != nil {
		tb.Fatal(err)
	}

	ctx := tb.Context()
	analyzer := analysis.New()
	preparer := documents.NewPreparer(skills, analyzer, vectors)
	snapshot, err := e.Open(ctx, Alias)
	if err != nil {
		buildIndex(tb, e, mapping, preparer, people)
		snapshot, err = e.Open(ctx, Alias)
	}
	if err != nil {
		tb.Fatal(err)
	}

	s, err := New(Config{
		Engine:   e,
		Taxonomy: skills,
		Analyzer: analyzer,
		Embedder: vectors,
		Window:   DefaultWindow,
		Log:      log,
	})
	if err != nil {
		tb.Fatal(err)
	}

	return s, snapshot
}

// buildIndex makes an index of freelancers and points the alias at it.
func buildIndex(
	tb testing.TB, e *embedded.Engine, mapping mappings.Mapping, preparer *documents.Preparer,
	people iter.Seq[matching.Freelancer],
) {
	tb.Helper()
	ctx := tb.Context()
	if err := e.Create(ctx, engine.Spec{
		Name: "test", Mapping: mapping, Vectors: preparer.Spaces(), Created: time.Now(),
	}); err != nil {
		tb.Fatal(err)
	}

	bulk, err := e.Bulk(ctx, "test", nil)
	if err != nil {
		tb.Fatal(err)
	}

	for f := range people {
		documents, err := preparer.Prepare(ctx, []matching.Freelancer{f})
		if err != nil {
			tb.Fatal(err)
		}

		if err := bulk.Add(ctx, documents[0]); err != nil {
			tb.Fatal(err)
		}
	}

	if _, err := bulk.Close(ctx); err != nil {
		tb.Fatal(err)
	}

	if _, err := e.PointAlias(ctx, Alias, "test"); err != nil {
		tb.Fatal(err)
	}
}

func BenchmarkMatch(b *testing.B) {
	generator, err := synthetic.New()
	if err != nil {
		b.Fatal(err)
	}

	s, snapshot := newService(b, generator)
	var briefs []matching.Brief
	for brief := range generator.Briefs(3) {
		brief.Limit = 10
		if briefs = append(briefs, brief); len(briefs) == 200 {
			break
		}
	}

	b.Run(fmt.Sprintf("documents=%d", snapshot.Info().Documents), func(b *testing.B) {
		benchmarkMatch(b, s, briefs)
	})
}

// benchmarkMatch reports how long matches take, and how much processor time they take of all goroutines. Each brief
// counts with the shortest of its turns, so that other programs on the machine matter less.
func benchmarkMatch(b *testing.B, s *Service, briefs []matching.Brief) {
	b.Helper()
	type cost struct{ duration, processor time.Duration }
	lowest := make([]cost, len(briefs))
	b.ReportAllocs()
	turns := 0
	for ; b.Loop(); turns++ {
		start := time.Now()
		startProcessor := processTime()
		if _, err := s.Match(b.Context(), &briefs[turns%len(briefs)]); err != nil {
			b.Fatal(err)
		}

		took := cost{time.Since(start), processTime() - startProcessor}
		of := &lowest[turns%len(briefs)]
		if turns < len(briefs) {
			*of = took
		}
		of.duration = min(of.duration, took.duration)
		of.processor = min(of.processor, took.processor)
	}

	report := func(name string, part func(cost) time.Duration) {
		var durations []time.Duration
		for _, of := range lowest[:min(turns, len(lowest))] {
			durations = append(durations, part(of))
		}
		slices.Sort(durations)
		b.ReportMetric(float64(durations[len(durations)/2].Microseconds())/1e3, "p50-"+name)
		b.ReportMetric(float64(durations[len(durations)*99/100].Microseconds())/1e3, "p99-"+name)
	}
	report("ms", func(c cost) time.Duration { return c.duration })
	report("cpu-ms", func(c cost) time.Duration { return c.processor })
}
