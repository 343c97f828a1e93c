package vectorfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match/encoding/vectorfile"
)

func entry(n int) *engine.Encoded {
	e := &engine.Encoded{Revision: uint64(n), Text: uint64(n) * 7}
	e.Short = make(matching.Vector, engine.EncodedDimensions)
	e.Whole = make(matching.Vector, engine.EncodedDimensions)
	for i := range engine.EncodedDimensions {
		e.Short[i] = int8(n + i)
		e.Whole[i] = int8(n - i)
	}
	return e
}

// open returns a file that is up to date, and closes it at the end of the test.
func open(t *testing.T, path, space string) *vectorfile.File {
	t.Helper()
	f := vectorfile.New(path, space)
	if err := f.Follow(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func put(t *testing.T, f *vectorfile.File, id string, n int) {
	t.Helper()
	if err := f.Put(id, entry(n)); err != nil {
		t.Fatal(err)
	}
}

// check checks the revisions of entries by ID; 0 for an absent one.
func check(t *testing.T, f *vectorfile.File, want map[string]int) {
	t.Helper()
	for id, n := range want {
		got, ok := f.Get(id)
		if n == 0 {
			if ok {
				t.Errorf("%s has an entry, want none", id)
			}
			continue
		}
		if diff := cmp.Diff(*entry(n), got); !ok || diff != "" {
			t.Errorf("entry of %s (-want +got):\n%s", id, diff)
		}
	}
}

func TestFile_OutlastsARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "vectors", "v.bin")
	f := open(t, path, "model")
	put(t, f, "a", 1)
	put(t, f, "b", 2)
	put(t, f, "a", 3)
	check(t, f, map[string]int{"a": 3, "b": 2, "c": 0})

	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	check(t, f, map[string]int{"a": 0})

	check(t, open(t, path, "model"), map[string]int{"a": 3, "b": 2, "c": 0})
	if stat, _ := os.Stat(path); stat.Size() != 64+2*800 {
		t.Errorf("%d bytes for 2 freelancers, want 800 for each and 64", stat.Size())
	}
}

func TestFile_ForgetsVectorsOfAnotherModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.bin")
	f := open(t, path, "model")
	put(t, f, "a", 1)
	f.Close()

	other := open(t, path, "other")
	check(t, other, map[string]int{"a": 0})
	put(t, other, "b", 1)
	other.Close()

	check(t, open(t, path, "other"), map[string]int{"a": 0, "b": 1})
}

// A slot that was written in part, and one with other bytes, are absent and used again.
func TestFile_TornSlots(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.bin")
	f := open(t, path, "model")
	for i, id := range []string{"a", "b", "c"} {
		put(t, f, id, i+1)
	}
	f.Close()

	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[64+400] ^= 1 // in the slot of a
	if err := os.WriteFile(path, content[:len(content)-1], 0o600); err != nil {
		t.Fatal(err)
	}

	f = open(t, path, "model")
	check(t, f, map[string]int{"a": 0, "b": 2, "c": 0})
	put(t, f, "d", 4)
	put(t, f, "e", 5)
	check(t, f, map[string]int{"a": 0, "b": 2, "c": 0, "d": 4, "e": 5})
	if stat, _ := os.Stat(path); stat.Size() != int64(len(content)) {
		t.Errorf("%d bytes, want %d: the torn slots are used again", stat.Size(), len(content))
	}
}

// One process writes, the others follow.
func TestFile_Follow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.bin")
	writer := open(t, path, "model")
	put(t, writer, "a", 1)
	reader := open(t, path, "model")
	if !writer.Writes() || reader.Writes() {
		t.Fatal("not exactly the first one writes")
	}

	check(t, reader, map[string]int{"a": 1})
	put(t, writer, "a", 2)
	put(t, writer, "b", 1)
	kept := map[engine.HashedID]bool{engine.HashID("b"): true}
	if err := errors.Join(writer.Retain(kept), writer.Delete([]string{"x"})); err != nil {
		t.Fatal(err)
	}
	put(t, writer, "c", 3) // in the slot of a
	check(t, reader, map[string]int{"a": 0, "b": 0, "c": 0})
	if err := reader.Follow(); err != nil {
		t.Fatal(err)
	}
	check(t, reader, map[string]int{"a": 0, "b": 1})

	// The next writer reads everything again.
	writer.Close()
	if err := reader.Follow(); err != nil {
		t.Fatal(err)
	}
	if !reader.Writes() {
		t.Error("nobody writes")
	}
	check(t, reader, map[string]int{"a": 0, "b": 1, "c": 3})
}

func TestErase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.bin")
	if err := vectorfile.Erase(path, []string{"a"}); err != nil {
		t.Errorf("without a file: %v", err)
	}

	f := open(t, path, "model")
	put(t, f, "a", 1)
	put(t, f, "b", 2)
	if err := vectorfile.Erase(path, []string{"a", "unknown"}); err != nil {
		t.Fatal(err)
	}
	check(t, f, map[string]int{"a": 0, "b": 2})

	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range content[64:][:800] {
		if b != 0 {
			t.Fatalf("byte %d of the erased slot is %d, want 0", i, b)
		}
	}
}
