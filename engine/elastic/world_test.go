//go:build integration

package elastic_test

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"slices"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/taxonomy"
)

// A world holds generated freelancers and everything that the service needs to search them.
type world struct {
	size      int
	generator *synthetic.Generator
	taxonomy  *taxonomy.Taxonomy
	analyzer  *analysis.Analyzer
	model     *embedding.Model
	preparer  *documents.Preparer
}

func newWorld(tb testing.TB, size int) *world {
	tb.Helper()
	cluster(tb) // skips the test before the expensive setup
	w := &world{size: size, analyzer: analysis.New()}
	var errs [3]error
	w.generator, errs[0] = synthetic.New()
	w.taxonomy, errs[1] = taxonomy.Load()
	w.model, errs[2] = embedding.Load()
	if err := errors.Join(errs[:]...); err != nil {
		tb.Fatal(err)
	}
	w.preparer = documents.NewPreparer(w.taxonomy, w.analyzer, w.model)
	return w
}

// benchIndex is the name of the index. Change its number whenever documents change.
const benchIndex = "search-1"

// load indexes the freelancers and points the alias to the index, unless that has been done.
func (w *world) load(tb testing.TB, o elastic.Options) {
	tb.Helper()
	e := openEngine(tb, o)
	ctx := tb.Context()
	if s, err := e.OpenIndex(ctx, benchIndex); err == nil && s.Info().Documents == w.size {
		return
	}
	if err := e.Drop(ctx, benchIndex); err != nil {
		tb.Fatal(err)
	}
	spec := spec(tb, benchIndex)
	spec.Taxonomy, spec.Vectors = w.taxonomy.Version(), w.preparer.Spaces()
	fill(tb, e, spec, w.documents(tb))
	if _, err := e.PointAlias(ctx, match.Alias, benchIndex); err != nil {
		tb.Fatal(err)
	}
}

// documents yields all documents. It prepares a thousand at a time.
func (w *world) documents(tb testing.TB) iter.Seq[*engine.Document] {
	tb.Helper()
	return func(yield func(*engine.Document) bool) {
		freelancers := slices.Collect(w.generator.Freelancers(w.size, 1))
		for chunk := range slices.Chunk(freelancers, 1000) {
			documents, err := w.preparer.Prepare(tb.Context(), chunk)
			if err != nil {
				tb.Fatal(err)
			}
			for _, d := range documents {
				if !yield(d) {
					return
				}
			}
		}
	}
}

// queries returns the queries that the service makes for 200 briefs. Every fourth brief consists of one skill.
func (w *world) queries(tb testing.TB, s engine.Snapshot, window int, vectors bool) []*engine.Query {
	tb.Helper()
	var queries []*engine.Query
	service, err := match.New(match.Config{
		Engine: recorder{s, &queries}, Taxonomy: w.taxonomy, Analyzer: w.analyzer, Embedder: w.model,
		Window: window, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		tb.Fatal(err)
	}

	n := 0
	for brief := range w.generator.Briefs(7) {
		if n++; n > 200 {
			break
		}
		brief.Filters = matching.Filters{}
		if n%4 == 0 && len(brief.RequiredSkills) > 0 {
			brief = matching.Brief{RequiredSkills: brief.RequiredSkills[:1]}
		}

		brief.Limit = 10
		if _, err := service.Match(tb.Context(), &brief); err != nil {
			tb.Fatal(err)
		}
	}

	for _, q := range queries {
		if !vectors {
			q.Semantic = nil
		}
	}

	return queries
}

// A recorder is a snapshot that records its queries.
type recorder struct {
	engine.Snapshot
	queries *[]*engine.Query
}

func (r recorder) Open(context.Context, string) (engine.Snapshot, error) { return r, nil }

func (r recorder) Search(ctx context.Context, q *engine.Query) (*engine.Page, error) {
	*r.queries = append(*r.queries, q)
	return r.Snapshot.Search(ctx, q)
}

// open returns a snapshot of the index that the alias points to.
func open(tb testing.TB, o elastic.Options) engine.Snapshot {
	tb.Helper()
	s, err := openEngine(tb, o).Open(tb.Context(), match.Alias)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}
