package embedded

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/internal/matching"
)

// What a bulk keeps of documents whose blocks are finished decides how many fit into memory: 10 million take 0.5 GB.
// Documents of several blocks, the last of them replacing one of the first block, have their own signals and records.
func TestBulk_ManyBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("adds 200,000 documents")
	}
	e := open(t, t.TempDir())
	ctx := t.Context()
	spec := engine.Spec{Name: "index"}
	if err := e.Create(ctx, spec); err != nil {
		t.Fatal(err)
	}

	b, err := e.Bulk(ctx, "index", nil)
	if err != nil {
		t.Fatal(err)
	}

	add := func(i int, rate float64) {
		f := matching.Freelancer{ID: fmt.Sprintf("freelancer-%d", i)}
		f.HourlyRate = matching.Some(rate)
		if err := b.Add(ctx, &engine.Document{Freelancer: f}); err != nil {
			t.Fatal(err)
		}
	}

	heap := func() float64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}

	before := 0.
	for i := range 3*segment.BlockSize + 1 {
		if i == segment.BlockSize {
			before = heap()
		}
		add(i, float64(i))
	}

	const limit = 80
	if perDocument := (heap() - before) / (2 * segment.BlockSize); perDocument > limit {
		t.Errorf("%.0f bytes per document, want at most %d", perDocument, limit)
	} else {
		t.Logf("%.0f bytes per document", perDocument)
	}

	add(5, -1)
	result, err := b.Close(ctx)
	if want := (engine.BulkResult{Indexed: 3*segment.BlockSize + 1}); err != nil || result != want {
		t.Fatalf("Close = %+v, %v, want %+v", result, err, want)
	}

	scanned := 0
	for f, err := range e.Scan(ctx, "index") {
		if err != nil {
			t.Fatal(err)
		}
		want := float64(scanned)

		if scanned++; scanned > 5 { // number 5 comes last
			want++
		}

		if scanned == result.Indexed {
			want = -1
		}

		if f.HourlyRate.Value != want {
			t.Fatalf("freelancer %q has the rate %g, want %g", f.ID, f.HourlyRate.Value, want)
		}
	}

	snapshot, err := e.OpenIndex(ctx, "index")
	if err != nil {
		t.Fatal(err)
	}

	for _, limit := range []float64{0, 1.5, segment.BlockSize, 3 * segment.BlockSize} {
		n, err := snapshot.Count(ctx, engine.Filters{MaxHourlyRate: matching.Some(limit)})
		want := int(limit) + 2 // from 0 to limit, and the rate of -1

		if limit >= 5 {
			want--
		}

		if err != nil || n != want {
			t.Errorf("%d freelancers with a rate of up to %g, %v, want %d", n, limit, err, want)
		}
	}
}
