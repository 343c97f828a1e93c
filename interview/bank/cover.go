package bank

import (
	"math"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/interview"
)

// WordVectors returns the meanings of words.
type WordVectors interface {
	// Vector returns the vector of a word, nil if it is unknown.
	Vector(word string) matching.Vector
}

// A cue is a sequence of stems that indicates a point of a rubric.
type cue struct {
	language analysis.Language
	stems    []string
	phrase   string
	negated  bool    // the phrase says what not to do
	strength float64 // sum of the weights of the stems
}

func newCue(a *analysis.Analyzer, phrase string, l analysis.Language) cue {
	return cue{language: l, stems: a.AppendStems(nil, phrase, l), phrase: phrase}
}

// in reports whether stems contain those of the cue in order, with at most one other stem between two of them.
func (c cue) in(stems []string) bool {
	// Every position may be the beginning, because an earlier one may turn out wrong.
	for i := range stems {
		at := i
		k := 0
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

// near reports whether stems contain all those of a cue of several stems in any order, within a few words.
func (c cue) near(stems []string) bool {
	if len(c.stems) < 2 {
		return false
	}
	for i := range stems {
		if !slices.Contains(c.stems, stems[i]) {
			continue
		}
		window := stems[i:min(len(stems), i+len(c.stems)+maxGap)]
		if !slices.ContainsFunc(c.stems, func(s string) bool { return !slices.Contains(window, s) }) {
			return true
		}
	}
	return false
}

// A passage covers a point if it contains one of the point's cues, or enough words of the point and its cues. Words
// have weights: 1 for those of a single point of the bank, and less for those of many.
const (
	maxGap = 3 // other stems among those of a cue in any order

	// A cue counts if its weights add up to minStrength, so that general ones such as "compare" don't count. Other words
	// count if their weights add up to minEvidence, plus evidencePerStem for each word beyond freeStems.
	minStrength, minEvidence = 0.7, 1.2
	evidencePerStem          = 0.02
	freeStems                = 10

	// General words count, too, if the answer covers certainPoints without them, or is related to the question: it has
	// manyRelated stems in common with the question and its rubric, or someRelated that are relatedShare of its words.
	// The thresholds were fitted to the bank's own expected answers, as answers to their own questions (92 percent of the
	// points covered) and to those of other topics (3 percent).
	minStrengthInContext, minEvidenceInContext = 0.3, 1.0
	certainPoints                              = 2
	manyRelated, someRelated, relatedShare     = 5, 3, 0.1

	minCosine        = 0.75 // of the vectors of words that count as similar
	similarWord      = 0.6  // share of a word's weight that a similar word gets
	minSimilarLength = 4    // bytes of a word whose vector is compared
	maxSimilar       = 300  // different words of an answer whose vectors are compared; limits the time

	// The words and skills of a point without cues that a sentence and the one before it must contain.
	minPointShare = 0.5
	minPointWords = 2

	// wordsPerPoint is the number of words that a sentence needs for each further point it covers, so that a list of
	// keywords does not cover all points.
	wordsPerPoint = 6

	headWords    = 3 // words at the beginning of a point that may negate it
	fragment     = 3 // most words of a sentence or of an item of a list that counts as a keyword
	minListItems = 2 // consecutive items of this length that make a list of keywords
)

// A stemIn is a stem in one language.
type stemIn struct {
	language analysis.Language
	stem     string
}

// A demand is a point to look for in an answer. It has cues if it is from the bank. If a client or a model wrote it,
// its own words and skills replace the cues.
type demand struct {
	cues    []cue
	terms   []term // words of the point and its cues, apart from those of the question
	negates bool   // the point says what not to do

	stems  map[string]bool
	skills map[string]int // number of mentions, by skill ID
	lang   analysis.Language
	size   int // stems and mentions of skills
}

// A term is a word of a point or of its cues.
type term struct {
	key    stemIn
	weight float64
	vector matching.Vector
}

// demands returns the points of a question, or the sentences of the expected answer if it has no points.
func (j *Judge) demands(q *interview.Question, e *edition) []demand {
	texts := q.Points
	if len(texts) == 0 {
		for _, s := range split(q.Expected) {
			if texts = append(texts, s.text); len(texts) == maxPoints {
				break
			}
		}
	}

	// Words of the question are no evidence of an answer to it.
	asked := make(map[stemIn]bool)
	for _, l := range []analysis.Language{e.language, analysis.English} {
		for _, stem := range j.bank.analyzer.AppendStems(nil, q.Text+" "+q.Skill, l) {
			asked[stemIn{l, stem}] = true
		}
	}

	all := make([]demand, len(texts))
	for i, text := range texts {
		if _, ok := j.bank.cues[text]; ok {
			all[i] = j.fromBank(text, j.bank.cuesOf(text), e, asked)
		} else {
			all[i] = j.fromText(text, e.language)
		}
	}

	return all
}

// fromBank returns the demand for a point of the bank.
func (j *Judge) fromBank(text string, cues []cue, e *edition, asked map[stemIn]bool) demand {
	beginning := words(analysis.Fold(text))
	beginning = beginning[:min(len(beginning), headWords)]
	d := demand{negates: e.words.negation.in(beginning)}
	seen := make(map[stemIn]bool)
	add := func(text string, l analysis.Language) {
		for _, word := range words(strings.ToLower(text)) {
			for _, stem := range j.bank.analyzer.AppendStems(nil, word, l) {
				if key := (stemIn{l, stem}); !asked[key] && !seen[key] {
					seen[key] = true
					d.terms = append(d.terms, term{key, j.weight(key), j.vectors.Vector(word)})
				}
			}
		}
	}

	add(text, e.language)

	// Technical answers contain English terms in every language.
	for _, c := range cues {
		if c.language != e.language && c.language != analysis.English {
			continue
		}
		c.negated = e.words.negation.in(words(analysis.Fold(c.phrase)))
		for _, stem := range c.stems {
			c.strength += j.weight(stemIn{c.language, stem})
		}

		d.cues = append(d.cues, c)
		add(c.phrase, c.language)
	}

	return d
}

// fromText returns the demand for a point that is not from the bank.
func (j *Judge) fromText(text string, l analysis.Language) demand {
	d := demand{stems: make(map[string]bool), lang: l}
	for _, stem := range j.bank.analyzer.AppendStems(nil, text, l) {
		d.stems[stem] = true
	}
	mentions := j.bank.taxonomy.Extract(text)
	d.skills, d.size = make(map[string]int), len(d.stems)+len(mentions)
	for _, m := range mentions {
		d.skills[m.ID]++
	}
	return d
}

// A frequency counts the points of the bank in one language, and those whose cues contain each stem.
type frequency struct {
	points int
	with   map[string]int
}

// frequencies returns the frequency for each language of the bank. A translation doesn't change those of the others.
func frequencies(b *Bank) map[analysis.Language]*frequency {
	all := make(map[analysis.Language]*frequency)
	for _, e := range b.editions {
		f := &frequency{with: make(map[string]int)}
		for _, t := range e.texts {
			for i := range t.questions {
				for _, p := range t.questions[i].points {
					f.add(b.analyzer, p.cues, e.language)
				}
			}
		}
		all[e.language] = f
	}
	return all
}

// add counts a point with the given cues.
func (f *frequency) add(a *analysis.Analyzer, cues []string, l analysis.Language) {
	seen := make(map[string]bool)
	var stems []string
	for _, phrase := range cues {
		stems = a.AppendStems(stems[:0], phrase, l)
		for _, stem := range stems {
			seen[stem] = true
		}
	}
	f.points++
	for stem := range seen {
		f.with[stem]++
	}
}

// weight returns how much a stem tells about a point, from 0 to 1: less if the cues of many points contain it.
func (j *Judge) weight(s stemIn) float64 {
	f := j.frequencies()[s.language]
	return 1 - math.Log(float64(max(1, f.with[s.stem])))/math.Log(float64(f.points+2))
}

// A passage is a part of an answer in which to look for points.
type passage struct {
	stems, affirmed map[analysis.Language][]string // all that the writer claims to know, and without what they reject
	words           []string                       // the ones that affirmed was made from
	maxPoints       int                            // of the sentence, with those of earlier passages
	isList          bool                           // keywords rather than prose
	besideProse     bool                           // the sentence of the keywords has prose, too
}

// stem stems a sentence in the language of the answer, and in English because technical terms are often English.
func (j *Judge) stem(words []string, e *edition) map[analysis.Language][]string {
	text := strings.Join(words, " ")
	stems := map[analysis.Language][]string{e.language: j.bank.analyzer.AppendStems(nil, text, e.language)}
	if e.language != analysis.English {
		stems[analysis.English] = j.bank.analyzer.AppendStems(nil, text, analysis.English)
	}
	return stems
}

// passages returns the parts of a sentence in which to look for points: all of it, or if it contains a list of
// keywords, what is around the list, and then all of it for one more point.
func (j *Judge) passages(s *sentence, e *edition) []passage {
	known := e.words.known(s.clauses)
	whole := j.passage(known, e)
	around := withoutLists(known)
	if len(around) == len(known) {
		whole.maxPoints = 1 + len(s.words)/wordsPerPoint
		whole.isList = len(s.words) <= fragment
		if len(s.words) > wordsPerPoint && !e.words.isProse(s.words) {
			whole.maxPoints = 1
			whole.isList = true
		}
		return []passage{whole}
	}
	rest := j.passage(around, e)
	rest.maxPoints = max(0, len(rest.words)-fragment) / wordsPerPoint
	whole.maxPoints = rest.maxPoints + 1
	whole.isList = true
	whole.besideProse = rest.maxPoints > 0
	return []passage{rest, whole}
}

func (j *Judge) passage(known [][]string, e *edition) passage {
	p := passage{words: slices.Concat(e.words.affirmed(known)...)}
	p.affirmed = j.stem(p.words, e)
	p.stems = p.affirmed
	if all := slices.Concat(known...); len(all) > len(p.words) {
		p.stems = j.stem(all, e)
	}
	return p
}

// withoutLists returns clauses without those that make a list of keywords, such as "tests, logs, backup".
func withoutLists(clauses [][]string) [][]string {
	var rest [][]string
	for i := 0; i < len(clauses); {
		end := i
		for end < len(clauses) && len(clauses[end]) <= fragment {
			end++
		}
		if end-i < minListItems {
			end = min(end+1, len(clauses))
			rest = append(rest, clauses[i:end]...)
		}
		i = end
	}
	return rest
}

// A likeness says that a word of the answer is similar to a term of a point.
type likeness struct {
	key    stemIn
	weight float64
}

// likenesses returns for each point the terms to which words of the answer are similar, the most similar first.
func (j *Judge) likenesses(all []sentence, demands []demand, e *edition) []map[string][]likeness {
	likes := make([]map[string][]likeness, len(demands))
	for k := range likes {
		likes[k] = make(map[string][]likeness)
	}

	for _, word := range wordsToCompare(all) {
		vector := j.vectors.Vector(word)
		isStopWord := len(j.bank.analyzer.AppendStems(nil, word, e.language)) == 0
		if vector == nil || isStopWord {
			continue
		}

		for k := range demands {
			for _, t := range demands[k].terms {
				if matching.Cosine(vector, t.vector) >= minCosine {
					likes[k][word] = append(likes[k][word], likeness{t.key, t.weight * similarWord})
				}
			}
		}
	}

	return likes
}

// wordsToCompare returns the distinct words of an answer that are long enough to have a meaning of their own. Comparing
// vectors takes time, so it returns only the first ones of a long answer.
func wordsToCompare(all []sentence) []string {
	var distinct []string
	seen := make(map[string]bool)
	for i := range all {
		if !all[i].counts() {
			continue
		}

		for _, word := range all[i].words {
			if len(distinct) == maxSimilar {
				return distinct
			}
			if seen[word] || len(word) < minSimilarLength {
				continue
			}
			seen[word] = true
			distinct = append(distinct, word)
		}
	}
	return distinct
}

// evidence returns the sum of the weights of a point's terms that a passage contains, and their number.
func (d *demand) evidence(p *passage, likes map[string][]likeness) (sum float64, n int) {
	found := make(map[stemIn]bool)
	for _, t := range d.terms {
		if slices.Contains(p.affirmed[t.key.language], t.key.stem) {
			found[t.key] = true
			sum += t.weight
			n++
		}
	}

	// A similar word counts for the first term that nothing else has shown.
	for _, word := range p.words {
		for _, l := range likes[word] {
			if !found[l.key] {
				found[l.key] = true
				sum += l.weight
				n++
				break
			}
		}
	}

	return sum, n
}

// A search looks for points in the sentences of an answer.
type search struct {
	judge   *Judge
	edition *edition
	demands []demand
	likes   []map[string][]likeness // by point, the terms to which a word is similar
	measure *measure
	lowest  threshold
}

// A threshold says how much a passage must contain to cover a point.
type threshold struct{ strength, evidence float64 }

// cover records the points that the sentences with the given indexes cover. If the answer is about the question, or
// covers points without doubt, general words count, too.
func (x *search) cover(sentences []int, related int) {
	passages := make(map[int][]passage, len(sentences))
	for _, i := range sentences {
		passages[i] = x.judge.passages(&x.measure.sentences[i], x.edition)
	}
	coverAll := func(lowest threshold) {
		x.lowest = lowest
		for _, i := range sentences {
			x.coverBy(i, passages[i])
		}
	}

	coverAll(threshold{minStrength, minEvidence})

	// A long answer has a few words of the question by chance.
	hasShare := float64(related) >= relatedShare*float64(x.measure.substance)
	isRelated := related >= manyRelated || related >= someRelated && hasShare
	isCertain := len(x.measure.covered()) >= certainPoints
	if isRelated || isCertain {
		coverAll(threshold{minStrengthInContext, minEvidenceInContext})
	}
}

// coverBy records the points that the passages of the i-th sentence cover.
func (x *search) coverBy(i int, passages []passage) {
	m := x.measure
	for _, p := range passages {
		for k := range x.demands {
			// A short passage or a list of keywords can't explain many points.
			isExhausted := m.taken[i] >= p.maxPoints || p.isList && !m.acceptsKeyword(p.besideProse)
			isCovered := m.shows[k] >= 0
			if isExhausted || isCovered {
				continue
			}
			if !x.shows(k, &p, i) {
				continue
			}

			m.shows[k] = i
			m.says[i] = true
			m.taken[i]++
			if p.isList {
				m.keywords++
			}
		}
	}
}

// shows reports whether a passage of the i-th sentence covers the k-th point. It records a point that the passage
// rejects.
func (x *search) shows(k int, p *passage, i int) bool {
	d := &x.demands[k]
	if d.stems != nil {
		return x.judge.showsText(d, x.measure.sentences, i)
	}

	// A point that says what not to do is covered by words that the writer rejects.
	for _, c := range d.cues {
		stems := p.affirmed
		if d.negates || c.negated {
			stems = p.stems
		}

		occurs := c.in(stems[c.language]) || c.near(stems[c.language])
		if occurs && c.strength >= x.lowest.strength {
			return true
		}
	}

	// The cue may occur only in what the writer rejects.
	for _, c := range d.cues {
		countsAgainst := !d.negates && c.strength >= x.lowest.strength
		if countsAgainst && c.in(p.stems[c.language]) {
			x.measure.against[k] = true
			return false
		}
	}

	// Without a cue, several words of the point are evidence, too. A long passage has more of them by chance.
	needed := x.lowest.evidence + evidencePerStem*float64(max(0, len(p.words)-freeStems))
	weight, terms := d.evidence(p, x.likes[k])
	return terms > 1 && weight >= needed
}

// showsText reports whether the i-th sentence and the one before it contain enough words and skills of a point that is
// not from the bank.
func (j *Judge) showsText(d *demand, all []sentence, i int) bool {
	s := &all[i]
	found := make(map[string]bool)

	// A sentence may continue the thought of the one before it.
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
