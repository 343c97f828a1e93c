package encoding

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

// batchSize is the number of records that are read at once. Profiles that matches ask for wait for one batch.
const batchSize = 8

// ticksPerLook is the number of ticks after which Run looks for changes that nobody has told it about, and tries again
// after a failure. It notices another live index at every tick.
const ticksPerLook = 30

// Run keeps the vectors of the live index up to date until ctx ends.
func (s *Service) Run(ctx context.Context) {
	ticker := time.NewTicker(s.Tick)
	defer ticker.Stop()
	reported := ""
	look := true
	for ticks := 1; ; {
		if look || reported == "" {
			reported = s.report(ctx, s.updateAlone(ctx, look), reported)
		}

		select {
		case <-ctx.Done():
			return
		case <-s.wake:
			look = false
		case <-ticker.C:
			look = ticks%ticksPerLook == 0
			ticks++
		}
	}
}

// report logs an error, unless the last call logged the same one. It returns the error's text, or "" without an error.
func (s *Service) report(ctx context.Context, err error, last string) string {
	if err == nil || ctx.Err() != nil {
		return ""
	}
	if err.Error() != last {
		s.Log.ErrorContext(ctx, "profiles not encoded", "error", err)
	}
	return err.Error()
}

// Complete encodes all profiles of the live index that are not encoded yet. It waits while Run does so.
func (s *Service) Complete(ctx context.Context) error { return s.updateAlone(ctx, true) }

// updateAlone calls update, but never twice at the same time.
func (s *Service) updateAlone(ctx context.Context, look bool) error {
	s.running.Lock()
	defer s.running.Unlock()
	return s.update(ctx, look)
}

// Stored returns how many profiles of the live index have vectors in the store, and the size of the store in bytes; 0
// if it is empty. It needs no encoder, changes nothing, and works while another process encodes.
func (s *Service) Stored(ctx context.Context) (p Progress, size int64, err error) {
	size, err = s.Store.Read(ctx)
	if err != nil || size == 0 {
		return p, 0, err
	}

	snapshot, err := s.Index.Open(ctx, s.Alias)
	if err != nil {
		return p, 0, fmt.Errorf("open the live index: %w", err)
	}
	reviser, ok := snapshot.(engine.Revisions)
	if !ok {
		return p, 0, errNoRevisions
	}
	all, missing, err := compare(ctx, reviser, s.Store)
	if err != nil {
		return p, 0, err
	}

	return progressOf(all, missing), size, nil
}

// errNoRevisions means that the engine can't list the revisions of records.
var errNoRevisions = errors.New("this engine doesn't say which records have changed")

// errReplaced means that the alias points to another index than before.
var errReplaced = errors.New("the live index was replaced")

// update encodes the wanted profiles, and with look all others that lack vectors.
func (s *Service) update(ctx context.Context, look bool) error {
	encoder, err := s.open()
	if err != nil {
		return err
	}
	w := &worker{Service: s, store: s.Store, encoder: encoder}
	for {
		snapshot, err := s.Index.Open(ctx, s.Alias)
		if errors.Is(err, engine.ErrNotFound) {
			return nil // nothing has been loaded
		}
		if err != nil {
			return fmt.Errorf("open the live index: %w", err)
		}

		if look = look || snapshot.Info().Name != s.listed.Name; look {
			err = w.lookThrough(ctx, snapshot)
		} else {
			err = w.encodeWanted(ctx, snapshot)
		}
		if !errors.Is(err, errReplaced) {
			return err
		}
	}
}

// A worker encodes profiles for a service.
type worker struct {
	*Service
	store   Store // of the service, or of an index that isn't live yet
	encoder Encoder
}

