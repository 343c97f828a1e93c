package documents

import (
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/embedding"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/textcache"
	"github.com/freelancer-matching/service/taxonomy"
)

const (
	// minSupport is the cosine from which a title or the beginning of a description supports a listed skill. On the judged
	// briefs, .25 to .45 give the same nDCG@10 within .005.
	minSupport = .4
	// minAkin is the cosine from which a skill that the texts support supports another one.
	minAkin = .6
	// cachedNames limits the cache of vectors of titles and skills.
	cachedNames = 1 << 16
)

// A supporter judges whether the texts of a profile support its listed skills.
type supporter struct {
	taxonomy *taxonomy.Taxonomy
	analyzer *analysis.Analyzer
	model    *embedding.Model // nil: every skill is supported
	vectors  *textcache.Cache[matching.Vector]
}

func newSupporter(t *taxonomy.Taxonomy, a *analysis.Analyzer, embedders []Embedder) supporter {
	s := supporter{taxonomy: t, analyzer: a, vectors: textcache.New[matching.Vector](cachedNames)}
	for _, e := range embedders {
		if model, ok := e.(*embedding.Model); ok {
			s.model = model
		}
	}
	return s
}

// A profileTexts holds what the texts of a profile say.
type profileTexts struct {
	title             string
	work              string            // see workVocabulary.beginning
	language          analysis.Language // of the description
	skills            []engine.Skill    // found in title and description
	titleTerms, terms []string          // of title and description
}

// A support is how the texts of a profile support a listed skill.
type support uint8

const (
	supported    support = iota
	unsupported          // the texts are about other work, of the same field or of an unknown one
	contradicted         // the texts are about work of other fields
)

// judge returns the support for each listed skill. The texts support a skill if they name it, a skill of its family or
// one that either implies the other, if they contain its words, or if it is close to them in meaning. A skill that is
// close to a supported one is supported, too.
//
// Texts that support none of the skills say too little to judge any, and so do texts in other languages, of which the
// vectors know fewer words. Languages go with any trade, so that they need no support and give none. The vectors don't
// know that Kubernetes and Terraform go together, so that only a skill of another field is contradicted. Nobody's name
// or origin takes part.
func (s *supporter) judge(listed []taxonomy.Resolution, texts *profileTexts) []support {
	result := make([]support, len(listed)) // supported, until it turns out otherwise

	// A skill that the texts support supports others in turn.
	supporting := supportingSkills{
		ids:     make([]string, 0, len(listed)),
		vectors: make([]matching.Vector, 0, len(listed)),
	}
	remaining := make([]int, 0, len(listed)) // indexes of skills without support so far
	for i, skill := range listed {
		switch {
		case s.isLanguage(skill.ID):
		case s.named(&skill, texts) || s.contained(skill.Name, texts):
			supporting.add(skill.ID, s.vector(skill.Name))
		default:
			remaining = append(remaining, i)
		}
	}

	for _, text := range []string{texts.title, texts.work} {
		if len(remaining) == 0 {
			return result
		}

		meaning := []matching.Vector{s.vector(text)}
		remaining = slices.DeleteFunc(remaining, func(i int) bool {
			skill := s.vector(listed[i].Name)
			isSupported := near(skill, meaning, minSupport)
			if isSupported {
				supporting.add(listed[i].ID, skill)
			}
			return isSupported
		})
	}

	textsSayEnough := len(supporting.ids) > 0 && texts.language == analysis.English
	if len(remaining) == 0 || !textsSayEnough {
		return result
	}

	// A skill that belongs to no field isn't of the same field as itself.
	withField := slices.DeleteFunc(supporting.ids, func(id string) bool { return !s.taxonomy.SameField(id, id) })
	for _, i := range remaining {
		if !near(s.vector(listed[i].Name), supporting.vectors, minAkin) {
			result[i] = s.compareFields(listed[i].ID, withField)
		}
	}

	return result
}

// A supportingSkills holds the listed skills that the texts of a profile support.
type supportingSkills struct {
	ids     []string
	vectors []matching.Vector
}

func (s *supportingSkills) add(id string, vector matching.Vector) {
	s.ids = append(s.ids, id)
	s.vectors = append(s.vectors, vector)
}

// compareFields judges a skill without support by the supported skills that belong to a field: it is contradicted if
// they are all of other fields, and unsupported if one is of its field or the fields are unknown.
func (s *supporter) compareFields(id string, supported []string) support {
	sameField := func(other string) bool { return s.taxonomy.SameField(id, other) }

	fieldsKnown := len(supported) > 0 && sameField(id)
	if fieldsKnown && !slices.ContainsFunc(supported, sameField) {
		return contradicted
	}
	return unsupported
}

// near reports whether a vector has at least the given cosine with one of the others. A name without a known word is
// near everything.
func near(v matching.Vector, others []matching.Vector, least float64) bool {
	return v == nil || slices.ContainsFunc(others, func(other matching.Vector) bool {
		return matching.Cosine(v, other) >= least
	})
}

// isLanguage reports whether a skill is a language, or translation from or into one.
func (s *supporter) isLanguage(id string) bool {
	skill, _ := s.taxonomy.Skill(id)
	return skill.Category == "Languages" || skill.Category == "Translation and languages"
}

// named reports whether the texts name a skill, or another one that shows it.
func (s *supporter) named(r *taxonomy.Resolution, texts *profileTexts) bool {
	skill, _ := s.taxonomy.Skill(r.ID)
	return slices.ContainsFunc(texts.skills, func(told engine.Skill) bool {
		if told.ID == r.ID || slices.Contains(skill.Implies, told.ID) {
			return true
		}
		other, ok := s.taxonomy.Skill(told.ID)
		return ok && (skill.Family != "" && other.Family == skill.Family || slices.Contains(other.Implies, r.ID))
	})
}

// contained reports whether the texts contain all words of a name.
func (s *supporter) contained(name string, texts *profileTexts) bool {
	words := s.analyzer.AppendName(nil, name)
	return !slices.ContainsFunc(words, func(word string) bool {
		return !slices.Contains(texts.titleTerms, word) && !slices.Contains(texts.terms, word)
	})
}

// vector returns the vector of a text, nil if it contains no known word or there is no model. Those of short texts are
// cached.
func (s *supporter) vector(text string) matching.Vector {
	if s.model == nil {
		return nil
	}
	if v := s.vectors.Get(text); v != nil {
		return *v
	}
	v := s.model.Vector(text)
	if len(text) > maxCachedTitle {
		return v
	}
	return *s.vectors.Put(text, v)
}
