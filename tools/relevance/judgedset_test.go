package relevance

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/tools/relevance/eval"
)

func TestAddRealJudgments(t *testing.T) {
	grades := eval.Judgments{"q16": {"pp-64ce0c3d90": eval.Unsuitable, "of-the-set": eval.Good}}
	if err := addRealJudgments(grades); err != nil {
		t.Fatal(err)
	}

	// The set's own grades stay, also where the added ones differ.
	want := map[string]eval.Grade{"pp-64ce0c3d90": eval.Unsuitable, "of-the-set": eval.Good}
	if diff := cmp.Diff(want, grades["q16"]); diff != "" {
		t.Errorf("q16 (-want +got):\n%s", diff)
	}

	// The others get those that it lacks.
	if got := grades["q20"]["pp-68452d4d62"]; got != eval.Excellent {
		t.Errorf("q20 has grade %d for the added person, want %d", got, eval.Excellent)
	}
}
