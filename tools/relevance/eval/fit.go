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

// Weights are the weights of features, by their names.
type Weights map[string]float64

// String is the weights in one line, in the order of the names.
func (w Weights) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(w)) {
		parts = append(parts, fmt.Sprintf("%s %.3f", name, w[name]))
	}
	return strings.Join(parts, ", ")
}

// Rerank orders the candidates of each answer as they would be if the weights of some features were multiplied by these
// factors; those of the others stay. So whatever a score makes of the weights of a profile for one brief, such as leaving
// a feature out, stays as it is. Ties go by id. Who would only be found with the other weights is missing.
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

// Simplex lists the weights of features that add up to sum, in steps of about step, each at least its floor.
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
		least, most := int(math.Ceil(floors[rest[0]]/unit-1e-9)), left
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

// Grid holds what many sets of weights reach on the same answers.
type Grid struct {
	weights    []Weights // of the features that differ
	reports    []*Report
	neighbours [][]int // of each place, itself among them
}

// NewGrid reranks the answers by each of the weights in place of the present ones, with which they were given and which
// must be above 0. Neighbours are weights that differ by at most reach: so much, in all, is taken from some features and
// given to others.
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
		g.neighbours = append(g.neighbours, near)
	}
	return g
}

// moved is how much weight is taken from some features and given to others.
func moved(a, b Weights) float64 {
	sum := 0.
	for name := range b {
		sum += math.Abs(a[name] - b[name])
	}
	return sum / 2
}

// Report is what the weights at a place of the grid reach.
func (g *Grid) Report(place int) *Report { return g.reports[place] }

// Weights are those at a place of the grid.
func (g *Grid) Weights(place int) Weights { return g.weights[place] }

// Briefs are all judged briefs, in the order of their ids.
func (g *Grid) Briefs() []string { return g.reports[0].briefs }

// Choice is the outcome of a fit, as places of a grid.
type Choice struct {
	Best  int   // highest mean nDCG@10
	Place int   // highest mean nDCG@10 of its whole neighbourhood: the one to take
	Near  []int // whose neighbourhoods are at most Flat below that of Place
}

// Flat is a difference of nDCG@10 that some tens of briefs cannot show.
const Flat = .005

// Choose fits on some briefs. It takes the weights whose neighbours do best on average in place of the best ones, which
// owe their place to these very briefs: on others, what is good all around is more likely to hold. Of equals it takes
// the first. The grid must not be empty.
func (g *Grid) Choose(briefs []string) Choice {
	single := make([]float64, len(g.reports))
	for place, r := range g.reports {
		single[place] = r.meanNDCG(briefs)
	}
	smooth := make([]float64, len(g.reports))
	for place, near := range g.neighbours {
		for _, neighbour := range near {
			smooth[place] += single[neighbour] / float64(len(near))
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

// highest is the index of the first of the highest values.
func highest(values []float64) int { return slices.Index(values, slices.Max(values)) }

// meanNDCG is the mean nDCG@10 of those of some briefs where it is known; 0 without any.
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

// Fold is a part of the briefs, and the place that was chosen without them.
type Fold struct {
	Briefs []string
	Place  int
}

// CrossValidate measures every brief with weights that were fitted on the other folds alone.
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

// Folds deals briefs into k folds by chance, always the same for the same briefs; k is lowered to the number of briefs.
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
