package loads_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/lastload"
	"github.com/freelancer-matching/service/server/dashboard/loads"
)

func TestNew(t *testing.T) {
	h := lastload.History{Entries: []lastload.Entry{
		{Result: lastload.Result{Rows: 10, Freelancers: 6, Merged: 2, Rejected: 2, Error: "too_many_rejected"}},
		{Result: lastload.Result{Rows: 20, Freelancers: 20, Merged: 1}, Other: 2},
		{Result: lastload.Result{Rows: 40}},
	}}

	got := loads.New(h, 2)
	if len(got) != 2 || got[0].Label != "Refused" || got[1].Label != "Loaded" {
		t.Fatalf("got %+v", got)
	}
	want := []loads.Bar{{Class: "ok", Width: 30}, {Class: "other", X: 30, Width: 10}, {Class: "failed", X: 40, Width: 10}}
	if diff := cmp.Diff(want, got[0].Bars); diff != "" {
		t.Errorf("bars (-want +got):\n%s", diff)
	}

	want = []loads.Bar{
		{Class: "ok", Width: 85}, {Class: "other", X: 85, Width: 5}, {Class: "refused", X: 90, Width: 10},
	}
	if diff := cmp.Diff(want, got[1].Bars); diff != "" {
		t.Errorf("bars with other rows (-want +got):\n%s", diff)
	}
}

// The page says where the freelancers come from, and how many came or left since.
func TestLive_Origin(t *testing.T) {
	week := lastload.Entry{
		Result: lastload.Result{Command: "load", Index: "a"}, Live: 5125, Known: map[string]int{"name": 5125, "rating": 4000},
		Files: []lastload.File{{Name: "week2.csv"}},
	}
	added := lastload.Entry{Result: lastload.Result{Command: "upsert", Index: "a"}, Live: 5126}
	live := loads.Live(lastload.History{Entries: []lastload.Entry{added, week}}, "a")
	for now, want := range map[int]string{
		5126: "5,125 freelancers from week2.csv, 1 added since",
		5125: "5,125 freelancers from week2.csv",
		5000: "5,125 freelancers from week2.csv, 125 removed since",
	} {
		if got := live.Origin(now); got != want {
			t.Errorf("%d freelancers: %q, want %q", now, got, want)
		}
	}

	if partial := loads.Live(lastload.History{Entries: []lastload.Entry{added}}, "a"); partial.Origin(1) != "" {
		t.Errorf("the first load isn't recorded, but the page says %q", partial.Origin(1))
	}

	live = loads.Live(lastload.History{Entries: []lastload.Entry{week}}, "a")
	for _, f := range live.Fields {
		if f.Use == "" {
			t.Errorf("the page doesn't say what %s is for", f.Name)
		}
		if want := map[string]int{"name": 100, "rating": 78}[f.Name]; f.Percent != want {
			t.Errorf("%s is known of %d%%, want %d%%", f.Name, f.Percent, want)
		}
	}
}

// What a load changed is shown as counted, or as the difference of the totals.
func TestLoad_Difference(t *testing.T) {
	for _, c := range []struct {
		entry lastload.Entry
		want  string
	}{
		{lastload.Entry{Before: 10, Live: 22}, "+12"},
		{lastload.Entry{Before: 5000, Live: 3}, "−4,997"},
		{lastload.Entry{Live: 3}, ""},
		{lastload.Entry{Before: 10, Live: 22, Changes: &lastload.Changes{Added: 12}}, ""},
	} {
		if got := loads.New(lastload.History{Entries: []lastload.Entry{c.entry}}, 1)[0].Difference(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.entry, got, c.want)
		}
	}
}

// A load that adds to the live freelancers doesn't hide where the others come from, whether it changed the index or
// built another one.
func TestLive_NamesAllSources(t *testing.T) {
	load := func(command, index, previous, file, failure string) lastload.Entry {
		return lastload.Entry{
			Result:   lastload.Result{Command: command, Index: index, Error: failure},
			Previous: previous, Files: []lastload.File{{Name: file}},
		}
	}
	entries := []lastload.Entry{
		load("upsert", "d", "a", "one.json", ""),
		load("load", "", "", "refused.csv", "would_shrink"),
		load("load", "c", "a", "taken-back.csv", ""),
		load("patch", "a", "", "rates.csv", ""),
		load("load", "a", "z", "people.csv", ""),
		load("load", "z", "", "old.csv", ""),
	}

	for index, want := range map[string][]string{
		"d": {"+one.json", "+rates.csv", "people.csv"}, "c": {"taken-back.csv"}, "z": {"old.csv"},
	} {
		expectSources(t, loads.Live(lastload.History{Entries: entries}, index), want, false)
	}

	short := lastload.History{Entries: entries[:1]}
	expectSources(t, loads.Live(short, "d"), []string{"+one.json"}, true)
}

// expectSources compares the files of a live index, of which those that were added begin with a plus sign.
func expectSources(t *testing.T, got *loads.LiveIndex, files []string, partial bool) {
	t.Helper()
	var names []string
	for _, s := range got.Sources {
		sign := ""
		if s.Adds {
			sign = "+"
		}
		for _, f := range s.Files {
			names = append(names, sign+f.Name)
		}
	}
	if diff := cmp.Diff(files, names); diff != "" || got.Partial != partial {
		t.Errorf("partial %t; files (-want +got):\n%s", got.Partial, diff)
	}
}

func TestLive_IsTheLoadOfTheIndex(t *testing.T) {
	h := lastload.History{Entries: []lastload.Entry{
		{ID: "failed", Result: lastload.Result{Index: "b", Error: "unavailable"}},
		{ID: "newest", Result: lastload.Result{Index: "b"}},
		{ID: "oldest", Result: lastload.Result{Index: "a"}},
	}}
	for index, want := range map[string]string{"a": "oldest", "b": "newest"} {
		if got := loads.Live(h, index); got == nil || got.ID != want {
			t.Errorf("index %s: %+v, want %s", index, got, want)
		}
	}
	if got := loads.Live(h, "c"); got != nil {
		t.Errorf("a load of an unknown index: %+v", got)
	}
}
