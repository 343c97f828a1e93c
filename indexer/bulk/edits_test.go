package bulk_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/bulk"
)

// edited lets the harness know which fields clients have changed. It records since when it was asked.
func (b *harness) edited(edits map[string][]string) (since *time.Time) {
	since = new(time.Time)
	b.options.Edits = func(_ context.Context, at time.Time) (map[string][]string, error) {
		*since = at
		return edits, nil
	}
	return since
}

func TestLoad_EditsOfClients(t *testing.T) {
	name, skills := []string{"name"}, []string{"skills"}
	for _, test := range []struct {
		name, file string // rows, separated by bars
		changed    string // what clients put into the live index, which was "1 Ada go|2 Bob c"
		edits      map[string][]string
		undone     bulk.Edits
		kept       string
	}{
		{
			"nothing", "1 Ada go|2 Bob c", "", nil, bulk.Edits{}, "1 Ada go|2 Bob c",
		},
		{
			"a field that the files have as it was", "1 Ada go|2 Bob c", "1 Ann go",
			map[string][]string{"1": name},
			bulk.Edits{Freelancers: 1, ByField: map[string]int{"name": 1}},
			"1 Ann go|2 Bob c",
		},
		{
			"a field beside one that the files change", "1 Ada rust|2 Bob c", "1 Ann go",
			map[string][]string{"1": name},
			bulk.Edits{Freelancers: 1, ByField: map[string]int{"name": 1}},
			"1 Ann rust|2 Bob c",
		},
		{
			"a value that the files have, too", "1 Ann go|2 Bob c", "1 Ann go",
			map[string][]string{"1": name},
			bulk.Edits{},
			"1 Ann go|2 Bob c",
		},
		{
			"two freelancers", "1 Ada go|2 Bob c", "1 Ann java|2 Bob sql",
			map[string][]string{"1": {"name", "skills"}, "2": skills},
			bulk.Edits{Freelancers: 2, ByField: map[string]int{"name": 1, "skills": 2}},
			"1 Ann java|2 Bob sql",
		},
		{
			"a new freelancer", "1 Ada go|2 Bob c", "3 New x",
			map[string][]string{"3": nil},
			bulk.Edits{Added: 1},
			"1 Ada go|2 Bob c|3 New x",
		},
		{
			"a new freelancer whom the files have since", "1 Ada go|2 Bob c|3 Neu y", "3 New x",
			map[string][]string{"3": nil},
			bulk.Edits{Freelancers: 1, ByField: map[string]int{"name": 1, "skills": 1}},
			"1 Ada go|2 Bob c|3 New x",
		},
		{
			"a freelancer whom the files no longer have", "1 Ada go", "2 Ben c",
			map[string][]string{"2": name},
			bulk.Edits{},
			"1 Ada go",
		},
		{
			"a freelancer who was deleted since", "1 Ada go|2 Bob c", "2",
			map[string][]string{"2": name},
			bulk.Edits{},
			"1 Ada go|2 Bob c",
		},
		{
			"an entry without its id", "1 Ada go|2 Bob c", "",
			map[string][]string{"pseudonym": name},
			bulk.Edits{},
			"1 Ada go|2 Bob c",
		},
	} {
		for _, keep := range []bool{false, true} {
			t.Run(test.name+map[bool]string{true: ", kept"}[keep], func(t *testing.T) {
				b := newHarness(t)
				b.options.AllowShrink = true
				b.load(t, input("a", rows("1 Ada go", "2 Bob c")...))
				if test.changed != "" {
					b.put(t, strings.Split(test.changed, "|")...)
				}
				b.edited(test.edits)
				b.options.KeepChanges = keep

				report := b.load(t, input("a", rows(strings.Split(test.file, "|")...)...))
				want, wantEdits := test.file, test.undone
				if keep {
					want = test.kept
					wantEdits.Kept = !test.undone.IsEmpty()
				}
				if diff := cmp.Diff(wantEdits, report.Edits); diff != "" {
					t.Errorf("edits (-want +got):\n%s", diff)
				}
				got := texts(b.freelancers(t))
				slices.Sort(got)
				if strings.Join(got, "|") != want || report.Indexed != len(got) {
					t.Errorf("%q are live, and %d indexed, want %q", got, report.Indexed, want)
				}
			})
		}
	}
}

// A load that keeps changes leaves their beginning to the next one. After any other load, only later ones count.
func TestLoad_EditsSince(t *testing.T) {
	b := newHarness(t)
	times := map[string]time.Time{}
	day := 0
	b.loader.Now = func() time.Time { return time.Date(2030, 1, 1+day, 0, 0, 0, 0, time.UTC) }
	load := func(name string, keep bool) {
		day++
		b.options.KeepChanges = keep
		since := b.edited(nil)
		b.load(t, input("a", rows("1 Ada go")...))
		times[name] = *since
	}
	load("first", false)
	load("second", true)
	load("third", true)
	load("fourth", false)
	load("fifth", false)

	first := time.Date(2030, 1, 2, 0, 0, 0, 0, time.UTC)
	want := map[string]time.Time{
		"first": {}, "second": first, "third": first, "fourth": first, "fifth": first.AddDate(0, 0, 3),
	}
	if diff := cmp.Diff(want, times); diff != "" {
		t.Errorf("changes since (-want +got):\n%s", diff)
	}
}

func TestLoad_EditsUnknown(t *testing.T) {
	b := newHarness(t)
	b.load(t, input("a", rows("1 Ada go")...))
	failure := errors.New("the database is gone")
	b.options.Edits = func(context.Context, time.Time) (map[string][]string, error) { return nil, failure }
	_, err := b.loader.Load(t.Context(), []bulk.Input{input("a", rows("1 Ann go")...)}, b.options)
	if !errors.Is(err, failure) {
		t.Errorf("the error is %v", err)
	}
	if got := texts(b.freelancers(t)); !slices.Equal(got, []string{"1 Ada go"}) {
		t.Errorf("%q are live", got)
	}
}
