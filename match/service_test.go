package match_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/dictionary"
	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/taxonomy"
)

// words is what every service of these tests reads and none of them changes.
type words struct {
	taxonomy   *taxonomy.Taxonomy
	analyzer   *analysis.Analyzer
	dictionary *dictionary.Dictionary
	vectors    *embedding.Model
	preparer   *documents.Preparer // with vectors
}

var loadWords = sync.OnceValues(func() (*words, error) {
	skills, err := taxonomy.Load()
	if err != nil {
		return nil, err
	}
	vectors, err := embedding.Load()
	if err != nil {
		return nil, err
	}

	analyzer := analysis.New()
	return &words{
		taxonomy:   skills,
		analyzer:   analyzer,
		dictionary: dictionary.Open(mappings.Dictionary(), analyzer),
		vectors:    vectors,
		preparer:   documents.NewPreparer(skills, analyzer, vectors),
	}, nil
})

// A world is a service over a few freelancers.
type world struct {
	*words

	t        *testing.T
	engine   *embedded.Engine
	loader   *documents.Preparer // prepares what load loads
	oldTexts bool                // whether load records an earlier version of the texts to embed
	service  *match.Service
}

func newWorld(t *testing.T, freelancers ...matching.Freelancer) *world {
	t.Helper()
	known, err := loadWords()
	if err != nil {
		t.Fatal(err)
	}

	e, err := embedded.Open(t.TempDir(), embedded.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { e.Close() })

	w := &world{words: known, t: t, engine: e, loader: known.preparer}
	w.serve(w.vectors, nil, io.Discard)
	if len(freelancers) > 0 {
		w.load(freelancers...)
	}

	return w
}

// serve replaces the service by one with an embedder and a model, which may be nil.
func (w *world) serve(embedder, model documents.Embedder, log io.Writer) {
	w.t.Helper()
	var err error
	w.service, err = match.New(match.Config{
		Engine:     w.engine,
		Taxonomy:   w.taxonomy,
		Analyzer:   w.analyzer,
		Dictionary: w.dictionary,
		Embedder:   embedder,
		Model:      model,
		Preparer:   w.prepares,
		Window:     match.DefaultWindow,
		Log:        slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// prepares returns the preparer of changes.
func (w *world) prepares(context.Context) (*documents.Preparer, error) { return w.loader, nil }

func (w *world) load(freelancers ...matching.Freelancer) {
	w.t.Helper()
	ctx := w.t.Context()
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		w.t.Fatal(err)
	}

	spaces := w.loader.Spaces()
	for i := range spaces {
		if w.oldTexts {
			spaces[i].Texts = 0
		}
	}

	if err := w.engine.Create(ctx, engine.Spec{
		Name:     "test",
		Mapping:  mapping,
		Source:   "csv",
		Currency: "USD",
		Vectors:  spaces,
		Created:  time.Now(),
	}); err != nil {
		w.t.Fatal(err)
	}

	bulk, err := w.engine.Bulk(ctx, "test", nil)
	if err != nil {
		w.t.Fatal(err)
	}

	documents, err := w.loader.Prepare(ctx, freelancers)
	if err != nil {
		w.t.Fatal(err)
	}

	for _, d := range documents {
		if err := bulk.Add(ctx, d); err != nil {
			w.t.Fatal(err)
		}
	}

	if _, err := bulk.Close(ctx); err != nil {
		w.t.Fatal(err)
	}

	if _, err := w.engine.PointAlias(ctx, match.Alias, "test"); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) match(b matching.Brief) *matching.Answer {
	w.t.Helper()
	if b.Limit == 0 {
		b.Limit = 10
	}
	answer, err := w.service.Match(w.t.Context(), &b)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer
}

func ids(a *matching.Answer) (ids []string) {
	for _, m := range a.Matches {
		ids = append(ids, m.Freelancer.ID)
	}
	return ids
}

func find(t *testing.T, a *matching.Answer, id string) matching.Match {
	t.Helper()
	for _, m := range a.Matches {
		if m.Freelancer.ID == id {
			return m
		}
	}
	t.Fatalf("%s is not among %v", id, ids(a))
	return matching.Match{}
}

func known(rate, rating, years float64, sales int, available bool) matching.Signals {
	return matching.Signals{
		HourlyRate: matching.Some(rate), Rating: matching.Some(rating), Experience: matching.Some(years),
		TotalSales: matching.Some(sales), Availability: matching.Some(available),
	}
}

func TestMatch_Evidence(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "listed", Skills: []string{"reactjs", "PostgreSQL"}},
		matching.Freelancer{ID: "implied", Skills: []string{"Next.js"}},
		matching.Freelancer{ID: "title", JobTitle: "Senior React developer"},
		matching.Freelancer{ID: "text", JobTitle: "Developer", Description: "I build interfaces with React and TypeScript."},
		matching.Freelancer{ID: "sibling", Skills: []string{"Vue.js"}},
		matching.Freelancer{ID: "stranger", Skills: []string{"Bookkeeping"}},
	)

	answer := w.match(matching.Brief{RequiredSkills: []string{"React.js"}})
	got := map[string]string{}
	for _, m := range answer.Matches {
		got[m.Freelancer.ID] = fmt.Sprint(m.MatchedSkills, m.MissingSkills)
	}

	want := map[string]string{
		"listed":  "[React.js] []",
		"implied": "[React.js] []",
		"title":   "[React.js] []",
		"text":    "[React.js] []",
		"sibling": "[] [React.js]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("matched and missing skills, in the client's spelling (-want +got):\n%s", diff)
	}

	order := ids(answer)
	if slices.Index(order, "sibling") != len(order)-1 {
		t.Errorf("order %v, want the freelancer who has only a related skill last", order)
	}

	if diff := cmp.Diff([]string{"React", "PostgreSQL"}, find(t, answer, "listed").Freelancer.Skills); diff != "" {
		t.Errorf("canonical skills (-want +got):\n%s", diff)
	}
}

