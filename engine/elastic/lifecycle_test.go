//go:build integration

package elastic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/engine/elastic"
	"freelancer-matching/internal/matching"
	"freelancer-matching/mappings"
)

func spec(t testing.TB, name string) engine.Spec {
	t.Helper()
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		t.Fatal(err)
	}
	return engine.Spec{Name: name, Mapping: mapping, Source: "generated", Currency: "EUR", Created: time.Unix(1e9, 0).UTC()}
}

// build makes a finished index of n freelancers.
func build(t testing.TB, e *elastic.Engine, name string, n int) {
	t.Helper()
	if err := e.Create(t.Context(), spec(t, name)); err != nil {
		t.Fatal(err)
	}
	b, err := e.Bulk(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		d := &engine.Document{Freelancer: matching.Freelancer{ID: fmt.Sprint("id-", i)}, Terms: []string{"word"}}
		if err := b.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if result, err := b.Close(t.Context()); err != nil || result != (engine.BulkResult{Indexed: n}) {
		t.Fatalf("close = %+v, %v", result, err)
	}
}

func wantSays(t *testing.T, doing string, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: error %v, want one that says %q", doing, err, text)
		}
	}
}

// firstError is the error of a scan.
func firstError(e *elastic.Engine, t *testing.T, index string) error {
	t.Helper()
	for _, err := range e.Scan(t.Context(), index) {
		if err != nil {
			return err
		}
	}
	return nil
}

// An index that this program did not make is neither listed nor touched, whatever its name.
func TestForeignIndex(t *testing.T) {
	o := testOptions(t)
	e := openEngine(t, o)
	url := o.URLs[0] + "/" + o.Prefix
	ask(t, http.MethodPut, url+"foreign", `{"mappings": {"_meta": {"owner": "somebody else"}}, "aliases": {"`+o.Prefix+`strange": {}}}`)
	before := ask(t, http.MethodGet, url+"foreign", "")
	const says = "not made by this program"
	_, err := e.Bulk(t.Context(), "foreign", nil)
	wantSays(t, "bulk", err, says)
	_, err = e.OpenIndex(t.Context(), "foreign")
	wantSays(t, "inspect", err, says)
	_, err = e.Update(t.Context(), "foreign", nil)
	wantSays(t, "update", err, says)
	_, err = e.PointAlias(t.Context(), "freelancers", "foreign")
	wantSays(t, "point alias", err, says)
	wantSays(t, "scan", firstError(e, t, "foreign"), says)
	wantSays(t, "drop", e.Drop(t.Context(), "foreign"), says)
	if err := e.Create(t.Context(), spec(t, "foreign")); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("create: error %v, want %v", err, engine.ErrConflict)
	}
	// An alias of it is not taken over either, and its name is no index's.
	build(t, e, "own", 1)
	_, err = e.PointAlias(t.Context(), "strange", "own")
	wantSays(t, "point its alias", err, says)
	_, err = e.Open(t.Context(), "strange")
	wantSays(t, "open its alias", err, says)
	if err := e.Create(t.Context(), spec(t, "strange")); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("create an index called as an alias: error %v, want %v", err, engine.ErrConflict)
	}
	infos, err := e.Indexes(t.Context())
	if err != nil || len(infos) != 1 || infos[0].Name != "own" {
		t.Errorf("indexes = %v, %v; want own alone", infos, err)
	}
	if after := ask(t, http.MethodGet, url+"foreign", ""); after != before {
		t.Errorf("the index was %s, and is %s", before, after)
	}
}

func TestAlias_Unusual(t *testing.T) {
	o := testOptions(t)
	e := openEngine(t, o)
	build(t, e, "one", 1)
	build(t, e, "two", 1)

	_, err := e.PointAlias(t.Context(), "two", "one")
	wantSays(t, "point an alias called as an index", err, "is an index, want an alias")
	_, _, err = e.Alias(t.Context(), "two")
	wantSays(t, "alias called as an index", err, "is an index, want an alias")
	_, err = e.Open(t.Context(), "two")
	wantSays(t, "open an index", err, "is an index, want an alias")

	if _, err := e.PointAlias(t.Context(), "freelancers", "one"); err != nil {
		t.Fatal(err)
	}
	_, err = e.OpenIndex(t.Context(), "freelancers")
	if !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("inspect an alias: error %v, want %v", err, engine.ErrNotFound)
	}
	if err := e.Drop(t.Context(), "freelancers"); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("drop an alias: error %v, want %v", err, engine.ErrConflict)
	}
	ask(t, http.MethodPut, o.URLs[0]+"/"+o.Prefix+"two/_alias/"+o.Prefix+"freelancers", "")
	_, err = e.PointAlias(t.Context(), "freelancers", "two")
	wantSays(t, "point an alias of two indexes", err, "points to 2 indexes")
}

// What somebody drops while it is filled is gone: Elasticsearch must not make an index of that name from the next request.
func TestBulk_DroppedMeanwhile(t *testing.T) {
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
	wantSays(t, "close", err, "index_not_found_exception")
	if names := ask(t, http.MethodGet, o.URLs[0]+"/_cat/indices/"+o.Prefix+"*?h=index&expand_wildcards=all", ""); names != "" {
		t.Errorf("there are %s, want no index", names)
	}
}

func TestBulk_Settled(t *testing.T) {
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
		t.Errorf("settings are %v", index)
	}
	n := 0
	for f, err := range e.Scan(t.Context(), "index") {
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprint("id-", n); f.ID != want {
			t.Fatalf("freelancer %d of the scan is %s", n, f.ID)
		}
		n++
	}
	if n != 2500 {
		t.Errorf("scan found %d", n)
	}
}

// What Elasticsearch itself refuses is told, and does not hinder the rest.
func TestBulk_RefusedByTheNode(t *testing.T) {
	o := testOptions(t)
	e := openEngine(t, o)
	if err := e.Create(t.Context(), spec(t, "index")); err != nil {
		t.Fatal(err)
	}
	refused := map[string]string{}
	b, err := e.Bulk(t.Context(), "index", func(id string, reason error) { refused[id] = reason.Error() })
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("long id ", 100) // more than Elasticsearch takes for an _id
	for _, d := range []*engine.Document{
		{Freelancer: matching.Freelancer{ID: "good"}},
		{Freelancer: matching.Freelancer{ID: long}},
		{Freelancer: matching.Freelancer{ID: strings.Repeat("x", 40_000)}},
		{Freelancer: matching.Freelancer{ID: "many sales", Signals: matching.Signals{TotalSales: matching.Some(1 << 40)}}},
		{Freelancer: matching.Freelancer{ID: "long skill"}, Skills: []engine.Skill{{ID: strings.Repeat("x", 40_000), Evidence: matching.Listed}}},
	} {
		if err := b.Add(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	result, err := b.Close(t.Context())
	if want := (engine.BulkResult{Indexed: 2, Failed: 3}); err != nil || result != want {
		t.Errorf("close = %+v, %v; want %+v", result, err, want)
	}
	for id, says := range map[string]string{"many sales": "out of range", "long skill": "immense term", strings.Repeat("x", 40_000): "immense term"} {
		if !strings.Contains(refused[id], says) {
			t.Errorf("%.20s was refused because of %q, want something of %s", id, refused[id], says)
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
