package embedded

import (
	"math"
	"math/bits"
	"slices"
)

// Small segments are merged geometrically: four segments of about the same size become one, so that a document takes
// part in one merge each time its segment grows fourfold. Statistics are settled, and segments built for another mean
// length are rebuilt, at costs that are proportional to the changes that make it necessary.
const (
	fanOut = 4
	// maxMerged is the number of documents from which on a segment is never merged in memory. Only a new base replaces
	// it.
	maxMerged = blockSize
	// inlineDocuments limits the documents that a job of apply may touch, so that it takes a millisecond or two.
	inlineDocuments = 512
	// unsettledShare is the share of a segment's documents that may be gone but still count in document frequencies.
	unsettledShare = 1. / 1000
	// maxDrift is the relative difference between the mean length of an index and the one for which a segment's impacts
	// were computed. At the limit, the score of a term is off by half a code at most.
	maxDrift = 1. / 128
)

// A job improves a view without changing what it contains. run may take long, needs no lock, and can be called from any
// goroutine, once; finish then applies the result to a view, which may have changed since, but not concurrently.
type job struct {
	shared *shared
	parts  []*part
	base   *segment // whose classes merged segments share
	mean   float64
	merge  bool // otherwise, settle parts[0]

	merged *segment
	counts *counts
}

// due returns the next job that v needs, or nil. Only a small one, which apply does itself, if small is set.
func (v *view) due(small bool) *job {
	j := &job{shared: v.shared, base: v.parts[0].segment, mean: v.totals.meanLength()}
	fits := func(parts []*part) bool {
		documents := 0
		for _, p := range parts {
			documents += len(p.lengths)
		}
		j.parts = parts
		return !small || documents <= v.shared.inline
	}

	first := 0 // the first part that may be merged
	for i, p := range v.parts {
		if len(p.lengths) > maxMerged {
			first = i + 1
		}
	}

	for end := len(v.parts); end > first; {
		size := sizeClass(v.parts[end-1])
		start := end - 1
		for start > first && sizeClass(v.parts[start-1]) < size {
			start--
		}

		absorbs := start < end-1
		for !absorbs && start > first && sizeClass(v.parts[start-1]) == size {
			start--
		}

		if (absorbs || end-start >= fanOut) && fits(v.parts[start:end]) {
			j.merge = true
			return j
		}

		end = start
	}

	for i, p := range v.parts {
		if i >= first && drifted(p, j.mean) && fits(v.parts[i:i+1]) {
			j.merge = true
			return j
		}

		if float64(p.pending) > unsettledShare*float64(len(p.lengths)) && fits(v.parts[i:i+1]) {
			return j
		}
	}

	return nil
}

// drifted reports whether the impacts of a segment were computed for another mean length than the current one.
func drifted(p *part, mean float64) bool {
	return math.Abs(p.meanLength-mean) > maxDrift*max(1, mean)
}

// sizeClass returns the size class of a part: the logarithm of its live documents to the base fanOut, rounded down.
func sizeClass(p *part) int { return (bits.Len(uint(p.alive)) - 1) / (bits.Len(fanOut) - 1) }

// maintain does the small jobs that are due.
func (v *view) maintain() *view {
	for j := v.due(true); j != nil; j = v.due(true) {
		j.run()
		v = j.put(v)
	}
	return v
}

// run does the work.
func (j *job) run() {
	if j.merge {
		j.merged = merge(j.shared.rotations, j.parts, j.mean, j.base)
	} else {
		j.counts = j.parts[0].settle()
	}
}

// finish returns v with the result of run, unless the parts are not in v any more.
func (j *job) finish(v *view) *view { return j.put(v).maintain() }

func (j *job) put(v *view) *view {
	if j.merge {
		return v.replace(j.parts, newPart(j.merged))
	}
	i := slices.IndexFunc(v.parts, func(p *part) bool { return p.segment == j.parts[0].segment })
	if i < 0 {
		return v
	}
	settled := *v.parts[i]
	settled.counts = j.counts
	settled.settled = j.parts[0].dead
	settled.pending = len(settled.dead.since(settled.settled))
	changed := *v
	changed.parts = slices.Clone(v.parts)
	changed.parts[i] = &settled
	return &changed
}

// replace returns v with a merged part in the place of those it was merged from, whose tombstones may have changed
// since. It returns v itself if they are not in v any more.
func (v *view) replace(old []*part, merged *part) *view {
	at := slices.IndexFunc(v.parts, func(p *part) bool { return p.segment == old[0].segment })
	if at < 0 || at+len(old) > len(v.parts) {
		return v
	}
	var later []uint32
	for i, p := range old {
		now := v.parts[at+i]
		if now.segment != p.segment {
			return v
		}

		for _, doc := range now.dead.since(p.dead) {
			number, _ := merged.ids.find(string(p.id(doc)))
			later = append(later, merged.docOf[number])
		}
	}

	merged = merged.without(later)
	changed := *v
	changed.parts = slices.Clone(v.parts[:at])

	if merged.alive > 0 || at == 0 {
		changed.parts = append(changed.parts, merged)
	}
	changed.parts = append(changed.parts, v.parts[at+len(old):]...)

	return &changed
}
