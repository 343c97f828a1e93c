package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/realdata"
)

// TestLoad_RealData loads every real data set unedited, exports it, and loads the export. No freelancer may get lost.
func TestLoad_RealData(t *testing.T) {
	var files []string
	for _, pattern := range []string{"freelancers/*/*.csv", "freelancers/*/*.xlsx", "relevance/freelancers.csv"} {
		found, err := filepath.Glob(filepath.Join(realdata.Path(t), pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("there are no data sets")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s := newSession(t)
			out := s.must("load", file)
			t.Log(out[strings.Index(out, "\n\n")+2:])
			first, second := filepath.Join(s.files, "first.ndjson"), filepath.Join(s.files, "second.ndjson")
			csv := filepath.Join(s.files, "first.csv")
			s.must("export", "-o", first)
			s.must("export", "-format", "csv", "-o", csv)
			for _, exported := range []string{first, csv} {
				s.must("load", "-max-failures", "0", exported)
				s.must("export", "-o", second)
				if diff := cmp.Diff(decode(t, first), decode(t, second), almostEqual); diff != "" {
					t.Errorf("export, load %s and export again (-first +second):\n%s", filepath.Base(exported), diff)
				}
			}
			if err := os.RemoveAll(s.data); err != nil {
				t.Error(err)
			}
		})
	}
}

// almostEqual tolerates the rounding of ratings that were converted from another scale.
var almostEqual = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })

// decode reads an NDJSON export.
func decode(t *testing.T, path string) []matching.Freelancer {
	t.Helper()
	var all []matching.Freelancer
	for _, line := range lines(t, path) {
		var f matching.Freelancer
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}
