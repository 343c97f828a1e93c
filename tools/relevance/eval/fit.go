package eval

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Weights maps feature names to weights.
type Weights map[string]float64

// String formats the weights on one line, sorted by name.
func (w Weights) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(w)) {
		parts = append(parts, fmt.Sprintf("%s %.3f", name, w[name]))
	}
	return strings.Join(parts, ", ")
}

// Rerank sorts the candidates of each answer as if the weights of the given features were multiplied by factors.
// Factors keep what scoring did to the profile's weights for a single brief, such as leaving a feature out. Ties are
// broken by ID. Rerank can't add candidates that the service would find only with the new weights.
func (a Answers) Rerank(factors Weights) Run {
	type place struct {
		id  string
		mix float64
	}

	run := Run{}
	for brief, candidates := range a {
		places := make([]place, len(candidates))
		for i, c := range candidates {
			places[i].id = c.ID
			for _, f := range c.Features {
				part := f.Weight * f.Value
				// Multiplying keeps a weight of 0 that this brief's scoring has set.
				if factor, changed := factors[f.Name]; changed {
					part *= factor
				}
				places[i].mix += part
			}
		}

		slices.SortFunc(places, func(a, b place) int {
			return cmp.Or(cmp.Compare(b.mix, a.mix), cmp.Compare(a.id, b.id))
		})
		ids := make([]string, len(places))
		for i, p := range places {
			ids[i] = p.id
		}

		run[brief] = ids
	}

	return run
}

// Simplex returns all weights of features that add up to sum, in steps of about step, each at least its floor.
func Simplex(features []string, sum, step float64, floors Weights) []Weights {
	units := max(1, int(math.Round(sum/step)))
	unit := sum / float64(units)
	var all []Weights
	var extend func(w Weights, rest []string, left int)
	extend = func(w Weights, rest []string, left int) {
		if len(rest) == 0 {
			if left == 0 {
				all = append(all, maps.Clone(w))
			}
			return
		}

		// The subtrahend keeps a floor that is a whole number of units from being rounded up to the next one.
		least := int(math.Ceil(floors[rest[0]]/unit - 1e-9))
		most := left

		// The last feature takes everything that is left.
		if len(rest) == 1 {
			least = max(least, left)
		}

		for n := least; n <= most; n++ {
			w[rest[0]] = float64(n) * unit
			extend(w, rest[1:], left-n)
		}
	}

	extend(Weights{}, features, units)
	return all
}

// Grid holds the reports of many sets of weights on the same answers. A place is an index into the sets of weights.
type Grid struct {
	weights   []Weights // only the features being varied
	reports   []*Report
	neighbors [][]int // for each place, its neighbors including the place itself
}

// NewGrid reranks and evaluates the answers with each of the weights. The answers must have been ranked with the
// present weights, which must be positive. Two sets of weights are neighbors if moving at most reach of weight between
// features turns one into the other.
func NewGrid(
	answers Answers, present Weights, weights []Weights, reach float64, judgments Judgments, briefs []Brief,
) *Grid {
	g := &Grid{weights: weights}
	for _, w := range weights {
		factors := Weights{}
		for name := range w {
			factors[name] = w[name] / present[name]
		}
		g.reports = append(g.reports, Evaluate(answers.Rerank(factors), judgments, briefs))
		var near []int
		for place, other := range weights {
			if moved(w, other) <= reach+1e-9 {
				near = append(near, place)
			}
		}
		g.neighbors = append(g.neighbors, near)
	}
	return g
}

// moved returns how much weight moves between features from a to b.
func moved(a, b Weights) float64 {
	sum := 0.
	for name := range b {
		sum += math.Abs(a[name] - b[name])
	}
	return sum / 2
}

// Report returns the report of the weights at a place of the grid.
func (g *Grid) Report(place int) *Report { return g.reports[place] }

// Weights returns the weights at a place of the grid.
func (g *Grid) Weights(place int) Weights { return g.weights[place] }

// Briefs returns the sorted IDs of all judged briefs.
func (g *Grid) Briefs() []string { return g.reports[0].briefs }

// Choice is the outcome of a fit. Its fields are places of a grid.
type Choice struct {
	Best  int   // the place with the highest mean nDCG@10
	Place int   // the recommended place: the highest nDCG@10 averaged over its neighbors
	Near  []int // places whose neighbor average is at most Flat below that of Place
}

// Flat is a difference in nDCG@10 too small to detect with a few dozen briefs.
const Flat = .005

// Choose picks weights by their results on the given briefs. It prefers weights whose neighbors do best on average over
// the single best weights: the best ones are fitted to these briefs, and a broad optimum is more likely to hold on
// others. Among equals it picks the first. The grid must not be empty.
func (g *Grid) Choose(briefs []string) Choice {
	single := make([]float64, len(g.reports))
	for place, r := range g.reports {
		single[place] = r.meanNDCG(briefs)
	}
	smooth := make([]float64, len(g.reports))
	for place, near := range g.neighbors {
		for _, neighbor := range near {
			smooth[place] += single[neighbor] / float64(len(near))
		}
	}
	c := Choice{Best: highest(single), Place: highest(smooth)}
	for place, mean := range smooth {
		if mean >= smooth[c.Place]-Flat {
			c.Near = append(c.Near, place)
		}
	}
	return c
}

// highest returns the index of the highest value, the first one among equals.
func highest(values []float64) int { return slices.Index(values, slices.Max(values)) }

// meanNDCG returns the mean nDCG@10 over the given briefs for which it is known, or 0 if it is known for none.
func (r *Report) meanNDCG(briefs []string) float64 {
	sum, known := 0., 0
	for _, brief := range briefs {
		if v := r.results[brief][NDCG10]; v.Known {
			sum += v.Value
			known++
		}
	}
	return sum / float64(max(1, known))
}

// Fold is a part of the briefs, with the place that was chosen without them.
type Fold struct {
	Briefs []string
	Place  int
}

// CrossValidate measures every brief with weights that were chosen only on the other folds.
func (g *Grid) CrossValidate(folds [][]string) (*Report, []Fold) {
	whole := g.reports[0]
	report := &Report{briefs: whole.briefs, categories: whole.categories, results: map[string]Result{}}
	var chosen []Fold
	for i, held := range folds {
		others := slices.Concat(slices.Concat(folds[:i]...), slices.Concat(folds[i+1:]...))
		fold := Fold{Briefs: held, Place: g.Choose(others).Place}
		for _, brief := range held {
			report.results[brief] = g.reports[fold.Place].results[brief]
		}
		chosen = append(chosen, fold)
	}
	return report, chosen
}

// Folds shuffles briefs into k folds, or into one per brief if there are fewer than k. The same briefs give the same
// folds.
func Folds(briefs []string, k int) [][]string {
	shuffled := slices.Clone(briefs)
	rng := rand.New(rand.NewPCG(2025, 2)) //nolint:gosec // folds need a fixed seed, not secrecy
	rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	folds := make([][]string, min(k, len(briefs)))
	for i, brief := range shuffled {
		folds[i%len(folds)] = append(folds[i%len(folds)], brief)
	}
	for _, fold := range folds {
		slices.Sort(fold)
	}
	return folds
}
