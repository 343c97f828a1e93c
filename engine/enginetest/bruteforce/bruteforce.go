// Package bruteforce computes what an engine must answer, in ways that are simple enough to be trusted.
package bruteforce

import (
	"cmp"
	"math"
	"slices"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/mappings"
)

// A Scorer scores every document for every query in float64, directly by the formula of engine.Query.
type Scorer struct {
	bm25      mappings.BM25
	documents []*engine.Document
	terms     []map[string]float64 // frequencies, of each document
	frequency map[string]float64   // number of documents that contain the term
	nonempty  float64              // number of documents that have any terms
	mean      float64              // mean number of terms of those documents
}

// A Scored is one document with its exact scores.
type Scored struct {
	engine.Hit
	// MaxText is Σ weight · idf over the terms that the document contains: the BM25 score that it would approach if it
	// repeated each of them infinitely. An engine's rounding error is relative to it.
	MaxText float64
	// Scale is the reference value of the query or, if that is 0, the text score of a document of average length that
	// contains each term once, at least 1. The error of a text score that was recovered from a sum is relative to it.
	Scale float64
}

// New returns a scorer of documents. Of several with the same id only the last counts.
func New(bm25 mappings.BM25, documents []*engine.Document) *Scorer {
	b := &Scorer{bm25: bm25, frequency: map[string]float64{}}
	length := 0.0
	for _, d := range Distinct(documents) {
		terms := map[string]float64{}
		for _, t := range d.Terms {
			terms[t]++
		}

		for t := range terms {
			b.frequency[t]++
		}

		// A document without text doesn't count for the mean length, as in Elasticsearch.
		if len(terms) > 0 {
			b.nonempty++
			length += float64(len(d.Terms))
		}

		b.documents = append(b.documents, d)
		b.terms = append(b.terms, terms)
	}

	b.mean = length / max(1, b.nonempty)
	return b
}

// Search returns all hits, best first, and the reference value of the query.
func (b *Scorer) Search(q *engine.Query) (hits []Scored, reference float64) {
	all := 0.
	for _, t := range q.Terms {
		if b.frequency[t.Text] > 0 {
			// The reference is the score of a document of mean length that has each of its terms once.
			once := t.Weight * b.idf(t.Text) * b.saturation(1, b.mean)
			all += once
			if t.Reference {
				reference += once
			}
		}
	}

	scale := reference
	if scale == 0 {
		scale = max(1, all)
	}

	for i, d := range b.documents {
		if hit, ok := b.score(q, i, reference); ok && Passes(d, q.Filters) {
			hit.Scale = scale
			hits = append(hits, hit)
		}
	}

	slices.SortStableFunc(hits, func(x, y Scored) int { return cmp.Compare(y.Retrieval, x.Retrieval) })
	return hits, reference
}

// score scores one document. ok is false if it has nothing in common with the query.
func (b *Scorer) score(q *engine.Query, i int, reference float64) (hit Scored, ok bool) {
	d := b.documents[i]
	ok = q.MatchAll
	hit.ID = d.Freelancer.ID
	hit.Signals = d.Freelancer.Signals
	hit.Schedule = d.Schedule
	hit.Evidence = make([]matching.Evidence, len(q.Skills))

	for _, t := range q.Terms {
		if tf := b.terms[i][t.Text]; tf > 0 {
			ok = true
			hit.MaxText += t.Weight * b.idf(t.Text)
			// Engines store lengths in one byte, so the oracle rounds them like all of them.
			hit.Text += t.Weight * b.idf(t.Text) * b.saturation(tf, float64(engine.RoundLength(len(d.Terms))))
		}
	}

	if reference > 0 {
		hit.Retrieval += q.TextWeight * hit.Text / (hit.Text + reference)
	}

	for j, clause := range q.Skills {
		evidence := evidenceOf(d, clause)
		ok = ok || evidence != matching.NoEvidence
		hit.Evidence[j] = evidence
	}
	hit.Retrieval += skillScore(q, hit.Evidence)

	if c := q.Semantic; c != nil {
		hit.Cosine = matching.Cosine(c.Vector, d.Vectors[c.Space])
		ok = ok || c.Closeness(hit.Cosine) > c.Hit
		hit.Retrieval += c.Weight * c.Closeness(hit.Cosine)
	}

	if c := q.Compare; c != nil {
		hit.Compared = matching.Cosine(c.Vector, d.Vectors[c.Space])
	}

	if q.Fit != nil {
		hit.Retrieval += q.Fit(d.Freelancer.Signals, d.Schedule)
	}

	if q.Quality != nil {
		hit.Retrieval += q.Quality(d.Freelancer.Signals)
	}

	hit.Retrieval = q.Score(hit.Retrieval, hit.Evidence)
	return hit, ok
}

