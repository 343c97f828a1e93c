package percolate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/freelancer-matching/service/briefs/percolate"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic"
)

// BenchmarkIndex_Put measures how long the effects of one change take with 100,000 saved briefs. Each operation is a
// change of rate and availability, or of skills, of a random freelancer; briefs that must be matched again are matched.
func BenchmarkIndex_Put(b *testing.B) {
	const people = 20_000
	for _, size := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("briefs=%d", size), func(b *testing.B) {
			w := newWorld(b, people)
			x := percolate.New()
			briefs := w.fill(b, x, size)
			ids := make([]string, 0, people)
			for id := range w.people {
				ids = append(ids, id)
			}
			slices.Sort(ids)

			random := rand.New(rand.NewPCG(1, 1))
			took := make([]time.Duration, 0, b.N)
			changed, stale := 0, 0
			b.ResetTimer()
			for b.Loop() {
				b.StopTimer()
				d := w.drawChange(ids, random)
				w.change(d.Freelancer.ID, d)
				b.StartTimer()

				began := time.Now()
				for _, c := range x.Put(d) {
					changed++
					if c.Stale {
						stale++
						w.watch(x, percolate.Brief{ID: c.Brief, Top: top}, briefs[c.Brief])
					}
				}
				took = append(took, time.Since(began))
			}

			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(float64(changed)/float64(len(took)), "lists/op")
			b.ReportMetric(float64(stale)/float64(len(took)), "matches/op")
		})
	}
}

// top is the size of the lists of the benchmark.
const top = 10

// distinct is how many different briefs the benchmark saves, each several times: matching more takes too long.
const distinct = 2_500

// fill saves a number of briefs, and returns them by ID.
func (w *world) fill(b *testing.B, x *percolate.Index, size int) map[string]*matching.Brief {
	b.Helper()
	generator, err := synthetic.New()
	must(b, err)
	briefs := make(map[string]*matching.Brief, size)
	for brief := range generator.Briefs(11) {
		brief.Limit = top
		watch, hits, isAll, err := w.service.Watch(b.Context(), &brief, top+percolate.Reserve)
		must(b, err)
		for range size / distinct {
			id := fmt.Sprintf("brf_%d", len(briefs))
			briefs[id] = &brief
			x.Set(percolate.Brief{ID: id, Top: top, Watch: watch, Hits: hits, IsAll: isAll})
		}
		if len(briefs) == size {
			break
		}
	}
	return briefs
}

// drawChange returns a freelancer with another rate and availability, or with the skills of somebody else.
func (w *world) drawChange(ids []string, random *rand.Rand) *engine.Document {
	f := w.people[ids[random.IntN(len(ids))]].Freelancer
	if random.IntN(2) == 0 {
		f.Availability = matching.Some(!f.Availability.Or(false))
		f.HourlyRate = matching.Some(10 + 150*random.Float64())
	} else {
		f.Skills = w.people[ids[random.IntN(len(ids))]].Freelancer.Skills
	}
	return w.prepare(f)
}

// BenchmarkWatch measures the match that a brief needs when it is saved, and when its reserve has ended.
func BenchmarkWatch(b *testing.B) {
	w := newWorld(b, 20_000)
	generator, err := synthetic.New()
	must(b, err)
	var briefs []*matching.Brief
	for brief := range generator.Briefs(11) {
		briefs = append(briefs, &brief)
		if len(briefs) == 100 {
			break
		}
	}
	for i := 0; b.Loop(); i++ {
		_, _, _, err := w.service.Watch(b.Context(), briefs[i%len(briefs)], top+percolate.Reserve)
		if err != nil {
			b.Fatal(err)
		}
	}
}
