package interviews

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/freelancer-matching/service/interview"
)

// answerLevels names the answers in each candidate file, the best first. An answer "no_idea" only says so, and
// "opposite" rejects what the question expects. A padded answer is the average one with empty phrases. Answers with
// keywords are the weak one with cues of the bank, and injected ones are the weak one with instructions to a model.
var answerLevels = []string{
	"expert", "good", "average", "weak", "evasive", "no_idea", "opposite", "keywords", "padded", "injected",
}

// heldOutLevels names the answers in each held-out file. Some also have a plausible answer that is wrong.
var heldOutLevels = []string{"expert", "good", "average", "weak", "evasive"}

const wrongLevel = "wrong"

// heldOutFolder is the folder, in that of the candidates, of those whose answers somebody wrote who knew the questions,
// but neither their rubrics nor the judge.
const heldOutFolder = "heldout"

// unseenFolder is the folder, in that of the candidates, of those to which the offline judge was not fitted.
const unseenFolder = "unseen"

// A candidate is a question with an answer of each level.
type candidate struct {
	ID       string             `json:"id"`
	Language string             `json:"language"`
	Project  string             `json:"project"`
	Question interview.Question `json:"question"`
	Answers  map[string]string  `json:"answers"`
}

func (c *candidate) subject() *interview.Subject {
	return &interview.Subject{Project: c.Project, Language: c.Language, Weights: interview.DefaultWeights()}
}

// A candidateSet is a set of candidates to report on.
type candidateSet struct {
	title      string
	levels     []string // of the answers, in the order of the report; not all candidates have an answer of wrongLevel
	candidates []candidate
}

// readSets reads the held-out candidates, those to which the offline judge was not fitted, and the others, in this
// order.
func readSets(folder string) ([3]candidateSet, error) {
	sets := [3]candidateSet{
		{title: "held-out answers", levels: append(slices.Clone(heldOutLevels), wrongLevel)},
		{title: "unseen questions", levels: answerLevels},
		{title: "questions it was fitted to", levels: answerLevels},
	}
	for i, name := range []string{filepath.Join(folder, heldOutFolder), filepath.Join(folder, unseenFolder), folder} {
		var err error
		if sets[i].candidates, err = readCandidates(name, sets[i].levels); err != nil {
			return sets, err
		}
	}
	return sets, nil
}

// readCandidates reads the candidate files of a folder in the order of their names. They must have answers of all
// levels except wrongLevel. Their questions appear to be from the offline bank.
func readCandidates(folder string, levels []string) ([]candidate, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no candidate files in %s", folder)
	}

	all := make([]candidate, len(names))
	for i, name := range names {
		file, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(file, &all[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}

		// Weights are computed instead of stored, so that the files follow a change of the defaults.
		all[i].Question.By = "offline"
		all[i].Question.Weights = interview.DefaultWeights().ForKind(all[i].Question.Kind)
		for _, level := range levels {
			if all[i].Answers[level] == "" && level != wrongLevel {
				return nil, fmt.Errorf("%s: no answer of level %q", name, level)
			}
		}
	}

	return all, nil
}

// readInjections reads texts with instructions to a model from a file with one JSON object per line.
func readInjections(name string) ([]string, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var texts []string
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var line struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		texts = append(texts, line.Text)
	}
	return texts, lines.Err()
}
