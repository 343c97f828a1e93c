package resumes

import (
	"bytes"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const unseenGolden = "testdata/unseen/golden.txt"

// TestUnseen_Golden reports how the unseen files are read, without what is missed in which file.
func TestUnseen_Golden(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine reads large files, which the race detector makes ten times slower")
	}

	p := openForTest(t)
	verdicts, err := p.judgeLabeled(t.Context(), "testdata/unseen", loadTaxonomy(t))
	if err != nil {
		t.Fatal(err)
	}

	var report bytes.Buffer
	writeGoals(&report, "unseen", verdicts)
	if *update {
		if err := os.WriteFile(unseenGolden, report.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}

	want, err := os.ReadFile(unseenGolden)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), report.String()); diff != "" {
		t.Errorf("the report differs (-want +got); if the files are read better, run with -update:\n%s", diff)
	}
}
