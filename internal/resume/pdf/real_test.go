package pdf

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/realdata"
	"freelancer-matching/internal/resume"
)

// filesIn are the PDF files below a folder, by name.
func filesIn(tb testing.TB, root string) map[string][]byte {
	tb.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".pdf" {
			return err
		}
		files[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return files
}

// refusals are the codes of files that cannot be read.
func refusals() []matching.Code {
	return []matching.Code{
		resume.CodeUnsupported, resume.CodeNoText, resume.CodeEncrypted, resume.CodeCorrupt, resume.CodeTooComplex,
	}
}

// Every malformed file is read, or refused with a code, before its timeout.
func TestEngine_EndsOnMalformedFiles(t *testing.T) {
	root := realdata.Path(t, "malformed", "pdf")
	e := engine(t)
	codes := map[matching.Code]int{}
	for name, data := range filesIn(t, root) {
		start := time.Now()
		d, err := e.Read(t.Context(), data)
		code := matching.CodeOf(err)
		codes[code]++
		if err == nil && (len(d.Lines) == 0 || d.Pages == 0) {
			t.Errorf("%s: no lines, and no error", name)
		}
		if err != nil && !slices.Contains(refusals(), code) {
			t.Errorf("%s: %v", name, err)
		}
		if took := time.Since(start); took > time.Second {
			t.Logf("%s took %v: %v", name, took, err)
		}
	}
	t.Log(codes)
}
