package bank

import (
	"slices"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/interview"
	"github.com/freelancer-matching/service/taxonomy"
)

// A measure holds what was counted in an answer. Its lists of sentences contain indexes.
type measure struct {
	sentences []sentence
	shows     []int  // for each point, the sentence that covers it, or noSentence
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

// measure counts what an answer contains. topic has the stems of the question and its rubric.
func (j *Judge) measure(q *interview.Question, all []sentence, e *edition, topic map[string]bool) *measure {
	demands := j.demands(q, e)
	m := newMeasure(all, len(demands))
	m.countWords()

	named := j.skillsOf(q)
	var mayCover []int // the sentences that may cover points
	inCommon := make(map[string]bool)
	for i := range all {
		s := &all[i]
		if !s.counts() || e.words.meta.in(s.words) {
			continue
		}
		m.words += len(s.words)
		m.ignorant = m.ignorant || e.words.ignorance.in(s.words)

		// What the writer claims not to know must not count as knowledge.
		claimed := slices.Concat(e.words.known(s.clauses)...)
		s.stems = j.stem(claimed, e)
		onTopic := slices.DeleteFunc(slices.Clone(s.stems[e.language]), func(stem string) bool { return !topic[stem] })
		m.says[i] = m.recordDetails(j, i, e, named, len(onTopic) > 0)

		// An empty phrase makes a sentence worthless, unless the sentence says something, too.
		if e.words.filler.in(s.words) && !m.says[i] {
			continue
		}
		m.substance += len(claimed)
		for _, stem := range onTopic {
			inCommon[stem] = true
		}
		mayCover = append(mayCover, i)
	}
	m.related = len(inCommon)

	// A sentence that covers a point says something, so the useful words are counted last.
	x := search{judge: j, edition: e, demands: demands, likes: j.likenesses(all, demands, e), measure: m}
	x.cover(mayCover, m.related)
	m.countUseful()

	return m
}

// newMeasure returns the measure of an answer to a question with a number of points, of which none is covered yet.
func newMeasure(all []sentence, points int) *measure {
	return &measure{
		sentences: all,
		says:      make([]bool, len(all)),
		taken:     make([]int, len(all)),
		shows:     slices.Repeat([]int{noSentence}, points),
		against:   make([]bool, points),
	}
}

// noSentence is the index of the sentence that covers a point, if none does.
const noSentence = -1

// countWords counts the words of all sentences, and those of sentences that are repeated, or otherwise copied.
func (m *measure) countWords() {
	for i := range m.sentences {
		s := &m.sentences[i]
		m.all += len(s.words)
		switch {
		case s.repeated:
			m.repeated += len(s.words)
		case s.copied:
			m.copied += len(s.words)
		}
	}
}

// countUseful counts the words of the sentences that say something.
func (m *measure) countUseful() {
	for i, says := range m.says {
		if says {
			m.useful += len(m.sentences[i].words)
		}
	}
}

// skillsOf returns the IDs of the skills that a question names. To repeat one of them shows no experience with it.
func (j *Judge) skillsOf(q *interview.Question) map[string]bool {
	named := make(map[string]bool)
	for _, x := range j.bank.taxonomy.Extract(q.Text + " \n " + q.Skill) {
		named[x.ID] = true
	}
	return named
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

// recordDetails records what the i-th sentence says beyond the points of the question: own work, numbers, results, a
// situation, reasons and tools. It reports whether that is something. Skills in named are not new; those that the
// sentence adds are put into it. isRelated tells whether the sentence has a word in common with the question.
func (m *measure) recordDetails(j *Judge, i int, e *edition, named map[string]bool, isRelated bool) bool {
	s := &m.sentences[i]
	if e.words.ignorance.in(s.words) {
		return false // such as "I have never …"
	}

	isOwn := e.words.ownWork(s.exact)
	isFiller := e.words.filler.in(s.words)
	if isFiller && !isOwn {
		return false // self-praise, possibly with years of experience
	}

	hasNumber := hasNumber(s.words)
	namesResult := e.words.result.in(s.words) && (isOwn || hasNumber) // a word of success alone is none
	isResult := namesResult || e.words.changesNumber(s.words)
	isSituation := e.words.situation.in(s.words)
	isReason := e.words.reason.in(s.words)
	newTools := j.newTools(s, named)

	record := func(list *[]int, has bool) {
		if has {
			*list = append(*list, i)
		}
	}
	record(&m.own, isOwn)
	record(&m.numbers, hasNumber)
	record(&m.results, isResult)
	record(&m.situation, isSituation)
	record(&m.reasons, isReason)
	record(&m.toolIn, newTools > 0)
	m.tools += newTools

	// Numbers and tools say something only beside words of the question: anybody can list them.
	saysFacts := isRelated && (hasNumber || newTools > 0)
	return isOwn || isReason || isSituation || saysFacts
}

// newTools returns how many specific skills a sentence mentions that are not in named, and adds them to it.
func (j *Judge) newTools(s *sentence, named map[string]bool) (number int) {
	for _, id := range j.mentioned(s).ids {
		skill, known := j.bank.taxonomy.Skill(id)
		isTool := known && !skill.Generic
		if isTool && !named[id] {
			named[id] = true
			number++
		}
	}
	return number
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
