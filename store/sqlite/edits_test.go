package sqlite

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/freelancer-matching/service/store/storetest"
)

func TestEdits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "service.db")
	read := func(since time.Time) (map[string][]string, error) { return Edits(t.Context(), path, since) }
	if _, err := read(time.Time{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a database, the error is %v", err)
	}
	storetest.Edits(t, openFile(t, path), read)
}
