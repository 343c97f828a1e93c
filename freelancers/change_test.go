package freelancers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/access/audit"
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/freelancers"
	"github.com/freelancer-matching/service/freelancers/freelancerstest"
	"github.com/freelancer-matching/service/internal/matching"
)

var by = audit.By{Actor: "key_1", Address: "192.0.2.1"}

// A fixture is a service in memory with the helpers of these tests.
type fixture struct {
	*freelancerstest.World
	t *testing.T
}

func newFixture(t *testing.T, list ...matching.Freelancer) *fixture {
	t.Helper()
	return &fixture{freelancerstest.New(list...), t}
}

// record parses an object that must have no faults.
func record(t *testing.T, object string) freelancers.Record {
	t.Helper()
	r, faults, err := freelancerstest.New().Parse(t.Context(), []byte(object), "")
	if err != nil || len(faults) > 0 {
		t.Fatalf("%s: %v, %v", object, faults, err)
	}
	return r
}

// apply makes changes, which must not fail as a whole.
func (f *fixture) apply(changes ...freelancers.Change) []freelancers.Result {
	f.t.Helper()
	results, err := f.Apply(f.t.Context(), by, "acc_1", changes)
	if err != nil {
		f.t.Fatal(err)
	}
	return results
}

func put(t *testing.T, id, object string) freelancers.Change {
	t.Helper()
	return freelancers.Change{Kind: freelancers.Put, ID: id, Record: record(t, object)}
}

func patch(t *testing.T, id, object string) freelancers.Change {
	t.Helper()
	return freelancers.Change{Kind: freelancers.Patch, ID: id, Record: record(t, object)}
}

// ada returns a record with a rate.
func ada(rate float64) matching.Freelancer {
	return matching.Freelancer{
		ID: "f1", Name: "Ada Byron", JobTitle: "Go developer", Skills: []string{"Go"},
		Signals: matching.Signals{HourlyRate: matching.Some(rate), Rating: matching.Some(4.5)},
	}
}

func version(f matching.Freelancer) string { return engine.Version(&f) }

func ifVersion(versions ...string) freelancers.Condition {
	return freelancers.Condition{Versions: versions}
}

func ifAbsent() freelancers.Condition { return freelancers.Condition{Exists: matching.Some(false)} }

// outcome formats a result as "status version" or "code version".
func outcome(r freelancers.Result) string {
	if r.Err != nil {
		return strings.TrimSpace(string(matching.CodeOf(r.Err)) + " " + r.Version)
	}
	return strings.TrimSpace(string(r.Status) + " " + r.Version)
}