func TestMatch_RepeatedSkillCountsOnce(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "a", Skills: []string{"React"}})
	m := w.match(matching.Brief{
		RequiredSkills:   []string{"ReactJS", "react", "React.js"},
		NiceToHaveSkills: []string{"REACT"},
	}).Matches[0]
	if diff := cmp.Diff([]string{"ReactJS"}, m.MatchedSkills); diff != "" {
		t.Errorf("matched skills (-want +got):\n%s", diff)
	}
}

func TestMatch_DerivesSkills(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "a", Skills: []string{"Kubernetes"}})
	answer := w.match(matching.Brief{Description: "Move our services to k8s on AWS\nTerraform preferred."})
	for _, want := range []string{"Kubernetes", "Terraform"} {
		if !slices.Contains(answer.DerivedSkills, want) {
			t.Errorf("derived skills %v, want %s among them", answer.DerivedSkills, want)
		}
	}
	if m := answer.Matches[0]; !slices.Contains(m.MatchedSkills, "Kubernetes") {
		t.Errorf("matched skills %v, want Kubernetes among them", m.MatchedSkills)
	}
	answer = w.match(matching.Brief{Description: "Kubernetes", RequiredSkills: []string{"AWS"}})
	if answer.DerivedSkills != nil {
		t.Errorf("derived skills %v in a brief with required skills, want none", answer.DerivedSkills)
	}
}

func TestMatch_UnknownSkills(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "a", Skills: []string{"Quillfeather Basting", "React"}},
		matching.Freelancer{ID: "b", Skills: []string{"React"}},
	)
	answer := w.match(matching.Brief{RequiredSkills: []string{"quillfeather basting", "Reakt"}})
	if diff := cmp.Diff([]string{"quillfeather basting"}, find(t, answer, "a").MatchedSkills); diff != "" {
		t.Errorf("unknown skill matched by its spelling (-want +got):\n%s", diff)
	}
	for _, u := range answer.UnknownSkills {
		if u.Skill == "Reakt" && !slices.Contains(u.Suggestions, "React") {
			t.Errorf("suggestions for Reakt are %v, want React among them", u.Suggestions)
		}
	}
	if diff := cmp.Diff([]string{"quillfeather basting", "Reakt"}, unknown(answer)); diff != "" {
		t.Errorf("unknown skills (-want +got):\n%s", diff)
	}
}

