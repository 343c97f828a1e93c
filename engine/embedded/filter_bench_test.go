package embedded

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/search"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/engine/embedded/view"
	"github.com/freelancer-matching/service/internal/matching"
)

const (
	benchCountries = 60
	benchZones     = 120
	benchLanguages = 40
)

var benchLevels = []string{"A1", "A2", "B1", "B2", "C1", "C2", "native"}

// addLabels adds labels with realistic frequencies: one in ten documents lacks each of country, zone, languages,
// verification and day.
func addLabels(rng *rand.Rand, d *engine.Document) {
	add := func(format string, args ...any) { d.Labels = append(d.Labels, fmt.Sprintf(format, args...)) }
	known := func() bool { return rng.IntN(10) > 0 }
	if country := newZipf(benchCountries).draw(rng); known() {
		add("country:%d", country)
		add("zone:%d", (country+rng.IntN(2)*benchCountries)%benchZones)
	} else {
		add("country:?")
		add("zone:?")
	}

	if known() {
		languages := newZipf(benchLanguages)
		for _, language := range distinctInts(languages.draw(rng), languages.draw(rng), 0)[:1+rng.IntN(2)] {
			add("lang:%d", language)
			add("lang:%d/%s", language, benchLevels[rng.IntN(len(benchLevels))])
		}
	} else {
		add("lang:?")
	}

	switch {
	case !known():
		add("verified:?")
	case rng.IntN(3) == 0:
		add("verified:yes")
	default:
		add("verified:no")
	}

	if known() {
		d.Schedule.From = matching.Some(max(0, rng.IntN(240)-120) * 200) // half of them since long ago
	}
}

func distinctInts(of ...int) []int {
	var distinct []int
	for _, n := range of {
		if !slices.Contains(distinct, n) {
			distinct = append(distinct, n)
		}
	}
	return append(distinct, len(of)+benchLanguages) // at least two
}

// benchFilters returns functions that draw filters of one kind. Their values differ from request to request.
func benchFilters(documents int) []struct {
	name string
	draw func(rng *rand.Rand) engine.Filters
} {
	labels := func(set ...string) engine.Filters { return engine.Filters{Labels: [][]string{set}} }
	return []struct {
		name string
		draw func(rng *rand.Rand) engine.Filters
	}{
		{"countries", func(rng *rand.Rand) engine.Filters {
			var set []string
			for range 3 {
				set = append(set, fmt.Sprintf("country:%d", newZipf(benchCountries).draw(rng)))
			}
			return labels(set...)
		}},
		{"language", func(rng *rand.Rand) engine.Filters {
			language := newZipf(benchLanguages).draw(rng)
			var set []string
			for _, level := range benchLevels[rng.IntN(6):] {
				set = append(set, fmt.Sprintf("lang:%d/%s", language, level))
			}
			return labels(set...)
		}},
		{"time_zone", func(rng *rand.Rand) engine.Filters {
			var set []string
			for range 300 { // of which half don't occur
				set = append(set, fmt.Sprintf("zone:%d", rng.IntN(benchZones)))
				set = append(set, fmt.Sprintf("zone:other-%d", rng.IntN(benchZones)))
			}
			return labels(set[:2*40]...)
		}},
		{"verified", func(*rand.Rand) engine.Filters { return labels("verified:yes") }},
		{"available", func(*rand.Rand) engine.Filters { return engine.Filters{Available: matching.Some(true)} }},
		{"available_by", func(rng *rand.Rand) engine.Filters {
			return engine.Filters{AvailableBy: matching.Some(200 * rng.IntN(120))}
		}},
		{"max_hourly_rate", func(rng *rand.Rand) engine.Filters {
			return engine.Filters{MaxHourlyRate: matching.Some(10 + 90*rng.Float64())}
		}},
		{"max_cost", func(rng *rand.Rand) engine.Filters {
			rate := 10 + 90*rng.Float64()
			return engine.Filters{RateLimit: matching.Some(matching.RateLimit{
				Unknown: rate, Beginner: rate / 2, Expert: 1.5 * rate, ExpertYears: 10,
			})}
		}},
		{"min_rating", func(rng *rand.Rand) engine.Filters {
			return engine.Filters{MinRating: matching.Some(3 + 2*rng.Float64())}
		}},
		{"must_have", func(rng *rand.Rand) engine.Filters {
			return engine.Filters{MustHave: []string{fmt.Sprintf("skill%d", newZipf(benchSkills).draw(rng))}}
		}},
		{"exclude_ids", func(rng *rand.Rand) engine.Filters {
			var ids []string
			for range 100 {
				ids = append(ids, fmt.Sprintf("freelancer-%07d", rng.IntN(documents)))
			}
			return engine.Filters{ExcludeIDs: ids}
		}},
	}
}

