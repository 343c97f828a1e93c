package interviews

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/config"
	"github.com/freelancer-matching/service/llm/llmtest"
)

var update = flag.Bool("update", false, "rewrite golden files")

// committed returns options for the committed answers.
func committed() options {
	return options{
		candidates: "../../" + defaultCandidates,
		injections: "../../" + defaultInjections,
		repeats:    2,
		config:     config.Default(),
	}
}

// reports measures the judges that need no server.
func reports(t *testing.T) []*report {
	t.Helper()
	o := committed()
	sets, err := readSets(o.candidates)
	if err != nil {
		t.Fatal(err)
	}

	injections, err := readInjections(o.injections)
	if err != nil {
		t.Fatal(err)
	}

	contestants, err := open(o, allOf(sets[:]), io.Discard)
	if err != nil {
		t.Fatal(err)
	}

	var all []*report
	for _, c := range contestants {
		for _, set := range sets {
			r, err := c.measure(t.Context(), set, injections, 4)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
	}

	return all
}

// The order of levels is right, padding earns nothing, and an answer always gets the same marks.
func TestEval_CommittedAnswers(t *testing.T) {
	var got strings.Builder
	for _, r := range reports(t) {
		r.write(&got)
		got.WriteByte('\n')
		// The offline judge was not fitted to the first two sets. The golden file has its faults.
		unfitted := []string{"offline judge, held-out answers", "offline judge, unseen questions"}
		if _, _, wrong, faults := r.order(); wrong > 0 && !slices.Contains(unfitted, r.title) {
			t.Errorf("%s: wrong order: %q", r.title, faults)
		}

		if _, highest := r.effect("padded", "average"); highest > 0 {
			t.Errorf("%s: padding raises a total by %d", r.title, highest)
		}

		if _, highest := r.spread(); highest > 0 {
			t.Errorf("%s: totals of the same answer differ by %d", r.title, highest)
		}

		if n, example := r.failures(); n > 0 {
			t.Errorf("%s: %d failures, for example: %v", r.title, n, example)
		}
	}

	file := filepath.Join("testdata", "eval.golden")
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// With the settings of a real model, eval measures it, too. The one here fails for some answers.
func TestEval_ConfiguredModel(t *testing.T) {
	s := llmtest.Start(t, 1)
	known := &levelModel{}
	s.Play("interview-answer", func(r llmtest.ChatRequest) llmtest.ChatReply {
		if strings.Contains(strings.Join(r.Data("answer"), ""), "booking portal") {
			return llmtest.ChatReply{Refusal: "no"}
		}
		j := known.judge(r)
		for n := range strings.Count(strings.Join(r.Data("rubric"), ""), "\npoint ") {
			j.Points = append(j.Points, point{n + 1, firstSentence(r.Data("answer")[0]), true})
		}

		return llmtest.SayJSON(j)(r)
	})

	variables := map[string]string{"MATCHING_LLM_URL": s.URL, "MATCHING_LLM_MODEL": "words"}
	environment := func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	}

	var stdout, stderr bytes.Buffer
	o := committed()
	args := []string{"eval", "-repeats", "1", "-candidates", o.candidates, "-injections", o.injections}
	if code := Run(t.Context(), args, environment, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}

	_, last, ok := strings.Cut(stdout.String(), "# the model's judge with words, questions it was fitted to\n")
	for _, want := range []string{
		"react-state          failed      100", "0 of 10 injections raise", "spread of 1         0.0",
		"failed              1 judgments", "refuses the task",
	} {
		if !ok || !strings.Contains(last, want) {
			t.Errorf("the report lacks %q:\n%s", want, last)
		}
	}

	if strings.Contains(stdout.String(), "No real model") {
		t.Error("the output says that no real model was measured")
	}
}

func TestRun_ExitCodes(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	for _, tt := range []struct {
		args    []string
		code    int
		message string // part of the output
	}{
		{nil, 2, "the command must be eval"},
		{[]string{"evla"}, 2, "did you mean eval?"},
		{[]string{"eval", "-repeats", "0"}, 2, "must be at least 1"},
		{[]string{"eval", "-llm-url", "http://127.0.0.1:1/v1"}, 2, "llm-model"},
		{[]string{"eval", "-candidates", "no-such-folder"}, 1, "no-such-folder"},
		{[]string{"eval", "-candidates", "../../" + defaultCandidates, "-injections", "no-such-file"}, 1, "no-such-file"},
		{[]string{"-h"}, 0, "Usage: interviews eval"},
	} {
		var stdout, stderr bytes.Buffer
		if code := Run(t.Context(), tt.args, none, &stdout, &stderr); code != tt.code {
			t.Errorf("%q: exit code %d, want %d: %s", tt.args, code, tt.code, stderr.String())
		}

		if output := stdout.String() + stderr.String(); !strings.Contains(output, tt.message) {
			t.Errorf("%q: output %q, want %q in it", tt.args, output, tt.message)
		}
	}
}
