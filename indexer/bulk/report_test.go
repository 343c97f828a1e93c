package bulk

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/source"
)

func TestTally_MostFrequentFirst(t *testing.T) {
	var tally Tally
	for i := range 5 {
		tally.add("f", source.Fault{Line: i, Column: "b", Value: "v", Reason: "often"})
	}
	tally.add("f", source.Fault{Line: 9, Column: "a", Reason: "once"})
	tally.add("f", source.Fault{Line: 9, Column: "a", Reason: "another"})
	want := []Count{
		{"b", "often", 5, []Example{{"f", 0, "v"}, {"f", 1, "v"}, {"f", 2, "v"}}},
		{"a", "another", 1, []Example{{"f", 9, ""}}},
		{"a", "once", 1, []Example{{"f", 9, ""}}},
	}
	if diff := cmp.Diff(want, tally.Counts()); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

func TestTally_IsBounded(t *testing.T) {
	var tally Tally
	const faults = 3 * maxKinds
	for i := range faults {
		tally.add("f", source.Fault{Reason: fmt.Sprint("reason ", i)})
	}
	counts := tally.Counts()
	if len(counts) != maxKinds+1 || counts[0].Reason != overflowReason || counts[0].Faults != faults-maxKinds {
		t.Errorf("%d kinds; the first is %+v", len(counts), counts[0])
	}
}
