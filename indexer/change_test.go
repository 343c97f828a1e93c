package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/engine"
	"freelancer-matching/indexer/bulk"
	"freelancer-matching/internal/config"
	"freelancer-matching/internal/setup"
)

const morePeople = `id,name,job_title,skills,hourly_rate
p2,Oren Vask,Illustrator,Figma,$35
p3,Ines Corvo,Data analyst,"SQL,Python",$50
`

// ids is who is live, in the order of the export.
func (s *session) ids() (ids []string) {
	s.t.Helper()
	for _, m := range regexp.MustCompile(`"id":"([^"]*)"`).FindAllStringSubmatch(s.must("export"), -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// TestChange_Output is a day of changes as the operator sees it.
func TestChange_Output(t *testing.T) {
	s := newSession(t)
	s.must("load", s.file("people.csv", people), "-max-failures", "1")
	s.file("gone.txt", "\np1\np9\n p1 \n\np8\n")
	more := s.file("more.csv", morePeople)
	var out strings.Builder
	run := func(args ...string) {
		out.WriteString("$ indexer " + strings.Join(args, " ") + "\n" + s.must(args...) + "\n")
	}
	run("load", "-upsert", more)
	run("reindex")
	run("delete", "-ids-file", filepath.Join(s.files, "gone.txt"))
	run("status")
	run("delete", "-ids", "p2, p3", "-everywhere")
	run("status")
	got := strings.NewReplacer(s.data, "DATA", s.files, "FILES").Replace(out.String())
	got = regexp.MustCompile(`(deleted|indexed) in [^,]*(, [0-9,]+ (rows|freelancers) a second)?`).ReplaceAllString(got, "$1 in …")
	got = timing.ReplaceAllString(got, "…")
	golden(t, "change.txt", regexp.MustCompile(` {2,}`).ReplaceAllString(got, "  "))
}

func TestUpsert_RollbackTakesItBack(t *testing.T) {
	s := newSession(t)
	s.must("load", s.file("people.csv", people), "-max-failures", "1")
	out := s.must("load", "-upsert", s.file("more.csv", morePeople))
	if !strings.Contains(out, "made anew, because this engine cannot change an index in place\n") {
		t.Errorf("output:\n%s", out)
	}
	if want := []string{"p1", "p2", "p3"}; !slices.Equal(s.ids(), want) {
		t.Errorf("live are %v, want %v", s.ids(), want)
	}
	s.must("rollback")
	if want := []string{"p2", "p1"}; !slices.Equal(s.ids(), want) {
		t.Errorf("after rollback %v, want %v", s.ids(), want)
	}
}

func TestUpsert_WhereNothingIsLive(t *testing.T) {
	s := newSession(t)
	out := s.must("load", "-upsert", "-in-place=false", s.file("more.csv", morePeople))
	if !strings.Contains(out, "made anew, because no index was live\n") || !slices.Equal(s.ids(), []string{"p2", "p3"}) {
		t.Errorf("live are %v after\n%s", s.ids(), out)
	}
}

func TestUpsert_OtherCurrency(t *testing.T) {
	s := newSession(t)
	s.must("load", "-currency", "EUR", "-max-failures", "1", "-rate", "USD=.9", s.file("people.csv", people))
	code, _, stderr := s.run("", "load", "-upsert", s.file("more.csv", morePeople))
	if code != 2 || !strings.Contains(stderr, "are in EUR, but the load is in USD; want -currency EUR, with -rate for amounts in others") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	s.must("load", "-upsert", "-currency", "eur", "-rate", "USD=.9", filepath.Join(s.files, "more.csv"))
	s.must("reindex")
	if out := s.must("status"); strings.Count(out, "EUR") != 3 {
		t.Errorf("status:\n%s", out)
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
		{"none", "", nil, 2, "whom to delete? Give -ids ID,ID… or -ids-file FILE", []string{"p2", "p1"}},
		{"blank", "\n \n", []string{"-ids-file", "-"}, 2, "whom to delete?", []string{"p2", "p1"}},
		{"no such file", "", []string{"-ids-file", "missing.txt"}, 1, "missing.txt", []string{"p2", "p1"}},
		{"all unknown", "", []string{"-ids", "p8,p9,p8"}, 1, "no freelancer has any of these 2 IDs: p8, p9\nNothing was changed", []string{"p2", "p1"}},
		{"standard input", "p1\r\n\np1\n", []string{"-ids-file", "-"}, 0, "1 freelancers deleted in", []string{"p2"}},
		{"both", "p1", []string{"-ids-file", "-", "-ids", "p2,p9"}, 0, "1 unknown ids: p9", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSession(t)
			s.must("load", s.file("people.csv", people), "-max-failures", "1")
			code, stdout, stderr := s.run(test.stdin, append([]string{"delete"}, test.args...)...)
			if code != test.code || !strings.Contains(stdout+stderr, test.want) {
				t.Errorf("exit %d, want %d with %q:\n%s%s", code, test.code, test.want, stdout, stderr)
			}
			if diff := cmp.Diff(test.left, s.ids()); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDelete_Everywhere leaves neither an index nor dead letters of any but the live one.
func TestDelete_Everywhere(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", people)
	for range 3 {
		s.must("load", csv, "-max-failures", "1")
	}
	s.must("delete", "-ids", "p1", "-everywhere")
	if got := s.states(); len(got) != 1 || len(got["live"]) != 1 {
		t.Errorf("indexes %v, want a live one alone", got)
	}
	if letters, err := filepath.Glob(filepath.Join(s.data, deadLettersDir, "*")); err != nil || len(letters) > 0 {
		t.Errorf("dead letters %v, %v", letters, err)
	}
	if code, _, stderr := s.run("", "rollback"); code != 1 || !strings.Contains(stderr, "there is no previous index") {
		t.Errorf("rollback: exit %d, %s", code, stderr)
	}
}

func TestPrune_Previous(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", people)
	for range 3 {
		s.must("load", csv, "-max-failures", "1")
	}
	live := s.states()["live"]
	out := s.must("prune", "-keep", "0", "-previous")
	if !strings.HasSuffix(out, "1 indexes kept\nThere is no previous index any more: no rollback until the next load.\n") {
		t.Errorf("output:\n%s", out)
	}
	if diff := cmp.Diff(map[string][]string{"live": live}, s.states()); diff != "" {
		t.Errorf("after prune (-want +got):\n%s", diff)
	}
}

// TestPrune_DeadLettersOfChangesInPlace keeps them as long as their index.
func TestPrune_DeadLettersOfChangesInPlace(t *testing.T) {
	dir := t.TempDir()
	s := &session{t: t, files: dir}
	for _, name := range []string{"a.ndjson", "a.20260102t030405z.ndjson", "b.ndjson", "b.20260102t030405z.ndjson"} {
		s.file(name, "")
	}
	if err := pruneDeadLetters(dir, map[string]bool{"a": true}); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if want := []string{filepath.Join(dir, "a.20260102t030405z.ndjson"), filepath.Join(dir, "a.ndjson")}; err != nil || !slices.Equal(left, want) {
		t.Errorf("left %v, %v; want %v", left, err, want)
	}
}

// TestChange_OneAtATime holds the lock as another indexer does.
func TestChange_OneAtATime(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", people)
	s.must("load", csv, "-max-failures", "1")
	c := &cli{stderr: t.Output(), now: time.Now}
	x, err := setup.OpenIndex(config.Config{Data: s.data}, c.log())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	release, err := x.Engine.Lock(t.Context(), c.owner("load"))
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"load", csv}, {"load", "-upsert", csv}, {"reindex"}, {"delete", "-ids", "p1"}, {"rollback"}, {"prune"},
	} {
		code, _, stderr := s.run("", args...)
		if code != 1 || !strings.Contains(stderr, "held by indexer load, process ") {
			t.Errorf("indexer %v: exit %d, %s", args, code, stderr)
		}
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	s.must("reindex")
}

func TestChange_Interrupted(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", people)
	s.must("load", csv, "-max-failures", "1")
	before := s.must("status")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{{"load", "-upsert", csv, "-max-failures", "1"}, {"reindex"}, {"delete", "-ids", "p1"}} {
		code, _, stderr := s.runContext(ctx, "", args...)
		if code != 1 || !strings.Contains(stderr, "interrupted") || !strings.Contains(stderr, "Nothing was changed: what was live before still is") {
			t.Errorf("indexer %v: exit %d, %s", args, code, stderr)
		}
	}
	if after := s.must("status"); after != before {
		t.Errorf("status before\n%s\nand after\n%s", before, after)
	}
}

// TestPrint_InPlace is what is told of changes that the engine in the data folder never makes.
func TestPrint_InPlace(t *testing.T) {
	var out strings.Builder
	c := &cli{stdout: &out, stderr: t.Output()}
	report := &bulk.Report{
		Rows: 9, Freelancers: 7, Merged: 1, Rejected: 1, Base: "x", Index: "x", Previous: "w", InPlace: true,
		Kept: 1000, Replaced: 2, Indexed: 6, Refused: 1, Elapsed: 2 * time.Second, DeadLetters: "letters.ndjson",
	}
	c.printReport(report)
	c.printUpsert(report)
	c.printNext(report)
	out.WriteString("\n")
	updated := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	infos := []engine.Info{
		{Name: "w", Complete: true, Documents: 5, Taxonomy: "t"}, {Name: "x", Complete: true, Documents: 1006, Taxonomy: "t", Updated: updated},
	}
	if err := c.printIndexes(infos, "x", "w"); err != nil {
		t.Fatal(err)
	}
	golden(t, "inplace.txt", out.String())
}

// A settings error tells all faults and is one of usage, whatever the command.
func TestSettings_Faults(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", people)
	s.must("load", csv, "-max-failures", "1")
	for _, args := range [][]string{{"load", csv}, {"status"}, {"reindex"}, {"delete", "-ids", "p1"}, {"export"}, {"prune"}, {"rollback"}} {
		code, _, stderr := s.run("", append(args, "-elasticsearch-user", "somebody")...)
		if code != 2 || !strings.Contains(stderr, "name it with elasticsearch-url, or leave them out") {
			t.Errorf("indexer %v: exit %d, %s", args, code, fmt.Sprint(stderr))
		}
	}
}