func TestApply(t *testing.T) {
	const other = "00000000000000000000000000000000"
	cheaper := ada(20)
	plain := matching.Freelancer{ID: "f2", Name: "Bo", JobTitle: "Cook"}
	for _, test := range []struct {
		name    string
		changes func(t *testing.T) []freelancers.Change
		want    []string
		stored  map[string]matching.Freelancer // afterward
		log     []string
	}{
		{
			"put a new freelancer",
			func(t *testing.T) []freelancers.Change {
				return []freelancers.Change{put(t, "f2", `{"name":"Bo","job_title":"Cook"}`)}
			},
			[]string{"created " + version(plain)},
			map[string]matching.Freelancer{"f1": ada(25), "f2": plain},
			[]string{"key_1 acc_1 freelancer.stored f2 "},
		},
		{
			"put replaces all fields",
			func(t *testing.T) []freelancers.Change {
				return []freelancers.Change{put(t, "f1", `{"name":"Bo","job_title":"Cook"}`)}
			},
			[]string{"replaced " + version(matching.Freelancer{ID: "f1", Name: "Bo", JobTitle: "Cook"})},
			map[string]matching.Freelancer{"f1": {ID: "f1", Name: "Bo", JobTitle: "Cook"}},
			[]string{"key_1 acc_1 freelancer.stored f1 name job_title skills rating hourly_rate"},
		},
		{
			"an equal put changes nothing and leaves no entry",
			func(t *testing.T) []freelancers.Change {
				return []freelancers.Change{put(t, "f1",
					`{"rating":4.5,"hourly_rate":25,"skills":["Go"],"name":"Ada Byron","job_title":"Go developer"}`)}
			},
			[]string{"unchanged " + version(ada(25))},
			map[string]matching.Freelancer{"f1": ada(25)},
			nil,
		},
		{
			"patch keeps the other fields",
			func(t *testing.T) []freelancers.Change {
				return []freelancers.Change{patch(t, "f1", `{"hourly_rate":20}`)}
			},
			[]string{"patched " + version(cheaper)},
			map[string]matching.Freelancer{"f1": cheaper},
			[]string{"key_1 acc_1 freelancer.patched f1 hourly_rate"},
		},
		{
			"patch of nobody",
			func(t *testing.T) []freelancers.Change {
				return []freelancers.Change{patch(t, "f2", `{"hourly_rate":20}`)}
			},
			[]string{"freelancer_not_found"},
			map[string]matching.Freelancer{"f1": ada(25)},
			nil,
		},
		{
			"patch that leaves nothing to match",
			func(t *testing.T) []freelancers.Change {
				return []freelancers.Change{patch(t, "f1", `{"name":null,"job_title":null,"skills":null}`)}
			},
			[]string{"validation_failed"},
			map[string]matching.Freelancer{"f1": ada(25)},
			nil,
		},
		{
			"conditions",
			func(t *testing.T) []freelancers.Change {
				cook := `{"name":"Bo","job_title":"Cook"}`
				stale := put(t, "f1", cook)
				fresh := patch(t, "f1", `{"hourly_rate":20}`)
				taken := put(t, "f1", cook)
				free := put(t, "f2", cook)
				stale.If, fresh.If, taken.If, free.If = ifVersion(other), ifVersion(other, version(ada(25))), ifAbsent(), ifAbsent()
				missing := put(t, "f3", cook)
				missing.If = freelancers.Condition{Exists: matching.Some(true)}
				return []freelancers.Change{stale, fresh, taken, free, missing}
			},
			[]string{
				"version_mismatch " + version(ada(25)), "patched " + version(cheaper), "version_mismatch " + version(cheaper),
				"created " + version(plain), "version_mismatch",
			},
			map[string]matching.Freelancer{"f1": cheaper, "f2": plain},
			[]string{"key_1 acc_1 freelancer.patched f1 hourly_rate", "key_1 acc_1 freelancer.stored f2 "},
		},
		{
			"changes of one freelancer build on each other",
			func(t *testing.T) []freelancers.Change {
				return []freelancers.Change{
					put(t, "f2", `{"name":"Bo","job_title":"Cook"}`), patch(t, "f2", `{"job_title":"Baker"}`),
					patch(t, "f2", `{"name":"Bob"}`),
					{Kind: freelancers.Delete, ID: "f1"},
					put(t, "f3", `{"job_title":"Smith"}`),
				}
			},
			[]string{
				"created " + version(plain), "patched " + version(matching.Freelancer{ID: "f2", Name: "Bo", JobTitle: "Baker"}),
				"patched " + version(matching.Freelancer{ID: "f2", Name: "Bob", JobTitle: "Baker"}), "deleted",
				"created " + version(matching.Freelancer{ID: "f3", JobTitle: "Smith"}),
			},
			map[string]matching.Freelancer{
				"f2": {ID: "f2", Name: "Bob", JobTitle: "Baker"}, "f3": {ID: "f3", JobTitle: "Smith"},
			},
			[]string{
				"key_1 acc_1 freelancer.stored f2 ", "key_1 acc_1 freelancer.patched f2 job_title",
				"key_1 acc_1 freelancer.patched f2 name", "key_1 acc_1 freelancer.deleted f1 ",
				"key_1 acc_1 freelancer.stored f3 ",
			},
		},
		{
			"delete",
			func(t *testing.T) []freelancers.Change {
				return []freelancers.Change{
					{Kind: freelancers.Delete, ID: "f1", If: ifVersion(other)},
					{Kind: freelancers.Delete, ID: "f1", If: ifVersion(version(ada(25)))},
					{Kind: freelancers.Delete, ID: "f1"},
					{Kind: freelancers.Delete, ID: "f9"},
					{Kind: freelancers.Delete, ID: "f9", If: freelancers.Condition{Exists: matching.Some(true)}},
				}
			},
			[]string{
				"version_mismatch " + version(ada(25)), "deleted", "freelancer_not_found", "freelancer_not_found",
				"version_mismatch",
			},
			map[string]matching.Freelancer{},
			[]string{"key_1 acc_1 freelancer.deleted f1 ", "key_1 acc_1 freelancer.deleted f9 "},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, ada(25))
			var got []string
			for _, r := range f.apply(test.changes(t)...) {
				got = append(got, outcome(r))
			}

			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("results (-want +got)\n%s", diff)
			}

			if diff := cmp.Diff(test.stored, f.Engine.Records()); diff != "" {
				t.Errorf("stored (-want +got)\n%s", diff)
			}

			if diff := cmp.Diff(test.log, f.Log.Lines()); diff != "" {
				t.Errorf("audit log (-want +got)\n%s", diff)
			}
		})
	}
}

