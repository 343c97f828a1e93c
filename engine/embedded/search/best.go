package search

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/freelancer-matching/service/engine"
)

// A candidate is one of the best documents so far.
type candidate struct {
	score  float64
	place  place
	id     []byte
	words  float64 // BM25 score
	cosine float64 // to the query's vector; 0 without one
}

// A place is a part of a view and a document in it.
type place uint64

func placeOf(part, doc int) place { return place(part)<<32 | place(doc) }
func (p place) part() int         { return int(p >> 32) }
func (p place) doc() uint32       { return uint32(p) }

// compare orders candidates, best first.
func (c *candidate) compare(to *candidate) int {
	if order := cmp.Compare(to.score, c.score); order != 0 {
		return order
	}
	return bytes.Compare(c.id, to.id)
}

// A top keeps the best candidates: size of them in a heap whose root is the worst, and others that score almost as
// high as the root. Several goroutines may offer candidates.
type top struct {
	min atomic.Uint32 // the bits of minScore

	mu    sync.Mutex // guards the fields below
	size  int
	limit int // maximum number of candidates together
	heap  []candidate
	near  []candidate                    // score at least engine.Tie less than the root; possibly some more
	count func(id []byte, score float64) // if not nil, receives every candidate, and none is kept
}

func (t *top) reset(size, limit int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.size = size
	t.limit = limit
	t.count = nil
	t.heap, t.near = t.heap[:0], t.near[:0]
	t.raise()
}

// countInstead passes every document that is a hit to count, whatever its score is, and keeps none.
func (t *top) countInstead(count func(id []byte, score float64)) {
	t.reset(0, 0)
	t.count = count
}

// minScore returns the score that a document needs to be among the candidates, rounded down.
func (t *top) minScore() float32 { return math.Float32frombits(t.min.Load()) }

// raise sets the result of minScore.
func (t *top) raise() {
	score := float32(math.Inf(-1))
	if len(t.heap) == t.size && t.size > 0 {
		score = math.Nextafter32(float32(t.heap[0].score-engine.Tie), score)
	}
	t.min.Store(math.Float32bits(score))
}

// offer adds a candidate if its score is high enough.
func (t *top) offer(c candidate) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.count != nil {
		t.count(c.id, c.score)
		return
	}

	if len(t.heap) < t.size {
		t.heap = append(t.heap, c)
		t.moveLastUp()
		t.raise()
		return
	}

	// A candidate that is worse than the root may still tie with it.
	if c.compare(&t.heap[0]) > 0 {
		t.keep(c)
		return
	}

	worst := t.heap[0]
	t.heap[0] = c
	t.moveRootDown()
	t.raise()
	t.keep(worst)
}

// moveLastUp moves the last candidate of the heap up past every parent that is better, since the root is the worst.
func (t *top) moveLastUp() {
	for i := len(t.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if t.heap[i].compare(&t.heap[parent]) <= 0 {
			return
		}
		t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
		i = parent
	}
}

// moveRootDown moves the root of the heap down past every child that is worse.
func (t *top) moveRootDown() {
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(t.heap) {
			return
		}

		// The worse of the two children comes up, so that it is worse than the other one.
		right := child + 1
		if right < len(t.heap) && t.heap[right].compare(&t.heap[child]) > 0 {
			child = right
		}

		if t.heap[child].compare(&t.heap[i]) <= 0 {
			return
		}
		t.heap[i], t.heap[child] = t.heap[child], t.heap[i]
		i = child
	}
}

// keep adds a candidate that is not in the heap to those near it, if its score is high enough.
func (t *top) keep(c candidate) {
	if c.score < t.heap[0].score-engine.Tie || t.limit == t.size {
		return
	}
	if t.near = append(t.near, c); len(t.near) >= 2*t.limit {
		t.sortNear()
	}
}

// sortNear removes the candidates near the heap whose score is too low by now, sorts the others, and keeps the best.
func (t *top) sortNear() {
	t.near = slices.DeleteFunc(t.near, func(c candidate) bool { return c.score < t.heap[0].score-engine.Tie })
	slices.SortFunc(t.near, func(a, b candidate) int { return a.compare(&b) })
	t.near = t.near[:min(len(t.near), t.limit-t.size)]
}

// sorted returns the candidates, best first. The top must be reset afterwards.
func (t *top) sorted() []candidate {
	if len(t.near) > 0 {
		t.sortNear()
	}
	slices.SortFunc(t.heap, func(a, b candidate) int { return a.compare(&b) })
	return append(t.heap, t.near...)
}
