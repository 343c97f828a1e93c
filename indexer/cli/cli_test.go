package cli

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
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/mappings"
	"github.com/freelancer-matching/service/setup"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// session runs the program with its own data folder.
type session struct {
	t     *testing.T
	data  string
	files string // folder for input files

	interactive bool              // a person answers questions
	environment map[string]string // beside the data folder
}

func newSession(t *testing.T) *session {
	t.Helper()
	return &session{t: t, data: filepath.Join(t.TempDir(), "data"), files: t.TempDir()}
}

// run runs the program once.
func (s *session) run(stdin string, args ...string) (code int, stdout, stderr string) {
	s.t.Helper()
	return s.runContext(s.t.Context(), stdin, args...)
}

func (s *session) runContext(ctx context.Context, stdin string, args ...string) (code int, stdout, stderr string) {
	s.t.Helper()
	var out, err bytes.Buffer
	c := &cli{
		environment: func(name string) (string, bool) {
			if name == "MATCHING_DATA" {
				return s.data, true
			}
			value, ok := s.environment[name]
			return value, ok
		},
		stdin: strings.NewReader(stdin), stdout: &out, stderr: &err, now: time.Now,
		interactive: func() bool { return s.interactive },
	}
	code = c.run(ctx, args)
	return code, out.String(), err.String()
}

// must runs the program and fails the test unless it succeeds.
func (s *session) must(args ...string) (stdout string) {
	s.t.Helper()
	code, stdout, stderr := s.run("", args...)
	if code != 0 {
		s.t.Fatalf("indexer %s: exit code %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return stdout
}

// wantError runs the program and checks its exit code and the texts in its error.
func (s *session) wantError(code int, args []string, texts ...string) {
	s.t.Helper()
	got, stdout, stderr := s.run("", args...)
	s.checkError(args, got, code, stdout+stderr, texts...)
}

func (s *session) checkError(args []string, got, want int, output string, texts ...string) {
	s.t.Helper()
	if got != want {
		s.t.Errorf("indexer %s: exit code %d, want %d\n%s", strings.Join(args, " "), got, want, output)
	}
	unwrapped := unwrap(output)
	for _, text := range texts {
		if !strings.Contains(output, text) && !strings.Contains(unwrapped, text) {
			s.t.Errorf("indexer %s: want %q in\n%s", strings.Join(args, " "), text, output)
		}
	}
}

// unwrap joins the lines of an output, and reduces the space between words, because reports wrap long lines.
func unwrap(output string) string { return strings.Join(strings.Fields(output), " ") }

// file writes an input file and returns its path.
func (s *session) file(name, content string) string {
	s.t.Helper()
	path := filepath.Join(s.files, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

const peopleCSV = `id,name,job_title,skills,hourly_rate
p1,Mira Talden,Go developer,"Go,PostgreSQL",$40
p2,Oren Vask,Illustrator,"Illustration,Adobe Illustrator",€30
p1,Mira Talden,,Kubernetes,
,,,,12
`

// loadPeople loads peopleCSV, of which one row is rejected, and returns the path of the file.
func (s *session) loadPeople(flags ...string) string {
	s.t.Helper()
	csv := s.file("people.csv", peopleCSV)
	s.must(append([]string{"load", csv, "-max-failures", "1"}, flags...)...)
	return csv
}

// settings matches the descriptions of flags that are settings, which package config tests.
var settings = regexp.MustCompile(`(?m)^(  -.*\n)    \t.*MATCHING_.*\n`)

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
			t.Errorf("indexer %v: exit code %d, %s", args, code, stderr)
		}

		for _, synonym := range []string{"--help", "-help", "--h"} {
			args[len(args)-1] = synonym
			if _, got, _ := s.run("", args...); got != stdout {
				t.Errorf("indexer %v prints other help than with -h", args)
			}
		}

		args[len(args)-1] = "-h"
		fmt.Fprintf(&all, "$ indexer %s\n%s\n", strings.Join(args, " "), settings.ReplaceAllString(stdout, "$1"))
	}

	golden(t, "help.txt", all.String())
}

// golden compares text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
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
		{[]string{"load", "-max-failures", "many", "f.csv"}, `"many" is neither a number of rows, such as 50, nor a per`},
		{[]string{"load", "-map", "rate", "f.csv"}, "want field=column, such as hourly_rate=Price"},
		{[]string{"load", "-rate", "EUR:1", "f.csv"}, "want code=amount, such as EUR=1.08"},
		{[]string{"load", "-delimiter", "ab", "f.csv"}, "want one character, or tab"},
		{[]string{"load", "-max-download", "-5", "f.csv"}, "want a size, such as 500MB or 4GiB"},
		{[]string{"load", "-checksum", "abc", "f.csv"}, "want sha256: and 64 hexadecimal digits"},
		{[]string{"load", "-checksum", "sha256:" + strings.Repeat("0", 64), "f.csv", "g.csv"}, "-checksum is for one file"},
		{[]string{"load", "http://me:pw@data.example/f.csv"}, "http://data.example/f.csv is not encrypted; use https://"},
		{[]string{"load", "s3://bucket"}, "use s3://BUCKET/KEY"},
		{[]string{"load", "-query", "SELECT 1", "f.csv"}, "-query and -table are for postgres:// URLs and SQLite files"},
		{[]string{"load", "-query", "SELECT 1", "-table", "t", "f.db"}, "-query and -table exclude each other"},
		{[]string{"load", "postgres://me:pw@db/people"}, "a postgres:// URL needs -query"},
		{[]string{"load", "postgres://me:pw@db:x/people", "-table", "t"}, "the PostgreSQL URL must be like postgres://"},
		{[]string{"load", "ftp://me:pw@data.example/f.csv"}, "ftp:// is not supported; use a file, https://, s3:// or"},
		{[]string{"load", "-data"}, "flag needs an argument"},
		{[]string{"status", "now"}, `status takes no arguments, got "now"`},
		{[]string{"prune", "-keep", "-1"}, "invalid value"},
		{[]string{"load", "-in-place=false", "f.csv"}, "-in-place requires -upsert"},
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
				t.Errorf("exit code %d, stdout %q, stderr:\n%s\nwant %q", code, stdout, stderr, test.want)
			}

			if _, err := os.Stat(s.data); err == nil {
				t.Error("the data folder was created")
			}
		})
	}
}

