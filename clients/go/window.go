package matching

import (
	"context"
	"time"
)

const (
	// maxAhead is how many changes may be sent before their results arrive.
	maxAhead = 1000

	// patience is how long to wait for results, before the silence is taken for a proxy that wants the whole request. The
	// server takes a second to refuse a request whose body goes on.
	patience = 5 * time.Second
)

// A window keeps the changes that are sent from running far ahead of the results. While a connection is written to that
// the server closes, what the server has sent may be lost, such as the results and the reason.
type window struct {
	places    chan struct{} // one for each change without a result
	patience  time.Duration
	isUseless bool // known to the goroutine that enters
}

// enter waits until there is room for another change. It reports whether it may be sent.
func (w *window) enter(ctx context.Context) bool {
	if w.isUseless {
		return ctx.Err() == nil
	}

	timer := time.NewTimer(w.patience)
	defer timer.Stop()
	select {
	case w.places <- struct{}{}:
		return true
	case <-timer.C:
		w.isUseless = true
		return true
	case <-ctx.Done():
		return false
	}
}

// leave notes that a change has its result.
func (w *window) leave() {
	select {
	case <-w.places:
	default: // the window is no longer used
	}
}
