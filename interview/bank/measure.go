package bank

import (
	"strings"
	"unicode"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/interview"
	"freelancer-matching/taxonomy"
)

// A cue is a sequence of stems that indicates a point of a rubric.
type cue struct {
	language analysis.Language
	stems    []string
}

// in reports whether stems contain those of the cue in order, with at most one other stem between two of them.
func (c cue) in(stems []string) bool {
	for i := range stems {
		at, k := i, 0
		for k < len(c.stems) {
			switch {
			case at < len(stems) && stems[at] == c.stems[k]:
			case k > 0 && at+1 < len(stems) && stems[at+1] == c.stems[k]:
				at++
			default:
				at = -1
			}
			if at < 0 {
				break
			}
			at++
			k++
		}
		if k == len(c.stems) {
			return true
		}
	}
	return false
}

// A demand is a point to look for in an answer. It has cues if it is from the bank. If a client or a model wrote it,
// its own words and skills replace the cues.
type demand struct {
	cues   []cue
	stems  map[string]bool
	skills map[string]int // number of mentions, by skill ID
	lang   analysis.Language
	size   int // stems and mentions of skills
}

// The words and skills of a point without cues that a sentence and the one before it must contain.
const (
	minPointShare = 0.5
	minPointWords = 2
)

// demands returns the points of a question, or the sentences of the expected answer if it has no points.
func (j *Judge) demands(q *interview.Question, language analysis.Language) []demand {
	texts := q.Points
	if len(texts) == 0 {
		for _, s := range split(q.Expected) {
			if texts = append(texts, s.text); len(texts) == maxPoints {
				break
			}
		}
	}
	all := make([]demand, len(texts))
	for i, text := range texts {
		if cues, ok := j.bank.cues[text]; ok {
			all[i].cues = cues
			continue
		}
		d := demand{stems: make(map[string]bool), lang: language}
		for _, stem := range j.bank.analyzer.AppendStems(nil, text, language) {
			d.stems[stem] = true
		}
		mentions := j.bank.taxonomy.Extract(text)
		d.skills, d.size = make(map[string]int), len(d.stems)+len(mentions)
		for _, m := range mentions {
			d.skills[m.ID]++
		}
		all[i] = d
	}
	return all
}

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
}

// wordsPerPoint is the number of words that a sentence needs for each further point it covers, so that a list of
// keywords does not cover all points.
const wordsPerPoint = 8

// measure counts what an answer contains.
func (j *Judge) measure(q *interview.Question, all []sentence, e *edition, topic map[string]bool) *measure {
	m := &measure{sentences: all, says: make([]bool, len(all))}
	demands := j.demands(q, e.language)
	m.shows = make([]int, len(demands))
	for i := range m.shows {
		m.shows[i] = -1
	}
	named := make(map[string]bool)
	for _, x := range j.bank.taxonomy.Extract(q.Text + " \n " + q.Skill) {
		named[x.ID] = true
	}
	related := make(map[string]bool)
	for i := range all {
		s := &all[i]
		switch {
		case s.repeated:
			m.repeated += len(s.words)
		case s.copied:
			m.copied += len(s.words)
		}
		m.all += len(s.words)
		if !s.counts() {
			continue
		}
		m.words += len(s.words)
		j.stem(s, e)
		for _, stem := range s.stems[e.language] {
			if topic[stem] {
				related[stem] = true
			}
		}
		m.particulars(j, i, e, named)
		if e.words.filler.in(s.words) && !m.says[i] {
			continue
		}
		j.cover(m, demands, i)
	}
	for i := range all {
		if m.says[i] {
			m.useful += len(all[i].words)
		}
	}
	m.related = len(related)
	return m
}

// stem stems a sentence in the language of the answer, and in English because technical terms are often English.
func (j *Judge) stem(s *sentence, e *edition) {
	text := strings.Join(e.words.known(s.words), " ")
	s.stems = map[analysis.Language][]string{e.language: j.bank.analyzer.AppendStems(nil, text, e.language)}
	if e.language != analysis.English {
		s.stems[analysis.English] = j.bank.analyzer.AppendStems(nil, text, analysis.English)
	}
}

// cover records the points that the i-th sentence covers.
func (j *Judge) cover(m *measure, demands []demand, i int) {
	s := &m.sentences[i]
	shown, maxShown := 0, 1+len(s.words)/wordsPerPoint
	for k := range demands {
		if m.shows[k] >= 0 || shown == maxShown || !j.shows(&demands[k], m.sentences, i) {
			continue
		}
		m.shows[k] = i
		m.says[i] = true
		shown++
	}
}

// shows reports whether the i-th sentence covers a point.
func (j *Judge) shows(d *demand, all []sentence, i int) bool {
	s := &all[i]
	for _, c := range d.cues {
		if c.in(s.stems[c.language]) {
			return true
		}
	}
	if d.stems == nil {
		return false
	}
	found := make(map[string]bool)
	for _, part := range all[max(0, i-1) : i+1] {
		for _, stem := range part.stems[d.lang] {
			if d.stems[stem] {
				found[stem] = true
			}
		}
	}
	if len(found) == 0 {
		return false
	}
	got := len(found)
	if named := j.mentioned(s); len(named.ids) > 0 {
		for id, mentions := range d.skills {
			if named.include(j.bank.taxonomy, id) {
				got += mentions
			}
		}
	}
	return got >= minPointWords && float64(got) >= minPointShare*float64(d.size)
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
func (m *measure) particulars(j *Judge, i int, e *edition, named map[string]bool) {
	s := &m.sentences[i]
	if e.words.ignorance.in(s.words) {
		return // such as "I have never …"
	}
	own, number := e.words.ownWork(s.exact), hasNumber(s.words)
	if !own && e.words.filler.in(s.words) {
		return // self-praise, possibly with years of experience
	}
	if own {
		m.own = append(m.own, i)
	}
	if number {
		m.numbers = append(m.numbers, i)
	}
	if e.words.result.in(s.words) && (own || number) {
		m.results = append(m.results, i)
	}
	situation, reason := e.words.situation.in(s.words), e.words.reason.in(s.words)
	if situation {
		m.situation = append(m.situation, i)
	}
	if reason {
		m.reasons = append(m.reasons, i)
	}
	before := m.tools
	for _, id := range j.mentioned(s).ids {
		if skill, ok := j.bank.taxonomy.Skill(id); ok && !skill.Generic && !named[id] {
			named[id] = true
			m.tools++
		}
	}
	if m.tools > before {
		m.toolIn = append(m.toolIn, i)
	}
	m.says[i] = own || number || reason || situation || m.tools > before
}

// hasNumber reports whether one of the words is a number. A single digit at the beginning may be a list number and does
// not count.
func hasNumber(words []string) bool {
	for i, w := range words {
		digits := strings.IndexFunc(w, unicode.IsDigit) >= 0
		letters := strings.IndexFunc(w, unicode.IsLetter)
		if digits && letters != 0 && (i > 0 || len(w) > 1) {
			return true // such as "40", "3x" and "200ms", but not "h1" or "ga4"
		}
	}
	return false
}

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
