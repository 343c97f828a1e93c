//go:build integration

package elastic_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
)

// BenchmarkApply measures changes of freelancers among 100,000: how long a call takes, and how many changes there are a
// second. Each change sets another hourly rate.
func BenchmarkApply(b *testing.B) {
	c := newChanges(b)
	for _, load := range []struct{ clients, batch int }{{1, 1}, {8, 1}, {64, 1}, {1, 500}, {4, 500}} {
		b.Run(fmt.Sprintf("clients=%d/batch=%d", load.clients, load.batch), func(b *testing.B) {
			var mu sync.Mutex
			var calls []time.Duration
			var made atomic.Int64
			var clients sync.WaitGroup
			b.ResetTimer()

			for range load.clients {
				clients.Go(func() {
					for made.Add(1) <= int64(b.N) {
						d := took(func() { c.apply(b, load.batch) })
						mu.Lock()
						calls = append(calls, d)
						mu.Unlock()
					}
				})
			}

			clients.Wait()
			ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
			b.ReportMetric(ms(quantile(calls, .5)), "ms-p50")
			b.ReportMetric(ms(quantile(calls, .99)), "ms-p99")
			b.ReportMetric(float64(b.N*load.batch)/b.Elapsed().Seconds(), "changes/s")
		})
	}
}

// BenchmarkApply_Searches measures searches of 100,000 freelancers: in a new index, while one freelancer in a hundred
// changes each second, and after 5% have changed.
func BenchmarkApply_Searches(b *testing.B) {
	c := newChanges(b)
	s := open(b, c.options)
	queries := c.world.queries(b, s, elastic.DefaultWindow, true)
	measure := func(b *testing.B) {
		var all []time.Duration
		for _, q := range queries { // to fill the caches
			search(b, s, q)
		}

		for b.Loop() {
			q := queries[len(all)%len(queries)]
			all = append(all, took(func() { search(b, s, q) }))
		}

		b.ReportMetric(quantile(all, .5).Seconds()*1000, "ms-p50")
		b.ReportMetric(quantile(all, .99).Seconds()*1000, "ms-p99")
	}

	b.Run("new", measure)
	b.Run("changing", func(b *testing.B) {
		ctx, stop := context.WithCancel(b.Context())
		var changing sync.WaitGroup
		changing.Go(func() {
			for tick := time.NewTicker(100 * time.Millisecond); ctx.Err() == nil; <-tick.C {
				c.apply(b, 100)
			}
		})

		measure(b)
		stop()
		changing.Wait()
	})

	for changed := 0; changed < c.world.size/20; changed += 500 {
		c.apply(b, 500)
	}
	b.Run("after changes", measure)
}

// changes are changes of the freelancers of a new index.
type changes struct {
	world     *world
	options   elastic.Options
	engine    *elastic.Engine
	documents []*engine.Document
	n         atomic.Int64
}

func newChanges(b *testing.B) *changes {
	b.Helper()
	c := &changes{world: newWorld(b, 100_000), options: testOptions(b)}
	c.world.load(b, c.options)
	c.engine = openEngine(b, c.options)
	c.documents = slices.Collect(c.world.documents(b))
	return c
}

// apply changes the next freelancers in one call.
func (c *changes) apply(b *testing.B, batch int) {
	b.Helper()
	changes := make([]engine.Change, batch)
	last := c.n.Add(int64(batch))
	for i := range changes {
		n := int(last) - i
		d := *c.documents[n*7919%len(c.documents)] // a prime, so that neighbors don't change together
		d.Freelancer.HourlyRate = matching.Some(1000 + float64(n))
		changes[i] = engine.Change{ID: d.Freelancer.ID, Document: &d}
	}

	outcomes, err := c.engine.Apply(b.Context(), match.Alias, changes)
	if err != nil {
		b.Error(err)
		return
	}

	for _, o := range outcomes {
		if o.Err != nil || o.Before == o.After {
			b.Errorf("a change led to %+v", o)
		}
	}
}
