package fields

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/analysis"
	"freelancer-matching/resume"
	"freelancer-matching/taxonomy"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// today returns the day as of which the tests extract.
func today() time.Time { return time.Date(2026, 6, 15, 0, 0, 0, 0, time.UTC) }

// shared makes the Extractor of all tests, once, because loading the taxonomy takes a while.
var shared = sync.OnceValues(func() (*Extractor, error) {
	tax, err := taxonomy.Load()
	if err != nil {
		return nil, err
	}
	return New(tax, analysis.New(), today), nil
})

func newExtractor(tb testing.TB) *Extractor {
	tb.Helper()
	x, err := shared()
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

// parseDocument parses the notation of testdata/resumes/README.md.
func parseDocument(text string) resume.Document {
	doc := resume.Document{Pages: 1}
	part := resume.Body
	gap := 0.0
	usual := 10.0
	for i, row := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if i == 0 && strings.HasPrefix(row, "{} ") {
			row = row[3:]
			usual = 0
		}

		switch {
		case strings.TrimSpace(row) == "":
			gap = 1
			continue
		case row == "== page":
			doc.Pages++
			continue
		case strings.HasPrefix(row, "== "):
			part = map[string]resume.Part{
				"body": resume.Body, "sidebar": resume.Sidebar, "header": resume.Header, "footer": resume.Footer,
			}[row[3:]]
			continue

		case strings.HasPrefix(row, "-> "):
			doc.Links = append(doc.Links, resume.Link{URL: row[3:], Line: len(doc.Lines) - 1})
			continue
		}

		l := resume.Line{Page: doc.Pages, Part: part, Gap: gap, Size: usual}
		gap = 0

		if marks, rest, ok := strings.Cut(row, "} "); ok && strings.HasPrefix(marks, "{") {
			row = rest
			for mark := range strings.FieldsSeq(marks[1:]) {
				switch size, err := strconv.ParseFloat(mark, 64); {
				case err == nil:
					l.Size = size
				case mark == "bold":
					l.Bold = true
				default:
					l.Heading = int(mark[1] - '0')
				}
			}
		}

		row, l.Bullet = strings.CutPrefix(row, "- ")
		l.Text = strings.TrimSpace(strings.ReplaceAll(row, "    ", "\t"))
		doc.Lines = append(doc.Lines, l)
	}

	return doc
}

// estimates matches the confidences and the quality in the JSON of a resume. The golden files leave them out, because
// each fit of the calibration changes them.
var estimates = regexp.MustCompile(`(?s),?\n *"Confidence": ([0-9.e-]+|\{[^}]*\})|\n  "Quality": \{.*?\n  \},`)

func TestExtract_Golden(t *testing.T) {
	x := newExtractor(t)
	files, err := filepath.Glob("testdata/resumes/*.txt")
	if err != nil || len(files) < 12 {
		t.Fatalf("found %d resumes, want 12 or more (%v)", len(files), err)
	}

	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			encoder := json.NewEncoder(&got)
			encoder.SetEscapeHTML(false)
			encoder.SetIndent("", "  ")

			if err := encoder.Encode(extract(t, x, parseDocument(string(text)))); err != nil {
				t.Fatal(err)
			}
			fields := estimates.ReplaceAllString(got.String(), "")
			golden := strings.TrimSuffix(file, ".txt") + ".json"

			if *update {
				if err := os.WriteFile(golden, []byte(fields), 0o600); err != nil {
					t.Fatal(err)
				}
			}

			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(string(want), fields); diff != "" {
				t.Errorf("fields changed (-want +got); go test -update rewrites the golden file:\n%s", diff)
			}
		})
	}
}