func TestMatch_Reasons(t *testing.T) {
	people := []matching.Freelancer{
		{ID: "a", Skills: []string{"React"}, Signals: known(50, 4.5, 3, 10, false)},
		{ID: "b", Skills: []string{"React"}},
	}

	brief := func(f matching.Filters) matching.Brief {
		return matching.Brief{RequiredSkills: []string{"React"}, Filters: f}
	}
	tests := []struct {
		name    string
		brief   matching.Brief
		want    string
		unknown int
	}{
		{"rating", brief(matching.Filters{MinRating: matching.Some(4.6)}), "filter:min_rating", 1},
		{"experience", brief(matching.Filters{MinExperience: matching.Some(4.)}), "filter:min_experience", 1},
		{"rate", brief(matching.Filters{MaxHourlyRate: matching.Some(49.)}), "filter:max_hourly_rate", 1},
		{"availability", brief(matching.Filters{Available: matching.Some(true)}), "filter:available", 1},
		{"must have", brief(matching.Filters{MustHaveSkills: []string{"Haskell"}}), "filter:must_have_skills", 0},
		{"ids", brief(matching.Filters{IDs: []string{"z"}}), "filter:ids", 0},
		{"exclusion", brief(matching.Filters{ExcludeIDs: []string{"a", "b"}}), "filter:exclude_ids", 0},
		{
			"second filter",
			brief(matching.Filters{Available: matching.Some(false), MinRating: matching.Some(5.)}),
			"filter:min_rating", 1,
		},
		{"nothing in common", matching.Brief{RequiredSkills: []string{"Bookkeeping"}}, "no_overlap", 0},
		{"past the end", matching.Brief{RequiredSkills: []string{"React"}, Offset: 2}, "offset", 0},
	}

	w := newWorld(t, people...)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer := w.match(test.brief)
			if len(answer.Matches) != 0 || answer.Reason != test.want {
				t.Fatalf("matches %v, reason %q; want none and %q", ids(answer), answer.Reason, test.want)
			}

			if n := len(answer.ReasonDetail); n > 0 && answer.ReasonDetail[n-1].Unknown != test.unknown {
				t.Errorf("last filter %+v, want %d unknown", answer.ReasonDetail[n-1], test.unknown)
			}
		})
	}

	t.Run("no data", func(t *testing.T) {
		if answer := newWorld(t).match(brief(matching.Filters{})); answer.Reason != "no_data" {
			t.Errorf("reason %q, want no_data", answer.Reason)
		}
	})
}

// A client that asks for freelancers by id gets their scores, even if they have nothing in common with the brief.
func TestMatch_ByID(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{ID: "a", Skills: []string{"React"}},
		matching.Freelancer{ID: "b", Skills: []string{"Bookkeeping"}},
		matching.Freelancer{ID: "c", Skills: []string{"React"}},
	)
	answer := w.match(matching.Brief{
		RequiredSkills: []string{"React"},
		Filters:        matching.Filters{IDs: []string{"b", "a"}},
	})
	if diff := cmp.Diff([]string{"a", "b"}, ids(answer)); diff != "" {
		t.Errorf("matches (-want +got):\n%s", diff)
	}
}

func TestMatch_Pages(t *testing.T) {
	var people []matching.Freelancer
	for i := range 25 {
		people = append(people, matching.Freelancer{
			ID:      fmt.Sprintf("f%02d", i),
			Skills:  []string{"React"},
			Signals: known(float64(20+i), 4.5, 3, 10, true),
		})
	}

	w := newWorld(t, people...)
	b := matching.Brief{
		RequiredSkills: []string{"React"},
		Budget:         matching.Some(matching.Budget{High: 10, Kind: matching.BudgetHourly}),
	}

	b.Limit = 25
	all := ids(w.match(b))
	var paged []string
	for b.Limit, b.Offset = 10, 0; b.Offset < 30; b.Offset += 10 {
		paged = append(paged, ids(w.match(b))...)
	}

	if diff := cmp.Diff(all, paged); diff != "" {
		t.Errorf("pages differ from one large page (-large +pages):\n%s", diff)
	}

	if len(all) != 25 || all[0] != "f00" {
		t.Errorf("matches %v, want 25 with the cheapest first", all)
	}
}

