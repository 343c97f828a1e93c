package embedded

import (
	"log/slog"
	"testing"

	"freelancer-matching/engine/enginetest"
)

func TestContract(t *testing.T) {
	enginetest.Run(t, enginetest.Options{
		New: func(t *testing.T) func() enginetest.Engine {
			dir := t.TempDir()
			return func() enginetest.Engine { return open(t, dir) }
		},
		TextError: 1.01 / codes, // half a code, or a whole one where the least code is 1
		BandError: .02,
		Large:     blockSize + 5_000,
	})
}

// open is an engine on dir that closes with the test, and says nothing.
func open(t testing.TB, dir string) *Engine {
	t.Helper()
	e, err := Open(dir, Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}
