package embedded

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/changelog"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
	"github.com/freelancer-matching/service/engine/embedded/segment"
)

// A tracker reads the entries that are appended to the log of an index. It holds a shared lock, which keeps merges from
// replacing the log.
type tracker struct {
	e    *Engine
	name string
	d    *datadir.Description
	log  *changelog.Log
	lock *flock.Flock
	from changelog.Position
}

const (
	trackedLockFile = "tracked.lock"
	// trackedLockRetry is the time between attempts to lock the log while a merge replaces it.
	trackedLockRetry = 10 * time.Millisecond
)

// Track implements engine.Changer.
func (e *Engine) Track(ctx context.Context, index string) (engine.Tracker, error) {
	t := &tracker{e: e, name: index}
	if err := t.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("track: %w", err), t.Close())
	}
	return t, nil
}

func (t *tracker) open(ctx context.Context) error {
	if _, err := t.e.root.Complete(t.name); err != nil {
		return err
	}
	dir := filepath.Join(t.e.root.Path, t.name)
	t.lock = flock.New(filepath.Join(dir, trackedLockFile))
	if _, err := t.lock.TryRLockContext(ctx, trackedLockRetry); err != nil {
		return fmt.Errorf("lock %s: %w", t.lock.Path(), err)
	}

	err := t.e.root.Stable(t.name, func(_ os.FileInfo, d *datadir.Description) (err error) {
		t.d = d
		t.log, err = datadir.OpenLog(dir, d, false)
		return err
	})
	if err == nil {
		t.from, err = t.e.root.ReadLog(ctx, t.log, changelog.Position{}, func([]changelog.Entry) error { return nil })
	}

	if err != nil {
		return fmt.Errorf("index %q: %w", t.name, datadir.LogError(err))
	}

	return nil
}

// Close implements engine.Tracker.
func (t *tracker) Close() error {
	var err error
	if t.log != nil {
		err = t.log.Close()
	}
	if t.lock != nil {
		err = errors.Join(err, t.lock.Unlock())
	}
	return err
}

// Changed implements engine.Tracker.
func (t *tracker) Changed(ctx context.Context) iter.Seq2[engine.Changed, error] {
	return func(yield func(engine.Changed, error) bool) {
		fail := func(err error) {
			yield(engine.Changed{}, fmt.Errorf("changes of index %q: %w", t.name, datadir.LogError(err)))
		}

		if _, err := t.e.root.Complete(t.name); err != nil { // it was dropped
			fail(err)
			return
		}

		records := map[string]*segment.Location{} // nil for a document that was deleted
		end, err := t.e.root.ReadLog(ctx, t.log, t.from, func(batch []changelog.Entry) error {
			for i := range batch {
				switch entry := &batch[i]; entry.Kind {
				case changelog.Put:
					records[entry.ID] = segment.LocationIn(t.log.File(), entry.Record)
				case changelog.Delete, changelog.Deleted:
					records[entry.ID] = nil
				default: // erased
				}
			}

			return ctx.Err()
		})
		if err != nil {
			fail(err)
			return
		}

		for id, record := range records {
			c := engine.Changed{ID: id}
			if record != nil {
				if c.Freelancer, err = record.Freelancer(); err != nil {
					fail(err)
					return
				}
			}

			if !yield(c, ctx.Err()) || ctx.Err() != nil {
				return
			}
		}

		t.from = end
	}
}
