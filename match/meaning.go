package match

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/tracing"
	"github.com/freelancer-matching/service/match/documents"
)

const (
	// derivedShortSkills takes the place of documents.MaxSkills for skills derived from a brief's text, whose first ones
	// matter most.
	derivedShortSkills = 5
	// hitCloseness is the closeness in meaning above which a freelancer is a hit without a shared word or skill. About one
	// of 20 pairs of unrelated texts is closer.
	hitCloseness = .2
)

// shortText returns the text to embed for a brief: title, headline and required skills. The headline occurs twice,
// because it states the subject, and lists of skills are long.
func (d *demand) shortText(brief *matching.Brief) string {
	limit := documents.MaxSkills
	if d.derived {
		limit = derivedShortSkills
	}
	var names []string
	ordered := d.ordered()
	for _, r := range ordered[:min(len(ordered), limit)] {
		names = append(names, r.canonical)
	}
	return documents.Sentences(brief.JobTitle, d.headline, d.headline, strings.Join(names, ", "))
}

// longText returns the text of a brief for the model: title, required skills and description. A model reads whole
// sentences, so it gets more of the brief than the built-in vectors. Skills precede the description, of which only the
// beginning is sent if it is long.
func (d *demand) longText(brief *matching.Brief) string {
	var names []string
	if !d.derived { // otherwise the text contains them
		ordered := d.ordered()
		for _, r := range ordered[:min(len(ordered), documents.MaxSkills)] {
			names = append(names, r.canonical)
		}
	}
	return documents.Sentences(brief.JobTitle, strings.Join(names, ", "), brief.Description)
}

// An Encoder compares briefs with profiles that were encoded in the background. It must be safe for concurrent use.
type Encoder interface {
	// Brief returns the vector of a brief's text.
	Brief(ctx context.Context, text string) (matching.Vector, error)
	// Compare returns the cosine of a brief's vector with the profile of each freelancer, in the same order. It is unknown
	// for those that are not encoded yet.
	Compare(
		ctx context.Context, snapshot engine.Snapshot, brief matching.Vector, ids []string,
	) ([]matching.Optional[float64], error)
	// CompareRecord returns the cosine of a brief's vector with a profile that the index doesn't have.
	CompareRecord(ctx context.Context, brief matching.Vector, f *matching.Freelancer) (float64, error)
	// Floor returns the cosine, below 1, up to which a brief and a profile have nothing in common.
	Floor() float64
	// Name returns the name of the model, with the version of the texts of profiles.
	Name() string
}

// embedders turn briefs into vectors. Each of them may be nil; see Config.
type embedders struct {
	vectors documents.Embedder // to find freelancers by
	model   documents.Embedder // to compare the best of them by
	encoder Encoder            // to compare the best of them by, in place of model
	log     *slog.Logger
}

// meanings holds the vectors of a brief for a search.
type meanings struct {
	semantic   *engine.SemanticClause // to find freelancers by; nil if there is no vector
	compare    *engine.CompareClause  // to compare the best of them by, with the model; nil if there is no vector
	modelFloor float64                // the model's matching.VectorSpace.Floor
	encoded    matching.Vector        // the same by the sentence encoder
	skipped    []matching.Skipped
}

// meanings embeds a brief with the embedder and the model, if the index has their vectors, and with the encoder.
func (e *embedders) meanings(
	ctx context.Context, spaces []matching.VectorSpace, brief *matching.Brief, d *demand,
) (meaning meanings) {
	if space, vector := e.embed(ctx, e.vectors, spaces, d.shortText(brief), &meaning); vector != nil {
		meaning.semantic = &engine.SemanticClause{
			Space:   space,
			Vector:  vector,
			Floor:   spaces[space].Floor, // of the index, whose documents it was measured on
			Ceiling: 1,
			Hit:     hitCloseness,
		}
	}
	if space, vector := e.embed(ctx, e.model, spaces, d.longText(brief), &meaning); vector != nil {
		meaning.compare = &engine.CompareClause{Space: space, Vector: vector}
		meaning.modelFloor = spaces[space].Floor
	}

	text := d.longText(brief)
	if e.encoder == nil || text == "" {
		return meaning
	}
	encodeCtx, span := tracing.Start(ctx, "encode")
	encoded, err := e.encoder.Brief(encodeCtx, text)
	span.End(err)

	if err != nil {
		e.log.WarnContext(ctx, "brief not encoded", "error", err)
		meaning.skipped = append(meaning.skipped, matching.Skipped{
			Feature: "semantic", Reason: "the sentence encoder failed; the order is by the built-in vectors alone",
		})
		return meaning
	}
	meaning.encoded = encoded

	return meaning
}

// embed returns the number of an embedder's space in the index and the vector of a text. The vector is nil if there is
// none, and unless that is because the text has no known word, m.skipped says why.
func (e *embedders) embed(
	ctx context.Context, embedder documents.Embedder, spaces []matching.VectorSpace, text string, meaning *meanings,
) (number int, vector matching.Vector) {
	if embedder == nil {
		return 0, nil
	}

	space := documents.SpaceOf(embedder)
	skip := func(reason string) {
		if embedder == e.model {
			reason += "; the order is by the built-in vectors alone"
		}
		meaning.skipped = append(meaning.skipped, matching.Skipped{Feature: "semantic", Reason: reason})
	}

	// A model of the same name with other dimensions, or with other texts, has vectors that can't be compared.
	number = slices.IndexFunc(spaces, func(s matching.VectorSpace) bool {
		return s.Model == space.Model && s.Dimensions == space.Dimensions
	})
	if number < 0 {
		skip("the index has no vectors of model " + space.Model)
		return 0, nil
	}

	if spaces[number].Texts != space.Texts {
		skip("the vectors of model " + space.Model + " in the index are of an earlier version; run indexer reindex")
		return 0, nil
	}

	embedCtx, span := tracing.Start(ctx, "embed", tracing.String("model", space.Model))
	vectors, err := embedder.Embed(embedCtx, []string{text})
	span.End(err)

	if err != nil {
		e.log.WarnContext(ctx, "brief not embedded", "model", space.Model, "error", err)
		skip("model " + space.Model + " did not return a vector for the brief")
		return 0, nil
	}

	return number, vectors[0]
}
