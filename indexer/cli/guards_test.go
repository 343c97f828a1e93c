package cli

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/setup"
)

// csvOf returns a file of n freelancers, the first of whom have rates.
func csvOf(n, rates int) string {
	var b strings.Builder
	b.WriteString("id,name,job_title,skills,hourly_rate\n")
	for i := range n {
		rate := ""
		if i < rates {
			rate = "$40"
		}
		fmt.Fprintf(&b, "p%d,Person %c,Go developer,Go,%s\n", i, 'A'+i, rate)
	}
	return b.String()
}

// guardedSession returns a session with a live index of 10 freelancers who have rates.
func guardedSession(t *testing.T) *session {
	t.Helper()
	s := newSession(t)
	s.must("load", s.file("live.csv", csvOf(10, 10)))
	return s
}

func TestGuard_RefusesLosses(t *testing.T) {
	s := guardedSession(t)
	before := s.must("status")
	few := s.file("few.csv", csvOf(5, 5))
	blank := s.file("blank.csv", csvOf(10, 2))
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"load", few}, []string{"5 freelancers instead of 10"}},
		{[]string{"load", few, "-quiet"}, []string{"5 freelancers instead of 10"}},
		{[]string{"load", few, "-json"}, []string{`"code": "would_shrink"`}},
		{[]string{"load", blank}, []string{"hourly_rate known for 20% of the freelancers instead of 100%"}},
		{[]string{"load", "-upsert", blank}, []string{"hourly_rate known for 20%"}},
		{[]string{"delete", "-ids", "p1,p2,p3,p4"}, []string{"6 freelancers instead of 10"}},
	} {
		s.wantError(1, test.args, append(test.want, "use -allow-shrink", "Nothing was changed")...)
	}

	if after := s.must("status"); after != before {
		t.Errorf("status changed from\n%s\nto\n%s", before, after)
	}
	s.must("load", few, "-allow-shrink")
	s.must("delete", "-allow-shrink", "-ids", "p1,p2")

	if ids := s.ids(); !slices.Equal(ids, []string{"p0", "p3", "p4"}) {
		t.Errorf("freelancers %v", ids)
	}
}

func TestGuard_AsksOnATerminal(t *testing.T) {
	for _, test := range []struct {
		answer string
		flags  []string
		asked  bool
		live   int
	}{
		{"y\n", nil, true, 5},
		{"Yes\n", nil, true, 5},
		{"n\n", nil, true, 10},
		{"\n", nil, true, 10},
		{"", nil, true, 10}, // Ctrl-D
		{"yes please\n", nil, true, 10},
		{"y\n", []string{"-quiet"}, false, 10},
		{"y\n", []string{"-json"}, false, 10},
		{"n\n", []string{"-allow-shrink"}, false, 5},
	} {
		t.Run(fmt.Sprintf("%q %v", test.answer, test.flags), func(t *testing.T) {
			s := guardedSession(t)
			s.interactive = true
			args := append([]string{"load", s.file("few.csv", csvOf(5, 1))}, test.flags...)
			code, stdout, stderr := s.run(test.answer, args...)
			if asked := strings.Contains(stdout, "Make it live anyway? [y/N]"); asked != test.asked {
				t.Errorf("asked: %t, want %t:\n%s", asked, test.asked, stdout)
			}

			if test.asked && !strings.Contains(stdout, "hourly_rate  10 (100%)  1 (20%)   falls by more than 30%\n") {
				t.Errorf("the difference is not shown:\n%s", stdout)
			}

			if got := len(s.ids()); got != test.live || (code == 0) != (test.live == 5) {
				t.Errorf("exit code %d, %d freelancers live, want %d\n%s", code, got, test.live, stderr)
			}
		})
	}
}

// A second Ctrl-C isn't needed to leave the question.
func TestGuard_CtrlCIsNo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	defer out.Close()
	cancel()
	if line, err := readLine(ctx, in); line != "" || err == nil {
		t.Errorf("line %q, %v; want an error", line, err)
	}
}

func TestRollback_WhileALoadIsRunning(t *testing.T) {
	s := guardedSession(t)
	csv := filepath.Join(s.files, "live.csv")
	s.must("load", csv)
	x, err := setup.OpenIndex(config.Config{Data: s.data}, (&cli{stderr: t.Output()}).log())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()

	release, err := x.Engine.Lock(t.Context(), "a load")
	if err != nil {
		t.Fatal(err)
	}
	before := s.states()
	s.must("rollback")
	after := s.states()
	if after["live"][0] != before["previous"][0] || after["previous"][0] != before["live"][0] {
		t.Errorf("states before %v, after %v", before, after)
	}

	if err := release(); err != nil {
		t.Fatal(err)
	}
	err = unchanged(fmt.Errorf("load: %w", &engine.MovedError{Expected: "a", Actual: "b"}))
	if !strings.Contains(err.Error(), "This command changed nothing. See which index is live with indexer status") {
		t.Errorf("error %q", err)
	}
}

