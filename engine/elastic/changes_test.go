//go:build integration

package elastic_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
)

func called(id, name string) *engine.Document {
	return &engine.Document{Freelancer: matching.Freelancer{ID: id, Name: name}}
}

func put(id, name string) engine.Change { return engine.Change{ID: id, Document: called(id, name)} }

// serveAll builds an index of documents and points the alias to it.
func serveAll(t *testing.T, e *elastic.Engine, name string, documents ...*engine.Document) {
	t.Helper()
	fill(t, e, spec(t, name), slices.Values(documents))
	if _, err := e.PointAlias(t.Context(), match.Alias, name); err != nil {
		t.Fatal(err)
	}
}

// mustApply makes changes that must succeed.
func mustApply(t *testing.T, e *elastic.Engine, changes ...engine.Change) {
	t.Helper()
	outcomes, err := e.Apply(t.Context(), match.Alias, changes)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range outcomes {
		if o.Err != nil {
			t.Fatalf("change of %q: %v", changes[i].ID, o.Err)
		}
	}
}

// names returns the names of all freelancers of an index by ID.
func names(t *testing.T, e *elastic.Engine, index string) map[string]string {
	t.Helper()
	names := map[string]string{}
	for f, err := range e.Scan(t.Context(), index) {
		if err != nil {
			t.Fatal(err)
		}
		names[f.ID] = f.Name
	}
	return names
}

// An update and single changes of the same freelancers at the same time: the write that arrives last wins.
func TestUpdate_MeanwhileSingleChanges(t *testing.T) {
	o := testOptions(t)
	loading := openEngine(t, o)
	server := openEngine(t, o)
	ids := []string{
		"changed before", "changed after", "changed between", "deleted before", "deleted after", "deleted by load",
	}
	var documents []*engine.Document
	for _, id := range ids {
		documents = append(documents, called(id, "old"))
	}

	serveAll(t, loading, "index", documents...)

	update, err := loading.Update(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer update.Abort()

	add := func(id, name string) {
		t.Helper()
		if err := update.Add(t.Context(), called(id, name)); err != nil {
			t.Fatal(err)
		}
	}

	mustApply(t, server, put("changed before", "single"), engine.Change{ID: "deleted before"})
	for _, id := range ids[:5] {
		add(id, "load")
	}

	if err := update.Delete(t.Context(), "deleted by load"); err != nil {
		t.Fatal(err)
	}

	arrived := func() bool { // whether the first request was made
		answer := ask(t, http.MethodPost, o.URLs[0]+"/"+o.Prefix+"index/_mget", `{"ids":["filler 0"]}`)
		return strings.Contains(answer, `"found":true`)
	}

	large := strings.Repeat("x", 4<<20) // more than one request holds
	for add("filler 0", large); !arrived(); {
		add("filler 1", large) // sends what was added before
	}
	mustApply(t, server, put("changed after", "single 1"), put("changed between", "single 1"))

	for i := range 10 { // raises the versions
		mustApply(t, server, put("changed after", fmt.Sprint("single ", i)), put("changed between", fmt.Sprint("single ", i)))
	}
	mustApply(t, server, engine.Change{ID: "deleted after"}, put("deleted by load", "single"))
	add("changed between", "load again")

	if result, err := update.Close(t.Context()); err != nil || result.Failed > 0 {
		t.Fatalf("close = %+v, %v", result, err)
	}

	want := map[string]string{
		"changed before": "load", "changed after": "single 9", "changed between": "load again", "deleted before": "load",
		"deleted by load": "single",
	}

	got := names(t, loading, "index")
	maps.DeleteFunc(got, func(id, _ string) bool { return strings.HasPrefix(id, "filler") })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("at the end (-want +got):\n%s", diff)
	}

	// A later update is above everything before.
	update, err = loading.Update(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}
	add("changed after", "second load")

	if _, err := update.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	if got := names(t, loading, "index")["changed after"]; got != "second load" {
		t.Errorf("after a second update: %q", got)
	}
}

// A changed document comes last in a scan, like a replaced one.
func TestApply_ScanOrder(t *testing.T) {
	e := openEngine(t, testOptions(t))
	serveAll(t, e, "index", called("a", "old"), called("b", "old"), called("c", "old"))
	mustApply(t, e, put("b", "single"))
	update, err := e.Update(t.Context(), "index", nil)
	if err != nil {
		t.Fatal(err)
	}

	if err := update.Add(t.Context(), called("a", "load")); err != nil {
		t.Fatal(err)
	}

	if _, err := update.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	mustApply(t, e, put("d", "single"))
	var order []string
	for f, err := range e.Scan(t.Context(), "index") {
		if err != nil {
			t.Fatal(err)
		}
		order = append(order, f.ID)
	}

	if want := []string{"c", "b", "a", "d"}; !slices.Equal(order, want) {
		t.Errorf("scan = %v, want %v", order, want)
	}
}