// A patch without a condition must not lose a change that another client makes at the same time.
func TestApply_RepeatsOvertakenPatches(t *testing.T) {
	f := newFixture(t, ada(25))
	overtake := 3
	f.Engine.Before = func() {
		if overtake--; overtake >= 0 {
			f.Engine.Edit("f1", func(r *matching.Freelancer) { r.TotalSales = matching.Some(overtake) })
		}
	}
	want := ada(20)
	want.TotalSales = matching.Some(0)
	if got := outcome(f.apply(patch(t, "f1", `{"hourly_rate":20}`))[0]); got != "patched "+version(want) {
		t.Errorf("got %s", got)
	}
	if diff := cmp.Diff(want, f.Engine.Records()["f1"]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if entries := len(f.Log.Lines()); entries != 1 {
		t.Errorf("%d entries in the audit log, want 1", entries)
	}
}

func TestApply_GivesUpOnAContendedPatch(t *testing.T) {
	f := newFixture(t, ada(25))
	n := 0
	f.Engine.Before = func() {
		n++
		f.Engine.Edit("f1", func(r *matching.Freelancer) { r.TotalSales = matching.Some(n) })
	}
	results := f.apply(patch(t, "f1", `{"hourly_rate":20}`), put(t, "f2", `{"job_title":"Cook"}`))
	if got := outcome(results[0]); got != string(freelancers.CodeContended) || n < 2 {
		t.Errorf("got %s after %d tries", got, n)
	}
	if results[1].Status != freelancers.Created {
		t.Errorf("the other change got %v", results[1])
	}
}

func TestApply_ConcurrentPatchesAllCount(t *testing.T) {
	f := newFixture(t, ada(25))
	fields := []string{`{"name":"Zoe"}`, `{"hourly_rate":1}`, `{"experience":2}`, `{"rating":3}`, `{"total_sales":4}`}
	var all sync.WaitGroup
	for _, object := range fields {
		all.Go(func() {
			results, err := f.Apply(t.Context(), by, "", []freelancers.Change{patch(t, "f1", object)})
			if err != nil || results[0].Err != nil {
				t.Errorf("%s: %v %v", object, err, results)
			}
		})
	}
	all.Wait()
	got := f.Engine.Records()["f1"]
	if got.Name != "Zoe" || got.HourlyRate.Value != 1 || got.Experience.Value != 2 || got.Rating.Value != 3 ||
		got.TotalSales.Value != 4 {
		t.Errorf("lost a patch: %+v", got)
	}
}

func TestApply_ErasedPeople(t *testing.T) {
	f := newFixture(t)
	f.People.List("f1", true)
	change := put(t, "f1", `{"job_title":"Cook"}`)
	if got := outcome(f.apply(change)[0]); got != string(freelancers.CodeErased) || f.Engine.Applied() > 0 {
		t.Errorf("got %s", got)
	}
	change.Readmit = true
	if got := f.apply(change)[0]; got.Status != freelancers.Created {
		t.Errorf("got %v", got)
	}
}

// An erasure that runs while a record is stored must win.
func TestApply_ErasureMeanwhile(t *testing.T) {
	f := newFixture(t)
	f.Engine.Before = func() { f.People.List("f1", true) }
	got := outcome(f.apply(put(t, "f1", `{"job_title":"Cook"}`))[0])
	if got != string(freelancers.CodeErased) || f.Engine.Records()["f1"].ID != "" {
		t.Errorf("got %s, stored %v", got, f.Engine.Records()["f1"])
	}
}

// A freelancer who is in no index may still have interviews.
func TestApply_DeletesWhoIsInNoIndex(t *testing.T) {
	f := newFixture(t)
	f.People.Interviews["f1"] = 2
	r := f.apply(freelancers.Change{Kind: freelancers.Delete, ID: "f1"})[0]
	if r.Status != freelancers.Deleted || r.Erasure.Interviews != 2 {
		t.Errorf("got %+v", r)
	}
}

func TestApply_ReplacesADamagedRecord(t *testing.T) {
	f := newFixture(t, ada(25))
	f.Engine.Damaged = []string{"f1"}
	if r := f.apply(put(t, "f1", `{"job_title":"Cook"}`))[0]; r.Status != freelancers.Replaced {
		t.Errorf("got %+v", r)
	}
}

func TestApply_OneRefusedRecordAffectsNoOther(t *testing.T) {
	f := newFixture(t)
	f.Engine.Refuse = "f1"
	results := f.apply(put(t, "f1", `{"job_title":"Cook"}`), put(t, "f2", `{"job_title":"Cook"}`))
	if outcome(results[0]) != string(matching.CodeInvalid) || results[1].Status != freelancers.Created {
		t.Errorf("got %v", results)
	}
}

// Nothing changes if a change can't be prepared like the documents in the index, or can't be recorded.
func TestApply_FailsAsAWhole(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*fixture)
		want   matching.Code
	}{
		"nothing loaded":   {func(f *fixture) { f.Engine.Empty = true }, freelancers.CodeNoData},
		"another taxonomy": {func(f *fixture) { f.Engine.Info.Taxonomy = "t0" }, freelancers.CodeReindex},
		"another mapping":  {func(f *fixture) { f.Engine.Info.Mapping = "freelancers.v0" }, freelancers.CodeReindex},
		"more vectors": {
			func(f *fixture) { f.Engine.Info.Vectors = []matching.VectorSpace{{Model: "m"}} }, freelancers.CodeReindex,
		},
		"no model":     {func(f *fixture) { f.Preparer.Err = errors.New("refused") }, freelancers.CodeEmbeddings},
		"no audit log": {func(f *fixture) { f.Log.Err = errors.New("disk full") }, matching.CodeInternal},
		"no list of servers": {
			func(f *fixture) { f.Servers = &freelancerstest.Servers{Err: errors.New("refused")} }, matching.CodeInternal,
		},
		"a read-only engine": {func(f *fixture) { f.Service.Engine = readOnly{f.Engine} }, freelancers.CodeReadOnly},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, ada(25))
			test.change(f)
			_, err := f.Apply(t.Context(), by, "", []freelancers.Change{put(t, "f1", `{"job_title":"Cook"}`)})
			if got := matching.CodeOf(err); got != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}

			if diff := cmp.Diff(ada(25), f.Engine.Records()["f1"]); diff != "" {
				t.Errorf("changed (-want +got)\n%s", diff)
			}
		})
	}
}

