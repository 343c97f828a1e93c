package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"freelancer-matching/engine"
	"freelancer-matching/engine/embedded/search"
	"freelancer-matching/engine/embedded/sectionfile"
	"freelancer-matching/internal/matching"
)

// An Engine keeps indexes in a directory that several processes may share. Any number of them may search; only the one
// that holds the lock may build indexes. An Engine is safe for concurrent use.
type Engine struct {
	dir  string
	log  *slog.Logger
	poll time.Duration

	eraseAfter time.Duration

	mu      sync.Mutex // guards the fields below
	watched map[string]*watch
	stop    context.CancelFunc // nil before the first Open
	closed  bool
	held    *flock.Flock         // referenced so that the garbage collector doesn't close the file and release the lock
	queues  map[string]*queue    // by alias
	serving map[*served]struct{} // indexes in memory that follow the changes
	fresh   map[string]*store    // by index: what a merge of this process has left for the next writer
	done    sync.WaitGroup

	changing chan struct{} // full while this process holds the lock of changes
	now      func() time.Time

	mapFrom int64 // sectionfile.MappedFrom, unless a test has changed it
}

// Options configure an Engine. The zero value uses the defaults.
type Options struct {
	Log  *slog.Logger  // default slog.Default()
	Poll time.Duration // the interval between checks for changes by other processes; default 100 ms
	// EraseAfter is the time after which traces of deleted documents, such as their words, are removed from an index in
	// service; default one hour. Their records are erased at once.
	EraseAfter time.Duration
}

var (
	_ engine.Searcher = (*Engine)(nil)
	_ engine.Indexer  = (*Engine)(nil)
)

const (
	lockFile      = "indexer.lock"
	aliasLockFile = "alias.lock"
	aliasSuffix   = ".alias"
	defaultPoll   = 100 * time.Millisecond
)