// varying matches what differs between two runs: times and sizes.
var varying = regexp.MustCompile(`(deleted|indexed) in \S+( \([0-9,]+ \w+ per second\))?|v1-\d{8}t\d{6}z(-\d+)?|` +
	`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ( by \S+ in \d+s, version \S+( \([0-9a-f]+\))?)?|` +
	`\b[0-9a-f]{12}\b|\b\d+[mhd]\n|\d+(\.\d+)? [kM]?B`)

// normalize replaces what differs between two runs, including the widths of columns.
func (s *session) normalize(output string) string {
	output = strings.NewReplacer(s.data, "DATA", s.files, "FILES").Replace(output)
	return regexp.MustCompile(` {2,}`).ReplaceAllString(varying.ReplaceAllString(output, "$1…"), "  ")
}

func TestLoad_Output(t *testing.T) {
	s := newSession(t)
	out := s.must("load", s.file("people.csv", peopleCSV), "-max-failures", "1")
	golden(t, "load.txt", s.normalize(out+"$ indexer status\n"+s.must("status")))
}

func TestLoad_FlagsAnywhere(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", peopleCSV)
	s.file("-people.csv", peopleCSV)
	t.Chdir(s.files)
	for _, args := range [][]string{
		{"load", "-max-failures=1", csv},
		{"load", csv, "-max-failures=1"},
		{"load", csv, "-max-failures=2", csv},
		{"load", "-max-failures=2", csv, "--", csv},
		{"load", "-max-failures=1", "--", "-people.csv"}, // a file whose name begins with a dash
	} {
		if out := s.must(args...); !strings.Contains(out, "2 freelancers indexed in ") {
			t.Errorf("indexer %v:\n%s", args, out)
		}
	}
}

