package embedded

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/search"
	"github.com/freelancer-matching/service/engine/embedded/segment"
)

// Each live document has a revision, which is another one after a change. The last documents come first.
func TestRevisions(t *testing.T) {
	l := newLiving(t, 3, 300, segment.OrderedFrom)
	before := map[string]uint64{}
	for range 3 {
		var want []string
		for f, err := range l.view.Scan(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, f.ID)
		}
		slices.Reverse(want)

		var ids []string
		revisions := map[string]uint64{}
		var snapshot engine.Revisions = search.Snapshot{View: l.view}
		err := snapshot.EachRevision(t.Context(), func(id string, revision uint64) {
			ids = append(ids, id)
			revisions[id] = revision
		})
		if diff := cmp.Diff(want, ids); err != nil || diff != "" {
			t.Fatalf("%v; documents (-want +got):\n%s", err, diff)
		}

		some := []string{ids[0], "unknown", ids[len(ids)-1]}
		got, err := snapshot.Revisions(t.Context(), some)
		if diff := cmp.Diff([]uint64{revisions[some[0]], 0, revisions[some[2]]}, got); err != nil || diff != "" {
			t.Fatalf("%v; revisions (-want +got):\n%s", err, diff)
		}
		if slices.Contains(got[:1], 0) {
			t.Error("a live document has the revision 0")
		}

		records, err := snapshot.Records(t.Context(), some)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range records {
			if r.Revision != got[i] || got[i] != 0 && r.Freelancer.ID != some[i] {
				t.Errorf("the record of %q is of %q, revision %d, want revision %d", some[i], r.Freelancer.ID, r.Revision, got[i])
			}
		}

		changed := 0
		for id, revision := range before {
			if now, ok := revisions[id]; ok && now != revision {
				changed++
			}
		}
		if len(before) > 0 && changed == 0 {
			t.Error("no revision has changed")
		}
		before = revisions
		l.view = l.view.Apply(l.batch(60))
	}
}
