//go:build integration

package elastic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

func spec(t testing.TB, name string) engine.Spec {
	t.Helper()
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		t.Fatal(err)
	}
	return engine.Spec{
		Name: name, Mapping: mapping, Source: "generated", Currency: "EUR", Created: time.Unix(1e9, 0).UTC(),
	}
}

// build creates a complete index of n freelancers.
func build(t testing.TB, e *elastic.Engine, name string, n int) {
	t.Helper()
	documents := make([]*engine.Document, n)
	for i := range documents {
		documents[i] = worded(fmt.Sprint("id-", i), "word")
	}
	fill(t, e, spec(t, name), slices.Values(documents))
}

// fill creates a complete index of the documents.
func fill(t testing.TB, e *elastic.Engine, spec engine.Spec, documents iter.Seq[*engine.Document]) {
	t.Helper()
	if err := e.Create(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	b, err := e.Bulk(t.Context(), spec.Name, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for d := range documents {
		n++
		if err := b.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if result, err := b.Close(t.Context()); err != nil || result != (engine.BulkResult{Indexed: n}) {
		t.Fatalf("close = %+v, %v", result, err)
	}
}

func checkError(t *testing.T, operation string, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: got error %v, want %q", operation, err, text)
		}
	}
}

// scanError returns the error of a scan.
func scanError(t *testing.T, e *elastic.Engine, index string) error {
	t.Helper()
	for _, err := range e.Scan(t.Context(), index) {
		if err != nil {
			return err
		}
	}
	return nil
}

// An index that another program created is neither listed nor changed.
func TestForeignIndex(t *testing.T) {
	o := testOptions(t)
	e := openEngine(t, o)
	url := o.URLs[0] + "/" + o.Prefix
	ask(t, http.MethodPut, url+"foreign",
		`{"mappings": {"_meta": {"owner": "somebody else"}}, "aliases": {"`+o.Prefix+`strange": {}}}`)
	before := ask(t, http.MethodGet, url+"foreign", "")
	const want = "not created by this program"
	_, err := e.Bulk(t.Context(), "foreign", nil)
	checkError(t, "bulk", err, want)
	_, err = e.OpenIndex(t.Context(), "foreign")
	checkError(t, "open", err, want)
	_, err = e.Update(t.Context(), "foreign", nil)
	checkError(t, "update", err, want)
	_, err = e.PointAlias(t.Context(), "freelancers", "foreign")
	checkError(t, "point alias", err, want)
	checkError(t, "scan", scanError(t, e, "foreign"), want)
	checkError(t, "drop", e.Drop(t.Context(), "foreign"), want)

	if err := e.Create(t.Context(), spec(t, "foreign")); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("create: got error %v, want %v", err, engine.ErrConflict)
	}
	// Neither can its alias be moved, or an index be created with the name of the alias.
	build(t, e, "own", 1)
	_, err = e.PointAlias(t.Context(), "strange", "own")
	checkError(t, "point its alias", err, want)
	_, err = e.Open(t.Context(), "strange")
	checkError(t, "open its alias", err, want)

	if err := e.Create(t.Context(), spec(t, "strange")); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("create an index with the name of an alias: got error %v, want %v", err, engine.ErrConflict)
	}
	infos, err := e.Indexes(t.Context())
	if err != nil || len(infos) != 1 || infos[0].Name != "own" {
		t.Errorf("indexes = %v, %v; want only own", infos, err)
	}

	if after := ask(t, http.MethodGet, url+"foreign", ""); after != before {
		t.Errorf("the index changed from %s to %s", before, after)
	}
}

func TestAlias_NameConflicts(t *testing.T) {
	o := testOptions(t)
	e := openEngine(t, o)
	build(t, e, "one", 1)
	build(t, e, "two", 1)

	_, err := e.PointAlias(t.Context(), "two", "one")
	checkError(t, "point an alias with the name of an index", err, "is an index, want an alias")
	_, _, err = e.Alias(t.Context(), "two")
	checkError(t, "alias with the name of an index", err, "is an index, want an alias")
	_, err = e.Open(t.Context(), "two")
	checkError(t, "open an index", err, "is an index, want an alias")

	if _, err := e.PointAlias(t.Context(), "freelancers", "one"); err != nil {
		t.Fatal(err)
	}
	_, err = e.OpenIndex(t.Context(), "freelancers")
	if !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("open an alias as an index: got error %v, want %v", err, engine.ErrNotFound)
	}

	if err := e.Drop(t.Context(), "freelancers"); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("drop an alias: got error %v, want %v", err, engine.ErrConflict)
	}
	ask(t, http.MethodPut, o.URLs[0]+"/"+o.Prefix+"two/_alias/"+o.Prefix+"freelancers", "")
	checkError(t, "check an alias of two indexes", e.CheckAlias(t.Context(), "freelancers"), "points to 2 indexes")

	if previous, err := e.PointAlias(t.Context(), "freelancers", "two"); previous != "" || err != nil {
		t.Errorf("point an alias of two indexes: previous %q, %v", previous, err)
	}

	if index, _, err := e.Alias(t.Context(), "freelancers"); index != "two" || err != nil {
		t.Errorf("repaired alias = %q, %v; want two", index, err)
	}
}

