// Package percolate keeps the best freelancers for many briefs up to date while freelancers change.
//
// A changed freelancer is matched against the briefs, not the briefs against all freelancers. Each brief is listed
// under a few of its skills and terms: without one of them, nobody can reach the score of its last place. The briefs
// under the skills and terms of the freelancer, and those that have the freelancer on their list, are scored exactly;
// see match.Watch.
package percolate

import (
	"cmp"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/ranking"
)

const (
	// Reserve is how many places a list has beyond those that are watched: that many people can leave it before the brief
	// must be matched again.
	Reserve = 10
	// coverStep is by how much the score of the last place must rise before a brief gets a new cover, which is smaller.
	coverStep = .01
)

// A Brief is a brief to watch.
type Brief struct {
	ID       string
	Top      int
	MinScore float64
	MinLevel matching.Level // "" for any
	Watch    *match.Watch
	// Hits are the best Top+Reserve freelancers or more, the best first. IsAll is set if there are no others.
	Hits  []ranking.Candidate
	IsAll bool
}

// A Place is somebody on a list.
type Place struct {
	ID        string
	Rank      int // from 1
	Score     float64
	Level     matching.Level
	Available bool
}

// better reports whether a place comes before another one.
func (p *Place) better(other *Place) bool {
	return p.Score > other.Score || p.Score == other.Score && p.ID < other.ID
}

// A Change says that the list of a brief has changed.
type Change struct {
	Brief string
	// Stale is set if others may have moved up: the brief must be matched again.
	Stale bool
	// Candidate is the freelancer who has changed, for the brief; nil if they are not on the list.
	Candidate *ranking.Candidate
}

// entry is a brief of an index.
type entry struct {
	Brief
	bounds *bounds
	terms  []uint32 // numbers of the terms of the query
	list   []Place
	floor  *Place // who comes behind it isn't on the list; nil if everybody who matches is
	// complete is set if nobody behind the floor may be on the list.
	complete bool

	cover    cover // under which it is listed
	coverFor float64
	turn     uint64 // of the index, in which it was last concerned
}

// An Index holds briefs. It is not safe for concurrent use.
type Index struct {
	numbers map[string]*number // of the terms of briefs
	free    []uint32           // numbers that terms of removed briefs had
	briefs  map[string]*entry
	bySkill map[string]entries
	byTerm  map[uint32]entries
	broad   entries
	listed  map[string]entries // by freelancer
	turn    uint64             // number of documents so far
}

// A number stands for a term.
type number struct {
	value  uint32
	briefs int // that have the term
}

type entries map[*entry]struct{}

// New returns an empty index.
func New() *Index {
	return &Index{
		numbers: map[string]*number{}, briefs: map[string]*entry{}, bySkill: map[string]entries{},
		byTerm: map[uint32]entries{}, broad: entries{}, listed: map[string]entries{},
	}
}

// Len returns the number of briefs.
func (x *Index) Len() int { return len(x.briefs) }

