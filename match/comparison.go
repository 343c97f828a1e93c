package match

import (
	"context"
	"fmt"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/ranking"
)

// A comparison holds the similarities of hits to a brief by a model or by the sentence encoder.
type comparison struct {
	numbers *ranking.SemanticNumbers
	floor   float64            // the cosine of texts that have nothing in common
	of      map[string]float64 // 0 to 1, by id; hits whose profiles are not encoded yet are absent
	encoder Encoder            // nil if a model compares, or nothing does
	brief   matching.Vector    // by the encoder
}

// newComparison returns a comparison of a brief, without hits.
func (e *embedders) newComparison(p *ranking.Profile, meaning *meanings) comparison {
	c := comparison{numbers: &p.Semantic, floor: meaning.modelFloor, of: make(map[string]float64)}
	if meaning.encoded != nil {
		c.encoder = e.encoder
		c.brief = meaning.encoded
		c.floor = e.encoder.Floor()
	}
	return c
}

// compares reports whether the first candidates are compared.
func (r *retrieval) compares() bool { return r.query.Compare != nil || r.comparison.encoder != nil }

// encode adds the similarities of the first candidates by the encoder to the comparison. It must be called when others
// have become the first.
func (r *retrieval) encode(ctx context.Context, snapshot engine.Snapshot) error {
	c := &r.comparison
	if c.encoder == nil {
		return nil
	}

	supposed, _ := snapshot.(engine.Supposed)
	var ids []string
	for _, candidate := range r.candidates[:r.countFirst()] {
		_, known := c.of[candidate.ID]
		switch {
		case known:
		case supposed != nil && supposed.Record().ID == candidate.ID:
			cosine, err := c.encoder.CompareRecord(ctx, c.brief, supposed.Record())
			if err != nil {
				return fmt.Errorf("compare the supposed record with the brief: %w", err)
			}
			c.of[candidate.ID] = c.numbers.Closeness(cosine, c.floor)
		default:
			ids = append(ids, candidate.ID)
		}
	}

	cosines, err := c.encoder.Compare(ctx, snapshot, c.brief, ids)
	if err != nil {
		return fmt.Errorf("compare the hits with the brief: %w", err)
	}
	for i, cosine := range cosines {
		if cosine.Known {
			c.of[ids[i]] = c.numbers.Closeness(cosine.Value, c.floor)
		}
	}

	return nil
}

// countFirst returns the number of candidates that are ordered by the comparison. They come first.
func (r *retrieval) countFirst() int {
	if !r.compares() {
		return 0
	}
	first := min(r.comparison.numbers.Compared, len(r.candidates))
	if first == 0 {
		return 0
	}

	// Those who tie with the last one belong to them. Otherwise, an ID would decide between equals.
	last := r.plain.Score(&r.candidates[first-1])
	for first < len(r.candidates) && r.plain.Score(&r.candidates[first]) == last {
		first++
	}

	return first
}

// compared returns the number of candidates that are ordered by the comparison, how many of them have a similarity, and
// the mean of these.
func (r *retrieval) compared() (first, known int, mean float64) {
	first = r.countFirst()
	for i := range first {
		if similarity, ok := r.comparison.of[r.candidates[i].ID]; ok {
			known++
			mean += similarity
		}
	}
	return first, known, mean / float64(max(1, known))
}

// tradePlace is the place of the profile by which a brief's trade is known or not. The first ones may repeat the brief.
const tradePlace = 3

// trade returns the similarity, 0 to 1, of the brief with the profile in tradePlace by the sentence encoder, or with
// the last one if there are fewer. It is unknown until all of the first candidates are encoded.
func (r *retrieval) trade() matching.Optional[float64] {
	first, known, _ := r.compared()
	if r.comparison.encoder == nil || known == 0 || known < first {
		return matching.Optional[float64]{}
	}

	similarities := make([]float64, first)
	for i := range similarities {
		similarities[i] = r.comparison.of[r.candidates[i].ID]
	}
	slices.Sort(similarities)

	return matching.Some(similarities[max(0, first-tradePlace)])
}

// encoderUse returns how many candidates the sentence encoder has compared; nil if it doesn't take part or nobody
// matches.
func (r *retrieval) encoderUse() *matching.EncoderUse {
	if r.comparison.encoder == nil {
		return nil
	}
	first, known, _ := r.compared()
	if first == 0 {
		return nil
	}
	return &matching.EncoderUse{Compared: known, Of: first}
}

// rank returns the places of all candidates, best first. With a model or an encoder, it orders the first candidates as
// one set; the others follow in their order. They can't score more than any of the first: they are behind them without
// the comparison, and get nothing for it.
//
// Until a profile is encoded, it counts like the mean of the others, so that nobody gains or loses by the order in
// which profiles are encoded.
func (r *retrieval) rank() []ranking.Ranked {
	first, known, mean := r.compared()
	for i := range r.candidates {
		c := &r.candidates[i]
		c.Model = matching.Optional[float64]{}
		c.Unencoded = false
		if i >= first || known == 0 {
			continue
		}

		similarity, ok := r.comparison.of[c.ID]
		if c.Unencoded = !ok; c.Unencoded {
			similarity = mean
		}
		c.Model = matching.Some(similarity)
	}

	ranked := r.scorer.Rank(r.candidates[:first])
	for _, other := range r.scorer.Rank(r.candidates[first:]) {
		other.Index += first
		ranked = append(ranked, other)
	}

	return ranked
}