// join returns filters with the conditions of all.
func join(all []engine.Filters) (f engine.Filters) {
	for _, one := range all {
		f.Available = either(f.Available, one.Available)
		f.AvailableBy = either(f.AvailableBy, one.AvailableBy)
		f.MaxHourlyRate = either(f.MaxHourlyRate, one.MaxHourlyRate)
		f.RateLimit = either(f.RateLimit, one.RateLimit)
		f.MinRating = either(f.MinRating, one.MinRating)
		f.Labels = append(f.Labels, one.Labels...)
		f.MustHave = append(f.MustHave, one.MustHave...)
		f.ExcludeIDs = append(f.ExcludeIDs, one.ExcludeIDs...)
	}
	return f
}

func either[T any](a, b matching.Optional[T]) matching.Optional[T] {
	if a.Known {
		return a
	}
	return b
}

// BenchmarkFilters runs each of 25 briefs without filters, with filters that were never used, and with filters whose
// conditions the index remembers, in alternation. The second and the third include the counts that a response reports.
// Of all repetitions the fastest counts, in processor time on Linux, because other programs disturb the others. It
// prints the mean time without filters, and the ratios to it.
func BenchmarkFilters(b *testing.B) {
	for _, documents := range benchSizes {
		b.Run(fmt.Sprintf("docs=%d", documents), func(b *testing.B) {
			e := benchIndex(b, documents)
			snapshot, err := e.Open(context.Background(), "all")
			if err != nil {
				b.Fatal(err)
			}

			kinds := benchFilters(documents)
			for _, kind := range kinds {
				b.Run(kind.name, func(b *testing.B) {
					benchFiltered(b, viewOf(snapshot), func(rng *rand.Rand) []engine.Filters {
						return []engine.Filters{kind.draw(rng)}
					})
				})
			}

			for _, count := range []int{3, len(kinds)} {
				b.Run(fmt.Sprintf("any-%d", count), func(b *testing.B) {
					benchFiltered(b, viewOf(snapshot), func(rng *rand.Rand) (filters []engine.Filters) {
						for _, i := range rng.Perm(len(kinds))[:count] {
							filters = append(filters, kinds[i].draw(rng))
						}
						return filters
					})
				})
			}
		})
	}
}

func benchFiltered(b *testing.B, v *view.View, draw func(rng *rand.Rand) []engine.Filters) {
	const briefs = 25
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	ctx := context.Background()
	w := newWorld(2)
	rng := rand.New(rand.NewPCG(4, 5))
	var queries [briefs]*engine.Query
	var filters [briefs][]engine.Filters
	var fastest [briefs][3]time.Duration

	for i := range queries {
		queries[i] = w.query()
		queries[i].Semantic = w.semantic()
		filters[i] = draw(rng)
	}

	for first := true; b.Loop(); first = false {
		for i := range queries {
			for _, kind := range []int{i % 3, (i + 1) % 3, (i + 2) % 3} {
				q := *queries[i]
				if kind > 0 {
					q.Filters = join(filters[i])
				}

				if kind == 1 {
					v.Parts[0].ForgetConditions()
				}
				start := threadTime()

				if _, err := (search.Snapshot{View: v}).Search(ctx, &q); err != nil {
					b.Fatal(err)
				}

				if kind > 0 {
					if _, err := (search.Snapshot{View: v}).CountEach(ctx, filters[i]); err != nil {
						b.Fatal(err)
					}
				}

				if took := threadTime() - start; first || took < fastest[i][kind] {
					fastest[i][kind] = took
				}
			}
		}
	}

	var sums [3]time.Duration
	for i := range fastest {
		for kind, took := range fastest[i] {
			sums[kind] += took
		}
	}

	b.ReportMetric(sums[0].Seconds()*1e3/briefs, "plain-ms")
	b.ReportMetric(float64(sums[1])/float64(sums[0]), "new-ratio")
	b.ReportMetric(float64(sums[2])/float64(sums[0]), "known-ratio")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkConditions measures the evaluation of conditions that are not cached.
func BenchmarkConditions(b *testing.B) {
	e := benchIndex(b, 1_000_000)
	snapshot, err := e.Open(context.Background(), "all")
	if err != nil {
		b.Fatal(err)
	}

	x := viewOf(snapshot).Parts[0].Segment
	rng := rand.New(rand.NewPCG(4, 5))
	for _, kind := range benchFilters(1_000_000) {
		f := kind.draw(rng)
		for _, c := range segment.Clauses(&f) {
			b.Run(kind.name, func(b *testing.B) {
				fastest := time.Hour
				for b.Loop() {
					f = kind.draw(rng)
					c = segment.Clauses(&f)[0]
					start := time.Now()
					x.ForgetConditions()
					x.Matching(&c)
					fastest = min(fastest, time.Since(start))
				}

				b.ReportMetric(float64(fastest.Microseconds()), "fastest-µs") // other programs disturb the mean
			})
		}
	}
}
