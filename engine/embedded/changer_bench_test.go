//go:build unix

package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine"
)

// cpu returns the processor time that this process has used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// benchChanges returns an engine that serves a new index, with a function that returns changes of random documents.
func benchChanges(b *testing.B, documents int) (e *Engine, next func() engine.Change) {
	b.Helper()
	e = benchIndex(b, documents)
	if _, err := e.Open(b.Context(), "all"); err != nil {
		b.Fatal(err)
	}
	w := newWorld(3)
	n := 0
	return e, func() engine.Change {
		n++
		d := w.document(w.rng.IntN(documents))
		d.Freelancer.Name = fmt.Sprint("Name ", n)
		return engine.Change{ID: d.Freelancer.ID, Document: d}
	}
}

// prepared returns n changes.
func prepared(n int, next func() engine.Change) []engine.Change {
	changes := make([]engine.Change, n)
	for i := range changes {
		changes[i] = next()
	}
	return changes
}

func percentiles(b *testing.B, durations []time.Duration, name string) {
	b.Helper()
	slices.Sort(durations)
	b.ReportMetric(float64(durations[len(durations)/2].Microseconds())/1e3, name+"-p50-ms")
	b.ReportMetric(float64(durations[len(durations)*99/100].Microseconds())/1e3, name+"-p99-ms")
}

// BenchmarkChange measures changes while the index is served.
func BenchmarkChange(b *testing.B) {
	for _, documents := range benchSizes {
		b.Run(fmt.Sprintf("docs=%d", documents), func(b *testing.B) {
			e, next := benchChanges(b, documents)
			b.Run("single", func(b *testing.B) { benchSingle(b, e, next) })
			b.Run("deletions", func(b *testing.B) {
				benchSingle(b, e, func() engine.Change { return engine.Change{ID: next().ID} })
			})
			b.Run("batches", func(b *testing.B) { benchBatches(b, e, next) })
			b.Run("writers=8", func(b *testing.B) { benchWriters(b, e, next) })
			b.Run("visible", func(b *testing.B) { benchVisible(b, e, next) })
		})
	}
}

// benchSingle makes one change after the other.
func benchSingle(b *testing.B, e *Engine, next func() engine.Change) {
	var durations []time.Duration
	used := time.Duration(0)
	n := 0
	for b.Loop() {
		changes := prepared(1000, next)
		before := cpu(b)
		for i := range changes {
			start := time.Now()
			if _, err := e.Apply(context.Background(), "all", changes[i:i+1]); err != nil {
				b.Fatal(err)
			}
			durations = append(durations, time.Since(start))
		}
		used += cpu(b) - before
		n += len(changes)
	}
	percentiles(b, durations, "change")
	b.ReportMetric(used.Seconds()*1e3/float64(n), "cpu-ms/change")
}

// benchBatches makes changes in batches of 500.
func benchBatches(b *testing.B, e *Engine, next func() engine.Change) {
	elapsed := time.Duration(0)
	n := 0
	for b.Loop() {
		changes := prepared(10_000, next)
		start := time.Now()
		for batch := range slices.Chunk(changes, 500) {
			if _, err := e.Apply(context.Background(), "all", batch); err != nil {
				b.Fatal(err)
			}
		}
		elapsed += time.Since(start)
		n += len(changes)
	}
	b.ReportMetric(float64(n)/elapsed.Seconds(), "changes/s")
}

// benchWriters makes single changes from eight goroutines.
func benchWriters(b *testing.B, e *Engine, next func() engine.Change) {
	var durations []time.Duration
	elapsed := time.Duration(0)

	for b.Loop() {
		changes := prepared(10_000, next)
		start := time.Now()
		var group sync.WaitGroup
		var mu sync.Mutex
		for part := range slices.Chunk(changes, len(changes)/8) {
			group.Go(func() {
				took := make([]time.Duration, len(part))
				for i := range part {
					start := time.Now()
					if _, err := e.Apply(context.Background(), "all", part[i:i+1]); err != nil {
						b.Error(err)
						return
					}
					took[i] = time.Since(start)
				}

				mu.Lock()
				defer mu.Unlock()

				durations = append(durations, took...)
			})
		}

		group.Wait()
		elapsed += time.Since(start)
	}

	b.ReportMetric(float64(len(durations))/elapsed.Seconds(), "changes/s")
	percentiles(b, durations, "change")
}

