package embedded

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/search"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/engine/enginetest/bruteforce"
)

// An index that is large enough for sorted ids, slices of columns and remembered conditions lists and counts the right
// documents, also after changes.
func TestList_LargeIndex(t *testing.T) {
	l := newLiving(t, 9, 7000, segment.OrderedFrom)
	if n := l.view.Parts[0].Alive; n <= 1<<12 {
		t.Fatalf("%d documents are too few", n)
	}

	for range 3 {
		filters := []engine.Filters{{}}
		for range 20 {
			filters = append(filters, l.oracle.Query().Filters)
		}
		want := make([]int, len(filters))
		for i, f := range filters {
			all := bruteforce.List(l.oracle.Documents, f, "", len(l.oracle.Documents))
			want[i] = len(all)
			const limit = 997
			var listed []string

			for after := ""; ; after = listed[len(listed)-1] {
				page, err := search.Snapshot{View: l.view}.List(t.Context(), f, after, limit)
				if err != nil {
					t.Fatal(err)
				}

				if listed = append(listed, page...); len(page) < limit {
					break
				}
			}

			if diff := cmp.Diff(all, append([]string{}, listed...)); diff != "" {
				t.Fatalf("list %v (-want +got):\n%s", f, diff)
			}
		}

		got, err := search.Snapshot{View: l.view}.CountEach(t.Context(), filters)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("counts: %v (-want +got):\n%s", err, diff)
		}
		l.view = l.view.Apply(l.batch(300))
	}
}
