// Package wishes finds the skills that the text of a brief excludes or calls nice to have.
package wishes

import (
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/negation"
	"github.com/freelancer-matching/service/taxonomy"
)

// Wishes are what the text of a brief says about skills, apart from asking for them.
type Wishes struct {
	Excluded []string // ids of the skills that are not wanted, not needed, or to be replaced
	Optional []string // ids of the skills that are nice to have
	Because  []string // the words that exclude the skills
}

// A Reader reads the wishes of briefs. It is safe for concurrent use.
type Reader struct {
	taxonomy  *taxonomy.Taxonomy
	negations *negation.Reader
}

// New returns a Reader that knows the skills of a taxonomy. It fails only if its own data is invalid.
func New(skills *taxonomy.Taxonomy) (*Reader, error) {
	negations, err := negation.New()
	if err != nil {
		return nil, err
	}
	return &Reader{skills, negations}, nil
}

// Read reads what the text of a brief, which is in the given language, excludes and calls nice to have. It returns
// the brief without the words of exclusions. A skill that other parts of the text ask for is neither excluded nor
// merely nice to have.
//
// For example, "React developer, no WordPress, Vue is a plus" excludes WordPress because of "no WordPress", and makes
// Vue optional. The title of "WordPress expert" with the same description asks for WordPress, so it isn't excluded.
func (r *Reader) Read(brief *matching.Brief, language analysis.Language) (*matching.Brief, *Wishes) {
	inTitle := r.negations.Read(brief.JobTitle, language)
	inDescription := r.negations.Read(brief.Description, language)
	if len(inTitle)+len(inDescription) == 0 { // as most briefs; finding the skills of a text takes far longer
		return brief, &Wishes{}
	}

	mentions := r.mentions(brief.JobTitle, inTitle)
	mentions = append(mentions, r.mentions(brief.Description, inDescription)...)

	rest := *brief
	rest.JobTitle = withoutExcluded(brief.JobTitle, inTitle)
	rest.Description = withoutExcluded(brief.Description, inDescription)

	return &rest, wishesOf(mentions)
}

// A mention is a place where a text names a skill.
type mention struct {
	skill string         // id
	span  *negation.Span // encloses the skill; nil if no cue is about it
	cue   string         // the words of the cue and its span
}

// mentions finds the skills that a text names, and for each the span that encloses it.
func (r *Reader) mentions(text string, spans []negation.Span) []mention {
	var mentions []mention
	for _, found := range r.taxonomy.Extract(text) {
		m := mention{skill: found.ID}
		i := slices.IndexFunc(spans, func(span negation.Span) bool {
			return span.Start <= found.Start && found.End <= span.End
		})
		if i >= 0 {
			m.span = &spans[i]
			m.cue = strings.TrimSpace(text[m.span.CueStart:m.span.CueEnd])
		}
		mentions = append(mentions, m)
	}
	return mentions
}

// wishesOf returns what the mentions of skills say together.
func wishesOf(mentions []mention) *Wishes {
	var asked, excluded, optional, because []string
	for _, m := range mentions {
		switch {
		case m.span == nil:
			asked = append(asked, m.skill)
		case m.span.Kind == negation.Optional:
			optional = append(optional, m.skill)
		default:
			excluded = append(excluded, m.skill)
			because = append(because, m.cue)
		}
	}
	slices.Sort(because)

	excluded = except(excluded, asked)
	return &Wishes{
		Excluded: excluded,
		Optional: except(optional, slices.Concat(asked, excluded)),
		Because:  slices.Compact(because),
	}
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
