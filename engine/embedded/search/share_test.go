package search

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/engine/embedded/embeddedtest"
	"github.com/freelancer-matching/service/engine/embedded/sectionfile"
	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/engine/embedded/view"
)

// helped returns a snapshot of five documents that is searched as if it were a large one, with four processors.
func helped(t *testing.T) Snapshot {
	t.Helper()
	before := runtime.GOMAXPROCS(4)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })

	stored := storedIndex(t)
	sections := sectionfile.ReadSections(bytes.NewReader(stored), "index.bin", int64(len(stored)))
	x, err := segment.Decode(sections, embeddedtest.Spaces(), 5)
	if err != nil {
		t.Fatal(err)
	}
	v := Snapshot{view.NewView(engine.Info{Vectors: embeddedtest.Spaces()}, x)}
	v.Shared.HelpersFrom = 0
	return v
}

// Each number is worked on once, by the search and its helpers.
func TestShare_EachNumberOnce(t *testing.T) {
	v := helped(t)
	s := v.borrow()
	var mu sync.Mutex
	calls := map[int]int{}
	workers := map[*scratch]bool{}
	var everybody sync.WaitGroup
	everybody.Add(4)
	err := v.share(t.Context(), s, 100, func(w *scratch, i int) {
		if w.progress != s.progress {
			t.Error("a helper works for another search")
		}
		mu.Lock()
		calls[i]++
		isNew := !workers[w]
		workers[w] = true
		mu.Unlock()

		// Nobody goes on before all have begun.
		if isNew {
			everybody.Done()
			everybody.Wait()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if calls[i] != 1 {
			t.Errorf("%d was worked on %d times", i, calls[i])
		}
	}
}

// A search among as many others as there are processors has no helpers.
func TestShare_AmongMany(t *testing.T) {
	v := helped(t)
	for range 4 {
		defer v.Shared.Searching.Enter()()
	}
	s := v.borrow()
	err := v.share(t.Context(), s, 100, func(w *scratch, _ int) {
		if w != s {
			t.Error("there is a helper")
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A mistake that a helper meets is a panic of the search, whose caller may recover from it.
func TestShare_PanicOfAHelper(t *testing.T) {
	v := helped(t)
	s := v.borrow()
	defer func() {
		cause, _ := recover().(string)
		if !strings.Contains(cause, "a mistake") || !strings.Contains(cause, "share_test.go") {
			t.Errorf("panic %q, want the mistake and where it was made", cause)
		}
	}()
	helperBegan := make(chan struct{})
	var once sync.Once
	err := v.share(t.Context(), s, 100, func(w *scratch, _ int) {
		if w == s {
			<-helperBegan
			return
		}
		once.Do(func() { close(helperBegan) })
		panic("a mistake")
	})
	t.Errorf("no panic, and error %v", err)
}

// A canceled search ends with the reason.
func TestShare_Canceled(t *testing.T) {
	v := helped(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := v.share(ctx, v.borrow(), 1000, func(*scratch, int) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
