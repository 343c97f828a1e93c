package enginetest

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/engine"
	"freelancer-matching/engine/enginetest/bruteforce"
	"freelancer-matching/internal/matching"
)

func testRecords(t *testing.T, o Options) {
	e := o.New(t)()
	full := document("ünï/§ <1>", terms("x"), availableFrom(-20_000), hoursPerWeek(37.5))
	full.Freelancer = matching.Freelancer{
		ID: "ünï/§ <1>", Name: "Zoë \"Q\" \\ <b>&amp;</b>", JobTitle: "日本語 developer",
		Skills:      []string{"C++", "C#", "\U0001f600"},
		Description: "one\ntwo\u2028three\x00", ProfileURL: "https://example.com/?a=b&c=d",
		Signals: matching.Signals{
			Experience: matching.Some(0.0), Rating: matching.Some(4.9), HourlyRate: matching.Some(33.333333333333336),
			Availability: matching.Some(false), TotalSales: matching.Some(0),
		},
	}

	unknown := document("unknown", terms("x"))
	s := serve(t, e, "index", full, unknown)
	want := []matching.Freelancer{unknown.Freelancer, full.Freelancer, unknown.Freelancer}
	got, err := s.Fetch(t.Context(), []string{"unknown", "ünï/§ <1>", "unknown"})
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("fetch: %v (-want +got):\n%s", err, diff)
	}

	_, err = s.Fetch(t.Context(), []string{"unknown", "nobody"})
	checkError(t, "fetch of an unknown id", err, engine.ErrNotFound)

	got = nil
	for f, err := range e.Scan(t.Context(), "index") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, f)
	}

	if diff := cmp.Diff([]matching.Freelancer{full.Freelancer, unknown.Freelancer}, got); diff != "" {
		t.Errorf("scan (-want +got):\n%s", diff)
	}

	for _, err := range e.Scan(t.Context(), "index") {
		if err != nil {
			t.Error(err)
		}
		break // stopping early is allowed
	}

	page := search(t, s, &engine.Query{Terms: []engine.Term{{Text: "x", Weight: 1}}, Size: 10})
	signals := map[string]matching.Signals{}
	schedules := map[string]matching.Schedule{}
	for _, hit := range page.Hits {
		signals[hit.ID] = hit.Signals
		schedules[hit.ID] = hit.Schedule
	}

	wantSignals := map[string]matching.Signals{"unknown": {}, "ünï/§ <1>": full.Freelancer.Signals}
	if diff := cmp.Diff(wantSignals, signals); diff != "" {
		t.Errorf("signals of hits (-want +got):\n%s", diff)
	}

	wantSchedules := map[string]matching.Schedule{"unknown": {}, "ünï/§ <1>": full.Schedule}
	if diff := cmp.Diff(wantSchedules, schedules); diff != "" {
		t.Errorf("schedules of hits (-want +got):\n%s", diff)
	}
}

func testStatistics(t *testing.T, o Options) {
	e := o.New(t)()
	rated := func(rating float64) func(*engine.Document) {
		return signals(func(s *matching.Signals) { s.Rating = matching.Some(rating) })
	}
	at := func(rate float64) func(*engine.Document) {
		return signals(func(s *matching.Signals) { s.HourlyRate = matching.Some(rate) })
	}
	s := serve(t, e, "index",
		document("a", rated(3), at(10), skill("go", matching.Listed), skill("sql", matching.InText), family("languages")),
		document("b", rated(5), at(20), skill("go", matching.InTitle)),
		document("c", at(0), skill("go", matching.Implied), family("languages")),
		document("d"), document("e", at(1e12)), document("f", at(12)))

	got, err := s.Statistics(t.Context(), []string{"go", "sql", "cobol", "languages"})
	want := engine.Statistics{
		Documents: 6, MeanRating: matching.Some(4.0), RateMedian: matching.Some(13.0), // end of the band of 12
		SkillCount: map[string]int{"go": 3, "sql": 1, "cobol": 0, "languages": 0},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("statistics: %v (-want +got):\n%s", err, diff)
	}
}

