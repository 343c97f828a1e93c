package match

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/documents"
	"github.com/freelancer-matching/service/taxonomy"
)

const (
	// maxDerivedSkills limits the skills derived from the text of a brief that lists none. The first ones are used,
	// because briefs begin with what matters.
	maxDerivedSkills = 15
	// beginningBytes is the length of the part of a description that usually states its subject: the first line and a
	// sentence or two.
	beginningBytes = 250
	// minCloseness is the least similarity of a skill that only side words name to the rest of the brief. Lower values
	// keep more of them, .25 loses skills that briefs are about; see docs/adr/0081-side-words.md.
	minCloseness = .2
)

// derive adds the skills that title and description are about: those mentioned at the beginning, and those mentioned
// more than once. A skill mentioned once, further down, is often beside the point and counts only if there is no other.
// So do the skills of sentences about the client. Skills of side words don't count at all, and optional skills are nice
// to have.
func (d *demand) derive(ctx context.Context, reader *briefReader, brief *matching.Brief, optional []string) error {
	subjects := func(description string) []taxonomy.Subject {
		mentioned := reader.taxonomy.Subjects(brief.JobTitle + "\n" + description)
		return slices.DeleteFunc(mentioned, func(subject taxonomy.Subject) bool {
			return subject.Generic || slices.Contains(optional, subject.ID)
		})
	}

	description := strings.TrimSpace(brief.Description)
	mentioned := subjects(reader.background.Without(description))
	if len(mentioned) == 0 {
		mentioned = subjects(description)
	}

	beginning := len(brief.JobTitle) + 1 + beginningBytes
	main := slices.DeleteFunc(slices.Clone(mentioned), func(subject taxonomy.Subject) bool {
		return subject.First >= beginning && subject.Count == 1
	})
	if len(main) == 0 {
		main = mentioned
	}

	skills := make([]requirement, 0, len(main))
	for _, subject := range main[:min(len(main), maxDerivedSkills)] {
		if skill, ok := reader.taxonomy.Skill(subject.ID); ok {
			skills = append(skills, reader.requirement(subject.ID, skill.Name, skill.Name))
		}
	}

	skills, err := reader.withoutSideWords(ctx, skills, brief, d.headline)
	if err != nil {
		return err
	}
	d.skills = append(d.skills, skills...)
	return nil
}

// withoutSideWords returns the derived skills of a brief without those that only its side words name, such as Icon
// Design for "the flavor icons" of a catalog, unless they are close in meaning to the title, the headline and the
// other skills.
func (r *briefReader) withoutSideWords(
	ctx context.Context, skills []requirement, brief *matching.Brief, headline string,
) ([]requirement, error) {
	named := r.namedSkills(brief, headline)
	isNamed := func(skill requirement) bool { return named[skill.id] }
	if r.vectors == nil || !slices.ContainsFunc(skills, func(skill requirement) bool { return !isNamed(skill) }) {
		return skills, nil
	}

	// A skill is compared with the rest of the brief: its own name must not support it.
	var texts []string
	for i, skill := range skills {
		var others []string
		for _, other := range slices.Concat(skills[:i], skills[i+1:]) {
			others = append(others, other.canonical)
		}
		rest := documents.Sentences(brief.JobTitle, headline, headline, strings.Join(others, ", "))
		texts = append(texts, skill.canonical, rest)
	}

	vectors, err := r.vectors.Embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("compare the derived skills with the brief: %w", err)
	}

	var kept []requirement
	for i, skill := range skills {
		name, rest := vectors[2*i], vectors[2*i+1]

		// A text without a known word has no vector, and says nothing against the skill.
		isUnknown := name == nil || rest == nil
		if isNamed(skill) || isUnknown || matching.Cosine(name, rest) >= minCloseness {
			kept = append(kept, skill)
		}
	}

	return kept, nil
}

// namedSkills returns the ids of the skills that the title or the headline mentions, and of those whose name the text
// writes in another way than in lower case. A product such as Kubernetes is named because it is asked for; "icons" and
// "valuations" are common nouns, too.
func (r *briefReader) namedSkills(brief *matching.Brief, headline string) map[string]bool {
	named := make(map[string]bool)
	for _, mention := range r.taxonomy.Extract(brief.JobTitle + "\n" + headline) {
		named[mention.ID] = true
	}

	for _, mention := range r.taxonomy.Extract(brief.Description) {
		first, _ := utf8.DecodeRuneInString(brief.Description[mention.Start:])
		if !unicode.IsLower(first) {
			named[mention.ID] = true
		}
	}

	return named
}

// addOptional adds skills that the text calls nice to have.
func (d *demand) addOptional(reader *briefReader, ids []string) {
	for _, id := range ids {
		skill, ok := reader.taxonomy.Skill(id)
		if !ok || skill.Generic || d.has(id) {
			continue
		}
		d.skills = append(d.skills, reader.requirement(id, skill.Name, skill.Name))
		d.niceToHave = append(d.niceToHave, skill.Name)
	}
}
