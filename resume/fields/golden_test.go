package fields

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/freelancer-matching/service/internal/analysis"
	"github.com/freelancer-matching/service/resume/resumetest"
	"github.com/freelancer-matching/service/taxonomy"
)

// shared makes the Extractor of all tests, once, because loading the taxonomy takes a while.
var shared = sync.OnceValues(func() (*Extractor, error) {
	tax, err := taxonomy.Load()
	if err != nil {
		return nil, err
	}
	return New(tax, analysis.New(), resumetest.Today), nil
})

func newExtractor(tb testing.TB) *Extractor {
	tb.Helper()
	x, err := shared()
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

// estimates matches the confidences and the quality in the JSON of a resume, and its empty text. The golden files leave
// them out: each fit of the calibration changes the estimates, and the text is in the file itself.
var estimates = regexp.MustCompile(`(?s)\n  "Lines": null,|,?` +
	`\n *"Confidence": ([0-9.e-]+|\{[^}]*\})|\n  "Quality": \{.*?\n  \},`)

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

			fieldsOf := extract(t, x, resumetest.ParseDocument(string(text)))
			fieldsOf.Lines = nil
			if err := encoder.Encode(fieldsOf); err != nil {
				t.Fatal(err)
			}

			fields := estimates.ReplaceAllString(got.String(), "")
			golden := strings.TrimSuffix(file, ".txt") + ".json"

			resumetest.GoldenText(t, fields, golden)
		})
	}
}