// skillScore returns what the skills add: each demand, of one or more skills, the best credit of any of them.
func skillScore(q *engine.Query, evidence []matching.Evidence) (sum float64) {
	ofDemand := make(map[int]float64) // of the demands with a number
	for i, clause := range q.Skills {
		score := clause.Weight * q.Credit[evidence[i]]
		if clause.Demand == 0 {
			sum += score
			continue
		}
		sum += max(0, score-ofDemand[clause.Demand])
		ofDemand[clause.Demand] = max(ofDemand[clause.Demand], score)
	}
	return sum
}

func evidenceOf(d *engine.Document, clause engine.SkillClause) matching.Evidence {
	evidence := matching.NoEvidence
	if clause.Family != "" && slices.Contains(d.Families, clause.Family) {
		evidence = matching.Sibling
	}
	for _, s := range d.Skills {
		if s.ID == clause.ID {
			evidence = max(evidence, s.Evidence)
		}
	}
	return evidence
}

func (b *Scorer) idf(term string) float64 {
	return math.Log(1 + (b.nonempty-b.frequency[term]+.5)/(b.frequency[term]+.5))
}

func (b *Scorer) saturation(tf, length float64) float64 {
	return tf / (tf + b.bm25.K1*(1-b.bm25.B+b.bm25.B*length/b.mean))
}

// Count returns how many documents pass f, and how many lack a value that f filters by.
func (b *Scorer) Count(f engine.Filters) (passing, unknown int) {
	for _, d := range b.documents {
		if Passes(d, f) {
			passing++
		}
		if HasUnknown(d, f) {
			unknown++
		}
	}
	return passing, unknown
}

// Passes reports whether a document passes f.
func Passes(d *engine.Document, f engine.Filters) bool {
	if lacksSignal(d.Freelancer.Signals, f) || !signalsPass(d.Freelancer.Signals, f) {
		return false
	}

	if f.AvailableBy.Known {
		inTime := d.Schedule.From.Known && d.Schedule.From.Value <= f.AvailableBy.Value
		if !inTime {
			return false
		}
	}

	// An empty list of IDs lets nobody pass; nil lets everybody.
	if f.IDs != nil && !slices.Contains(f.IDs, d.Freelancer.ID) {
		return false
	}
	if slices.Contains(f.ExcludeIDs, d.Freelancer.ID) {
		return false
	}

	has := func(id string) bool {
		return slices.ContainsFunc(d.Skills, func(s engine.Skill) bool { return s.ID == id })
	}
	if slices.ContainsFunc(f.ExcludeSkills, has) {
		return false
	}
	for _, id := range f.MustHave {
		if !has(id) {
			return false
		}
	}

	for _, set := range f.MustHaveOne {
		if !slices.ContainsFunc(set, has) {
			return false
		}
	}

	for _, set := range f.Labels {
		if !intersect(d.Labels, set) {
			return false
		}
	}

	return true
}

