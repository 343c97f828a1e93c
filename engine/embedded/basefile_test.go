package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
	"github.com/freelancer-matching/service/engine/embedded/search"
	"github.com/freelancer-matching/service/internal/matching"
)

// mapping returns an engine that maps all index files and does nothing in the background unless the test does, and the
// path of the file of an index with the alias "all".
func mapping(t *testing.T, log *bytes.Buffer) (e *Engine, path string) {
	t.Helper()
	dir := t.TempDir()
	fill(t, open(t, dir), "index", damagedDocuments)
	if _, err := open(t, dir).PointAlias(t.Context(), "all", "index"); err != nil {
		t.Fatal(err)
	}
	return reopen(t, dir, log), filepath.Join(dir, "index", datadir.IndexFile)
}

func reopen(t *testing.T, dir string, log *bytes.Buffer) *Engine {
	t.Helper()
	e, err := Open(dir, Options{Log: slog.New(slog.NewTextHandler(log, nil)), Poll: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	e.mapFrom = 0
	return e
}

// overwrite changes a byte of a file that is mapped.
func overwrite(t *testing.T, path string, at int64, b byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteAt([]byte{b}, at); err != nil {
		t.Fatal(err)
	}
}

// everything calls all methods of a snapshot.
func everything(t *testing.T, s engine.Snapshot) error {
	t.Helper()
	q := &engine.Query{
		Terms:  []engine.Term{{Text: "term-1", Weight: 1, Reference: true}, {Text: "every", Weight: .5}},
		Skills: []engine.SkillClause{{ID: "skill-1", Family: "family", Weight: 1}},
		Semantic: &engine.SemanticClause{
			Vector: matching.Vector{1, 2, 3}, Weight: 1, Floor: -1, Ceiling: 1,
		},
		Size: 10, TextWeight: 1,
	}

	f := engine.Filters{
		MinRating: matching.Some(1.), MustHave: []string{"skill-1"}, Labels: [][]string{{"label"}},
		ExcludeIDs: []string{"id-1"},
	}

	ctx := t.Context()
	_, err := s.Search(ctx, q)
	_, e := s.Vocabulary(ctx)
	err = errors.Join(err, e)
	_, e = s.List(ctx, engine.Filters{}, "", 10)
	err = errors.Join(err, e)
	_, e = s.Count(ctx, f)
	err = errors.Join(err, e)
	_, e = s.CountUnknown(ctx, f)
	err = errors.Join(err, e)
	_, e = s.Statistics(ctx, []string{"skill-1"})
	err = errors.Join(err, e)
	for i := range damagedDocuments {
		if _, e = s.Fetch(ctx, []string{fmt.Sprintf("id-%d", i)}); !errors.Is(e, engine.ErrNotFound) {
			err = errors.Join(err, e)
		}
	}

	return err
}

// Whatever byte of a mapped file changes before it was verified, nothing crashes, and verification finds the damage.
// Opening the file doesn't read its sections.
func TestBaseFile_EveryByte(t *testing.T) {
	e, path := mapping(t, new(bytes.Buffer))
	intact, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	step := 3
	if testing.Short() {
		step = 61
	}
	opened, flipped := 0, 0
	for at := 0; at < len(intact); at += step {
		for _, b := range []byte{0xff, 0, intact[at] ^ 1} {
			if b == intact[at] {
				continue
			}
			overwrite(t, path, int64(at), b)
			s, err := e.load(t.Context(), "index")
			flipped++

			if err == nil {
				opened++
				err = everything(t, search.Snapshot{View: s.view.Load()})
				if verified := s.view.Load().Verify(t.Context(), nil); !errors.Is(verified, engine.ErrDamaged) {
					t.Fatalf("byte %d: verify: %v, want damage", at, verified)
				}
				s.close()
			}

			if err != nil && !engine.Unusable(err) {
				t.Fatalf("byte %d: %v, want damage", at, err)
			}
		}

		overwrite(t, path, int64(at), intact[at])
	}

	if viewOf(mustOpen(t, e)).Stored().IsMapped() && opened < flipped/4 { // half of so small a file is its table
		t.Errorf("the index opened with %d of %d flipped bytes, want more", opened, flipped)
	}
}

// A file that is truncated while it is in service fails requests, but not the process.
func TestBaseFile_Truncated(t *testing.T) {
	e, path := mapping(t, new(bytes.Buffer))
	s, err := e.Open(t.Context(), "all")
	if err != nil {
		t.Fatal(err)
	}
	if !viewOf(s).Stored().IsMapped() {
		t.Skip("files can't be mapped on this system")
	}
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if err := everything(t, s); !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("snapshot: %v, want damage", err)
	}
	if _, err := e.Open(t.Context(), "all"); !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("open: %v, want damage", err)
	}
}

