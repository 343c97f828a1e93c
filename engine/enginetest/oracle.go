package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/enginetest/bruteforce"
	"github.com/freelancer-matching/service/engine/enginetest/random"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// An Oracle draws random documents, remembers which of them an index contains after random changes, and compares the
// index with package bruteforce.
type Oracle struct {
	Rand *rand.Rand
	// Documents are those that the index contains, in the order in which they were put last.
	Documents []*engine.Document

	bm25   mappings.BM25
	clouds []*random.Cloud
	ids    int
	puts   int
}

// NewOracle returns an oracle for an index with about the given number of documents.
func NewOracle(bm25 mappings.BM25, seed uint64, documents int) *Oracle {
	rng := rand.New(rand.NewPCG(seed, 11))
	clouds := []*random.Cloud{random.NewCloud(rng, 64), random.NewCloud(rng, 70)}
	return &Oracle{Rand: rng, bm25: bm25, clouds: clouds, ids: documents}
}

// Spaces returns the vector spaces of the documents.
func (o *Oracle) Spaces() []matching.VectorSpace {
	return []matching.VectorSpace{o.clouds[0].Space(), o.clouds[1].Space()}
}

// ID returns a random id. About half of them belong to documents.
func (o *Oracle) ID() string { return fmt.Sprintf("id-%d", o.Rand.IntN(2*o.ids)) }

// Document returns a random document with a random id.
func (o *Oracle) Document() *engine.Document {
	d := random.Document(o.Rand, o.ids)
	o.puts++
	d.Freelancer.ID, d.Freelancer.Name = o.ID(), fmt.Sprintf("Put %d", o.puts)
	for _, cloud := range o.clouds {
		d.Vectors = append(d.Vectors, cloud.Vector())
	}
	return d
}

// Query returns a random query.
func (o *Oracle) Query() *engine.Query {
	q := random.Query(o.Rand, o.ids, suiteQuery())
	if o.Rand.IntN(2) == 0 {
		q.Semantic = random.Semantic(o.Rand, o.clouds)
	}
	if o.Rand.IntN(2) == 0 {
		q.Compare = random.Compare(o.Rand, o.clouds)
	}
	return q
}

// Put records that a document was put.
func (o *Oracle) Put(d *engine.Document) {
	o.Delete(d.Freelancer.ID)
	o.Documents = append(o.Documents, d)
}

// Delete records that a document was deleted.
func (o *Oracle) Delete(id string) {
	o.Documents = slices.DeleteFunc(o.Documents, func(d *engine.Document) bool { return d.Freelancer.ID == id })
}

// Check compares everything that a snapshot returns, but for Info, with what it should return.
func (o *Oracle) Check(t *testing.T, options Options, s engine.Snapshot, queries int) {
	t.Helper()
	o.checkRecords(t, s)
	o.checkFilters(t, s)
	vocabulary, err := s.Vocabulary(t.Context())
	if diff := cmp.Diff(bruteforce.Vocabulary(o.Documents), vocabulary); err != nil || diff != "" {
		t.Errorf("vocabulary: %v (-want +got):\n%s", err, diff)
	}

	skills := []string{"skill-0", "skill-7", "skill-19", "skill-99"}
	statistics, err := s.Statistics(t.Context(), skills)
	diff := cmp.Diff(bruteforce.Statistics(o.Documents, skills), statistics, cmpopts.EquateApprox(0, 1e-9))
	if err != nil || diff != "" {
		t.Errorf("statistics: %v (-want +got):\n%s", err, diff)
	}

	b := bruteforce.New(o.bm25, o.Documents)
	missed := recall{}
	for range queries {
		q := o.Query()

		// Replaced documents still count in the frequencies of such an engine, so text scores can't be compared.
		if options.ReplacedStillCount {
			q.Terms = nil
		}

		compare(t, options, s, b, q, &missed)
		if t.Failed() {
			t.Fatalf("query: %v", q)
		}
	}

	// An approximate search may miss a hit now and then. One miss is allowed in small samples.
	if missed.wanted-missed.found > 1+missed.wanted/100 {
		t.Errorf("found %d of the %d best hits that the engine may miss", missed.found, missed.wanted)
	}

	if t.Failed() {
		t.FailNow()
	}
}

