package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReport_HTML(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", peopleCSV)
	out := filepath.Join(s.files, "report.html")
	tests := []struct {
		args  []string
		code  int
		wants []string
	}{
		{[]string{"validate", csv, "-max-failures", "1"}, 0, []string{
			"2 freelancers can be loaded", "Hourly rate in USD", "median 40, known for 1 of 2", "people.csv:5",
		}},
		{[]string{"load", csv, "-max-failures", "1"}, 0, []string{
			"2 freelancers are live", "Most frequent skills", "an amount in EUR without an exchange rate", "€30",
			"dead-letters",
		}},
		{[]string{"load", csv, "-max-failures", "0"}, 1, []string{"Nothing was loaded", "1 of 4 rows rejected"}},
		{[]string{"load", "-upsert", csv, "-max-failures", "1"}, 0, []string{
			"indexer load -upsert", "2 freelancers are live", "freelancers replaced", "share before this load",
		}},
	}
	for _, test := range tests {
		code, stdout, stderr := s.run("", append(test.args, "-report", out)...)
		s.checkError(test.args, code, test.code, stdout+stderr, "report    "+out)
		page, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}

		for _, want := range test.wants {
			if !strings.Contains(string(page), want) {
				t.Errorf("indexer %v: the report lacks %q", test.args, want)
			}
		}

		info, err := os.Stat(out)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the report holds personal data, but its mode is %v (%v)", info.Mode(), err)
		}

		if err := os.Remove(out); err != nil {
			t.Fatal(err)
		}
	}

	s.wantError(2, []string{"load", csv, "-report", filepath.Join(s.files, "none", "r.html")}, "there is no folder")
	s.wantError(2, []string{"load", csv, "-report", s.files}, "is a folder; name a file")
}
