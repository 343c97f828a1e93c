package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
	"github.com/freelancer-matching/service/engine/embedded/search"
)

// A watch keeps the index that an alias points to in memory. Once current is set, readers never wait.
type watch struct {
	alias    string
	current  atomic.Pointer[served]
	mu       sync.Mutex     // held while loading; guards the fields below
	seen     datadir.Target // the last target loaded, or tried
	retry    time.Time      // when to retry a target that failed to load; zero if none failed
	reported string         // the last error logged
	failed   atomic.Pointer[loadError]

	maintaining     atomic.Bool // whether there is work in the background
	nextMaintenance time.Time   // when to look for work again; guarded by maintaining
}

// A loadError says why an index could not be loaded.
type loadError struct {
	index string
	err   error
}

// retryAfter is the time between attempts to load the same target, each of which reads the whole index.
const retryAfter = 30 * time.Second

// Alias implements engine.Indexer.
func (e *Engine) Alias(ctx context.Context, alias string) (index, previous string, err error) {
	t, problem, err := e.root.Pointers(alias)
	if err != nil {
		return "", "", err
	}
	if problem != nil {
		e.log.WarnContext(ctx, "damaged alias ignored", "error", problem, "hint", engine.Remedy(problem))
	}
	return t.Index, t.Previous, ctx.Err()
}

// PointAlias replaces the alias file. If this engine serves the alias, it serves the new index when PointAlias returns;
// other processes notice within their poll interval.
func (e *Engine) PointAlias(ctx context.Context, alias, index string) (previous string, err error) {
	return e.pointAlias(ctx, alias, index, nil)
}

// SwapAlias does the same as PointAlias if the alias points to the index from.
func (e *Engine) SwapAlias(ctx context.Context, alias, from, index string) (previous string, err error) {
	return e.pointAlias(ctx, alias, index, &from)
}

// pointAlias replaces the alias file. from is nil if it doesn't matter what the alias points to.
func (e *Engine) pointAlias(ctx context.Context, alias, index string, from *string) (previous string, err error) {
	if previous, err = e.replaceAlias(ctx, alias, index, from); err != nil {
		return "", fmt.Errorf("point alias %q: %w", alias, err)
	}
	e.mu.Lock()
	w := e.watched[alias]
	e.mu.Unlock()
	if w != nil {
		e.follow(ctx, w)
	}
	return previous, nil
}

// replaceAlias replaces the alias file and returns the index to which a rollback returns from then on. If from is not
// nil, the alias must point to that index, or to the new one already, as after a move whose answer was lost.
func (e *Engine) replaceAlias(ctx context.Context, alias, index string, from *string) (previous string, err error) {
	unlock, err := e.root.LockAliases(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlock()) }()

	// Changes go to the live index. Under the lock, none is being written, so none ends up in the index that was left.
	unlockChanges, err := e.root.LockChanges(ctx)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, unlockChanges()) }()

	description, dir, err := e.root.Describe(index)
	if err != nil {
		return "", err
	}
	isComplete := description.Files != nil
	if !isComplete {
		return "", fmt.Errorf("index %q: %w: it is incomplete", index, engine.ErrConflict)
	}

	now, _, err := e.root.Pointers(alias) // a damaged alias points nowhere, and is replaced
	if err != nil {
		return "", err
	}
	isExpected := from == nil || now.Index == *from || now.Index == index
	if !isExpected {
		return "", &engine.MovedError{Alias: alias, Expected: *from, Actual: now.Index}
	}

	previous = engine.PreviousIndex(now.Index, now.Previous, index)
	if err := e.root.MoveAlias(alias, now.Index, index, previous); err != nil {
		return "", err
	}

	return previous, datadir.MarkUsed(dir)
}

// CheckAlias implements engine.Checker. For an alias that this engine serves, it also reports the error of the last
// attempt to load the index.
func (e *Engine) CheckAlias(ctx context.Context, alias string) error {
	target, err := e.root.ReadAlias(alias)
	if errors.Is(err, engine.ErrNotFound) {
		return e.checkNothingLost(ctx, alias)
	}
	if err != nil {
		return err
	}

	e.mu.Lock()
	w := e.watched[alias]
	e.mu.Unlock()
	if w != nil {
		if err := w.problem(target.Index); err != nil {
			return err
		}
	}

	// Reading the whole index would take too long, so only the descriptions and sizes of its files are checked.
	err = e.root.Stable(target.Index, func(_ os.FileInfo, d *datadir.Description) error {
		if err := datadir.InspectFiles(filepath.Join(e.root.Path, target.Index), d, new(engine.Info)); err != nil {
			return fmt.Errorf("index %q: %w", target.Index, err)
		}
		return nil
	})

	// An alias never points to an incomplete index, so a missing manifest is damage.
	switch {
	case errors.Is(err, engine.ErrNotFound):
		return datadir.MissingIndex(alias, target.Index)
	case errors.Is(err, engine.ErrConflict):
		return fmt.Errorf("index %q: %w", target.Index, datadir.Damaged("%s is missing", datadir.ManifestFile))
	case err != nil:
		return err
	}

	return ctx.Err()
}

// problem returns why an index could not be loaded, or only without its last change. It returns nil if the watch has
// not tried to load that index.
func (w *watch) problem(index string) error {
	if failed := w.failed.Load(); failed != nil && failed.index == index {
		return failed.err
	}
	if s := w.current.Load(); s != nil && s.name == index {
		return s.endError()
	}
	return nil
}

