package embedded

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
)

const (
	// mergeShare is the share of one processor core that a merge in the background takes.
	mergeShare = .15
	// verifyShare is the share of one processor core that verifying an index takes.
	verifyShare = .25
	// A merge starts when the log has more changes than a share of the documents, and some thousand.
	mergeChanges, mergeMinimum = .1, 5000
	// urgentChanges is the share of changes from which on a merge hurries, because it can't keep up.
	urgentChanges = .4
	// mergeAge is the age of the oldest change from which on changes are merged however few there are. Until then, the
	// files have the records that were replaced.
	mergeAge = 24 * time.Hour
	// defaultEraseAfter is the default of Options.EraseAfter.
	defaultEraseAfter = time.Hour
	// finishAfter is the time after which a deletion whose data was not erased must have been interrupted.
	finishAfter = 2 * time.Second
	// maintainRetry is the time until another attempt after background work has failed.
	maintainRetry = 30 * time.Second
)

// maintain starts the work in the background that an index in service needs, unless some is under way.
func (e *Engine) maintain(ctx context.Context, w *watch) {
	if work := e.maintenanceOf(ctx, w); work != nil {
		e.done.Go(work)
	}
}

// maintenanceOf returns the work that an index in service needs, or nil. Until the work is done, it returns nil.
func (e *Engine) maintenanceOf(ctx context.Context, w *watch) (work func()) {
	s := w.current.Load()
	if s == nil || !w.maintaining.CompareAndSwap(false, true) {
		return nil
	}
	var do func(context.Context, *watch) error

	if !e.now().Before(w.nextMaintenance) {
		do = s.nextMaintenance(e.now(), e.eraseAfter)
	}

	if do == nil {
		w.maintaining.Store(false)
		return nil
	}

	return func() {
		defer w.maintaining.Store(false)

		err := do(ctx, w)
		if err != nil && ctx.Err() == nil {
			e.log.ErrorContext(ctx, "index not maintained", "index", s.name, "error", err, "hint", engine.Remedy(err))
		}

		if err != nil {
			w.nextMaintenance = e.now().Add(maintainRetry)
		}
	}
}

// nextMaintenance returns the next work that s needs, or nil.
func (s *served) nextMaintenance(now time.Time, eraseAfter time.Duration) func(context.Context, *watch) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	switch {
	case s.replaced, s.damaged:
		return nil
	case !s.view.Load().Stored().Intact():
		return s.verify
	case s.hasOldBase:
		return s.reload
	case !s.leftoversRemoved:
		s.leftoversRemoved = true
		return func(context.Context, *watch) error { return s.removeLeftovers() }
	case len(s.unerased) > 0 && now.Sub(s.unerasedSince) > finishAfter:
		return func(ctx context.Context, _ *watch) error { return s.finishErasing(ctx) }
	}

	// A merge removes what the search structures still hold of deleted documents, and the records that were replaced.
	documents := float64(s.view.Load().Totals.Documents)
	changes := float64(s.entries)
	hasManyChanges := changes > max(mergeMinimum, mergeChanges*documents)
	hasOldDeletion := !s.deletion.IsZero() && now.Sub(s.deletion) >= eraseAfter
	hasOldChange := !s.oldest.IsZero() && now.Sub(s.oldest) >= mergeAge
	isDue := hasManyChanges || hasOldDeletion || hasOldChange
	if !isDue {
		return nil
	}

	share := mergeShare
	if changes > max(mergeMinimum, urgentChanges*documents) {
		share = 1
	}
	return func(ctx context.Context, _ *watch) error { return s.merge(ctx, share) }
}

// verify verifies the checksums of an index in service. A damaged index is not searched any more. While the pages of
// the index are in memory, it also builds the columns of filters, so that no search has to.
func (s *served) verify(ctx context.Context, w *watch) error {
	v := s.view.Load()
	pause := pacer(verifyShare)
	err := v.Verify(ctx, pause)
	if err == nil {
		err = v.BuildColumns(ctx, pause)
	}
	if !engine.Unusable(err) {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.damaged = true
	if w.current.Load() == s { // otherwise, the alias was moved
		err = fmt.Errorf("index %q: %w", s.name, err)
		s.e.log.ErrorContext(ctx, "index damaged", "alias", w.alias, "error", err, "hint", engine.Remedy(err))
		w.reported = err.Error()
		w.fail(ctx, s.e, s.name, err)
	}
	return nil
}

// pacer returns a function that sleeps so that work takes no more than a share of a processor core.
func pacer(share float64) func(ctx context.Context, worked time.Duration) error {
	return func(ctx context.Context, worked time.Duration) error {
		if share >= 1 {
			return ctx.Err()
		}
		timer := time.NewTimer(time.Duration(float64(worked) * (1/share - 1)))
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
			return nil
		}
	}
}

// reload loads the base that another process has written.
func (s *served) reload(ctx context.Context, w *watch) error {
	next, err := s.e.load(ctx, s.name)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.current.Load() != s { // the alias was moved
		next.close()
		return nil
	}
	s.e.serve(w, next)
	return nil
}

// merge merges the changes into a new base, unless another process does.
func (s *served) merge(ctx context.Context, share float64) (err error) {
	unlock, err := s.tryLockMerge()
	if unlock == nil || err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	start := s.e.now()
	c := &compaction{e: s.e, name: s.name, dir: s.dir, share: share}
	if err := c.run(ctx, s); err != nil {
		return fmt.Errorf("merge changes: %w", err)
	}
	s.e.log.InfoContext(ctx, "changes merged", "index", s.name, "documents", c.next.Documents,
		"seconds", s.e.now().Sub(start).Seconds())
	return nil
}

// removeLeftovers removes what an interrupted merge has left.
func (s *served) removeLeftovers() error {
	unlock, err := s.tryLockMerge()
	if unlock == nil || err != nil {
		return err
	}
	return errors.Join(datadir.RemoveOtherGenerations(s.dir), unlock())
}

// tryLockMerge locks the base against merges. It returns nil if another process holds the lock.
func (s *served) tryLockMerge() (unlock func() error, err error) {
	lock := flock.New(filepath.Join(s.dir, mergeLockFile))
	if ok, err := lock.TryLock(); !ok || err != nil {
		return nil, err
	}
	return lock.Unlock, nil
}

// finishErasing erases the data of deleted documents if the process that deleted them was killed.
func (s *served) finishErasing(ctx context.Context) error {
	st, err := s.e.newStore(s.name)
	if err != nil {
		return err
	}
	defer st.close()
	unlock, err := s.e.lockStore(ctx, st, func() (bool, error) { return true, nil }) // it erases
	if err == nil {
		err = unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(err, s.followErasures())
}

// followErasures forgets the deletions whose data was erased.
func (s *served) followErasures() error {
	if len(s.unerased) == 0 {
		return nil
	}
	left := s.unerased[:0]
	for _, offset := range s.unerased {
		pending, err := s.log.Pending(offset)
		if err != nil {
			return err
		}

		if pending {
			left = append(left, offset)
		}
	}

	if s.unerased = left; len(left) == 0 {
		s.unerasedSince = time.Time{}
	} else if s.unerasedSince.IsZero() {
		s.unerasedSince = s.e.now()
	}

	return nil
}
