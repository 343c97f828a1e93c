package resumes

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/freelancer-matching/service/taxonomy"
)

// labels are what is known about the person in a file: the fields of a person, and what only files of unknown origin
// need. Fields that the JSON lacks are not judged; empty ones must be found empty.
//
// In a text, "||" separates alternatives ("2021||2021-06", "May 2021||"), and "*" accepts anything. Skills are those
// that the file lists, as written and in order.
type labels struct {
	person
	Columns   int      `json:"columns"`          // of the page
	Mentioned []string `json:"skills_mentioned"` // skills that other text names; a skill that is in no list is false
	stated    map[string]bool
}

const labelSuffix = ".truth.json"

// readLabels reads a file of labels.
func readLabels(path string) (labels, error) {
	var l labels
	var keys map[string]json.RawMessage
	if err := readJSON(path, &l); err != nil {
		return l, err
	}
	if err := readJSON(path, &keys); err != nil {
		return l, err
	}
	l.stated = make(map[string]bool)
	for key, value := range keys {
		l.stated[key] = string(value) != "null"
	}
	return l, nil
}

// order returns the passages that must follow each other: the summary, and the tasks of all positions.
func (l labels) order() [][]string {
	var tasks []string
	for _, job := range l.Experience {
		for _, task := range job.Tasks {
			tasks = append(tasks, letters(task))
		}
	}
	order := [][]string{tasks}
	if l.Summary != "" {
		order = append(order, []string{letters(l.Summary)})
	}
	return order
}

// evaluateLabeled parses the documents of a folder that have labels, X.pdf with X.truth.json, and reports how the
// result compares with the goals of the project.
func evaluateLabeled(ctx context.Context, folder string, brief bool, stdout io.Writer) error {
	t, err := taxonomy.Load()
	if err != nil {
		return err
	}

	p, err := openProduct(ctx, t)
	if err != nil {
		return err
	}
	defer func() { _ = p.close() }()

	verdicts, err := p.judgeLabeled(ctx, folder, t)
	if err != nil {
		return err
	}

	writeGoals(stdout, folder, verdicts)
	writeCalibration(stdout, verdicts)
	writeQualityRank(stdout, verdicts)

	if !brief {
		family := func(v verdict) string { name, _, _ := strings.Cut(v.layout, "--"); return name }
		writeGroups(stdout, "family", goalColumns, verdicts, family)
		writeMisses(stdout, verdicts)
	}

	return nil
}

// judgeLabeled judges every document of a folder that has labels.
func (p *product) judgeLabeled(ctx context.Context, folder string, t *taxonomy.Taxonomy) ([]verdict, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*"+labelSuffix))
	if err != nil {
		return nil, err
	}

	var verdicts []verdict
	for _, path := range paths {
		l, err := readLabels(path)
		if err != nil {
			return nil, err
		}

		stem := strings.TrimSuffix(path, labelSuffix)
		documents, err := filepath.Glob(stem + ".*")
		if err != nil {
			return nil, err
		}

		for _, document := range documents {
			if document == path {
				continue
			}

			file, err := os.ReadFile(document)
			if err != nil {
				return nil, err
			}

			d, r, err := p.parse(ctx, file)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}

			// A file that can't be read is judged as well, with an empty result: it misses everything.
			v := judgeLabels(sample{path: document, layout: filepath.Base(stem), order: l.order()}, l, d, r, t)
			if err != nil {
				v.err, v.disorder = err, fmt.Sprintf("not read: %v", err)
			}

			verdicts = append(verdicts, v)
		}
	}

	if len(verdicts) == 0 {
		return nil, fmt.Errorf("no document in %s has a *%s beside it", folder, labelSuffix)
	}

	return verdicts, nil
}
