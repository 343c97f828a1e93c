// Package resumes reads a folder of resumes as if it were a file with one freelancer per row.
package resumes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
)

// Parser parses resumes. It must be safe for concurrent use, and return a *matching.Error for a file that it can't
// parse.
type Parser interface {
	Parse(ctx context.Context, file []byte) (resume.Resume, error)
}

// Options configure a Folder.
type Options struct {
	Parser   Parser
	Parallel int // files parsed at the same time, at least 1
	MaxBytes int // larger files are rejected
}

// Folder reads the resumes in a folder and its subfolders. It skips links, and names that begin with a dot. It is not
// safe for concurrent use, except for Offset.
type Folder struct {
	options Options
	root    *os.Root
	files   []entry
	size    int64
	offset  atomic.Int64
}

type entry struct {
	path string // relative to the folder, with slashes
	size int64
}

// ErrEmpty is returned by Open if the folder has no files.
var ErrEmpty = errors.New("the folder has no files")

// Open opens a folder and lists its files, in the order of their names.
func Open(folder string, o Options) (*Folder, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	f := &Folder{options: o, root: root}
	if err := fs.WalkDir(root.FS(), ".", f.list); err != nil {
		return nil, errors.Join(fmt.Errorf("list the folder %s: %w", folder, err), root.Close())
	}
	if len(f.files) == 0 {
		return nil, errors.Join(fmt.Errorf("%s: %w", folder, ErrEmpty), root.Close())
	}
	return f, nil
}

// list adds a file to the folder. It is a fs.WalkDirFunc.
func (f *Folder) list(path string, d fs.DirEntry, err error) error {
	switch {
	case err != nil:
		return err
	case strings.HasPrefix(d.Name(), ".") && path != ".":
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	case !d.Type().IsRegular():
		return nil
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	f.files = append(f.files, entry{path, info.Size()})
	f.size += info.Size()
	return nil
}

// Len returns the number of files.
func (f *Folder) Len() int { return len(f.files) }

// Size returns the total size of all files in bytes.
func (f *Folder) Size() int64 { return f.size }

// Offset returns the number of bytes read so far. It is safe for concurrent use.
func (f *Folder) Offset() int64 { return f.offset.Load() }

// Close closes the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Rows yields a row for each file, in order, and parses several files at the same time. A file that can't be parsed is
// a row with a fault. Rows ends with an error if the parser fails for another reason or ctx is done.
func (f *Folder) Rows(ctx context.Context) iter.Seq2[source.Row, error] {
	return func(yield func(source.Row, error) bool) {
		parent := ctx
		ctx, cancel := context.WithCancel(parent)

		// Deferred calls run backward: the readers are canceled before they are awaited, also if the consumer stops early.
		var readers sync.WaitGroup
		defer readers.Wait()
		defer cancel()

		// One channel per file keeps the order. The capacity bounds the results that wait for a slow file before them.
		pending := make(chan chan result, f.options.Parallel)
		slots := make(chan struct{}, f.options.Parallel)
		readers.Go(func() {
			defer close(pending)

			for _, e := range f.files {
				done := make(chan result, 1)
				select {
				case slots <- struct{}{}:
				case <-ctx.Done():
					return
				}

				readers.Go(func() {
					done <- f.read(ctx, e)
					<-slots
				})

				select {
				case pending <- done:
				case <-ctx.Done():
					return
				}
			}
		})

		f.offset.Store(0)
		for done := range pending {
			r := <-done
			f.offset.Add(r.size)
			if !yield(r.row, r.err) || r.err != nil {
				return
			}
		}

		if err := parent.Err(); err != nil {
			yield(source.Row{}, err)
		}
	}
}

type result struct {
	row  source.Row
	err  error
	size int64
}

// read parses a file into a row.
func (f *Folder) read(ctx context.Context, e entry) result {
	row := source.Row{File: e.path}
	reject := func(reason string) result {
		row.Faults = []source.Fault{{Reason: reason}}
		return result{row: row, size: e.size}
	}

	content, err := f.content(e.path)
	if err != nil {
		return reject("the file can't be read: " + err.Error())
	}
	if len(content) > f.options.MaxBytes {
		return reject(fmt.Sprintf("the file is larger than %d bytes", f.options.MaxBytes))
	}

	r, err := f.options.Parser.Parse(ctx, content)
	if known, ok := errors.AsType[*matching.Error](err); ok {
		return reject(known.Message)
	}
	if err != nil {
		return result{err: fmt.Errorf("%s: %w", e.path, err), size: e.size}
	}

	row.Freelancer = r.Freelancer
	if r.Contact.Email != "" {
		row.Freelancer.ID = resume.EmailID(r.Contact.Email) // as in tables, so that one person is one freelancer
	}

	if row.Freelancer.Country != "" {
		row.Derived = rows.CountryFromLocation
	}
	row.Derived |= rows.Derive(&row.Freelancer.Details)

	p := &row.Freelancer
	isEmpty := p.JobTitle == "" && p.Description == "" && len(p.Skills) == 0
	if isEmpty {
		return reject("the resume has no job title, skills or text")
	}

	for _, w := range r.Warnings {
		row.Warnings = append(row.Warnings, source.Fault{Reason: string(w)})
	}

	return result{row: row, size: e.size}
}

// content reads a file, up to one byte more than the limit.
func (f *Folder) content(path string) ([]byte, error) {
	file, err := f.root.Open(filepath.FromSlash(path))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, int64(f.options.MaxBytes)+1))
}
