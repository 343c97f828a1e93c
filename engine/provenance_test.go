package engine_test

import (
	"testing"

	"github.com/freelancer-matching/service/engine"
)

func TestProvenance_With_KeepsTheLatestChanges(t *testing.T) {
	var p *engine.Provenance
	for n := range engine.MaxProvenanceChanges + 3 {
		before := p
		p = p.With(&engine.Run{Rows: n})
		if before != nil && before.Latest().Rows != n-1 {
			t.Fatalf("the provenance before change %d was changed", n)
		}
	}
	last := p.Latest().Rows
	if len(p.Changes) != engine.MaxProvenanceChanges || last != engine.MaxProvenanceChanges+2 || p.ForgottenChanges != 3 {
		t.Errorf("%d changes, the last one is %d, %d forgotten", len(p.Changes), last, p.ForgottenChanges)
	}
}
