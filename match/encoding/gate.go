package encoding

import (
	"context"
	"sync"
	"time"
)

// A Gate makes work in the background wait while requests run. It is safe for concurrent use.
type Gate struct {
	mu      sync.Mutex
	running int           // requests
	idle    chan struct{} // closed when the last request ends; nil while none runs
}

// Enter notes that a request begins. The caller must call leave when it ends.
func (g *Gate) Enter() (leave func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running++; g.running == 1 {
		g.idle = make(chan struct{})
	}
	return g.leave
}

func (g *Gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running--; g.running == 0 {
		close(g.idle)
		g.idle = nil
	}
}

// Wait waits until no request runs, or until limit yields a value, so that constant traffic doesn't stop the work.
func (g *Gate) Wait(ctx context.Context, limit <-chan time.Time) error {
	g.mu.Lock()
	idle := g.idle
	g.mu.Unlock()
	if idle == nil {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-idle:
	case <-limit:
	}
	return nil
}
