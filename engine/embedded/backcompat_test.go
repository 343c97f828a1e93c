package embedded

import (
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/freelancer-matching/service/engine"
	"github.com/freelancer-matching/service/internal/matching"
)

var update = flag.Bool("update", false, "write the results of data folders in testdata/backcompat that have none")

// results holds what an index returns.
type results struct {
	Info        engine.Info
	Statistics  engine.Statistics
	Vocabulary  *engine.Vocabulary
	Pages       map[string]*engine.Page
	Freelancers []matching.Freelancer
}

// The data folders of earlier releases open and return what they returned then, or can be converted. If this test fails
// because the format changed, decide: keep reading the old format, or name the command that converts it.
func TestBackcompat(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("..", "..", "testdata", "backcompat", "*", "*", "indexes"))
	if err != nil || len(folders) < 2 {
		t.Fatalf("data folders: %v, error %v; want at least two", folders, err)
	}

	for _, folder := range folders {
		data := filepath.Dir(folder)
		t.Run(filepath.Join(filepath.Base(filepath.Dir(data)), filepath.Base(data)), func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
				t.Fatal(err)
			}
			e := open(t, dir)
			snapshot, err := e.Open(t.Context(), "freelancers")
			if format, ok := errors.AsType[*engine.FormatError](err); ok {
				checkConvertible(t, e, format, filepath.Join(data, "results.json"))
				return
			}

			if err != nil {
				t.Fatal(err)
			}
			got := resultsOf(t, e, snapshot)
			golden := filepath.Join(data, "results.json")
			stored, err := os.ReadFile(golden)
			if errors.Is(err, fs.ErrNotExist) && *update {
				stored, err = json.MarshalIndent(got, "", " ")
				err = errors.Join(err, os.WriteFile(golden, append(stored, '\n'), 0o600))
			}

			if err != nil {
				t.Fatal(err)
			}
			var want results
			if err := json.Unmarshal(stored, &want); err != nil {
				t.Fatal(err)
			}

			if !want.Statistics.RateMedian.Known { // stored before the statistics had it
				var rates engine.RateCounts
				for _, f := range want.Freelancers {
					rates.Add(f.HourlyRate.Or(0), 1)
				}
				want.Statistics.RateMedian = rates.Median()
			}

			options := cmp.Options{cmpopts.EquateApprox(0, 1e-6), cmpopts.EquateEmpty()}
			if !strings.Contains(string(stored), `"Schedule"`) { // stored before hits had it
				options = append(options, cmpopts.IgnoreFields(engine.Hit{}, "Schedule"))
			}
			if !strings.Contains(string(stored), `"Scoring"`) { // stored before pages had it
				options = append(options, cmpopts.IgnoreFields(engine.Page{}, "Scoring"))
			}
			if diff := cmp.Diff(want, got, options); diff != "" {
				t.Errorf("(-then +now):\n%s", diff)
			}
		})
	}
}

// checkConvertible checks that the error of an index of an earlier format names the command that converts it, and that
// the index yields the freelancers that the command needs. TestReindex_EarlierFormat in package indexer runs it.
func checkConvertible(t *testing.T, e *Engine, format *engine.FormatError, golden string) {
	t.Helper()
	if want := "indexer reindex -from " + format.Index; format.Later() || !strings.Contains(engine.Remedy(format), want) {
		t.Errorf("%v: remedy %q, want %q", format, engine.Remedy(format), want)
	}
	stored, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}

	var want results
	if err := json.Unmarshal(stored, &want); err != nil {
		t.Fatal(err)
	}
	var scanned []matching.Freelancer
	for f, err := range e.Scan(t.Context(), format.Index) {
		if err != nil {
			t.Fatal(err)
		}
		scanned = append(scanned, f)
	}

	if diff := cmp.Diff(want.Freelancers, scanned); diff != "" {
		t.Errorf("freelancers (-then +now):\n%s", diff)
	}
}

// resultsOf asks an index for everything that engine.Snapshot and engine.Indexer offer.
func resultsOf(t *testing.T, e *Engine, snapshot engine.Snapshot) results {
	t.Helper()
	info := snapshot.Info()
	r := results{Info: info, Pages: map[string]*engine.Page{}}
	var err error
	if r.Vocabulary, err = snapshot.Vocabulary(t.Context()); err != nil {
		t.Fatal(err)
	}

	var skills []string
	for _, use := range r.Vocabulary.Skills {
		skills = append(skills, use.Word)
	}

	if r.Statistics, err = snapshot.Statistics(t.Context(), skills); err != nil {
		t.Fatal(err)
	}

	for name, q := range queries(info, skills) {
		if r.Pages[name], err = snapshot.Search(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}

	var ids []string
	for f, err := range e.Scan(t.Context(), info.Name) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, f.ID)
		r.Freelancers = append(r.Freelancers, f)
	}

	fetched, err := snapshot.Fetch(t.Context(), ids)
	if diff := cmp.Diff(r.Freelancers, fetched); err != nil || diff != "" {
		t.Errorf("fetch: %v (-scanned +fetched):\n%s", err, diff)
	}

	return r
}

// queries returns queries by words, by skills, by each vector space, and by filters.
func queries(info engine.Info, skills []string) map[string]*engine.Query {
	q := map[string]*engine.Query{
		"words": {
			Terms: []engine.Term{{Text: "design", Weight: 1, Reference: true}, {Text: "data", Weight: .5}},
			Size:  20, TextWeight: 1,
		},
		"filters": {
			Filters: engine.Filters{
				Available: matching.Some(true), MinRating: matching.Some(4.), MaxHourlyRate: matching.Some(60.),
			},
			Quality:  func(s matching.Signals) float64 { return s.Rating.Or(0) / 10 },
			MatchAll: true, Size: 20,
		},
	}

	bySkill := &engine.Query{Size: 20}
	for e := matching.Sibling; e <= matching.Listed; e++ {
		bySkill.Credit[e] = float64(e) / float64(matching.Listed)
	}

	for i, id := range skills[:3] {
		bySkill.Skills = append(bySkill.Skills, engine.SkillClause{ID: id, Weight: 1 / float64(i+1)})
	}
	q["skills"] = bySkill
	for i, space := range info.Vectors {
		vector := make(matching.Vector, space.Dimensions)
		for j := range vector {
			vector[j] = int8(j%7 - 3)
		}

		q["meaning in "+space.Model] = &engine.Query{
			Semantic: &engine.SemanticClause{Space: i, Vector: vector, Weight: 1, Floor: -.5, Ceiling: 1}, Size: 20,
		}
	}

	return q
}
