package match_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
	"freelancer-matching/match"
)

// topics is a model that knows one word for each of three topics.
type topics struct {
	name  string
	err   error    // returned by every call if set
	asked []string // the texts so far
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
				vectors[i] = make(matching.Vector, 3)
				vectors[i][topic] = 100
			}
		}
	}
	return vectors, nil
}

// The service asks the embedders in order until one returns a vector. The answer says why earlier ones were skipped,
// unless they know no word of the brief.
func TestMatch_AsksEmbeddersInOrder(t *testing.T) {
	const brief = "Repair a boat of wood"
	down := errors.New("connection refused")
	tests := []struct {
		name          string
		first, second topics
		loaded        []string // the models whose vectors the index has
		old           bool     // they are of an earlier version of the texts
		title         string
		weights       map[string]float64
		asked         [2][]string
		compared      bool // the semantic feature counts
		skipped       []string
	}{
		{
			name: "the first responds", loaded: []string{"first", "second"}, title: brief,
			asked: [2][]string{{brief}, nil}, compared: true,
		},
		{
			name: "the order of the spaces in the index does not matter", loaded: []string{"second", "first"}, title: brief,
			asked: [2][]string{{brief}, nil}, compared: true,
		},
		{
			name: "the first fails", first: topics{err: down}, loaded: []string{"first", "second"}, title: brief,
			asked: [2][]string{{brief}, {brief}}, compared: true,
			skipped: []string{"model first did not return a vector for the brief; model second was used instead"},
		},
		{
			name: "the index has no vectors of the first", loaded: []string{"second"}, title: brief,
			asked: [2][]string{nil, {brief}}, compared: true,
			skipped: []string{"the index has no vectors of model first; model second was used instead"},
		},
		{
			name: "the index has vectors of an earlier version of the texts", loaded: []string{"second"},
			title: brief, old: true,
			skipped: []string{
				"the index has no vectors of model first",
				"the vectors of model second in the index are of an earlier version; run indexer reindex",
			},
		},
		{
			name: "no known word", loaded: []string{"first", "second"}, title: "Repair a house",
			asked: [2][]string{{"Repair a house"}, {"Repair a house"}},
		},
		{
			name: "the first fails, the second knows no word", first: topics{err: down}, loaded: []string{"first", "second"},
			title: "Repair a house", asked: [2][]string{{"Repair a house"}, {"Repair a house"}},
			skipped: []string{"model first did not return a vector for the brief"},
		},
		{
			name: "both fail", first: topics{err: down}, second: topics{err: down}, loaded: []string{"first", "second"},
			title: brief, asked: [2][]string{{brief}, {brief}},
			skipped: []string{
				"model first did not return a vector for the brief",
				"model second did not return a vector for the brief",
			},
		},
		{
			name: "an index without vectors", title: brief,
			skipped: []string{"the index has no vectors of model first", "the index has no vectors of model second"},
		},
		{
			name: "a weight of 0 asks nobody", first: topics{err: down}, loaded: []string{"first", "second"}, title: brief,
			weights: map[string]float64{"semantic": 0},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			first, second := test.first, test.second
			first.name, second.name = "first", "second"
			w := newWorld(t)
			w.loaded, w.oldTexts = nil, test.old
			for _, name := range test.loaded {
				w.loaded = append(w.loaded, &topics{name: name})
			}
			w.load(matching.Freelancer{ID: "a", JobTitle: "Boat builder who repairs"})
			var log bytes.Buffer
			var err error
			w.service, err = match.New(match.Config{
				Engine:    w.engine,
				Taxonomy:  w.taxonomy,
				Analyzer:  w.analyzer,
				Embedders: []match.Embedder{&first, &second},
				Window:    match.DefaultWindow,
				Log:       slog.New(slog.NewTextHandler(&log, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			answer := w.match(matching.Brief{JobTitle: test.title, Weights: test.weights, Explain: true})
			if diff := cmp.Diff(test.asked, [2][]string{first.asked, second.asked}); diff != "" {
				t.Errorf("texts sent to the first and the second model (-want +got):\n%s", diff)
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
			_, compared := feature(find(t, answer, "a"), "semantic")
			if compared != test.compared {
				t.Errorf("semantic feature present: %v, want %v", compared, test.compared)
			}
			failed := len(first.asked) > 0 && test.first.err != nil
			if logged := strings.Contains(log.String(), "model=first error=\"connection refused\""); logged != failed {
				t.Errorf("failure logged: %v, want %v:\n%s", logged, failed, &log)
			}
		})
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
			test.near.ID, test.far.ID = "near", "far"
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
			if near.Value <= far.Value || near.Contribution <= 0 || !strings.Contains(near.Summary, "in meaning") {
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
	first, second := &topics{name: "first"}, &topics{name: "second"}
	p := match.NewPreparer(w.taxonomy, w.analyzer, first, w.vectors, second)
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
	boat, garden := matching.Vector{100, 0, 0}, matching.Vector{0, 100, 0}
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
