package people

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

// newList returns a list in a database and a data folder of its own.
func newList(t *testing.T) *List {
	return &List{Store: &Memory{}, Copy: Copy(filepath.Join(t.TempDir(), CopyFile))}
}

func at(second int) time.Time { return time.Date(2031, 5, 17, 0, 0, second, 0, time.UTC) }

// wantListed fails the test unless a list, and its copy, have some IDs and lack others.
func wantListed(t *testing.T, l *List, listed, others []string) {
	t.Helper()
	inDatabase, err := l.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	inCopy, err := l.Copy.Read()
	if err != nil {
		t.Fatal(err)
	}

	for name, e := range map[string]*Erased{"database": inDatabase, "copy": inCopy} {
		for _, id := range listed {
			if !e.Has(&matching.Freelancer{ID: id}) {
				t.Errorf("the %s lacks %s", name, id)
			}
		}
		for _, id := range others {
			if e.Has(&matching.Freelancer{ID: id}) {
				t.Errorf("the %s has %s", name, id)
			}
		}
	}
}

func mustAdd(t *testing.T, l *List, at time.Time, texts ...string) {
	t.Helper()
	if err := l.add(t.Context(), ParseSubject(texts), at); err != nil {
		t.Fatal(err)
	}
}

func mustSync(t *testing.T, l *List) (added int) {
	t.Helper()
	added, err := l.Sync(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func TestList(t *testing.T) {
	l := newList(t)
	ada := &matching.Freelancer{ID: "fl-1"}
	bob := &matching.Freelancer{ID: "fl-2", Description: "Write to (Bob@Example.com)."}
	cyd := &matching.Freelancer{ID: "fl-3", Skills: []string{"Go", "notbob@example.com"}}

	if matcher, err := l.Matcher(t.Context()); matcher != nil || err != nil {
		t.Errorf("a new list has somebody (%v)", err)
	}

	mustAdd(t, l, at(0), "fl-1", "bob@example.com")
	isErased, err := l.Matcher(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !isErased(ada) || !isErased(bob) || isErased(cyd) {
		t.Errorf("has %v, %v, %v; want true, true, false", isErased(ada), isErased(bob), isErased(cyd))
	}

	content, err := os.ReadFile(string(l.Copy))
	if err != nil || strings.Contains(string(content), "fl-1") || strings.Contains(string(content), "bob") {
		t.Errorf("the copy reveals somebody: %s (%v)", content, err)
	}
	info, err := os.Stat(string(l.Copy))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy has the mode %v (%v)", info.Mode(), err)
	}

	// At the time of the erasure, as if a clock lagged behind.
	removed, err := l.remove(t.Context(), ParseSubject([]string{"fl-1"}), at(0))
	if err != nil || !removed {
		t.Errorf("removed %v (%v)", removed, err)
	}
	wantListed(t, l, nil, []string{"fl-1"})

	if removed, err = l.remove(t.Context(), ParseSubject([]string{"fl-1"}), at(1)); err != nil || removed {
		t.Errorf("removed twice: %v, %v", removed, err)
	}

	mustAdd(t, l, at(0), "fl-1")
	wantListed(t, l, []string{"fl-1"}, nil)
}

// Several commands may erase people at the same time, with the same database and data folder.
func TestList_ConcurrentChanges(t *testing.T) {
	l := newList(t)
	ids := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	var group sync.WaitGroup
	for _, id := range ids {
		group.Go(func() {
			other := &List{Store: l.Store, Copy: l.Copy}
			if err := other.add(t.Context(), Subject{IDs: []string{id}}, at(0)); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	wantListed(t, l, ids, []string{"i"})
}

// A database that is lost, or restored from an older backup, gets the list back from the data folder; and a new data
// folder gets it from the database.
func TestList_SyncsBothWays(t *testing.T) {
	l := newList(t)
	mustAdd(t, l, at(0), "fl-1", "fl-2", "ada@example.com")
	if _, err := l.remove(t.Context(), Subject{IDs: []string{"fl-2"}}, at(1)); err != nil {
		t.Fatal(err)
	}

	newDatabase := &List{Store: &Memory{}, Copy: l.Copy}
	if added := mustSync(t, newDatabase); added != 3 {
		t.Errorf("the new database got %d entries, want 3", added)
	}
	if added := mustSync(t, newDatabase); added != 0 {
		t.Errorf("the new database got %d entries again", added)
	}

	newFolder := &List{Store: l.Store, Copy: Copy(filepath.Join(t.TempDir(), CopyFile))}
	if added := mustSync(t, newFolder); added != 0 {
		t.Errorf("the database got %d entries from an empty folder", added)
	}

	for _, l := range []*List{newDatabase, newFolder} {
		wantListed(t, l, []string{"fl-1"}, []string{"fl-2"})
		e, err := l.Copy.Read()
		if err != nil || !e.Has(&matching.Freelancer{Description: "ada@example.com"}) {
			t.Errorf("the copy lacks the address (%v)", err)
		}
	}
}

// Two servers had lists of their own, as in earlier releases, and share a database now.
func TestList_SyncsListsWithOtherKeys(t *testing.T) {
	first, second := newList(t), newList(t)
	mustAdd(t, first, at(0), "fl-1", "both")
	mustAdd(t, second, at(0), "fl-2", "both")

	shared := &Memory{}
	first.Store, second.Store = shared, shared
	for _, l := range []*List{first, second, first} {
		mustSync(t, l)
	}
	for _, l := range []*List{first, second} {
		wantListed(t, l, []string{"fl-1", "fl-2", "both"}, []string{"fl-3"})
	}

	if _, err := first.remove(t.Context(), Subject{IDs: []string{"both"}}, at(1)); err != nil {
		t.Fatal(err)
	}
	if added := mustSync(t, second); added != 0 {
		t.Errorf("an older copy brought %d entries back", added)
	}
	wantListed(t, second, []string{"fl-1", "fl-2"}, []string{"both"})
}

// A file of an earlier release.
func TestCopy_OfEarlierRelease(t *testing.T) {
	l := newList(t)
	key := bytes.Repeat([]byte{7}, keyLength)
	content := fmt.Sprintf(`{"key":%q,"ids":{%q:"2030-01-02T03:04:05Z"}}`, base64.StdEncoding.EncodeToString(key),
		hash(key, "fl-1"))
	if err := os.WriteFile(string(l.Copy), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if added := mustSync(t, l); added != 1 {
		t.Errorf("the database got %d entries, want 1", added)
	}
	wantListed(t, l, []string{"fl-1"}, []string{"fl-2"})
}

// A load must fail instead of loading erased people.
func TestCopy_Damaged(t *testing.T) {
	for _, content := range []string{"", "{}", `{"key":"AAAA"}`, "{"} {
		l := newList(t)
		if err := os.WriteFile(string(l.Copy), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "is damaged") {
			t.Errorf("%q: error %v", content, err)
		}
	}
}
