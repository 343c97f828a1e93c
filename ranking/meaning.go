package ranking

import (
	"fmt"
	"strings"
)

// A meaningScorer values the similarity in meaning of brief and profile.
type meaningScorer struct {
	// factor multiplies the weight of the feature: the model's weight is added to that of the built-in vectors.
	factor float64
	// modelShare is the share of Candidate.Model in the value; the rest is Candidate.Semantic's.
	modelShare float64
	model      string // what summaries call the model
	compared   int    // see SemanticNumbers
}

// newMeaningScorer returns the scorer for the vectors that a request can be compared by.
func newMeaningScorer(p *Profile, r *Request) meaningScorer {
	m := meaningScorer{model: "the embeddings server's model", compared: p.Semantic.Compared}
	modelWeight := 0.
	if r.HasModel {
		modelWeight = p.Semantic.Model
	}
	if r.HasEncoder {
		m.model = "the sentence encoder"
		modelWeight = p.Semantic.Encoder
	}
	if r.HasSemantic {
		m.factor = 1
	}

	m.factor += modelWeight
	if m.factor > 0 {
		m.modelShare = modelWeight / m.factor
	}

	return m
}

// value returns the similarity, 0 to 1.
func (m *meaningScorer) value(c *Candidate) float64 {
	return (1-m.modelShare)*c.Semantic + m.modelShare*c.Model.Value
}

// summary describes the similarity in meaning, and how it is composed if a model takes part.
func (m *meaningScorer) summary(c *Candidate, value float64) string {
	text := "brief and profile have nothing in common in meaning"
	switch {
	case value >= .75:
		text = "brief and profile mean nearly the same"
	case value >= .5:
		text = "brief and profile are close in meaning"
	case value >= .25:
		text = "brief and profile are related in meaning"
	case value > 0:
		text = "brief and profile are far apart in meaning"
	}

	if m.modelShare == 0 {
		return text
	}

	// The value has two sources with a model, and the client should see both.
	var parts []string
	if m.modelShare < 1 {
		parts = append(parts, decimal(c.Semantic, 3)+" by the built-in vectors")
	}

	switch {
	case c.Unencoded:
		parts = append(parts, fmt.Sprintf("not read by %s yet; until then, the profile counts like the mean of the others, "+
			"%s", m.model, decimal(c.Model.Value, 3)))
	case c.Model.Known:
		parts = append(parts, decimal(c.Model.Value, 3)+" by "+m.model)
	default:
		parts = append(parts, fmt.Sprintf("not compared by %s, which compares the best %d only", m.model, m.compared))
	}

	return text + ": " + strings.Join(parts, ", ")
}
