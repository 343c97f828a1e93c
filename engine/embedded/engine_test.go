package embedded

import (
	"log/slog"
	"testing"

	"github.com/freelancer-matching/service/engine/embedded/segment"
	"github.com/freelancer-matching/service/engine/enginetest"
)

func TestContract(t *testing.T) {
	large := segment.BlockSize + 5_000 // two blocks
	if testing.Short() {
		large = 0 // a search is a single goroutine, so a second block shows the race detector nothing new
	}
	enginetest.Run(t, enginetest.Options{
		New: func(t *testing.T) func() enginetest.Engine {
			dir := t.TempDir()
			return func() enginetest.Engine { return open(t, dir) }
		},
		TextError: 1.01 / segment.Codes, // codes are rounded, and at least 1
		Large:     large,
	})
}

// open returns an engine on dir that maps all index files, as engines do with large ones, logs nothing, and is closed
// when the test ends. The tests of damage open engines that read small files.
func open(t testing.TB, dir string) *Engine {
	t.Helper()
	e, err := Open(dir, Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	e.mapFrom = 0
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}
