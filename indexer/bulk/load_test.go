package bulk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/internal/matching"
)

func TestLoad_MergesRowsOfOnePerson(t *testing.T) {
	tests := []struct {
		name   string
		inputs []bulk.Input
		want   []string // in the order of the index: merged freelancers come at their last row
		merged int
	}{
		{
			"adjacent rows",
			[]bulk.Input{input("a", rows("1 Ada go", "1 Ada sql", "2 Bob c")...)},
			[]string{"2 Bob c", "1 Ada go,sql"},
			1,
		},
		{
			"distant rows in two files",
			[]bulk.Input{
				input("a", rows("1 Ada go", "2 Bob c", "3 Cyd r")...),
				input("b", rows("2 Bob d", "1 Ada sql", "1 Ada go")...),
			},
			[]string{"3 Cyd r", "2 Bob c,d", "1 Ada go,sql"},
			2, // one row repeats another
		},
		{"name added", []bulk.Input{input("a", rows("1 - go", "1 Ada sql", "1 - r")...)}, []string{"1 Ada go,sql,r"}, 2},
		{"name in another case", []bulk.Input{input("a", rows("1 Ada go", "1 ADA sql")...)}, []string{"1 Ada go,sql"}, 1},
		{"distinct people", []bulk.Input{input("a", rows("1 Ada go", "2 Bob c")...)}, []string{"1 Ada go", "2 Bob c"}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newHarness(t)
			report := b.load(t, test.inputs...)

			if diff := cmp.Diff(test.want, texts(b.freelancers(t))); diff != "" {
				t.Errorf("freelancers (-want +got):\n%s", diff)
			}

			if report.Merged != test.merged || report.Freelancers != len(test.want) || report.Indexed != len(test.want) {
				t.Errorf("merged %d, freelancers %d, indexed %d", report.Merged, report.Freelancers, report.Indexed)
			}
		})
	}
}

// texts formats freelancers as the function row parses them.
func texts(freelancers []matching.Freelancer) []string {
	list := make([]string, len(freelancers))
	for i, f := range freelancers {
		list[i] = f.ID + " " + f.Name + " " + strings.Join(f.Skills, ",")
	}
	return list
}

// TestLoad_Random compares loads of random rows with a map from id to the union of skills.
func TestLoad_Random(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 20 {
		people := 1 + rng.IntN(400)
		want := make(map[string][]string)
		var list []source.Row
		rejected := 0
		for line := range 1 + rng.IntN(1000) {
			if rng.IntN(20) == 0 {
				list = append(list, badRow(line, "r"))
				rejected++
				continue
			}

			id := fmt.Sprint(rng.IntN(people))
			skill := fmt.Sprintf("s%d", rng.IntN(6))
			list = append(list, row(line, id+" n"+id+" "+skill))

			if !slices.Contains(want[id], skill) {
				want[id] = append(want[id], skill)
			}
		}

		b := newHarness(t)
		b.options.MaxFailures = limit(t, "100%")
		cut := rng.IntN(len(list) + 1)
		inputs := []bulk.Input{input("a", list[:cut]...), input("b", list[cut:]...)}
		report, err := b.loader.Load(t.Context(), inputs, b.options)

		if len(want) == 0 {
			if !errors.Is(err, bulk.ErrNothing) {
				t.Fatalf("round %d: error %v", round, err)
			}
			continue
		}

		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string][]string)
		for _, f := range b.freelancers(t) {
			got[f.ID] = f.Skills
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("round %d (-want +got):\n%s", round, diff)
		}

		if report.Rows != len(list) || report.Rejected != rejected ||
			report.Rows != report.Freelancers+report.Merged+report.Duplicates+report.Rejected {
			t.Fatalf("round %d: counts %+v", round, report)
		}
	}
}

func TestLoad_KeepsOrder(t *testing.T) {
	b := newHarness(t)
	var list []source.Row
	for i := range 5000 {
		list = append(list, row(i+2, fmt.Sprintf("%d n%d go", 5000-i, i)))
	}
	b.load(t, input("a", list...))
	for i, f := range b.freelancers(t) {
		if want := fmt.Sprint(5000 - i); f.ID != want {
			t.Fatalf("document %d is %s, want %s", i, f.ID, want)
		}
	}
}

