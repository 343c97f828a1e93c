package match_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/documents"
)

// topics is a model that knows one word for each of three topics.
type topics struct {
	name  string
	err   error    // returned by every call if set
	asked []string // the texts so far
	last  bool     // of several topics, the last one counts
}

func (m *topics) Space() matching.VectorSpace {
	return matching.VectorSpace{Model: m.name, Dimensions: 3}
}

func (m *topics) Embed(_ context.Context, texts []string) ([]matching.Vector, error) {
	m.asked = append(m.asked, texts...)
	if m.err != nil {
		return nil, m.err
	}
	vectors := make([]matching.Vector, len(texts))
	for i, text := range texts {
		for topic, word := range []string{"boat", "garden", "clock"} {
			if strings.Contains(strings.ToLower(text), word) {
				if vectors[i] == nil || m.last {
					vectors[i] = make(matching.Vector, 3)
				}
				vectors[i][topic] = 100
			}
		}
	}
	return vectors, nil
}

// A brief is embedded by the embedder and by the model. The answer says why one of them was skipped, unless it knows no
// word of the brief.
func TestMatch_Meanings(t *testing.T) {
	const (
		brief, withSkill = "Repair a boat of wood", "Repair a boat of wood. React. It leaks.\nVarnish it, too"
		alone            = "; the order is by the built-in vectors alone"
	)

	down := errors.New("connection refused")
	tests := []struct {
		name           string
		table, model   topics
		without        bool     // without a model
		loaded         []string // the models whose vectors the index has
		old            bool     // they are of an earlier version of the texts
		title          string
		weights        map[string]float64
		asked          [2][]string
		compared       bool // the semantic feature counts
		inSummary      []string
		skipped        []string
		notInSummaries string
	}{
		{
			name: "both respond", loaded: []string{"table", "model"}, title: brief,
			asked: [2][]string{{brief + ". It leaks. It leaks. React"}, {withSkill}}, compared: true,
			inSummary: []string{": 1 by the built-in vectors, 1 by the embeddings server's model"},
		},
		{
			name: "the order of the spaces in the index does not matter", loaded: []string{"model", "table"}, title: brief,
			asked: [2][]string{{brief + ". It leaks. It leaks. React"}, {withSkill}}, compared: true,
			inSummary: []string{": 1 by the built-in vectors, 1 by the embeddings server's model"},
		},
		{
			name: "no model", without: true, loaded: []string{"table", "model"}, title: brief,
			asked: [2][]string{{brief + ". It leaks. It leaks. React"}, nil}, compared: true, notInSummaries: "model",
		},
		{
			name: "the model fails", model: topics{err: down}, loaded: []string{"table", "model"}, title: brief,
			asked: [2][]string{{brief + ". It leaks. It leaks. React"}, {withSkill}}, compared: true, notInSummaries: "model",
			skipped: []string{"model model did not return a vector for the brief" + alone},
		},
		{
			name: "the index has no vectors of the model", loaded: []string{"table"}, title: brief,
			asked: [2][]string{{brief + ". It leaks. It leaks. React"}, nil}, compared: true, notInSummaries: "model",
			skipped: []string{"the index has no vectors of model model" + alone},
		},
		{
			name: "the index has vectors of an earlier version of the texts", loaded: []string{"table", "model"},
			title: brief, old: true,
			skipped: []string{
				"the vectors of model table in the index are of an earlier version; run indexer reindex",
				"the vectors of model model in the index are of an earlier version; run indexer reindex" + alone,
			},
		},
		{
			name: "the index has vectors of the model alone", loaded: []string{"model"}, title: brief,
			asked: [2][]string{nil, {withSkill}}, compared: true,
			inSummary: []string{": 1 by the embeddings server's model"}, notInSummaries: "built-in",
			skipped: []string{"the index has no vectors of model table"},
		},
		{
			name: "an index without vectors", title: brief,
			skipped: []string{"the index has no vectors of model table", "the index has no vectors of model model" + alone},
		},
		{
			name: "no known word", loaded: []string{"table", "model"}, title: "Repair a house",
			asked: [2][]string{
				{"Repair a house. It leaks. It leaks. React"}, {"Repair a house. React. It leaks.\nVarnish it, too"},
			},
		},
		{
			name: "a weight of 0 asks nobody", model: topics{err: down}, loaded: []string{"table", "model"}, title: brief,
			weights: map[string]float64{"semantic": 0},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			table := test.table
			model := test.model
			table.name = "table"
			model.name = "model"
			w := newWorld(t)
			w.oldTexts = test.old
			var embedders []documents.Embedder
			for _, name := range test.loaded {
				embedders = append(embedders, &topics{name: name})
			}

			w.loader = documents.NewPreparer(w.taxonomy, w.analyzer, embedders...)
			w.load(matching.Freelancer{ID: "a", JobTitle: "Boat builder who repairs"})
			var log bytes.Buffer
			w.serve(&table, &model, &log)

			if test.without {
				w.serve(&table, nil, &log)
			}

			answer := w.match(matching.Brief{
				JobTitle: test.title, Description: "It leaks.\nVarnish it, too!", RequiredSkills: []string{"reactjs"},
				Weights: test.weights, Explain: true,
			})

			if diff := cmp.Diff(test.asked, [2][]string{table.asked, model.asked}); diff != "" {
				t.Errorf("texts sent to the table and the model (-want +got):\n%s", diff)
			}

			var skipped []string
			for _, s := range answer.Skipped {
				if s.Feature == "semantic" {
					skipped = append(skipped, s.Reason)
				}
			}

			if diff := cmp.Diff(test.skipped, skipped); diff != "" {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}

			semantic, compared := feature(find(t, answer, "a"), "semantic")
			if compared != test.compared {
				t.Errorf("semantic feature present: %v, want %v", compared, test.compared)
			}

			for _, text := range test.inSummary {
				if !strings.Contains(semantic.Summary, text) {
					t.Errorf("no %q in the summary %q", text, semantic.Summary)
				}
			}

			if test.notInSummaries != "" && strings.Contains(semantic.Summary, test.notInSummaries) {
				t.Errorf("%q in the summary %q", test.notInSummaries, semantic.Summary)
			}

			failed := len(model.asked) > 0 && test.model.err != nil
			if logged := strings.Contains(log.String(), "model=model error=\"connection refused\""); logged != failed {
				t.Errorf("failure logged: %v, want %v:\n%s", logged, failed, &log)
			}
		})
	}
}

