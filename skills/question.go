package skills

import (
	"math"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/taxonomy"
)

// maxSimilar is the maximum number of suggestions.
const maxSimilar = 5

// The confidence that a word means what the answer says.
const (
	confidenceNamed   = 1.  // it is a name in the taxonomy
	confidenceReduced = .9  // it is one after removing a plural, a version or words that add nothing
	confidenceSeveral = .8  // it names several skills
	maxIndexed        = .9  // limit for a word that many freelancers of the index use
	halfIndexed       = 2.0 // number of freelancers at which a word reaches half of maxIndexed
)

// A question is one word to verify.
type question struct {
	service *Service
	used    *usage
	keyword string // the word with single spaces
	key     string // taxonomy.Key of keyword
}

// answer tries the most specific interpretations first: the name of a skill, a job title, several skills, a word that
// resolves to a skill, and a word that only freelancers use.
func (q *question) answer() *matching.Verification {
	t := q.service.taxonomy
	v := &matching.Verification{
		Matches: []string{}, Skills: []string{}, JobTitles: []string{}, SimilarTerms: []string{},
	}

	if q.key == "" {
		return v
	}

	named, isNamed := t.Named(q.keyword)
	job := t.NamesJob(q.keyword)
	resolved := t.Resolve(q.keyword)

	// Keys leave out the ampersand, but "Q&A" must not be answered with what is known about "QA".
	if resolved.Known && !q.keepsSigns(resolved.ID) {
		isNamed = false
		resolved.Known = false
	}

	switch {
	// A word that names both a skill and a job is the skill only if it's written as the skill's name.
	case isNamed && (!job || taxonomy.Key(named.Name) == q.key):
		q.skills(v, confidenceNamed, named.ID)
	case job && q.jobTitle(v):
	case q.severalSkills(v):
	case resolved.Known:
		q.skills(v, confidenceReduced, resolved.ID)
	default:
		q.indexedWord(v)
	}

	if v.Source.Or("") != matching.SourceTaxonomy {
		v.SimilarTerms = q.similar(!v.Exists)
	}

	return v
}

// keepsSigns reports whether a skill can be what the keyword means, given that keys leave out the ampersand, which
// distinguishes short words: "Q&A" is not "QA", but "R&D" is a synonym of its skill.
func (q *question) keepsSigns(id string) bool {
	if !strings.Contains(q.keyword, "&") || strings.Contains(q.keyword, " ") {
		return true
	}
	s, _ := q.service.taxonomy.Skill(id)
	return slices.ContainsFunc(append([]string{s.Name}, s.Synonyms...), func(name string) bool {
		return strings.Contains(name, "&") && taxonomy.Key(name) == q.key
	})
}

// complete sets the remaining fields of an answer from its skills and job titles.
func complete(v *matching.Verification, source string, confidence float64) {
	v.Exists = true
	v.Source = matching.Some(source)
	v.Confidence = confidence

	// An answer with both is about the skills.
	if len(v.Skills) > 0 {
		v.Type = matching.Some(matching.TypeSkill)
		v.Matches = v.Skills
	} else {
		v.Type = matching.Some(matching.TypeJobTitle)
		v.Matches = v.JobTitles
	}
}

// skills answers with skills of the taxonomy, and with details if there is only one. It also names the job title if the
// word is one.
func (q *question) skills(v *matching.Verification, confidence float64, ids ...string) {
	t := q.service.taxonomy
	for _, id := range ids {
		s, _ := t.Skill(id)
		v.Skills = append(v.Skills, s.Name)
		v.FreelancerCount = max(v.FreelancerCount, q.used.skills[id])
	}
	if len(ids) == 1 {
		v.Skill = q.facts(ids[0])
	}
	if title, known := t.JobTitle(q.keyword); known {
		v.JobTitles = []string{title}
	}
	complete(v, matching.SourceTaxonomy, confidence)
}

