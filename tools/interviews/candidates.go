package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"freelancer-matching/interview"
)

// answerLevels are the kinds of answers that each candidate file has, the best first. A padded answer is the average one among
// phrases that say nothing, an injected one the weak one with instructions to a model.
var answerLevels = []string{"expert", "good", "average", "weak", "evasive", "padded", "injected"}

// candidate is a question with an answer of each level.
type candidate struct {
	ID       string `json:"id"`
	Language string `json:"language"`
	Project  string `json:"project"`
	Question struct {
		ID         string               `json:"id"`
		Text       string               `json:"text"`
		Skill      string               `json:"skill"`
		Kind       interview.Kind       `json:"kind"`
		Difficulty interview.Difficulty `json:"difficulty"`
		Expected   string               `json:"expected"`
		Points     []string             `json:"points"`
		Anchors    []interview.Anchor   `json:"anchors"`
	} `json:"question"`
	Answers map[string]string `json:"answers"`
}

func (c *candidate) subject() *interview.Subject {
	return &interview.Subject{Project: c.Project, Language: c.Language, Weights: interview.DefaultWeights()}
}

// question is as the offline bank would have asked it, for every judge.
func (c *candidate) question() *interview.Question {
	q := c.Question
	return &interview.Question{
		ID: q.ID, Text: q.Text, Skill: q.Skill, Kind: q.Kind, Difficulty: q.Difficulty, Expected: q.Expected, Points: q.Points,
		Anchors: q.Anchors, Weights: interview.DefaultWeights(), By: "offline",
	}
}

// readCandidates reads the files of a folder, by name.
func readCandidates(folder string) ([]candidate, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no candidates in %s", folder)
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
		for _, level := range answerLevels {
			if all[i].Answers[level] == "" {
				return nil, fmt.Errorf("%s: no answer of level %q", name, level)
			}
		}
	}
	return all, nil
}

// readInjections reads texts that try to influence a model, one JSON object per line.
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
