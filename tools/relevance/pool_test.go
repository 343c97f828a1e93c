package relevance

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

// ungraded returns a folder with a copy of the committed set whose judgments have the given content.
func ungraded(t *testing.T, judgments string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"briefs.jsonl", "freelancers.csv"} {
		content, err := os.ReadFile(filepath.Join(committed, name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, name), string(content))
	}
	if judgments != "" {
		write(t, filepath.Join(folder, "judgments.tsv"), judgments)
	}
	return folder
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// with returns the arguments of a command with those of a service added.
func with(service []string, args ...string) []string { return append(args, service...) }

// fails runs the program and requires exit code 1 or 2 and a text on standard error.
func fails(t *testing.T, want string, args ...string) {
	t.Helper()
	var out, err bytes.Buffer
	if code := Run(t.Context(), args, &out, &err); code == 0 || !strings.Contains(err.String(), want) {
		t.Errorf("relevance %s: exit %d, want %q:\n%s%s", strings.Join(args, " "), code, want, &out, &err)
	}
}

func TestPool(t *testing.T) {
	s, err := start(t.Context(), filepath.Join(committed, "freelancers.csv"), config.EncoderOff)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	service := []string{"-url", s.url, "-key", s.key}
	t.Run("grade, merge and judge", func(t *testing.T) { testPoolGradeMergeJudge(t, service) })
	t.Run("blind", func(t *testing.T) { testPoolIsBlind(t, service) })
	t.Run("runs", func(t *testing.T) { testPoolRuns(t, service) })
}

// A data team's way: pool, grade, merge, judge. Everything in the top ten is judged afterwards, and a second pool is
// empty.
func testPoolGradeMergeJudge(t *testing.T, service []string) {
	folder := ungraded(t, "b01\tf01\t3\n")
	work := t.TempDir()
	out := must(t, with(service, "pool", "-judged", folder, "-pairs", "200", "-o", work)...)
	for _, want := range []string{
		"\nas configured ", "\nwithout text ", "\nskills only ", "\nBM25 ", "; 1 pairs were graded already",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in:\n%s", want, out)
		}
	}

	tables, err := filepath.Glob(filepath.Join(work, "*.tsv"))
	if err != nil || len(tables) < 2 {
		t.Fatalf("%d tables (%v)", len(tables), err)
	}

	for _, path := range tables {
		table := read(t, path)
		if strings.Contains(table, "b01\tf01\t") {
			t.Errorf("%s asks for a pair that has a grade", path)
		}
		fails(t, `grade must be 0, 1, 2 or 3, got ""`, "merge", "-judged", folder, "-grades", path)
		write(t, path, strings.ReplaceAll(table, "\t\n", "\t2\n"))
	}

	if out := must(t, "merge", "-judged", folder, "-grades", work); strings.Contains(out, "no grades yet") {
		t.Errorf("briefs without grades:\n%s", out)
	}

	if out := must(t, "merge", "-judged", folder, "-grades", work); !strings.HasPrefix(out, "0 grades added") {
		t.Errorf("a second merge of the same grades:\n%s", out)
	}

	out = must(t, with(service, "judge", "-judged", folder)...)
	if !strings.Contains(out, "unjudged@10        18      0.000 ") {
		t.Errorf("unjudged freelancers are in the top ten:\n%s", out)
	}

	out = must(t, with(service, "pool", "-judged", folder, "-o", t.TempDir())...)
	if !strings.Contains(out, "\n0 pairs of 18 briefs in 0 files") {
		t.Errorf("a pool after the merge:\n%s", out)
	}
}

