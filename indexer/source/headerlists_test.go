package source

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/indexer/source/field"
	"github.com/freelancer-matching/service/indexer/source/headers"
)

// A headerScore counts how headers were recognized.
type headerScore struct{ used, expected, correct int }

// add counts a column that is used for the field got and should be used for the field want; "-" is no field.
func (s *headerScore) add(got, want string) {
	if got != "-" {
		s.used++
	}
	if want != "-" {
		s.expected++
		if got == want {
			s.correct++
		}
	}
}

func (s headerScore) precision() float64 { return float64(s.correct) / float64(max(1, s.used)) }
func (s headerScore) recall() float64    { return float64(s.correct) / float64(max(1, s.expected)) }

func (s headerScore) String() string {
	return fmt.Sprintf("precision %.3f  recall %.3f  (%d of %d expected, %d used)",
		s.precision(), s.recall(), s.correct, s.expected, s.used)
}

// TestHeadersAreRecognizedInEveryLanguage compares the field of each header in testdata/headers with the field that a
// person chose. It looks at headers alone, without values. Headers in unseen.tsv were never tuned on, so the test names
// failures in known.tsv only.
func TestHeadersAreRecognizedInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, list := range []struct {
		file              string
		precision, recall float64 // the lowest acceptable figures over all languages
	}{
		{"known.tsv", .97, .95},
		{"unseen.tsv", .97, .95},
	} {
		t.Run(list.file, func(t *testing.T) {
			t.Parallel()
			file, err := os.ReadFile(filepath.Join("testdata", "headers", list.file))
			if err != nil {
				t.Fatal(err)
			}

			var languages []string
			scores := make(map[string]*headerScore)
			var total headerScore
			for line := range strings.Lines(string(file)) {
				columns := strings.Split(strings.TrimSpace(line), "\t")
				if strings.HasPrefix(line, "#") || len(columns) != 3 {
					continue
				}
				language := columns[0]
				header := columns[1]
				want := columns[2]

				if !slices.Contains(languages, language) {
					languages = append(languages, language)
					scores[language] = new(headerScore)
				}

				got := "-"
				if h, ok := headers.Lookup(header); ok && h.Field != field.None {
					got = h.Field.String()
				}

				for _, s := range []*headerScore{scores[language], &total} {
					s.add(got, want)
				}

				if got != want && list.file == "known.tsv" {
					t.Logf("%s: %q is used for %s, expected %s", language, header, got, want)
				}
			}

			for _, language := range languages {
				t.Logf("%-5s %v", language, scores[language])
			}
			t.Logf("total %v", total)

			if total.precision() < list.precision || total.recall() < list.recall {
				t.Errorf("%v, expected at least precision %.3f and recall %.3f", total, list.precision, list.recall)
			}
		})
	}
}
