package events

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func ranked(freelancer string, rank int, types ...Type) (list []Event) {
	for _, t := range types {
		list = append(list, Event{Freelancer: freelancer, Rank: rank, Type: t})
	}
	return list
}

func join(lists ...[]Event) (all []Event) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func TestJudgeMatch(t *testing.T) {
	for _, test := range []struct {
		name   string
		events []Event
		want   map[string]verdict
	}{
		{"nothing", nil, map[string]verdict{}},
		{"shown only", ranked("a", 1, Shown), map[string]verdict{"a": unjudged}},
		{
			"the strongest event counts", join(
				ranked("a", 1, Shown, Clicked, Contacted, Hired, Rejected), ranked("b", 2, Rejected, Contacted),
				ranked("c", 3, Contacted, Clicked), ranked("d", 4, Clicked, Shown),
			),
			map[string]verdict{"a": hired, "b": rejected, "c": contacted, "d": clicked},
		},
		{
			"only those above the last choice were skipped", join(
				ranked("a", 1, Shown), ranked("b", 2, Shown), ranked("c", 3, Shown, Clicked), ranked("d", 4, Shown),
			),
			map[string]verdict{"a": skipped, "b": skipped, "c": clicked, "d": unjudged},
		},
		{
			"a rejection is a choice, too", join(ranked("a", 1, Shown), ranked("b", 2, Rejected)),
			map[string]verdict{"a": skipped, "b": rejected},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, judgeMatch(test.events)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestJudgedSet(t *testing.T) {
	var s JudgedSet
	add := func(account, brief string, events []Event) {
		t.Helper()
		m := Match{Account: account, ID: "r", Brief: []byte(brief)}

		if brief == "" {
			m.Brief = nil
		}

		if err := s.Add(m, events); err != nil {
			t.Fatal(err)
		}
	}

	add("acc_1", `{"job_title":"R&D <x>","limit":10}`, join(ranked("f1", 1, Shown, Hired), ranked("f3", 3, Shown)))
	add("acc_1", `{"offset":10,"explain":true,"job_title":"R&D <x>"}`, join(
		ranked("f11", 11, Shown), ranked("f12", 12, Contacted), ranked("f1", 13, Rejected), ranked("a\tb", 14, Hired)))
	add("acc_2", `{"job_title":"R&D <x>"}`, ranked("f1", 1, Clicked))
	add("acc_2", `{"job_title":"unfinished"}`, ranked("f1", 1, Shown))
	add("acc_2", "", ranked("f1", 1, Hired))
	var briefs, judgments strings.Builder
	summary, err := s.Write(&briefs, &judgments)
	if err != nil {
		t.Fatal(err)
	}

	want := Summary{Briefs: 2, Grades: [4]int{1, 1, 1, 1}, WithoutBrief: 1, Unjudged: 3}
	if diff := cmp.Diff(want, summary); diff != "" {
		t.Error(diff)
	}
	lines := strings.Split(strings.TrimSpace(briefs.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("briefs:\n%s", &briefs)
	}

	for _, line := range lines {
		id, _, _ := strings.Cut(strings.TrimPrefix(line, `{"brief_id":"`), `"`)
		switch {
		case strings.HasSuffix(line, `,"category":"acc_1","body":{"job_title":"R&D <x>"}}`):
			for _, row := range []string{"f1\t3", "f12\t2", "f11\t0"} {
				if !strings.Contains(judgments.String(), id+"\t"+row+"\n") {
					t.Errorf("the judgments lack %s:\n%s", row, &judgments)
				}
			}

		case !strings.HasSuffix(line, `,"category":"acc_2","body":{"job_title":"R&D <x>"}}`):
			t.Errorf("brief %s", line)
		}
	}

	if err := s.Add(Match{Brief: []byte("{")}, nil); err == nil {
		t.Error("a damaged brief must be an error")
	}
}