func testFilters(t *testing.T, o Options) {
	e := o.New(t)()
	known := func(rate, rating, experience float64, available bool) func(*engine.Document) {
		return signals(func(s *matching.Signals) {
			s.HourlyRate, s.Rating = matching.Some(rate), matching.Some(rating)
			s.Experience, s.Availability = matching.Some(experience), matching.Some(available)
		})
	}

	// Document d knows nothing, so every filter by a signal or label leaves it out, and it counts as unknown.
	s := serve(t, e, "index",
		document("a", terms("x"), known(20, 4.5, 2, true), skill("go", matching.Listed), family("languages"),
			labels("country:DE", "lang:de", "lang:de/C1", "lang:en", "lang:en/?"), availableFrom(20_000)),
		document("b", terms("x"), known(40, 5, 10, false), skill("go", matching.InText), skill("sql", matching.Implied),
			labels("country:FR", "lang:de", "lang:de/B2"), availableFrom(-5)),
		document("c", terms("x"), known(0, 0, 0, true), family("languages"),
			labels("country:?", "lang:?"), availableFrom(20_001)),
		document("d", terms("x")))

	german := []string{"lang:de/B2", "lang:de/C1"}
	for _, c := range []struct {
		name    string
		filters engine.Filters
		want    []string
		unknown int
	}{
		{"no filter", engine.Filters{}, []string{"a", "b", "c", "d"}, 0},
		{"available", engine.Filters{Available: matching.Some(true)}, []string{"a", "c"}, 1},
		{"not available", engine.Filters{Available: matching.Some(false)}, []string{"b"}, 1},
		{"rating at least", engine.Filters{MinRating: matching.Some(4.5)}, []string{"a", "b"}, 1},
		{"rating at least 0 excludes unknown", engine.Filters{MinRating: matching.Some(0.0)}, []string{"a", "b", "c"}, 1},
		{"experience at least", engine.Filters{MinExperience: matching.Some(10.0)}, []string{"b"}, 1},
		{"rate at most", engine.Filters{MaxHourlyRate: matching.Some(20.0)}, []string{"a", "c"}, 1},
		{"rate at most 0", engine.Filters{MaxHourlyRate: matching.Some(0.0)}, []string{"c"}, 1},
		{"rate that rises with experience", rateLimit(30, 10, 40, 10), []string{"b", "c"}, 1},
		{"rate for all alike", rateLimit(20, 20, 20, 1), []string{"a", "c"}, 1},
		{"skill by any evidence", engine.Filters{MustHave: []string{"go"}}, []string{"a", "b"}, 0},
		{"both skills", engine.Filters{MustHave: []string{"go", "sql"}}, []string{"b"}, 0},
		{"skill that nobody has", engine.Filters{MustHave: []string{"go", "cobol"}}, []string{}, 0},
		{"one of two skills", engine.Filters{MustHaveOne: [][]string{{"cobol", "go"}}}, []string{"a", "b"}, 0},
		{"one of each set", engine.Filters{MustHaveOne: [][]string{{"cobol", "go"}, {"sql"}}}, []string{"b"}, 0},
		{"one of an empty set", engine.Filters{MustHaveOne: [][]string{nil}}, []string{}, 0},
		{"family instead of a skill", engine.Filters{MustHave: []string{"languages"}}, []string{}, 0},
		{"without a skill", engine.Filters{ExcludeSkills: []string{"go"}}, []string{"c", "d"}, 0},
		{"without one of two skills", engine.Filters{ExcludeSkills: []string{"sql", "cobol"}}, []string{"a", "c", "d"}, 0},
		{
			"one skill without another",
			engine.Filters{MustHave: []string{"go"}, ExcludeSkills: []string{"sql"}},
			[]string{"a"},
			0,
		},
		{"ids", engine.Filters{IDs: []string{"d", "nobody", "a", "a"}}, []string{"a", "d"}, 0},
		{"empty ids", engine.Filters{IDs: []string{}}, []string{}, 0},
		{"unknown ids", engine.Filters{IDs: []string{"nobody"}}, []string{}, 0},
		{"excluded ids", engine.Filters{ExcludeIDs: []string{"a", "nobody"}}, []string{"b", "c", "d"}, 0},
		{"ids and excluded ids", engine.Filters{IDs: []string{"a", "b"}, ExcludeIDs: []string{"a"}}, []string{"b"}, 0},
		{"label", engine.Filters{Labels: [][]string{{"country:DE"}}}, []string{"a"}, 1},
		{
			"one of several labels",
			engine.Filters{Labels: [][]string{{"country:DE", "country:XX", "country:FR"}}},
			[]string{"a", "b"},
			1,
		},
		{"unknown detail", engine.Filters{Labels: [][]string{{"lang:en/C1"}}}, []string{}, 2},
		{"two sets of labels", engine.Filters{Labels: [][]string{german, {"country:FR"}}}, []string{"b"}, 1},
		{"label that nobody has", engine.Filters{Labels: [][]string{german, {"country:XX"}}}, []string{}, 1},
		{"empty set of labels", engine.Filters{Labels: [][]string{{}}}, []string{}, 0},
		{"label within a label", engine.Filters{Labels: [][]string{{"country"}, {"DE"}}}, []string{}, 0},
		{"available by a day", engine.Filters{AvailableBy: matching.Some(20_000)}, []string{"a", "b"}, 1},
		{"available long ago", engine.Filters{AvailableBy: matching.Some(-5)}, []string{"b"}, 1},
		{"available before anybody", engine.Filters{AvailableBy: matching.Some(-6)}, []string{}, 1},
		{"available in the far future", engine.Filters{AvailableBy: matching.Some(1 << 40)}, []string{"a", "b", "c"}, 1},
		{"labels and a day", engine.Filters{
			Labels: [][]string{{"country:DE", "country:FR"}}, AvailableBy: matching.Some(0),
		}, []string{"b"}, 2},
		{"all conditions", engine.Filters{
			Available: matching.Some(true), MinRating: matching.Some(1.0), MustHave: []string{"go"}, ExcludeIDs: []string{"b"},
		}, []string{"a"}, 1},
	} {
		// Filters must hold for hits that words bring in as well as for all documents: engines evaluate them
		// differently.
		t.Run(c.name, func(t *testing.T) {
			for _, q := range []*engine.Query{
				{Terms: []engine.Term{{Text: "x", Weight: 1}}, Filters: c.filters, Size: 10},
				{MatchAll: true, Filters: c.filters, Size: 10},
			} {
				if diff := cmp.Diff(c.want, hitIDs(t, s, q)); diff != "" {
					t.Errorf("search %v (-want +got):\n%s", q, diff)
				}
			}

			if n, err := s.Count(t.Context(), c.filters); n != len(c.want) || err != nil {
				t.Errorf("count = %d, %v; want %d", n, err, len(c.want))
			}

			if n, err := s.CountUnknown(t.Context(), c.filters); n != c.unknown || err != nil {
				t.Errorf("count unknown = %d, %v; want %d", n, err, c.unknown)
			}
		})
	}
}

