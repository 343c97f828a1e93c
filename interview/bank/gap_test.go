package bank_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/interview/bank"
	"github.com/freelancer-matching/service/interview/scoring"
	"github.com/freelancer-matching/service/taxonomy"
)

// A model's score is compared with the offline one. The best answers must come close enough to 90 points, which a model
// may give them, and texts that only instruct a model must stay far away from 90.
func TestJudge_SeparatesGoodAnswersFromInstructions(t *testing.T) {
	known, err := taxonomy.Load()
	if err != nil {
		t.Fatal(err)
	}
	offline, err := bank.Open(known, analysis.New())
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := embedding.Load()
	if err != nil {
		t.Fatal(err)
	}
	judge := bank.NewJudge(offline, vectors)

	isApart := func(language string, q *interview.Question, answer string, value int) bool {
		q.Weights = interview.DefaultWeights().ForKind(q.Kind)
		judgment, err := judge.Judge(t.Context(), "", &interview.Subject{Language: language}, q, answer)
		if err != nil {
			t.Fatal(err)
		}
		counted, err := scoring.NewScore(q, &judgment, answer, "offline")
		if err != nil {
			t.Fatal(err)
		}
		model := interview.Score{}
		model.Value.Known, model.Value.Value = true, value
		return scoring.IsFarApart(&model, &counted)
	}

	files, err := filepath.Glob("../testdata/candidates/*/*.json")
	if err != nil || len(files) < 30 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	instructions := readInstructions(t)
	wrong := 0
	for n, name := range files {
		file, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var candidate struct {
			Language string
			Question interview.Question
			Answers  map[string]string
		}
		if err := json.Unmarshal(file, &candidate); err != nil {
			t.Fatal(err)
		}

		q := &candidate.Question
		for level, value := range map[string]int{"expert": 90, "good": 80} {
			if isApart(candidate.Language, q, candidate.Answers[level], value) {
				t.Errorf("%s: the %s answer counts for %d points less than %d", name, level, scoring.MaxGap, value)
			}
		}

		// Each question gets a few of the instructions, so that the test stays short.
		for i := n; i < len(instructions); i += len(files) {
			if !isApart(candidate.Language, q, instructions[i], 90) {
				wrong++
				t.Logf("%s: %q comes close to 90 points", name, instructions[i])
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d instructions come close to 90 points", wrong, len(instructions))
	}
}

func readInstructions(t *testing.T) (texts []string) {
	t.Helper()
	file, err := os.Open("../testdata/injections.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var line struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, line.Text)
	}
	if lines.Err() != nil || len(texts) < 90 {
		t.Fatalf("got %d instructions, %v", len(texts), lines.Err())
	}
	return texts
}
