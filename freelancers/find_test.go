package freelancers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/freelancers/freelancerstest"
	"github.com/freelancer-matching/service/internal/matching"
)

func TestFind(t *testing.T) {
	person := func(id, name, location, country string, skills ...string) matching.Freelancer {
		return matching.Freelancer{
			ID: id, Name: name, Skills: skills, Details: matching.Details{Location: location, Country: country},
		}
	}
	w := freelancerstest.New(
		person("f10", "José Márquez-Ruiz", "Porto, Portugal", "PT", "Go"),
		person("f2", "Ana Ruiz", "", "PT"), person("f1", "Portugal Smith", "Austin, United States", "US", "Go"),
		person("f02", "", "Berlin", "DE"),
	)
	w.Engine.Damaged = []string{"f1"}

	for _, c := range []struct {
		q    freelancers.Search
		want string
	}{
		{freelancers.Search{}, "f2 f02 f10"},
		{freelancers.Search{Name: "jose marquez"}, "f10"},
		{freelancers.Search{Name: "RUIZ"}, "f2 f10"},
		{freelancers.Search{Name: "ru"}, ""},
		{freelancers.Search{Place: "Portugal"}, "f2 f10"},
		{freelancers.Search{Place: "Porto, Portugal"}, "f10"},
		{freelancers.Search{Place: "berlin"}, "f02"},
		{freelancers.Search{Skill: "Go", Name: "ruiz"}, "f10"},
		{freelancers.Search{Name: "--"}, "f2 f02 f10"},
	} {
		found, err := w.Find(t.Context(), c.q, 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		if got := idsOf(found.Freelancers); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.q, got, c.want)
		}
	}

	found, err := w.Find(t.Context(), freelancers.Search{}, 0, 2)
	if err != nil || idsOf(found.Freelancers) != "f2" || found.Damaged != 1 || found.Total != 4 {
		t.Errorf("a part of the list: %+v, error %v", found, err)
	}
	w.Engine.Empty = true
	if found, err = w.Find(t.Context(), freelancers.Search{}, 0, 2); err != nil || found.Total != 0 {
		t.Errorf("without data: %+v, error %v", found, err)
	}
}

// IDs are sorted by their numbers, even if they have many digits or leading zeros.
func TestFind_Order(t *testing.T) {
	want := strings.Fields("2 10 a a1 a01 a1b a2 a10 a10-2 a10-10 a99999999999999999999998 a99999999999999999999999 b")
	var list []matching.Freelancer
	for _, id := range want {
		list = append(list, matching.Freelancer{ID: id})
	}
	slices.Reverse(list)
	found, err := freelancerstest.New(list...).Find(t.Context(), freelancers.Search{}, 0, 20)
	if got := idsOf(found.Freelancers); err != nil || got != strings.Join(want, " ") {
		t.Errorf("got %q, error %v", got, err)
	}
}

func idsOf(list []freelancers.Stored) string {
	var ids []string
	for i := range list {
		ids = append(ids, list[i].Freelancer.ID)
	}
	return strings.Join(ids, " ")
}
