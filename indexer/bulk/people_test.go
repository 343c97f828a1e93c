package bulk

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"freelancer-matching/indexer/rows"
	"freelancer-matching/internal/matching"
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

func TestIDTable(t *testing.T) {
	table := newIDTable()
	id := func(i uint32) string { return strings.Repeat("x", int(i%40)) + strconv.Itoa(int(i)) }
	const n = 3*idsPerPage + 7
	for i := range uint32(n) {
		if number, ok := table.find(id(i)); ok {
			t.Fatalf("find(%q) before it was added = %d", id(i), number)
		}
		table.add(id(i))
	}
	for i := range uint32(n) {
		if number, ok := table.find(id(i)); !ok || number != i {
			t.Errorf("find(%q) = %d, %t, want %d", id(i), number, ok, i)
		}
		if got := string(table.at(i)); got != id(i) {
			t.Errorf("at(%d) = %q, want %q", i, got, id(i))
		}
	}
}
