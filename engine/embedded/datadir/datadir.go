// Package datadir knows the files of a directory with indexes and aliases: their names and content, and the locks under
// which several processes change them.
package datadir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/changelog"
)

// A Dir is a directory with indexes and aliases that several processes may share.
type Dir struct {
	Path string
	log  *slog.Logger

	changing chan struct{} // full while this process holds the lock of changes
}

// New returns the root in a directory that exists.
func New(dir string, log *slog.Logger) *Dir {
	return &Dir{Path: dir, log: log, changing: make(chan struct{}, 1)}
}

// A Target is the content of an alias file.
type Target struct {
	Index    string    `json:"index"`
	Previous string    `json:"previous,omitempty"`
	Moved    time.Time `json:"moved"`
}

// ReadAlias reads the alias file. It returns an error wrapping engine.ErrNotFound if the file does not
// exist, and an *engine.AliasError if its content is damaged.
func (r *Dir) ReadAlias(alias string) (Target, error) {
	path, err := r.PathTo(alias, AliasSuffix)
	if err != nil {
		return Target{}, fmt.Errorf("alias: %w", err)
	}
	t, err := ReadJSON[Target](path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Target{}, fmt.Errorf("alias %q: %w", alias, engine.ErrNotFound)
	case errors.Is(err, engine.ErrDamaged):
		return Target{}, &engine.AliasError{Alias: alias, Reason: reason(err)}
	case err != nil:
		return Target{}, fmt.Errorf("alias %q: %w", alias, err)
	case !ValidName.MatchString(t.Index):
		return Target{}, &engine.AliasError{Alias: alias, Reason: fmt.Sprintf("it names the index %q", t.Index)}
	}
	return *t, nil
}

// reason returns the text of an error made by damaged, without the word that says so.
func reason(err error) string { return strings.TrimPrefix(err.Error(), engine.ErrDamaged.Error()+": ") }

// Pointers returns what an alias points to: the index and the previous one, each "" if it does not exist. An alias that
// is damaged or points to a missing index is returned as problem.
func (r *Dir) Pointers(alias string) (t Target, problem *engine.AliasError, err error) {
	t, err = r.ReadAlias(alias)
	if p, ok := errors.AsType[*engine.AliasError](err); ok {
		return Target{}, p, nil
	}
	if errors.Is(err, engine.ErrNotFound) {
		return Target{}, nil, nil
	}
	if err != nil {
		return Target{}, nil, err
	}
	if !r.Exists(t.Index) {
		problem = MissingIndex(alias, t.Index)
		t.Index = ""
	}
	if !r.Exists(t.Previous) {
		t.Previous = ""
	}
	return t, problem, nil
}

// Exists reports whether an index exists, complete or not.
func (r *Dir) Exists(name string) bool {
	if !ValidName.MatchString(name) {
		return false
	}
	_, err := os.Stat(filepath.Join(r.Path, name))
	return !errors.Is(err, fs.ErrNotExist)
}

// MissingIndex returns the error of an alias that points to an index without a directory.
func MissingIndex(alias, index string) *engine.AliasError {
	return &engine.AliasError{Alias: alias, Reason: fmt.Sprintf("it points to index %q, which does not exist", index)}
}

