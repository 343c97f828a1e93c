package setup

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/freelancer-matching/service/internal/config"
)

func TestInstance(t *testing.T) {
	id := func(folder string) string {
		t.Helper()
		i, err := instance(config.Config{Data: folder}, "embedded")
		if err != nil {
			t.Fatal(err)
		}
		return i.ID
	}

	folder, other := t.TempDir(), t.TempDir()
	first := id(folder)
	if again := id(folder); again != first {
		t.Errorf("%s, and %s after a restart", first, again)
	}

	// The operator has copied the data folder.
	content, err := os.ReadFile(filepath.Join(folder, instanceFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(other, instanceFile), content, 0o600); err != nil {
		t.Fatal(err)
	}
	if copied := id(other); copied == first {
		t.Errorf("the copy of a data folder has the same ID, %s", copied)
	}

	// Another machine has the same name and path.
	if err := os.Remove(filepath.Join(folder, instanceFile)); err != nil {
		t.Fatal(err)
	}
	if elsewhere := id(folder); elsewhere == first {
		t.Errorf("two machines with a name in common have the same ID, %s", elsewhere)
	}

	if left, err := filepath.Glob(filepath.Join(folder, instanceFile+".*")); err != nil || left != nil {
		t.Errorf("left over: %v %v", left, err)
	}
}
