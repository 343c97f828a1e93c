package source

import (
	"path/filepath"
	"testing"

	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/internal/realdata"
)

func TestFile_Kind_RealData(t *testing.T) {
	realdata.Path(t)
	for pattern, want := range map[string]string{
		"jobs/*/*.csv":          "job posting",
		"freelancers/*/*.csv":   "",
		"freelancers/*/*.xlsx":  "",
		"freelancers/*/*/*.csv": "",
		"relevance/*.csv":       "",
	} {
		root, _ := realdata.Find()
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}

		for _, path := range files {
			f, err := Open(input.FromPath(path), Options{})
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}

			if got := f.Kind(); got.Kind != want {
				t.Errorf("%s: %+v, want %q", path, got, want)
			}

			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}

		if len(files) == 0 {
			t.Errorf("no files match %s", pattern)
		}
	}
}
