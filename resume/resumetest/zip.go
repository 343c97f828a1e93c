package resumetest

import (
	"archive/zip"
	"bytes"
	"maps"
	"slices"
	"testing"
)

// Zip returns a zip archive with the contents of parts by name.
func Zip(tb testing.TB, parts map[string]string) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(parts[name]))
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}
