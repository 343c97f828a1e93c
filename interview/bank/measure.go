package bank

import (
	"slices"
	"strings"
	"unicode"

	"freelancer-matching/interview"
	"freelancer-matching/taxonomy"
)

// A measure holds what was counted in an answer. Its lists of sentences contain indexes.
type measure struct {
	sentences []sentence
	shows     []int  // for each point, the sentence that covers it, or -1
	own       []int  // sentences about the writer's own work
	numbers   []int  // sentences with a number
	results   []int  // sentences with a result
	situation []int  // sentences about a specific situation
	reasons   []int  // sentences with a reason, an order or a condition
	tools     int    // number of skills apart from those in the question
	toolIn    []int  // sentences with the first mention of such a skill
	says      []bool // whether a sentence has any of the above or covers a point
	words     int    // words in sentences that count
	useful    int    // words in sentences with says
	repeated  int    // words in repeated sentences
	copied    int    // words in copied sentences
	all       int    // words in all sentences
	related   int    // distinct stems in common with question and rubric
	keywords  int    // points that only lists of keywords cover
	substance int    // words apart from what the writer does not know and empty phrases
	against   []bool // for each point, whether a sentence rejects it
	taken     []int  // points that each sentence covers
	ignorant  bool   // the writer says that they don't know something
}

// measure counts what an answer contains.
func (j *Judge) measure(q *interview.Question, all []sentence, e *edition, topic map[string]bool) *measure {
	m := &measure{sentences: all, says: make([]bool, len(all)), taken: make([]int, len(all))}
	demands := j.demands(q, e)
	m.shows, m.against = make([]int, len(demands)), make([]bool, len(demands))
	for i := range m.shows {
		m.shows[i] = -1
	}

	// Repeating a skill of the question shows no experience with it.
	named := make(map[string]bool)
	for _, x := range j.bank.taxonomy.Extract(q.Text + " \n " + q.Skill) {
		named[x.ID] = true
	}
	related := make(map[string]bool)

	var open []int // sentences that may cover points
	for i := range all {
		s := &all[i]
		switch {
		case s.repeated:
			m.repeated += len(s.words)
		case s.copied:
			m.copied += len(s.words)
		}

		m.all += len(s.words)
		if !s.counts() || e.words.meta.in(s.words) {
			continue
		}
		m.words += len(s.words)

		// What the writer claims not to know must not count as knowledge.
		claimed := slices.Concat(e.words.known(s.clauses)...)
		s.stems = j.stem(claimed, e)
		m.ignorant = m.ignorant || e.words.ignorance.in(s.words)
		inTopic := func(stem string) bool { return topic[stem] }
		m.particulars(j, i, e, named, slices.ContainsFunc(s.stems[e.language], inTopic))

		// An empty phrase makes a sentence worthless, unless the sentence says something, too.
		if e.words.filler.in(s.words) && !m.says[i] {
			continue
		}
		m.substance += len(claimed)

		for _, stem := range s.stems[e.language] {
			if topic[stem] {
				related[stem] = true
			}
		}

		open = append(open, i)
	}

	x := search{judge: j, edition: e, demands: demands, likes: j.likenesses(all, demands, e), measure: m}
	x.cover(open, len(related))
	for i := range all {
		if m.says[i] {
			m.useful += len(all[i].words)
		}
	}

	m.related = len(related)
	return m
}

// mentioned returns the skills that a sentence mentions. It extracts them once, although every point asks for them.
func (j *Judge) mentioned(s *sentence) *mentioned {
	if s.mentioned != nil {
		return s.mentioned
	}
	s.mentioned = &mentioned{covers: make(map[string]bool), families: make(map[string]bool)}
	for _, x := range j.bank.taxonomy.Extract(s.text) {
		s.mentioned.ids = append(s.mentioned.ids, x.ID)
		skill, _ := j.bank.taxonomy.Skill(x.ID)
		s.mentioned.covers[x.ID] = true
		s.mentioned.families[skill.Family] = true
		for _, implied := range skill.Implies {
			s.mentioned.covers[implied] = true
		}
	}
	return s.mentioned
}

