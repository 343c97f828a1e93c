package sectionfile

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freelancer-matching/service/engine"
)

// A File is a section file that a segment or a directory was read from. If it is mapped into memory, their slices
// are parts of it, so code that uses them must keep the File reachable, which Guard does. The file is unmapped
// after the garbage collector has found that nothing refers to the File any more.
//
// The file itself stays open, for verify, until then.
type File struct {
	*Sections

	verifying sync.Mutex
	verdict   atomic.Pointer[verdict] // nil before the file was verified
}

// A verdict says whether a file is as it was written.
type verdict struct {
	err error // wraps engine.ErrDamaged; nil if the file is intact
}

// MappedFrom is the size in bytes of the smallest index file that is mapped, about that of 150,000 freelancers.
const MappedFrom = 64 << 20

// Open opens an index file. Files of at least mapFrom bytes are mapped into memory if that is possible. The
// sections of others are read, which takes some 10 ms; they are verified at once, and nothing that happens to the file
// later affects searches.
func Open(path string, mapFrom int64) (*File, error) {
	s, err := OpenSections(path)
	if err != nil {
		return nil, err
	}
	f := &File{Sections: s}
	stat, err := s.file.Stat()
	if err != nil {
		return nil, errors.Join(err, s.file.Close())
	}
	if s.err == nil && stat.Size() >= mapFrom {
		s.mapped = mapFile(s.file, stat.Size())
	}
	if s.mapped != nil {
		runtime.AddCleanup(f, func(b []byte) { _ = unmap(b) }, s.mapped)
	} else {
		f.verdict.Store(&verdict{}) // reading the sections verifies them
	}
	return f, nil
}

// Release takes the mapped pages out of the memory of the process, if the operating system can do that.
func (f *File) Release() {
	if f != nil && f.mapped != nil {
		_ = release(f.mapped) // otherwise they stay until the operating system needs the memory
	}
}

// Verify verifies the checksums of all sections, unless that was done before. It doesn't use the mapping, so that it
// fills the cache of the operating system but not the memory of the process. If pause is not nil, verify calls it after
// every few milliseconds of work with the time that it took. The error wraps engine.ErrDamaged if the file is not as it
// was written.
func (f *File) Verify(ctx context.Context, pause func(context.Context, time.Duration) error) error {
	if f == nil {
		return nil
	}

	f.verifying.Lock()
	defer f.verifying.Unlock()

	var interrupted error
	tick := func(worked time.Duration) error {
		if interrupted = ctx.Err(); interrupted == nil && pause != nil {
			interrupted = pause(ctx, worked)
		}
		return interrupted
	}
	for i := range f.table {
		if f.verdict.Load() != nil {
			return f.Damage()
		}

		if err := f.verify(i, tick); interrupted != nil {
			return interrupted
		} else if err != nil {
			return f.Fail(err)
		}
	}

	f.verdict.CompareAndSwap(nil, &verdict{})
	return f.Damage()
}

// Intact reports whether the file was verified and is not known to be damaged.
func (f *File) Intact() bool {
	if f == nil {
		return true
	}
	v := f.verdict.Load()
	return v != nil && v.err == nil
}

// Damage returns an error that wraps engine.ErrDamaged if the file is known to be damaged.
func (f *File) Damage() error {
	if f == nil {
		return nil
	}
	if v := f.verdict.Load(); v != nil {
		return v.err
	}
	return nil
}

// Fail records that the file is damaged, and returns the error.
func (f *File) Fail(err error) error {
	f.verdict.Store(&verdict{fmt.Errorf("%w: %s", engine.ErrDamaged, err.Error())})
	return f.Damage()
}

// Guard protects a function that uses slices of a mapped file, in one goroutine:
//
//	defer f.guard(&err)()
//
// It keeps the file mapped until the function returns. If the function panics because the file is damaged, or can't be
// read any more, err is set to an error that wraps engine.ErrDamaged. Other panics pass through: an index out of range
// in a file that was verified is a mistake of the program.
func (f *File) Guard(err *error) (end func()) {
	if f == nil || f.mapped == nil {
		return func() {}
	}
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		defer runtime.KeepAlive(f)
		cause := recover()
		if cause == nil {
			return
		}

		fault, isRuntime := cause.(runtime.Error)
		_, isAddress := cause.(interface{ Addr() uintptr }) // the operating system couldn't read a page
		v := f.verdict.Load()
		verified := v != nil && v.err == nil
		if !isRuntime || verified && !isAddress {
			panic(cause)
		}

		*err = errors.Join(*err, f.Fail(fmt.Errorf("%s: %w", f.Name, fault)))
	}
}