// Required skills in another order, another case or with synonyms lead to the same scores and explanations.
func TestMatch_SpellingAndOrderDoNotMatter(t *testing.T) {
	spellings := [][]string{
		{"React", "ReactJS", "react.js"},
		{"Kubernetes", "k8s", "KUBERNETES"},
		{"Go", "golang", "GoLang"},
		{"PostgreSQL", "postgres", "Postgre SQL"},
	}

	r := rand.New(rand.NewPCG(1, 2))
	var people []matching.Freelancer
	for i := range 200 {
		f := matching.Freelancer{
			ID:          fmt.Sprintf("f%03d", i),
			JobTitle:    "Engineer",
			Description: "Services and interfaces.",
			Signals: known(
				float64(20+r.IntN(100)), 4+r.Float64(), float64(r.IntN(12)), r.IntN(200), r.IntN(2) == 0,
			),
		}
		for _, s := range spellings {
			if r.IntN(2) == 0 {
				f.Skills = append(f.Skills, s[r.IntN(len(s))])
			}
		}

		people = append(people, f)
	}

	w := newWorld(t, people...)
	scores := func(order []int, pick func() int) string {
		b := matching.Brief{
			Description:  "Services in the cloud",
			Complexity:   matching.ComplexityHigh,
			TimelineDays: matching.Some(60),
			Limit:        100,
		}
		for _, i := range order {
			b.RequiredSkills = append(b.RequiredSkills, spellings[i][pick()])
		}

		var out strings.Builder
		for _, m := range w.match(b).Matches {
			fmt.Fprintln(&out, m.Freelancer.ID, m.Score, m.Explanation)
		}

		return out.String()
	}

	want := scores([]int{0, 1, 2, 3}, func() int { return 0 })
	for range 20 {
		if diff := cmp.Diff(want, scores(r.Perm(4), func() int { return r.IntN(3) })); diff != "" {
			t.Fatalf("(-canonical +varied):\n%s", diff)
		}
	}
}

// An answer says what computed it. The weights of a request are not among the numbers of the profile.
func TestMatch_Versions(t *testing.T) {
	w := newWorld(t, boats(2)...)
	brief := matching.Brief{JobTitle: "Boat", Limit: 2}
	plain := w.match(brief).Versions
	if plain.Index == "" || plain.Profile != "default" || len(plain.Numbers) != 16 || plain.Overridden ||
		plain.Taxonomy != w.taxonomy.Version() {
		t.Errorf("versions %+v", plain)
	}

	brief.Weights = map[string]float64{"quality": 2}
	weighted := plain
	weighted.Overridden = true
	if got := w.match(brief).Versions; got != weighted {
		t.Errorf("versions with weights %+v, want %+v", got, weighted)
	}

	brief.Profile, brief.Weights = "economy", nil
	if got := w.match(brief).Versions; got.Profile != "economy" || got.Numbers == plain.Numbers {
		t.Errorf("versions of another profile %+v", got)
	}
}

