package enginetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

// Engine is both halves of an engine.
type Engine interface {
	engine.Searcher
	engine.Indexer
}

// Options are what the suite must know of an engine.
type Options struct {
	// New makes fresh storage, and returns what opens an engine on it, each time as another process would. The engines
	// close by t.Cleanup.
	New func(t *testing.T) (open func() Engine)
	// TextError is the most that rounding may add to, or take from, what a term earns a document, as a share of
	// weight · idf.
	TextError float64
	// BandError is the most that putting similar signals into bands may add to, or take from, Fit + Quality of the
	// suite, which are at most .3 together and nowhere steep.
	BandError float64
	// Approximate is set where an engine finds hits by estimates: then one of a hundred of the best ten may be missing from
	// queries without vectors too.
	Approximate bool
	// SnapshotsExpire is set where a snapshot ends with its index.
	SnapshotsExpire bool
	// ReplacedStillCount is set where replaced documents still count, for a while, in how rare a term is and how long documents are
	// on average: then random queries are asked of documents that do not replace each other.
	ReplacedStillCount bool
	// Large is the number of documents of one more run against BruteForce: enough that the engine needs more than one
	// of its parts.
	Large int
}

// Run is the contract suite: one line in the tests of an engine.
func Run(t *testing.T, o Options) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(t *testing.T, o Options)
	}{
		{"nothing loaded yet", testNothingLoaded},
		{"one indexer at a time", testLock},
		{"an index is made once and filled once", testCreate},
		{"an unfinished index is listed and never served", testUnfinished},
		{"what an index says of itself", testInfo},
		{"an alias moves in one step and knows the way back", testAlias},
		{"a snapshot stays with its index", testSnapshot},
		{"an index that an alias points to is not dropped", testDrop},
		{"a later document replaces an earlier one", testReplace},
		{"documents that cannot be stored are counted", testFailed},
		{"records come back as they were", testRecords},
		{"statistics", testStatistics},
		{"vocabulary", testVocabulary},
		{"filters", testFilters},
		{"evidence", testEvidence},
		{"text and its reference", testText},
		{"signals order equals", testSignals},
		{"who is a hit, and how many", testHits},
		{"who is a hit by vectors", testVectorHits},
		{"vectors order equals", testVectorOrder},
		{"vectors of a replaced document", testVectorReplaced},
		{"vectors that do not fit are errors", testVectorErrors},
		{"vector spaces stay with their index", testVectorSpaces},
		{"an empty index answers", testEmpty},
		{"a cancelled context ends the work", testCancelled},
		{"searches never fail while the alias moves", testSwaps},
		{"random queries agree with brute force", testBruteForce},
		{"a finished index is changed in place", testUpdate},
		{"what cannot be changed in place", testUpdateErrors},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, o) })
	}
}

// alias is the one that the suite serves.
const alias = "freelancers"

// created is when indexes of the suite were made; later ones add to it.
var created = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

func spec(t *testing.T, name string) engine.Spec {
	t.Helper()
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		t.Fatal(err)
	}
	return engine.Spec{
		Name: name, Mapping: mapping, Source: "generated", Currency: "EUR", Taxonomy: "v1-test", Created: created,
	}
}

// create makes an index and begins to fill it.
func create(t *testing.T, e Engine, name string, spaces ...matching.VectorSpace) engine.Bulk {
	t.Helper()
	s := spec(t, name)
	s.Vectors = spaces
	if err := e.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	bulk, err := e.Bulk(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return bulk
}

// build makes a complete index.
func build(t *testing.T, e Engine, name string, documents ...*engine.Document) engine.BulkResult {
	t.Helper()
	return fill(t, create(t, e, name), documents...)
}

// fill adds documents and finishes the index.
func fill(t *testing.T, bulk engine.Bulk, documents ...*engine.Document) engine.BulkResult {
	t.Helper()
	for _, d := range documents {
		if err := bulk.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	result, err := bulk.Close(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// serve builds an index, points the alias to it, and opens it.
func serve(t *testing.T, e Engine, name string, documents ...*engine.Document) engine.Snapshot {
	t.Helper()
	return serveVectors(t, e, name, nil, documents...)
}

// serveVectors is serve for documents with vectors of these spaces.
func serveVectors(
	t *testing.T, e Engine, name string, spaces []matching.VectorSpace, documents ...*engine.Document,
) engine.Snapshot {
	t.Helper()
	fill(t, create(t, e, name, spaces...), documents...)
	if _, err := e.PointAlias(t.Context(), alias, name); err != nil {
		t.Fatal(err)
	}
	return open(t, e, name)
}

// open is the snapshot of an index that the alias was pointed to, as soon as the engine has noticed.
func open(t *testing.T, e Engine, name string) engine.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		s, err := e.Open(ctx, alias)
		if err == nil && s.Info().Name == name {
			return s
		}
		if err != nil && !errors.Is(err, engine.ErrNotFound) {
			t.Fatal(err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("the engine never noticed that %q points to %q", alias, name)
		}
	}
}

func search(t *testing.T, s engine.Snapshot, q *engine.Query) *engine.Page {
	t.Helper()
	page, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("search %v: %v", q, err)
	}
	return page
}

// found is the ids of the hits, in their order.
func found(t *testing.T, s engine.Snapshot, q *engine.Query) []string {
	t.Helper()
	ids := []string{}
	for _, hit := range search(t, s, q).Hits {
		ids = append(ids, hit.ID)
	}
	return ids
}

func wantError(t *testing.T, doing string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: error %v, want %v", doing, got, want)
	}
}

// document is a freelancer with an id; the rest is for the caller to set.
func document(id string, with ...func(*engine.Document)) *engine.Document {
	d := &engine.Document{Freelancer: matching.Freelancer{ID: id}}
	for _, set := range with {
		set(d)
	}
	return d
}

func terms(texts ...string) func(*engine.Document) {
	return func(d *engine.Document) { d.Terms = append(d.Terms, texts...) }
}

func skill(id string, evidence matching.Evidence) func(*engine.Document) {
	return func(d *engine.Document) { d.Skills = append(d.Skills, engine.Skill{ID: id, Evidence: evidence}) }
}

func family(id string) func(*engine.Document) {
	return func(d *engine.Document) { d.Families = append(d.Families, id) }
}

func signals(set func(*matching.Signals)) func(*engine.Document) {
	return func(d *engine.Document) { set(&d.Freelancer.Signals) }
}

func vectors(of ...matching.Vector) func(*engine.Document) {
	return func(d *engine.Document) { d.Vectors = of }
}

// credit is what evidence earns in the suite.
var credit = [matching.Listed + 1]float64{0, .3, .5, .7, .9, 1}