func TestKeepIndexes(t *testing.T) {
	s := newSession(t)
	letters := func() (names []string) {
		files, err := os.ReadDir(filepath.Join(s.data, deadLettersDir))
		if err != nil {
			t.Fatal(err)
		}

		for _, f := range files {
			names = append(names, strings.TrimSuffix(f.Name(), ".ndjson"))
		}
		return names
	}

	var all []string
	load := func(flags ...string) {
		s.loadPeople(flags...)
		all = append(all, s.states()["live"]...)
	}
	for range 3 {
		load("-keep-indexes", "all")
	}

	if got := s.states(); len(got["kept"]) != 1 {
		t.Errorf("with -keep-indexes all: %v", got)
	}
	failed := filepath.Join(s.data, deadLettersDir, "freelancers-v1-failed.ndjson") // of a load that failed
	if err := os.WriteFile(failed, nil, 0o600); err != nil {
		t.Fatal(err)
	}

	load()
	if got := s.states(); len(got["kept"]) != 0 || got["previous"][0] != all[2] {
		t.Errorf("by default: %v, want the live and the previous index", got)
	}
	want := append(slices.Clone(all[2:]), "freelancers-v1-failed")
	slices.Sort(want)
	got := letters()
	slices.Sort(got)

	if !slices.Equal(got, want) {
		t.Errorf("dead letters of %v, want those of %v", got, want)
	}

	s.wantError(2, []string{"load", "-keep-indexes", "1", filepath.Join(s.files, "people.csv")},
		`"1" is not all or a whole number from 2`)
}

// The index records which files it was loaded from, how, and by whom.
func TestProvenance(t *testing.T) {
	s := newSession(t)
	content := "Full Name,job_title,skills\nMira Talden,Go developer,Go\n"
	path := s.file("people.csv", content)
	if code, _, stderr := s.run(content, "load", path, "-", "-map", "name=Full Name", "--max-failures=7"); code != 0 {
		t.Fatal(stderr)
	}

	x, err := setup.OpenIndex(config.Config{Data: s.data}, (&cli{stderr: t.Output()}).log())
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()

	infos, err := x.Engine.Indexes(t.Context())
	if err != nil || len(infos) != 1 {
		t.Fatalf("indexes %v, %v", infos, err)
	}
	got := infos[0].Provenance
	if got.Command != "load" || got.Version == "" || !strings.Contains(got.User, "@") || got.Finished.IsZero() {
		t.Errorf("provenance %+v", got.Run)
	}

	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(content)))
	file := engine.SourceFile{Format: "csv", Bytes: int64(len(content)), SHA256: sum, Rows: 1}
	want := []engine.SourceFile{file, file}
	want[0].Name = path
	want[1].Name = "standard input"
	if diff := cmp.Diff(want, got.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}

	options := map[string]string{"map": "name=Full Name", "max-failures": "7"}
	if diff := cmp.Diff(options, got.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
}

func TestKind(t *testing.T) {
	s := guardedSession(t)
	before := s.must("status")
	jobs := s.file("jobs.csv", "id,title,description,budget,skills,bids\n"+
		jobRows(10))
	for _, args := range [][]string{{"load", jobs}, {"validate", jobs}, {"load", "-upsert", jobs}} {
		s.wantError(1, args, "jobs.csv looks like a list of job postings, not of freelancers", `a column "bids"`,
			"use -allow-kind")
	}
	if code, stdout, _ := s.run("", "load", jobs, "-json"); code != 1 || !strings.Contains(stdout, `"not_freelancers"`) {
		t.Errorf("exit code %d, output:\n%s", code, stdout)
	}
	if after := s.must("status"); after != before {
		t.Errorf("status changed from\n%s\nto\n%s", before, after)
	}
	s.must("validate", jobs, "-allow-kind")
	s.wantError(1, []string{"load", jobs, "-allow-kind"}, "-allow-shrink")
	s.must("load", jobs, "-allow-shrink")
}

func jobRows(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "j%d,Need a logo,We are looking for a designer,$250 - $750,Illustrator,12 bids\n", i)
	}
	return b.String()
}
