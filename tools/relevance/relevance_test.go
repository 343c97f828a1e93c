package relevance

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/internal/realdata"
)

// committed is the folder of the repository's own judged set.
var committed = filepath.Join("eval", "testdata", "judged")

// must runs the program, requires exit code 0 and returns its standard output.
func must(t *testing.T, args ...string) (stdout string) {
	t.Helper()
	var out, err bytes.Buffer
	if code := Run(t.Context(), args, &out, &err); code != 0 {
		t.Fatalf("relevance %s: exit %d\n%s%s", strings.Join(args, " "), code, &out, &err)
	}
	return out.String()
}

// between returns the part of text from the first occurrence of from up to the next occurrence of to.
func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, from)
	part, _, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		t.Fatalf("%q and %q are not in:\n%s", from, to, text)
	}
	return from + part
}

// The command must print the same report as the golden file of the integration tests.
func TestJudge_AgreesWithTheGoldenFigures(t *testing.T) {
	want, err := os.ReadFile(filepath.Join("..", "..", "integration", "testdata", "judged.txt"))
	if err != nil {
		t.Fatal(err)
	}
	got := must(t, "judge", "-judged", committed)
	if _, report, _ := strings.Cut(got, "\n\n"); report != string(want) {
		t.Errorf("report (-golden +got):\n%s", cmp.Diff(string(want), report))
	}
}

func TestJudge_RunningService(t *testing.T) {
	set, err := openJudgedSet(committed)
	if err != nil {
		t.Fatal(err)
	}

	s, err := start(t.Context(), set.freelancers, config.EncoderOff)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()

	local := must(t, "judge", "-judged", committed)
	remote := must(t, "judge", "-judged", committed, "-url", s.url+"/", "-key", s.key)
	if diff := cmp.Diff(local, remote); diff != "" {
		t.Errorf("report of a running service (-local +remote):\n%s", diff)
	}

	var out, stderr bytes.Buffer
	code := Run(t.Context(), []string{"judge", "-judged", committed, "-url", s.url, "-key", "wrong"}, &out, &stderr)
	if code != 1 ||
		!strings.Contains(stderr.String(), `brief "b01": the service answered 401`) {
		t.Errorf("with a wrong key: exit %d\n%s%s", code, &out, &stderr)
	}
}

func TestJudge_NoDifferenceFromItself(t *testing.T) {
	saved := filepath.Join(t.TempDir(), "run.tsv")
	first := must(t, "judge", "-judged", committed, "-save", saved, "-against", "default")
	second := must(t, "judge", "-judged", committed, "-against-run", saved)
	for _, out := range []string{first, second} {
		table := between(t, out, "measure            difference", "nDCG@10 of judged")
		if n := strings.Count(table, "+0.000      [+0.000, +0.000]  0       0 "); n != 5 {
			t.Errorf("%d measures are equal, want 5:\n%s", n, table)
		}
		if strings.Contains(out, "\nbetter") || strings.Contains(out, "\nworse") {
			t.Errorf("a brief improved or declined:\n%s", out)
		}
	}
}

func TestJudge_BeatsRankingByQualityAlone(t *testing.T) {
	out := must(t, "judge", "-judged", committed, "-against-weights", "skills=0,text=0,quality=1")
	if !strings.Contains(out, "against default profile, weights quality=1,skills=0,text=0\n") ||
		!strings.Contains(out, "\nbetter  nDCG@10\nb") {
		t.Errorf("no brief improved over ranking by quality alone:\n%s", out)
	}
}

func TestAblate(t *testing.T) {
	out := must(t, "ablate", "-judged", committed, "-drop", "budget_range,budget_type,complexity,timeline")
	for _, want := range []string{
		"not used for any brief: budget\n", "\nfull ", "\nwithout quality ", "\nwithout skills ", "\ntext only ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "\nwithout budget") {
		t.Errorf("a feature that no brief asks for is in the table:\n%s", out)
	}
}