// An index that lost its description is damaged, not somebody else's.
func TestIndexes_LostMeta(t *testing.T) {
	o := testOptions(t)
	e := openEngine(t, o)
	build(t, e, "one", 1)
	build(t, e, "two", 1)

	for _, index := range []string{"one", "two"} {
		if _, err := e.PointAlias(t.Context(), "freelancers", index); err != nil {
			t.Fatal(err)
		}
	}

	ask(t, http.MethodPut, o.URLs[0]+"/"+o.Prefix+"two/_mapping", `{"_meta": {}}`)
	if err := e.CheckAlias(t.Context(), "freelancers"); !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("%v, want an error about damage", err)
	}
	infos, err := e.Indexes(t.Context())
	if err != nil || len(infos) != 2 || infos[0].Name != "two" || infos[0].Fault == "" || infos[1].Fault != "" {
		t.Errorf("indexes = %+v, %v; want two, damaged, and one", infos, err)
	}

	if _, err := e.PointAlias(t.Context(), "freelancers", "one"); err != nil {
		t.Error(err)
	}

	if err := engine.Verify(t.Context(), e, "one"); err != nil {
		t.Error(err)
	}
}

// If an index is dropped while it is being filled, the next request must not create it again.
func TestBulk_IndexDropped(t *testing.T) {
	o := testOptions(t)
	e := openEngine(t, o)
	if err := e.Create(t.Context(), spec(t, "index")); err != nil {
		t.Fatal(err)
	}

	b, err := e.Bulk(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}

	if err := e.Drop(t.Context(), "index"); err != nil {
		t.Fatal(err)
	}

	if err := b.Add(t.Context(), &engine.Document{Freelancer: matching.Freelancer{ID: "a"}}); err != nil {
		t.Fatal(err)
	}
	_, err = b.Close(t.Context())
	checkError(t, "close", err, "index_not_found_exception")

	if names := indexNames(t, o); len(names) != 0 {
		t.Errorf("found indexes %s, want none", names)
	}
}

func TestBulk_TwoShards(t *testing.T) {
	o := testOptions(t)
	o.Shards = 2
	e := openEngine(t, o)
	build(t, e, "index", 2500)
	url := o.URLs[0] + "/" + o.Prefix + "index"
	var settings map[string]struct {
		Settings struct{ Index map[string]any }
	}
	if err := json.Unmarshal([]byte(ask(t, http.MethodGet, url+"/_settings", "")), &settings); err != nil {
		t.Fatal(err)
	}

	index := settings[o.Prefix+"index"].Settings.Index
	if index["refresh_interval"] != nil || index["number_of_replicas"] != "0" || index["number_of_shards"] != "2" {
		t.Errorf("settings = %v", index)
	}
	n := 0
	for f, err := range e.Scan(t.Context(), "index") {
		if err != nil {
			t.Fatal(err)
		}

		if want := fmt.Sprint("id-", n); f.ID != want {
			t.Fatalf("freelancer %d of the scan is %s, want %s", n, f.ID, want)
		}
		n++
	}

	if n != 2500 {
		t.Errorf("scan yielded %d freelancers, want 2500", n)
	}
}

// Documents that Elasticsearch rejects are reported and don't affect the others.
func TestBulk_RejectedByElasticsearch(t *testing.T) {
	o := testOptions(t)
	e := openEngine(t, o)
	if err := e.Create(t.Context(), spec(t, "index")); err != nil {
		t.Fatal(err)
	}

	rejected := map[string]string{}
	b, err := e.Bulk(t.Context(), "index", func(id string, reason error) { rejected[id] = reason.Error() })
	if err != nil {
		t.Fatal(err)
	}

	long := strings.Repeat("long id ", 100) // longer than an _id may be
	for _, d := range []*engine.Document{
		{Freelancer: matching.Freelancer{ID: "good"}},
		{Freelancer: matching.Freelancer{ID: long}},
		{Freelancer: matching.Freelancer{ID: strings.Repeat("x", 40_000)}},
		{Freelancer: matching.Freelancer{ID: "many sales", Signals: matching.Signals{TotalSales: matching.Some(1 << 40)}}},
		{
			Freelancer: matching.Freelancer{ID: "long skill"},
			Skills:     []engine.Skill{{ID: strings.Repeat("x", 40_000), Evidence: matching.Listed}},
		},
	} {
		if err := b.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}

	result, err := b.Close(t.Context())
	if want := (engine.BulkResult{Indexed: 2, Failed: 3}); err != nil || result != want {
		t.Errorf("close = %+v, %v; want %+v", result, err, want)
	}

	for id, want := range map[string]string{
		"many sales": "out of range", "long skill": "immense term", strings.Repeat("x", 40_000): "immense term",
	} {
		if !strings.Contains(rejected[id], want) {
			t.Errorf("%.20s rejected because of %q, want %q", id, rejected[id], want)
		}
	}

	s, err := e.OpenIndex(t.Context(), "index")
	if err != nil {
		t.Fatal(err)
	}

	if found, err := s.Fetch(t.Context(), []string{long}); err != nil || found[0].ID != long {
		t.Errorf("fetch by a long id: %v, %v", found, err)
	}
}
