package app

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/instances"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/setup"
)

// Three servers share a database: the first has erased somebody, the second has followed, and the third is killed.
func TestServers_ErasuresAndIndexes(t *testing.T) {
	c := config.Default()
	c.Data = t.TempDir()
	db, err := setup.CreateDatabase(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()

	now := time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC)
	join := func(id string) *servers {
		self := instances.Instance{ID: id, Engine: instances.Embedded}
		r := instances.New(db.Instances, self, func() time.Time { return now })
		return &servers{
			Registry: r, engine: self.Engine, revision: db.ErasedPeople.ErasedRevision,
		}
	}
	beat := func(s *servers, erased int64) {
		t.Helper()
		if err := s.Beat(t.Context(), "freelancers-v1-x", erased); err != nil {
			t.Fatal(err)
		}
	}
	want := func(s *servers, indexes int, on *freelancers.ErasedOn) {
		t.Helper()
		n, err := s.Indexes(t.Context())
		if err != nil || n != indexes {
			t.Errorf("%d indexes, %v; want %d", n, err, indexes)
		}
		got, err := s.Erasures(t.Context())
		if diff := cmp.Diff(on, got); diff != "" || err != nil {
			t.Errorf("erasures (-want +got)\n%s%v", diff, err)
		}
	}

	first := join("srv_1")
	beat(first, 0)
	want(first, 1, nil)

	second, third := join("srv_2"), join("srv_3")
	beat(second, 0)
	beat(third, 0)
	if err := db.ErasedPeople.MergeErased(t.Context(), nil); err != nil { // another revision
		t.Fatal(err)
	}
	want(first, 3, &freelancers.ErasedOn{Rewritten: []string{"srv_1"}, Pending: []string{"srv_2", "srv_3"}})

	beat(second, 1)
	want(first, 3, &freelancers.ErasedOn{Rewritten: []string{"srv_1", "srv_2"}, Pending: []string{"srv_3"}})

	now = now.Add(instances.LiveFor)
	beat(second, 1)
	want(first, 3, &freelancers.ErasedOn{Rewritten: []string{"srv_1", "srv_2"}, Pending: []string{"srv_3"}})
	now = now.Add(time.Second)
	want(first, 2, &freelancers.ErasedOn{Rewritten: []string{"srv_1", "srv_2"}, Pending: []string{}})

	if err := second.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(first, 1, nil)
}