// Several servers with indexes of their own accept erasures, and nothing else.
func TestApply_SeveralServers(t *testing.T) {
	f := newFixture(t, ada(25))
	servers := &freelancerstest.Servers{Number: 1}
	f.Servers = servers
	f.apply(patch(t, "f1", `{"hourly_rate":20}`)) // the other servers use the same index
	before := f.Engine.Records()

	servers.Number = 3
	servers.On = &freelancers.ErasedOn{Rewritten: []string{"a"}, Pending: []string{"b", "c"}}
	results := f.apply(
		put(t, "f2", `{"job_title":"Cook"}`), patch(t, "f1", `{"hourly_rate":30}`),
		freelancers.Change{Kind: freelancers.Delete, ID: "f9"},
	)
	for i, want := range []matching.Code{
		freelancers.CodeSeveralServers, freelancers.CodeSeveralServers, matching.CodeFreelancerUnknown,
	} {
		if got := matching.CodeOf(results[i].Err); got != want {
			t.Errorf("change %d: got %v, want %s", i, results[i].Err, want)
		}
	}
	for _, way := range []string{"3 servers", "Elasticsearch", "one server"} {
		if text := results[0].Err.Error(); !strings.Contains(text, way) {
			t.Errorf("%q doesn't mention %s", text, way)
		}
	}
	if diff := cmp.Diff(before, f.Engine.Records()); diff != "" {
		t.Errorf("changed (-want +got)\n%s", diff)
	}

	deleted := f.apply(freelancers.Change{Kind: freelancers.Delete, ID: "f1"})[0]
	if deleted.Status != freelancers.Deleted || deleted.Erasure.Servers != servers.On {
		t.Errorf("got %+v", deleted)
	}
}

