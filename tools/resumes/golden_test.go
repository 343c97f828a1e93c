package main

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden file")

const goldenFile = "testdata/golden.txt"

// floors are the least F1 of a field over all generated files. They are a little below what the golden file says, so that a
// change that trades one file for another is reviewed there, and one that loses a field fails here even with -update.
func floors() map[string]float64 {
	return map[string]float64{
		"name": .94, "job_title": .95, "email": .95, "phone": .97, "location": .88, "links": .92, "summary": .92, "language": .98,
		"experience": .90, "experience.title": .90, "experience.company": .90, "experience.dates": .94, "experience.tasks": .93, "experience_years": .90,
		"education": .88, "education.degree": .91, "education.institution": .90, "education.dates": .93,
		"languages": .95, "languages.level": .88, "certifications": .90, "certifications.name": .93, "skills": .93,
	}
}

// TestFixtures_AreReadAsTheGoldenFileSays reads every generated file with the whole parser.
func TestFixtures_AreReadAsTheGoldenFileSays(t *testing.T) {
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
	for field, floor := range floors() {
		if f1 := all[field].f1(); !(f1 >= floor) {
			t.Errorf("%s: F1 is %.3f, want %.2f at least", field, f1, floor)
		}
	}
	const leastInOrder = 50 // files, of 58
	inOrder := 0
	for _, v := range verdicts {
		if v.disorder == "" {
			inOrder++
		}
	}
	if inOrder < leastInOrder {
		t.Errorf("the reading order is right in %d files, want %d at least", inOrder, leastInOrder)
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
		t.Errorf("the files are read differently (-before +now); when that is better, run with -update:\n%s", diff)
	}
}
