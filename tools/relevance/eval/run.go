package eval

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Run is what a way of ranking answered: for each brief, the ids of freelancers, the best first.
type Run map[string][]string

// Play asks search for every brief. The first error ends it.
func Play(ctx context.Context, briefs []Brief, search func(context.Context, Brief) ([]string, error)) (Run, error) {
	run := Run{}
	for _, b := range briefs {
		ids, err := search(ctx, b)
		if err != nil {
			return nil, fmt.Errorf("brief %q: %w", b.ID, err)
		}
		run[b.ID] = ids
	}
	return run, nil
}

// Write writes brief_id, rank and freelancer_id between tabs, the briefs in the order of their ids.
func (r Run) Write(w io.Writer) error {
	var b strings.Builder
	for _, brief := range slices.Sorted(maps.Keys(r)) {
		for i, id := range r[brief] {
			fmt.Fprintf(&b, "%s\t%d\t%s\n", brief, i+1, id)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// ReadRun reads what Write wrote. An error names the line.
func ReadRun(r io.Reader) (Run, error) {
	run := Run{}
	err := eachLine(r, func(line string) error {
		cells := strings.Split(line, "\t")
		if len(cells) != 3 {
			return fmt.Errorf("want brief_id, rank and freelancer_id between tabs, got %d cells", len(cells))
		}
		brief := cells[0]
		if want := strconv.Itoa(len(run[brief]) + 1); cells[1] != want {
			return fmt.Errorf("the next rank of brief %q is %s, got %q", brief, want, cells[1])
		}
		run[brief] = append(run[brief], cells[2])
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read a run: %w", err)
	}
	return run, nil
}

// grades are those of a ranking of one brief, each id taken at its first place, and whether each was judged at all.
func (j Judgments) grades(brief string, ids []string) (ranked []Grade, judged []bool) {
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			continue
		}
		seen[id] = true
		grade, known := j[brief][id]
		ranked = append(ranked, grade)
		judged = append(judged, known)
	}
	return ranked, judged
}
