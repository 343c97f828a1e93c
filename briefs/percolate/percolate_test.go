package percolate_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/freelancer-matching/service/briefs/percolate"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded"
	"github.com/freelancer-matching/service/engine/enginetest/bruteforce"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/ranking"
	"github.com/freelancer-matching/service/taxonomy"
)

// A world is an index of generated freelancers with a service that matches briefs.
type world struct {
	tb       testing.TB
	engine   *embedded.Engine
	preparer *documents.Preparer
	service  *match.Service
	people   map[string]*engine.Document
	counts   map[*engine.Document]map[string]float64 // see countsOf
}

func newWorld(tb testing.TB, people int) *world {
	tb.Helper()
	skills, err := taxonomy.Load()
	must(tb, err)
	vectors, err := embedding.Load()
	must(tb, err)
	analyzer := analysis.New()
	e, err := embedded.Open(tb.TempDir(), embedded.Options{Log: slog.New(slog.DiscardHandler)})
	must(tb, err)
	tb.Cleanup(func() { must(tb, e.Close()) })

	w := &world{
		tb: tb, engine: e, preparer: documents.NewPreparer(skills, analyzer, vectors), people: map[string]*engine.Document{},
		counts: map[*engine.Document]map[string]float64{},
	}
	w.service, err = match.New(match.Config{
		Engine: e, Taxonomy: skills, Analyzer: analyzer, Embedder: vectors, Window: match.DefaultWindow,
		Now: func() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }, Log: slog.New(slog.DiscardHandler),
	})
	must(tb, err)
	w.load(people)
	return w
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func (w *world) load(people int) {
	w.tb.Helper()
	ctx := w.tb.Context()
	mapping, err := mappings.Load(mappings.Freelancers)
	must(w.tb, err)
	must(w.tb, w.engine.Create(ctx, engine.Spec{
		Name: "test", Mapping: mapping, Source: "generated", Currency: "USD", Vectors: w.preparer.Spaces(),
		Created: time.Unix(1, 0),
	}))
	bulk, err := w.engine.Bulk(ctx, "test", nil)
	must(w.tb, err)

	generator, err := synthetic.New()
	must(w.tb, err)
	for f := range generator.Freelancers(people, 7) {
		d := w.prepare(f)
		w.people[f.ID] = d
		must(w.tb, bulk.Add(ctx, d))
	}
	_, err = bulk.Close(ctx)
	must(w.tb, err)
	_, err = w.engine.PointAlias(ctx, match.Alias, "test")
	must(w.tb, err)
}

func (w *world) prepare(f matching.Freelancer) *engine.Document {
	w.tb.Helper()
	prepared, err := w.preparer.Prepare(context.Background(), []matching.Freelancer{f})
	must(w.tb, err)
	return prepared[0]
}

// watch matches a brief and adds it to an index.
func (w *world) watch(x *percolate.Index, b percolate.Brief, brief *matching.Brief) {
	w.tb.Helper()
	var err error
	b.Watch, b.Hits, b.IsAll, err = w.service.Watch(w.tb.Context(), brief, b.Top+percolate.Reserve)
	must(w.tb, err)
	x.Set(b)
}

// change makes a change in the index of freelancers.
func (w *world) change(id string, d *engine.Document) {
	w.tb.Helper()
	_, err := w.engine.Apply(w.tb.Context(), match.Alias, []engine.Change{{ID: id, Document: d}})
	must(w.tb, err)
	if d == nil {
		delete(w.people, id)
	} else {
		w.people[id] = d
	}
}

// evidenceOf returns the evidence of a document for the skills of a query.
func evidenceOf(d *engine.Document, q *engine.Query) []matching.Evidence {
	evidence := make([]matching.Evidence, len(q.Skills))
	for i, clause := range q.Skills {
		if clause.Family != "" && slices.Contains(d.Families, clause.Family) {
			evidence[i] = matching.Sibling
		}
		for _, s := range d.Skills {
			if s.ID == clause.ID {
				evidence[i] = max(evidence[i], s.Evidence)
			}
		}
	}
	return evidence
}

