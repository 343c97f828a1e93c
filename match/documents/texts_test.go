package documents

import (
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
)

// The texts leave out who somebody is, and don't change with the taxonomy's names.
func TestEncoderTexts(t *testing.T) {
	p := newPreparer(t)
	f := matching.Freelancer{
		Name: "Rose Baker", JobTitle: "<b>Boat</b> builder", Skills: []string{"reactjs", "reactjs", "Planks"},
	}
	f.Description = "Rose from Berlin, 45, garden design."
	short, whole := p.EncoderTexts(&f)
	if want := "Boat builder. reactjs, Planks"; short != want {
		t.Errorf("short text %q, want %q", short, want)
	}
	if want := "Boat builder. reactjs, Planks. garden design"; whole != want {
		t.Errorf("whole text %q, want %q", whole, want)
	}

	f.Description = ""
	if short, whole = p.EncoderTexts(&f); whole != short {
		t.Errorf("without a description, the texts are %q and %q", short, whole)
	}
}
