package enginetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/enginetest/bruteforce"
	"github.com/freelancer-matching/service/engine/enginetest/random"
	"github.com/freelancer-matching/service/internal/matching"
)

func testList(t *testing.T, o Options) {
	e := o.New(t)()
	s := serve(t, e, "index",
		document("b", skill("go", matching.Listed)),
		document("a/é"),
		document("a"),
		document("B", skill("go", matching.InText)),
		document("\U0001F600"), // sorts last by bytes, but not as UTF-16
		document("\uFF21", skill("go", matching.InTitle)),
		document("a"))

	goers := engine.Filters{MustHave: []string{"go"}}
	for _, c := range []struct {
		name    string
		filters engine.Filters
		after   string
		limit   int
		want    []string
	}{
		{"all in byte order", engine.Filters{}, "", 10, []string{"B", "a", "a/é", "b", "\uFF21", "\U0001F600"}},
		{"limit", engine.Filters{}, "", 2, []string{"B", "a"}},
		{"after an id", engine.Filters{}, "a", 2, []string{"a/é", "b"}},
		{"after an id that does not exist", engine.Filters{}, "a0", 1, []string{"b"}},
		{"after the last id", engine.Filters{}, "\U0001F600", 10, []string{}},
		{"filter", goers, "", 10, []string{"B", "b", "\uFF21"}},
		{"filter, after an excluded id", goers, "a", 1, []string{"b"}},
		{"ids", engine.Filters{IDs: []string{"b", "nobody", "B", "b"}}, "", 10, []string{"B", "b"}},
		{"ids after one of them", engine.Filters{IDs: []string{"b", "nobody", "B"}}, "B", 10, []string{"b"}},
		{"excluded ids", engine.Filters{ExcludeIDs: []string{"a", "b"}}, "B", 2, []string{"a/é", "\uFF21"}},
		{"unknown skill", engine.Filters{MustHave: []string{"cobol"}}, "", 10, []string{}},
		{"limit 0", engine.Filters{}, "", 0, []string{}},
		{"negative limit", engine.Filters{}, "", -1, []string{}},
	} {
		got, err := s.List(t.Context(), c.filters, c.after, c.limit)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", c.name, err, diff)
		}
	}
}

// testListPages pages through random documents with random filters.
func testListPages(t *testing.T, o Options) {
	rng := rand.New(rand.NewPCG(1, 9))
	var documents []*engine.Document
	for range 300 {
		documents = append(documents, random.Document(rng, 300))
	}

	documents = bruteforce.Distinct(documents)
	e := o.New(t)()
	s := serve(t, e, "random", documents...)
	for range 30 {
		f := random.Filters(rng, 300)
		want := bruteforce.List(documents, f, "", len(documents))
		got := []string{}
		// The last page is shorter than the limit, or empty if the pages come out even.
		for limit := 1 + rng.IntN(120); ; {
			page, err := s.List(t.Context(), f, last(got), limit)
			if err != nil {
				t.Fatal(err)
			}

			if got = append(got, page...); len(page) < limit {
				break
			}
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("filters %v (-want +got):\n%s", f, diff)
		}
	}
}

// last returns the last of the ids, or "".
func last(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[len(ids)-1]
}

// testListUpdated checks that documents that exist throughout are listed once although others come and go between the
// pages.
func testListUpdated(t *testing.T, o Options) {
	e := o.New(t)()
	var documents []*engine.Document
	var want []string
	for i := range 40 {
		id := fmt.Sprintf("id-%02d", i)
		documents = append(documents, document(id))
		if i%4 != 0 {
			want = append(want, id)
		}
	}

	s := serve(t, e, "index", documents...)

	var got []string
	for i := 0; ; i++ {
		page, err := s.List(t.Context(), engine.Filters{}, last(got), 7)
		if err != nil {
			t.Fatal(err)
		}

		if got = append(got, page...); len(page) < 7 {
			break
		}

		// Only documents whose number is a multiple of 4 come and go, so all others must be listed.
		update, err := e.Update(t.Context(), "index", nil)
		if err != nil {
			t.Fatal(err)
		}

		change := fmt.Sprintf("id-%02d", 4*i)
		if i%2 == 0 {
			err = update.Delete(t.Context(), change)
		} else {
			err = update.Add(t.Context(), document(change+"-new"))
		}

		if err != nil {
			t.Fatal(err)
		}

		if _, err := update.Close(t.Context()); err != nil {
			t.Fatal(err)
		}

		if s, err = e.OpenIndex(t.Context(), "index"); err != nil {
			t.Fatal(err)
		}
	}

	// Each page starts after the last id of the one before, so an id can't come twice even if the index has changed.
	if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
		t.Errorf("the ids are not sorted or not distinct: %v", got)
	}

	for _, id := range want {
		if !slices.Contains(got, id) {
			t.Errorf("%s is missing in %v", id, got)
		}
	}
}

func testCountEach(t *testing.T, o Options) {
	rng := rand.New(rand.NewPCG(2, 9))
	var documents []*engine.Document
	for range 200 {
		documents = append(documents, random.Document(rng, 200))
	}

	documents = bruteforce.Distinct(documents)
	s := serve(t, o.New(t)(), "random", documents...)
	filters := []engine.Filters{{}, {IDs: []string{}}}
	for range 60 {
		filters = append(filters, random.Filters(rng, 200))
	}

	want := make([]int, len(filters))
	for i, f := range filters {
		want[i] = len(bruteforce.List(documents, f, "", len(documents)))
	}

	for range 2 { // the second time, counts may be cached
		got, err := s.CountEach(t.Context(), filters)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
	}

	if got, err := s.CountEach(t.Context(), nil); len(got) != 0 || err != nil {
		t.Errorf("no filters: %v, %v", got, err)
	}
}
