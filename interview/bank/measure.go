package bank

import (
	"strings"
	"unicode"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/interview"
)

// cue is words that show a point, as their stems in one language.
type cue struct {
	language analysis.Language
	stems    []string
}

// in reports whether stems have those of the cue in their order, with at most one other word between two.
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

// demand is one point that an answer is held against: by its cues, or where it has none, because a client or a model wrote it, by its
// own words and skills.
type demand struct {
	cues   []cue
	stems  map[string]bool
	skills []string
	lang   analysis.Language
}

// Of the words and skills of a point without cues, so many must be in a sentence or its neighbour.
const (
	enoughOfPoint    = 0.5
	fewestPointWords = 2
)

func (j *Judge) demands(q *interview.Question, language analysis.Language) []demand {
	texts := q.Points
	if len(texts) == 0 {
		for _, s := range split(q.Expected) {
			if texts = append(texts, s.text); len(texts) == mostPoints {
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
		for _, m := range j.bank.taxonomy.Extract(text) {
			d.skills = append(d.skills, m.ID)
		}
		all[i] = d
	}
	return all
}

// measure is what was counted in an answer.
type measure struct {
	sentences []sentence
	shows     []int  // for each point the sentence that shows it, or -1
	own       []int  // sentences that tell own work
	numbers   []int  // that have a number
	results   []int  // that tell what came of it
	situation []int  // that speak of one case
	reasons   []int  // that give a reason, an order, a condition
	tools     int    // skills that are named, apart from those of the question
	toolIn    []int  // sentences that name one
	says      []bool // for each sentence: it has one of the above, or a point
	words     int    // of sentences that count
	useful    int    // of those that say something
	repeated  int    // words of repeated sentences
	copied    int
	all       int // words of everything
	related   int // different words that the answer shares with question and rubric
}

// wordsPerPoint is how many words a sentence needs for each further point that it shows. Lists of keywords have fewer.
const wordsPerPoint = 8

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
		if has(e.words.filler, s.words) && !m.says[i] {
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

// stem reads what a sentence says in the language of the answer, and in English, whose terms of art are used in every language.
func (j *Judge) stem(s *sentence, e *edition) {
	text := strings.Join(e.words.known(s.words), " ")
	s.stems = map[analysis.Language][]string{e.language: j.bank.analyzer.AppendStems(nil, text, e.language)}
	if e.language != analysis.English {
		s.stems[analysis.English] = j.bank.analyzer.AppendStems(nil, text, analysis.English)
	}
}

// cover notes the points that the i-th sentence shows.
func (j *Judge) cover(m *measure, demands []demand, i int) {
	s := &m.sentences[i]
	shown, most := 0, 1+len(s.words)/wordsPerPoint
	for k := range demands {
		if m.shows[k] >= 0 || shown == most || !j.shows(&demands[k], m.sentences, i) {
			continue
		}
		m.shows[k] = i
		m.says[i] = true
		shown++
	}
}

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
	skills := 0
	for _, id := range d.skills {
		if j.names(s.text, id) {
			skills++
		}
	}
	total, got := len(d.stems)+len(d.skills), len(found)+skills
	return got >= fewestPointWords && float64(got) >= enoughOfPoint*float64(total)
}

// names reports whether a text names a skill, one of its family, or one that implies it.
func (j *Judge) names(text, id string) bool {
	want, ok := j.bank.taxonomy.Skill(id)
	if !ok {
		return false
	}
	for _, x := range j.bank.taxonomy.Extract(text) {
		if x.ID == id {
			return true
		}
		other, _ := j.bank.taxonomy.Skill(x.ID)
		if want.Family != "" && other.Family == want.Family {
			return true
		}
		for _, implied := range other.Implies {
			if implied == id {
				return true
			}
		}
	}
	return false
}

// particulars notes what the i-th sentence tells of its writer's own work. Skills in named are in the question already.
func (m *measure) particulars(j *Judge, i int, e *edition, named map[string]bool) {
	s := &m.sentences[i]
	if has(e.words.ignorance, s.words) {
		return // "I have never …" tells no work
	}
	own, number := e.words.ownWork(s.exact), hasNumber(s.words)
	if !own && has(e.words.filler, s.words) {
		return // praise of oneself, with or without years
	}
	if own {
		m.own = append(m.own, i)
	}
	if number {
		m.numbers = append(m.numbers, i)
	}
	if has(e.words.result, s.words) && (own || number) {
		m.results = append(m.results, i)
	}
	if has(e.words.situation, s.words) {
		m.situation = append(m.situation, i)
	}
	if has(e.words.reason, s.words) {
		m.reasons = append(m.reasons, i)
	}
	before := m.tools
	for _, x := range j.bank.taxonomy.Extract(s.text) {
		if skill, ok := j.bank.taxonomy.Skill(x.ID); ok && !skill.Generic && !named[x.ID] {
			named[x.ID] = true
			m.tools++
		}
	}
	if m.tools > before {
		m.toolIn = append(m.toolIn, i)
	}
	m.says[i] = own || number || has(e.words.reason, s.words) || m.tools > before || has(e.words.situation, s.words)
}

// hasNumber reports whether one of the words is a number. The first may be that of a list.
func hasNumber(words []string) bool {
	for i, w := range words {
		digits := strings.IndexFunc(w, unicode.IsDigit) >= 0
		letters := strings.IndexFunc(w, unicode.IsLetter)
		if digits && letters != 0 && (i > 0 || len(w) > 1) {
			return true // "40", "3x", "200ms", and not "h1", "ga4"
		}
	}
	return false
}

// covered are the indexes of the points that are shown.
func (m *measure) covered() []int {
	var all []int
	for k, s := range m.shows {
		if s >= 0 {
			all = append(all, k)
		}
	}
	return all
}
