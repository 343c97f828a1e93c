package embedded

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"freelancer-matching/engine"
)

// A baseFile is a section file that a segment or a directory was read from. If it is mapped into memory, their slices
// are parts of it, so code that uses them must keep the baseFile reachable, which guard does. The file is unmapped
// after the garbage collector has found that nothing refers to the baseFile any more.
//
// The file itself stays open, for verify, until then.
type baseFile struct {
	*sections

	verifying sync.Mutex
	verdict   atomic.Pointer[verdict] // nil before the file was verified
}

// A verdict says whether a file is as it was written.
type verdict struct {
	err error // wraps engine.ErrDamaged; nil if the file is intact
}

// mappedFrom is the size in bytes of the smallest index file that is mapped, about that of 150,000 freelancers.
const mappedFrom = 64 << 20

// openBaseFile opens an index file. Files of at least mapFrom bytes are mapped into memory if that is possible. The
// sections of others are read, which takes some 10 ms; they are verified at once, and nothing that happens to the file
// later affects searches.
func openBaseFile(path string, mapFrom int64) (*baseFile, error) {
	s, err := openSections(path)
	if err != nil {
		return nil, err
	}
	f := &baseFile{sections: s}
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

// release takes the mapped pages out of the memory of the process, if the operating system can do that.
func (f *baseFile) release() {
	if f != nil && f.mapped != nil {
		_ = release(f.mapped) // otherwise they stay until the operating system needs the memory
	}
}

// verify verifies the checksums of all sections, unless that was done before. It doesn't use the mapping, so that it
// fills the cache of the operating system but not the memory of the process. If pause is not nil, verify calls it after
// every few milliseconds of work with the time that it took. The error wraps engine.ErrDamaged if the file is not as it
// was written.
func (f *baseFile) verify(ctx context.Context, pause func(context.Context, time.Duration) error) error {
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
			return f.damage()
		}

		if err := f.sections.verify(i, tick); interrupted != nil {
			return interrupted
		} else if err != nil {
			return f.fail(err)
		}
	}

	f.verdict.CompareAndSwap(nil, &verdict{})
	return f.damage()
}

// intact reports whether the file was verified and is not known to be damaged.
func (f *baseFile) intact() bool {
	if f == nil {
		return true
	}
	v := f.verdict.Load()
	return v != nil && v.err == nil
}

// damage returns an error that wraps engine.ErrDamaged if the file is known to be damaged.
func (f *baseFile) damage() error {
	if f == nil {
		return nil
	}
	if v := f.verdict.Load(); v != nil {
		return v.err
	}
	return nil
}

// fail records that the file is damaged, and returns the error.
func (f *baseFile) fail(err error) error {
	f.verdict.Store(&verdict{fmt.Errorf("%w: %s", engine.ErrDamaged, err.Error())})
	return f.damage()
}

// guard protects a function that uses slices of a mapped file, in one goroutine:
//
//	defer f.guard(&err)()
//
// It keeps the file mapped until the function returns. If the function panics because the file is damaged, or can't be
// read any more, err is set to an error that wraps engine.ErrDamaged. Other panics pass through: an index out of range
// in a file that was verified is a mistake of the program.
func (f *baseFile) guard(err *error) (end func()) {
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
		if v := f.verdict.Load(); !isRuntime || !isAddress && v != nil && v.err == nil {
			panic(cause)
		}
		*err = errors.Join(*err, f.fail(fmt.Errorf("%s: %w", f.name, fault)))
	}
}