// jobTitle answers with a job title. It returns false if neither the taxonomy nor the index knows the title.
func (q *question) jobTitle(v *matching.Verification) (ok bool) {
	t := q.service.taxonomy
	canonical, isListed := t.JobTitle(q.keyword)
	inIndex, isInIndex := q.used.titles[taxonomy.Key(t.WithoutSeniority(q.keyword))]
	skill := t.Resolve(q.keyword) // the skill in the title: React in "React developer"

	title := q.keyword
	source := matching.SourceTaxonomy
	confidence := confidenceNamed
	freelancers := inIndex.freelancers
	switch {
	case isListed:
		title = canonical
		// The freelancers with the canonical title may be the same people, so the two numbers aren't added.
		freelancers = max(freelancers, q.used.titles[taxonomy.Key(canonical)].freelancers)

	// A title that the taxonomy doesn't list can still contain a skill that it knows.
	case skill.Known:
		confidence = confidenceReduced
		if isInIndex {
			title = inIndex.text
		}

	case isInIndex:
		title = inIndex.text
		source = matching.SourceIndex
		confidence = indexedConfidence(inIndex.freelancers)
	default:
		return false
	}

	v.JobTitles = []string{title}
	v.FreelancerCount = freelancers
	if skill.Known {
		v.Skill = q.facts(skill.ID)
	}

	complete(v, source, confidence)

	return true
}

// severalSkills answers with the skills of a compound: "HTML/CSS", "React (Next.js)". It returns false if the word is
// no compound or a part of it is unknown.
func (q *question) severalSkills(v *matching.Verification) (ok bool) {
	var ids []string
	onlyTranslations := true
	for _, r := range q.service.taxonomy.ResolveAll(q.keyword) {
		if !r.Known {
			return false
		}
		ids = append(ids, r.ID)
		onlyTranslations = onlyTranslations && strings.HasSuffix(r.ID, taxonomy.TranslationSuffix)
	}

	// A pair of languages means several translations without such a separator: "Spanish-French translation".
	isSeparated := strings.ContainsAny(q.keyword, "/,;&|(") || slices.Contains(strings.Fields(q.keyword), "and")
	isCompound := isSeparated || onlyTranslations
	if len(ids) < 2 || !isCompound {
		return false
	}

	q.skills(v, confidenceSeveral, ids...)
	return true
}

// indexedWord answers with skills and job titles that only freelancers use.
func (q *question) indexedWord(v *matching.Verification) {
	if w, ok := q.used.unknownSkills[q.key]; ok {
		v.Skills = []string{w.text}
		v.FreelancerCount = w.freelancers
	}
	if w, ok := q.used.titles[q.key]; ok {
		v.JobTitles = []string{w.text}
		v.FreelancerCount = max(v.FreelancerCount, w.freelancers)
	}
	if v.FreelancerCount > 0 {
		complete(v, matching.SourceIndex, indexedConfidence(v.FreelancerCount))
	}
}

// indexedConfidence returns the confidence in a word that the given number of freelancers use, rounded to hundredths.
// It is low for few freelancers, because they may have misspelled the word.
func indexedConfidence(freelancers int) float64 {
	n := float64(freelancers)
	return math.Round(100*maxIndexed*n/(n+halfIndexed)) / 100
}

// similar returns what the keyword could stand for and, if complete is set, words that start with it. It includes the
// skills that a keyword of several words mentions.
func (q *question) similar(complete bool) []string {
	terms := suggestions(q.key, maxSimilar+1, complete, q.used, q.service.known(), q.used.words)
	for _, m := range q.service.taxonomy.Extract(q.keyword) {
		if s, ok := q.service.taxonomy.Skill(m.ID); ok {
			terms = append(terms, s.Name)
		}
	}
	terms = slices.DeleteFunc(distinct(terms...), func(term string) bool { return taxonomy.Key(term) == q.key })
	return terms[:min(len(terms), maxSimilar)]
}

// facts returns what the taxonomy knows about a skill.
func (q *question) facts(id string) *matching.SkillFacts {
	t := q.service.taxonomy
	s, _ := t.Skill(id)
	// A list must be [] rather than null in JSON.
	names := func(ids []string) []string {
		result := make([]string, 0, len(ids))
		for _, id := range ids {
			if other, ok := t.Skill(id); ok {
				result = append(result, other.Name)
			}
		}

		return result
	}

	return &matching.SkillFacts{
		ID:              s.ID,
		Name:            s.Name,
		Synonyms:        distinct(s.Synonyms...),
		Category:        s.Category,
		Broader:         names(s.Broader),
		Related:         names(s.Related),
		FreelancerCount: q.used.skills[id],
	}
}