// validName matches the names of indexes and aliases. No such name leads out of the directory or collides with another
// file in it.
var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,127}$`)

// Open returns an engine on a directory, which it creates if necessary.
func Open(dir string, o Options) (*Engine, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("open search engine: %w", err)
	}

	e := &Engine{
		dir:  dir,
		log:  cmp.Or(o.Log, slog.Default()),
		poll: cmp.Or(o.Poll, defaultPoll),

		eraseAfter: cmp.Or(o.EraseAfter, defaultEraseAfter),

		watched: map[string]*watch{},
		queues:  map[string]*queue{},
		serving: map[*served]struct{}{},
		fresh:   map[string]*store{},

		changing: make(chan struct{}, 1),
		now:      time.Now,

		mapFrom: sectionfile.MappedFrom,
	}

	return e, nil
}

// Close stops watching aliases. Snapshots stay readable.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	if e.stop != nil {
		e.stop()
	}
	e.mu.Unlock()
	e.done.Wait()
	return nil
}

// path returns the path of an index or alias, or an error if the name is invalid.
func (e *Engine) path(name, suffix string) (string, error) {
	if !validName.MatchString(name) {
		return "", fmt.Errorf("name %q: want 1 to 128 of a-z, 0-9, - and _, starting with a letter or digit", name)
	}
	return filepath.Join(e.dir, name+suffix), nil
}

// Lock locks a file. The operating system releases the lock when the process ends, even if it crashes.
func (e *Engine) Lock(ctx context.Context, owner string) (release func() error, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	path := filepath.Join(e.dir, lockFile)
	lock := flock.New(path)
	ok, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}

	if !ok {
		holder, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		return nil, fmt.Errorf("lock %s: %w: locked by %s", path, engine.ErrConflict, strings.TrimSpace(string(holder)))
	}

	if err := os.WriteFile(path, []byte(owner+"\n"), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), lock.Unlock())
	}
	e.mu.Lock()
	e.held = lock
	e.mu.Unlock()

	return func() error {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.held == lock {
			e.held = nil
		}
		return lock.Unlock()
	}, nil
}

// Create creates the directory of an index and its spec.json.
func (e *Engine) Create(ctx context.Context, spec engine.Spec) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	dir, err := e.path(spec.Name, "")
	if err != nil {
		return fmt.Errorf("create index: %w", err)
	}

	for _, space := range spec.Vectors {
		if err := space.Check(); err != nil {
			return fmt.Errorf("create index %q: %w", spec.Name, err)
		}
	}

	switch err := os.Mkdir(dir, 0o750); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("create index %q: %w: it already exists", spec.Name, engine.ErrConflict)
	case err != nil:
		return fmt.Errorf("create index %q: %w", spec.Name, err)
	}

	if err := errors.Join(writeJSON(filepath.Join(dir, specFile), newDescription(spec)), syncDir(e.dir)); err != nil {
		return fmt.Errorf("create index %q: %w", spec.Name, err)
	}

	return nil
}

// describe returns the description and the directory of an index, or an error wrapping engine.ErrNotFound if it does
// not exist.
func (e *Engine) describe(name string) (*description, string, error) {
	dir, err := e.path(name, "")
	if err != nil {
		return nil, "", err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, "", fmt.Errorf("index %q: %w", name, engine.ErrNotFound)
	}
	d, err := readDescription(dir)
	if err != nil {
		return nil, "", fmt.Errorf("index %q: %w", name, err)
	}
	return d, dir, nil
}

// Indexes implements engine.Indexer. It finds damage that shows without reading all files: a description that can't be
// read, files that are missing or have another size, and another format.
func (e *Engine) Indexes(ctx context.Context) ([]engine.Info, error) {
	entries, err := os.ReadDir(e.dir)
	if err != nil {
		return nil, fmt.Errorf("list indexes: %w", err)
	}
	infos := []engine.Info{}
	for _, entry := range entries {
		if !entry.IsDir() || !validName.MatchString(entry.Name()) {
			continue
		}
		dir := filepath.Join(e.dir, entry.Name())
		info, err := e.inspect(entry, dir)
		if err != nil {
			return nil, fmt.Errorf("list indexes: %w", err)
		}
		infos = append(infos, info)
	}
	slices.SortStableFunc(infos, func(a, b engine.Info) int { return a.Created.Compare(b.Created) })
	return infos, ctx.Err()
}

// inspect describes the index in a directory.
func (e *Engine) inspect(entry fs.DirEntry, dir string) (engine.Info, error) {
	d, err := readDescription(dir)
	if err != nil {
		info := engine.Info{Name: entry.Name()}
		if !errors.Is(err, fs.ErrNotExist) { // without any description, it was interrupted at once
			info.Fault = err.Error()
		}

		if stat, err := entry.Info(); err == nil {
			info.Created = stat.ModTime()
		}
		info.Bytes, err = sizeOf(dir)
		return info, err
	}

	info := d.info()
	if !info.Complete {
		info.Bytes, err = sizeOf(dir)
		return info, err
	}

	err = e.stable(entry.Name(), func(_ os.FileInfo, d *description) error {
		info = d.info()
		return inspectFiles(dir, d, &info)
	})
	if err != nil {
		info.Fault = err.Error()
	}

	info.Pending = isPending(dir)
	info.Provenance, _ = e.provenance(dir)
	return info, nil
}

// inspectFiles checks the files of a complete index, without reading them as a whole, and adds to its description what
// has changed since the last merge.
func inspectFiles(dir string, d *description, info *engine.Info) error {
	if err := checkHeader(dir, d); err != nil {
		return err
	}
	log, err := openLog(dir, d, false)
	if err != nil {
		return err
	}
	defer log.Close()
	changes, err := log.Summarize()
	if err != nil {
		return err
	}
	info.Documents += changes.Added
	info.Bytes += changes.Bytes
	if !changes.Updated.IsZero() {
		info.Updated = changes.Updated.UTC()
	}
	return nil
}

// isPending reports whether no alias has pointed to a complete index yet.
func isPending(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, pendingFile))
	return err == nil
}

// sizeOf returns the size in bytes of an incomplete index, which another process may be writing.
func sizeOf(dir string) (int64, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	total := int64(0)
	for _, entry := range entries {
		switch stat, err := entry.Info(); {
		case err == nil:
			total += stat.Size()
		case !errors.Is(err, fs.ErrNotExist):
			return 0, err
		}
	}
	return total, nil
}

// Drop implements engine.Indexer. It removes the manifest first, so that a partly removed index counts as incomplete.
func (e *Engine) Drop(ctx context.Context, name string) error {
	dir, err := e.path(name, "")
	if err != nil {
		return fmt.Errorf("drop index: %w", err)
	}
	err = e.removeManifest(ctx, name, dir)
	if err == nil {
		err = e.removeFiles(ctx, dir)
	}
	if err != nil {
		return fmt.Errorf("drop index %q: %w", name, err)
	}
	return nil
}

// removeFiles removes the directory of an index without a manifest. A merge of it ends soon.
func (e *Engine) removeFiles(ctx context.Context, dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock := flock.New(filepath.Join(dir, mergeLockFile))
	if _, err := lock.TryLockContext(ctx, trackedLockRetry); err != nil {
		return fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return errors.Join(os.RemoveAll(dir), syncDir(e.dir), lock.Unlock())
}

// removeManifest makes an index incomplete, so that no alias can point to it from now on. It returns an error if an
// alias does.
func (e *Engine) removeManifest(ctx context.Context, name, dir string) (err error) {
	unlock, err := e.lockAliases(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	unlockChanges, err := e.lockChanges(ctx) // no merge replaces the manifest afterwards
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlockChanges()) }()
	if err := e.checkUnused(name); err != nil {
		return err
	}
	err = os.Remove(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, syncDir(dir))
}

// checkUnused returns an error wrapping engine.ErrConflict if an alias points to an index, or may point to it because
// the alias is damaged. An alias never points to an incomplete index.
func (e *Engine) checkUnused(name string) error {
	paths, err := filepath.Glob(filepath.Join(e.dir, "*"+aliasSuffix))
	if err != nil {
		return err
	}

	for _, path := range paths {
		alias := strings.TrimSuffix(filepath.Base(path), aliasSuffix)
		t, err := e.target(alias)
		if _, isDamaged := errors.AsType[*engine.AliasError](err); isDamaged {
			d, _, err := e.describe(name)
			if err == nil && d.Files == nil || errors.Is(err, engine.ErrNotFound) {
				continue
			}
			return fmt.Errorf("%w: the alias %q is damaged and may point to it", engine.ErrConflict, alias)
		}

		if err != nil && !errors.Is(err, engine.ErrNotFound) {
			return err
		}
		if t.Index == name {
			return fmt.Errorf("%w: the alias %q points to it", engine.ErrConflict, alias)
		}
	}

	return nil
}

// Scan implements engine.Indexer. If the search structures can't be read, it reads the records alone.
func (e *Engine) Scan(ctx context.Context, name string) iter.Seq2[matching.Freelancer, error] {
	return func(yield func(matching.Freelancer, error) bool) {
		s, err := e.load(ctx, name)
		if err == nil {
			defer s.close()
			err = s.view.Load().CheckAll(ctx)
		}
		if format, ok := errors.AsType[*engine.FormatError](err); engine.Unusable(err) && (!ok || !format.Later()) {
			e.salvage(ctx, name, err, yield)
			return
		}
		if err != nil {
			yield(matching.Freelancer{}, fmt.Errorf("scan: %w", err))
			return
		}
		s.view.Load().Scan(ctx)(yield)
	}
}

// OpenIndex opens a complete index and verifies its checksums. Its memory is freed when the snapshot is no longer
// referenced.
func (e *Engine) OpenIndex(ctx context.Context, name string) (engine.Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s, err := e.load(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	if err := s.view.Load().Verify(ctx, nil); err != nil {
		s.close()
		return nil, fmt.Errorf("open: index %q: %w", name, err)
	}
	v, err := s.settled()
	if err != nil {
		return nil, fmt.Errorf("open: index %q: %w", name, err)
	}
	return search.Snapshot{View: v}, nil
}

// provenance reads the provenance of an index. It returns nil if there is none, or if it can't be read: searches don't
// need it. stat identifies the file; nil if it does not exist.
func (e *Engine) provenance(dir string) (p *engine.Provenance, stat os.FileInfo) {
	path := filepath.Join(dir, provenanceFile)
	stat, err := os.Stat(path)
	if err == nil {
		p, err = readJSON[engine.Provenance](path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		e.log.Warn("provenance ignored", "index", filepath.Base(dir), "error", err)
		return nil, stat
	}
	return p, stat
}

// SetProvenance implements engine.Indexer.
func (e *Engine) SetProvenance(ctx context.Context, name string, p *engine.Provenance) error {
	_, err := e.complete(name)
	if err == nil {
		err = writeJSON(filepath.Join(e.dir, name, provenanceFile), p)
	}
	if err != nil {
		return fmt.Errorf("set provenance: %w", err)
	}
	return ctx.Err()
}

// Bulk implements engine.Indexer.
func (e *Engine) Bulk(ctx context.Context, name string, reject engine.RejectFunc) (engine.Bulk, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d, dir, err := e.describe(name)
	if err != nil {
		return nil, fmt.Errorf("bulk: %w", err)
	}
	b, err := newBulk(dir, d, e.log, reject)
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%w: it has already been filled, at least in part", engine.ErrConflict)
	}
	if err != nil {
		return nil, fmt.Errorf("bulk: index %q: %w", name, err)
	}
	return b, nil
}
