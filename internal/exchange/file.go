package exchange

import (
	"bytes"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// checkEvery is how often the file is read to see whether it has changed. It needs no notifications from the file
// system, which get lost when a folder is mounted or a symbolic link is replaced.
const checkEvery = 10 * time.Second

// A File holds the current table of a file that may be replaced while the server runs. It is safe for concurrent use.
// A nil File has no table.
type File struct {
	name    string
	maxAge  int // days
	now     func() time.Time
	log     *slog.Logger
	current atomic.Pointer[Table]

	mu      sync.Mutex
	checked time.Time // when the file was last read
	content []byte    // of the file, usable or not
	warned  string    // the day on which the log last warned about the age of the rates
}

// Open loads the table of a file. On each day on which the rates are used and older than maxAge days, it logs a
// warning.
func Open(name string, maxAge int, now func() time.Time, log *slog.Logger) (*File, error) {
	content, table, err := load(name)
	if err != nil {
		return nil, err
	}
	f := &File{name: name, maxAge: maxAge, now: now, log: log, checked: now(), content: content}
	f.use(table)
	f.warn(table)
	return f, nil
}

// Table returns the current table. A replaced file counts within checkEvery. If the new file is unusable, the previous
// table stays in use, and the log has the reason.
func (f *File) Table() *Table {
	if f == nil {
		return nil
	}
	f.check()
	return f.current.Load()
}

// Stale reports whether the rates are older than the maximum age, or dated in the future.
func (f *File) Stale() bool {
	return f != nil && f.stale(f.Table().Age(f.now()))
}

func (f *File) stale(age int) bool {
	return age > f.maxAge || age < -1 // it may be tomorrow already where the rates come from
}

// check reads the file if the last time was long enough ago. Concurrent callers don't wait for it.
func (f *File) check() {
	if !f.mu.TryLock() {
		return
	}
	defer f.mu.Unlock()

	now := f.now()
	if now.Sub(f.checked) < checkEvery {
		return
	}

	// A file that can't be read keeps the rates that are in use: old rates are better than none, and the log says so.
	f.checked = now
	content, table, err := load(f.name)
	if !bytes.Equal(content, f.content) {
		f.content = content
		if err == nil {
			f.use(table)
		} else {
			f.log.Error("exchange rates not reloaded, the previous ones stay in use", "error", err)
		}
	}

	f.warn(f.current.Load())
}

func (f *File) use(t *Table) {
	f.current.Store(t)
	f.log.Info("exchange rates loaded", "file", f.name, "date", t.Date(), "currencies", len(t.perBase))
}

// warn logs once a day that the rates are old.
func (f *File) warn(t *Table) {
	now := f.now()
	age := t.Age(now)
	today := now.UTC().Format(time.DateOnly)
	if f.stale(age) && f.warned != today {
		f.warned = today
		f.log.Warn("exchange rates are not current; replace the file", "file", f.name, "date", t.Date(), "age_days", age,
			"max_age_days", f.maxAge)
	}
}
