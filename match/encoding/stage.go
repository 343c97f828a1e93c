package encoding

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// stageBatch is the number of profiles after which Stage looks who was erased meanwhile.
const stageBatch = 128

// A Staging says how Stage encodes the profiles of an index.
type Staging struct {
	// Erased returns a function that reports whether a freelancer has been erased, or nil if nobody has.
	Erased  func(context.Context) (func(*matching.Freelancer) bool, error)
	Observe func(done, total int) // called after each batch
}

// Stage encodes the profiles of a complete index before it goes live, on all processors. It leaves the vectors of the
// live index as they are, and neither waits for a server that leads nor stops one: the vectors stay apart until a
// server or Complete finds the index live. Vectors that are stored already are used again, those of an interrupted
// call, too. Only one process may call it at a time.
func (s *Service) Stage(ctx context.Context, index engine.Snapshot, o Staging) error {
	stager, ok := s.Store.(Stager)
	reviser, hasRevisions := index.(engine.Revisions)
	if !ok || !hasRevisions {
		return errors.New("on this engine, profiles are encoded in the live index only")
	}

	if err := s.stage(ctx, stager, index, reviser, o); err != nil {
		return err
	}

	return stager.Publish(index.Info().Name)
}

// stage encodes the profiles of an index into a stage of the store.
func (s *Service) stage(
	ctx context.Context, stager Stager, index engine.Snapshot, reviser engine.Revisions, o Staging,
) (err error) {
	encoder, err := s.open()
	if err != nil {
		return err
	}
	live, err := s.Index.Open(ctx, s.Alias)
	liveName := ""
	if err == nil { // nothing is live before the first load, and a damaged index must not stop its replacement
		liveName = live.Info().Name
	}
	stage, err := stager.Stage(liveName)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stage.Close()) }()

	if _, err := stager.Read(ctx); err != nil {
		return err
	}
	if err := stage.Follow(ctx); err != nil {
		return err
	}
	if !stage.Leads() {
		return errors.New("another process is encoding the profiles of a load")
	}

	w := &worker{Service: s, store: onTop{Store: stage, base: stager}, encoder: encoder}
	all, missing, err := compare(ctx, reviser, w.store)
	if err != nil {
		return err
	}
	if err := stage.Retain(ctx, all); err != nil { // an earlier load may have had other people
		return err
	}

	done := 0
	for batch := range slices.Chunk(missing, stageBatch) {
		if err := w.stageBatch(ctx, index, batch, o.Erased); err != nil {
			return err
		}
		done += len(batch)
		o.Observe(done, len(missing))
	}

	return nil
}

// stageBatch encodes profiles, and forgets those of people who were erased meanwhile.
//
// An erasure lists the person first and looks for vectors afterward. So either it finds the vectors, or the person is
// on the list once the vectors are stored. The list is read even after an interruption, because the vectors stay.
func (w *worker) stageBatch(
	ctx context.Context, index engine.Snapshot, ids []string,
	erased func(context.Context) (func(*matching.Freelancer) bool, error),
) error {
	stored, err := w.encodeInParallel(ctx, index, ids)
	isErased, listErr := erased(context.WithoutCancel(ctx))
	err = errors.Join(err, listErr)
	if isErased == nil { // nobody has been erased, or the list can't be read
		return err
	}

	stored = slices.DeleteFunc(stored, func(f *matching.Freelancer) bool { return !isErased(f) })
	if len(stored) == 0 {
		return err
	}
	return errors.Join(err, w.store.Erase(ctx, idsOf(stored)))
}

// encodeInParallel encodes profiles on all processors. It returns the records whose vectors were stored, also if others
// fail.
func (w *worker) encodeInParallel(
	ctx context.Context, index engine.Snapshot, ids []string,
) (stored []*matching.Freelancer, err error) {
	processors := runtime.GOMAXPROCS(0)
	partSize := (len(ids) + processors - 1) / processors

	var mu sync.Mutex // guards stored
	group, ctx := errgroup.WithContext(ctx)
	for part := range slices.Chunk(ids, partSize) {
		group.Go(func() error {
			freelancers, err := w.encodeRecords(ctx, index, part)
			mu.Lock()
			defer mu.Unlock()
			stored = append(stored, freelancers...)
			return err
		})
	}
	err = group.Wait()

	return stored, err
}

// onTop is a store whose vectors come before those of another one, which it never changes.
type onTop struct {
	Store
	base Store
}

// Has implements Store.
func (s onTop) Has(id string, revision uint64) bool {
	return s.Store.Has(id, revision) || s.base.Has(id, revision)
}

// Get implements Store.
func (s onTop) Get(ctx context.Context, ids []string) ([]engine.Encoded, error) {
	encoded, err := s.Store.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	others, err := s.base.Get(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i := range encoded {
		if encoded[i].Revision == 0 {
			encoded[i] = others[i]
		}
	}
	return encoded, nil
}