// The model orders the best fifty freelancers, as one set whatever the page; the others follow in their order.
func TestMatch_ModelOrdersTheBest(t *testing.T) {
	const people, compared = 70, 50
	rng := rand.New(rand.NewPCG(1, 2))
	var freelancers []matching.Freelancer
	for i := range people {
		f := matching.Freelancer{
			ID: fmt.Sprintf("f%02d", rng.IntN(100)*100+i), JobTitle: "Boat builder",
			Description: strings.Repeat("boat ", rng.IntN(20)) + strings.Repeat("word ", rng.IntN(40)),
		}
		if f.Skills = []string{"Planks"}; i%3 == 0 {
			f.Skills = []string{"Clockmaker"} // shares no word with the brief
		}

		freelancers = append(freelancers, f)
	}

	w := newWorld(t)
	table := &topics{name: "table"}
	model := &topics{name: "model", last: true}
	w.loader = documents.NewPreparer(w.taxonomy, w.analyzer, table, model)
	w.load(freelancers...)
	brief := matching.Brief{JobTitle: "Boat", Description: "It turns.\nIt turns clockwise.", Limit: 100, Explain: true}
	w.serve(table, nil, io.Discard)
	before := w.match(brief)
	w.serve(table, model, io.Discard)
	after := w.match(brief)
	if len(before.Matches) != people || len(after.Matches) != people || after.Considered != before.Considered {
		t.Fatalf("%d and %d matches, want %d", len(before.Matches), len(after.Matches), people)
	}

	want := ids(before)
	got := ids(after)
	if slices.Equal(want, got) {
		t.Error("the model changes nothing")
	}

	if diff := cmp.Diff(want[compared:], got[compared:]); diff != "" {
		t.Errorf("those after the first %d (-before +after):\n%s", compared, diff)
	}

	first := func(ids []string) []string { return slices.Sorted(slices.Values(ids[:compared])) }
	if diff := cmp.Diff(first(want), first(got)); diff != "" {
		t.Errorf("the set of the first %d (-before +after):\n%s", compared, diff)
	}

	for i, m := range after.Matches {
		if i > 0 && m.Score > after.Matches[i-1].Score {
			t.Errorf("match %d scores %v, the one before %v", i, m.Score, after.Matches[i-1].Score)
		}

		sum := 0.
		for _, f := range m.Explanation {
			sum += f.Contribution
		}

		if math.Abs(sum-m.Score) > 1e-9 {
			t.Errorf("match %d: contributions add up to %v, the score is %v", i, sum, m.Score)
		}

		f, _ := feature(m, "semantic")
		note := "not compared by the embeddings server's model, which compares the best 50 only"
		if strings.Contains(f.Summary, note) != (i >= compared) {
			t.Errorf("match %d: summary %q", i, f.Summary)
		}
	}

	brief.Explain = false
	for _, limit := range []int{1, 7, 20, 50, 60} {
		var pages []string
		for brief.Offset, brief.Limit = 0, limit; brief.Offset < people; brief.Offset += limit {
			answer := w.match(brief)
			for i, m := range answer.Matches {
				if want := after.Matches[brief.Offset+i].Score; m.Score != want {
					t.Errorf("offset %d, limit %d: %s scores %v, want %v", brief.Offset, limit, m.Freelancer.ID, m.Score, want)
				}
			}

			pages = append(pages, ids(answer)...)
		}

		if diff := cmp.Diff(got, pages); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", limit, diff)
		}
	}

	model.err = errors.New("no response in time")
	brief.Offset = 0
	brief.Limit = 100
	brief.Explain = true
	failed := w.match(brief)
	if diff := cmp.Diff(before.Matches, failed.Matches); diff != "" {
		t.Errorf("without an answer of the model (-before +after):\n%s", diff)
	}
}