// lookThrough encodes all profiles that lack vectors, and erases the vectors of other freelancers.
func (w *worker) lookThrough(ctx context.Context, snapshot engine.Snapshot) error {
	if err := w.store.Follow(ctx); err != nil {
		return err
	}

	if !w.store.Leads() {
		return w.assist(ctx, snapshot)
	}

	reviser, ok := snapshot.(engine.Revisions)
	if !ok {
		return errNoRevisions
	}

	// Changes in place advance the time of the last change.
	info := snapshot.Info()
	isComplete := info.Name == w.listed.Name && w.Progress().Done
	isUnchanged := info.Updated.Equal(w.listed.Updated) && info.Documents == w.listed.Documents
	if isComplete && isUnchanged {
		return w.encodeWanted(ctx, snapshot)
	}

	// To list the records, Elasticsearch reads all of them, so an index that changes often isn't listed each time.
	isRecent := time.Since(w.listedAt) < w.Relist
	if isComplete && isRecent {
		return w.assist(ctx, snapshot)
	}

	// What a load has encoded needs no encoding, and counts at once.
	if stager, ok := w.store.(Stager); ok {
		if err := stager.Adopt(info.Name); err != nil {
			return err
		}
	}

	w.listedAt = time.Now()
	all, missing, err := compare(ctx, reviser, w.store)
	if err != nil {
		return err
	}
	w.setProgress(progressOf(all, missing))

	// Others are erased first, so that the vectors of freelancers who are added meanwhile stay.
	if err := w.store.Retain(ctx, all); err != nil {
		return err
	}
	if err := w.encodeMissing(ctx, snapshot, missing); err != nil {
		return err
	}

	w.mu.Lock()
	w.progress.Done = true
	w.mu.Unlock()
	w.listed = info
	if len(missing) > 0 {
		w.Log.InfoContext(ctx, "profiles encoded", "index", info.Name, "profiles", len(missing))
	}

	return nil
}

// assist encodes what somebody has asked this process for, without listing all records. What is stored then is close to
// what is encoded.
func (w *worker) assist(ctx context.Context, snapshot engine.Snapshot) error {
	if err := w.encodeWanted(ctx, snapshot); err != nil {
		return err
	}
	stored, err := w.store.Count(ctx)
	if err != nil {
		return err
	}

	all := snapshot.Info().Documents
	isDone := stored >= all || w.store.Leads() // when it was listed
	w.setProgress(Progress{Freelancers: all, Encoded: min(stored, all), Done: isDone})

	// A process that takes the lead lists everything.
	if !w.store.Leads() {
		w.listed = engine.Info{Name: snapshot.Info().Name}
		w.listedAt = time.Time{}
	}

	return nil
}

func (w *worker) setProgress(p Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.progress = p
}

