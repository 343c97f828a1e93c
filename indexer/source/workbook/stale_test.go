package workbook

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Folders of processes that were killed in the few seconds in which files have names are removed later.
func TestNewTempFolder_RemovesStaleFolders(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	now := time.Now()
	for name, age := range map[string]time.Duration{
		tempPrefix + "1": 2 * time.Hour, tempPrefix + "2": 0, "other": 9 * time.Hour,
	} {
		folder := filepath.Join(temp, name)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(filepath.Join(folder, "sheet"), []byte("people"), 0o600); err != nil {
			t.Fatal(err)
		}

		if err := os.Chtimes(folder, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}

	folder, err := newTempFolder(now)
	if err != nil {
		t.Fatal(err)
	}

	if err := folder.close(); err != nil {
		t.Error(err)
	}

	got, err := fs.Glob(os.DirFS(temp), "*/*")
	if err != nil {
		t.Fatal(err)
	}

	if len(got) != 2 || got[0] != tempPrefix+"2/sheet" || got[1] != "other/sheet" {
		t.Errorf("files %v, want those of %s2 and other", got, tempPrefix)
	}
}
