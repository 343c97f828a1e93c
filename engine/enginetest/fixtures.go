package enginetest

import (
	"errors"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// An Engine is an engine under test.
type Engine interface {
	engine.Searcher
	engine.Indexer
}

// Options tell the suite how to make an engine, and which liberties of the contract it takes.
type Options struct {
	// New makes empty storage and returns a function that opens an engine on it, each time as a separate process would.
	// The engines must be closed by t.Cleanup.
	New func(t *testing.T) (open func() Engine)
	// TextError is the largest rounding error in what a term earns a document, as a share of weight · idf.
	TextError float64
	// SumError is the largest error of recovering a text score from a sum with the scores of skills, as a share of
	// Scored.Scale. It adds to TextError.
	SumError float64
	// BandError is the largest error in the sum of the suite's Fit and Quality that grouping similar signals may cause.
	// That sum is at most .3 and steep nowhere.
	BandError float64
	// Approximate means that the engine may miss one in a hundred of the ten best hits of any query, not only of those
	// with vectors, and more if Fit and Quality weigh more than the rest, and that the scores of a document vary between
	// queries by the errors above.
	Approximate bool
	// SnapshotsExpire means that a snapshot becomes unusable when its index is dropped.
	SnapshotsExpire bool
	// ReplacedStillCount means that replaced documents count for a while in the document frequencies and in the mean
	// length. Random queries then run on documents that don't replace each other.
	ReplacedStillCount bool
	// Large is the number of documents of an additional run against package bruteforce, chosen so that the engine needs
	// more than one of its parts, such as blocks or pages. 0 skips that run.
	Large int
}

// alias is the alias that the tests serve.
const alias = "freelancers"

// created is the creation time of the suite's indexes.
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

// create creates an index and starts to fill it.
func create(t *testing.T, e Engine, name string, spaces ...matching.VectorSpace) engine.Bulk {
	t.Helper()
	s := spec(t, name)
	s.Vectors = spaces
	return createSpec(t, e, s)
}

func createSpec(t *testing.T, e Engine, s engine.Spec) engine.Bulk {
	t.Helper()
	if err := e.Create(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	bulk, err := e.Bulk(t.Context(), s.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return bulk
}

// build creates a complete index.
func build(t *testing.T, e Engine, name string, documents ...*engine.Document) engine.BulkResult {
	t.Helper()
	return fill(t, create(t, e, name), documents...)
}

// fill adds documents and completes the index.
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

// serve builds an index, points the alias to it and opens it.
func serve(t *testing.T, e Engine, name string, documents ...*engine.Document) engine.Snapshot {
	t.Helper()
	return serveVectors(t, e, name, nil, documents...)
}

// serveVectors does the same as serve for documents with vectors of the given spaces.
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

// open returns a snapshot of an index that the alias was pointed to, once the engine has noticed.
func open(t *testing.T, e Engine, name string) engine.Snapshot {
	t.Helper()
	return openWhen(t, e, func(info engine.Info) bool { return info.Name == name })
}

// openWhen opens the alias until the index it points to is ready. The bound on the time only ends a test that would
// never pass.
func openWhen(t *testing.T, e Engine, ready func(engine.Info) bool) engine.Snapshot {
	t.Helper()
	var last engine.Info
	for start := time.Now(); time.Since(start) < 5*time.Minute; time.Sleep(2 * time.Millisecond) {
		s, err := e.Open(t.Context(), alias)
		switch {
		case errors.Is(err, engine.ErrNotFound):
		case err != nil:
			t.Fatal(err)
		case ready(s.Info()):
			return s
		default:
			last = s.Info()
		}
	}
	t.Fatalf("the engine never noticed a change; last seen: %+v", last)
	return nil
}

func search(t *testing.T, s engine.Snapshot, q *engine.Query) *engine.Page {
	t.Helper()
	page, err := s.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("search %v: %v", q, err)
	}
	return page
}

// hitIDs returns the ids of the hits in order.
func hitIDs(t *testing.T, s engine.Snapshot, q *engine.Query) []string {
	t.Helper()
	ids := []string{}
	for _, hit := range search(t, s, q).Hits {
		ids = append(ids, hit.ID)
	}
	return ids
}

// scanIDs returns the ids of all freelancers of an index in the order of Scan.
func scanIDs(t *testing.T, e Engine, index string) []string {
	t.Helper()
	ids := []string{}
	for f, err := range e.Scan(t.Context(), index) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, f.ID)
	}
	return ids
}

func checkError(t *testing.T, operation string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got error %v, want %v", operation, got, want)
	}
}

// document returns a document with an id and whatever the given functions set.
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

func labels(of ...string) func(*engine.Document) {
	return func(d *engine.Document) { d.Labels = append(d.Labels, of...) }
}

func availableFrom(day int) func(*engine.Document) {
	return func(d *engine.Document) { d.Schedule.From = matching.Some(day) }
}

func hoursPerWeek(hours float64) func(*engine.Document) {
	return func(d *engine.Document) { d.Schedule.HoursPerWeek = matching.Some(hours) }
}

func signals(set func(*matching.Signals)) func(*engine.Document) {
	return func(d *engine.Document) { set(&d.Freelancer.Signals) }
}

func vectors(of ...matching.Vector) func(*engine.Document) {
	return func(d *engine.Document) { d.Vectors = of }
}

// suiteQuery returns a query with the credit and the functions of signals that the suite uses.
func suiteQuery() *engine.Query {
	return &engine.Query{Credit: credit, Fit: fit, Quality: quality}
}

// credit is the suite's Query.Credit.
var credit = [matching.Listed + 1]float64{0, .3, .5, .7, .9, 1}
