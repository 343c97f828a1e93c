// Package realdata finds the real data sets that tests, evaluations and the taxonomy's build read where they are
// present. They are not part of the repository: their licences do not allow it.
package realdata

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// Variable names the environment variable with the folder of the data sets. Without it, shared/data beside the
// checkout is taken.
const Variable = "MATCHING_REAL_DATA"

// Find is the path of a file or folder of the real data, and whether it is there.
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

// Path is a file or folder of the real data. The test is skipped, with a message that says so, where it is missing.
func Path(tb testing.TB, elements ...string) string {
	tb.Helper()
	path, found := Find(elements...)
	if !found {
		tb.Skipf("no real data at %s: set %s to the folder of the data sets", path, Variable)
	}
	return path
}
