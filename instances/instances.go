// Package instances lists the running servers that share a database. Each one stores a heartbeat, which says how far
// it has followed the erasures of the others.
package instances

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"
)

const (
	// BeatEvery is the interval of heartbeats.
	BeatEvery = 5 * time.Second
	// LiveFor is how long a server counts as running after the last heartbeat that another server has seen.
	LiveFor = 30 * time.Second
)

// Embedded is the engine of servers that have indexes of their own.
const Embedded = "embedded"

// An Instance is a running server, as of its last heartbeat.
type Instance struct {
	ID      string    // of its index: it stays the same after a restart, and differs between servers with own indexes
	Host    string    // name of its machine
	Folder  string    // its data folder
	Engine  string    // Embedded or elasticsearch
	Started time.Time // by its own clock, in microseconds
	Seen    time.Time // its last heartbeat, by its own clock, in microseconds
	Index   string    // the live index; "" before the first load
	Erased  int64     // revision of the list of erased people up to which they are deleted from its index
}

// Indexes returns the number of indexes that servers have: one for each with the embedded engine, and one that all
// others share.
func Indexes(list []Instance) (n int) {
	shared := 0
	for _, i := range list {
		if i.Engine == Embedded {
			n++
		} else {
			shared = 1
		}
	}
	return n + shared
}

// A Store keeps the last heartbeats.
type Store interface {
	// Beat stores an instance in place of an earlier one with its ID.
	Beat(ctx context.Context, i Instance) error
	// Instances returns all instances in the order of their IDs.
	Instances(ctx context.Context) ([]Instance, error)
	// RemoveInstance removes an instance, unless its last heartbeat is another than the given one.
	RemoveInstance(ctx context.Context, id string, seen time.Time) error
}

// A Registry sends the heartbeats of this server and watches those of others. It compares no clocks of different
// machines: a server counts as running until its heartbeat hasn't changed for LiveFor by the clock of this one. So a
// registry that has just begun counts all servers in the database. It is safe for concurrent use.
type Registry struct {
	store Store
	now   func() time.Time

	mu      sync.Mutex
	self    Instance
	watched map[string]heartbeat // of other servers, by ID
}

// A heartbeat is what a registry has seen of another server.
type heartbeat struct {
	seen  time.Time // by the other server's clock
	first time.Time // when it was first read, by this server's clock
}

// New returns the registry of a server. The clock must not go back.
func New(store Store, self Instance, now func() time.Time) *Registry {
	self.Started = now().UTC().Truncate(time.Microsecond)
	return &Registry{store: store, now: now, self: self, watched: map[string]heartbeat{}}
}

// ID returns the ID of this server.
func (r *Registry) ID() string { return r.self.ID }

// Beat stores a heartbeat of this server, with its live index and the revision of the list of erased people that it
// has followed.
func (r *Registry) Beat(ctx context.Context, index string, erased int64) error {
	r.mu.Lock()
	// Two heartbeats in a microsecond must differ.
	next := later(r.now().UTC().Truncate(time.Microsecond), r.self.Seen.Add(time.Microsecond))
	r.self.Seen = next
	r.self.Index = index
	r.self.Erased = erased
	self := r.self
	r.mu.Unlock()

	return r.store.Beat(ctx, self)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Leave removes this server from the list. Without it, the others count this server until its heartbeat is too old.
func (r *Registry) Leave(ctx context.Context) error {
	r.mu.Lock()
	self := r.self
	r.mu.Unlock()
	return r.store.RemoveInstance(ctx, self.ID, self.Seen)
}

// Others returns the other servers that are running, in the order of their IDs. It removes those that have stopped.
func (r *Registry) Others(ctx context.Context) ([]Instance, error) {
	stored, err := r.store.Instances(ctx)
	if err != nil {
		return nil, err
	}
	others, stopped := r.watch(stored)
	for _, i := range stopped {
		if err := r.store.RemoveInstance(ctx, i.ID, i.Seen); err != nil {
			return nil, err
		}
	}
	return others, nil
}

// watch remembers the heartbeats of other servers, and tells the running ones from those that have stopped.
func (r *Registry) watch(stored []Instance) (running, stopped []Instance) {
	r.mu.Lock()
	defer r.mu.Unlock()

	now := r.now()
	watched := make(map[string]heartbeat, len(stored))
	for _, i := range stored {
		if i.ID == r.self.ID {
			continue
		}

		known, ok := r.watched[i.ID]
		if !ok || !known.seen.Equal(i.Seen) {
			known = heartbeat{i.Seen, now}
		}
		watched[i.ID] = known

		if now.Sub(known.first) > LiveFor {
			stopped = append(stopped, i)
		} else {
			running = append(running, i)
		}
	}

	// Concurrent calls may have read the rows in another order. Forgetting a server only makes it count for longer.
	r.watched = watched
	slices.SortFunc(running, func(a, b Instance) int { return cmp.Compare(a.ID, b.ID) })

	return running, stopped
}