// Set adds a brief, or replaces the one with its ID.
func (x *Index) Set(b Brief) {
	x.Remove(b.ID)
	e := &entry{Brief: b, bounds: newBounds(b.Watch)}
	for _, term := range b.Watch.Query.Terms {
		e.terms = append(e.terms, x.take(term.Text))
	}
	e.Hits = nil // only their places are kept

	limit := b.Top + Reserve
	e.complete = b.IsAll && len(b.Hits) <= limit
	for i := range b.Hits {
		place := e.place(&b.Hits[i])
		if place.Score < b.MinScore {
			e.complete = true // the others are below, too
			break
		}
		e.list = append(e.list, place)
	}
	slices.SortFunc(e.list, func(a, b Place) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
	if len(e.list) > limit {
		e.list = e.list[:limit]
		e.complete = false
	}
	switch {
	case !e.complete && len(e.list) > 0:
		last := e.list[len(e.list)-1]
		e.floor = &last
	case b.MinScore > 0:
		e.floor = &Place{ID: "\U0010ffff", Score: b.MinScore} // behind everybody with this score
	}

	x.briefs[b.ID] = e
	for _, place := range e.list {
		add(x.listed, place.ID, e)
	}
	x.post(e)
}

// take returns the number of a term for one more brief.
func (x *Index) take(term string) uint32 {
	n := x.numbers[term]
	if n == nil {
		n = &number{value: uint32(len(x.numbers))}
		if last := len(x.free) - 1; last >= 0 {
			n.value = x.free[last]
			x.free = x.free[:last]
		}
		x.numbers[term] = n
	}
	n.briefs++
	return n.value
}

// release forgets the number of a term when no other brief has it, so that an index takes memory for its briefs only.
func (x *Index) release(term string) {
	n := x.numbers[term]
	n.briefs--
	if n.briefs == 0 {
		delete(x.numbers, term)
		x.free = append(x.free, n.value)
	}
}

// place returns the place of a candidate, without a rank.
func (e *entry) place(c *ranking.Candidate) Place {
	assessed := e.Watch.Scorer.Assess(c)
	return Place{
		ID: c.ID, Score: assessed.Score, Level: assessed.Level, Available: c.Signals.Availability.Or(false),
	}
}

// Remove removes a brief.
func (x *Index) Remove(id string) {
	e := x.briefs[id]
	if e == nil {
		return
	}
	delete(x.briefs, id)
	for _, place := range e.list {
		remove(x.listed, place.ID, e)
	}
	x.unpost(e)
	for _, term := range e.Watch.Query.Terms {
		x.release(term.Text)
	}
}

// post lists a brief under its cover.
func (x *Index) post(e *entry) {
	e.cover = cover{broad: true}
	if e.floor != nil {
		e.cover = e.bounds.coverOf(e.floor.Score)
		e.coverFor = e.floor.Score
	}
	if e.cover.broad {
		x.broad[e] = struct{}{}
	}
	for _, skill := range e.cover.skills {
		add(x.bySkill, skill, e)
	}
	for _, term := range e.cover.terms {
		add(x.byTerm, e.terms[term], e)
	}
}

func (x *Index) unpost(e *entry) {
	delete(x.broad, e)
	for _, skill := range e.cover.skills {
		remove(x.bySkill, skill, e)
	}
	for _, term := range e.cover.terms {
		remove(x.byTerm, e.terms[term], e)
	}
}

func add[K comparable](to map[K]entries, key K, e *entry) {
	if to[key] == nil {
		to[key] = entries{}
	}
	to[key][e] = struct{}{}
}

func remove[K comparable](from map[K]entries, key K, e *entry) {
	delete(from[key], e)
	if len(from[key]) == 0 {
		delete(from, key)
	}
}

// List returns the list of a brief, the best first, or nil for an unknown brief.
func (x *Index) List(id string) (list []Place) {
	e := x.briefs[id]
	if e == nil {
		return nil
	}
	for i, place := range e.list[:min(len(e.list), e.Top)] {
		if place.Score < e.MinScore || e.MinLevel != "" && levelOrder(place.Level) < levelOrder(e.MinLevel) {
			continue
		}
		place.Rank = i + 1
		list = append(list, place)
	}
	return list
}

// levelOrder returns a number that is higher for a better level.
func levelOrder(l matching.Level) int {
	worst := []matching.Level{matching.LevelWeak, matching.LevelFair, matching.LevelStrong, matching.LevelExcellent}
	return slices.Index(worst, l)
}

// Watch returns how a brief scores documents, or nil for an unknown brief.
func (x *Index) Watch(id string) *match.Watch {
	if e := x.briefs[id]; e != nil {
		return e.Watch
	}
	return nil
}

// A document is prepared to be scored for many briefs.
type document struct {
	*engine.Document
	skills      map[string]matching.Evidence
	families    map[string]bool
	frequencies map[uint32]float64  // of the terms that occur in briefs
	evidence    []matching.Evidence // for the skills of the brief that is being scored
}

func (x *Index) document(d *engine.Document) *document {
	doc := &document{
		Document: d, skills: make(map[string]matching.Evidence, len(d.Skills)),
		families: make(map[string]bool, len(d.Families)), frequencies: make(map[uint32]float64, len(d.Terms)),
	}
	for _, s := range d.Skills {
		doc.skills[s.ID] = max(doc.skills[s.ID], s.Evidence)
	}
	for _, family := range d.Families {
		doc.families[family] = true
	}
	for _, term := range d.Terms {
		if n := x.numbers[term]; n != nil {
			doc.frequencies[n.value]++
		}
	}
	return doc
}

// Put takes notice of a new or changed freelancer, and returns whose lists have changed.
func (x *Index) Put(d *engine.Document) []Change {
	doc := x.document(d)
	concerned := x.concerned(doc)

	var changes []Change
	for _, e := range concerned {
		var candidate *ranking.Candidate
		if c, ok := e.score(doc); ok {
			candidate = &c
		}
		if x.update(e, d.Freelancer.ID, candidate) {
			changes = append(changes, Change{Brief: e.ID, Stale: e.stale(), Candidate: candidate})
		}
	}
	return changes
}

// Delete takes notice of a freelancer who is gone, and returns whose lists have changed.
func (x *Index) Delete(id string) (changes []Change) {
	concerned := make([]*entry, 0, len(x.listed[id]))
	for e := range x.listed[id] {
		concerned = append(concerned, e)
	}
	for _, e := range concerned {
		if x.update(e, id, nil) {
			changes = append(changes, Change{Brief: e.ID, Stale: e.stale()})
		}
	}
	return changes
}

// concerned returns the briefs whose lists a document can change.
func (x *Index) concerned(d *document) (concerned []*entry) {
	x.turn++
	collect := func(from entries) {
		for e := range from {
			if e.turn != x.turn { // otherwise it is in the result already
				e.turn = x.turn
				concerned = append(concerned, e)
			}
		}
	}
	collect(x.broad)
	collect(x.listed[d.Freelancer.ID])
	for skill := range d.skills {
		collect(x.bySkill[skill])
	}
	for term := range d.frequencies {
		collect(x.byTerm[term])
	}
	return concerned
}

// score returns a document as a candidate. ok is false if it can't be on the list.
func (e *entry) score(d *document) (c ranking.Candidate, ok bool) {
	q := e.Watch.Query
	if !d.passes(&q.Filters) {
		return c, false
	}

	d.evidence = d.evidence[:0]
	for _, clause := range q.Skills {
		evidence := d.skills[clause.ID]
		if clause.Family != "" && d.families[clause.Family] {
			evidence = max(evidence, matching.Sibling)
		}
		d.evidence = append(d.evidence, evidence)
	}
	frequency := func(term int) float64 { return d.frequencies[e.terms[term]] }
	if e.floor != nil && !e.reaches(d, frequency) {
		return c, false
	}
	return e.Watch.Candidate(d.Document, slices.Clone(d.evidence), frequency)
}

// reaches reports whether a document with evidence may come before the floor. The parts of the score are computed from
// the cheapest to the most expensive, until the bounds of the missing ones show that it doesn't.
func (e *entry) reaches(d *document, frequency func(term int) float64) bool {
	q := e.Watch.Query
	b := e.bounds
	met, related := b.met(d.evidence)
	skills := q.SkillScore(d.evidence)
	if b.of(skills+b.rest, b.text, met, related) < e.floor.Score {
		return false
	}

	sum := skills
	if q.Fit != nil {
		sum += q.Fit(d.Freelancer.Signals, d.Schedule)
	}
	if q.Quality != nil {
		sum += q.Quality(d.Freelancer.Signals)
	}
	meaning := 0.
	if q.Semantic != nil {
		meaning = q.Semantic.Weight
	}
	if b.of(sum+meaning, b.text, met, related) < e.floor.Score {
		return false
	}

	if s := q.Semantic; s != nil && s.Space < len(d.Vectors) {
		sum += s.Weight * s.Closeness(matching.Cosine(s.Vector, d.Vectors[s.Space]))
	}
	if b.of(sum, b.text, met, related) < e.floor.Score {
		return false
	}
	return b.of(sum, e.Watch.Scoring.Text(len(d.Terms), frequency), met, related) >= e.floor.Score
}

// update changes the place of a freelancer, who is a candidate, or nil if they can't be on the list. It reports whether
// the list has changed.
func (x *Index) update(e *entry, id string, c *ranking.Candidate) bool {
	before := slices.IndexFunc(e.list, func(p Place) bool { return p.ID == id })
	var now Place
	isListed := false
	if c != nil {
		now = e.place(c)
		isListed = e.floor == nil || now.better(e.floor) || now.Score == e.floor.Score && now.ID == e.floor.ID
	}
	if before < 0 && !isListed || before >= 0 && isListed && e.list[before] == now {
		return false
	}

	if before >= 0 {
		e.list = slices.Delete(e.list, before, before+1)
	}
	if isListed {
		at, _ := slices.BinarySearchFunc(e.list, now, func(p, now Place) int {
			return cmp.Or(cmp.Compare(now.Score, p.Score), strings.Compare(p.ID, now.ID))
		})
		e.list = slices.Insert(e.list, at, now)
		add(x.listed, id, e)
	} else {
		remove(x.listed, id, e)
	}

	if len(e.list) > e.Top+Reserve {
		last := e.list[len(e.list)-1]
		e.list = e.list[:len(e.list)-1]
		remove(x.listed, last.ID, e)
		e.floor = &last
		e.complete = false
		if e.cover.broad || last.Score >= e.coverFor+coverStep {
			x.unpost(e)
			x.post(e)
		}
	}
	return true
}

// stale reports whether somebody who isn't on the list may have to be.
func (e *entry) stale() bool { return !e.complete && len(e.list) < e.Top }