// compare returns the keys of all freelancers in an index, and the IDs of those without vectors of their records.
func compare(
	ctx context.Context, reviser engine.Revisions, store Store,
) (all map[engine.HashedID]bool, missing []string, err error) {
	all = map[engine.HashedID]bool{}
	err = reviser.EachRevision(ctx, func(id string, revision uint64) {
		all[engine.HashID(id)] = true
		if !store.Has(id, revision) {
			missing = append(missing, id)
		}
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list the records: %w", err)
	}
	return all, missing, nil
}

func progressOf(all map[engine.HashedID]bool, missing []string) Progress {
	return Progress{Freelancers: len(all), Encoded: len(all) - len(missing), Done: len(missing) == 0}
}

// encodeMissing encodes profiles, and before each batch those that matches have asked for meanwhile.
func (w *worker) encodeMissing(ctx context.Context, snapshot engine.Snapshot, missing []string) error {
	for len(missing) > 0 {
		live, err := w.Index.Open(ctx, w.Alias)
		if err != nil {
			return fmt.Errorf("open the live index: %w", err)
		}
		if live.Info().Name != snapshot.Info().Name {
			return errReplaced
		}

		// The live snapshot has the newest records.
		if err := w.encodeWanted(ctx, live); err != nil {
			return err
		}
		batch := missing[:min(batchSize, len(missing))]
		if err := w.encode(ctx, live, batch); err != nil {
			return err
		}

		missing = missing[len(batch):]
		w.mu.Lock()
		w.progress.Encoded += len(batch)
		w.mu.Unlock()
	}
	return nil
}

// encodeWanted encodes the profiles that somebody has asked for.
func (w *worker) encodeWanted(ctx context.Context, snapshot engine.Snapshot) error {
	for {
		ids := w.takeWanted(batchSize)
		if len(ids) == 0 || !w.store.Writes() { // another process notices by itself
			return nil
		}
		if err := w.encode(ctx, snapshot, ids); err != nil {
			return err
		}
	}
}

// encode encodes the profiles that have no vectors of their current records.
func (w *worker) encode(ctx context.Context, snapshot engine.Snapshot, ids []string) error {
	stored, err := w.encodeRecords(ctx, snapshot, ids)
	if err != nil {
		return err
	}
	return w.forgetDeleted(ctx, idsOf(stored))
}

// encodeRecords encodes the profiles that have no vectors of their current records, and returns their records, which
// may have been deleted meanwhile. A damaged record stays as it is until somebody restores it.
func (w *worker) encodeRecords(
	ctx context.Context, snapshot engine.Snapshot, ids []string,
) (stored []*matching.Freelancer, err error) {
	reviser, ok := snapshot.(engine.Revisions)
	if !ok {
		return nil, errNoRevisions
	}
	records, err := reviser.Records(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read the records: %w", err)
	}
	entries, err := w.store.Get(ctx, ids)
	if err != nil {
		return nil, err
	}

	var put []string
	var encoded []engine.Encoded
	for i, id := range ids {
		record := &records[i]
		if record.Revision == 0 || entries[i].Revision == record.Revision {
			continue
		}
		if err = w.encodeOne(ctx, record, &entries[i]); err != nil {
			break // those before it are stored
		}
		put = append(put, id)
		encoded = append(encoded, entries[i])
		stored = append(stored, &record.Freelancer)
	}

	return stored, errors.Join(err, w.store.Put(ctx, put, encoded))
}

func idsOf(freelancers []*matching.Freelancer) []string {
	ids := make([]string, len(freelancers))
	for i, f := range freelancers {
		ids[i] = f.ID
	}
	return ids
}

// forgetDeleted erases the vectors of freelancers who were deleted while they were being encoded: who erased them may
// have looked for vectors before there were any.
func (w *worker) forgetDeleted(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	live, err := w.Index.Open(ctx, w.Alias)
	if err != nil {
		return fmt.Errorf("open the live index: %w", err)
	}
	reviser, ok := live.(engine.Revisions)
	if !ok {
		return errNoRevisions
	}
	revisions, err := reviser.Revisions(ctx, ids)
	if err != nil {
		return fmt.Errorf("read the revisions of the records: %w", err)
	}

	var deleted []string
	for i, id := range ids {
		if revisions[i] == 0 {
			deleted = append(deleted, id)
		}
	}
	if len(deleted) == 0 {
		return nil
	}

	return w.store.Erase(ctx, deleted)
}

// encodeOne brings the vectors of a record up to date. It computes them only if the texts have changed.
func (w *worker) encodeOne(ctx context.Context, record *engine.Record, e *engine.Encoded) error {
	short, whole := w.profileTexts(&record.Freelancer)
	sum := sha256.Sum256([]byte(short + "\x00" + whole))
	text := binary.LittleEndian.Uint64(sum[:])

	isKnown := e.Revision != 0 && e.Text == text
	if !isKnown {
		if w.Pause != nil {
			if err := w.Pause(ctx); err != nil {
				return err
			}
		}
		if err := setVectors(ctx, w.encoder, e, short, whole); err != nil {
			return err
		}
	}

	e.Revision = record.Revision
	e.Text = text

	return nil
}

// setVectors encodes two texts. Nothing is similar to the vector of an empty one.
func setVectors(ctx context.Context, encoder Encoder, e *engine.Encoded, short, whole string) (err error) {
	vector := func(text string) (matching.Vector, error) {
		if text == "" {
			return make(matching.Vector, engine.EncodedDimensions), nil
		}
		return encoder.Encode(ctx, text)
	}
	if e.Short, err = vector(short); err != nil {
		return err
	}
	if whole == short { // most profiles have no description
		e.Whole = e.Short
		return nil
	}
	e.Whole, err = vector(whole)
	return err
}