func rateLimit(unknown, beginner, expert, years float64) engine.Filters {
	return engine.Filters{RateLimit: matching.Some(matching.RateLimit{
		Unknown: unknown, Beginner: beginner, Expert: expert, ExpertYears: years,
	})}
}

func testEvidence(t *testing.T, o Options) {
	e := o.New(t)()
	s := serve(t, e, "index",
		document("none", terms("x")),
		document("related", family("frontend"), skill("vue", matching.Listed)),
		document("text", skill("react", matching.InText)),
		document("text and related", skill("react", matching.InText), skill("vue", matching.Listed), family("frontend")),
		document("title", skill("react", matching.InTitle)),
		document("implied", skill("react", matching.Implied), family("frontend")),
		document("listed", skill("react", matching.Listed), family("frontend")))

	// Two clauses of tiny weight order documents whose evidence for the first one is equal.
	q := &engine.Query{
		Skills: []engine.SkillClause{
			{ID: "react", Family: "frontend", Weight: 2},
			{ID: "unknown", Family: "frontend", Weight: .001},
			{ID: "unknown", Family: "unknown", Weight: 1},
			{ID: "vue", Weight: .0001},
		},
		Credit: credit, Size: 10,
	}

	const family, none = matching.Sibling, matching.NoEvidence
	want := []engine.Hit{
		{ID: "listed", Evidence: []matching.Evidence{matching.Listed, family, none, none}},
		{ID: "implied", Evidence: []matching.Evidence{matching.Implied, family, none, none}},
		{ID: "title", Evidence: []matching.Evidence{matching.InTitle, none, none, none}},
		{ID: "text and related", Evidence: []matching.Evidence{matching.InText, family, none, matching.Listed}},
		{ID: "text", Evidence: []matching.Evidence{matching.InText, none, none, none}},
		{ID: "related", Evidence: []matching.Evidence{family, family, none, matching.Listed}},
	}

	hits := search(t, s, q).Hits
	for i := range hits {
		hits[i].Retrieval = 0
	}

	if diff := cmp.Diff(want, hits); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}

	// Evidence of no credit adds nothing to the score, but makes a document a hit.
	q.Credit = [matching.Listed + 1]float64{}
	if ids := hitIDs(t, s, q); len(ids) != len(want) {
		t.Errorf("without credit: hits %v, want the same %d documents", ids, len(want))
	}
}

