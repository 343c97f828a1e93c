package enginetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
)

// testRevisions checks more documents than an engine reads at once.
func testRevisions(t *testing.T, o Options) {
	const count = 1100
	var documents []*engine.Document
	var want []string
	for i := range count {
		d := document(fmt.Sprintf("f%04d", i))
		d.Freelancer.Name = fmt.Sprintf("Name %d", i)
		documents = append(documents, d)
		want = append(want, d.Freelancer.ID)
	}
	slices.Reverse(want)

	e := o.New(t)()
	serve(t, e, "index", documents...)
	ids, before := listRevisions(t, e)
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Fatalf("documents (-want +got):\n%s", diff)
	}

	mustApply(t, e, put("f0003", "Another name"), put("new", "New"), engine.Change{ID: "f0004"})
	ids, after := listRevisions(t, e)
	want = slices.DeleteFunc(want, func(id string) bool { return id == "f0003" || id == "f0004" })
	if diff := cmp.Diff(append([]string{"new", "f0003"}, want...), ids); diff != "" {
		t.Errorf("documents after changes (-want +got):\n%s", diff)
	}
	for _, id := range want {
		if after[id] != before[id] {
			t.Errorf("the revision of %s has changed, but not its record", id)
		}
	}
	if after["f0003"] == before["f0003"] {
		t.Error("the revision of f0003 has not changed, but its record has")
	}

	some := []string{"new", "f0004", "unknown", "f0003", "f0005"}
	checkRecords(t, current(t, e).(engine.Revisions), some, after)
}

// listRevisions returns the IDs of the live documents in order, and their revisions.
func listRevisions(t *testing.T, e Engine) (ids []string, revisions map[string]uint64) {
	t.Helper()
	revisions = map[string]uint64{}
	err := current(t, e).(engine.Revisions).EachRevision(t.Context(), func(id string, revision uint64) {
		ids = append(ids, id)
		revisions[id] = revision
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids, revisions
}

// checkRecords checks the revisions of documents, and their records.
func checkRecords(t *testing.T, s engine.Revisions, ids []string, want map[string]uint64) {
	t.Helper()
	revisions, err := s.Revisions(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}
	records, err := s.Records(t.Context(), ids)
	if err != nil {
		t.Fatal(err)
	}

	for i, id := range ids {
		if revisions[i] != want[id] || records[i].Revision != want[id] {
			t.Errorf("%s has the revision %d, and its record %d, want %d", id, revisions[i], records[i].Revision, want[id])
		}
		if want[id] != 0 && records[i].Freelancer.ID != id {
			t.Errorf("the record of %s is of %q", id, records[i].Freelancer.ID)
		}
	}
}