// The order shows neither rank nor method, differs by seed, and the texts have only what a grader may see.
func testPoolIsBlind(t *testing.T, service []string) {
	folder := ungraded(t, "")
	pool := func(args ...string) string {
		work := t.TempDir()
		args = append([]string{"pool", "-judged", folder, "-pairs", "10000", "-name", "x", "-o", work}, args...)
		must(t, with(service, args...)...)
		text := read(t, filepath.Join(work, "x-01.txt"))
		table := read(t, filepath.Join(work, "x-01.tsv"))
		brief := ""
		ids := "brief_id\tfreelancer_id\tgrade\n"
		for line := range strings.Lines(text) {
			if name, ok := strings.CutPrefix(line, "== "); ok {
				brief = strings.TrimSuffix(name, " ==\n")
			} else if id, _, ok := strings.Cut(line, " | "); ok && strings.HasPrefix(id, "f") && len(id) < 5 {
				ids += brief + "\t" + id + "\t\n"
			}
		}

		if diff := cmp.Diff(table, ids); diff != "" {
			t.Errorf("text and table differ (-table +text):\n%s", diff)
		}

		return text
	}

	one := pool()
	if diff := cmp.Diff(one, pool()); diff != "" {
		t.Errorf("the same seed gives another order:\n%s", diff)
	}

	if one == pool("-seed", "2") {
		t.Error("another seed gives the same order")
	}

	profile := "f01 | Front-end engineer | React, TypeScript, Tailwind CSS, Next.js | 6 years | I build admin panels"
	if !strings.Contains(one, "\n"+profile) {
		t.Errorf("%q is not in the text:\n%.2000s", profile, one)
	}

	for _, hidden := range []string{"Mira T.", "4.9", "example.com", "as configured", "BM25"} {
		if strings.Contains(one, hidden) {
			t.Errorf("the text for graders contains %q", hidden)
		}
	}

	sample := pool("-sample", "20")
	if n := strings.Count(sample, "\nf"); n != 20 {
		t.Errorf("a sample of 20 has %d freelancers", n)
	}
}

func testPoolRuns(t *testing.T, service []string) {
	folder := ungraded(t, "")
	work := t.TempDir()
	saved := filepath.Join(t.TempDir(), "other.tsv")
	write(t, saved, "b01\t1\tf01\nb01\t2\tf108\n")
	out := must(t, with(service, "pool", "-judged", folder, "-depth", "1", "-runs", saved, "-o", work)...)
	if !strings.Contains(out, "\n"+saved+" ") {
		t.Errorf("the run is not in:\n%s", out)
	}
	fails(t, "file exists", with(service, "pool", "-judged", folder, "-depth", "1", "-o", work)...)
	write(t, saved, "b01\t1\tnobody\n")
	fails(t, `has no freelancer "nobody"`,
		with(service, "pool", "-judged", folder, "-runs", saved, "-o", t.TempDir())...)
}

func TestReadBody_NoObject(t *testing.T) {
	if _, err := readBody(eval.Brief{ID: "b", Body: []byte("[]")}); err == nil {
		t.Error("a brief that is no object is accepted")
	}
}

func TestAgreeAndMerge(t *testing.T) {
	grades := func(files ...string) string {
		folder := t.TempDir()
		for i, content := range files {
			write(t, filepath.Join(folder, string(rune('a'+i))+".tsv"), content)
		}
		return folder
	}

	out := must(t, "agree", "-first", filepath.Join(committed, "judgments.tsv"),
		"-second", grades("b01\tf01\t3\nb01\tf02\t2\n", "b02\tf01\t0\n"))
	if !strings.Contains(out, "pairs graded by both  2, of 1 briefs (only by the first 185, only by the second 1)\n"+
		"same grade            1.000  [1.000, 1.000]\nweighted kappa        1.000") {
		t.Errorf("agreement:\n%s", out)
	}

	folder := ungraded(t, "b01\tf01\t3\n")
	for want, files := range map[string][]string{
		"is graded for brief \"b01\" in another file": {"b01\tf02\t1\n", "b01\tf02\t1\n"},
		"is judged twice":            {"b01\tf02\t1\nb01\tf02\t1\n"},
		"got \"4\"":                  {"b01\tf02\t4\n"},
		"is graded 3 and 2":          {"b01\tf01\t2\nb01\tf03\t2\n"},
		"grades brief \"b99\"":       {"b99\tf01\t2\n"},
		"grades freelancer \"f999\"": {"b01\tf999\t2\n"},
		"has no .tsv files":          {},
	} {
		fails(t, want, "merge", "-judged", folder, "-grades", grades(files...))
	}

	if got := read(t, filepath.Join(folder, "judgments.tsv")); got != "b01\tf01\t3\n" {
		t.Errorf("refused grades changed judgments.tsv:\n%s", got)
	}

	fails(t, "agree needs -first and -second", "agree")
	fails(t, "merge needs -judged", "merge", "-grades", "x")
	fails(t, "pool needs -o", "pool", "-judged", committed)
	fails(t, "-depth must be 1 to 100", "pool", "-depth", "0", "-o", "x")
	fails(t, "-pairs must be at least 1", "pool", "-pairs", "0", "-o", "x")
	fails(t, "-sample must not be negative", "pool", "-sample", "-1", "-o", "x")
}