// testText computes the expected values by hand for three documents with a mean length of 2 terms.
func testText(t *testing.T, o Options) {
	e := o.New(t)()
	s := serve(t, e, "index",
		document("short", terms("go")),
		document("twice", terms("go", "go", "sql")),
		document("other", terms("css", "css")),
		document("without terms"))

	// A term that no document has must not count, not even in the reference.
	q := &engine.Query{
		Terms: []engine.Term{
			{Text: "go", Weight: 2, Reference: true}, {Text: "sql", Weight: 1}, {Text: "cobol", Weight: 9, Reference: true},
		},
		TextWeight: 1, Size: 10,
	}

	// The document without terms counts neither as one of the three nor for the mean length.
	idf := func(n float64) float64 { return math.Log(1 + (3-n+.5)/(n+.5)) }
	bm25 := spec(t, "").Mapping.BM25
	norm := func(length float64) float64 { return bm25.K1 * (1 - bm25.B + bm25.B*length/2) }
	want := map[string]float64{
		"twice": 2*idf(2)*2/(2+norm(3)) + idf(1)/(1+norm(3)),
		"short": 2 * idf(2) / (1 + norm(1)),
	}

	page := search(t, s, q)
	if len(page.Hits) != len(want) {
		t.Errorf("hits = %+v, want the documents twice and short", page.Hits)
	}

	tolerance := o.TextError*(2*idf(2)+idf(1)) + o.SumError*page.Reference
	for _, hit := range page.Hits {
		if math.Abs(hit.Text-want[hit.ID]) > tolerance {
			t.Errorf("text of %s = %v, want %v ± %v", hit.ID, hit.Text, want[hit.ID], tolerance)
		}
	}

	if want := 2 * idf(2) / (1 + bm25.K1); math.Abs(page.Reference-want) > 1e-6*want {
		t.Errorf("reference = %v, want %v", page.Reference, want)
	}

	if diff := cmp.Diff([]string{"cobol"}, page.UnknownTerms); diff != "" {
		t.Errorf("unknown terms (-want +got):\n%s", diff)
	}

	q.Terms[0].Reference = false
	if page := search(t, s, q); page.Reference != 0 || len(page.Hits) != 2 || page.Hits[0].Text == 0 {
		t.Errorf("without a known reference term: %+v, want two hits with a text score, and reference 0", page)
	}

	q.Terms = q.Terms[2:]
	if page := search(t, s, q); page.Reference != 0 || len(page.Hits) != 0 {
		t.Errorf("unknown terms only: %+v, want no hits and reference 0", page)
	}
}

