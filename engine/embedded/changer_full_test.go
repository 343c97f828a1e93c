//go:build linux

package embedded

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/freelancer-matching/service/engine"
)

// fullDisk is the variable that is set in the process with a limit on the size of files.
const fullDisk = "MATCHING_TEST_FULL_DISK"

// When the disk is full in the middle of a batch, nothing of it becomes visible, and later changes work. A limit on the
// size of files has the same effect as a full disk. It applies to a process, which must not be the one that `go test`
// has started, because that writes a log of its own.
func TestApply_DiskFull(t *testing.T) {
	if os.Getenv(fullDisk) == "" {
		test := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestApply_DiskFull$", "-test.v")
		test.Env = append(os.Environ(), fullDisk+"=1")
		if out, err := test.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}

	e, dir, want := changing(t)
	other := rarely(t, dir)
	if _, err := other.Open(t.Context(), "all"); err != nil {
		t.Fatal(err)
	}

	stat, err := os.Stat(filepath.Join(dir, "index", "changes-0.log"))
	if err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)

	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	limited := limit
	limited.Cur = uint64(stat.Size() + 400) // room for the first of the changes
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limited); err != nil {
		t.Fatal(err)
	}

	changes := []engine.Change{put(0, "zero"), put(4, strings.Repeat("four", 200)), remove(3)}
	_, err = e.Apply(t.Context(), "all", changes)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}

	if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), "changes-0.log") {
		t.Fatalf("error %v, want one about the size of changes-0.log", err)
	}

	check := func() {
		t.Helper()
		if got := contents(t, dir, 10); !maps.Equal(got, want) {
			t.Errorf("documents %v, want %v", got, want)
		}

		for _, e := range []*Engine{e, other} {
			e.follow(t.Context(), e.watched["all"])
			for i := range 10 {
				got, err := name(t, e, i)
				if wantName, ok := want[i]; ok != (err == nil) || got != wantName {
					t.Errorf("document %d: %q, %v; want %q, %v", i, got, err, wantName, ok)
				}
			}
		}
	}

	check()
	change(t, e, changes...)
	want[0], want[4] = "zero", strings.Repeat("four", 200)
	delete(want, 3)
	check()
}
