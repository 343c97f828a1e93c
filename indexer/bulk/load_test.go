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

	"freelancer-matching/engine"
	"freelancer-matching/indexer/bulk"
	"freelancer-matching/indexer/source"
	"freelancer-matching/internal/matching"
)

func TestLoad_MergesTheRowsOfOnePerson(t *testing.T) {
	tests := []struct {
		name   string
		inputs []bulk.Input
		want   []string // in the order of the index: merged ones stand where their last row brought them
		merged int
	}{
		{"side by side", []bulk.Input{input("a", rows("1 Ada go", "1 Ada sql", "2 Bob c")...)}, []string{"2 Bob c", "1 Ada go,sql"}, 1},
		{
			"far apart and over two files",
			[]bulk.Input{input("a", rows("1 Ada go", "2 Bob c", "3 Cyd r")...), input("b", rows("2 Bob d", "1 Ada sql", "1 Ada go")...)},
			[]string{"3 Cyd r", "2 Bob c,d", "1 Ada go,sql"},
			3,
		},
		{"the name comes later", []bulk.Input{input("a", rows("1 - go", "1 Ada sql", "1 - r")...)}, []string{"1 Ada go,sql,r"}, 2},
		{"the name is written otherwise", []bulk.Input{input("a", rows("1 Ada go", "1 ADA sql")...)}, []string{"1 Ada go,sql"}, 1},
		{"nobody twice", []bulk.Input{input("a", rows("1 Ada go", "2 Bob c")...)}, []string{"1 Ada go", "2 Bob c"}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
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

// texts is freelancers as the function row reads them.
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
				list = append(list, bad(line, "r"))
				rejected++
				continue
			}
			id, skill := fmt.Sprint(rng.IntN(people)), fmt.Sprintf("s%d", rng.IntN(6))
			list = append(list, row(line, id+" n"+id+" "+skill))
			if !slices.Contains(want[id], skill) {
				want[id] = append(want[id], skill)
			}
		}
		b := newBench(t)
		b.options.MaxFailures = limit(t, "100%")
		cut := rng.IntN(len(list) + 1)
		report, err := b.loader.Load(t.Context(), []bulk.Input{input("a", list[:cut]...), input("b", list[cut:]...)}, b.options)
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
			report.Rows != report.Freelancers+report.Merged+report.Rejected {
			t.Fatalf("round %d: counts %+v", round, report)
		}
	}
}

func TestLoad_KeepsTheOrder(t *testing.T) {
	b := newBench(t)
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

func TestLoad_RejectsAnotherPersonUnderTheSameID(t *testing.T) {
	b := newBench(t)
	b.options.MaxFailures = limit(t, "2")
	report := b.load(t, input("a", rows("1 Ada go", "2 Bob c", "1 Eve sql", "1 Ada r")...), input("b", rows("2 Zoe d")...))
	if diff := cmp.Diff([]string{"2 Bob c", "1 Ada go,r"}, texts(b.freelancers(t))); diff != "" {
		t.Errorf("freelancers (-want +got):\n%s", diff)
	}
	want := []bulk.Count{{
		Reason: "id belongs to a freelancer with another name; ids must be unique over all files of a load", Faults: 2,
		Examples: []bulk.Example{{File: "a", Line: 4, Value: "1 Eve"}, {File: "b", Line: 2, Value: "2 Zoe"}},
	}}
	if diff := cmp.Diff(want, report.Faults.Counts()); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestLoad_WritesDeadLetters(t *testing.T) {
	b := newBench(t)
	b.options.MaxFailures = limit(t, "2")
	two := bad(5, "first")
	two.Faults = append(two.Faults, source.Fault{Line: 5, Reason: "second <b>"})
	warned := row(6, "2 Bob")
	warned.Warnings = []source.Fault{{Line: 6, Column: "rate", Value: "x", Reason: "not a rate"}}
	report := b.load(t, input("a.csv", row(4, "1 Ada"), two), input("b.csv", warned, bad(7, "first")))

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
		{File: "a.csv", Line: 5, Column: "c", Value: "v", Reason: "first"},
		{File: "a.csv", Line: 5, Reason: "second <b>"},
		{File: "b.csv", Line: 7, Column: "c", Value: "v", Reason: "first"},
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

func TestLoad_WithoutFaultsLeavesNoDeadLetters(t *testing.T) {
	b := newBench(t)
	if report := b.load(t, input("a", rows("1 Ada")...)); report.DeadLetters != "" || exists(b.folder) {
		t.Errorf("dead letters %q", report.DeadLetters)
	}
}

func TestLoad_Limits(t *testing.T) {
	list := append(rows("1 a", "2 b", "3 c", "4 d", "5 e", "6 f", "7 g"), bad(9, "r"), bad(10, "r"), bad(11, "r"))
	faultsFirst := append(slices.Clone(list[7:]), list[:7]...)
	tests := []struct {
		limit string
		rows  []source.Row
		read  int // rows read before it is given up; 0: it is not
	}{
		{"3", list, 0},
		{"2", list, 10},
		{"2", faultsFirst, 3}, // stops at once
		{"0", faultsFirst, 1},
		{"30%", list, 0},
		{"30%", faultsFirst, 0}, // is not judged by its first rows
		{"29.9%", faultsFirst, 10},
		{"0%", list, 10},
		{"100%", list, 0},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s of rows from line %d", test.limit, test.rows[0].Line), func(t *testing.T) {
			b := newBench(t)
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
				t.Fatalf("error %v after %d rows, want one after %d", err, report.Rows, test.read)
			}
			b.untouched(t, before)
			if !exists(report.DeadLetters) {
				t.Error("the dead letters of a load that was given up are missing")
			}
		})
	}
}