// signalsPass reports whether signals, of which none that f filters by is unknown, pass f.
func signalsPass(s matching.Signals, f engine.Filters) bool {
	switch {
	case f.Available.Known && s.Availability.Value != f.Available.Value,
		f.MinRating.Known && s.Rating.Value < f.MinRating.Value,
		f.MinExperience.Known && s.Experience.Value < f.MinExperience.Value,
		f.MaxHourlyRate.Known && s.HourlyRate.Value > f.MaxHourlyRate.Value,
		f.RateLimit.Known && s.HourlyRate.Value > f.RateLimit.Value.Max(s.Experience):
		return false
	default:
		return true
	}
}

// intersect reports whether two lists have an element in common.
func intersect(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool { return slices.Contains(b, x) })
}

// List returns the ids of the documents that pass f, as engine.Snapshot does. The documents must have distinct ids.
func List(documents []*engine.Document, f engine.Filters, after string, limit int) []string {
	ids := []string{}
	for _, d := range documents {
		if id := d.Freelancer.ID; id > after && Passes(d, f) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids[:max(0, min(limit, len(ids)))]
}

// HasUnknown reports whether a document lacks a value that f filters by.
func HasUnknown(d *engine.Document, f engine.Filters) bool {
	return lacksSignal(d.Freelancer.Signals, f) ||
		f.AvailableBy.Known && !d.Schedule.From.Known ||
		slices.ContainsFunc(f.Labels, func(set []string) bool { return intersect(d.Labels, engine.UnknownLabels(set)) })
}

// lacksSignal reports whether a signal that f filters by is unknown.
func lacksSignal(s matching.Signals, f engine.Filters) bool {
	return f.Available.Known && !s.Availability.Known ||
		f.MinRating.Known && !s.Rating.Known ||
		f.MinExperience.Known && !s.Experience.Known ||
		(f.MaxHourlyRate.Known || f.RateLimit.Known) && !s.HourlyRate.Known
}

// Vocabulary returns the vocabulary of documents. Of several with the same id only the last counts.
func Vocabulary(documents []*engine.Document) *engine.Vocabulary {
	skills := map[string]int{}
	unknown := map[string]int{}
	titles := map[string]int{}
	for _, d := range Distinct(documents) {
		for _, s := range d.Skills {
			skills[s.ID]++
		}
		for _, word := range d.UnknownSkills {
			unknown[word]++
		}
		for _, word := range d.JobTitles {
			titles[word]++
		}
	}
	return &engine.Vocabulary{
		Skills: wordCounts(skills), UnknownSkills: wordCounts(unknown), JobTitles: wordCounts(titles),
	}
}

func wordCounts(counts map[string]int) []engine.WordCount {
	list := make([]engine.WordCount, 0, len(counts))
	for word, n := range counts {
		list = append(list, engine.WordCount{Word: word, Documents: n})
	}
	return engine.TopWords(list)
}

// Distinct returns the last document of each id, in order.
func Distinct(documents []*engine.Document) (last []*engine.Document) {
	seen := map[string]bool{}
	for _, d := range slices.Backward(documents) {
		if !seen[d.Freelancer.ID] {
			last = append(last, d)
		}
		seen[d.Freelancer.ID] = true
	}
	slices.Reverse(last)
	return last
}

// Statistics returns the statistics of documents and of the given skills.
func Statistics(documents []*engine.Document, skills []string) engine.Statistics {
	s := engine.Statistics{Documents: len(documents), SkillCount: map[string]int{}}
	for _, skill := range skills {
		s.SkillCount[skill] = 0
	}

	rated, sum := 0, 0.0
	var rates engine.RateCounts
	for _, d := range documents {
		rates.Add(d.Freelancer.HourlyRate.Or(0), 1)
		for _, skill := range d.Skills {
			if _, ok := s.SkillCount[skill.ID]; ok {
				s.SkillCount[skill.ID]++
			}
		}

		if d.Freelancer.Rating.Known {
			rated++
			sum += d.Freelancer.Rating.Value
		}
	}

	// Without ratings, the mean is 0/0 and unknown.
	if mean := sum / float64(rated); !math.IsNaN(mean) {
		s.MeanRating = matching.Some(mean)
	}

	s.RateMedian = rates.Median()

	return s
}
