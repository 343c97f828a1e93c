package skills

import (
	"math"
	"slices"
	"strings"

	"freelancer-matching/internal/matching"
	"freelancer-matching/taxonomy"
)

// maxSimilar is how many suggestions there are.
const maxSimilar = 5

// How sure it is that a word means what is answered.
const (
	sureNamed   = 1.  // it is a name in the taxonomy
	sureReduced = .9  // it is one but for a plural, a version, or words that add nothing
	sureSeveral = .8  // it names several skills at once
	mostUsed    = .9  // as many freelancers as one likes use it
	halfUsed    = 2.0 // so many make it half of that
)

// question is one word that is asked about.
type question struct {
	service *Service
	used    *usage
	keyword string // single spaces between its words
	key     string
}

// answer tries what says most first: the name of a skill, a job, several skills, what means a skill though it is no name of
// one, and what freelancers say.
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
	if resolved.Known && !q.keepsSigns(resolved.ID) {
		isNamed, resolved.Known = false, false
	}
	switch {
	case isNamed && (!job || taxonomy.Key(named.Name) == q.key):
		q.skills(v, sureNamed, named.ID)
	case job && q.jobTitle(v):
	case q.severalSkills(v):
	case resolved.Known:
		q.skills(v, sureReduced, resolved.ID)
	default:
		q.coined(v)
	}
	if v.Source.Or("") != matching.SourceTaxonomy {
		v.SimilarTerms = q.similar(!v.Exists)
	}
	return v
}

// keepsSigns reports whether a skill may be meant by a keyword with a sign in it that keys leave out, and that tells short
// words apart: "Q&A" is not "QA", but "R&D" is a synonym of its skill.
func (q *question) keepsSigns(id string) bool {
	if !strings.Contains(q.keyword, "&") || strings.Contains(q.keyword, " ") {
		return true
	}
	s, _ := q.service.taxonomy.Skill(id)
	return slices.ContainsFunc(append([]string{s.Name}, s.Synonyms...), func(name string) bool {
		return strings.Contains(name, "&") && taxonomy.Key(name) == q.key
	})
}

// found completes an answer whose lists are filled.
func found(v *matching.Verification, source string, confidence float64) {
	v.Exists, v.Source, v.Confidence = true, matching.Some(source), confidence
	v.Type, v.Matches = matching.Some(matching.TypeSkill), v.Skills
	if len(v.Skills) == 0 {
		v.Type, v.Matches = matching.Some(matching.TypeJobTitle), v.JobTitles
	}
}

// skills answers with skills of the taxonomy, of which one alone is told more of. What is a job title besides is said too.
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
	found(v, matching.SourceTaxonomy, confidence)
}

// jobTitle answers with job titles; ok is false where nobody knows this one.
func (q *question) jobTitle(v *matching.Verification) (ok bool) {
	t := q.service.taxonomy
	canonical, known := t.JobTitle(q.keyword)
	used, isUsed := q.used.titles[taxonomy.Key(t.WithoutSeniority(q.keyword))]
	about := t.Resolve(q.keyword)
	source, confidence := matching.SourceTaxonomy, sureNamed
	switch {
	case known:
		v.JobTitles = []string{canonical}
		if w, ok := q.used.titles[taxonomy.Key(canonical)]; ok {
			v.FreelancerCount = w.freelancers
		}
	case about.Known:
		v.JobTitles, confidence = []string{q.keyword}, sureReduced
		if isUsed {
			v.JobTitles = []string{used.text}
		}
	case isUsed:
		v.JobTitles, source, confidence = []string{used.text}, matching.SourceIndex, sureUsed(used.freelancers)
	default:
		return false
	}
	v.FreelancerCount = max(v.FreelancerCount, used.freelancers)
	if about.Known {
		v.Skill = q.facts(about.ID)
	}
	found(v, source, confidence)
	return true
}

// severalSkills answers with the skills that a compound names: "HTML/CSS", "React (Next.js)". ok is false where
// it is none, or one of its parts is not known.
func (q *question) severalSkills(v *matching.Verification) (ok bool) {
	compound := strings.ContainsAny(q.keyword, "/,;&|(") || slices.Contains(strings.Fields(q.keyword), "and")
	var ids []string
	translations := true
	for _, r := range q.service.taxonomy.ResolveAll(q.keyword) {
		if !r.Known {
			return false
		}
		ids = append(ids, r.ID)
		translations = translations && strings.HasSuffix(r.ID, taxonomy.TranslationSuffix)
	}
	if len(ids) < 2 || !compound && !translations {
		return false
	}
	q.skills(v, sureSeveral, ids...)
	return true
}

// coined answers with what only freelancers say.
func (q *question) coined(v *matching.Verification) {
	if w, ok := q.used.coined[q.key]; ok {
		v.Skills = []string{w.text}
		v.FreelancerCount = w.freelancers
	}
	if w, ok := q.used.titles[q.key]; ok {
		v.JobTitles = []string{w.text}
		v.FreelancerCount = max(v.FreelancerCount, w.freelancers)
	}
	if v.FreelancerCount > 0 {
		found(v, matching.SourceIndex, sureUsed(v.FreelancerCount))
	}
}

// sureUsed is how sure a word is that so many freelancers use, in hundredths: one may have misspelt it.
func sureUsed(freelancers int) float64 {
	n := float64(freelancers)
	return math.Round(100*mostUsed*n/(n+halfUsed)) / 100
}

// similar is what the keyword may have been meant as, or, where that is asked for, begins; of several words, also the skills
// among them.
func (q *question) similar(complete bool) []string {
	terms := best(q.key, maxSimilar+1, complete, q.used, q.service.known(), q.used.words)
	for _, m := range q.service.taxonomy.Extract(q.keyword) {
		if s, ok := q.service.taxonomy.Skill(m.ID); ok {
			terms = append(terms, s.Name)
		}
	}
	terms = slices.DeleteFunc(list(terms...), func(term string) bool { return taxonomy.Key(term) == q.key })
	return terms[:min(len(terms), maxSimilar)]
}

// facts is what the taxonomy knows of a skill.
func (q *question) facts(id string) *matching.SkillFacts {
	t := q.service.taxonomy
	s, _ := t.Skill(id)
	names := func(ids []string) []string {
		found := make([]string, 0, len(ids))
		for _, id := range ids {
			if other, ok := t.Skill(id); ok {
				found = append(found, other.Name)
			}
		}
		return found
	}
	return &matching.SkillFacts{
		ID: s.ID, Name: s.Name, Synonyms: list(s.Synonyms...), Category: s.Category, Broader: names(s.Broader), Related: names(s.Related),
		FreelancerCount: q.used.skills[id],
	}
}
