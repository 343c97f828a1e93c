// Package realdata finds the real data sets that some tests, evaluations and the taxonomy's build use. Their licenses
// don't allow including them in the repository.
package realdata

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Variable is the environment variable with the folder of the data sets; the default is ../shared/data.
const Variable = "MATCHING_REAL_DATA"

// Find returns the path of a file or folder of the real data, and whether it exists.
func Find(elements ...string) (path string, found bool) {
	root := os.Getenv(Variable)
	if root == "" {
		_, file, _, _ := runtime.Caller(0)
		root = filepath.Join(filepath.Dir(file), "..", "..", "..", "shared", "data")
	}
	path = filepath.Join(append([]string{root}, elements...)...)
	_, err := os.Stat(path)
	return path, err == nil
}

// Path returns the path of a file or folder of the real data. If it is missing, or if the test should be short, Path
// skips the test with a message.
func Path(tb testing.TB, elements ...string) string {
	tb.Helper()
	if testing.Short() {
		tb.Skip("real data sets are large: only run without -short")
	}
	path, found := Find(elements...)
	if !found {
		tb.Skipf("no real data at %s: set %s to the folder of the data sets", path, Variable)
	}
	return path
}