// mentioned holds the skills that a sentence mentions.
type mentioned struct {
	ids      []string        // in the order of the sentence
	covers   map[string]bool // IDs of these skills, and of those that they imply
	families map[string]bool // of these skills; "" if one has none
}

// include reports whether the sentence mentions a skill, another one of its family, or one that implies it.
func (m *mentioned) include(t *taxonomy.Taxonomy, id string) bool {
	want, ok := t.Skill(id)
	return ok && (m.covers[id] || want.Family != "" && m.families[want.Family])
}

// particulars records the details in the i-th sentence. Skills in named don't count, and new ones are added to it.
// Numbers and tools say something only in a sentence that is related to the question.
func (m *measure) particulars(j *Judge, i int, e *edition, named map[string]bool, isRelated bool) {
	s := &m.sentences[i]
	if e.words.ignorance.in(s.words) {
		return // such as "I have never …"
	}
	own := e.words.ownWork(s.exact)
	number := hasNumber(s.words)

	if !own && e.words.filler.in(s.words) {
		return // self-praise, possibly with years of experience
	}

	if own {
		m.own = append(m.own, i)
	}

	if number {
		m.numbers = append(m.numbers, i)
	}

	hasSubstance := own || number
	isResult := hasSubstance && e.words.result.in(s.words) || e.words.changesNumber(s.words)
	if isResult {
		m.results = append(m.results, i)
	}

	situation := e.words.situation.in(s.words)
	reason := e.words.reason.in(s.words)
	if situation {
		m.situation = append(m.situation, i)
	}

	if reason {
		m.reasons = append(m.reasons, i)
	}

	before := m.tools
	for _, id := range j.mentioned(s).ids {
		skill, ok := j.bank.taxonomy.Skill(id)
		isTool := ok && !skill.Generic
		if isTool && !named[id] {
			named[id] = true
			m.tools++
		}
	}

	if m.tools > before {
		m.toolIn = append(m.toolIn, i)
	}
	m.says[i] = own || reason || situation || isRelated && (number || m.tools > before)
}

// hasNumber reports whether one of the words is a number. A single digit at the beginning may be a list number and does
// not count.
func hasNumber(words []string) bool {
	for i, w := range words {
		hasDigit := strings.IndexFunc(w, unicode.IsDigit) >= 0
		isName := strings.IndexFunc(w, unicode.IsLetter) == 0 // such as "h1" and "ga4"
		isListNumber := i == 0 && len(w) == 1
		isNumber := hasDigit && !isName // such as "40", "3x" and "200ms"
		if isNumber && !isListNumber {
			return true
		}
	}
	return false
}

// shown returns the number of covered points. If the writer rejects several others, these are subtracted: the answer
// has the right words, but says the opposite.
func (m *measure) shown() int {
	rejected := 0
	for k, against := range m.against {
		if against && m.shows[k] < 0 {
			rejected++
		}
	}
	shown := len(m.covered())
	if rejected < minRejected {
		return shown
	}
	return max(0, shown-rejected)
}

// acceptsKeyword reports whether another keyword may cover a point: one for every two points that prose covers, and
// beside prose in the same sentence one more.
func (m *measure) acceptsKeyword(besideProse bool) bool {
	accepted := (len(m.covered()) - m.keywords) / 2
	if besideProse {
		accepted++
	}
	return m.keywords < accepted
}

// minRejected is the number of rejected points from which they count against an answer. A good answer may reject one,
// such as a tool that doesn't suit the case.
const minRejected = 2

// covered returns the indexes of the covered points.
func (m *measure) covered() []int {
	var all []int
	for k, s := range m.shows {
		if s >= 0 {
			all = append(all, k)
		}
	}
	return all
}
