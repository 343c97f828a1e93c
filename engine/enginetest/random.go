package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// testBruteForce compares random queries on random documents with BruteForce.
func testBruteForce(t *testing.T, o Options) {
	for _, c := range []struct {
		documents, queries int
		dimensions         []int
	}{
		{1, 20, []int{64, 384}},
		{300, 300, []int{64, 384}},
		{o.Large, 30, []int{64, 96}}, // long vectors would take most of the time, above all under the race detector
	} {
		if c.documents == 0 {
			continue
		}

		t.Run(fmt.Sprintf("documents=%d", c.documents), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(c.documents), 7))
			clouds := []*cloud{newCloud(rng, c.dimensions[0]), newCloud(rng, c.dimensions[1])}
			var documents []*engine.Document
			for range c.documents {
				d := randomDocument(rng, c.documents)
				for _, cloud := range clouds {
					d.Vectors = append(d.Vectors, cloud.vector())
				}
				documents = append(documents, d)
			}

			if o.ReplacedStillCount {
				documents = distinct(documents)
			}

			spaces := []matching.VectorSpace{clouds[0].space(), clouds[1].space()}
			s := serveVectors(t, o.New(t)(), "random", spaces, documents...)
			vocabulary, err := s.Vocabulary(t.Context())
			if diff := cmp.Diff(Vocabulary(documents), vocabulary); err != nil || diff != "" {
				t.Fatalf("vocabulary: %v (-want +got):\n%s", err, diff)
			}

			b := NewBruteForce(spec(t, "").Mapping.BM25, documents)
			var r recall
			queries := c.queries
			if o.Approximate {
				queries = max(queries, 120) // since a few queries have most of the misses
			}

			for i := range queries {
				q := randomQuery(rng, c.documents)
				if rng.IntN(3) > 0 {
					q.Semantic = randomSemantic(rng, clouds)
				}

				if rng.IntN(3) == 0 {
					q.Compare = randomCompare(rng, clouds)
				}

				if i%15 == 0 {
					q.Size = 2 * c.documents // all hits
				}

				compare(t, o, s, b, q, &r)

				if i%15 == 0 {
					checkRank(t, s, q, search(t, s, q))
				}

				if t.Failed() {
					t.Fatalf("query: %v", q)
				}
			}

			t.Logf("found %d of the %d best hits that the engine may miss", r.found, r.wanted)
			// One miss in a small sample says nothing about the average. Approximate engines may miss several hits of one query,
			// so that a run may miss twice the average.
			missed := r.wanted - r.found
			allowed := 1 + r.wanted/100
			if o.Approximate {
				allowed = 1 + r.wanted/50
			}

			if missed > allowed {
				t.Errorf("missed %d of the %d best hits, want at most %d", missed, r.wanted, allowed)
			}
		})
	}
}

// distinct returns the last document of each id, in order.
func distinct(documents []*engine.Document) (last []*engine.Document) {
	seen := map[string]bool{}
	for _, d := range slices.Backward(documents) {
		if !seen[d.Freelancer.ID] {
			last = append(last, d)
		}
		seen[d.Freelancer.ID] = true
	}
	slices.Reverse(last)
	return last
}

// A recall counts, over the queries that an engine may answer approximately, how many of the ten best hits it finds.
type recall struct{ found, wanted int }

