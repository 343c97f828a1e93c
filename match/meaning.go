package match

import (
	"context"
	"strings"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
)

// Embedder turns short texts into vectors of one space. It must be safe for concurrent use.
type Embedder interface {
	Space() matching.VectorSpace
	// Embed is the vectors of texts, in their order; nil for a text without words.
	Embed(ctx context.Context, texts []string) ([]matching.Vector, error)
}

const (
	// shortSkills bounds the skills of a short text: after some dozens the direction of a sum no longer moves.
	shortSkills = 32
	// derivedShortSkills is how many of the skills found in a brief's text say what it is about.
	derivedShortSkills = 5
)

// profileText says in a few words what a freelancer does: title and skills, or the beginning of the description where
// both are missing.
func profileText(f matching.Freelancer, skills []string) string {
	if f.JobTitle == "" && len(skills) == 0 {
		return headline(f.Description)
	}
	return shortText(f.JobTitle, "", skills[:min(len(skills), shortSkills)])
}

// shortText says in a few words what the brief is about: title, first line and skills, in the order of their ids.
func (d *demand) shortText(b *matching.Brief) string {
	most := shortSkills
	if d.derived {
		most = derivedShortSkills
	}
	var names []string
	for _, r := range d.ordered()[:min(d.required, most)] {
		names = append(names, r.canonical)
	}
	return shortText(b.JobTitle, headline(b.Description), names)
}

func shortText(title, headline string, skills []string) string {
	var parts []string
	for _, part := range []string{title, headline, strings.Join(skills, ", ")} {
		if part = strings.TrimRight(part, " .!?"); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ". ")
}

// meaning is the semantic clause of a brief: by the first embedder whose space the index has and that answers; nil where
// none can say anything. What kept an earlier one from it is told.
func (s *Service) meaning(
	ctx context.Context, spaces []matching.VectorSpace, text string,
) (*engine.SemanticClause, []matching.Skipped) {
	var skipped []matching.Skipped
	skip := func(reason string) { skipped = append(skipped, matching.Skipped{Feature: "semantic", Reason: reason}) }
	for _, e := range s.embedders {
		space := e.Space()
		number := find(spaces, space)
		if number < 0 {
			skip("the index has no vectors of model " + space.Model)
			continue
		}
		vectors, err := e.Embed(ctx, []string{text})
		if err != nil {
			s.log.WarnContext(ctx, "no vector for the brief", "model", space.Model, "error", err)
			skip("model " + space.Model + " made no vector of the brief")
			continue
		}
		if vectors[0] == nil {
			continue
		}
		for i := range skipped {
			skipped[i].Reason += "; compared by model " + space.Model + " instead"
		}
		return &engine.SemanticClause{
			Space: number, Vector: vectors[0], Floor: spaces[number].Floor, Ceiling: 1,
		}, skipped
	}
	return nil, skipped
}

// find is the number of a space among those of an index, or -1. The scale of the cosines is the index's own.
func find(spaces []matching.VectorSpace, wanted matching.VectorSpace) int {
	for i, space := range spaces {
		if space.Model == wanted.Model && space.Dimensions == wanted.Dimensions {
			return i
		}
	}
	return -1
}
