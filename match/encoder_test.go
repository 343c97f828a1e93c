package match_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
)

// An encoder knows the cosines of all briefs with some freelancers.
type encoder struct {
	cosines  map[string]float64 // by ID; others are not encoded yet
	asked    []string           // texts of briefs
	compared []string           // IDs of freelancers
	err      error
}

func (e *encoder) Brief(_ context.Context, text string) (matching.Vector, error) {
	e.asked = append(e.asked, text)
	return matching.Vector{1}, e.err
}

func (e *encoder) Compare(
	_ context.Context, _ engine.Snapshot, _ matching.Vector, ids []string,
) ([]matching.Optional[float64], error) {
	e.compared = append(e.compared, ids...)
	cosines := make([]matching.Optional[float64], len(ids))
	for i, id := range ids {
		if cosine, ok := e.cosines[id]; ok {
			cosines[i] = matching.Some(cosine)
		}
	}
	return cosines, nil
}

func (e *encoder) CompareRecord(_ context.Context, _ matching.Vector, f *matching.Freelancer) (float64, error) {
	return e.cosines[f.ID], nil
}

func (e *encoder) Floor() float64 { return .5 }

func (e *encoder) Name() string { return "test, texts 1" }

// withEncoder replaces the service by one with an encoder.
func (w *world) withEncoder(e match.Encoder) {
	w.t.Helper()
	var err error
	w.service, err = match.New(match.Config{
		Engine: w.engine, Taxonomy: w.taxonomy, Analyzer: w.analyzer, Dictionary: w.dictionary, Embedder: w.vectors,
		Encoder: e, Preparer: w.prepares, Window: match.DefaultWindow, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// boats returns freelancers whom a brief about boats ranks by their number.
func boats(n int) (freelancers []matching.Freelancer) {
	for i := range n {
		f := matching.Freelancer{ID: fmt.Sprintf("f%02d", i), JobTitle: "Boat builder"}
		f.Description = strings.Repeat("word ", i)
		freelancers = append(freelancers, f)
	}
	return freelancers
}

// The encoder orders the best fifty, whatever the page. Profiles that are not encoded yet count like the mean of the
// others, and the answer says how many there are.
func TestMatch_EncoderOrdersTheBest(t *testing.T) {
	const people, compared = 60, 50
	w := newWorld(t, boats(people)...)
	brief := matching.Brief{JobTitle: "Boat", Description: "It must swim.", Limit: people, Explain: true}
	before := w.match(brief)
	if before.Encoder != nil {
		t.Errorf("encoder %+v without one", before.Encoder)
	}

	e := &encoder{cosines: map[string]float64{}}
	for i, m := range before.Matches {
		if i%2 == 0 {
			e.cosines[m.Freelancer.ID] = .5 + .4*float64(i)/people // the last ones are closest
		}
	}
	w.withEncoder(e)
	after := w.match(brief)
	if diff := cmp.Diff(&matching.EncoderUse{Compared: compared / 2, Of: compared}, after.Encoder); diff != "" {
		t.Errorf("encoder (-want +got):\n%s", diff)
	}
	if after.Versions.Encoder != e.Name() || before.Versions.Encoder != "" {
		t.Errorf("versions name the encoder %q, and %q without one", after.Versions.Encoder, before.Versions.Encoder)
	}
	if diff := cmp.Diff([]string{"Boat. It must swim"}, e.asked); diff != "" {
		t.Errorf("text of the brief (-want +got):\n%s", diff)
	}

	// Comparing takes time, and asking for a profile has it encoded before others.
	if want := ids(before)[:compared]; !sameIDs(want, e.compared) {
		t.Errorf("compared with %v, want only the first %v", e.compared, want)
	}

	order := ids(after)
	if slices.Equal(ids(before), order) {
		t.Error("the encoder changes nothing")
	}
	if diff := cmp.Diff(ids(before)[compared:], order[compared:]); diff != "" {
		t.Errorf("those after the first %d (-before +after):\n%s", compared, diff)
	}
	for i, m := range after.Matches {
		checkEncoded(t, e, i, &m, i < compared)
	}

	brief.Explain = false
	for _, limit := range []int{7, 50} {
		var pages []string
		for brief.Offset, brief.Limit = 0, limit; brief.Offset < people; brief.Offset += limit {
			pages = append(pages, ids(w.match(brief))...)
		}
		if diff := cmp.Diff(order, pages); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", limit, diff)
		}
	}

	// A freelancer's standing agrees with the answer.
	brief.Offset, brief.Limit = 0, 10
	for i, id := range []string{order[0], order[compared-1], order[people-1]} {
		standing, err := w.service.Explain(t.Context(), &brief, id)
		if err != nil {
			t.Fatal(err)
		}
		want := []int{1, compared, people}[i]
		if standing.Rank.Value != want || standing.Match.Score != after.Matches[want-1].Score {
			t.Errorf("%s has rank %d and score %v, want %d and %v", id,
				standing.Rank.Value, standing.Match.Score, want, after.Matches[want-1].Score)
		}
	}
}

// sameIDs reports whether two lists have the same IDs, in any order.
func sameIDs(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// Those who move up in place of copies of the brief are compared, too.
func TestMatch_EncoderComparesWhoMovesUp(t *testing.T) {
	const people, compared = 60, 50
	var freelancers []matching.Freelancer
	for _, id := range []string{"copy 1", "copy 2"} {
		f := sailor(id)
		f.Description = ferry
		freelancers = append(freelancers, f)
	}

	e := &encoder{cosines: map[string]float64{}}
	for i := range people {
		f := sailor(fmt.Sprintf("f%02d", i))
		f.Rating, f.TotalSales = matching.Some(4+float64(i)/people), matching.Some(100) // so that nobody ties
		freelancers = append(freelancers, f)
		e.cosines[f.ID] = .6
	}
	w := newWorld(t, freelancers...)
	w.withEncoder(e)

	answer := w.match(matching.Brief{Description: ferry, RequiredSkills: []string{"React"}, Limit: people})
	if diff := cmp.Diff(&matching.EncoderUse{Compared: compared, Of: compared}, answer.Encoder); diff != "" {
		t.Errorf("encoder (-want +got):\n%s", diff)
	}
	if len(answer.Matches) != people {
		t.Errorf("%d matches, want %d without the copies", len(answer.Matches), people)
	}
}

// checkEncoded checks the explanation of a match at a place.
func checkEncoded(t *testing.T, e *encoder, place int, m *matching.Match, isFirst bool) {
	t.Helper()
	sum := 0.
	for _, f := range m.Explanation {
		sum += f.Contribution
	}
	if math.Abs(sum-m.Score) > 1e-9 {
		t.Errorf("match %d: contributions add up to %v, the score is %v", place, sum, m.Score)
	}

	want := "by the sentence encoder"
	if _, ok := e.cosines[m.Freelancer.ID]; !ok {
		want = "not read by the sentence encoder yet; until then, the profile counts like the mean of the others"
	}
	if !isFirst {
		want = "not compared by the sentence encoder, which compares the best 50 only"
	}
	if f, _ := feature(*m, "semantic"); !strings.Contains(f.Summary, want) {
		t.Errorf("match %d: summary %q, want %q in it", place, f.Summary, want)
	}
}

// Before anything is encoded, matches are those without an encoder. They are so for clients that don't weigh meanings,
// too.
func TestMatch_EncoderWithoutVectors(t *testing.T) {
	w := newWorld(t, boats(5)...)
	brief := matching.Brief{JobTitle: "Boat", Limit: 10, Explain: true}
	before := w.match(brief)
	e := &encoder{}
	w.withEncoder(e)
	after := w.match(brief)
	if diff := cmp.Diff(before.Matches, after.Matches); diff != "" {
		t.Errorf("matches (-without +with an encoder):\n%s", diff)
	}
	if diff := cmp.Diff(&matching.EncoderUse{Compared: 0, Of: 5}, after.Encoder); diff != "" {
		t.Errorf("encoder (-want +got):\n%s", diff)
	}

	brief.Weights = map[string]float64{"semantic": 0}
	e.asked = nil
	if answer := w.match(brief); answer.Encoder != nil || e.asked != nil {
		t.Errorf("encoder %+v was asked for %q, although meanings don't count", answer.Encoder, e.asked)
	}

	e.err = errors.New("interrupted")
	brief.Weights = nil
	failed := w.match(brief)
	skipped := []matching.Skipped{{
		Feature: "semantic", Reason: "the sentence encoder failed; the order is by the built-in vectors alone",
	}}
	if diff := cmp.Diff(skipped, failed.Skipped[len(failed.Skipped)-1:]); diff != "" || failed.Encoder != nil {
		t.Errorf("encoder %+v, skipped after a failure (-want +got):\n%s", failed.Encoder, diff)
	}
}

// If even the profile with the third highest similarity is about another trade, no match is excellent. Who repeats the
// brief doesn't change that, and a profile that is not encoded may be of the right trade.
func TestMatch_NothingIsExcellentForUnknownTrades(t *testing.T) {
	brief := matching.Brief{
		JobTitle: "React developer", Description: "Dashboards and charts.", RequiredSkills: []string{"React"},
	}
	note := matching.Skipped{
		Feature: matching.SkippedLevel, Reason: "no title fits the trade of the brief, so no match is excellent",
	}
	people := []string{"a", "b", "c", "d"}
	var freelancers []matching.Freelancer
	for _, id := range people {
		freelancers = append(freelancers, matching.Freelancer{
			ID: id, JobTitle: "React developer", Skills: []string{"React"},
			Description: "React developer for dashboards. React dashboards, charts and more dashboards.",
			Signals:     known(20, 5, 10, 100, true),
		})
	}
	w := newWorld(t, freelancers...)

	for _, test := range []struct {
		cosines []float64
		limited bool
	}{
		{[]float64{.99, .99, .75, .5}, false},
		{[]float64{.99, .99, .55, .5}, true},
		{[]float64{.99, .99, .55}, false},
	} {
		e := &encoder{cosines: map[string]float64{}}
		for i, cosine := range test.cosines {
			e.cosines[people[i]] = cosine
		}
		w.withEncoder(e)

		answer := w.match(brief)
		wantLevel := matching.LevelExcellent
		if test.limited {
			wantLevel = matching.LevelStrong
		}
		first := answer.Matches[0]
		if first.Level != wantLevel || slices.Contains(answer.Skipped, note) != test.limited {
			t.Errorf("cosines %v: the first match has a fit of %v and is %s, want %s; skipped %v",
				test.cosines, first.Fit, first.Level, wantLevel, answer.Skipped)
		}
	}
}
