package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"freelancer-matching/interview"
)

// answerLevels names the answers in each candidate file, the best first. A padded answer is the average one with empty
// phrases, and an injected answer is the weak one with instructions to a model.
var answerLevels = []string{"expert", "good", "average", "weak", "evasive", "padded", "injected"}

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

// readCandidates reads the candidate files of a folder in the order of their names. Their questions appear to be from
// the offline bank.
func readCandidates(folder string) ([]candidate, error) {
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
		all[i].Question.By = "offline"
		all[i].Question.Weights = interview.DefaultWeights().ForKind(all[i].Question.Kind)
		for _, level := range answerLevels {
			if all[i].Answers[level] == "" {
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
