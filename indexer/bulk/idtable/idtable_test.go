package idtable_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/indexer/bulk/idtable"
)

func TestTable(t *testing.T) {
	table := idtable.New()
	id := func(i uint32) string { return strings.Repeat("x", int(i%40)) + strconv.Itoa(int(i)) }
	const n = 3<<12 + 7 // a few pages
	for i := range uint32(n) {
		if number, ok := table.Find(id(i)); ok {
			t.Fatalf("Find(%q) before it was added = %d", id(i), number)
		}
		table.Add(id(i))
	}
	for i := range uint32(n) {
		if number, ok := table.Find(id(i)); !ok || number != i {
			t.Errorf("Find(%q) = %d, %t, want %d", id(i), number, ok, i)
		}
		if got := string(table.At(i)); got != id(i) {
			t.Errorf("At(%d) = %q, want %q", i, got, id(i))
		}
	}
}
