package embedded

import "freelancer-matching/engine"

// A snapshot is a view that can be searched. Each of its methods guards the files that the view is part of.
type snapshot struct{ *view }

var (
	_ engine.Snapshot = snapshot{}
	_ engine.Ranker   = snapshot{}
)

// borrow returns working memory for a search, which must be put back into the pool of the index.
func (s snapshot) borrow() *scratch {
	if memory, ok := s.shared.scratch.Get().(*scratch); ok {
		return memory
	}
	return new(scratch)
}
