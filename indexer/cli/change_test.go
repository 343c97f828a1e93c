package cli

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/setup"
)

const morePeople = `id,name,job_title,skills,hourly_rate
p2,Oren Vask,Illustrator,Figma,$35
p3,Ines Corvo,Data analyst,"SQL,Python",$50
`

// ids returns the ids of the live freelancers, in the order of the export.
func (s *session) ids() (ids []string) {
	s.t.Helper()
	for _, m := range regexp.MustCompile(`"id":"([^"]*)"`).FindAllStringSubmatch(s.must("export"), -1) {
		ids = append(ids, m[1])
	}
	return ids
}

func TestChange_Output(t *testing.T) {
	s := newSession(t)
	s.loadPeople()
	s.file("gone.txt", "\np1\np9\n p1 \n\np8\n")
	s.file("more.csv", morePeople)
	source, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}

	t.Chdir(s.files) // where the report wraps its lines depends on the lengths of paths
	var out strings.Builder
	run := func(args ...string) {
		out.WriteString("$ indexer " + strings.Join(args, " ") + "\n" + s.must(args...) + "\n")
	}
	run("load", "-upsert", "more.csv")
	run("reindex")
	run("delete", "-ids-file", "gone.txt", "-allow-shrink")
	run("status")
	run("delete", "-ids", "p2, p3", "-everywhere", "-allow-shrink")
	run("status")

	t.Chdir(source)
	golden(t, "change.txt", s.normalize(out.String()))
}

func TestUpsert_Rollback(t *testing.T) {
	s := newSession(t)
	s.loadPeople()
	s.must("load", "-upsert", "-in-place=false", s.file("more.csv", morePeople))
	if want := []string{"p1", "p2", "p3"}; !slices.Equal(s.ids(), want) {
		t.Errorf("live freelancers %v, want %v", s.ids(), want)
	}
	s.must("rollback")
	if want := []string{"p2", "p1"}; !slices.Equal(s.ids(), want) {
		t.Errorf("after rollback %v, want %v", s.ids(), want)
	}
}

func TestUpsert_LoadsIfNoIndexIsLive(t *testing.T) {
	s := newSession(t)
	out := s.must("load", "-upsert", "-in-place=false", s.file("more.csv", morePeople))
	if !strings.Contains(out, "built a new index: no index was live\n") || !slices.Equal(s.ids(), []string{"p2", "p3"}) {
		t.Errorf("live freelancers %v after\n%s", s.ids(), out)
	}
}

func TestUpsert_OtherCurrency(t *testing.T) {
	s := newSession(t)
	s.loadPeople("-currency", "EUR", "-rate", "USD=.9")
	s.wantError(2, []string{"load", "-upsert", "-currency", "USD", s.file("more.csv", morePeople)},
		"are in EUR, but the load is in USD; use -currency EUR, and -rate to convert amounts in other currencies")
	s.must("load", "-upsert", "-currency", "eur", "-rate", "USD=.9", filepath.Join(s.files, "more.csv"))
	s.must("reindex")
	for _, index := range s.document(0, "status").at("indexes").([]any) {
		if currency := index.(map[string]any)["currency"]; currency != "EUR" {
			t.Errorf("the currency of an index is %v, want EUR", currency)
		}
	}
}

func TestDelete_IDs(t *testing.T) {
	for _, test := range []struct {
		name, stdin string
		args        []string
		code        int
		want        string
		left        []string
	}{
		{"none", "", nil, 2, "no ids given; use -ids ID,ID… or -ids-file FILE", []string{"p2", "p1"}},
		{"blank", "\n \n", []string{"-ids-file", "-"}, 2, "no ids given", []string{"p2", "p1"}},
		{"no such file", "", []string{"-ids-file", "missing.txt"}, 1, "missing.txt", []string{"p2", "p1"}},
		{
			"all unknown", "",
			[]string{"-ids", "p8,p9,p8"},
			1,
			"no freelancer has any of these 2 IDs: p8, p9\nNothing was changed",
			[]string{"p2", "p1"},
		},
		{
			"standard input", "p1\r\n\np1\n",
			[]string{"-ids-file", "-", "-allow-shrink"},
			0,
			"1 freelancer deleted in",
			[]string{"p2"},
		},
		{
			"both", "p1",
			[]string{"-ids-file", "-", "-ids", "p2,p9", "-allow-shrink"},
			0,
			"1 unknown id: p9",
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSession(t)
			s.loadPeople()
			args := append([]string{"delete"}, test.args...)
			code, stdout, stderr := s.run(test.stdin, args...)
			s.checkError(args, code, test.code, stdout+stderr, test.want)

			if diff := cmp.Diff(test.left, s.ids()); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
		})
	}
}

// With -everywhere, nobody is left in the previous index either.
func TestDelete_Everywhere(t *testing.T) {
	s := newSession(t)
	for range 3 {
		s.loadPeople()
	}
	s.must("delete", "-ids", "p1", "-everywhere", "-allow-shrink")
	for range 2 {
		if want := []string{"p2"}; !slices.Equal(s.ids(), want) {
			t.Errorf("freelancers %v, want %v", s.ids(), want)
		}
		s.must("rollback")
	}
}