// LockAliases keeps other processes from moving aliases and from dropping indexes, for the few milliseconds that this
// takes. The indexer lock doesn't: an alias may be moved while a load holds it.
func (r *Dir) LockAliases(ctx context.Context) (unlock func() error, err error) {
	lock := flock.New(filepath.Join(r.Path, aliasLockFile))
	if _, err := lock.TryLockContext(ctx, aliasLockRetry); err != nil {
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return lock.Unlock, nil
}

// aliasLockRetry is the time between attempts to lock the aliases.
const aliasLockRetry = 5 * time.Millisecond

// MoveAlias replaces an alias file, unless the alias points to the index already.
func (r *Dir) MoveAlias(alias, from, to, previous string) error {
	if from == to {
		return nil
	}
	path, err := r.PathTo(alias, AliasSuffix)
	if err != nil {
		return err
	}
	if from != "" { // settle was interrupted if the index is still pending
		if err := MarkUsed(filepath.Join(r.Path, from)); err != nil {
			return err
		}
	}
	return WriteJSON(path, Target{Index: to, Previous: previous, Moved: time.Now()})
}

// MarkUsed records durably that an alias points, or has pointed, to an index.
func MarkUsed(dir string) error {
	err := os.Remove(filepath.Join(dir, PendingFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, SyncDir(dir))
}

const (
	// LockFile is the name of the lock file of the indexer.
	LockFile      = "indexer.lock"
	aliasLockFile = "alias.lock"
	// AliasSuffix ends the names of the files of aliases.
	AliasSuffix = ".alias"
)

// ValidName matches the names of indexes and aliases. No such name leads out of the directory or collides with another
// file in it.
var ValidName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,127}$`)

// PathTo returns the path of an index or alias, or an error if the name is invalid.
func (r *Dir) PathTo(name, suffix string) (string, error) {
	if !ValidName.MatchString(name) {
		return "", fmt.Errorf("name %q: want 1 to 128 of a-z, 0-9, - and _, starting with a letter or digit", name)
	}
	return filepath.Join(r.Path, name+suffix), nil
}

// Describe returns the description and the directory of an index, or an error wrapping engine.ErrNotFound if it does
// not exist.
func (r *Dir) Describe(name string) (*Description, string, error) {
	dir, err := r.PathTo(name, "")
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

// Inspect describes the index in a directory.
func (r *Dir) Inspect(entry fs.DirEntry, dir string) (engine.Info, error) {
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

	info := d.Info()
	if !info.Complete {
		info.Bytes, err = sizeOf(dir)
		return info, err
	}

	err = r.Stable(entry.Name(), func(_ os.FileInfo, d *Description) error {
		info = d.Info()
		return InspectFiles(dir, d, &info)
	})
	if err != nil {
		info.Fault = err.Error()
	}

	info.Pending = isPending(dir)
	info.Provenance, _ = r.Provenance(dir)
	return info, nil
}

// InspectFiles checks the files of a complete index, without reading them as a whole, and adds to its description what
// has changed since the last merge.
func InspectFiles(dir string, d *Description, info *engine.Info) error {
	if err := checkHeader(dir, d); err != nil {
		return err
	}
	log, err := OpenLog(dir, d, false)
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
	_, err := os.Stat(filepath.Join(dir, PendingFile))
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

// CheckUnused returns an error wrapping engine.ErrConflict if an alias points to an index, or may point to it because
// the alias is damaged. An alias never points to an incomplete index.
func (r *Dir) CheckUnused(name string) error {
	paths, err := filepath.Glob(filepath.Join(r.Path, "*"+AliasSuffix))
	if err != nil {
		return err
	}

	for _, path := range paths {
		alias := strings.TrimSuffix(filepath.Base(path), AliasSuffix)
		t, err := r.ReadAlias(alias)
		if _, isDamaged := errors.AsType[*engine.AliasError](err); isDamaged {
			// It never points to an incomplete index, so that one can be dropped in any case.
			d, _, err := r.Describe(name)
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

// Provenance reads the provenance of an index. It returns nil if there is none, or if it can't be read: searches don't
// need it. stat identifies the file; nil if it does not exist.
func (r *Dir) Provenance(dir string) (p *engine.Provenance, stat os.FileInfo) {
	path := filepath.Join(dir, ProvenanceFile)
	stat, err := os.Stat(path)
	if err == nil {
		p, err = ReadJSON[engine.Provenance](path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		r.log.Warn("provenance ignored", "index", filepath.Base(dir), "error", err)
		return nil, stat
	}
	return p, stat
}

// SameFile reports whether a file that is only ever replaced by renaming was not replaced.
func SameFile(a, b os.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// OpenLog opens the log of the changes to the base that d describes.
func OpenLog(dir string, d *Description, write bool) (*changelog.Log, error) {
	log, err := changelog.Open(filepath.Join(dir, d.ChangesFile()), write)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, Damaged("%s is missing", d.ChangesFile())
	case errors.Is(err, changelog.ErrDamaged):
		return nil, Damaged("%v", err)
	case err != nil:
		return nil, err
	case log.Generation() != d.Generation:
		return nil, errors.Join(Damaged("%s belongs to another generation", d.ChangesFile()), log.Close())
	}
	return log, nil
}

// Complete returns the description of a complete index. The error wraps engine.ErrNotFound if the index doesn't exist
// and engine.ErrConflict if it is incomplete.
func (r *Dir) Complete(name string) (*Description, error) {
	d, _, err := r.Describe(name)
	if err == nil && d.Files == nil {
		err = fmt.Errorf("index %q: %w: it is incomplete", name, engine.ErrConflict)
	}
	return d, err
}

// Stable calls read with the description of a complete index and the file that it comes from. It calls read again if
// that fails because a merge has replaced the files meanwhile.
func (r *Dir) Stable(name string, read func(stat os.FileInfo, d *Description) error) error {
	dir, err := r.PathTo(name, "")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, ManifestFile)
	for attempt := 0; ; attempt++ {
		before, _ := os.Stat(path) // an error shows in the next line
		d, err := r.Complete(name)
		if err == nil {
			err = read(before, d)
		}
		if err == nil || attempt == 3 {
			return err
		}
		if after, statErr := os.Stat(path); statErr != nil || SameFile(before, after) {
			return err
		}
	}
}

// LogError returns the error of a log as an error of this package.
func LogError(err error) error {
	if errors.Is(err, changelog.ErrDamaged) {
		return fmt.Errorf("%w: %w", engine.ErrChangesDamaged, err)
	}
	return err
}

// TryLockChanges does the same as lockChanges, but returns nil if it would have to wait.
func (r *Dir) TryLockChanges() (unlock func() error, err error) {
	select {
	case r.changing <- struct{}{}:
	default:
		return nil, nil
	}
	lock := flock.New(filepath.Join(r.Path, changesLockFile))
	if ok, err := lock.TryLock(); !ok || err != nil {
		<-r.changing
		return nil, err
	}
	return r.unlockChanges(lock), nil
}

func (r *Dir) unlockChanges(lock *flock.Flock) func() error {
	return func() error {
		err := lock.Unlock()
		<-r.changing
		return err
	}
}

// LockChanges keeps everything else, in any process, from writing to a log and from moving an alias.
func (r *Dir) LockChanges(ctx context.Context) (unlock func() error, err error) {
	select { // within a process, waiting is fair and costs nothing
	case r.changing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	lock := flock.New(filepath.Join(r.Path, changesLockFile))
	if _, err := lock.TryLockContext(ctx, changesLockRetry); err != nil {
		<-r.changing
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return r.unlockChanges(lock), nil
}

const (
	changesLockFile = "changes.lock"
	// changesLockRetry is the time between attempts to lock the changes.
	changesLockRetry = time.Millisecond
)

// ReadLog calls do with each batch from a position on, up to one whose write is not complete. Only an interrupted write
// can then be left.
func (r *Dir) ReadLog(
	ctx context.Context, log *changelog.Log, from changelog.Position, do func([]changelog.Entry) error,
) (end changelog.Position, err error) {
	end, err = log.Read(from, do)
	if err != nil {
		return end, err
	}

	size, err := log.Size()
	if err != nil || size <= end.Offset {
		return end, err
	}

	// Another process may be writing, or erasing what was read just now. Under the lock, nobody is.
	unlock, err := r.LockChanges(ctx)
	if err != nil {
		return end, err
	}
	defer func() { err = errors.Join(err, unlock()) }()

	if end, err = log.Read(end, do); err != nil {
		return end, err
	}
	if size, err = log.Size(); err != nil || size <= end.Offset {
		return end, err
	}

	return end, log.Check(end)
}
