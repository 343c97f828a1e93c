package loads_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/lastload"
	"freelancer-matching/server/dashboard/loads"
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
