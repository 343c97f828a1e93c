package cli

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// Status says where the live index came from, in 80 columns.
func TestStatus_Details(t *testing.T) {
	s := newSession(t)
	s.loadPeople("-rate", "EUR=1.1")
	first := s.must("status")
	for _, want := range []string{
		"\nlive: freelancers-v1-", "from csv", " by ", "people.csv: csv, 184 B, 4 rows, sha256 ",
		"1 row merged, 1 row rejected, 2 freelancers added", "-max-failures 1 -rate EUR=1.1", "job_title 100%",
	} {
		if !strings.Contains(first, want) {
			t.Errorf("status lacks %q:\n%s", want, first)
		}
	}

	for line := range strings.Lines(strings.ReplaceAll(first, s.data, "data")) {
		if strings.HasPrefix(line, "The indexes are in") {
			continue // a path
		}
		if n := utf8.RuneCountInString(strings.TrimSpace(line)); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}

	s.must("load", "-upsert", "-in-place=false", "-allow-shrink",
		s.file("more.csv", "id,name,skills\np9,Ada Brandt,Editing\n"))
	for args, want := range map[string]int{"status": 1, "status -v": 2} {
		out := s.must(strings.Fields(args)...)
		if n := strings.Count(out, "\n  taxonomy  "); n != want {
			t.Errorf("%s shows %d indexes in detail, want %d:\n%s", args, n, want, out)
		}

		if strings.Contains(out, "# ") || strings.Contains(out, "- column: ") != (args == "status -v") {
			t.Errorf("%s should show the mapping only with -v, and without comments:\n%s", args, out)
		}

		if !strings.Contains(out, "upsert ") || !strings.Contains(out, "more.csv") {
			t.Errorf("%s doesn't show the upsert:\n%s", args, out)
		}
	}

	index := s.document(0, "status").at("indexes").([]any)[0].(map[string]any)
	if provenance, _ := index["provenance"].(map[string]any); provenance["user"] == nil || provenance["files"] == nil {
		t.Errorf("the provenance in JSON: %v", index["provenance"])
	}
}

func TestAge(t *testing.T) {
	now := time.Unix(1_900_000_000, 0)
	for d, want := range map[time.Duration]string{
		-time.Second: "0m", 59 * time.Second: "0m", 59 * time.Minute: "59m", time.Hour: "1h", 47 * time.Hour: "47h",
		48 * time.Hour: "2d", 1000 * time.Hour: "41d",
	} {
		if got := age(now, now.Add(-d)); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
	if got := age(now, time.Time{}); got != "-" {
		t.Errorf("an unknown time: %s", got)
	}
}