// checkNothingLost returns an error for an alias without a file: an *engine.AliasError if there are indexes that an
// alias has pointed to, and otherwise one wrapping engine.ErrNotFound, because nothing has been loaded yet.
func (e *Engine) checkNothingLost(ctx context.Context, alias string) error {
	infos, err := e.Indexes(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(infos, func(info engine.Info) bool { return info.Complete && !info.Pending }) {
		return fmt.Errorf("alias %q: %w", alias, engine.ErrNotFound)
	}

	// The alias may have got its first index since the caller looked. An index is used only after its alias points to it,
	// so an alias that is still missing was lost.
	if _, err := e.root.ReadAlias(alias); errors.Is(err, engine.ErrNotFound) {
		return &engine.AliasError{Alias: alias, Reason: "the file is missing, although there are finished indexes"}
	}
	return fmt.Errorf("alias %q: %w: it was made just now", alias, engine.ErrNotFound)
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

	if s := w.current.Load(); s != nil {
		if s.view.Load().Shared.Outdated.Swap(false) { // don't wait for the next poll
			e.follow(ctx, w)
			s = w.current.Load()
		}

		v := s.view.Load()
		if err := v.Stored().Damage(); err != nil {
			return nil, fmt.Errorf("open: index %q: %w", s.name, err)
		}
		return search.Snapshot{View: v}, nil
	}

	if err := e.CheckAlias(ctx, alias); err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}

	return nil, fmt.Errorf("open: alias %q changed while it was being read", alias)
}

// watch returns the watch of an alias and reports whether it is new. The first watch starts the polling.
func (e *Engine) watch(alias string) (w *watch, first bool, err error) {
	if _, err := e.root.PathTo(alias, datadir.AliasSuffix); err != nil {
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
			e.maintain(ctx, w)
		}
	}
}

// follow loads the index that the alias points to. If it is loaded already, follow only makes the changes of other
// processes. After an error, the loaded index stays in service.
func (e *Engine) follow(ctx context.Context, w *watch) {
	w.mu.Lock()
	defer w.mu.Unlock()

	target, err := e.root.ReadAlias(w.alias)
	isMissing := errors.Is(err, engine.ErrNotFound)
	if isMissing && w.current.Load() == nil {
		return // nothing has been loaded yet
	}
	if isMissing {
		err = &engine.AliasError{Alias: w.alias, Reason: "the file is missing"}
	}
	if err != nil {
		w.report(ctx, e, err)
		return
	}

	hasMoved := target != w.seen
	hasFailed := !w.retry.IsZero()
	if !hasMoved && !hasFailed {
		err := w.current.Load().follow()
		if err == nil {
			w.reported = "" // the alias may have been damaged until now
			return
		}

		// An index that has diverged from its files must be loaded again.
		if !errors.Is(err, errDiverged) {
			w.report(ctx, e, err)
			return
		}
	}

	if !hasMoved && time.Now().Before(w.retry) {
		return
	}
	start := time.Now()
	s, err := e.loadVerified(ctx, w, target.Index)
	w.seen = target
	if errors.Is(err, engine.ErrNotFound) {
		err = datadir.MissingIndex(w.alias, target.Index)
	}
	if err != nil {
		w.fail(ctx, e, target.Index, err)
		return
	}

	w.retry = time.Time{}
	w.reported = ""
	w.failed.Store(nil)
	e.serve(w, s)
	e.log.InfoContext(ctx, "index loaded", "alias", w.alias, "index", target.Index,
		"documents", s.view.Load().Totals.Documents, "seconds", time.Since(start).Seconds())
}

// loadVerified loads an index. One that has failed before is served only after all its checksums were verified, because
// loading reads just a part: the index would be served until the same damage is found again.
func (e *Engine) loadVerified(ctx context.Context, w *watch, index string) (*served, error) {
	s, err := e.load(ctx, index)
	if err != nil {
		return nil, err
	}

	failed := w.failed.Load()
	hasFailedBefore := failed != nil && failed.index == index
	if !hasFailedBefore {
		return s, nil
	}

	if err := s.view.Load().Verify(ctx, nil); err != nil {
		s.close()
		return nil, fmt.Errorf("index %q: %w", index, err)
	}
	return s, nil
}

// serve puts an index into service.
func (e *Engine) serve(w *watch, s *served) {
	e.mu.Lock()
	e.serving[s] = struct{}{} // from now on, it shows the changes of this process
	e.mu.Unlock()
	s.mu.Lock()
	if _, err := s.catchUp(); err != nil { // the next poll meets it, too
		e.log.Error("changes not loaded", "index", s.name, "error", err)
	}
	s.mu.Unlock()
	old := w.current.Swap(s)
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.serving, old)
	isAnother := old != nil && old.name != s.name
	if isAnother && e.mergedStores[old.name] != nil {
		e.mergedStores[old.name].close()
		delete(e.mergedStores, old.name)
	}
}

// fail records that an index can't be served, and until when not to load it again.
func (w *watch) fail(ctx context.Context, e *Engine, index string, err error) {
	w.failed.Store(&loadError{index, err})
	w.retry = time.Now().Add(retryAfter)
	w.report(ctx, e, err)
}

// report logs an error, unless it is the same as the last one.
func (w *watch) report(ctx context.Context, e *Engine, err error) {
	if err.Error() != w.reported {
		w.reported = err.Error()
		e.log.ErrorContext(ctx, "index not loaded", "alias", w.alias, "error", err, "hint", engine.Remedy(err))
	}
}