// untouched checks that the alias still points to the index of an earlier load, and that no other index is left.
func (b *bench) untouched(t *testing.T, before *bulk.Report) {
	t.Helper()
	index, _, err := b.Alias(t.Context(), alias)
	if err != nil || index != before.Index {
		t.Errorf("alias points to %q (%v), want %q", index, err, before.Index)
	}
	if got := b.names(t); !slices.Equal(got, []string{before.Index}) {
		t.Errorf("indexes %v, want %q alone", got, before.Index)
	}
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
		reading := 0
		return bulk.Input{Name: "a", Open: func() (bulk.File, error) {
			reading++
			if reading == 1 {
				return &fakeFile{rows: rows("1 Ada", "1 Ada", "2 Bob")}, nil
			}
			return &fakeFile{rows: rows("1 Ada", "2 Bob")}, nil
		}}
	}
	growing := func() bulk.Input {
		reading := 0
		return bulk.Input{Name: "a", Open: func() (bulk.File, error) {
			reading++
			return &fakeFile{rows: rows(slices.Repeat([]string{"1 Ada"}, 1+reading)...)}, nil
		}}
	}
	tests := []struct {
		name   string
		engine func(*failing)
		input  bulk.Input
		want   string
	}{
		{"add fails", func(f *failing) { f.add = broken }, input("a", list...), `add freelancer "0": broken`},
		{"close fails", func(f *failing) { f.end = broken }, input("a", list...), "broken"},
		{"alias fails", func(f *failing) { f.point = broken }, input("a", list...), "broken"},
		{"engine counts otherwise", func(f *failing) { f.refuse = 1 }, input("a", list...), "3000 documents indexed and 1 refused, of 3000 freelancers"},
		{"file ends with an error", nil, bulk.Input{Name: "a", Open: func() (bulk.File, error) {
			return &fakeFile{rows: list, err: fmt.Errorf("line 7: %w", broken)}, nil
		}}, "line 7: broken"},
		{"file is gone", nil, bulk.Input{Name: "a", Open: func() (bulk.File, error) { return nil, broken }}, "broken"},
		{"file shrinks between the readings", nil, changing(), "the files changed while they were read"},
		{"file grows between the readings", nil, growing(), "the files changed while they were read"},
		{"no rows", nil, input("a"), "no usable row in the input"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
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
			b.untouched(t, before)
		})
	}
}

func TestLoad_CancelChangesNothing(t *testing.T) {
	var list []source.Row
	for i := range 5000 {
		list = append(list, row(i+2, fmt.Sprintf("%d n%d go", i%4000, i%4000)))
	}
	for _, stop := range []int{0, 1, 2500, 4999, 5000, 9000} { // counted over both readings
		t.Run(fmt.Sprintf("at row %d", stop), func(t *testing.T) {
			b := newBench(t)
			before := b.load(t, input("before", rows("0 z")...))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			row := 0
			each := func(int) {
				if row == stop {
					cancel()
				}
				row++
			}
			open := func() (bulk.File, error) { return &fakeFile{rows: list, each: each}, nil }
			_, err := b.loader.Load(ctx, []bulk.Input{{Name: "a", Open: open}}, b.options)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			b.untouched(t, before)
		})
	}
}

