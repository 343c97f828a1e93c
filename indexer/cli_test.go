package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/engine"
	"freelancer-matching/internal/config"
	"freelancer-matching/internal/setup"
	"freelancer-matching/mappings"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// session runs the program in a folder of its own.
type session struct {
	t     *testing.T
	data  string
	files string // folder for input
}

func newSession(t *testing.T) *session {
	t.Helper()
	return &session{t: t, data: filepath.Join(t.TempDir(), "data"), files: t.TempDir()}
}

// run is one call of the program, with the data folder in the environment.
func (s *session) run(stdin string, args ...string) (code int, stdout, stderr string) {
	s.t.Helper()
	return s.runContext(s.t.Context(), stdin, args...)
}

func (s *session) runContext(ctx context.Context, stdin string, args ...string) (code int, stdout, stderr string) {
	s.t.Helper()
	environment := func(name string) (string, bool) { return s.data, name == "MATCHING_DATA" }
	var out, err bytes.Buffer
	code = run(ctx, args, environment, strings.NewReader(stdin), &out, &err)
	return code, out.String(), err.String()
}

// must is a call that succeeds.
func (s *session) must(args ...string) (stdout string) {
	s.t.Helper()
	code, stdout, stderr := s.run("", args...)
	if code != 0 {
		s.t.Fatalf("indexer %s: exit %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// file writes an input file.
func (s *session) file(name, content string) string {
	s.t.Helper()
	path := filepath.Join(s.files, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

const people = `id,name,job_title,skills,hourly_rate
p1,Mira Talden,Go developer,"Go,PostgreSQL",$40
p2,Oren Vask,Illustrator,"Illustration,Adobe Illustrator",€30
p1,Mira Talden,,Kubernetes,
,,,,12
`

func TestHelp(t *testing.T) {
	s := newSession(t)
	tests := [][]string{{"-h"}}
	for _, cmd := range (&cli{environment: func(string) (string, bool) { return "", false }}).commands() {
		tests = append(tests, []string{cmd.name, "-h"})
	}
	var all strings.Builder
	for _, args := range tests {
		code, stdout, stderr := s.run("", args...)
		if code != 0 || stderr != "" {
			t.Errorf("indexer %v: exit %d, %s", args, code, stderr)
		}
		for i, other := range []string{"--help", "-help", "--h"} {
			args[len(args)-1] = other
			if _, got, _ := s.run("", args...); got != stdout {
				t.Errorf("%d: indexer %v tells something else than with -h", i, args)
			}
		}
		args[len(args)-1] = "-h"
		fmt.Fprintf(&all, "$ indexer %s\n%s\n", strings.Join(args, " "), stdout)
	}
	golden(t, "help.txt", all.String())
}

// golden compares text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestUsageErrors(t *testing.T) {
	tests := []struct {
		args []string
		want string
	}{
		{nil, "Usage:"},
		{[]string{"lod", "f.csv"}, `unknown command "lod"; did you mean load?`},
		{[]string{"frobnicate"}, "unknown command \"frobnicate\"\n"},
		{[]string{"load"}, "no file given"},
		{[]string{"load", "-dryrun", "f.csv"}, "unknown flag -dryrun; did you mean -dry-run?"},
		{[]string{"load", "f.csv", "--max-failure=3"}, "unknown flag -max-failure; did you mean -max-failures?"},
		{[]string{"load", "-max-failures", "many", "f.csv"}, `"many" is neither a number of rows, such as 50, nor a percentage, such as 5%`},
		{[]string{"load", "-map", "rate", "f.csv"}, "want field=column, such as hourly_rate=Price"},
		{[]string{"load", "-rate", "EUR:1", "f.csv"}, "want code=amount, such as EUR=1.08"},
		{[]string{"load", "-delimiter", "ab", "f.csv"}, "want one character, or tab"},
		{[]string{"load", "-data"}, "flag needs an argument"},
		{[]string{"status", "now"}, `status takes no arguments, got "now"`},
		{[]string{"prune", "-keep", "-1"}, "invalid value"},
		{[]string{"load", "-in-place=false", "f.csv"}, "-in-place is for load -upsert"},
		{[]string{"reindex", "f.csv"}, `reindex takes no arguments, got "f.csv"`},
		{[]string{"delete", "fl-1"}, `delete takes no arguments, got "fl-1"`},
		{[]string{"delete", "-id", "fl-1"}, "unknown flag -id; did you mean -ids?"},
		{[]string{"export", "-format", "xml"}, "want ndjson or csv"},
		{[]string{"generate", "-n", "ten"}, "invalid value"},
	}
	for _, test := range tests {
		t.Run(strings.Join(test.args, " "), func(t *testing.T) {
			s := newSession(t)
			code, stdout, stderr := s.run("", test.args...)
			if code != 2 || stdout != "" || !strings.Contains(stderr, test.want) {
				t.Errorf("exit %d, stdout %q, stderr:\n%s\nwant %q", code, stdout, stderr, test.want)
			}
			if _, err := os.Stat(s.data); err == nil {
				t.Error("a data folder was made")
			}
		})
	}
}

// timing is what differs between two loads: times and sizes.
var timing = regexp.MustCompile(`indexed in .*|v1-\d{8}t\d{6}z(-\d+)?|\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ +[0-9a-f]{12}|\d+(\.\d+)? [kM]?B`)

func TestLoad_Output(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", people)
	out := s.must("load", csv, "-max-failures", "1")
	out += "$ indexer status\n" + s.must("status")
	out = strings.NewReplacer(s.data, "DATA", s.files, "FILES").Replace(out)
	out = timing.ReplaceAllString(out, "…")
	golden(t, "load.txt", regexp.MustCompile(` {2,}`).ReplaceAllString(out, "  ")) // the widths of columns differ too
}

func TestLoad_FlagsStandAnywhere(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", people)
	dashed := s.file("-people.csv", people)
	for _, args := range [][]string{
		{"load", "-max-failures=1", csv},
		{"load", csv, "-max-failures=1"},
		{"load", csv, "-max-failures=2", csv},
		{"load", "-max-failures=2", csv, "--", csv},
	} {
		if out := s.must(args...); !strings.Contains(out, "2 freelancers indexed in ") {
			t.Errorf("indexer %v:\n%s", args, out)
		}
	}
	t.Chdir(filepath.Dir(dashed))
	if out := s.must("load", "-max-failures=1", "--", "-people.csv"); !strings.Contains(out, "2 freelancers indexed in ") {
		t.Errorf("a file whose name begins with a dash:\n%s", out)
	}
}

func TestLoad_TooManyFailures(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", people)
	for _, limit := range []string{"0", "20%"} {
		code, stdout, stderr := s.run("", "load", "-max-failures", limit, csv)
		if code != 1 || !strings.Contains(stdout, "1 rejected") || !strings.Contains(stderr, "1 of 4 rows rejected, which exceeds the limit of "+limit) ||
			!strings.Contains(stderr, filepath.Join(s.data, "dead-letters", "freelancers-v1-")) || !strings.Contains(stderr, "raise -max-failures") {
			t.Errorf("exit %d\n%s%s", code, stdout, stderr)
		}
	}
	if out := s.must("status"); !strings.Contains(out, "No index.") {
		t.Errorf("status after loads that were given up:\n%s", out)
	}
}

func TestLoad_Amounts(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", people)
	s.must("load", "-max-failures", "1", csv)
	if out := s.must("export"); !strings.Contains(out, `"id":"p2"`) || !strings.Contains(out, `"hourly_rate":null`) {
		t.Errorf("an amount in a currency without a rate is not unknown:\n%s", out)
	}
	s.must("load", "-max-failures", "1", "-rate", "EUR=1.10", csv)
	if out := s.must("export"); !strings.Contains(out, `"hourly_rate":33,`) {
		t.Errorf("30 euros are not 33 dollars:\n%s", out)
	}
}

func TestLoad_Map(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", "Who;Trade;What\nMira Talden;Go developer;Python\n")
	out := s.must("load", csv, "-map", "name=Who", "-map", "job_title=trade", "-map", "skills=What", "-delimiter", ";")
	if !strings.Contains(out, "1 freelancers indexed") {
		t.Errorf("load:\n%s", out)
	}
	if out := s.must("export"); !strings.Contains(out, `"name":"Mira Talden","job_title":"Go developer","skills":["Python"]`) {
		t.Errorf("export:\n%s", out)
	}
	code, _, stderr := s.run("", "load", csv, "-map", "name=Nobody")
	if code != 1 || !strings.Contains(stderr, "Nobody") {
		t.Errorf("a column that does not exist: exit %d, %s", code, stderr)
	}
}

func TestDryRun_ChangesNothing(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", people)
	first := s.must("load", "-dry-run", "-max-failures", "1", csv)
	second := s.must("validate", "-max-failures", "1", csv)
	if first != second || !strings.Contains(first, "2 freelancers") || !strings.Contains(first, "job_title") {
		t.Errorf("dry run:\n%s\nvalidate:\n%s", first, second)
	}
	if _, err := os.Stat(s.data); err == nil {
		t.Error("a data folder was made")
	}
	if code, _, stderr := s.run("", "validate", "-max-failures", "0", csv); code != 1 || strings.Contains(stderr, "dead letters") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	letters := filepath.Join(s.files, "letters.ndjson")
	s.must("validate", "-max-failures", "1", "-dead-letters", letters, csv)
	if data, err := os.ReadFile(letters); err != nil || !bytes.Contains(data, []byte(`"line":5`)) {
		t.Errorf("dead letters %q, %v", data, err)
	}
}

func TestLoad_StandardInput(t *testing.T) {
	s := newSession(t)
	t.Setenv("TMPDIR", t.TempDir())
	code, stdout, stderr := s.run(people, "load", "-", "-max-failures", "1")
	if code != 0 || !strings.Contains(stdout, "2 freelancers indexed in ") || !strings.Contains(stdout, "standard input: csv") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

// TestLoad_BadFiles loads files that are none, over an index that must go on serving.
func TestLoad_BadFiles(t *testing.T) {
	header := make([]string, 1000)
	for i := range header {
		header[i] = fmt.Sprintf("column %d", i)
	}
	wide := strings.Join(header, ",")
	tests := []struct {
		name, content string
		want          []string
	}{
		{"binary", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00", []string{"a program, where CSV, NDJSON or XLSX is expected"}},
		{"empty", "", []string{"empty"}},
		{"header only", "id,name,skills\n", []string{"header"}},
		{"1,000 columns", wide + "\n" + wide + "\n", []string{"1000 columns"}},
		{"unclosed quote", "id,name,skills\n1,Mira Talden,Go\n2,\"Oren Vask,Art\n3,Ada,C\n", []string{"line 3", "quote"}},
		{"unclosed quote far down", "id,name,skills\n" + strings.Repeat("1,Mira Talden,Go\n", 30_000) + "2,\"Oren\n", []string{"line 30002", "quote"}},
		{"nothing to match", "colour,size\nred,4\n", []string{"column"}},
	}
	s := newSession(t)
	good := s.file("good.csv", people)
	s.must("load", good, "-max-failures", "1")
	before := s.must("status")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bad := s.file("bad.csv", test.content)
			for _, args := range [][]string{{"load", bad}, {"load", good, bad, "-max-failures", "9"}, {"validate", bad}} {
				code, _, stderr := s.run("", args...)
				if code != 1 {
					t.Errorf("indexer %v: exit %d", args, code)
				}
				for _, want := range append(test.want, bad) {
					if !strings.Contains(stderr, want) {
						t.Errorf("indexer %v: want %q in the message:\n%s", args, want, stderr)
					}
				}
			}
			if after := s.must("status"); after != before {
				t.Errorf("status before\n%s\nand after\n%s", before, after)
			}
		})
	}
	code, _, stderr := s.run("", "load", filepath.Join(s.files, "missing.csv"), s.files)
	if code != 1 || !strings.Contains(stderr, "missing.csv") || !strings.Contains(stderr, "a folder, where a file is expected") {
		t.Errorf("all wrong files are told at once: exit %d, %s", code, stderr)
	}
}

func TestLoad_Interrupted(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", people)
	s.must("load", csv, "-max-failures", "1")
	before := s.must("status")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, _, stderr := s.runContext(ctx, "", "load", csv, "-max-failures", "1")
	if code != 1 || !strings.Contains(stderr, "interrupted") || !strings.Contains(stderr, "what was live before still is") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if after := s.must("status"); after != before {
		t.Errorf("status before\n%s\nand after\n%s", before, after)
	}
}

// TestRoundTrip exports what was loaded, loads the export, and exports again.
func TestRoundTrip(t *testing.T) {
	for _, format := range []string{"csv", "ndjson"} {
		t.Run(format, func(t *testing.T) {
			s := newSession(t)
			generated := filepath.Join(s.files, "generated."+format)
			s.must("generate", "-n", "500", "-seed", "3", "-format", format, "-o", generated)
			sparse := s.file("people.csv", people)
			s.must("load", "-max-failures", "1", generated, sparse)
			first, second := filepath.Join(s.files, "first"), filepath.Join(s.files, "second")
			s.must("export", "-format", format, "-o", first)
			if out := s.must("load", "-max-failures", "0", first); !strings.Contains(out, "502 freelancers indexed in ") {
				t.Errorf("load of the export:\n%s", out)
			}
			s.must("export", "-format", format, "-o", second)
			if diff := cmp.Diff(lines(t, first), lines(t, second)); diff != "" {
				t.Errorf("the export of the export differs (-first +second):\n%s", diff)
			}
			// The generated file itself, without the three rows of people.
			if diff := cmp.Diff(lines(t, generated), lines(t, first)[:len(lines(t, generated))]); diff != "" {
				t.Errorf("the export differs from the file that was loaded (-file +export):\n%s", diff)
			}
		})
	}
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

func TestGenerate_IsTheSameForASeed(t *testing.T) {
	s := newSession(t)
	a, b := s.must("generate", "-n", "20", "-seed", "5"), s.must("generate", "-n", "30", "-seed", "5")
	if !strings.HasPrefix(b, a) || strings.Count(a, "\n") != 20 {
		t.Error("a longer run does not begin with the shorter one")
	}
	if a == s.must("generate", "-n", "20", "-seed", "6") {
		t.Error("two seeds give the same freelancers")
	}
}

func TestExport_FailureLeavesNoFile(t *testing.T) {
	s := newSession(t)
	s.must("load", "-max-failures", "1", s.file("people.csv", people))
	out := t.TempDir()
	if code, _, stderr := s.run("", "export", "-index", "freelancers-v1-none", "-o", filepath.Join(out, "x")); code != 1 || !strings.Contains(stderr, "not found") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

func TestRollbackAndPrune(t *testing.T) {
	s := newSession(t)
	var names []string
	for i := range 5 {
		row := fmt.Sprintf("id,name,skills\n%d,Mira Talden,Go\n,,Nobody\n", i)
		s.must("load", "-max-failures", "1", s.file("people.csv", row))
		names = append(names, s.states()["live"]...)
	}
	if got := s.states(); got["live"][0] != names[4] || got["previous"][0] != names[3] || len(got["kept"]) != 3 {
		t.Fatalf("after five loads: %v", got)
	}
	s.must("rollback")
	if got := s.states(); got["live"][0] != names[3] || got["previous"][0] != names[4] {
		t.Errorf("after rollback: %v", got)
	}
	s.must("rollback", "-to", names[0])
	if got := s.states(); got["live"][0] != names[0] || got["previous"][0] != names[3] {
		t.Errorf("after rollback to the first: %v", got)
	}
	if code, _, stderr := s.run("", "rollback", "-to", "freelancers-v1-none"); code != 1 || !strings.Contains(stderr, "not found") {
		t.Errorf("rollback to nowhere: exit %d, %s", code, stderr)
	}
	s.must("prune", "-keep", "1")
	want := map[string][]string{"live": {names[0]}, "previous": {names[3]}, "kept": {names[4]}}
	if diff := cmp.Diff(want, s.states()); diff != "" {
		t.Errorf("after prune (-want +got):\n%s", diff)
	}
	s.must("prune", "-keep", "0")
	delete(want, "kept")
	if diff := cmp.Diff(want, s.states()); diff != "" {
		t.Errorf("after prune -keep 0 (-want +got):\n%s", diff)
	}
	letters, err := filepath.Glob(filepath.Join(s.data, deadLettersDir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	wantLetters := []string{
		filepath.Join(s.data, deadLettersDir, names[0]+".ndjson"), filepath.Join(s.data, deadLettersDir, names[3]+".ndjson"),
	}
	slices.Sort(wantLetters)
	slices.Sort(letters)
	if diff := cmp.Diff(wantLetters, letters); diff != "" {
		t.Errorf("dead letters (-want +got):\n%s", diff)
	}
}

// states is the indexes by state, as status tells them.
func (s *session) states() map[string][]string {
	s.t.Helper()
	states := make(map[string][]string)
	for _, line := range strings.Split(s.must("status"), "\n")[1:] {
		if words := strings.Fields(line); len(words) > 2 && strings.HasPrefix(words[0], "freelancers-") {
			states[words[1]] = append(states[words[1]], words[0])
		}
	}
	return states
}

func TestStatus_UnfinishedIndex(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", people)
	s.must("load", "-max-failures", "1", csv)
	s.create("freelancers-v1-killed")
	if got := s.states()["unfinished"]; !slices.Equal(got, []string{"freelancers-v1-killed"}) {
		t.Errorf("unfinished: %v", got)
	}
	code, _, stderr := s.run("", "rollback", "-to", "freelancers-v1-killed")
	if code != 1 || !strings.Contains(stderr, "never finished") {
		t.Errorf("rollback to an unfinished index: exit %d, %s", code, stderr)
	}
	s.must("load", "-max-failures", "1", csv)
	if got := s.states(); len(got["unfinished"]) != 0 || len(got["live"]) != 1 {
		t.Errorf("after the next load: %v", got)
	}
	s.create("freelancers-v1-killed")
	s.must("prune")
	if got := s.states(); len(got["unfinished"]) != 0 || len(got["previous"]) != 1 {
		t.Errorf("after prune: %v", got)
	}
}

// create leaves an index as a killed load does.
func (s *session) create(name string) {
	s.t.Helper()
	c := &cli{stderr: s.t.Output()}
	x, err := setup.OpenIndex(config.Config{Data: s.data}, c.log())
	if err != nil {
		s.t.Fatal(err)
	}
	defer x.Close()
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := x.Engine.Create(s.t.Context(), engine.Spec{Name: name, Mapping: mapping}); err != nil {
		s.t.Fatal(err)
	}
}

func TestStatus_WithoutData(t *testing.T) {
	s := newSession(t)
	for _, command := range []string{"status", "rollback", "prune", "export", "reindex", "delete"} {
		code, _, stderr := s.run("", command)
		if code != 1 || !strings.Contains(stderr, "there is no data folder") {
			t.Errorf("%s: exit %d, %s", command, code, stderr)
		}
	}
	if err := os.Mkdir(s.data, 0o750); err != nil {
		t.Fatal(err)
	}
	if out := s.must("status"); !strings.HasPrefix(out, "No index. Load one with") {
		t.Errorf("status: %s", out)
	}
	for command, want := range map[string]string{
		"rollback": "there is no previous index", "export": "no index is live", "reindex": "no index is live",
		"delete -ids fl-1": "no index is live",
	} {
		if code, _, stderr := s.run("", strings.Fields(command)...); code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s", command, code, stderr)
		}
	}
}

func TestLoad_Resumes(t *testing.T) {
	s := newSession(t)
	folder := filepath.Join(s.files, "applications")
	for _, name := range []string{"en-1.plain.docx", "en-2.creative.pdf", "fr-1.json"} {
		content, err := os.ReadFile(filepath.Join("..", "tools", "resumes", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "new", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	code, stdout, stderr := s.run("", "load", "-resumes", folder)
	if code != 1 || !strings.Contains(stderr, "1 of 3 rows rejected") {
		t.Errorf("exit %d with a file that is no resume:\n%s%s", code, stdout, stderr)
	}
	letters, err := filepath.Glob(filepath.Join(s.data, "dead-letters", "*.ndjson"))
	if err != nil || len(letters) != 1 {
		t.Fatal(letters, err)
	}
	letter, err := os.ReadFile(letters[0])
	if err != nil || !strings.Contains(string(letter), `new/fr-1.json","reason":"A resume must be a PDF or a Word document (.docx). This file is JSON`) {
		t.Errorf("dead letter %s, %v", letter, err)
	}

	people := s.file("people.csv", people)
	out := s.must("load", "-resumes", folder, "-max-failures", "2", people)
	for _, want := range []string{folder + ": 3 resumes, ", "A resume must be a PDF", "fr-1.json\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	exported := s.must("export")
	for _, want := range []string{`"name":"Rorick Wexcombe","job_title":"Lead Backend Developer"`, `"job_title":"Senior Product Designer"`, `"id":"resume-`} {
		if !strings.Contains(exported, want) {
			t.Errorf("the export lacks %s:\n%s", want, exported)
		}
	}
	if out := s.must("status"); !strings.Contains(out, "mixed") {
		t.Errorf("the source is not told:\n%s", out)
	}
}

func TestLoad_ResumesThatAreNone(t *testing.T) {
	s := newSession(t)
	for _, path := range []string{t.TempDir(), filepath.Join(s.files, "no"), s.file("people.csv", people)} {
		code, _, stderr := s.run("", "validate", "-resumes", path)
		if code != 1 || !strings.Contains(stderr, path) {
			t.Errorf("exit %d: %s", code, stderr)
		}
	}
}
