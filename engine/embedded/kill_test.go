package embedded

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/embeddedtest"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/mappings"
)

const (
	childDir   = "MATCHING_TEST_CHILD_DIR"
	childStage = "MATCHING_TEST_CHILD_STAGE"
	reached    = "stage reached"
)

// TestKilled kills an indexing process at several stages of a load. The process reports each stage through a pipe.
func TestKilled(t *testing.T) {
	for _, stage := range []string{"created", "adding", "closing"} {
		t.Run(stage, func(t *testing.T) {
			dir := t.TempDir()
			e := open(t, dir)
			fill(t, e, "old", 100)

			if _, err := e.PointAlias(t.Context(), "freelancers", "old"); err != nil {
				t.Fatal(err)
			}

			killChild(t, dir, stage, func() {
				if _, err := e.Lock(t.Context(), "parent"); !errors.Is(err, engine.ErrConflict) {
					t.Errorf("lock while the child is running: error %v, want a conflict", err)
				}
			})

			after := open(t, dir)
			s, err := after.Open(t.Context(), "freelancers")
			if err != nil || s.Info().Name != "old" || s.Info().Documents != 100 {
				t.Fatalf("open after the kill: %v, want the old index", err)
			}

			release, err := after.Lock(t.Context(), "parent")
			if err != nil {
				t.Fatalf("lock after the kill: %v", err)
			}
			infos, err := after.Indexes(t.Context())
			if err != nil {
				t.Fatal(err)
			}

			i := slices.IndexFunc(infos, func(info engine.Info) bool { return info.Name == "new" })
			if len(infos) != 2 || i < 0 || infos[i].Complete && stage != "closing" {
				t.Fatalf("indexes after the kill: %+v, want old and an incomplete new", infos)
			}
			_, err = after.PointAlias(t.Context(), "freelancers", "new")
			if infos[i].Complete != (err == nil) {
				t.Errorf("point alias: error %v to an index with complete = %v", err, infos[i].Complete)
			}

			if err == nil { // killed after the last step of Close
				if _, err := after.PointAlias(t.Context(), "freelancers", "old"); err != nil {
					t.Fatal(err)
				}
			}

			if err := after.Drop(t.Context(), "new"); err != nil {
				t.Fatal(err)
			}
			fill(t, after, "new", 200)

			if _, err := after.PointAlias(t.Context(), "freelancers", "new"); err != nil {
				t.Fatal(err)
			}

			if s, err := after.Open(t.Context(), "freelancers"); err != nil || s.Info().Documents != 200 {
				t.Errorf("open after the next load: %v, want the new index", err)
			}

			if err := release(); err != nil {
				t.Error(err)
			}
		})
	}
}

// killChild runs TestKilledChild in a child process, calls atStage when it reports the stage, and kills it.
func killChild(t *testing.T, dir, stage string, atStage func()) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestKilledChild$")
	child.Env = append(os.Environ(), childDir+"="+dir, childStage+"="+stage)
	if _, err := child.StdinPipe(); err != nil { // closed when this process ends, which ends the child
		t.Fatal(err)
	}

	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}

	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var output []string
	for lines.Scan() && lines.Text() != reached {
		output = append(output, lines.Text())
	}

	if lines.Text() != reached {
		t.Fatalf("the child ended early: %v\n%s", child.Wait(), strings.Join(output, "\n"))
	}
	atStage()

	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}

	if err := child.Wait(); err == nil {
		t.Fatal("the child was not killed")
	}
}

// TestKilledChild is the child process of TestKilled. It fills an index until it is killed.
func TestKilledChild(t *testing.T) {
	dir := os.Getenv(childDir)
	stage := os.Getenv(childStage)

	if dir == "" {
		t.Skip("started by TestKilled")
	}

	report := func(reachedStage string) {
		if reachedStage == stage {
			fmt.Println(reached)
		}
	}

	wait := func() { _, _ = io.Copy(io.Discard, os.Stdin) }
	e := open(t, dir)
	if _, err := e.Lock(t.Context(), "child"); err != nil {
		t.Fatal(err)
	}

	bulk := begin(t, e, "new")
	if stage == "created" {
		report("created")
		wait()
	}

	for i := range 200_000 {
		if i == segment.BlockSize+1 { // the first block is on disk
			report("adding")
			if stage == "closing" {
				break
			}
		}

		if err := bulk.Add(t.Context(), embeddedtest.Document(i)); err != nil {
			t.Fatal(err)
		}
	}

	report("closing")
	if _, err := bulk.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	wait()
}

// begin creates an index and starts to fill it.
func begin(t testing.TB, e *Engine, name string) engine.Bulk {
	t.Helper()
	mapping, err := mappings.Load(mappings.Freelancers)
	if err != nil {
		t.Fatal(err)
	}
	spec := engine.Spec{Name: name, Mapping: mapping, Vectors: embeddedtest.Spaces()}
	if err := e.Create(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	bulk, err := e.Bulk(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return bulk
}

// fill builds an index of small documents.
func fill(t testing.TB, e *Engine, name string, documents int) {
	t.Helper()
	bulk := begin(t, e, name)
	for i := range documents {
		if err := bulk.Add(t.Context(), embeddedtest.Document(i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := bulk.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}
