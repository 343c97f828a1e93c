package resumes

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const goldenFile = "testdata/golden.txt"

// minF1 is the minimal F1 of a field over all generated files. It is a little below that in the golden file, so that a
// change that trades one file for another is reviewed there, while one that loses a field fails even with -update.
var minF1 = map[string]float64{
	"name": .94, "job_title": .95, "email": .95, "phone": .97, "location": .88, "links": .92, "summary": .92,
	"language": .98, "experience": .90, "experience.title": .90, "experience.company": .90, "experience.dates": .94,
	"experience.tasks": .93, "experience_years": .90, "education": .88, "education.degree": .91,
	"education.institution": .90, "education.dates": .93, "languages": .95, "languages.level": .88,
	"certifications": .90, "certifications.name": .93, "skills": .93,
}

// TestFixtures_Golden parses every generated file with the whole parser.
func TestFixtures_Golden(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine reads large files, which the race detector makes ten times slower")
	}

	p := openForTest(t)
	samples, err := fixtureSamples("testdata", loadTaxonomy(t))
	if err != nil {
		t.Fatal(err)
	}

	verdicts, err := p.judgeAll(t.Context(), samples)
	if err != nil {
		t.Fatal(err)
	}

	all := sum(verdicts)
	for field, want := range minF1 {
		if f1 := all[field].f1(); !(f1 >= want) { // NaN is too low
			t.Errorf("the F1 of %s is %.3f, want at least %.2f", field, f1, want)
		}
	}

	const minInOrder = 50 // of 58 files
	inOrder := 0
	for _, v := range verdicts {
		if v.disorder == "" {
			inOrder++
		}
	}

	if inOrder < minInOrder {
		t.Errorf("the reading order is right in %d files, want at least %d", inOrder, minInOrder)
	}

	var report bytes.Buffer
	writeReport(&report, "generated", verdicts)

	if *update {
		if err := os.WriteFile(goldenFile, report.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}

	want, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), report.String()); diff != "" {
		t.Errorf("the report differs (-want +got); if the files are read better, run with -update:\n%s", diff)
	}
}
