package people

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
)

func newLetters(t *testing.T, files map[string]string) Letters {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Letters(folder)
}

func (l Letters) names(t *testing.T) (names []string) {
	t.Helper()
	paths, err := l.files()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}

func TestLetters_FindAndErase(t *testing.T) {
	subject := tracesOf("fl-0011223344556677", "17", "ada@example.com")
	subject.learn(&matching.Freelancer{Name: "Ada Lovelace"})
	const other = `{"file":"a.csv","line":4,"column":"rate","value":"lots","reason":"not a number"}` + "\n"
	l := newLetters(t, map[string]string{
		"one.ndjson": `{"file":"a.csv","line":3,"value":"Ada Lovelace,x,y","reason":"no id"}` + "\n" + other +
			`{"id":"fl-0011223344556677","reason":"the engine refused it"}` + "\n",
		"record.ndjson": other + // first and last name in two columns; the ID 17 is also somebody's experience
			`{"file":"b.csv","line":2,"faults":[{"reason":"no id"}],"record":{"first":"Ada","last":"Lovelace"}}` + "\n" +
			`{"file":"b.csv","line":3,"faults":[{"reason":"bad"}],"record":{"bio":"write to ada@example.com"}}` + "\n" +
			`{"file":"b.csv","line":4,"id":"17","faults":[{"reason":"bad"}],"record":{"no":"17"}}` + "\n" +
			`{"file":"b.csv","line":5,"id":"18","faults":[{"reason":"bad"}],"record":{"no":"18","experience":"17"}}` + "\n",
		"two.ndjson":       `{"file":"cvs/Ada-Lovelace.PDF","reason":"no text"}` + "\n" + `broken ada@example.com`,
		"three.ndjson":     other,
		".two.ndjson-tmp1": "ada@example.com",
	})

	found, err := l.find(subject)
	if err != nil || len(found) != 7 {
		t.Fatalf("found %+v (%v), want 7 letters", found, err)
	}

	if first := found[0]; first.File != "one.ndjson" || first.Line != 1 || found[1].Line != 3 {
		t.Errorf("found %+v", found)
	}
	removed, err := l.erase(subject)
	if err != nil || removed != 7 {
		t.Errorf("removed %d (%v), want 7", removed, err)
	}

	content, err := os.ReadFile(filepath.Join(string(l), "one.ndjson"))
	if err != nil || string(content) != other {
		t.Errorf("one.ndjson is %q (%v), want the other letter", content, err)
	}

	if names := l.names(t); !slices.Equal(names, []string{"one.ndjson", "record.ndjson", "three.ndjson"}) {
		t.Errorf("files %v; a file without letters must be gone", names)
	}
}

func TestLetters_Expire(t *testing.T) {
	now := time.Now()
	l := newLetters(t, map[string]string{"old.ndjson": "{}", "new.ndjson": "{}"})
	for name, age := range map[string]time.Duration{"old.ndjson": time.Hour, "new.ndjson": time.Second} {
		if err := os.Chtimes(filepath.Join(string(l), name), now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}

	removed, err := l.Expire(now.Add(-time.Minute))
	if err != nil || !slices.Equal(removed, []string{"old.ndjson"}) || !slices.Equal(l.names(t), []string{"new.ndjson"}) {
		t.Errorf("removed %v, left %v (%v)", removed, l.names(t), err)
	}
	if removed, err := Letters(filepath.Join(t.TempDir(), "missing")).Expire(now); err != nil || removed != nil {
		t.Errorf("a missing folder: %v, %v", removed, err)
	}
}
