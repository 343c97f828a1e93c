package search

import (
	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/view"
)

// A Snapshot is a view that can be searched. Each of its methods guards the files that the view is part of.
type Snapshot struct{ *view.View }

var (
	_ engine.Snapshot = Snapshot{}
	_ engine.Ranker   = Snapshot{}
)

// borrow returns working memory for a search, which must be put back into the pool of the index.
func (v Snapshot) borrow() *scratch {
	s, ok := v.Shared.Scratch.Get().(*scratch)
	if !ok {
		s = new(scratch)
	}
	s.workFor(&s.leads)
	return s
}

// giveBack returns the memory of a search to the pool, without lists that may be large, and without what would keep the
// view in memory.
func (v Snapshot) giveBack(s *scratch) {
	clear(s.leads.unions)
	clear(s.leads.blocks)
	s.progress = nil
	v.Shared.Scratch.Put(s)
}
