package documents

import (
	"context"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/plaintext"
)

// An Embedder turns short texts into vectors of one space. It must be safe for concurrent use.
type Embedder interface {
	Space() matching.VectorSpace
	// Embed returns the vectors of texts in the same order, with nil for a text that contains no known word.
	Embed(ctx context.Context, texts []string) ([]matching.Vector, error)
}

// MaxSkills limits the skills in a text to embed. More than a few dozen hardly change its vector.
const MaxSkills = 32

// textsVersion is the version of the texts to embed for freelancers, recorded in every index.
const textsVersion = 3

// SpaceOf returns the space of an embedder's vectors for the texts of this package.
func SpaceOf(e Embedder) matching.VectorSpace {
	space := e.Space()
	space.Texts = textsVersion
	return space
}

// profileText returns the text to embed for a freelancer: title, skills and the work that the beginning of the
// description names.
func profileText(f *matching.Freelancer, skills []string, work string) string {
	return Sentences(f.JobTitle, strings.Join(skills[:min(len(skills), MaxSkills)], ", "), work)
}

// modelText returns the text of a freelancer for the model: title and skills, or the same as for the built-in vectors
// if both are missing.
func (p *Preparer) modelText(f *matching.Freelancer, skills []string) string {
	if f.JobTitle == "" && len(skills) == 0 {
		return profileText(f, skills, p.work.beginning(f, skills))
	}
	return Sentences(f.JobTitle, strings.Join(skills[:min(len(skills), MaxSkills)], ", "))
}

// EncoderTextsVersion changes with the texts of EncoderTexts, so that all profiles are encoded again.
const EncoderTextsVersion = 1

// EncoderTexts returns the texts of a freelancer for a sentence encoder: title and skills, and the same with the work
// that the beginning of the description names. As for the built-in vectors, names, places and ages are not part of
// them. The skills are as listed, so that another version of the taxonomy doesn't change all texts.
func (p *Preparer) EncoderTexts(f *matching.Freelancer) (short, whole string) {
	plain := matching.Freelancer{
		Name: f.Name, JobTitle: plaintext.Of(f.JobTitle), Description: withoutRepetition(plaintext.Of(f.Description)),
	}
	var skills []string
	for _, name := range f.Skills {
		if name = plaintext.Of(name); len(skills) < MaxSkills && !slices.Contains(skills, name) {
			skills = append(skills, name)
		}
	}

	short = Sentences(plain.JobTitle, strings.Join(skills, ", "))
	return short, profileText(&plain, skills, p.work.beginning(&plain, skills))
}

// Sentences joins the texts that are not empty.
func Sentences(texts ...string) string {
	var parts []string
	for _, part := range texts {
		if part = strings.TrimRight(part, " .!?"); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ". ")
}