func TestRun_SkipsWithoutAJudgedSet(t *testing.T) {
	t.Setenv(realdata.Variable, t.TempDir())
	for _, name := range []string{"judge", "ablate", "fit", "levels"} {
		if out := must(t, name); !strings.HasPrefix(out, "skipped: no judged set at ") {
			t.Errorf("%s: %s", name, out)
		}
	}
}

func TestRun_Errors(t *testing.T) {
	graded := func(briefs, judgments string) string {
		folder := t.TempDir()
		for name, content := range map[string]string{"briefs.jsonl": briefs, "judgments.tsv": judgments} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}

		return folder
	}

	const brief = `{"brief_id": "b1", "body": {"description": "Logo"}}`
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no command", nil, 2, "Usage:"},
		{"unknown command", []string{"jugde"}, 2, `unknown command "jugde"; did you mean judge?`},
		{"unknown flag", []string{"judge", "-jugded", "x"}, 2, "did you mean -judged?"},
		{"argument", []string{"judge", "x"}, 2, `judge takes no arguments, got "x"`},
		{"weights", []string{"judge", "-weights", "skills"}, 2, `such as skills=.3,text=.2, got "skills"`},
		{
			"two rankings to compare with",
			[]string{"judge", "-against", "x", "-against-run", "y"},
			2,
			"-against-run can't be combined with",
		},
		{"step", []string{"fit", "-step", "0"}, 2, "-step must be .01 to .2, got 0"},
		{"too few candidates", []string{"levels", "-top", "9"}, 2, "-top must be 10 to 500, got 9"},
		{"no knots", []string{"levels", "-knots", "0"}, 2, "-knots must be 1 to 10, got 0"},
		{"targets", []string{"levels", "-targets", ".5,.7,.9"}, 2, "want descending shares"},
		{"one fold", []string{"fit", "-folds", "1"}, 2, "-folds must be at least 2, got 1"},
		{"address", []string{"judge", "-url", "localhost:8080", "-key", "k"}, 2, "-url must look like http://127.0.0.1:8080"},
		{"no key", []string{"judge", "-url", "http://localhost:8080"}, 2, "-url needs -key"},
		{"no such folder", []string{"judge", "-judged", "no-such-folder"}, 1, "no-such-folder"},
		{"brief without grades", []string{"judge", "-judged", graded(brief, "")}, 1, `brief "b1" has no grades`},
		{
			"grades without a brief",
			[]string{"judge", "-judged", graded(brief, "b1\tann\t3\nb2\tann\t3")},
			1,
			`grades brief "b2"`,
		},
		{"no freelancers", []string{"judge", "-judged", graded(brief, "b1\tann\t3")}, 1, "freelancers.csv"},
		{"unknown feature", []string{"judge", "-judged", committed, "-weights", "skils=1"}, 1, "did you mean skills?"},
		{"unknown profile", []string{"ablate", "-judged", committed, "-profile", "x"}, 1, `unknown ranking profile "x"; use`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out, err bytes.Buffer
			if code := Run(t.Context(), test.args, &out, &err); code != test.code || !strings.Contains(err.String(), test.want) {
				t.Errorf("exit %d, want %d with %q:\n%s%s", code, test.code, test.want, &out, &err)
			}
		})
	}
}

func TestHelp_ShowsEveryCommandWithExamples(t *testing.T) {
	all := must(t, "help")
	unjudged := []string{"agree", "learn"} // read no judged briefs
	for _, cmd := range commands() {
		if !strings.Contains(all, "\n  "+cmd.name+" ") {
			t.Errorf("%s is not in the help:\n%s", cmd.name, all)
		}
		out := must(t, cmd.name, "-h")
		if !strings.Contains(out, "\nExamples:\n  relevance "+cmd.name) ||
			!slices.Contains(unjudged, cmd.name) && !strings.Contains(out, "\n  -judged folder") {
			t.Errorf("help of %s:\n%s", cmd.name, out)
		}
	}
}
