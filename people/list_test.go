package people

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"freelancer-matching/internal/matching"
)

func newList(t *testing.T) List { return List(filepath.Join(t.TempDir(), ListFile)) }

func mustRead(t *testing.T, l List) *Erased {
	t.Helper()
	e, err := l.Read()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestList(t *testing.T) {
	l := newList(t)
	ada := &matching.Freelancer{ID: "fl-1"}
	bob := &matching.Freelancer{ID: "fl-2", Description: "Write to (Bob@Example.com)."}
	cyd := &matching.Freelancer{ID: "fl-3", Skills: []string{"Go", "notbob@example.com"}}

	if mustRead(t, l).Has(ada) {
		t.Error("a missing list has somebody")
	}
	at := time.Date(2031, 5, 17, 0, 0, 0, 0, time.UTC)
	if err := l.add(ParseSubject([]string{"fl-1", "bob@example.com"}), at); err != nil {
		t.Fatal(err)
	}

	e := mustRead(t, l)
	if !e.Has(ada) || !e.Has(bob) || e.Has(cyd) {
		t.Errorf("has %v, %v, %v; want true, true, false", e.Has(ada), e.Has(bob), e.Has(cyd))
	}
	content, err := os.ReadFile(string(l))
	if err != nil || strings.Contains(string(content), "fl-1") || strings.Contains(string(content), "bob") {
		t.Errorf("the file reveals somebody: %s (%v)", content, err)
	}

	info, err := os.Stat(string(l))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v (%v)", info.Mode(), err)
	}
	removed, err := l.remove(ParseSubject([]string{"fl-1"}))
	if e = mustRead(t, l); err != nil || !removed || e.Has(ada) || !e.Has(bob) {
		t.Errorf("removed %v (%v)", removed, err)
	}

	if removed, err = l.remove(ParseSubject([]string{"fl-1"})); err != nil || removed {
		t.Errorf("removed twice: %v, %v", removed, err)
	}
}

// Several commands may erase people at the same time.
func TestList_ConcurrentChanges(t *testing.T) {
	l := newList(t)
	var group sync.WaitGroup
	for _, id := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		group.Go(func() {
			if err := l.add(Subject{IDs: []string{id}}, time.Now()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if n := len(mustRead(t, l).IDs); n != 8 {
		t.Errorf("%d people on the list, want 8", n)
	}
}

// A load must fail instead of loading erased people.
func TestList_Damaged(t *testing.T) {
	for _, content := range []string{"", "{}", `{"key":"AAAA"}`, "{"} {
		l := newList(t)
		if err := os.WriteFile(string(l), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Matcher(); err == nil || !strings.Contains(err.Error(), "is damaged") {
			t.Errorf("%q: error %v", content, err)
		}
	}
}

func TestWatched_NoticesChanges(t *testing.T) {
	l := newList(t)
	w := &Watched{List: l}
	has := func(id string) bool {
		t.Helper()
		erased, err := w.Matcher()
		if err != nil {
			t.Fatal(err)
		}
		return erased != nil && erased(&matching.Freelancer{ID: id})
	}
	if has("fl-1") {
		t.Error("a missing list has somebody")
	}

	at := time.Date(2031, 5, 17, 0, 0, 0, 0, time.UTC)
	for _, id := range []string{"fl-1", "fl-2"} {
		if err := l.add(Subject{IDs: []string{id}}, at); err != nil {
			t.Fatal(err)
		}

		for range 2 {
			if !has(id) {
				t.Errorf("%s is not erased", id)
			}
		}
	}

	if _, err := l.remove(Subject{IDs: []string{"fl-1"}}); err != nil || has("fl-1") || !has("fl-2") {
		t.Errorf("removed in vain (%v)", err)
	}

	if err := os.WriteFile(string(l), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}

	if _, err := w.Matcher(); err == nil {
		t.Error("a damaged list was read")
	}
}
