package bulk

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/internal/matching"
)

// A load remembers every person until it ends, so a million people may take 60 MB, with IDs of 19 bytes.
func TestPeople_Memory(t *testing.T) {
	const n, limit = 200_000, 60 // bytes for each person, including the ID
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	r := &reading{report: &Report{}, people: newPeople()}
	for i := range n {
		r.count(&rows.Row{Freelancer: matching.Freelancer{ID: fmt.Sprintf("fl-%016x", i), Name: "Mira Talden"}})
	}
	if perPerson := float64(heap()-before) / n; perPerson > limit {
		t.Errorf("%.0f bytes for each person, want at most %d", perPerson, limit)
	} else {
		t.Logf("%.0f bytes for each person", perPerson)
	}
	runtime.KeepAlive(r)
}
