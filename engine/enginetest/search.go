package enginetest

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/enginetest/bruteforce"
	"github.com/freelancer-matching/service/internal/matching"
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

// testText compares text scores with BM25 computed by hand. Of four documents, the three that have terms count, with a
// mean length of 2 terms. A term earns a document weight · idf · tf / (tf + norm), where tf is how often the document
// has the term, and norm grows with the length of the document.
func testText(t *testing.T, o Options) {
	e := o.New(t)()
	s := serve(t, e, "index",
		document("short", terms("go")),
		document("twice", terms("go", "go", "sql")),
		document("other", terms("css", "css")),
		document("without terms"))

	const documents, meanLength = 3, 2
	bm25 := spec(t, "").Mapping.BM25
	idf := func(having float64) float64 { return math.Log(1 + (documents-having+.5)/(having+.5)) }
	norm := func(length float64) float64 { return bm25.K1 * (1 - bm25.B + bm25.B*length/meanLength) }
	idfGo := idf(2)
	idfSQL := idf(1)

	const weightGo, weightSQL = 2, 1
	q := &engine.Query{
		Terms: []engine.Term{
			{Text: "go", Weight: weightGo, Reference: true},
			{Text: "sql", Weight: weightSQL},
			{Text: "cobol", Weight: 9, Reference: true}, // no document has it, so it must not count at all
		},
		TextWeight: 1, Size: 10,
	}
	want := map[string]float64{
		"twice": weightGo*idfGo*2/(2+norm(3)) + weightSQL*idfSQL/(1+norm(3)),
		"short": weightGo * idfGo / (1 + norm(1)),
	}

	page := search(t, s, q)
	if len(page.Hits) != len(want) {
		t.Errorf("hits = %+v, want the documents twice and short", page.Hits)
	}
	tolerance := o.TextError*(weightGo*idfGo+weightSQL*idfSQL) + o.SumError*page.Reference
	for _, hit := range page.Hits {
		if math.Abs(hit.Text-want[hit.ID]) > tolerance {
			t.Errorf("text of %s = %v, want %v ± %v", hit.ID, hit.Text, want[hit.ID], tolerance)
		}
	}

	// The reference is the score of a document of mean length that has each reference term once.
	wantReference := weightGo * idfGo / (1 + norm(meanLength))
	if math.Abs(page.Reference-wantReference) > 1e-6*wantReference {
		t.Errorf("reference = %v, want %v", page.Reference, wantReference)
	}
	if diff := cmp.Diff([]string{"cobol"}, page.UnknownTerms); diff != "" {
		t.Errorf("unknown terms (-want +got):\n%s", diff)
	}

	q.Terms[0].Reference = false
	page = search(t, s, q)
	hasScores := len(page.Hits) == 2 && page.Hits[0].Text > 0
	if page.Reference != 0 || !hasScores {
		t.Errorf("without a known reference term: %+v, want two hits with a text score, and reference 0", page)
	}

	q.Terms = q.Terms[2:]
	page = search(t, s, q)
	if page.Reference != 0 || len(page.Hits) != 0 {
		t.Errorf("unknown terms only: %+v, want no hits and reference 0", page)
	}
}