// listFrom returns the list that matching a brief against everybody gives, by the scorer of its watch.
func (w *world) listFrom(watch *match.Watch, b percolate.Brief) (list []percolate.Place) {
	for _, d := range w.people {
		if !bruteforce.Passes(d, watch.Query.Filters) {
			continue
		}
		counts := w.countsOf(d)
		c, isHit := watch.Candidate(d, evidenceOf(d, watch.Query), func(term int) float64 {
			return counts[watch.Query.Terms[term].Text]
		})
		if isHit {
			list = append(list, placeOf(watch, &c))
		}
	}

	slices.SortFunc(list, func(a, b percolate.Place) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
	for i := range list {
		list[i].Rank = i + 1
	}
	list = list[:min(b.Top, len(list))]
	return slices.DeleteFunc(list, func(p percolate.Place) bool {
		isBelow := map[matching.Level]bool{matching.LevelFair: true, matching.LevelWeak: true}[p.Level]
		return p.Score < b.MinScore || b.MinLevel == matching.LevelStrong && isBelow
	})
}

// countsOf returns how often a document has each of its terms.
func (w *world) countsOf(d *engine.Document) map[string]float64 {
	counts := w.counts[d]
	if counts == nil {
		counts = map[string]float64{}
		for _, term := range d.Terms {
			counts[term]++
		}
		w.counts[d] = counts
	}
	return counts
}

func placeOf(watch *match.Watch, c *ranking.Candidate) percolate.Place {
	assessed := watch.Scorer.Assess(c)
	return percolate.Place{
		ID: c.ID, Score: assessed.Score, Level: assessed.Level, Available: c.Signals.Availability.Or(false),
	}
}

// drawBriefs returns briefs with their sizes and thresholds.
func drawBriefs(tb testing.TB, n int, random *rand.Rand) (list []percolate.Brief, briefs map[string]*matching.Brief) {
	tb.Helper()
	generator, err := synthetic.New()
	must(tb, err)
	briefs = map[string]*matching.Brief{}
	for brief := range generator.Briefs(random.Uint64()) {
		b := percolate.Brief{ID: fmt.Sprintf("brf_%d", len(list)), Top: 1 + random.IntN(12)}
		switch random.IntN(4) {
		case 0:
			b.MinScore = .3 + random.Float64()/2
		case 1:
			b.MinLevel = matching.LevelStrong
		}
		brief.Limit = b.Top
		list = append(list, b)
		briefs[b.ID] = &brief
		if len(list) == n {
			break
		}
	}
	return list, briefs
}

// After each of a series of changes, each list is the one that matching its brief again against everybody gives, and
// the index has reported each list that has changed.
func TestIndex_EqualsMatchingEveryBriefAgain(t *testing.T) {
	for seed := range uint64(2) {
		random := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t, 150)
		x := percolate.New()
		list, briefs := drawBriefs(t, 30, random)
		for _, b := range list {
			w.watch(x, b, briefs[b.ID])
		}
		w.checkAll(x, list, "before the changes")

		for n := range 150 {
			before := map[string][]percolate.Place{}
			for _, b := range list {
				before[b.ID] = x.List(b.ID)
			}

			changes, name := w.changeSomebody(x, random, n)
			reported := map[string]bool{}
			for _, c := range changes {
				reported[c.Brief] = true
				if c.Stale {
					at := slices.IndexFunc(list, func(b percolate.Brief) bool { return b.ID == c.Brief })
					w.watch(x, list[at], briefs[c.Brief])
				}
			}

			w.checkAll(x, list, name)
			for _, b := range list {
				if !reported[b.ID] && !gocmp.Equal(before[b.ID], x.List(b.ID)) {
					t.Fatalf("seed %d, %s: the changed list of %s was not reported", seed, name, b.ID)
				}
			}
		}
	}
}

