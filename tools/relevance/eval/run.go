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

// Run maps each brief ID to the freelancer IDs that a ranking returned for it, best first.
type Run map[string][]string

// Play calls search for every brief and stops at the first error.
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

// Write writes tab-separated lines of brief_id, rank and freelancer_id, sorted by brief ID.
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

// ReadRun reads a run in the format of [Run.Write]. Errors include the line number.
func ReadRun(r io.Reader) (Run, error) {
	run := Run{}
	err := eachLine(r, func(line string) error {
		cells := strings.Split(line, "\t")
		if len(cells) != 3 {
			return fmt.Errorf("want tab-separated brief_id, rank and freelancer_id, got %d columns", len(cells))
		}
		brief := cells[0]
		if want := strconv.Itoa(len(run[brief]) + 1); cells[1] != want {
			return fmt.Errorf("want rank %s of brief %q, got %q", want, brief, cells[1])
		}
		run[brief] = append(run[brief], cells[2])
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read run: %w", err)
	}
	return run, nil
}

// grades returns the grades of a brief's ranked IDs and whether each was judged. Only the first occurrence of an ID
// counts.
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