// testSignals orders documents that have the same words by their signals alone. The functions fit and quality, at the
// end of this file, compute what signals are worth.
func testSignals(t *testing.T, o Options) {
	e := o.New(t)()
	charging := func(rate float64) func(*engine.Document) {
		return signals(func(s *matching.Signals) { s.HourlyRate = matching.Some(rate) })
	}
	rated := func(rating float64, sales int) func(*engine.Document) {
		return signals(func(s *matching.Signals) {
			s.Rating = matching.Some(rating)
			s.TotalSales = matching.Some(sales)
		})
	}
	unavailable := signals(func(s *matching.Signals) { s.Availability = matching.Some(false) })

	// Documents with x differ by rate and rating, those with y by their schedules. Work starts on day 20,000, takes 20
	// full days, and is due 100 days later.
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

	for _, c := range []struct {
		name    string
		word    string
		fit     func(matching.Signals, matching.Schedule) float64
		quality func(matching.Signals) float64
		want    []string
	}{
		{name: "by fit", word: "x", fit: fit, want: []string{"cheap", "expensive"}},
		{name: "by quality", word: "x", quality: quality, want: []string{"best", "once"}},
		{
			// A date says more than the flag: back is available in time although the flag says the opposite.
			name: "by schedule", word: "y", fit: fit,
			want: []string{"back", "absent", "late", "busy", "later", "free"},
		},
	} {
		q := &engine.Query{
			Terms: []engine.Term{{Text: c.word, Weight: 1}}, Fit: c.fit, Quality: c.quality, Size: len(c.want),
		}
		if diff := cmp.Diff(c.want, hitIDs(t, s, q)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// testHits searches for the word x and the skill go, whose family is languages. A document is a hit if it has the word,
// the skill or a skill of the family, whatever these weigh. MatchAll makes every document a hit.
func testHits(t *testing.T, o Options) {
	e := o.New(t)()
	s := serve(t, e, "index",
		document("word", terms("x")),
		document("skill", skill("go", matching.Listed)),
		document("family", family("languages")),
		document("nothing", terms("y"), skill("sql", matching.Listed)))

	query := func(with ...func(*engine.Query)) engine.Query {
		q := engine.Query{
			Terms:  []engine.Term{{Text: "x", Weight: 1, Reference: true}},
			Skills: []engine.SkillClause{{ID: "go", Family: "languages", Weight: 1}},
			Credit: credit, TextWeight: .5, Size: 10,
		}
		for _, change := range with {
			change(&q)
		}
		return q
	}
	matchAll := func(q *engine.Query) { q.MatchAll = true }
	size := func(n int) func(*engine.Query) { return func(q *engine.Query) { q.Size = n } }
	weightless := func(q *engine.Query) {
		q.Terms[0].Weight = 0
		q.Terms[0].Reference = false
		q.Skills[0].Weight = 0
	}

	for _, c := range []struct {
		name string
		q    engine.Query
		want int
	}{
		{"a common word or skill", query(), 3},
		{"match all", query(matchAll), 4},
		{"match all without clauses", engine.Query{MatchAll: true, Size: 10}, 4},
		{"no clauses", engine.Query{Size: 10}, 0},
		{"size 2", query(matchAll, size(2)), 2},
		{"clauses of weight 0", query(weightless), 3},
		{"size 0", query(matchAll, size(0)), 0},
	} {
		if page := search(t, s, &c.q); len(page.Hits) != c.want {
			t.Errorf("%s: %d hits, want %d", c.name, len(page.Hits), c.want)
		}
	}

	// A short page has the best hits. A listed skill of weight 1 is worth more than a word of at most TextWeight.
	best := query(matchAll, size(2))
	if first := search(t, s, &best).Hits[0].ID; first != "skill" {
		t.Errorf("first of two hits is %s, want skill", first)
	}

	// A caller that only counts still needs the reference, to compute scores elsewhere.
	counting := query(matchAll, size(0))
	if page := search(t, s, &counting); page.Reference <= 0 {
		t.Errorf("reference with size 0 = %v, want more than 0", page.Reference)
	}
}

// testTies has five documents with the same score, a to e, and one with a higher score, z. Hits with the score of the
// last one on a page follow it, up to the window, because the caller may order them differently. Matching counts the
// hits up to the window.
func testTies(t *testing.T, o Options) {
	var documents []*engine.Document
	for _, id := range []string{"c", "a", "e", "b", "d"} {
		documents = append(documents, document(id, terms("x")))
	}

	best := document("z", terms("x"), signals(func(s *matching.Signals) { s.Rating = matching.Some(4.0) }))
	s := serve(t, o.New(t)(), "index", append(documents, best, document("other", terms("y")))...)

	for _, c := range []struct {
		name         string
		size, window int
		wantHits     []string
		wantMatching int
	}{
		{"without a window, ties are cut", 2, 0, []string{"z", "a"}, 0},
		{"the last hit has no tie", 1, 9, []string{"z"}, 6},
		{"the last hit ties with four others", 2, 9, []string{"z", "a", "b", "c", "d", "e"}, 6},
		{"the window cuts ties", 2, 4, []string{"z", "a", "b", "c"}, 4},
		{"a window below the size", 3, 2, []string{"z", "a", "b"}, 2},
		{"all hits fit", 9, 9, []string{"z", "a", "b", "c", "d", "e"}, 6},
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
		if diff := cmp.Diff(c.wantHits, got); diff != "" {
			t.Errorf("%s: hits (-want +got):\n%s", c.name, diff)
		}
		if page.Matching != c.wantMatching {
			t.Errorf("%s: %d documents match, want %d", c.name, page.Matching, c.wantMatching)
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