// A scan of a file that is truncated meanwhile ends with an error.
func TestBaseFile_TruncatedScan(t *testing.T) {
	e, path := mapping(t, new(bytes.Buffer))
	if !viewOf(mustOpen(t, e)).Stored().IsMapped() {
		t.Skip("files can't be mapped on this system")
	}
	read := 0
	failed := error(nil)
	for _, err := range e.Scan(t.Context(), "index") {
		if failed = err; err != nil {
			break
		}
		read++
		if err := os.Truncate(path, 0); err != nil {
			t.Fatal(err)
		}
	}
	if read == 0 || !errors.Is(failed, engine.ErrDamaged) {
		t.Errorf("%d freelancers, then %v; want damage", read, failed)
	}
}

// A panic that has nothing to do with damage passes through.
func TestBaseFile_GuardPanic(t *testing.T) {
	e, _ := mapping(t, new(bytes.Buffer))
	s, err := e.OpenIndex(t.Context(), "index")
	if err != nil {
		t.Fatal(err)
	}

	guarded := func(do func()) (cause any) {
		var err error
		defer func() { cause = recover() }()
		defer viewOf(s).Guard(&err)()
		do()
		return nil
	}

	none := []int{}
	first := 0
	if guarded(func() { _ = none[first] }) == nil {
		t.Error("index out of range in an intact file: want a panic")
	}

	if cause := guarded(func() { panic("mistake") }); cause != "mistake" {
		t.Errorf("panic with cause %v, want mistake", cause)
	}
}

// Verification in the background takes a damaged index out of service, says so once, and puts it back when the file is
// repaired.
func TestBaseFile_Background(t *testing.T) {
	var log bytes.Buffer
	e, path := mapping(t, &log)
	ctx := t.Context()
	if _, err := e.Open(ctx, "all"); err != nil {
		t.Fatal(err)
	}

	w := e.watched["all"]
	work := func() {
		t.Helper()
		for {
			do := e.maintenanceOf(ctx, w)
			if do == nil {
				return
			}
			do()
		}
	}

	work()
	if err := e.CheckAlias(ctx, "all"); err != nil || log.Len() > 0 && strings.Contains(log.String(), "ERROR") {
		t.Fatalf("intact: %v, log:\n%s", err, &log)
	}

	at := int64(128) // in the lengths of the documents, which opening does not read
	e = reopen(t, e.root.Path, &log)
	mustOpen(t, e)
	w = e.watched["all"]
	intact, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	overwrite(t, path, at, ^intact[at])
	work()
	if err := e.CheckAlias(ctx, "all"); !errors.Is(err, engine.ErrDamaged) || engine.Remedy(err) == "" {
		t.Errorf("check: %v, want damage with a remedy", err)
	}

	if _, err := e.Open(ctx, "all"); !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("open: %v, want damage", err)
	}

	if err := e.Compact(ctx, "index"); !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("compact: %v, want damage, which must not get valid checksums", err)
	}

	retry := func() {
		w.retry = time.Now().Add(-time.Second)
		e.follow(ctx, w)
		work()
	}

	retry()
	if _, err := e.Open(ctx, "all"); !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("open after another attempt: %v, want damage", err)
	}

	if n := strings.Count(log.String(), "level=ERROR"); n != 1 || !strings.Contains(log.String(), `msg="index damaged"`) {
		t.Errorf("%d errors logged, want 1:\n%s", n, &log)
	}
	overwrite(t, path, at, intact[at])
	retry()

	if err := errors.Join(e.CheckAlias(ctx, "all"), everything(t, mustOpen(t, e))); err != nil {
		t.Errorf("after the repair: %v", err)
	}
}

func mustOpen(t *testing.T, e *Engine) engine.Snapshot {
	t.Helper()
	s, err := e.Open(t.Context(), "all")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A file is unmapped when no snapshot refers to it any more, and not before.
func TestBaseFile_Unmapped(t *testing.T) {
	mapped := func(path string) bool {
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Skip("there is no list of mapped files on this system")
		}
		return strings.Contains(string(maps), path)
	}

	e, path := mapping(t, new(bytes.Buffer))
	func() {
		s, err := e.OpenIndex(t.Context(), "index")
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()

		if !mapped(path) {
			t.Skip("files can't be mapped on this system")
		}

		if err := everything(t, s); err != nil {
			t.Error(err)
		}
		runtime.KeepAlive(s)
	}()

	for i := 0; mapped(path); i++ {
		if i == 1000 {
			t.Fatal("the file is still mapped")
		}
		runtime.GC()
	}
}