func TestLoad_RefusedDocumentsCountAsFailures(t *testing.T) {
	for _, test := range []struct {
		limit string
		fails bool
	}{{"1", false}, {"0", true}, {"50%", false}, {"49%", true}} {
		t.Run(test.limit, func(t *testing.T) {
			b := newBench(t)
			b.loader.Indexer = &failing{Indexer: b.Engine, refuse: 1}
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

func TestLoad_KeepsThePreviousIndexAndRemovesRests(t *testing.T) {
	b := newBench(t)
	first := b.load(t, input("a", rows("1 Ada")...))
	// What kill -9 leaves: an index that was created and never closed.
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
	if diff := cmp.Diff([]string{first.Index, second.Index}, b.names(t)); diff != "" {
		t.Errorf("indexes (-want +got):\n%s", diff)
	}
	infos, err := b.Indexes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := infos[1]; got.Source != "csv" || got.Currency != "USD" || got.Taxonomy != "t1" || got.Documents != 2 {
		t.Errorf("the index says of itself %+v", got)
	}
}

func TestLoad_WhileAnotherHoldsTheLock(t *testing.T) {
	b := newBench(t)
	release, err := b.Lock(t.Context(), "the other one")
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.loader.Load(t.Context(), []bulk.Input{input("a", rows("1 Ada")...)}, b.options)
	if !errors.Is(err, engine.ErrConflict) || !strings.Contains(err.Error(), "the other one") {
		t.Errorf("error %v", err)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	b.load(t, input("a", rows("1 Ada")...))
}

func TestLoad_TellsItsProgress(t *testing.T) {
	b := newBench(t)
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

// TestCheck_AgreesWithLoad reads the same rows both ways.
func TestCheck_AgreesWithLoad(t *testing.T) {
	inputs := []bulk.Input{input("a", append(rows("1 Ada go", "1 Ada sql", "1 Eve", "2 Bob"), bad(6, "r"))...)}
	b := newBench(t)
	b.options.MaxFailures = limit(t, "50%")
	loaded := b.load(t, inputs...)
	checked, err := bulk.Check(t.Context(), inputs, b.options.MaxFailures, "", b.options.Progress)
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
	_, err = bulk.Check(t.Context(), inputs, limit(t, "1"), "", b.options.Progress)
	if _, ok := errors.AsType[*bulk.LimitError](err); !ok {
		t.Errorf("error %v, want a LimitError", err)
	}
	_, err = bulk.Check(t.Context(), []bulk.Input{input("a")}, limit(t, "1"), "", b.options.Progress)
	if !errors.Is(err, bulk.ErrNothing) {
		t.Errorf("error %v, want ErrNothing", err)
	}
}

func TestLoad_UnwritableDeadLettersFail(t *testing.T) {
	b := newBench(t)
	if err := os.WriteFile(b.folder, nil, 0o600); err != nil { // a file where the folder should be
		t.Fatal(err)
	}
	_, err := b.loader.Load(t.Context(), []bulk.Input{input("a", bad(2, "r"))}, b.options)
	if err == nil || !strings.Contains(err.Error(), "dead letters: ") || len(b.names(t)) != 0 {
		t.Errorf("error %v, indexes %v", err, b.names(t))
	}
}

func limit(t *testing.T, text string) bulk.Limit {
	t.Helper()
	l, err := bulk.ParseLimit(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// forgetfulPreparer prepares other documents the second time it sees a freelancer: what a load put into the index is not
// what it looks for afterwards, as when an index is damaged.
type forgetfulPreparer struct {
	wordPreparer
	seen sync.Map
}

func (p *forgetfulPreparer) Prepare(ctx context.Context, freelancers []matching.Freelancer) ([]*engine.Document, error) {
	documents, err := p.wordPreparer.Prepare(ctx, freelancers)
	for _, d := range documents {
		if _, again := p.seen.LoadOrStore(d.Freelancer.ID, true); again {
			for i := range d.Skills {
				d.Skills[i].ID += "-changed"
			}
		}
	}
	return documents, err
}

// An index whose freelancers are not found by their own skills never serves.
func TestLoad_ChecksThatFreelancersAreFound(t *testing.T) {
	b := newBench(t)
	first := b.load(t, input("a", rows("1 ana go")...))
	b.loader.Preparer = &forgetfulPreparer{}
	report, err := b.loader.Load(t.Context(), []bulk.Input{input("b", rows("2 ben rust")...)}, b.options)
	if err == nil || !strings.Contains(err.Error(), `freelancer "2" is not found`) || report.Index != "" {
		t.Errorf("index %q, error %v; want none, and that the freelancer is not found", report.Index, err)
	}
	if live, _, err := b.Alias(t.Context(), alias); err != nil || live != first.Index {
		t.Errorf("live is %q (%v), want %q still", live, err, first.Index)
	}
}