// compare checks the answer to one query. The order of the hits may deviate by the errors in o; their contents must be
// exact. Hits may be missing if the query has vectors or the engine is approximate; r then counts the missing ones.
func compare(t *testing.T, o Options, s engine.Snapshot, b *BruteForce, q *engine.Query, r *recall) {
	t.Helper()
	all, reference := b.Search(q)
	approximate := o.Approximate || q.Semantic != nil
	page := search(t, s, q)
	// Not by cmp.Diff, which on pages of up to 70,000 hits took most of the suite's time.
	if repeated := search(t, s, q); page.Reference != repeated.Reference ||
		!slices.EqualFunc(page.Hits, repeated.Hits, equalHits) {
		t.Error("a repeated query has another answer")
	}

	if math.Abs(page.Reference-reference) > 1e-6*reference {
		t.Errorf("reference = %v, want %v", page.Reference, reference)
	}

	wanted := min(q.Size, len(all))
	if len(page.Hits) > wanted || len(page.Hits) < wanted && !approximate {
		t.Fatalf("got %d hits, want %d: query %v", len(page.Hits), wanted, q)
	}

	exact := make(map[string]*Scored, len(all))
	for i := range all {
		exact[all[i].ID] = &all[i]
	}
	// Over the hits so far, from last to first: the highest exact score minus its slack, the lowest plus its slack.
	highest := math.Inf(-1)
	lowest := math.Inf(1)
	seen := map[string]bool{}
	// Going backward, one pass is enough to compare every hit with all that follow it.
	for i, hit := range slices.Backward(page.Hits) {
		want := exact[hit.ID]
		if want == nil || seen[hit.ID] {
			t.Fatalf("hit %d, %s: not a hit, or a duplicate", i, hit.ID)
		}

		seen[hit.ID] = true
		if !slices.Equal(want.Evidence, hit.Evidence) {
			t.Errorf("hit %d, %s: evidence %v, want %v", i, hit.ID, hit.Evidence, want.Evidence)
		}

		if want.Signals != hit.Signals {
			t.Errorf("hit %d, %s: signals %+v, want %+v", i, hit.ID, hit.Signals, want.Signals)
		}

		if tolerance := textTolerance(o, want); math.Abs(hit.Text-want.Text) > tolerance {
			t.Errorf("hit %d, %s: text %v, want %v ± %v", i, hit.ID, hit.Text, want.Text, tolerance)
		}

		if math.Abs(hit.Cosine-want.Cosine) > 1e-9 {
			t.Errorf("hit %d, %s: cosine %v, want %v", i, hit.ID, hit.Cosine, want.Cosine)
		}

		if math.Abs(hit.Compared-want.Compared) > 1e-9 {
			t.Errorf("hit %d, %s: compared %v, want %v", i, hit.ID, hit.Compared, want.Compared)
		}

		slack := slack(o, q, want, reference)
		if want.Retrieval+slack < highest {
			t.Errorf("hit %d, %s: score %v ± %v, but a later hit has %v", i, hit.ID, want.Retrieval, slack, highest)
		}

		if i > 0 && page.Hits[i-1].Retrieval < hit.Retrieval {
			t.Errorf("hit %d: its retrieval score %v is above that of the hit before it", i, hit.Retrieval)
		}

		highest = max(highest, want.Retrieval-slack)
		lowest = min(lowest, want.Retrieval+slack)
	}

	checkIndependence(t, o, s, q, page, exact)
	if len(page.Hits) < wanted {
		lowest = math.Inf(-1)
	}

	for i := range all {
		hit := &all[i]
		slack := slack(o, q, hit, reference)
		missing := !seen[hit.ID] && hit.Retrieval-slack > lowest
		switch {
		case !approximate && missing:
			t.Errorf("%s is missing: score %v ± %v, but a hit has at most %v", hit.ID, hit.Retrieval, slack, lowest)
		// An approximate engine may miss some hits; their share is checked at the end of the test.
		case approximate && i < min(10, wanted) && !(o.Approximate && signalsDecide(q, reference)):
			r.wanted++
			if !missing {
				r.found++
			}
		}
	}

	n := 0
	for _, d := range b.documents {
		if Passes(d, q.Filters) {
			n++
		}
	}

	if count, err := s.Count(t.Context(), q.Filters); count != n || err != nil {
		t.Errorf("count = %d, %v; want %d", count, err, n)
	}

	n = 0
	for _, d := range b.documents {
		if HasUnknown(d, q.Filters) {
			n++
		}
	}

	if count, err := s.CountUnknown(t.Context(), q.Filters); count != n || err != nil {
		t.Errorf("count unknown = %d, %v; want %d", count, err, n)
	}
}

// signalsDecide reports whether words, skills and meaning weigh so little that Fit and Quality decide which hits are
// best. An engine that finds candidates by words, skills and meaning can't find these.
func signalsDecide(q *engine.Query, reference float64) bool {
	weight := 0.
	if reference > 0 {
		weight += q.TextWeight
	}
	for _, s := range q.Skills {
		weight += s.Weight
	}
	if q.Semantic != nil {
		weight += q.Semantic.Weight
	}
	return weight < maxSignals
}

func equalHits(a, b engine.Hit) bool {
	return a.ID == b.ID && a.Retrieval == b.Retrieval && a.Text == b.Text && a.Cosine == b.Cosine &&
		a.Compared == b.Compared && a.Signals == b.Signals && slices.Equal(a.Evidence, b.Evidence)
}

// textTolerance returns how far the engine's text score of a document may be from the exact one.
func textTolerance(o Options, hit *Scored) float64 {
	return o.TextError*hit.MaxText + o.SumError*hit.Scale + 1e-6
}

