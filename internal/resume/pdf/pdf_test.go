package pdf

import (
	"os"
	"path/filepath"
	"testing"
)

// engine is one that is ready, and closed with the test.
func engine(tb testing.TB) *Engine {
	tb.Helper()
	e, err := Open(tb.Context(), Options{CacheDir: cacheDir(tb)})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := e.Close(); err != nil {
			tb.Error(err)
		}
	})
	if err := e.Ready(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return e
}

// cacheDir is where the compiled pdfium is kept between tests.
func cacheDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.UserCacheDir()
	if err != nil {
		return tb.TempDir()
	}
	return filepath.Join(dir, "freelancer-matching-test", "pdfium")
}
