package encoding

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"freelancer-matching/engine"
	"freelancer-matching/internal/matching"
	"freelancer-matching/match/encoding/vectorfile"
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

// Stored returns how many profiles of the live index have vectors in the file, and the size of the file in bytes; 0 if
// there is none. It needs no encoder, changes nothing on disk, and works while another process encodes.
func (s *Service) Stored(ctx context.Context) (p Progress, size int64, err error) {
	info, err := os.Stat(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, 0, nil
	}
	if err != nil {
		return p, 0, fmt.Errorf("read the vectors: %w", err)
	}

	snapshot, err := s.Index.Open(ctx, s.Alias)
	if err != nil {
		return p, 0, fmt.Errorf("open the live index: %w", err)
	}
	reviser, ok := snapshot.(engine.Revisions)
	if !ok {
		return p, 0, errNoRevisions
	}

	file := s.newFile()
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := file.Read(); err != nil {
		return p, 0, err
	}
	all, missing, err := compare(ctx, reviser, file)
	if err != nil {
		return p, 0, err
	}

	return progressOf(all, missing), info.Size(), nil
}

// errNoRevisions means that the engine can't list the revisions of records.
var errNoRevisions = errors.New("this engine doesn't say which records have changed")

// errReplaced means that the alias points to another index than before.
var errReplaced = errors.New("the live index was replaced")

// update encodes the wanted profiles, and with look all others that lack vectors.
func (s *Service) update(ctx context.Context, look bool) error {
	o, err := s.open()
	if err != nil {
		return err
	}
	w := &worker{Service: s, file: o.file, encoder: o.encoder}
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
	file    *vectorfile.File
	encoder Encoder
}

// lookThrough encodes all profiles that lack vectors, and erases the vectors of other freelancers.
func (w *worker) lookThrough(ctx context.Context, snapshot engine.Snapshot) error {
	if err := w.file.Follow(); err != nil {
		return err
	}

	reviser, ok := snapshot.(engine.Revisions)
	if !ok {
		return errNoRevisions
	}

	// Changes in place advance the time of the last change.
	info := snapshot.Info()
	isUnchanged := info.Name == w.listed.Name && info.Updated.Equal(w.listed.Updated) &&
		info.Documents == w.listed.Documents
	if isUnchanged && w.Progress().Done {
		return w.encodeWanted(ctx, snapshot)
	}

	all, missing, err := compare(ctx, reviser, w.file)
	if err != nil {
		return err
	}

	w.mu.Lock()
	w.progress = progressOf(all, missing)
	w.mu.Unlock()

	// Another process may encode. Then the next look finds more of its vectors.
	if !w.file.Writes() {
		w.listed = engine.Info{Name: info.Name}
		return nil
	}

	// First, so that those who are added meanwhile stay.
	if err := w.file.Retain(all); err != nil {
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

// compare returns the keys of all freelancers in an index, and the IDs of those without vectors of their records.
func compare(
	ctx context.Context, reviser engine.Revisions, file *vectorfile.File,
) (all map[vectorfile.Key]bool, missing []string, err error) {
	all = map[vectorfile.Key]bool{}
	err = reviser.EachRevision(ctx, func(id string, revision uint64) {
		all[vectorfile.KeyOf(id)] = true
		if !file.Has(id, revision) {
			missing = append(missing, id)
		}
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list the records: %w", err)
	}
	return all, missing, nil
}

func progressOf(all map[vectorfile.Key]bool, missing []string) Progress {
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
		if len(ids) == 0 || !w.file.Writes() { // another process notices by itself
			return nil
		}
		if err := w.encode(ctx, snapshot, ids); err != nil {
			return err
		}
	}
}

// encode encodes the profiles that have no vectors of their current records.
func (w *worker) encode(ctx context.Context, snapshot engine.Snapshot, ids []string) error {
	reviser, ok := snapshot.(engine.Revisions)
	if !ok {
		return nil
	}
	revisions, err := reviser.Revisions(ctx, ids)
	if err != nil {
		return fmt.Errorf("read the revisions of the records: %w", err)
	}

	for i, id := range ids {
		if revisions[i] == 0 || w.file.Has(id, revisions[i]) {
			continue
		}

		// A record may be erased meanwhile, and a damaged one stays as it is until somebody restores it.
		freelancers, err := snapshot.Fetch(ctx, []string{id})
		_, isDamaged := errors.AsType[*engine.DamagedError](err)
		if isDamaged || errors.Is(err, engine.ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read the record: %w", err)
		}
		if err := w.encodeOne(ctx, &freelancers[0], revisions[i]); err != nil {
			return err
		}
	}

	return w.forgetDeleted(ctx, ids)
}

// forgetDeleted erases the vectors of freelancers who were deleted while they were being encoded: who erased them may
// have looked for vectors before there were any.
func (w *worker) forgetDeleted(ctx context.Context, ids []string) error {
	live, err := w.Index.Open(ctx, w.Alias)
	if err != nil {
		return fmt.Errorf("open the live index: %w", err)
	}
	reviser, ok := live.(engine.Revisions)
	if !ok {
		return nil
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

	return w.file.Delete(deleted)
}

// encodeOne stores the vectors of a freelancer. It computes them only if the texts have changed.
func (w *worker) encodeOne(ctx context.Context, f *matching.Freelancer, revision uint64) error {
	short, whole := w.Texts(f)
	short = cut(short, maxProfile)
	whole = cut(whole, maxProfile)
	sum := sha256.Sum256([]byte(short + "\x00" + whole))
	text := binary.LittleEndian.Uint64(sum[:])

	e, known := w.file.Get(f.ID)
	if !known || e.Text != text {
		if w.Pause != nil {
			if err := w.Pause(ctx); err != nil {
				return err
			}
		}

		var err error
		if e.Vectors, err = w.vectors(ctx, short, whole); err != nil {
			return err
		}
	}

	e.Revision = revision
	e.Text = text

	return w.file.Put(f.ID, &e)
}

// vectors encodes two texts. Nothing is similar to the vector of an empty one.
func (w *worker) vectors(ctx context.Context, short, whole string) (p vectorfile.Pair, err error) {
	vector := func(text string) (matching.Vector, error) {
		if text == "" {
			return make(matching.Vector, vectorfile.Dimensions), nil
		}
		return w.encoder.Encode(ctx, text)
	}
	if p.Short, err = vector(short); err != nil {
		return p, err
	}
	if whole == short { // most profiles have no description
		p.Whole = p.Short
		return p, nil
	}
	p.Whole, err = vector(whole)
	return p, err
}