// Sequence numbers are the ones of each shard.
func TestTrack_ThreeShards(t *testing.T) {
	o := testOptions(t)
	o.Shards = 3
	e := openEngine(t, o)
	serveAll(t, e, "index", called("id-0", "old"), called("id-1", "old"))
	mustApply(t, e, put("before", "single"))
	tracker, err := e.Track(t.Context(), "index")
	if err != nil {
		t.Fatal(err)
	}

	want := map[string]string{"id-1": "deleted"}
	for round := range 3 {
		var changes []engine.Change
		for i := range 40 {
			id := fmt.Sprint("id-", 1+i*(round+1))
			name := fmt.Sprint("round ", round)
			want[id] = name
			changes = append(changes, put(id, name))
		}

		changes = append(changes, engine.Change{ID: "id-0"}, engine.Change{ID: "id-1"})
		want["id-0"] = "deleted"
		want["id-1"] = "deleted"
		mustApply(t, e, changes...)
		got := map[string]string{}
		for c, err := range tracker.Changed(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if got[c.ID] = "deleted"; c.Freelancer != nil {
				got[c.ID] = c.Freelancer.Name
			}
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("round %d (-want +got):\n%s", round, diff)
		}
		clear(want)
	}
}

// The list of deletions loses the entries of an index together with the index, and all entries after a day.
func TestDeletions_AreForgotten(t *testing.T) {
	o := testOptions(t)
	e := openEngine(t, o)
	list := o.URLs[0] + "/" + o.Prefix + "deletions"
	listed := func() string {
		t.Helper()
		ask(t, http.MethodPost, list+"/_refresh", "")
		var answer struct {
			Hits struct {
				Hits []struct {
					Source struct{ Index, ID string } `json:"_source"`
				}
			}
		}
		if err := json.Unmarshal([]byte(ask(t, http.MethodGet, list+"/_search?sort=index", "")), &answer); err != nil {
			t.Fatal(err)
		}

		var text []string
		for _, h := range answer.Hits.Hits {
			text = append(text, strings.TrimPrefix(h.Source.Index, o.Prefix)+"/"+h.Source.ID)
		}
		slices.Sort(text)
		return strings.Join(text, " ")
	}

	serveAll(t, e, "one", called("a", ""), called("b", ""))
	mustApply(t, e, engine.Change{ID: "a"})
	mustApply(t, e, put("a", "again"), engine.Change{ID: "b"})
	mustApply(t, e, engine.Change{ID: "a"})
	serveAll(t, e, "two", called("c", ""))
	mustApply(t, e, engine.Change{ID: "c"})

	if got, want := listed(), "one/a one/b two/c"; got != want {
		t.Errorf("deletions = %s, want %s", got, want)
	}

	if err := e.Drop(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}

	if got, want := listed(), "two/c"; got != want {
		t.Errorf("after the index was dropped: %s, want %s", got, want)
	}
	yesterday := time.Now().Add(-25 * time.Hour).UTC().Format(time.RFC3339)
	old := fmt.Sprintf(`{"index":"%stwo","id":"old","at":%q}`, o.Prefix, yesterday)
	ask(t, http.MethodPost, list+"/_doc?refresh=true", old)
	mustApply(t, openEngine(t, o), engine.Change{ID: "d"}) // the first deletion by a process

	if got, want := listed(), "two/c two/d"; got != want {
		t.Errorf("after a deletion a day later: %s, want %s", got, want)
	}
	ask(t, http.MethodPost, list+"/_doc?refresh=true", old)

	if _, err := openEngine(t, o).Track(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}

	if got, want := listed(), "two/c two/d"; got != want {
		t.Errorf("after a load began a day later: %s, want %s", got, want)
	}
}

// When the answer to a write is lost, Apply recognizes its own write.
func TestApply_LostAnswers(t *testing.T) {
	o := testOptions(t)
	target, err := url.Parse(o.URLs[0])
	if err != nil {
		t.Fatal(err)
	}

	var lost atomic.Int64 // number of answers yet to lose
	forward := &httputil.ReverseProxy{
		Transport: cluster(t).Client.Transport,
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: func(r *http.Response) error {
			if strings.Contains(r.Request.URL.Path, "index.write/_bulk") && lost.Add(-1) >= 0 {
				panic(http.ErrAbortHandler)
			}
			return nil
		},
	}

	gateway := httptest.NewServer(forward)
	defer gateway.Close()

	o.URLs = []string{gateway.URL}
	o.CACert = nil // the gateway has no certificate
	e := openEngine(t, o)
	first := put("a", "first")
	serveAll(t, e, "index", first.Document)
	version := func(c engine.Change) string { return engine.Version(&c.Document.Freelancer) }

	second := put("a", "second")
	second.If.Versions = []string{version(first)}
	created := put("b", "first")
	created.If.Exists = matching.Some(false)
	deletion := engine.Change{ID: "a", If: engine.Condition{Versions: []string{version(second)}}}
	for i, c := range []engine.Change{second, created, deletion} {
		lost.Store(2)
		outcomes, err := e.Apply(t.Context(), match.Alias, []engine.Change{c})
		if err != nil || outcomes[0].Err != nil || outcomes[0].Before != []string{version(first), "", version(second)}[i] {
			t.Errorf("change %d: %+v, %v; want success", i, outcomes, err)
		}
	}

	if diff := cmp.Diff(map[string]string{"b": "first"}, names(t, e, "index")); diff != "" {
		t.Errorf("at the end (-want +got):\n%s", diff)
	}
}
