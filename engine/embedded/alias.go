package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"
	"time"

	"freelancer-matching/engine"
)

// A target is the content of an alias file.
type target struct {
	Index    string    `json:"index"`
	Previous string    `json:"previous,omitempty"`
	Moved    time.Time `json:"moved"`
}

// A watch keeps the index that an alias points to in memory. Once current is set, readers never wait.
type watch struct {
	alias    string
	current  atomic.Pointer[index]
	mu       sync.Mutex // held while loading; guards the fields below
	seen     target     // the last target loaded, or tried
	retry    time.Time  // when to retry a target that failed to load; zero if none failed
	reported string     // the last error logged
}

// retryAfter is the time between attempts to load the same target, each of which reads the whole index.
const retryAfter = 30 * time.Second

// target reads the alias file. It returns an error wrapping engine.ErrNotFound if the alias points to nothing.
func (e *Engine) target(alias string) (target, error) {
	path, err := e.path(alias, aliasSuffix)
	if err != nil {
		return target{}, fmt.Errorf("alias: %w", err)
	}
	t, err := readJSON[target](path)
	if errors.Is(err, fs.ErrNotExist) {
		return target{}, fmt.Errorf("alias %q: %w", alias, engine.ErrNotFound)
	}
	if err != nil {
		return target{}, fmt.Errorf("alias %q: %w", alias, err)
	}
	return *t, nil
}

// Alias implements engine.Indexer.
func (e *Engine) Alias(ctx context.Context, alias string) (index, previous string, err error) {
	t, err := e.target(alias)
	if errors.Is(err, engine.ErrNotFound) {
		return "", "", ctx.Err()
	}
	if err != nil {
		return "", "", err
	}
	if t.Previous != "" {
		if _, _, err := e.describe(t.Previous); errors.Is(err, engine.ErrNotFound) {
			t.Previous = "" // it was dropped
		}
	}
	return t.Index, t.Previous, ctx.Err()
}

// PointAlias replaces the alias file. If this engine serves the alias, it serves the new index when PointAlias returns;
// other processes notice within their poll interval.
func (e *Engine) PointAlias(ctx context.Context, alias, index string) (previous string, err error) {
	d, _, err := e.describe(index)
	if err != nil {
		return "", fmt.Errorf("point alias %q: %w", alias, err)
	}
	if d.Files == nil {
		return "", fmt.Errorf("point alias %q: index %q: %w: it is incomplete", alias, index, engine.ErrConflict)
	}
	current, previous, err := e.Alias(ctx, alias)
	if err != nil {
		return "", fmt.Errorf("point alias %q: %w", alias, err)
	}
	if current == index {
		return previous, nil
	}
	path, err := e.path(alias, aliasSuffix)
	if err != nil {
		return "", fmt.Errorf("point alias: %w", err)
	}
	if err := writeJSON(path, target{Index: index, Previous: current, Moved: time.Now()}); err != nil {
		return "", fmt.Errorf("point alias %q: %w", alias, err)
	}
	e.mu.Lock()
	w := e.watched[alias]
	e.mu.Unlock()
	if w != nil {
		e.follow(ctx, w)
	}
	return current, nil
}

// Open implements engine.Searcher. The first Open of an alias loads its index and starts to watch the alias.
func (e *Engine) Open(ctx context.Context, alias string) (engine.Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w, first, err := e.watch(alias)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	if first || w.current.Load() == nil {
		e.follow(ctx, w)
	}
	if x := w.current.Load(); x != nil {
		return x, nil
	}
	if _, err := e.target(alias); err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	// Not wrapped: a missing index must not look like an alias that points to nothing yet.
	return nil, fmt.Errorf("open: %s", w.reported)
}

// watch returns the watch of an alias and reports whether it is new. The first watch starts the polling.
func (e *Engine) watch(alias string) (w *watch, first bool, err error) {
	if _, err := e.path(alias, aliasSuffix); err != nil {
		return nil, false, fmt.Errorf("alias: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if w := e.watched[alias]; w != nil {
		return w, false, nil
	}
	if e.closed {
		return nil, false, errors.New("the engine is closed")
	}
	if e.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		e.stop = stop
		e.done.Go(func() { e.pollAliases(ctx) })
	}
	w = &watch{alias: alias}
	e.watched[alias] = w
	return w, true, nil
}

// pollAliases follows every watched alias until the engine is closed.
func (e *Engine) pollAliases(ctx context.Context) {
	ticker := time.NewTicker(e.poll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		e.mu.Lock()
		watched := make([]*watch, 0, len(e.watched))
		for _, w := range e.watched {
			watched = append(watched, w)
		}
		e.mu.Unlock()
		for _, w := range watched {
			e.follow(ctx, w)
		}
	}
}

// follow loads the index that the alias points to, unless it is loaded already. After an error, the loaded index stays
// in service.
func (e *Engine) follow(ctx context.Context, w *watch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t, err := e.target(w.alias)
	if errors.Is(err, engine.ErrNotFound) && w.current.Load() == nil {
		return // the alias points to nothing yet
	}
	if err != nil {
		w.report(ctx, e, err)
		return
	}
	if t == w.seen && (w.retry.IsZero() || time.Now().Before(w.retry)) {
		return
	}
	start := time.Now()
	x, err := e.load(t.Index)
	w.seen = t
	if err != nil {
		w.retry = time.Now().Add(retryAfter)
		w.report(ctx, e, err)
		return
	}
	w.retry, w.reported = time.Time{}, ""
	w.current.Store(x)
	e.log.InfoContext(ctx, "index loaded", "alias", w.alias, "index", t.Index, "documents", x.info.Documents,
		"seconds", time.Since(start).Seconds())
}

// report logs an error, unless it is the same as the last one.
func (w *watch) report(ctx context.Context, e *Engine, err error) {
	if err.Error() != w.reported {
		w.reported = err.Error()
		e.log.ErrorContext(ctx, "index not loaded", "alias", w.alias, "error", err)
	}
}