// benchVisible measures the time from a change until another engine, as in another process, returns it.
func benchVisible(b *testing.B, e *Engine, next func() engine.Change) {
	other, err := Open(e.root.Path, Options{Log: e.log})
	if err != nil {
		b.Fatal(err)
	}
	defer other.Close()

	if _, err := other.Open(context.Background(), "all"); err != nil {
		b.Fatal(err)
	}
	var durations []time.Duration

	for b.Loop() {
		change := next()
		start := time.Now()

		if _, err := e.Apply(context.Background(), "all", []engine.Change{change}); err != nil {
			b.Fatal(err)
		}

		for {
			s, err := other.Open(context.Background(), "all")
			if err != nil {
				b.Fatal(err)
			}
			found, err := s.Fetch(context.Background(), []string{change.ID})
			if err == nil && found[0].Name == change.Document.Freelancer.Name {
				break
			}

			time.Sleep(time.Millisecond)
		}

		durations = append(durations, time.Since(start))
	}

	percentiles(b, durations, "visible")
}

// BenchmarkMergeChanges measures a background merge of changes to a tenth of the documents: its share of a processor
// core, and searches and changes before and during another one. Before that, it measures how long it takes to open the
// index with these changes.
func BenchmarkMergeChanges(b *testing.B) {
	for _, documents := range benchSizes {
		b.Run(fmt.Sprintf("docs=%d", documents), func(b *testing.B) {
			for b.Loop() {
				benchMerge(b, documents)
			}
		})
	}
}

func benchMerge(b *testing.B, documents int) {
	e, next := benchChanges(b, documents)
	e.mu.Lock()
	w := e.watched["all"]
	e.mu.Unlock()
	w.maintaining.Store(true) // no other merge
	fill := func() {
		for range documents / 10 / 500 {
			if _, err := e.Apply(context.Background(), "all", prepared(500, next)); err != nil {
				b.Fatal(err)
			}
		}
	}

	merge := func() float64 {
		start := time.Now()
		if err := w.current.Load().merge(context.Background(), mergeShare); err != nil {
			b.Fatal(err)
		}
		return time.Since(start).Seconds()
	}

	fill()
	start := time.Now()
	other, err := Open(e.root.Path, Options{Log: slog.New(slog.DiscardHandler)})
	if err == nil {
		_, err = other.Open(context.Background(), "all")
	}

	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(time.Since(start).Seconds(), "open-s")
	other.Close()
	time.Sleep(5 * time.Second) // until jobs in the background are done
	before := cpu(b)
	elapsed := merge()
	b.ReportMetric(elapsed, "merge-s")
	b.ReportMetric((cpu(b)-before).Seconds()/elapsed*100, "cpu-%")

	fill()
	time.Sleep(5 * time.Second)
	searches, changes := benchTraffic(b, e, next, func() { time.Sleep(20 * time.Second) })
	percentiles(b, searches, "search-before")
	percentiles(b, changes, "change-before")
	searches, changes = benchTraffic(b, e, next, func() { merge() })
	percentiles(b, searches, "search")
	percentiles(b, changes, "change")
	b.ReportMetric(float64(searches[len(searches)-1].Microseconds())/1e3, "search-max-ms")
	b.ReportMetric(float64(changes[len(changes)-1].Microseconds())/1e3, "change-max-ms")
}

// benchTraffic searches and changes, each about 25 times a second, while do runs. It returns how long each took.
func benchTraffic(b *testing.B, e *Engine, next func() engine.Change, do func()) (searches, changes []time.Duration) {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	queries := newWorld(2)
	repeat := func(durations *[]time.Duration, prepare func() func() error) {
		group.Go(func() {
			for ; ctx.Err() == nil; time.Sleep(40 * time.Millisecond) {
				run := prepare()
				start := time.Now()

				if err := run(); err != nil {
					b.Error(err)
					return
				}

				*durations = append(*durations, time.Since(start))
			}
		})
	}

	repeat(&searches, func() func() error {
		q := queries.query()
		return func() error {
			s, err := e.Open(context.Background(), "all")
			if err == nil {
				_, err = s.Search(context.Background(), q)
			}
			return err
		}
	})

	repeat(&changes, func() func() error {
		change := prepared(1, next)
		return func() error {
			_, err := e.Apply(context.Background(), "all", change)
			return err
		}
	})

	do()
	cancel()
	group.Wait()

	return searches, changes
}

// BenchmarkReplay measures how long it takes to open an index of 100,000 documents with as many changes in its log.
func BenchmarkReplay(b *testing.B) {
	e, next := benchChanges(b, 100_000)
	e.mu.Lock()
	e.watched["all"].maintaining.Store(true) // no merge
	e.mu.Unlock()
	for range 200 {
		if _, err := e.Apply(context.Background(), "all", prepared(500, next)); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := e.load(context.Background(), "bench"); err != nil {
			b.Fatal(err)
		}
	}
}
