package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/store"
)

// Edits checks that read returns the changed fields of freelancers from the audit log of an empty database.
func Edits(t *testing.T, db *store.DB, read func(since time.Time) (map[string][]string, error)) {
	t.Helper()
	start := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	record := func(minutes int, action audit.Action, id, detail string) {
		t.Helper()
		err := db.AuditLog.Record(t.Context(), audit.Event{
			At: start.Add(time.Duration(minutes) * time.Minute), Actor: "key_1", Action: action, Subject: id, Detail: detail,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	record(-1, audit.FreelancerPatched, "f0", "name")
	record(0, audit.FreelancerPatched, "f1", "hourly_rate name")
	record(1, audit.FreelancerStored, "f1", "skills")
	record(2, audit.FreelancerPatched, "f2", "name")
	record(3, audit.FreelancerStored, "f2", "")
	record(4, audit.FreelancerDeleted, "f3", "")
	record(5, audit.PersonExported, "f4", "")

	got, err := read(start)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"f1": {"hourly_rate", "name", "skills"}, "f2": nil}
	sorted := cmp.Transformer("sorted", func(list []string) map[string]bool {
		names := make(map[string]bool)
		for _, name := range list {
			names[name] = true
		}
		return names
	})
	if diff := cmp.Diff(want, got, sorted); diff != "" {
		t.Errorf("edits (-want +got):\n%s", diff)
	}
}
