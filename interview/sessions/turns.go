package sessions

import (
	"context"
	"sync"
)

// turns lets one caller at a time have its turn with a key. Its zero value is ready for use.
type turns struct {
	mu   sync.Mutex
	keys map[string]*turn // held or waited for
}

type turn struct {
	held  chan struct{} // has an element while a caller has the turn
	users int           // that hold it or wait for it
}

// take waits for the caller's turn, which ends when it calls leave. It returns an error if ctx ends before.
func (t *turns) take(ctx context.Context, key string) (leave func(), err error) {
	t.mu.Lock()
	k := t.keys[key]
	if k == nil {
		if t.keys == nil {
			t.keys = map[string]*turn{}
		}
		k = &turn{held: make(chan struct{}, 1)}
		t.keys[key] = k
	}

	k.users++
	t.mu.Unlock()
	forget := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if k.users--; k.users == 0 {
			delete(t.keys, key)
		}
	}

	select {
	case k.held <- struct{}{}:
		return func() { <-k.held; forget() }, nil
	case <-ctx.Done():
		forget()
		return nil, context.Cause(ctx)
	}
}
