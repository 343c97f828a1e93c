package match

import (
	"slices"
	"strings"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/internal/matching"
	"freelancer-matching/match/negation"
)

// wishes are what the text of a brief says about skills, apart from asking for them.
type wishes struct {
	excluded []string // ids of the skills that are not wanted, not needed, or to be replaced
	optional []string // ids of the skills that are nice to have
	because  []string // the words that exclude the skills
}

// wishes reads what the text of a brief, which is in the given language, excludes and calls nice to have. It returns
// the brief without the words of exclusions. A skill that other parts of the text ask for is neither excluded nor
// merely nice to have.
func (r *briefReader) wishes(brief *matching.Brief, language analysis.Language) (*matching.Brief, wishes) {
	title := r.negations.Read(brief.JobTitle, language)
	description := r.negations.Read(brief.Description, language)
	if len(title)+len(description) == 0 { // as most briefs; finding the skills of a text takes far longer
		return brief, wishes{}
	}

	var w wishes
	var asked []string
	read := func(text string, spans []negation.Span) string {
		for _, m := range r.taxonomy.Extract(text) {
			i := slices.IndexFunc(spans, func(span negation.Span) bool {
				return span.Start <= m.Start && m.End <= span.End
			})
			switch {
			case i < 0:
				asked = append(asked, m.ID)
			case spans[i].Kind == negation.Optional:
				w.optional = append(w.optional, m.ID)
			default:
				w.excluded = append(w.excluded, m.ID)
				w.because = append(w.because, strings.TrimSpace(text[spans[i].CueStart:spans[i].CueEnd]))
			}
		}

		return withoutExcluded(text, spans)
	}

	rest := *brief
	rest.JobTitle = read(brief.JobTitle, title)
	rest.Description = read(brief.Description, description)

	w.excluded = except(w.excluded, asked)
	w.optional = except(w.optional, slices.Concat(asked, w.excluded))
	slices.Sort(w.because)
	w.because = slices.Compact(w.because)

	return &rest, w
}

// withoutExcluded returns a text with spaces in the place of what its spans exclude. Offsets stay the same, and so does
// the punctuation around it.
func withoutExcluded(text string, spans []negation.Span) string {
	rest := []byte(text)
	for _, span := range spans {
		if span.Kind != negation.Excluded {
			continue
		}
		for i := span.CueStart; i < span.CueEnd; i++ {
			rest[i] = ' '
		}
	}
	return string(rest)
}

// except returns the distinct ids of a list that aren't in another one, in order.
func except(ids, others []string) []string {
	var kept []string
	for _, id := range ids {
		if !slices.Contains(others, id) && !slices.Contains(kept, id) {
			kept = append(kept, id)
		}
	}
	return kept
}

// exclude sets the skills that the text excludes. A skill that the client listed is wanted, whatever the text says.
func (d *demand) exclude(w wishes) {
	listed := slices.Clone(d.filterSkills.mustHave)
	for _, r := range d.skills {
		listed = append(listed, r.id)
	}

	d.excluded = except(w.excluded, listed)
	if len(d.excluded) > 0 {
		d.excludedBecause = w.because
	}
}

// filterSkills holds the ids of the skills in the filters of a brief.
type filterSkills struct{ mustHave, exclude []string }

// resolveFilters resolves the skills in filters.
func (d *demand) resolveFilters(reader *briefReader, f *matching.Filters) (skills filterSkills) {
	for _, r := range d.resolveAll(reader, f.MustHaveSkills) {
		skills.mustHave = append(skills.mustHave, r.id)
	}
	for _, r := range d.resolveAll(reader, f.ExcludeSkills) {
		skills.exclude = append(skills.exclude, r.id)
	}
	return skills
}