// checkRecords checks Fetch and List.
func (o *Oracle) checkRecords(t *testing.T, s engine.Snapshot) {
	t.Helper()
	ids := []string{}
	want := []matching.Freelancer{}
	for _, d := range o.Documents {
		ids = append(ids, d.Freelancer.ID)
		want = append(want, d.Freelancer)
	}

	got, err := s.Fetch(t.Context(), ids)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("fetch: %v (-want +got):\n%s", err, diff)
	}

	// IDs that were deleted or never added must not be found.
	for range 10 {
		if id := o.ID(); !slices.Contains(ids, id) {
			_, err := s.Fetch(t.Context(), []string{id})
			checkError(t, "fetch "+id, err, engine.ErrNotFound)
		}
	}

	// Pages start after any id, which need not exist.
	slices.Sort(ids)
	after := o.ID()
	from, found := slices.BinarySearch(ids, after)
	if found {
		from++
	}

	ids = ids[from:min(len(ids), from+20)]
	listed, err := s.List(t.Context(), engine.Filters{}, after, 20)
	if diff := cmp.Diff(ids, listed, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Errorf("list after %s: %v (-want +got):\n%s", after, err, diff)
	}
}

// checkFilters checks Count, CountEach and CountUnknown. compare checks further counts.
func (o *Oracle) checkFilters(t *testing.T, s engine.Snapshot) {
	t.Helper()
	filters := []engine.Filters{{}, random.Filters(o.Rand, o.ids), random.Filters(o.Rand, o.ids)}
	want := make([]int, len(filters))
	for i, f := range filters {
		unknown := 0
		for _, d := range o.Documents {
			if bruteforce.Passes(d, f) {
				want[i]++
			}
			if bruteforce.HasUnknown(d, f) {
				unknown++
			}
		}

		if n, err := s.CountUnknown(t.Context(), f); n != unknown || err != nil {
			t.Errorf("count unknown %v = %d, %v; want %d", f, n, err, unknown)
		}
	}

	if got, err := s.CountEach(t.Context(), filters); err != nil || !slices.Equal(got, want) {
		t.Errorf("counts of %v = %v, %v; want %v", filters, got, err, want)
	}
}

// testRandomChanges makes random changes by several engines, compares every snapshot with an Oracle, and also those of
// engines that are opened later.
func testRandomChanges(t *testing.T, o Options) {
	storage := o.New(t)
	engines := []Engine{storage(), storage()}
	const documents, rounds = 50, 12
	oracle := NewOracle(spec(t, "").Mapping.BM25, 3, documents)
	for range documents {
		oracle.Put(oracle.Document())
	}

	oracle.Check(t, o, serveVectors(t, engines[0], "index", oracle.Spaces(), oracle.Documents...), 2)
	open(t, engines[1], "index")
	for round := range rounds {
		e := engines[round%2]
		var changes []engine.Change
		var want []engine.Outcome
		for range 1 + oracle.Rand.IntN(15)*oracle.Rand.IntN(2) {
			change := engine.Change{ID: oracle.ID()}
			if oracle.Rand.IntN(4) > 0 {
				change.Document = oracle.Document()
				change.ID = change.Document.Freelancer.ID
			}

			changes = append(changes, change)
			want = append(want, oracle.apply(change))
		}

		if diff := cmp.Diff(want, apply(t, e, changes...)); diff != "" {
			t.Fatalf("round %d: outcomes (-want +got):\n%s", round, diff)
		}

		// Without an effect, the engine need not have read the changes of the other one yet.
		if slices.ContainsFunc(want, func(o engine.Outcome) bool { return o.Before != o.After }) {
			oracle.Check(t, o, current(t, e), 2)
		}
	}

	oracle.Check(t, o, current(t, storage()), 5)
}

// apply records a change and returns its outcome.
func (o *Oracle) apply(c engine.Change) (outcome engine.Outcome) {
	for _, d := range o.Documents {
		if d.Freelancer.ID == c.ID {
			outcome.Before = engine.Version(&d.Freelancer)
		}
	}
	if c.Document == nil {
		o.Delete(c.ID)
		return outcome
	}
	o.Put(c.Document)
	outcome.After = engine.Version(&c.Document.Freelancer)
	return outcome
}
