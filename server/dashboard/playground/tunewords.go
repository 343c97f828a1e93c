package playground

import (
	"math"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/server/dashboard/page"
)

// tuneSentences says in words what a change of weights does to a list. The scores have the given parts before or after
// it.
func tuneSentences(rows []tunedRow, parts map[string]bool, before, after map[string]float64) (sentences []string) {
	for _, f := range featureFields() {
		from, to := before[f.Feature], after[f.Feature]
		if from == to || !parts[f.Feature] {
			continue
		}
		sentence := f.Label + " " + factorWords(from, to)
		if moved := movedWords(rows, f.Feature, to > from); moved != "" {
			sentence += ": " + moved
		}
		sentences = append(sentences, sentence+".")
	}

	moved, entered := 0, 0
	for _, r := range rows {
		if r.Moved() {
			moved++
		}
		if r.New() {
			entered++
		}
	}
	switch {
	case len(sentences) == 0:
		return nil
	case moved == 0:
		return append(sentences, "Nobody in the list moved.")
	}
	sentence := page.Decimal(0, float64(moved)) + " of " + page.Plural(len(rows), "person", "people") +
		" in the list moved"
	if entered > 0 {
		sentence += ", " + page.Decimal(0, float64(entered)) + " of them from beyond place " + page.Decimal(0, maxRanked)
	}
	return append(sentences, sentence+".")
}

// addParts adds the features that the scores on a card have. A feature whose weight is 0 is no part of a score.
func addParts(parts map[string]bool, cards []card) {
	if len(cards) == 0 {
		return
	}
	for _, s := range cards[0].Segments {
		parts[s.Name] = true
	}
}

// factorWords says how much more or less a weight counts.
func factorWords(from, to float64) string {
	if from == 0 {
		return "counts now"
	}
	switch factor := to / from; {
	case factor == 0:
		return "no longer counts"
	case isAbout(factor, 2):
		return "counts twice as much"
	case isAbout(factor, 3):
		return "counts three times as much"
	case isAbout(factor, .5):
		return "counts half as much"
	case factor >= 1.05:
		return "counts " + page.Decimal(1, factor) + " times as much"
	case factor > 1:
		return "counts a little more"
	case factor > .95:
		return "counts a little less"
	default:
		return "counts " + page.Decimal(0, 100*factor) + " % as much"
	}
}

func isAbout(n, of float64) bool { return math.Abs(n-of) < .05*of }

// movedWords says who moved because a feature counts more or less: those who are good at it, and those who aren't.
func movedWords(rows []tunedRow, feature string, more bool) string {
	words, known := featureWords()[feature]
	if !known {
		return ""
	}
	value := func(r *tunedRow) (float64, bool) {
		for _, s := range r.Segments {
			if s.Name == feature {
				return s.Value, true
			}
		}
		return 0, false
	}
	if feature == "budget" { // lower rates are better
		value = func(r *tunedRow) (float64, bool) { return -r.Freelancer.HourlyRate, r.Rate != "" }
	}

	var all []float64
	for i := range rows {
		if n, ok := value(&rows[i]); ok {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return ""
	}
	slices.Sort(all)
	middle := all[len(all)/2]

	better, worse := 0, 0
	for i := range rows {
		r := &rows[i]
		n, ok := value(r)
		rises := r.New() || r.Up() > 0
		switch {
		case !ok:
		case more && n > middle && rises, !more && n > middle && r.Down() > 0:
			better++
		case more && n < middle && r.Down() > 0, !more && n < middle && rises:
			worse++
		}
	}

	directions := [2]string{"moved up", "moved down"}
	if !more {
		slices.Reverse(directions[:])
	}
	var parts []string
	if better > 0 {
		parts = append(parts, page.Plural(better, "person", "people")+" with "+words[0]+" "+directions[0])
	}
	if worse > 0 {
		parts = append(parts, page.Plural(worse, "person", "people")+" with "+words[1]+" "+directions[1])
	}
	return strings.Join(parts, ", ")
}

// featureWords returns what people have who are good at a feature, and what those who aren't.
func featureWords() map[string][2]string {
	return map[string][2]string{
		"skills":     {"more of the skills", "fewer of the skills"},
		"text":       {"more of the brief’s words", "fewer of the brief’s words"},
		"semantic":   {"a profile closer to the brief", "a profile further from the brief"},
		"budget":     {"lower rates", "higher rates"},
		"timeline":   {"an earlier finish", "a later finish"},
		"experience": {"more fitting experience", "less fitting experience"},
		"quality":    {"better ratings", "lower ratings"},
	}
}