// slack returns how far the engine's retrieval score of a document may be from the exact one.
func slack(o Options, q *engine.Query, hit *Scored, reference float64) float64 {
	slack := 1e-6
	if reference > 0 {
		slack += q.TextWeight * min(1, (o.TextError*hit.MaxText+o.SumError*hit.Scale)/reference)
	}
	if q.Fit != nil || q.Quality != nil {
		slack += o.BandError
	}
	return slack
}

// skewed returns a random number below n, small ones more often.
func skewed(rng *rand.Rand, n int) int { return int(float64(n) * rng.Float64() * rng.Float64()) }

func randomDocument(rng *rand.Rand, documents int) *engine.Document {
	// About a tenth of the ids occur twice.
	d := document(fmt.Sprintf("id-%d", rng.IntN(5*documents)))
	for range skewed(rng, 40) {
		d.Terms = append(d.Terms, fmt.Sprintf("term-%d", skewed(rng, 60)))
	}

	has := map[int]bool{}
	for range skewed(rng, 8) {
		id := skewed(rng, 20)
		if has[id] {
			continue
		}

		has[id] = true
		// The ranges are small, so that documents share skills, words and families.
		evidence := matching.InText + matching.Evidence(rng.IntN(4))
		skill(fmt.Sprintf("skill-%d", id), evidence)(d)

		if f := fmt.Sprintf("family-%d", id/4); evidence >= matching.Implied && !slices.Contains(d.Families, f) {
			family(f)(d)
		}

		d.UnknownSkills = append(d.UnknownSkills, fmt.Sprintf("Word %d", id%7))
		d.JobTitles = append(d.JobTitles, fmt.Sprintf("Title & %d", id%5))
	}

	d.UnknownSkills = slices.Compact(slices.Sorted(slices.Values(d.UnknownSkills)))
	d.JobTitles = slices.Compact(slices.Sorted(slices.Values(d.JobTitles)))
	randomLabels(rng, d)
	s := &d.Freelancer.Signals
	// Every signal is unknown in a fifth of the documents.
	if rng.IntN(5) > 0 {
		s.HourlyRate = matching.Some(math.Round(500*math.Exp(4*rng.Float64())) / 100)
	}

	if rng.IntN(5) > 0 {
		s.Rating = matching.Some(math.Round(100*(5-3*rng.Float64()*rng.Float64())) / 100)
	}

	if rng.IntN(5) > 0 {
		s.TotalSales = matching.Some(skewed(rng, 1000))
	}

	if rng.IntN(5) > 0 {
		s.Experience = matching.Some(math.Round(10*25*rng.Float64()) / 10)
	}

	if rng.IntN(5) > 0 {
		s.Availability = matching.Some(rng.IntN(2) > 0)
	}

	return d
}

// randomLabels adds a country, up to two languages and a day to a document, or labels that say that they are unknown.
func randomLabels(rng *rand.Rand, d *engine.Document) {
	d.Labels = append(d.Labels, "country:?")
	if rng.IntN(5) > 0 {
		d.Labels[0] = fmt.Sprintf("country:%d", skewed(rng, 30))
	}
	for _, i := range rng.Perm(6)[:rng.IntN(3)] {
		level := []string{"B1", "C1", "native", "?"}[rng.IntN(4)]
		d.Labels = append(d.Labels, fmt.Sprintf("lang:%d", i), fmt.Sprintf("lang:%d/%s", i, level))
	}
	if len(d.Labels) == 1 {
		d.Labels = append(d.Labels, "lang:?")
	}
	if rng.IntN(5) > 0 {
		d.AvailableFrom = matching.Some(20_000 + skewed(rng, 100))
	}
}

func randomQuery(rng *rand.Rand, documents int) *engine.Query {
	q := &engine.Query{
		TextWeight: rng.Float64(), Credit: credit, MatchAll: rng.IntN(4) == 0, Size: 1 + skewed(rng, 60),
	}

	if rng.IntN(3) == 0 {
		q.Size = 1 + rng.IntN(min(2*documents, 10_000))
	}

	for _, i := range rng.Perm(70)[:skewed(rng, 20)] { // no document has the last ten
		q.Terms = append(q.Terms, engine.Term{
			Text: fmt.Sprintf("term-%d", i), Weight: 3 * rng.Float64(), Reference: rng.IntN(2) == 0,
		})
	}

	// Skills 20 and 21 occur in no document.
	for _, i := range rng.Perm(22)[:skewed(rng, 8)] {
		c := engine.SkillClause{ID: fmt.Sprintf("skill-%d", i), Weight: rng.Float64()}
		if rng.IntN(4) > 0 {
			c.Family = fmt.Sprintf("family-%d", i/4)
		}
		c.Required = rng.IntN(3) > 0
		q.Skills = append(q.Skills, c)
	}

	if rng.IntN(2) == 0 {
		q.Discount = []float64{rng.Float64(), .5, 1}[rng.IntN(3)]
	}

	if rng.IntN(2) == 0 {
		q.Fit = fit
	}

	if rng.IntN(2) == 0 {
		q.Quality = quality
	}

	if rng.IntN(2) == 0 {
		q.Filters = randomFilters(rng, documents)
	}

	return q
}

