package relevance

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/tools/relevance/eval"
)

const (
	pageSize = 100 // maximum limit of a request
	window   = 500 // maximum number of candidates per brief
)

// way holds the options with which a brief is sent to the service.
type way struct {
	drop    names // members removed from the briefs
	profile string
	weights weights
}

// String describes the options for the heading of a report.
func (w way) String() string {
	text := "profile " + w.profile
	if w.profile == "" {
		text = "default profile"
	}
	if len(w.weights) > 0 {
		text += ", weights " + w.weights.String()
	}
	if len(w.drop) > 0 {
		text += ", without " + w.drop.String()
	}
	return text
}

// body returns the request body for a brief with the options applied.
func (w way) body(b eval.Brief) (map[string]any, error) {
	var body map[string]any
	if err := json.Unmarshal(b.Body, &body); err != nil {
		return nil, err
	}
	for _, member := range w.drop {
		delete(body, member)
	}
	if w.profile != "" {
		body["profile"] = w.profile
	}
	if len(w.weights) > 0 {
		body["weights"] = w.weights
	}
	return body, nil
}

// answers holds the service's responses to all briefs of a set.
type answers struct {
	candidates eval.Answers
	skipped    map[matching.Skipped]int // number of briefs by skipped part of the ranking
}

// ask sends every brief and returns the first n candidates of each, with their features if explain is set.
func (s *service) ask(ctx context.Context, briefs []eval.Brief, w way, n int, explain bool) (*answers, error) {
	all := &answers{candidates: eval.Answers{}, skipped: map[matching.Skipped]int{}}
	for _, b := range briefs {
		body, err := w.body(b)
		if err == nil {
			body["explain"] = explain
			err = s.askOne(ctx, b.ID, body, n, all)
		}
		if err != nil {
			return nil, fmt.Errorf("brief %q: %w", b.ID, err)
		}
	}
	return all, nil
}

// askOne sends one brief, page by page, and adds up to n candidates to all.
func (s *service) askOne(ctx context.Context, brief string, body map[string]any, n int, all *answers) error {
	for offset := 0; offset < n; offset += pageSize {
		body["offset"], body["limit"] = offset, min(pageSize, n-offset)
		a, err := s.post(ctx, body)
		if err != nil {
			return err
		}

		for _, m := range a.Matches {
			all.candidates[brief] = append(all.candidates[brief], eval.Candidate{
				ID: m.Freelancer.ID, Score: m.Score, Level: m.Level, Features: m.Explanation,
			})
		}

		// Every page repeats the skipped parts, which count once per brief.
		if offset == 0 {
			for _, part := range a.Skipped {
				all.skipped[part]++
			}
		}

		// A page that isn't full is the last one.
		if len(a.Matches) < pageSize {
			break
		}
	}

	return nil
}

// writeSkipped prints which parts of the ranking the service skipped.
func (a *answers) writeSkipped(w io.Writer) {
	parts := slices.SortedFunc(maps.Keys(a.skipped), func(a, b matching.Skipped) int {
		return strings.Compare(a.Feature+a.Reason, b.Feature+b.Reason)
	})
	for _, part := range parts {
		fmt.Fprintf(w, "skipped for %d of %d briefs: %s, %s\n", a.skipped[part], len(a.candidates), part.Feature, part.Reason)
	}
}

// names is a flag with comma-separated names.
type names []string

func (n names) String() string { return strings.Join(n, ",") }

// Set parses comma-separated names and ignores empty ones.
func (n *names) Set(text string) error {
	*n = nil
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); name != "" {
			*n = append(*n, name)
		}
	}
	return nil
}

// weights is a flag with weights by feature. The service validates the features and weights.
type weights map[string]float64

func (w weights) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(w)) {
		parts = append(parts, fmt.Sprintf("%s=%g", name, w[name]))
	}
	return strings.Join(parts, ",")
}

// with returns a copy of the weights with others added or replaced.
func (w weights) with(others weights) weights {
	all := weights{}
	maps.Copy(all, w)
	maps.Copy(all, others)
	return all
}

// Set parses comma-separated feature=weight pairs.
func (w *weights) Set(text string) error {
	*w = weights{}
	for part := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(part, "=")
		weight, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || strings.TrimSpace(name) == "" {
			return fmt.Errorf("want comma-separated feature=weight pairs, such as skills=.3,text=.2, got %q", part)
		}
		(*w)[strings.TrimSpace(name)] = weight
	}
	return nil
}