func TestPrune_Previous(t *testing.T) {
	s := newSession(t)
	for range 3 {
		s.loadPeople()
	}
	live := s.states()["live"]
	out := s.must("prune", "-keep", "0", "-previous")
	if !strings.Contains(out, "1 index kept\nThere is no previous index now, so you can't roll back") {
		t.Errorf("output:\n%s", out)
	}
	if diff := cmp.Diff(map[string][]string{"live": live}, s.states()); diff != "" {
		t.Errorf("after prune (-want +got):\n%s", diff)
	}
}

// Dead letters of changes in place are kept as long as their index.
func TestPrune_DeadLettersOfChangesInPlace(t *testing.T) {
	dir := t.TempDir()
	s := &session{t: t, files: dir}
	for _, name := range []string{"a.ndjson", "a.20260102t030405z.ndjson", "b.ndjson", "b.20260102t030405z.ndjson"} {
		s.file(name, "")
	}
	if err := removeDeadLetters(dir, func(index string) bool { return index != "a" }); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	want := []string{filepath.Join(dir, "a.20260102t030405z.ndjson"), filepath.Join(dir, "a.ndjson")}
	if err != nil || !slices.Equal(left, want) {
		t.Errorf("left %v, %v; want %v", left, err, want)
	}
}

// Commands that change indexes fail while another indexer holds the lock.
func TestChange_OneAtATime(t *testing.T) {
	s := newSession(t)
	csv := s.loadPeople()
	c := &cli{stderr: t.Output(), now: time.Now}
	x, err := setup.OpenIndex(config.Config{Data: s.data}, c.log())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()

	release, err := x.Engine.Lock(t.Context(), lockOwner("load", time.Now()))
	if err != nil {
		t.Fatal(err)
	}

	for _, args := range [][]string{
		{"load", csv}, {"load", "-upsert", csv}, {"reindex"}, {"delete", "-ids", "p1"}, {"prune"},
	} {
		s.wantError(1, args, "indexer load, process ")
	}

	if err := release(); err != nil {
		t.Fatal(err)
	}
	s.must("reindex")
}

func TestChange_Interrupted(t *testing.T) {
	s := newSession(t)
	csv := s.loadPeople()
	before := s.must("status")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"load", csv, "-max-failures", "1"},
		{"load", "-upsert", csv, "-max-failures", "1"},
		{"reindex"},
		{"delete", "-ids", "p1"},
	} {
		code, _, stderr := s.runContext(ctx, "", args...)
		s.checkError(args, code, 1, stderr, "interrupted", "Nothing was changed. The live index is still the same")
	}
	if after := s.must("status"); after != before {
		t.Errorf("status before\n%s\nand after\n%s", before, after)
	}
}

// TestPrint_InPlace prints a change in place, which the engine in the data folder never makes.
func TestPrint_InPlace(t *testing.T) {
	var out strings.Builder
	updated := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := &cli{stdout: &out, stderr: t.Output(), now: func() time.Time { return updated.Add(5 * time.Hour) }}
	report := &bulk.Report{
		Rows: 9, Freelancers: 7, Merged: 1, Rejected: 1, Base: "x", Index: "x", Previous: "w", InPlace: true,
		Kept: 1000, Replaced: 2, Indexed: 6, Refused: 1, Elapsed: 2 * time.Second, DeadLetters: "letters.ndjson",
	}

	c.printer().Report(report)
	c.printer().Upsert(report)
	c.printer().Result(report)
	out.WriteString("\n")
	infos := []engine.Info{
		{Name: "w", Complete: true, Documents: 5, Taxonomy: "t"},
		{Name: "x", Complete: true, Documents: 1006, Taxonomy: "t", Created: updated.Add(-72 * time.Hour), Updated: updated},
	}
	if err := printIndexes(c.stdout, c.now(), infos, "x", "w"); err != nil {
		t.Fatal(err)
	}

	if err := printDetails(c.stdout, &infos[1], "live", true); err != nil {
		t.Fatal(err)
	}
	golden(t, "inplace.txt", out.String())
}

// Invalid settings are usage errors of every command.
func TestSettings_Invalid(t *testing.T) {
	s := newSession(t)
	csv := s.loadPeople()
	for _, command := range []string{"load " + csv, "status", "reindex", "delete -ids p1", "export", "prune", "rollback"} {
		s.wantError(2, append(strings.Fields(command), "-elasticsearch-user", "somebody"), "elasticsearch-url")
	}
}

// Dead letters hold personal data, so they are removed when their retention ends, even if their index is kept.
func TestDeadLetters_Expire(t *testing.T) {
	s := newSession(t)
	s.loadPeople()
	old, err := filepath.Glob(filepath.Join(s.data, deadLettersDir, "*"))
	if err != nil || len(old) != 1 {
		t.Fatalf("dead letters %v (%v), want one file", old, err)
	}

	at := time.Now().Add(-48 * time.Hour)
	if err := os.Chtimes(old[0], at, at); err != nil {
		t.Fatal(err)
	}
	s.must("prune")

	if !exists(old[0]) {
		t.Error("dead letters were removed before their retention has ended")
	}

	if out := s.must("prune", "-dead-letter-retention", "1d"); !strings.Contains(out, filepath.Base(old[0])) {
		t.Errorf("the removed file is not named in:\n%s", out)
	}

	if exists(old[0]) {
		t.Error("dead letters were kept after their retention has ended")
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
