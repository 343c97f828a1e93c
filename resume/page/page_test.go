package page

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/resumetest"
)

// A document within the limits is not cut.
func TestBounded(t *testing.T) {
	doc := resumetest.ParseDocument("{18 bold} Marlow Quillfeather\nmarlow@example.com")
	if got, cut := Bounded(doc); cut || !cmp.Equal(doc, got) {
		t.Errorf("cut: %v, %s", cut, cmp.Diff(doc, got))
	}
	full := resume.Document{Lines: []resume.Line{{Text: strings.Repeat("é", MaxBytes/2)}}}
	if got, cut := Bounded(full); cut || len(got.Lines[0].Text) != MaxBytes {
		t.Errorf("cut: %v, %d bytes; want all", cut, len(got.Lines[0].Text))
	}
	full.Lines[0].Text = "x" + full.Lines[0].Text
	if got, cut := Bounded(full); !cut || len(got.Lines[0].Text) != MaxBytes-1 {
		t.Errorf("cut: %v, %d bytes; want it cut between two characters", cut, len(got.Lines[0].Text))
	}
}