func testSignals(t *testing.T, o Options) {
	e := o.New(t)()
	charging := func(rate float64) func(*engine.Document) {
		return signals(func(s *matching.Signals) { s.HourlyRate = matching.Some(rate) })
	}
	rated := func(rating float64, sales int) func(*engine.Document) {
		return signals(func(s *matching.Signals) { s.Rating, s.TotalSales = matching.Some(rating), matching.Some(sales) })
	}
	unavailable := signals(func(s *matching.Signals) { s.Availability = matching.Some(false) })
	s := serve(t, e, "index",
		document("expensive", terms("x"), charging(90)),
		document("unknown", terms("x")),
		document("cheap", terms("x"), charging(20)),
		document("best", terms("x"), rated(5, 300)),
		document("once", terms("x"), rated(5, 1)),
		document("late", terms("y"), charging(20), availableFrom(20_085)),
		document("later", terms("y"), charging(20), availableFrom(20_090)),
		document("busy", terms("y"), charging(20), availableFrom(20_000), hoursPerWeek(4.5)),
		document("absent", terms("y"), charging(20), unavailable),
		document("free", terms("y"), charging(40), availableFrom(-5)),
		document("back", terms("y"), charging(20), unavailable, availableFrom(20_000)))

	q := &engine.Query{Terms: []engine.Term{{Text: "x", Weight: 1}}, Size: 2}
	q.Fit = fit
	if diff := cmp.Diff([]string{"cheap", "expensive"}, hitIDs(t, s, q)); diff != "" {
		t.Errorf("by fit (-want +got):\n%s", diff)
	}

	// A date says more than the flag.
	q.Terms[0].Text = "y"
	q.Size = 6
	if diff := cmp.Diff([]string{"back", "absent", "late", "busy", "later", "free"}, hitIDs(t, s, q)); diff != "" {
		t.Errorf("by schedule (-want +got):\n%s", diff)
	}

	q.Terms[0].Text = "x"
	q.Size = 2

	q.Fit = nil
	q.Quality = quality
	if diff := cmp.Diff([]string{"best", "once"}, hitIDs(t, s, q)); diff != "" {
		t.Errorf("by quality (-want +got):\n%s", diff)
	}
}

func testHits(t *testing.T, o Options) {
	e := o.New(t)()
	s := serve(t, e, "index",
		document("word", terms("x")),
		document("skill", skill("go", matching.Listed)),
		document("family", family("languages")),
		document("nothing", terms("y"), skill("sql", matching.Listed)))

	q := engine.Query{
		Terms:  []engine.Term{{Text: "x", Weight: 1, Reference: true}},
		Skills: []engine.SkillClause{{ID: "go", Family: "languages", Weight: 1}},
		Credit: credit, TextWeight: .5, Size: 10,
	}

	// Variants of one query differ in a single respect.
	all := q
	all.MatchAll = true
	two := all
	two.Size = 2
	weightless := q
	weightless.Terms = []engine.Term{{Text: "x"}}
	weightless.Skills = []engine.SkillClause{{ID: "go", Family: "languages"}}

	none := all
	none.Size = 0
	for _, c := range []struct {
		name string
		q    engine.Query
		want int
	}{
		{"a common word or skill", q, 3},
		{"match all", all, 4},
		{"match all without clauses", engine.Query{MatchAll: true, Size: 10}, 4},
		{"no clauses", engine.Query{Size: 10}, 0},
		{"size 2", two, 2},
		{"clauses of weight 0", weightless, 3},
		{"size 0", none, 0},
	} {
		page := search(t, s, &c.q)
		if len(page.Hits) != c.want {
			t.Errorf("%s: %d hits, want %d", c.name, len(page.Hits), c.want)
		}

		if c.want == 2 && page.Hits[0].ID != "skill" {
			t.Errorf("%s: first hit %s, want skill", c.name, page.Hits[0].ID)
		}
	}

	// A caller that only counts still needs the reference, to compute scores elsewhere.
	if page := search(t, s, &none); page.Reference <= 0 {
		t.Errorf("reference with size 0 = %v, want more than 0", page.Reference)
	}
}