func TestLoad_RejectsSecondPersonWithSameID(t *testing.T) {
	b := newHarness(t)
	b.options.MaxFailures = limit(t, "2")
	report := b.load(t, input("a", rows("1 Ada go", "2 Bob c", "1 Eve sql", "1 Ada r")...), input("b", rows("2 Zoe d")...))
	if diff := cmp.Diff([]string{"2 Bob c", "1 Ada go,r"}, texts(b.freelancers(t))); diff != "" {
		t.Errorf("freelancers (-want +got):\n%s", diff)
	}
	want := []bulk.Count{{
		Column: "id", Reason: "this id belongs to another person; if each source numbers its own people, use -id-prefix, " +
			"and if other columns or none identify people, use -id", Faults: 2,
		Examples: []bulk.Example{
			{File: "a", Line: 4, Value: "a:2 has 1 for Ada"}, {File: "b", Line: 2, Value: "a:3 has 2 for Bob"},
		},
	}}
	if diff := cmp.Diff(want, report.Faults.Counts()); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestLoad_WritesDeadLetters(t *testing.T) {
	b := newHarness(t)
	b.options.MaxFailures = limit(t, "2")
	two := badRow(5, "first")
	two.Faults = append(two.Faults, source.Fault{Line: 5, Reason: "second <b>"})
	warned := row(6, "2 Bob")
	warned.Warnings = []source.Fault{{Line: 6, Column: "rate", Value: "x", Reason: "not a rate"}}
	report := b.load(t, input("a.csv", row(4, "1 Ada"), two), input("b.csv", warned, badRow(7, "first")))

	data, err := os.ReadFile(report.DeadLetters)
	if err != nil {
		t.Fatal(err)
	}
	var got []bulk.DeadLetter
	for line := range bytes.Lines(data) {
		var letter bulk.DeadLetter
		if err := json.Unmarshal(line, &letter); err != nil {
			t.Fatal(err)
		}
		got = append(got, letter)
	}

	want := []bulk.DeadLetter{
		{File: "a.csv", Line: 5, Faults: []bulk.DeadFault{
			{Column: "c", Value: "v", Reason: "first"}, {Reason: "second <b>"},
		}},
		{File: "b.csv", Line: 7, Faults: []bulk.DeadFault{{Column: "c", Value: "v", Reason: "first"}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dead letters (-want +got):\n%s", diff)
	}

	if report.DeadLetters != b.options.DeadLetters(report.Index) {
		t.Errorf("dead letters are in %s", report.DeadLetters)
	}

	wantWarnings := []bulk.Count{{
		Column: "rate", Reason: "not a rate", Faults: 1, Examples: []bulk.Example{{File: "b.csv", Line: 6, Value: "x"}},
	}}
	if diff := cmp.Diff(wantWarnings, report.Warnings.Counts()); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestLoad_WritesNoDeadLettersWithoutFaults(t *testing.T) {
	b := newHarness(t)
	if report := b.load(t, input("a", rows("1 Ada")...)); report.DeadLetters != "" || exists(b.folder) {
		t.Errorf("dead letters %q", report.DeadLetters)
	}
}

func TestLoad_Limits(t *testing.T) {
	list := append(rows("1 a", "2 b", "3 c", "4 d", "5 e", "6 f", "7 g"), badRow(9, "r"), badRow(10, "r"), badRow(11, "r"))
	faultsFirst := append(slices.Clone(list[7:]), list[:7]...)
	tests := []struct {
		limit string
		rows  []source.Row
		read  int // rows read when the load stops; 0 if it succeeds
	}{
		{"3", list, 0},
		{"2", list, 10},
		{"2", faultsFirst, 3}, // stops as soon as the number is exceeded
		{"0", faultsFirst, 1},
		{"30%", list, 0},
		{"30%", faultsFirst, 0}, // a percentage is of all rows, not of the first ones
		{"29.9%", faultsFirst, 10},
		{"0%", list, 10},
		{"100%", list, 0},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s of rows from line %d", test.limit, test.rows[0].Line), func(t *testing.T) {
			b := newHarness(t)
			before := b.load(t, input("before", rows("0 z")...))
			b.options.MaxFailures = limit(t, test.limit)
			report, err := b.loader.Load(t.Context(), []bulk.Input{input("a", test.rows...)}, b.options)

			if test.read == 0 {
				if err != nil || report.Indexed != 7 || report.Rejected != 3 {
					t.Fatalf("indexed %d, rejected %d, error %v", report.Indexed, report.Rejected, err)
				}
				return
			}

			exceeded, ok := errors.AsType[*bulk.LimitError](err)
			if !ok || exceeded.Rows != test.read || report.Rows != test.read {
				t.Fatalf("error %v after %d rows, want a LimitError after %d", err, report.Rows, test.read)
			}
			b.wantUnchanged(t, before)

			if !exists(report.DeadLetters) {
				t.Error("a load that was stopped left no dead letters")
			}
		})
	}
}

// wantUnchanged checks that the alias still points to the index of an earlier load, that there is no other index, and
// that the lock is free.
func (b *harness) wantUnchanged(t *testing.T, before *bulk.Report) {
	t.Helper()
	index, _, err := b.Alias(t.Context(), alias)
	if err != nil || index != before.Index {
		t.Errorf("alias points to %q (%v), want %q", index, err, before.Index)
	}
	b.wantIndexes(t, before.Index)
	release, err := b.Lock(t.Context(), "after")
	if err != nil {
		t.Fatalf("the lock is still held: %v", err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}

func TestLoad_FailureChangesNothing(t *testing.T) {
	broken := errors.New("broken")
	var list []source.Row
	for i := range 3000 {
		list = append(list, row(i+2, fmt.Sprintf("%d n%d go", i, i)))
	}

	changing := func() bulk.Input {
		pass := 0
		return bulk.Input{Name: "a", Open: func() (bulk.File, error) {
			pass++
			if pass == 1 {
				return &fakeFile{rows: rows("1 Ada", "1 Ada", "2 Bob")}, nil
			}
			return &fakeFile{rows: rows("1 Ada", "2 Bob")}, nil
		}}
	}

	growing := func() bulk.Input {
		pass := 0
		return bulk.Input{Name: "a", Open: func() (bulk.File, error) {
			pass++
			return &fakeFile{rows: rows(slices.Repeat([]string{"1 Ada"}, 1+pass)...)}, nil
		}}
	}

	tests := []struct {
		name   string
		engine func(*failing)
		input  bulk.Input
		want   string
	}{
		{"add fails", func(f *failing) { f.addErr = broken }, input("a", list...), `add freelancer "0": broken`},
		{"close fails", func(f *failing) { f.closeErr = broken }, input("a", list...), "broken"},
		{"alias fails", func(f *failing) { f.aliasErr = broken }, input("a", list...), "broken"},
		{"wrong counts", func(f *failing) { f.refused = 1 }, input("a", list...), "indexed 3000 documents and refused 1"},
		{"file can't be read to its end", nil, bulk.Input{Name: "a", Open: func() (bulk.File, error) {
			return &fakeFile{rows: list, err: fmt.Errorf("line 7: %w", broken)}, nil
		}}, "line 7: broken"},
		{"file can't be opened", nil, bulk.Input{Open: func() (bulk.File, error) { return nil, broken }}, "broken"},
		{"file shrinks between the passes", nil, changing(), "the files changed while they were being read"},
		{"file grows between the passes", nil, growing(), "the files changed while they were being read"},
		{"no rows", nil, input("a"), "the input has no usable rows"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newHarness(t)
			before := b.load(t, input("before", rows("0 z")...))
			f := &failing{Indexer: b.Engine}

			if test.engine != nil {
				test.engine(f)
			}
			b.loader.Indexer = f
			_, err := b.loader.Load(t.Context(), []bulk.Input{test.input}, b.options)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}

			b.wantUnchanged(t, before)
		})
	}
}

func TestLoad_CancelChangesNothing(t *testing.T) {
	var list []source.Row
	for i := range 5000 {
		list = append(list, row(i+2, fmt.Sprintf("%d n%d go", i%4000, i%4000)))
	}

	for _, stop := range []int{0, 1, 2500, 4999, 5000, 9000} { // of 10,000 in both passes
		t.Run(fmt.Sprintf("at row %d", stop), func(t *testing.T) {
			b := newHarness(t)
			before := b.load(t, input("before", rows("0 z")...))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()

			row := 0
			beforeRow := func(int) {
				if row == stop {
					cancel()
				}
				row++
			}

			open := func() (bulk.File, error) { return &fakeFile{rows: list, beforeRow: beforeRow}, nil }
			_, err := b.loader.Load(ctx, []bulk.Input{{Name: "a", Open: open}}, b.options)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}

			b.wantUnchanged(t, before)
		})
	}
}

func TestLoad_CountsRefusedDocumentsAsFailures(t *testing.T) {
	for _, test := range []struct {
		limit string
		fails bool
	}{{"1", false}, {"0", true}, {"50%", false}, {"49%", true}} {
		t.Run(test.limit, func(t *testing.T) {
			b := newHarness(t)
			b.loader.Indexer = &failing{Indexer: b.Engine, refused: 1}
			b.options.MaxFailures = limit(t, test.limit)
			report, err := b.loader.Load(t.Context(), []bulk.Input{input("a", rows("1 Ada", "2 refused")...)}, b.options)
			if _, ok := errors.AsType[*bulk.LimitError](err); ok != test.fails || !ok && err != nil {
				t.Fatalf("error %v", err)
			}
			if report.Refused != 1 || report.Indexed != 1 {
				t.Errorf("refused %d, indexed %d", report.Refused, report.Indexed)
			}
		})
	}
}

func TestLoad_KeepsPreviousIndexAndDropsUnfinishedOnes(t *testing.T) {
	b := newHarness(t)
	first := b.load(t, input("a", rows("1 Ada")...))
	// A load that is killed leaves an index that was never finished.
	spec := engine.Spec{Name: "freelancers-v1-20260102t030406z", Mapping: b.options.Mapping}
	if err := b.Create(t.Context(), spec); err != nil {
		t.Fatal(err)
	}

	second := b.load(t, input("a", rows("1 Ada", "2 Bob")...))
	if first.Index != "freelancers-v1-20260102t030405z" || second.Index != first.Index+"-2" {
		t.Errorf("two loads in one second made %q and %q", first.Index, second.Index)
	}

	if first.Previous != "" || second.Previous != first.Index {
		t.Errorf("previous indexes %q and %q", first.Previous, second.Previous)
	}
	b.wantIndexes(t, first.Index, second.Index)
	infos, err := b.Indexes(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	if got := infos[1]; got.Source != "csv" || got.Currency != "USD" || got.Taxonomy != "t1" || got.Documents != 2 {
		t.Errorf("info of the index: %+v", got)
	}
}

func TestLoad_FailsWhileAnotherHoldsTheLock(t *testing.T) {
	b := newHarness(t)
	release, err := b.Lock(t.Context(), "another load")
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.loader.Load(t.Context(), []bulk.Input{input("a", rows("1 Ada")...)}, b.options)
	if !errors.Is(err, engine.ErrConflict) || !strings.Contains(err.Error(), "another load") {
		t.Errorf("error %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	b.load(t, input("a", rows("1 Ada")...))
}

func TestLoad_ReportsProgress(t *testing.T) {
	b := newHarness(t)
	var got []bulk.Progress
	b.options.Progress = func(p bulk.Progress) { got = append(got, p) }
	var list []source.Row
	for i := range 300 {
		list = append(list, row(i+2, fmt.Sprintf("%d n%d go", i%299, i%299)))
	}
	b.load(t, input("a", list...))
	want := []bulk.Progress{
		{Stage: bulk.Loading, Rows: 256, Size: 300},
		{Stage: bulk.Loading, Rows: 300, Bytes: 300, Size: 300},
		{Stage: bulk.Merging, Rows: 256, Size: 300},
		{Stage: bulk.Merging, Rows: 300, Bytes: 300, Size: 300},
		{Stage: bulk.Finishing},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

func TestCheck_AgreesWithLoad(t *testing.T) {
	inputs := []bulk.Input{input("a", append(rows("1 Ada go", "1 Ada sql", "1 Eve", "2 Bob"), badRow(6, "r"))...)}
	b := newHarness(t)
	b.options.MaxFailures = limit(t, "50%")
	loaded := b.load(t, inputs...)
	o := b.options
	o.DeadLetters = func(string) string { return "" }
	checked, err := bulk.Check(t.Context(), inputs, o)
	if err != nil {
		t.Fatal(err)
	}

	if checked.Rows != loaded.Rows || checked.Freelancers != loaded.Freelancers || checked.Merged != loaded.Merged ||
		checked.Rejected != loaded.Rejected || checked.DeadLetters != "" {
		t.Errorf("check %+v\nload %+v", checked, loaded)
	}

	if diff := cmp.Diff(loaded.Faults.Counts(), checked.Faults.Counts()); diff != "" {
		t.Errorf("faults (-load +check):\n%s", diff)
	}
	o.MaxFailures = limit(t, "1")
	_, err = bulk.Check(t.Context(), inputs, o)
	if _, ok := errors.AsType[*bulk.LimitError](err); !ok {
		t.Errorf("error %v, want a LimitError", err)
	}

	_, err = bulk.Check(t.Context(), []bulk.Input{input("a")}, o)
	if !errors.Is(err, bulk.ErrNothing) {
		t.Errorf("error %v, want ErrNothing", err)
	}
}

func TestLoad_FailsIfDeadLettersCannotBeWritten(t *testing.T) {
	b := newHarness(t)
	if err := os.WriteFile(b.folder, nil, 0o600); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	_, err := b.loader.Load(t.Context(), []bulk.Input{input("a", badRow(2, "r"))}, b.options)
	if err == nil || !strings.Contains(err.Error(), "write dead letters: ") {
		t.Errorf("error %v", err)
	}
	b.wantIndexes(t)
}

func limit(t *testing.T, text string) bulk.Limit {
	t.Helper()
	l, err := bulk.ParseLimit(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// forgetfulPreparer prepares a different document the second time it sees a freelancer. A load then searches for skills
// that the index lacks, as if the index were damaged.
type forgetfulPreparer struct {
	wordPreparer
	seen sync.Map
}

func (p *forgetfulPreparer) Prepare(
	ctx context.Context, freelancers []matching.Freelancer,
) ([]*engine.Document, error) {
	documents, err := p.wordPreparer.Prepare(ctx, freelancers)
	for _, d := range documents {
		if _, seen := p.seen.LoadOrStore(d.Freelancer.ID, true); seen {
			for i := range d.Skills {
				d.Skills[i].ID += "-changed"
			}
		}
	}
	return documents, err
}

// An index never goes live if a search for a freelancer's own skills does not find them.
func TestLoad_ChecksThatFreelancersCanBeFound(t *testing.T) {
	b := newHarness(t)
	first := b.load(t, input("a", rows("1 ana go")...))
	b.loader.Preparer = &forgetfulPreparer{}
	report, err := b.loader.Load(t.Context(), []bulk.Input{input("b", rows("2 ben rust")...)}, b.options)
	if err == nil || !strings.Contains(err.Error(), `freelancer "2" does not find them`) || report.Index != "" {
		t.Errorf("index %q, error %v; want no index, and an error about freelancer 2", report.Index, err)
	}
	if live, _, err := b.Alias(t.Context(), alias); err != nil || live != first.Index {
		t.Errorf("live index is %q (%v), want still %q", live, err, first.Index)
	}
}
