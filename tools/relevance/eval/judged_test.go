package eval

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadBriefs(t *testing.T) {
	in := `{"brief_id": "b1", "category": "design", "body": {"description": "Logo"}}` + "\r\n\n" +
		`{"brief_id": "b2", "category": "design", "body": {}}`
	briefs, err := ReadBriefs(strings.NewReader(in))
	if err != nil || len(briefs) != 2 || briefs[0].ID != "b1" || string(briefs[0].Body) != `{"description": "Logo"}` {
		t.Errorf("got %v, %v", briefs, err)
	}
}

func TestReadJudgments(t *testing.T) {
	in := "brief_id\tfreelancer_id\tgrade\nb1\tann\t3\n\nb1\tbob\t0\r\nb2\tann\t1\n"
	got, err := ReadJudgments(strings.NewReader(in))
	want := Judgments{"b1": {"ann": 3, "bob": 0}, "b2": {"ann": 1}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestJudgments_WriteAndAdd(t *testing.T) {
	j := Judgments{"b2": {"ann": 1}, "b1": {"bob": 0}}
	added, err := j.Add(Judgments{"b1": {"bob": 0, "ann": 3}, "b3": {"ann": 2}})
	if err != nil || added != 2 {
		t.Errorf("%d added, want 2 (%v)", added, err)
	}
	if _, err := j.Add(Judgments{"b4": {"ann": 1}, "b1": {"bob": 2}}); err == nil ||
		err.Error() != `freelancer "bob" is graded 0 and 2 for brief "b1"` {
		t.Errorf("conflicting grades: %v", err)
	}
	var b strings.Builder
	if err := j.Write(&b); err != nil {
		t.Fatal(err)
	}
	want := "brief_id\tfreelancer_id\tgrade\nb1\tann\t3\nb1\tbob\t0\nb2\tann\t1\nb3\tann\t2\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRead_ErrorsIncludeTheLineNumber(t *testing.T) {
	const oneBrief = `{"brief_id": "b", "body": {}}`
	judgments := func(s string) error { _, err := ReadJudgments(strings.NewReader(s)); return err }
	run := func(s string) error { _, err := ReadRun(strings.NewReader(s)); return err }
	briefs := func(s string) error { _, err := ReadBriefs(strings.NewReader(s)); return err }
	tests := []struct {
		name, in, want string
		read           func(string) error
	}{
		{"missing column", "b1\tann\t1\nb1\tann", "line 2: want tab-separated brief_id, freelancer_id and grade", judgments},
		{"grade not a number", "b1\tann\tgood", `line 1: grade must be 0, 1, 2 or 3, got "good"`, judgments},
		{"grade too high", "b1\tann\t4", `line 1: grade must be 0, 1, 2 or 3, got "4"`, judgments},
		{"judged twice", "b1\tann\t3\nb1\tann\t2", `line 2: freelancer "ann" is judged twice`, judgments},
		{"line too long", strings.Repeat("x", maxLine+1), "line 1: ", judgments},
		{"not JSON", "{}x", "line 1: ", briefs},
		{"no id", `{"body": {}}`, "line 1: brief_id and body are required", briefs},
		{"skipped rank", "b1\t1\tann\nb1\t3\tbob", `line 2: want rank 2 of brief "b1", got "3"`, run},
		{"duplicate brief", "\n" + oneBrief + "\n" + oneBrief, `line 3: duplicate brief "b"`, briefs},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := test.read(test.in); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
