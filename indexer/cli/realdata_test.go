package cli

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/bulk"
	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/realdata"
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
			first := filepath.Join(s.files, "first.ndjson")
			second := filepath.Join(s.files, "second.ndjson")
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

// TestCheck_RealPeople counts who is one person in real files without edits. The file online_freelancers has a row for
// each person and skill, without ids, and other ratings in each row. Of its 2,471 people with several rows, 2,461 agree
// in six columns that aren't used, and a sample of 30 was judged by hand: each of them is one person. Eight people have
// a row with shifted columns or another rate. One of them, who has two rates, is kept apart as two.
func TestCheck_RealPeople(t *testing.T) {
	type counts struct{ Rows, Freelancers, Merged, Duplicates, Rejected, Separated int }
	for name, want := range map[string]counts{
		"freelancercom_online/online_freelancers.Sheet1.csv": {10914, 3827, 5333, 1754, 0, 2},
		"freelancercom_online/online_freelancers.xlsx":       {10914, 3827, 5333, 1754, 0, 2},
		"freelancing_trends/Raw_Dataset.csv":                 {1000, 947, 0, 53, 0, 0},
		"upwork_guru/upwork_freelancers.csv":                 {650, 296, 0, 354, 0, 0},
		"upwork_guru/guru_freelancers.csv":                   {1000, 955, 0, 43, 2, 0},
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			path := realdata.Path(t, "freelancers", filepath.FromSlash(name))
			in := bulk.Input{Name: name, Open: func() (bulk.File, error) {
				return source.Open(input.FromPath(path), source.Options{})
			}}
			r, err := bulk.Check(t.Context(), []bulk.Input{in}, bulk.Options{
				MaxFailures: bulk.DefaultLimit(),
				DeadLetters: func(string) string { return "" },
				Progress:    func(bulk.Progress) {},
			})
			if err != nil {
				t.Fatal(err)
			}

			got := counts{r.Rows, r.Freelancers, r.Merged, r.Duplicates, r.Rejected, r.Merges.Separated}
			if got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}