// An embedding model that was unreachable is asked again.
func TestApply_ModelReturns(t *testing.T) {
	f := newFixture(t)
	f.Preparer.Err = errors.New("refused")
	if _, err := f.Apply(t.Context(), by, "", []freelancers.Change{put(t, "f1", `{"job_title":"Cook"}`)}); err == nil {
		t.Fatal("no error")
	}
	f.Preparer.Err = nil
	f.apply(put(t, "f1", `{"job_title":"Cook"}`))
}

type readOnly struct{ engine.Searcher }

func TestGet(t *testing.T) {
	f := newFixture(t, ada(25))
	got, err := f.Get(t.Context(), "f1")
	if err != nil || got.Version != version(ada(25)) || got.Freelancer.Name != "Ada Byron" {
		t.Errorf("got %v, %v", got, err)
	}
	for _, prepare := range []func(){func() {}, func() { f.Engine.Empty = true }} {
		prepare()
		if _, err := f.Get(t.Context(), "f2"); matching.CodeOf(err) != matching.CodeFreelancerUnknown {
			t.Errorf("got %v", err)
		}
	}
}

func TestGetAll(t *testing.T) {
	f := newFixture(t, ada(25))
	for _, ids := range [][]string{{"f1"}, {"f0", "f1", "f2"}} {
		got, err := f.GetAll(t.Context(), ids)
		if err != nil || len(got) != 1 || got["f1"].Version != version(ada(25)) {
			t.Errorf("%q: got %v, %v", ids, got, err)
		}
	}
	f.Engine.Empty = true
	if got, err := f.GetAll(t.Context(), []string{"f1"}); err != nil || len(got) > 0 {
		t.Errorf("without data: got %v, %v", got, err)
	}
}

func TestList_PagesSeeEverybodyOnce(t *testing.T) {
	var records []matching.Freelancer
	for i := range 25 {
		records = append(records, matching.Freelancer{ID: fmt.Sprintf("f%02d", i), JobTitle: "Cook"})
	}
	f := newFixture(t, records...)
	f.Engine.Damaged = []string{"f03"}
	var seen []string
	damaged, after := 0, ""
	for {
		page, err := f.List(t.Context(), &matching.Filters{}, after, 10)
		if err != nil {
			t.Fatal(err)
		}
		damaged += page.Damaged

		for _, s := range page.Freelancers {
			seen = append(seen, s.Freelancer.ID)
		}

		if after = page.Next; after == "" {
			break
		}
	}

	if len(seen) != 24 || damaged != 1 || seen[3] != "f04" {
		t.Errorf("saw %v, %d damaged", seen, damaged)
	}
	f.Engine.Empty = true
	if page, err := f.List(context.Background(), &matching.Filters{}, "", 10); err != nil || len(page.Freelancers) > 0 {
		t.Errorf("without data: %v, %v", page, err)
	}
}

func TestLike(t *testing.T) {
	f := ada(25)
	b := freelancers.Like(&f)
	if b.JobTitle != f.JobTitle || len(b.RequiredSkills) != 1 || b.Filters.ExcludeIDs[0] != "f1" {
		t.Errorf("got %+v", b)
	}
	for range 60 {
		f.Skills = append(f.Skills, "x")
	}
	if n := len(freelancers.Like(&f).RequiredSkills); n != 50 {
		t.Errorf("%d skills", n)
	}
}
