package engine_test

import (
	"testing"

	"freelancer-matching/engine"
)

func TestProvenance_AddChange_KeepsTheLatest(t *testing.T) {
	var p engine.Provenance
	for n := range engine.MaxProvenanceChanges + 3 {
		p.AddChange(engine.ProvenanceChange{Rows: n})
	}
	last := p.Changes[len(p.Changes)-1].Rows
	if len(p.Changes) != engine.MaxProvenanceChanges || last != engine.MaxProvenanceChanges+2 || p.ForgottenChanges != 3 {
		t.Errorf("%d changes, the last one is %d, %d forgotten", len(p.Changes), last, p.ForgottenChanges)
	}
}