func TestLoad_TooManyFailures(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", peopleCSV)
	for _, limit := range []string{"0", "20%"} {
		s.wantError(1, []string{"load", "-max-failures", limit, csv}, "1 rejected",
			"1 of 4 rows rejected, which exceeds the limit of "+limit,
			filepath.Join(s.data, "dead-letters", "freelancers-v1-"), "raise -max-failures")
	}
	if out := s.must("status"); !strings.HasPrefix(out, "There are no indexes in ") {
		t.Errorf("status after failed loads:\n%s", out)
	}
}

func TestLoad_Amounts(t *testing.T) {
	s := newSession(t)
	s.loadPeople()
	if out := s.must("export", "-o", "-"); !strings.Contains(out, `"id":"p2"`) {
		t.Errorf("export -o - printed %q", out)
	}
	if out := s.must("export"); !strings.Contains(out, `"id":"p2"`) || !strings.Contains(out, `"hourly_rate":null`) {
		t.Errorf("an amount in a currency without a rate should be unknown:\n%s", out)
	}
	s.loadPeople("-rate", "EUR=1.10")
	if out := s.must("export"); !strings.Contains(out, `"hourly_rate":33,`) {
		t.Errorf("30 euros should be 33 dollars:\n%s", out)
	}
}

func TestLoad_Map(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", "Who;Trade;What\nMira Talden;Go developer;Python\n")
	out := s.must("load", csv, "-map", "name=Who", "-map", "job_title=trade", "-map", "skills=What", "-delimiter", ";")
	if !strings.Contains(out, "1 freelancer indexed") {
		t.Errorf("load:\n%s", out)
	}
	want := `"name":"Mira Talden","job_title":"Go developer","skills":["Python"]`
	if out := s.must("export"); !strings.Contains(out, want) {
		t.Errorf("export:\n%s", out)
	}
	s.wantError(1, []string{"load", csv, "-map", "name=Nobody"}, "Nobody")
}

func TestDryRun_ChangesNothing(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", peopleCSV)
	first := s.must("load", "-dry-run", "-max-failures", "1", csv)
	second := s.must("validate", "-max-failures", "1", csv)
	if first != second || !strings.Contains(first, "2 freelancers") || !strings.Contains(first, "job_title") {
		t.Errorf("dry run:\n%s\nvalidate:\n%s", first, second)
	}

	if _, err := os.Stat(s.data); err == nil {
		t.Error("the data folder was created")
	}

	if code, _, stderr := s.run("", "validate", "-max-failures", "0", csv); code != 1 ||
		strings.Contains(stderr, "dead letters") {
		t.Errorf("exit code %d, %s", code, stderr)
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
	args := []string{"load", "-", "-max-failures", "1"}
	code, stdout, stderr := s.run(peopleCSV, args...)
	s.checkError(args, code, 0, stdout+stderr, "2 freelancers indexed in ", "standard input: csv")
	code, stdout, stderr = s.run(peopleCSV, append(args, "-max-download", "50B")...)
	s.checkError(args, code, 1, stdout+stderr,
		"standard input to a temporary file: the data exceeds the limit of 50 B; raise -max-download to load it")
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("temporary files left behind: %v, %v", left, err)
	}
}

// Files that can't be loaded leave the live index as it is.
func TestLoad_BadFiles(t *testing.T) {
	wide := strings.Repeat("column,", 999) + "column\n"
	far := "id,name,skills\n" + strings.Repeat("1,Mira Talden,Go\n", 30_000) + "2,\"Oren\n"
	tests := []struct {
		name, content string
		want          []string
	}{
		{"binary", "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00", []string{"an executable program"}},
		{"empty", "", []string{"empty"}},
		{"header only", "id,name,skills\n", []string{"header"}},
		{"1,000 columns", wide + wide, []string{"1000 columns"}},
		{"unclosed quote", "id,name,skills\n1,Mira Talden,Go\n2,\"Oren Vask,Art\n3,Ada,C\n", []string{"line 3", "quote"}},
		{"unclosed quote far down", far, []string{"line 30002", "quote"}},
		{"nothing to match", "color,size\nred,4\n", []string{"column"}},
	}

	s := newSession(t)
	good := s.loadPeople()
	before := s.must("status")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bad := s.file("bad.csv", test.content)
			for _, args := range [][]string{{"load", bad}, {"load", good, bad, "-max-failures", "9"}, {"validate", bad}} {
				s.wantError(1, args, append(test.want, bad)...)
			}

			if after := s.must("status"); after != before {
				t.Errorf("status before\n%s\nand after\n%s", before, after)
			}
		})
	}

	// All bad files are reported at once, also those of a folder.
	s.wantError(1, []string{"load", filepath.Join(s.files, "missing.csv"), s.files}, "missing.csv", "bad.csv: no known")
}

