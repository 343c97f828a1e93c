package relevance

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/freelancer-matching/service/internal/realdata"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

// realJudgments has grades for pairs of the real set that its own judgments.tsv lacks: people whom later versions of
// the ranking put among the first ten. They were read without their method, rank and score, among pairs that had
// grades.
//
//go:embed judgments/real.tsv
var realJudgments []byte

// judgedSet holds briefs and judgments, and names the file of freelancers.
type judgedSet struct {
	folder      string
	freelancers string // path of the CSV file
	briefs      []eval.Brief
	judgments   eval.Judgments
}

// openJudgedSet reads the judged set in a folder. An empty folder means the real set; if it is missing, the error wraps
// errSkipped. Every brief must have grades.
func openJudgedSet(folder string) (*judgedSet, error) {
	set, err := readJudgedSet(folder)
	if err != nil {
		return nil, err
	}
	for _, b := range set.briefs {
		if len(set.judgments[b.ID]) == 0 {
			return nil, fmt.Errorf("%s: brief %q has no grades in judgments.tsv", set.folder, b.ID)
		}
	}
	return set, nil
}

// readJudgedSet reads a judged set as openJudgedSet does, but grades, or all of judgments.tsv, may be missing.
func readJudgedSet(folder string) (*judgedSet, error) {
	realSet := folder == ""
	if realSet {
		var found bool
		if folder, found = realdata.Find("relevance"); !found {
			return nil, fmt.Errorf("%w: no judged set at %s; pass one with -judged, or set %s to the folder of the data sets",
				errSkipped, folder, realdata.Variable)
		}
	}

	briefs, err := readFile(filepath.Join(folder, "briefs.jsonl"), eval.ReadBriefs)
	if err != nil {
		return nil, err
	}

	judgments, err := readFile(filepath.Join(folder, "judgments.tsv"), eval.ReadJudgments)

	// A new set has no grades until the first pool is graded.
	if errors.Is(err, fs.ErrNotExist) {
		judgments = eval.Judgments{}
		err = nil
	}

	if err != nil {
		return nil, err
	}

	if realSet {
		if err := addRealJudgments(judgments); err != nil {
			return nil, err
		}
	}

	// Grades of an unknown brief usually mean that its ID was changed in one file only.
	known := map[string]bool{}
	for _, b := range briefs {
		known[b.ID] = true
	}

	for brief := range judgments {
		if !known[brief] {
			return nil, fmt.Errorf("%s: judgments.tsv grades brief %q, which is not in briefs.jsonl", folder, brief)
		}
	}

	return &judgedSet{folder, filepath.Join(folder, "freelancers.csv"), briefs, judgments}, nil
}

// addRealJudgments adds the grades of realJudgments to those of the real set. A pair that has a grade keeps it, because
// a later version of the set may include these people.
func addRealJudgments(judgments eval.Judgments) error {
	added, err := eval.ReadJudgments(bytes.NewReader(realJudgments))
	if err != nil {
		return fmt.Errorf("judgments/real.tsv: %w", err)
	}

	for brief, grades := range added {
		maps.DeleteFunc(grades, func(freelancer string, _ eval.Grade) bool {
			_, graded := judgments[brief][freelancer]
			return graded
		})
	}

	_, err = judgments.Add(added)
	return err
}

func readFile[T any](path string, read func(io.Reader) (T, error)) (content T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return content, err
	}
	defer f.Close()
	if content, err = read(f); err != nil {
		return content, fmt.Errorf("%s: %w", path, err)
	}
	return content, nil
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