func randomFilters(rng *rand.Rand, documents int) engine.Filters {
	var f engine.Filters
	// Each filter is rare enough that most combinations still let some documents pass.
	if rng.IntN(4) == 0 {
		f.Available = matching.Some(rng.IntN(2) > 0)
	}

	if rng.IntN(4) == 0 {
		f.MinRating = matching.Some(2 + 3*rng.Float64())
	}

	if rng.IntN(4) == 0 {
		f.MinExperience = matching.Some(25 * rng.Float64())
	}

	if rng.IntN(4) == 0 {
		f.MaxHourlyRate = matching.Some(200 * rng.Float64())
		// A limit by experience that differs from the plain one lets both decide.
		if limit := f.MaxHourlyRate.Value; limit < 150 {
			f.RateLimit = matching.Some(matching.RateLimit{
				Unknown: limit, Beginner: limit / 2, Expert: 1.5 * limit, ExpertYears: 10,
			})
		}
	}

	// A count below 1 means none, so half of the queries require no skill.
	for range rng.IntN(4) - 1 {
		f.MustHave = append(f.MustHave, fmt.Sprintf("skill-%d", skewed(rng, 20)))
	}

	if rng.IntN(4) == 0 {
		f.AvailableBy = matching.Some(20_000 + rng.IntN(110) - 5)
	}

	if rng.IntN(4) == 0 {
		var countries []string
		for range 1 + rng.IntN(12) {
			countries = append(countries, fmt.Sprintf("country:%d", rng.IntN(35)))
		}
		f.Labels = append(f.Labels, countries)
	}

	for range rng.IntN(4) - 2 {
		language := rng.IntN(7)
		f.Labels = append(f.Labels, []string{fmt.Sprintf("lang:%d/C1", language), fmt.Sprintf("lang:%d/native", language)})
	}

	if rng.IntN(4) == 0 {
		f.IDs = randomIDs(rng, documents)
	}

	if rng.IntN(4) == 0 {
		f.ExcludeIDs = randomIDs(rng, documents)
	}

	return f
}

func randomIDs(rng *rand.Rand, documents int) []string {
	ids := []string{}
	for range rng.IntN(min(5*documents, 1000)) {
		ids = append(ids, fmt.Sprintf("id-%d", rng.IntN(5*documents)))
	}
	return ids
}

// checkIndependence checks that the scores of a page don't depend on Filters.IDs, Size, or the other hits. It searches
// for the last hits by their ids alone and compares the scores: approximate engines may differ by the errors in o.
func checkIndependence(
	t *testing.T, o Options, s engine.Snapshot, q *engine.Query, page *engine.Page, exact map[string]*Scored,
) {
	t.Helper()
	last := map[string]*engine.Hit{}
	alone := *q
	alone.Filters.IDs = nil

	for i := max(0, len(page.Hits)-3); i < len(page.Hits); i++ {
		last[page.Hits[i].ID] = &page.Hits[i]
		alone.Filters.IDs = append(alone.Filters.IDs, page.Hits[i].ID)
	}

	if alone.Size = len(last); alone.Size == 0 {
		return
	}

	for _, hit := range search(t, s, &alone).Hits {
		was := last[hit.ID]
		if was == nil {
			t.Errorf("%s is found among the ids of others", hit.ID)
			continue
		}

		score := 1e-9
		text := 1e-9 * was.Text
		if o.Approximate { // each of the two searches has the error
			score = 2 * slack(o, q, exact[hit.ID], page.Reference)
			text = 2 * textTolerance(o, exact[hit.ID])
		}

		if math.Abs(hit.Retrieval-was.Retrieval) > score || math.Abs(hit.Text-was.Text) > text {
			t.Errorf("%s scores %v (text %v) among three ids, want %+v as without them", hit.ID, hit.Retrieval, hit.Text, was)
		}
	}
}
