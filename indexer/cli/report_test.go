package cli

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/freelancer-matching/service/indexer/format"
)

// The report of a load with every kind of trouble fits on a screen, in 80 columns.
func TestReport_FitsOnAScreen(t *testing.T) {
	s := newSession(t)
	s.loadPeople()
	var csv strings.Builder
	csv.WriteString("id,name,job_title,skills,hourly_rate,rating,experience,joined\n")

	for i := range 60 {
		rate := fmt.Sprintf("%d XYZ%c", i, 'A'+i%20)
		rating := "4"

		if i%2 == 1 {
			rate = "a lot of money for every hour of work"
			rating = "5"
		}

		fmt.Fprintf(&csv, "p%d,Mira Talden,Go developer,Go,%s,%s,forever,never\n", i/2, rate, rating)
		if i%5 == 0 {
			csv.WriteString(",,,,12\n,,,,,,,,,,too many cells\n")
		}
	}

	file := s.file("a-file-whose-name-is-longer-than-most-names-of-files-in-the-wild.csv", csv.String())
	out := s.must("load", file, "-max-failures", "50%", "-allow-shrink")
	_, report, ok := strings.Cut(out, "rows read\n")
	if !ok {
		t.Fatalf("no report in\n%s", out)
	}

	for _, want := range []string{"known values, before → after:", "conflicts between rows", "warnings:", "rejection:"} {
		if !strings.Contains(report, want) {
			t.Errorf("the report lacks %q", want)
		}
	}

	lines := strings.Split(report, "\n")
	if len(lines) > 60 {
		t.Errorf("%d lines", len(lines))
	}

	for _, line := range lines {
		width := utf8.RuneCountInString(line)
		if width > format.Width && !strings.Contains(line, s.data) && !strings.Contains(line, "a-file-") {
			t.Errorf("%d columns: %s", width, line)
		}
	}

	if t.Failed() {
		t.Log(report)
	}
}