// changeSomebody makes a random change: of availability and rate, of the whole profile, a new one, or an erasure.
func (w *world) changeSomebody(x *percolate.Index, random *rand.Rand, n int) ([]percolate.Change, string) {
	w.tb.Helper()
	ids := make([]string, 0, len(w.people))
	for id := range w.people {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	id := ids[random.IntN(len(ids))]
	other := w.people[ids[random.IntN(len(ids))]].Freelancer
	f := w.people[id].Freelancer

	kind := random.IntN(5)
	switch kind {
	case 0:
		w.change(id, nil)
		return x.Delete(id), "erase " + id
	case 1:
		f.Availability = matching.Some(!f.Availability.Or(false))
		f.HourlyRate = matching.Some(10 + 150*random.Float64())
	case 2:
		f = other
		f.ID = id
	case 3:
		f = other
		f.ID = fmt.Sprintf("new%d", n)
	default:
		f.Skills = append(slices.Clone(f.Skills), other.Skills...)
		f.Description += " " + other.Description
	}
	d := w.prepare(f)
	w.change(f.ID, d)
	return x.Put(d), fmt.Sprintf("change %s, kind %d", f.ID, kind)
}

// checkAll compares each list with the one by brute force.
func (w *world) checkAll(x *percolate.Index, list []percolate.Brief, when string) {
	w.tb.Helper()
	for _, b := range list {
		diff := gocmp.Diff(w.listFrom(x.Watch(b.ID), b), x.List(b.ID), cmpopts.EquateEmpty())
		if diff != "" {
			w.tb.Fatalf("%s: list of %s, top %d, min_score %v %s (-brute force +index)\n%s", when, b.ID, b.Top, b.MinScore,
				b.MinLevel, diff)
		}
	}
}

// The list of a brief that was just matched has the order of its match.
func TestIndex_HasTheOrderOfMatches(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	w := newWorld(t, 300)
	x := percolate.New()
	list, briefs := drawBriefs(t, 60, random)
	for _, b := range list {
		b.MinScore = 0
		b.MinLevel = ""
		w.watch(x, b, briefs[b.ID])

		brief := *briefs[b.ID]
		brief.KeepCopies = true
		answer, err := w.service.Match(t.Context(), &brief)
		must(t, err)
		var want, got []percolate.Place
		for i := range answer.Matches {
			m := &answer.Matches[i]
			want = append(want, percolate.Place{
				ID: m.Freelancer.ID, Rank: i + 1, Score: m.Score, Level: m.Level,
				Available: m.Freelancer.Availability.Or(false),
			})
		}
		got = x.List(b.ID)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-match +list)\n%s", b.ID, diff)
		}
	}
}

// An index whose briefs were removed keeps no terms of theirs, and gives their numbers to the terms of others.
func TestIndex_ForgetsTerms(t *testing.T) {
	w := newWorld(t, 200)
	x := percolate.New()
	list, briefs := drawBriefs(t, 20, rand.New(rand.NewPCG(1, 2)))
	fill := func() {
		for _, b := range list {
			w.watch(x, b, briefs[b.ID])
		}
	}

	fill()
	most, free := x.Numbers()
	if most == 0 || free != 0 {
		t.Fatalf("%d numbers are used and %d free", most, free)
	}
	for range 3 {
		fill() // replaces them
		for _, b := range list {
			x.Remove(b.ID)
		}
		if used, free := x.Numbers(); used != 0 || free != most {
			t.Errorf("%d numbers are used and %d free, want 0 and %d", used, free, most)
		}
		fill()
		if used, free := x.Numbers(); used != most || free != 0 {
			t.Errorf("%d numbers are used and %d free, want %d and 0", used, free, most)
		}
	}

	for _, b := range list {
		if diff := gocmp.Diff(w.listFrom(x.Watch(b.ID), b), x.List(b.ID), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("list of %s (-want +got):\n%s", b.ID, diff)
		}
	}
}