// TestRoundTrip exports what was loaded, loads the export, and exports again.
func TestRoundTrip(t *testing.T) {
	for _, format := range []string{"csv", "ndjson"} {
		t.Run(format, func(t *testing.T) {
			s := newSession(t)
			generated := filepath.Join(s.files, "generated."+format)
			s.must("generate", "-n", "500", "-seed", "3", "-details", "-format", format, "-o", generated)
			s.must("load", "-max-failures", "1", generated, s.file("people.csv", peopleCSV))
			first := filepath.Join(s.files, "first")
			second := filepath.Join(s.files, "second")
			s.must("export", "-format", format, "-o", first)

			if out := s.must("load", "-max-failures", "0", first); !strings.Contains(out, "502 freelancers indexed in ") {
				t.Errorf("load of the export:\n%s", out)
			}
			s.must("export", "-format", format, "-o", second)

			if diff := cmp.Diff(lines(t, first), lines(t, second)); diff != "" {
				t.Errorf("export, load and export again (-first +second):\n%s", diff)
			}

			// The export begins with the generated file; the people come after it.
			if diff := cmp.Diff(lines(t, generated), lines(t, first)[:len(lines(t, generated))]); diff != "" {
				t.Errorf("the export differs from the loaded file (-file +export):\n%s", diff)
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

func TestGenerate_SeedDeterminesOutput(t *testing.T) {
	s := newSession(t)
	a := s.must("generate", "-n", "20", "-seed", "5")
	b := s.must("generate", "-n", "30", "-seed", "5")
	if !strings.HasPrefix(b, a) || strings.Count(a, "\n") != 20 {
		t.Error("a longer run should begin with the shorter one")
	}
	if a == s.must("generate", "-n", "20", "-seed", "6") {
		t.Error("two seeds generate the same freelancers")
	}
}

func TestExport_FailureLeavesNoFile(t *testing.T) {
	s := newSession(t)
	s.loadPeople()
	out := t.TempDir()
	s.wantError(1, []string{"export", "-index", "freelancers-v1-none", "-o", filepath.Join(out, "x")}, "not found")
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("files left behind: %v, %v", left, err)
	}
}

func TestRollbackAndPrune(t *testing.T) {
	s := newSession(t)
	var names []string
	for i := range 5 {
		row := fmt.Sprintf("id,name,skills\n%d,Mira Talden,Go\n,,Nobody\n", i)
		s.must("load", "-keep-indexes", "all", "-max-failures", "1", s.file("people.csv", row))
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
		t.Errorf("after rollback to the first index: %v", got)
	}
	s.wantError(1, []string{"rollback", "-to", "freelancers-v1-none"}, "not found")
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
		filepath.Join(s.data, deadLettersDir, names[0]+".ndjson"),
		filepath.Join(s.data, deadLettersDir, names[3]+".ndjson"),
	}

	slices.Sort(wantLetters)
	if diff := cmp.Diff(wantLetters, letters); diff != "" {
		t.Errorf("dead letters (-want +got):\n%s", diff)
	}
}

// states returns the names of the indexes by state, as status prints them.
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
	s.loadPeople()
	s.createUnfinished("freelancers-v1-killed")
	if got := s.states()["unfinished"]; !slices.Equal(got, []string{"freelancers-v1-killed"}) {
		t.Errorf("unfinished: %v", got)
	}
	s.wantError(1, []string{"rollback", "-to", "freelancers-v1-killed"}, "incomplete")
	s.loadPeople()
	if got := s.states(); len(got["unfinished"]) != 0 || len(got["live"]) != 1 {
		t.Errorf("after the next load: %v", got)
	}
	s.createUnfinished("freelancers-v1-killed")
	s.must("prune")
	if got := s.states(); len(got["unfinished"]) != 0 || len(got["previous"]) != 1 {
		t.Errorf("after prune: %v", got)
	}
}

// createUnfinished creates an index such as a killed load leaves behind.
func (s *session) createUnfinished(name string) {
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
		s.wantError(1, []string{command}, "does not exist")
	}
	if err := os.Mkdir(s.data, 0o750); err != nil {
		t.Fatal(err)
	}
	if out := s.must("status"); !strings.HasPrefix(out, "There are no indexes in the data folder") {
		t.Errorf("status: %s", out)
	}
	for command, want := range map[string]string{
		"rollback": "there is no previous index", "export": "no index is live", "reindex": "no index is live",
		"delete -ids fl-1": "no index is live",
	} {
		s.wantError(1, strings.Fields(command), want)
	}
}

func TestLoad_Resumes(t *testing.T) {
	s := newSession(t)
	folder := filepath.Join(s.files, "applications")
	for _, name := range []string{"en-1.plain.docx", "en-2.creative.pdf", "fr-1.json"} {
		content, err := os.ReadFile(filepath.Join("..", "..", "tools", "resumes", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "new", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, content, 0o600)); err != nil {
			t.Fatal(err)
		}
	}

	s.wantError(1, []string{"load", "-resumes", folder}, "1 of 3 rows rejected")
	letters, err := filepath.Glob(filepath.Join(s.data, "dead-letters", "*.ndjson"))
	if err != nil || len(letters) != 1 {
		t.Fatal(letters, err)
	}

	letter, err := os.ReadFile(letters[0])
	if err != nil || !strings.Contains(string(letter), `new/fr-1.json","faults":[{"reason":"`) {
		t.Errorf("dead letter %s, %v", letter, err)
	}

	out := s.must("load", "-resumes", folder, "-max-failures", "2", s.file("people.csv", peopleCSV))
	for _, want := range []string{folder + ": 3 files, ", "JSON", "fr-1.json\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in the output:\n%s", want, out)
		}
	}

	exported := s.must("export")
	for _, want := range []string{
		`"name":"Rorick Wexcombe","job_title":"Lead Backend Developer"`, `"job_title":"Senior Product Designer"`,
		`"id":"resume-`,
	} {
		if !strings.Contains(exported, want) {
			t.Errorf("want %s in the export:\n%s", want, exported)
		}
	}

	if out := s.must("status"); !strings.Contains(out, "mixed") {
		t.Errorf("want the source mixed:\n%s", out)
	}
}

func TestLoad_BadResumeFolders(t *testing.T) {
	s := newSession(t)
	for _, path := range []string{t.TempDir(), filepath.Join(s.files, "missing"), s.file("people.csv", peopleCSV)} {
		s.wantError(1, []string{"validate", "-resumes", path}, path)
	}
}

// An export with -escape-formulas is safe to open in a spreadsheet and loads as the same freelancers.
func TestExport_EscapeFormulas(t *testing.T) {
	s := newSession(t)
	s.must("load", s.file("evil.ndjson", `{"id":"e1","name":"=HYPERLINK(\"http://x.example\")","skills":["Go"]}`+"\n"))
	before := s.must("export")
	out := s.must("export", "-format", "csv", "-escape-formulas")
	if !strings.Contains(out, `e1,"'=HYPERLINK(`) {
		t.Errorf("export:\n%s", out)
	}
	s.must("load", s.file("escaped.csv", out))
	if after := s.must("export"); after != before {
		t.Errorf("exported %s, after loading the escaped file %s", before, after)
	}
	s.wantError(2, []string{"export", "-escape-formulas"}, "requires -format csv")
}
