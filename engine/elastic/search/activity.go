package search

import (
	"sync"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/elastic/catalog"
)

// An activity follows the changes that are made to an index while it is searched. It is safe for concurrent use.
type activity struct {
	mu        sync.Mutex         // guards the fields below
	state     catalog.IndexState // when it was last asked for; without shards if it wasn't yet
	invisible bool               // whether operations were noticed that may not have been searchable then
	changes   int64
	changed   time.Time // when a change was last noticed; zero if none was
}

// observe compares a state with the one before.
func (a *activity) observe(now catalog.IndexState, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state.Shards != nil && len(now.Shards) > 0 {
		operations := now.Operations - a.state.Operations
		switch {
		case operations != 0:
			a.changes += max(1, operations)
			a.changed = at
			a.invisible = true
		case a.invisible && now.Refreshes != a.state.Refreshes:
			a.changes++
			a.changed = at
			a.invisible = false
		}
	}
	if len(now.Shards) > 0 {
		a.state = now
	}
}

// note counts changes that this process has made and that are searchable.
func (a *activity) note(changes int, at time.Time) {
	if changes == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.changes += int64(changes)
	a.changed = at
}

// describe sets what changes in place have changed.
func (a *activity) describe(info *engine.Info) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.state.Shards != nil {
		info.Documents = a.state.Documents
	}
	if a.changed.After(info.Updated) {
		info.Updated = a.changed
	}
}

// count returns the number of changes noticed so far. Some are counted twice.
func (a *activity) count() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.changes
}
