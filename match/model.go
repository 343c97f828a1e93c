package match

import (
	"strings"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/ranking"
)

// longText returns the text of a brief for the model: title, required skills and description. A model reads whole
// sentences, so it gets more of the brief than the built-in vectors. Skills precede the description, of which only the
// beginning is sent if it is long.
func (d *demand) longText(brief *matching.Brief) string {
	var names []string
	if !d.derived { // otherwise the text contains them
		ordered := d.ordered()
		for _, r := range ordered[:min(len(ordered), shortSkills)] {
			names = append(names, r.canonical)
		}
	}
	return sentences(brief.JobTitle, strings.Join(names, ", "), brief.Description)
}

// modelText returns the text of a freelancer for the model: title and skills, or the same as for the built-in vectors
// if both are missing.
func (p *Preparer) modelText(f *matching.Freelancer, skills []string) string {
	if f.JobTitle == "" && len(skills) == 0 {
		return profileText(f, skills, p.work.beginning(f, skills))
	}
	return sentences(f.JobTitle, strings.Join(skills[:min(len(skills), shortSkills)], ", "))
}

// A comparison holds the similarities of hits to a brief by a model.
type comparison struct {
	numbers *ranking.SemanticNumbers
	floor   float64            // the model's matching.VectorSpace.Floor
	of      map[string]float64 // 0 to 1, by id
}

func newComparison(p *ranking.Profile, floor float64) comparison {
	return comparison{numbers: &p.Semantic, floor: floor, of: make(map[string]float64)}
}

func (c *comparison) add(hit *engine.Hit) { c.of[hit.ID] = c.numbers.Closeness(hit.Compared, c.floor) }

// rank returns the places of all candidates, best first. With a model, it compares the first candidates and orders them
// as one set; the others follow in their order. They can't score more than any of the first: they are behind them
// without the model, and get nothing for it.
func (r *retrieval) rank() []ranking.Ranked {
	compared := 0
	if r.query.Compare != nil {
		compared = min(r.comparison.numbers.Compared, len(r.candidates))
	}
	for i := range r.candidates {
		c := &r.candidates[i]
		if c.Model = (matching.Optional[float64]{}); i < compared {
			c.Model = matching.Some(r.comparison.of[c.ID])
		}
	}
	ranked := r.scorer.Rank(r.candidates[:compared])
	for _, other := range r.scorer.Rank(r.candidates[compared:]) {
		other.Index += compared
		ranked = append(ranked, other)
	}
	return ranked
}
