package embedded

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/datadir"
)

// quiet returns an engine that never polls, and its log.
func quiet(t *testing.T, dir string) (*Engine, *bytes.Buffer) {
	t.Helper()
	log := new(bytes.Buffer)
	e, err := Open(dir, Options{Log: slog.New(slog.NewTextHandler(log, nil)), Poll: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e, log
}

// When an alias moves to an unreadable index, the old one stays in service and the error is logged once.
func TestAlias_DamagedIndex(t *testing.T) {
	for _, file := range []string{datadir.IndexFile, datadir.RecordsFile, datadir.ManifestFile} {
		for name, damage := range map[string]func(path string) error{
			"missing":   os.Remove,
			"truncated": func(path string) error { return os.Truncate(path, 40) },
		} {
			t.Run(file+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				e, log := quiet(t, dir)
				indexer := open(t, dir)
				fill(t, indexer, "old", 10)
				fill(t, indexer, "new", 20)
				point := func(index string) {
					if _, err := indexer.PointAlias(t.Context(), "all", index); err != nil {
						t.Fatal(err)
					}
				}

				wantServed := func(index string) {
					t.Helper()
					e.follow(t.Context(), e.watched["all"])
					if s, err := e.Open(t.Context(), "all"); err != nil || s.Info().Name != index {
						t.Fatalf("open: %v, error %v; want %s", s, err, index)
					}
				}

				point("old")
				if _, err := e.Open(t.Context(), "all"); err != nil {
					t.Fatal(err)
				}
				point("new")
				path := filepath.Join(dir, "new", file)
				intact, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}

				if err := damage(path); err != nil {
					t.Fatal(err)
				}
				wantServed("old")
				wantServed("old")

				if n := strings.Count(log.String(), "level=ERROR"); n != 1 {
					t.Errorf("%d errors logged, want 1:\n%s", n, log)
				}

				if file != datadir.ManifestFile && !strings.Contains(log.String(), file) {
					t.Errorf("the log does not name %s:\n%s", file, log)
				}

				// The repaired index is loaded after retryAfter.
				if err := os.WriteFile(path, intact, 0o600); err != nil {
					t.Fatal(err)
				}
				wantServed("old")
				e.watched["all"].retry = time.Now().Add(-time.Second)
				wantServed("new")
			})
		}
	}
}

func TestOpen_UnreadableAlias(t *testing.T) {
	dir := t.TempDir()
	e, _ := quiet(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "broken.alias"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "lost.alias"), []byte(`{"index": "gone"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for alias, want := range map[string]string{"broken": "broken.alias", "lost": "gone", "no/name": "no/name"} {
		_, err := e.Open(t.Context(), alias)
		if err == nil || errors.Is(err, engine.ErrNotFound) || !strings.Contains(err.Error(), want) {
			t.Errorf("open %q: error %v, want one that contains %q but is not ErrNotFound", alias, err, want)
		}
	}
}

func TestInvalidNames(t *testing.T) {
	e := open(t, t.TempDir())
	for _, name := range []string{"", ".", "..", "../up", "a/b", "UPPER", "-dash", "dot.dot", strings.Repeat("x", 129)} {
		if err := e.Create(t.Context(), engine.Spec{Name: name}); err == nil {
			t.Errorf("create %q: no error", name)
		}
		if err := e.Drop(t.Context(), name); err == nil {
			t.Errorf("drop %q: no error", name)
		}
		if _, err := e.PointAlias(t.Context(), name, name); err == nil {
			t.Errorf("point alias %q: no error", name)
		}
	}
}

// A process killed between two steps leaves incomplete indexes, which are listed and can be dropped.
func TestIndexes_Incomplete(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)

	if err := os.Mkdir(filepath.Join(dir, "bare"), 0o700); err != nil {
		t.Fatal(err)
	}
	fill(t, e, "half-dropped", 3)

	if err := os.Remove(filepath.Join(dir, "half-dropped", datadir.ManifestFile)); err != nil {
		t.Fatal(err)
	}
	infos, err := e.Indexes(t.Context())
	if err != nil || len(infos) != 2 {
		t.Fatalf("indexes = %+v, %v; want two", infos, err)
	}

	for _, info := range infos {
		if info.Complete {
			t.Errorf("%s is complete", info.Name)
		}
		if err := e.Drop(t.Context(), info.Name); err != nil {
			t.Error(err)
		}
	}
}

// However PointAlias and Drop run at the same time, the alias never points to an index that is gone.
func TestAlias_ConcurrentDrop(t *testing.T) {
	dir := t.TempDir()
	pointing := open(t, dir)
	dropping := open(t, dir)
	fill(t, pointing, "base", 1)

	for round := range 30 {
		name := fmt.Sprintf("index-%d", round)
		fill(t, pointing, name, 1)
		if _, err := pointing.PointAlias(t.Context(), "all", "base"); err != nil {
			t.Fatal(err)
		}

		var work sync.WaitGroup
		var pointErr, dropErr error
		work.Go(func() { _, pointErr = pointing.PointAlias(t.Context(), "all", name) })
		work.Go(func() { dropErr = dropping.Drop(t.Context(), name) })
		work.Wait()
		now, _, err := pointing.Alias(t.Context(), "all")
		pointed := pointErr == nil && errors.Is(dropErr, engine.ErrConflict) && now == name
		dropped := pointErr != nil && dropErr == nil && now == "base"
		if err != nil || !pointed && !dropped {
			t.Fatalf("point: %v, drop: %v, the alias points to %q, %v", pointErr, dropErr, now, err)
		}
	}
}

// An alias that gets its first index between two looks of a reader is not lost.
func TestAlias_MadeMeanwhile(t *testing.T) {
	dir := t.TempDir()
	e := open(t, dir)
	fill(t, e, "first", 3)
	lost := func() bool {
		_, isLost := errors.AsType[*engine.AliasError](e.checkNothingLost(t.Context(), "all"))
		return isLost
	}

	if lost() {
		t.Error("lost before it was made")
	}
	if _, err := e.PointAlias(t.Context(), "all", "first"); err != nil {
		t.Fatal(err)
	}
	if lost() { // the caller has looked before
		t.Error("lost after it was made")
	}

	if err := os.Remove(filepath.Join(dir, "all"+datadir.AliasSuffix)); err != nil {
		t.Fatal(err)
	}
	if !lost() {
		t.Error("not lost although its file is gone")
	}
}