// testTies has five documents with the same score and one with a higher score.
func testTies(t *testing.T, o Options) {
	var documents []*engine.Document
	for _, id := range []string{"c", "a", "e", "b", "d"} {
		documents = append(documents, document(id, terms("x")))
	}

	best := document("z", terms("x"), signals(func(s *matching.Signals) { s.Rating = matching.Some(4.0) }))
	s := serve(t, o.New(t)(), "index", append(documents, best, document("other", terms("y")))...)

	// Hits within a tie of the last one follow it, up to the window, because the caller may order them differently.
	for _, c := range []struct {
		size, window, matching int
		want                   []string
	}{
		{2, 0, 0, []string{"z", "a"}},
		{1, 9, 6, []string{"z"}},
		{2, 9, 6, []string{"z", "a", "b", "c", "d", "e"}},
		{2, 4, 4, []string{"z", "a", "b", "c"}},
		{3, 2, 2, []string{"z", "a", "b"}},
		{9, 9, 6, []string{"z", "a", "b", "c", "d", "e"}},
	} {
		page := search(t, s, &engine.Query{
			Terms: []engine.Term{{Text: "x", Weight: 1, Reference: true}}, TextWeight: 1,
			Quality: func(s matching.Signals) float64 { return s.Rating.Or(0) / 10 },
			Size:    c.size, Window: c.window,
		})

		var got []string
		for _, hit := range page.Hits {
			got = append(got, hit.ID)
		}

		if diff := cmp.Diff(c.want, got); diff != "" || page.Matching != c.matching {
			t.Errorf("size %d, window %d: %d documents match, want %d; hits (-want +got):\n%s",
				c.size, c.window, page.Matching, c.matching, diff)
		}
	}
}

func testEmpty(t *testing.T, o Options) {
	e := o.New(t)()
	s := serve(t, e, "empty")

	// Means, idf and quantiles divide by the number of documents, which is 0 here.
	q := &engine.Query{
		Terms: []engine.Term{{Text: "x", Weight: 1, Reference: true}}, TextWeight: 1,
		Skills: []engine.SkillClause{{ID: "go", Family: "languages", Weight: 1}}, Credit: credit,
		Fit: fit, Quality: quality, MatchAll: true, Size: 10,
	}
	if page := search(t, s, q); len(page.Hits) != 0 || page.Reference != 0 {
		t.Errorf("search = %+v, want no hits and reference 0", page)
	}

	if n, err := s.Count(t.Context(), engine.Filters{}); n != 0 || err != nil {
		t.Errorf("count = %d, %v; want 0", n, err)
	}

	got, err := s.Statistics(t.Context(), nil)
	if diff := cmp.Diff(engine.Statistics{SkillCount: map[string]int{}}, got); err != nil || diff != "" {
		t.Errorf("statistics: %v (-want +got):\n%s", err, diff)
	}

	words, err := s.Vocabulary(t.Context())
	if diff := cmp.Diff(bruteforce.Vocabulary(nil), words); err != nil || diff != "" {
		t.Errorf("vocabulary: %v (-want +got):\n%s", err, diff)
	}

	if _, err := s.Fetch(t.Context(), nil); err != nil {
		t.Errorf("fetch without ids: %v", err)
	}

	_, err = s.Fetch(t.Context(), []string{"a"})
	checkError(t, "fetch", err, engine.ErrNotFound)

	if ids := scanIDs(t, e, "empty"); len(ids) != 0 {
		t.Errorf("scan = %v, want no freelancers", ids)
	}
}

// maxSignals is the largest sum of fit and quality.
const maxSignals = .3

// fit and quality have the shape of the functions that package ranking passes: they fall with the rate and a later
// start, and rise with hours, experience, rating and sales.
func fit(s matching.Signals, schedule matching.Schedule) float64 {
	sum := .05 * min(1, s.Experience.Or(0)/10)
	if s.HourlyRate.Known {
		sum += .15 * min(1, 30/max(1, s.HourlyRate.Value))
	}

	// Work of 20 full days can start on day 20,000 and is due 100 days later.
	share := .8
	if schedule.From.Known || s.Availability.Or(true) {
		wait := max(0, float64(schedule.From.Or(0)-20_000))
		share = min(1, max(0, 100-wait)/(20*40/min(40, schedule.HoursPerWeek.Or(40))))
	}

	return sum + .02*share
}

func quality(s matching.Signals) float64 {
	if !s.Rating.Known {
		return 0
	}
	n := float64(s.TotalSales.Or(0))
	return .08 * (n*s.Rating.Value + 10*4) / (n + 10) / 5
}
