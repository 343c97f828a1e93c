package cli

import (
	"fmt"
	"strings"
	"testing"
)

const beforeCSV = `id,name,job_title,skills,hourly_rate
p1,Mira Talden,Go developer,"Go,PHP",40
p2,Oren Vask,Illustrator,"Illustration,Figma",30
p3,Ada Brandt,Editor,"Editing,Proofreading",
`

const afterCSV = `id,name,job_title,skills,hourly_rate
p1,Mira Talden,Go developer,"Go,SQL",45
p3,Ada Brandt,Editor,"Editing,Proofreading",
p4,Evil` + "\x1b[31m" + ` Name,Tester,"Testing,QA",20
`

func TestDiff(t *testing.T) {
	s := newSession(t)
	s.wantError(1, []string{"diff"}, "does not exist")
	s.must("load", s.file("before.csv", beforeCSV))
	first := s.states()["live"][0]
	s.wantError(1, []string{"diff"}, "there is no previous index")
	s.must("load", s.file("after.csv", afterCSV), "-max-failures", "0")

	got := s.must("diff")
	golden(t, "diff.txt", s.normalize(got))
	if got != s.must("diff", "previous", "live") || got != s.must("diff", first) {
		t.Error("diff with the names of the same indexes prints something else")
	}

	if out := s.must("diff", "live", "live"); !strings.Contains(out, "3 unchanged") || strings.Contains(out, "added:") {
		t.Errorf("an index compared with itself:\n%s", out)
	}
	s.wantError(1, []string{"diff", "freelancers-v1-none"}, "not found")
	s.wantError(2, []string{"diff", "a", "b", "c"}, "two indexes, but 3 were named")

	d := s.document(0, "diff")
	if fmt.Sprint(d.at("added"), d.at("removed"), d.at("unchanged")) != "[p4] [p2] 1" || d.at("a", "index") != first {
		t.Errorf("%v", d.Result)
	}

	if changed := fmt.Sprint(d.at("changed")); changed != "[map[fields:[skills hourly_rate] id:p1]]" {
		t.Errorf("changed %s", changed)
	}
}

func TestDiff_LongLists(t *testing.T) {
	s := newSession(t)
	s.must("generate", "-n", "30", "-o", s.files+"/a.ndjson")
	s.must("generate", "-n", "30", "-seed", "2", "-o", s.files+"/b.ndjson")
	s.must("load", s.files+"/a.ndjson")
	s.must("load", s.files+"/b.ndjson")
	out := s.must("diff")
	if strings.Count(out, "and 10 more; diff -json lists all") == 0 {
		t.Errorf("diff:\n%s", out)
	}
	d := s.document(0, "diff")
	all := 0
	for _, kind := range []string{"added", "changed"} {
		all += len(d.at(kind).([]any))
	}
	if unchanged := int(d.at("unchanged").(float64)); all+unchanged != 30 {
		t.Errorf("%d listed and %d unchanged, want 30 together", all, unchanged)
	}
}
