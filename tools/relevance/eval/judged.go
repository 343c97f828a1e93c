package eval

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Grade is a person's judgment of how suitable a freelancer is for a brief. Unjudged freelancers count as Unsuitable.
type Grade int

// The grades.
const (
	Unsuitable Grade = iota // a different trade; at most some words match
	Partly                  // related work, or one of several required skills
	Good                    // does this work, among other things or as a generalist
	Excellent               // would be shortlisted at once
)

// Brief is a client's request for a freelancer.
type Brief struct {
	ID       string          `json:"brief_id"`
	Category string          `json:"category"`
	Body     json.RawMessage `json:"body"` // the body of a match request
}

// Judgments maps brief ID and freelancer ID to a grade.
type Judgments map[string]map[string]Grade

// maxLine is the maximum length of a line in a judged set, in bytes.
const maxLine = 1 << 20

// ReadBriefs reads one JSON object per line and skips blank lines. Errors include the line number.
func ReadBriefs(r io.Reader) ([]Brief, error) {
	var briefs []Brief
	seen := map[string]bool{}
	err := eachLine(r, func(line string) error {
		var b Brief
		if err := json.Unmarshal([]byte(line), &b); err != nil {
			return err
		}
		if b.ID == "" || len(b.Body) == 0 {
			return errors.New("brief_id and body are required")
		}

		// Two briefs with one ID would share their grades and overwrite each other's results.
		if seen[b.ID] {
			return fmt.Errorf("duplicate brief %q", b.ID)
		}

		seen[b.ID] = true
		briefs = append(briefs, b)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read briefs: %w", err)
	}

	return briefs, nil
}

// ReadJudgments reads tab-separated lines of brief_id, freelancer_id and grade (0 to 3). It skips blank lines and a
// header line. Errors include the line number.
func ReadJudgments(r io.Reader) (Judgments, error) {
	judgments := Judgments{}
	err := eachLine(r, func(line string) error {
		cells := strings.Split(line, "\t")
		if len(cells) != 3 {
			return fmt.Errorf("want tab-separated brief_id, freelancer_id and grade, got %d columns", len(cells))
		}

		brief := cells[0]
		freelancer := cells[1]

		// Files of several graders may be concatenated, so a header can stand anywhere.
		if brief == "brief_id" {
			return nil
		}

		grade, err := strconv.Atoi(cells[2])
		if err != nil || grade < int(Unsuitable) || grade > int(Excellent) {
			return fmt.Errorf("grade must be 0, 1, 2 or 3, got %q", cells[2])
		}

		if judgments[brief] == nil {
			judgments[brief] = map[string]Grade{}
		}

		// The later grade would silently replace the earlier one.
		if _, duplicate := judgments[brief][freelancer]; duplicate {
			return fmt.Errorf("freelancer %q is judged twice for brief %q", freelancer, brief)
		}

		judgments[brief][freelancer] = Grade(grade)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read judgments: %w", err)
	}

	return judgments, nil
}

// Write writes the judgments in the format of [ReadJudgments], sorted by brief and freelancer.
func (j Judgments) Write(w io.Writer) error {
	var b strings.Builder
	b.WriteString("brief_id\tfreelancer_id\tgrade\n")
	for _, brief := range slices.Sorted(maps.Keys(j)) {
		for _, freelancer := range slices.Sorted(maps.Keys(j[brief])) {
			fmt.Fprintf(&b, "%s\t%s\t%d\n", brief, freelancer, j[brief][freelancer])
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Add adds the judgments of another grading. It returns an error and adds nothing if a pair has another grade already;
// an equal grade is not counted as added.
func (j Judgments) Add(other Judgments) (added int, err error) {
	for brief, grades := range other {
		for freelancer, grade := range grades {
			if before, ok := j[brief][freelancer]; ok && before != grade {
				return 0, fmt.Errorf("freelancer %q is graded %d and %d for brief %q", freelancer, before, grade, brief)
			}
		}
	}
	before := j.count()
	for brief, grades := range other {
		if j[brief] == nil {
			j[brief] = map[string]Grade{}
		}
		maps.Copy(j[brief], grades)
	}
	return j.count() - before, nil
}

// eachLine calls use with every line that is not blank. Errors include the line number.
func eachLine(r io.Reader, use func(line string) error) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, maxLine)
	number := 0
	for scanner.Scan() {
		number++
		line := strings.TrimSuffix(scanner.Text(), "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := use(line); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("line %d: %w", number+1, err)
	}
	return nil
}