// The built-in vectors find a freelancer who shares neither a word nor a skill with the brief, and rank them above one
// of another trade. The explanation says why.
func TestMatch_FindsByMeaning(t *testing.T) {
	tests := []struct {
		name      string
		brief     matching.Brief
		near, far matching.Freelancer
	}{
		{
			"ledgers",
			matching.Brief{JobTitle: "Bookkeeper"},
			matching.Freelancer{JobTitle: "Accountant for small companies", Skills: []string{"Ledgers", "Invoices"}},
			matching.Freelancer{JobTitle: "Wedding photographer", Skills: []string{"Portraits"}},
		},
		{
			"pictures",
			matching.Brief{JobTitle: "Illustrator of children's books"},
			matching.Freelancer{JobTitle: "Artist, drawings and paintings for kids' stories"},
			matching.Freelancer{JobTitle: "Electrician", Skills: []string{"Wiring"}},
		},
		{
			"headline only",
			matching.Brief{Description: "Songs wanted\nPlease apply by Friday."},
			matching.Freelancer{JobTitle: "Guitarist, drummer and singer"},
			matching.Freelancer{JobTitle: "Hair stylist"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.near.ID = "near"
			test.far.ID = "far"
			w := newWorld(t, test.far, test.near)
			test.brief.Explain = true
			without := test.brief
			without.Weights = map[string]float64{"semantic": 0}
			if answer := w.match(without); len(answer.Matches) != 0 {
				t.Fatalf("found %v without vectors; the test needs a brief that shares nothing with them", ids(answer))
			}

			answer := w.match(test.brief)
			if len(answer.Matches) == 0 || answer.Matches[0].Freelancer.ID != "near" {
				t.Fatalf("found %v, want near first", ids(answer))
			}

			test.brief.Filters.IDs = []string{"far", "near"} // both, however low their scores
			answer = w.match(test.brief)
			if diff := cmp.Diff([]string{"near", "far"}, ids(answer)); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}

			near, _ := feature(find(t, answer, "near"), "semantic")
			far, _ := feature(find(t, answer, "far"), "semantic")
			if near.Value <= far.Value || near.Contribution <= 0 || !strings.Contains(near.Summary, "mean") {
				t.Errorf("semantic features: near %+v, far %+v", near, far)
			}

			for _, m := range answer.Matches {
				sum := 0.
				for _, f := range m.Explanation {
					sum += f.Contribution
				}

				if math.Abs(sum-m.Score) > 1e-5 {
					t.Errorf("%s: contributions add up to %v, the score is %v", m.Freelancer.ID, sum, m.Score)
				}
			}
		})
	}
}

// A document gets one vector of the freelancer's short text from each embedder, in order.
func TestPrepare_Vectors(t *testing.T) {
	w := newWorld(t)
	first := &topics{name: "first"}
	second := &topics{name: "second"}
	p := documents.NewPreparer(w.taxonomy, w.analyzer, first, w.vectors, second)
	documents, err := p.Prepare(t.Context(), []matching.Freelancer{
		{ID: "a", JobTitle: "Boat builder", Skills: []string{"reactjs"}, Description: "Loves it."},
		{ID: "b", Description: "Garden design\nSince then."},
		{ID: "c"},
	})
	if err != nil {
		t.Fatal(err)
	}

	texts := []string{"Boat builder. React", "garden design", ""}
	if diff := cmp.Diff([][]string{texts, texts}, [][]string{first.asked, second.asked}); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}

	builtIn, err := w.vectors.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}

	boat := matching.Vector{100, 0, 0}
	garden := matching.Vector{0, 100, 0}
	want := [][]matching.Vector{{boat, builtIn[0], boat}, {garden, builtIn[1], garden}, {nil, nil, nil}}
	for i, d := range documents {
		if diff := cmp.Diff(want[i], d.Vectors); diff != "" {
			t.Errorf("%s (-want +got):\n%s", d.Freelancer.ID, diff)
		}
	}

	var names []string
	for _, space := range p.Spaces() {
		names = append(names, space.Model)
	}

	if diff := cmp.Diff([]string{"first", w.vectors.Space().Model, "second"}, names); diff != "" {
		t.Errorf("spaces (-want +got):\n%s", diff)
	}

	second.err = errors.New("connection refused")
	_, err = p.Prepare(t.Context(), []matching.Freelancer{{ID: "a"}})
	if !errors.Is(err, second.err) || !strings.Contains(err.Error(), `model "second"`) {
		t.Errorf("error %v, want the one of the second model with its name", err)
	}
}

// feature returns a feature of a match's explanation.
func feature(m matching.Match, name string) (matching.Feature, bool) {
	i := slices.IndexFunc(m.Explanation, func(f matching.Feature) bool { return f.Name == name })
	if i < 0 {
		return matching.Feature{}, false
	}
	return m.Explanation[i], true
}
