package eval

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Grade says how suitable a freelancer is for a brief. Who was not judged counts as Unsuitable.
type Grade int

// The grades.
const (
	Unsuitable Grade = iota // another trade, or only shared words
	Partly                  // neighbouring work, or one of several needed skills
	Good                    // does this work, as one of several things or more generally
	Excellent               // would be shortlisted at once
)

// Brief is one judged brief.
type Brief struct {
	ID       string          `json:"brief_id"`
	Category string          `json:"category"`
	Body     json.RawMessage `json:"body"` // of a match request
}

// Judgments are grades by brief and freelancer.
type Judgments map[string]map[string]Grade

// maxLine bounds one line of a judged set.
const maxLine = 1 << 20

// ReadBriefs reads one JSON object a line. Empty lines are passed over; an error names the line.
func ReadBriefs(r io.Reader) ([]Brief, error) {
	var briefs []Brief
	seen := map[string]bool{}
	err := eachLine(r, func(line string) error {
		var b Brief
		if err := json.Unmarshal([]byte(line), &b); err != nil {
			return err
		}
		if b.ID == "" || len(b.Body) == 0 {
			return fmt.Errorf("a brief needs brief_id and body")
		}
		if seen[b.ID] {
			return fmt.Errorf("brief %q is there twice", b.ID)
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

// ReadJudgments reads brief_id, freelancer_id and grade (0 to 3), between tabs. A first line that names these columns
// and empty lines are passed over; an error names the line.
func ReadJudgments(r io.Reader) (Judgments, error) {
	judgments := Judgments{}
	err := eachLine(r, func(line string) error {
		cells := strings.Split(line, "\t")
		if len(cells) != 3 {
			return fmt.Errorf("want brief_id, freelancer_id and grade between tabs, got %d cells", len(cells))
		}
		brief, freelancer := cells[0], cells[1]
		if brief == "brief_id" {
			return nil
		}
		grade, err := strconv.Atoi(cells[2])
		if err != nil || grade < int(Unsuitable) || grade > int(Excellent) {
			return fmt.Errorf("a grade is 0, 1, 2 or 3, got %q", cells[2])
		}
		if judgments[brief] == nil {
			judgments[brief] = map[string]Grade{}
		}
		if _, twice := judgments[brief][freelancer]; twice {
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

// eachLine hands over every line that is not empty.
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