func TestMatch_RejectsUnknownProfilesAndWeights(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "a", Skills: []string{"React"}})
	tests := []struct {
		name   string
		fields []string
		brief  matching.Brief
	}{
		{"profile", []string{"profile"}, matching.Brief{RequiredSkills: []string{"React"}, Profile: "nonsense"}},
		{
			"weight",
			[]string{"weights.skils"},
			matching.Brief{RequiredSkills: []string{"React"}, Weights: map[string]float64{"skils": 1}},
		},
		{
			"both",
			[]string{"profile", "weights.text"},
			matching.Brief{JobTitle: "React", Profile: "nonsense", Weights: map[string]float64{"text": -1}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := w.service.Match(t.Context(), &test.brief)
			fault, ok := errors.AsType[*matching.Error](err)
			if !ok || fault.Code != matching.CodeInvalid {
				t.Fatalf("%v, want %s", err, matching.CodeInvalid)
			}

			var fields []string
			for _, d := range fault.Details {
				fields = append(fields, d.Field)
			}

			if diff := cmp.Diff(test.fields, fields); diff != "" {
				t.Errorf("faulty fields (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMatch_EngineFailures(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "a", Skills: []string{"React"}})
	expired, cancel := context.WithTimeout(t.Context(), -time.Second)
	defer cancel()
	_, err := w.service.Match(expired, &matching.Brief{RequiredSkills: []string{"React"}, Limit: 1})
	if got := matching.CodeOf(err); got != matching.CodeEngineTimeout {
		t.Errorf("past the deadline: %v, want %s", err, matching.CodeEngineTimeout)
	}
	_, err = w.serviceOn(brokenEngine{}, match.DefaultWindow).Match(
		t.Context(), &matching.Brief{RequiredSkills: []string{"React"}, Limit: 1},
	)
	if got := matching.CodeOf(err); got != matching.CodeEngineUnavailable {
		t.Errorf("with a broken engine: %v, want %s", err, matching.CodeEngineUnavailable)
	}
}

type brokenEngine struct{}

func (brokenEngine) Open(context.Context, string) (engine.Snapshot, error) {
	return nil, errors.New("disk on fire")
}

func TestMatch_LongBriefsReportOmittedWords(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "a", Description: "word1 word2"})
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "word%d ", i)
	}
	answer := w.match(matching.Brief{Description: text.String()})
	if !slices.ContainsFunc(answer.Skipped, func(s matching.Skipped) bool { return s.Feature == "text" }) {
		t.Errorf("skipped %v, want an entry for the text", answer.Skipped)
	}
}

// The explanation names the brief's main words as written there, and the listed skill that implies another one or is
// related to it.
func TestMatch_ExplainsWithFacts(t *testing.T) {
	w := newWorld(t,
		matching.Freelancer{
			ID:          "a",
			JobTitle:    "Illustrator of books",
			Skills:      []string{"Next.js", "MySQL"},
			Description: "Pictures for children, in C++ code too.",
		},
		matching.Freelancer{ID: "b", JobTitle: "Plumber"},
	)

	m := w.match(matching.Brief{
		Description:    "Illustrations for a children's book (C++, tides)\nSoon.",
		RequiredSkills: []string{"React", "PostgreSQL"},
		Explain:        true,
	}).Matches[0]
	for name, want := range map[string]string{
		"skills": "1 of 2 required skills (implied: React through Next.js; related: PostgreSQL through MySQL)",
		"text":   "; found: Illustrations, children's, book, C++; not found: PostgreSQL, React, tides",
	} {
		if f, ok := feature(m, name); !ok || !strings.HasSuffix(f.Summary, want) {
			t.Errorf("feature %s: summary %q, want it to end with %q", name, f.Summary, want)
		}
	}
}

// An explanation costs more than the rest of a match, so only clients that ask for it pay for it.
func TestMatch_ExplainsOnRequestOnly(t *testing.T) {
	w := newWorld(t, matching.Freelancer{ID: "a", JobTitle: "Go Developer", Skills: []string{"Go", "React"}})
	brief := matching.Brief{RequiredSkills: []string{"Go"}, EffortHours: matching.Some(10.)}
	plain := w.match(brief).Matches[0]
	if plain.Explanation != nil {
		t.Errorf("got the explanation %v, want none", plain.Explanation)
	}
	brief.Explain = true
	explained := w.match(brief).Matches[0]
	if len(explained.Explanation) == 0 {
		t.Error("no explanation, although the brief asks for it")
	}
	explained.Explanation = nil
	if diff := cmp.Diff(explained, plain); diff != "" {
		t.Errorf("an explanation changes the rest of the match:\n%s", diff)
	}
}
