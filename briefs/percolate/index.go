// Package percolate keeps the best freelancers for many briefs up to date while freelancers change.
//
// A changed freelancer is matched against the briefs, not the briefs against all freelancers. An inverted index of the
// briefs bounds the score of the freelancer for each of them. Those whose last place may be reached, and those that
// have the freelancer on their list, are scored exactly; see match.Watch.
package percolate

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/ranking"
)

// Reserve is how many places a list has beyond those that are watched: that many people can leave it before the brief
// must be matched again.
const Reserve = 10

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
	at     int      // in the sieve
	terms  []uint32 // numbers of the terms of the query in the sieve
	list   []Place
	floor  *Place // who comes behind it isn't on the list; nil if everybody who matches is
	// complete is set if nobody behind the floor may be on the list.
	complete bool
}

// An Index holds briefs. It is not safe for concurrent use.
type Index struct {
	briefs map[string]*entry
	sieve  *sieve
	listed map[string]entries // by freelancer
}

type entries map[*entry]struct{}

// New returns an empty index.
func New() *Index {
	return &Index{briefs: map[string]*entry{}, sieve: newSieve(), listed: map[string]entries{}}
}

// Len returns the number of briefs.
func (x *Index) Len() int { return len(x.briefs) }

// Set adds a brief, or replaces the one with its ID.
func (x *Index) Set(b Brief) {
	x.Remove(b.ID)
	e := &entry{Brief: b, bounds: newBounds(b.Watch)}
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
		x.addListed(place.ID, e)
	}
	x.sieve.add(e)
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
		x.removeListed(place.ID, e)
	}
	x.sieve.remove(e)
}

func (x *Index) addListed(id string, e *entry) {
	if x.listed[id] == nil {
		x.listed[id] = entries{}
	}
	x.listed[id][e] = struct{}{}
}

func (x *Index) removeListed(id string, e *entry) {
	delete(x.listed[id], e)
	if len(x.listed[id]) == 0 {
		delete(x.listed, id)
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

// Put takes notice of a new or changed freelancer, and returns whose lists have changed.
func (x *Index) Put(d *engine.Document) (changes []Change) {
	doc := x.sieve.document(d)
	id := d.Freelancer.ID
	listed := slices.Collect(maps.Keys(x.listed[id]))
	passed := x.sieve.put(doc)

	// score notes whether the list of an entry has changed.
	score := func(e *entry, isListed bool) {
		var candidate *ranking.Candidate
		if c, ok := e.score(doc, x.sieve.highestText(e)); ok {
			candidate = new(c)
		} else if !isListed {
			return
		}
		if x.update(e, id, candidate) {
			changes = append(changes, Change{Brief: e.ID, Stale: e.stale(), Candidate: candidate})
		}
	}
	for _, e := range passed {
		if _, isListed := x.listed[id][e]; !isListed {
			score(e, false)
		}
	}
	for _, e := range listed {
		score(e, true)
	}
	return changes
}

// Delete takes notice of a freelancer who is gone, and returns whose lists have changed.
func (x *Index) Delete(id string) (changes []Change) {
	for _, e := range slices.Collect(maps.Keys(x.listed[id])) {
		if x.update(e, id, nil) {
			changes = append(changes, Change{Brief: e.ID, Stale: e.stale()})
		}
	}
	return changes
}

// score returns a document as a candidate, given the highest text score that it may have. ok is false if it can't be on
// the list.
func (e *entry) score(d *document, text float64) (c ranking.Candidate, ok bool) {
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
	if e.floor != nil && !e.reaches(d, text, frequency) {
		return c, false
	}
	return e.Watch.Candidate(d.Document, slices.Clone(d.evidence), frequency)
}

// reaches reports whether a document with evidence may come before the floor. The parts of the score are computed from
// the cheapest to the most expensive, until the bounds of the missing ones show that it doesn't.
func (e *entry) reaches(d *document, text float64, frequency func(term int) float64) bool {
	q := e.Watch.Query
	b := e.bounds
	met, related := b.met(d.evidence)
	skills := q.SkillScore(d.evidence)
	if b.of(skills+b.rest, text, met, related) < e.floor.Score {
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
	if b.of(sum+meaning, text, met, related) < e.floor.Score {
		return false
	}

	if s := q.Semantic; s != nil && s.Space < len(d.Vectors) {
		sum += s.Weight * s.Closeness(matching.Cosine(s.Vector, d.Vectors[s.Space]))
	}
	if b.of(sum, text, met, related) < e.floor.Score {
		return false
	}
	return b.of(sum, e.Watch.Scoring.Text(len(d.Terms), frequency), met, related) >= e.floor.Score
}

// update changes the place of a freelancer, who is a candidate, or nil if they can't be on the list. It reports whether
// the list has changed.
func (x *Index) update(e *entry, id string, c *ranking.Candidate) bool {
	before := -1
	if _, isListed := x.listed[id][e]; isListed {
		before = slices.IndexFunc(e.list, func(p Place) bool { return p.ID == id })
	}
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
		x.addListed(id, e)
	} else {
		x.removeListed(id, e)
	}

	if len(e.list) > e.Top+Reserve {
		last := e.list[len(e.list)-1]
		e.list = e.list[:len(e.list)-1]
		x.removeListed(last.ID, e)
		e.floor = &last
		e.complete = false
		x.sieve.setFloor(e)
	}
	return true
}

// stale reports whether somebody who isn't on the list may have to be.
func (e *entry) stale() bool { return !e.complete && len(e.list) < e.Top }
