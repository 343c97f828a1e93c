package view

import (
	"math"
	"math/bits"
	"slices"

	"github.com/freelancer-matching/service/engine/embedded/segment"
)

// Small segments are merged geometrically: four segments of about the same size become one, so that a document takes
// part in one merge each time its segment grows fourfold. Statistics are settled, and segments built for another mean
// length are rebuilt, at costs that are proportional to the changes that make it necessary.
const (
	fanOut = 4
	// maxMerged is the number of documents from which on a segment is never merged in memory. Only a new base replaces
	// it.
	maxMerged = segment.BlockSize
	// inlineDocuments limits the documents that a job of apply may touch, so that it takes a millisecond or two.
	inlineDocuments = 512
	// unsettledShare is the share of a segment's documents that may be gone but still count in document frequencies.
	unsettledShare = 1. / 1000
	// maxDrift is the relative difference between the mean length of an index and the one for which a segment's impacts
	// were computed. At the limit, the score of a term is off by half a code at most.
	maxDrift = 1. / 128
)

// A Job improves a view without changing what it contains. run may take long, needs no lock, and can be called from any
// goroutine, once; finish then applies the result to a view, which may have changed since, but not concurrently.
type Job struct {
	shared *shared
	parts  []*segment.Part
	base   *segment.Segment // whose classes merged segments share
	mean   float64
	merge  bool // otherwise, settle parts[0]

	merged *segment.Segment
	counts *segment.Counts
}

// Due returns the next job that v needs, or nil. Only a small one, which apply does itself, if small is set.
func (v *View) Due(small bool) *Job {
	mean := v.Totals.MeanLength()
	job := func(parts []*segment.Part, merge bool) *Job {
		return &Job{shared: v.Shared, parts: parts, base: v.Parts[0].Segment, mean: mean, merge: merge}
	}
	fits := func(parts []*segment.Part) bool {
		documents := 0
		for _, p := range parts {
			documents += len(p.Lengths)
		}
		return !small || documents <= v.Shared.Inline
	}

	first := v.firstMergeable()

	// From the newest part back: a part absorbs the smaller ones after it, and fanOut parts of one size class become one.
	for end := len(v.Parts); end > first; {
		size := sizeClass(v.Parts[end-1])
		start := end - 1
		for start > first && sizeClass(v.Parts[start-1]) < size {
			start--
		}

		absorbs := start < end-1
		for !absorbs && start > first && sizeClass(v.Parts[start-1]) == size {
			start--
		}

		isDue := absorbs || end-start >= fanOut
		if isDue && fits(v.Parts[start:end]) {
			return job(v.Parts[start:end], true)
		}
		end = start
	}

	// A part alone is merged to compute its impacts again, or settled to remove what is gone from its frequencies.
	for i, p := range v.Parts {
		alone := v.Parts[i : i+1]
		if !fits(alone) {
			continue
		}
		if i >= first && drifted(p, mean) {
			return job(alone, true)
		}
		if float64(p.Pending) > unsettledShare*float64(len(p.Lengths)) {
			return job(alone, false)
		}
	}

	return nil
}

// firstMergeable returns the number of the first part that may be merged in memory.
func (v *View) firstMergeable() int {
	first := 0
	for i, p := range v.Parts {
		if len(p.Lengths) > maxMerged {
			first = i + 1
		}
	}
	return first
}

// drifted reports whether the impacts of a segment were computed for another mean length than the current one.
func drifted(p *segment.Part, mean float64) bool {
	return math.Abs(p.MeanLength-mean) > maxDrift*max(1, mean)
}

// sizeClass returns the size class of a part: the logarithm of its live documents to the base fanOut, rounded down.
func sizeClass(p *segment.Part) int { return (bits.Len(uint(p.Alive)) - 1) / (bits.Len(fanOut) - 1) }

// maintain does the small jobs that are due.
func (v *View) maintain() *View {
	for j := v.Due(true); j != nil; j = v.Due(true) {
		j.Run()
		v = j.put(v)
	}
	return v
}

// Run does the work.
func (j *Job) Run() {
	if j.merge {
		j.merged = segment.Merge(j.shared.Rotations, j.parts, j.mean, j.base)
	} else {
		j.counts = j.parts[0].Settle()
	}
}

// Finish returns v with the result of run, unless the parts are not in v any more.
func (j *Job) Finish(v *View) *View { return j.put(v).maintain() }

func (j *Job) put(v *View) *View {
	if j.merge {
		return v.replace(j.parts, segment.NewPart(j.merged))
	}
	i := slices.IndexFunc(v.Parts, func(p *segment.Part) bool { return p.Segment == j.parts[0].Segment })
	if i < 0 {
		return v
	}
	settled := *v.Parts[i]
	settled.Counts = j.counts
	settled.Settled = j.parts[0].Dead
	settled.Pending = len(settled.Dead.Since(settled.Settled))
	changed := *v
	changed.Parts = slices.Clone(v.Parts)
	changed.Parts[i] = &settled
	return &changed
}

// replace returns v with a merged part in the place of those it was merged from, whose tombstones may have changed
// since. It returns v itself if they are not in v any more.
func (v *View) replace(old []*segment.Part, merged *segment.Part) *View {
	at := slices.IndexFunc(v.Parts, func(p *segment.Part) bool { return p.Segment == old[0].Segment })
	if at < 0 || at+len(old) > len(v.Parts) {
		return v
	}

	// Documents may have been deleted while the merge ran. They are deleted from its result, too.
	var later []uint32
	for i, p := range old {
		now := v.Parts[at+i]
		if now.Segment != p.Segment {
			return v
		}

		for _, doc := range now.Dead.Since(p.Dead) {
			number, _ := merged.IDs.Find(string(p.ID(doc)))
			later = append(later, merged.DocOf[number])
		}
	}

	merged = merged.Without(later)
	changed := *v
	changed.Parts = slices.Clone(v.Parts[:at])

	if merged.Alive > 0 || at == 0 {
		changed.Parts = append(changed.Parts, merged)
	}
	changed.Parts = append(changed.Parts, v.Parts[at+len(old):]...)

	return &changed
}
