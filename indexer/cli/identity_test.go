package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// people returns the live freelancers as "id name skill,skill", sorted.
func (s *session) people() []string {
	s.t.Helper()
	var list []string
	for line := range strings.Lines(s.must("export")) {
		var f struct {
			ID, Name string
			Skills   []string
		}
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			s.t.Fatal(err)
		}
		list = append(list, f.ID+" "+f.Name+" "+strings.Join(f.Skills, ","))
	}
	slices.Sort(list)
	return list
}

func (s *session) wantPeople(want ...string) {
	s.t.Helper()
	if diff := cmp.Diff(want, s.people()); diff != "" {
		s.t.Errorf("live freelancers (-want +got):\n%s", diff)
	}
}

// Two sources that number their people from 1 have different people with the same ids.
func TestLoad_TwoSourcesWithTheSameNumbers(t *testing.T) {
	s := newSession(t)
	north := s.file("north.csv", "id,name,skills\n1,Mira Talden,Go\n2,Oren Vask,SEO\n")
	south := s.file("south.csv", "id,name,skills\n1,Talia Reth,Figma\n2,Bruno Sari,MIG\n")
	s.wantError(1, []string{"load", north, south}, "north.csv and ", "-id-prefix north.csv=a- ", "-id-prefix south.csv=b-",
		"this id belongs to another person", "north.csv:2 has 1 for Mira")
	unnamed := s.file("unnamed.csv", "id,title,skills\n1,Editor,SEO\n2,Welder,MIG\n")
	other := s.file("other.csv", "id,title,skills\n1,Nurse,Care\n2,Cook,Soup\n")
	s.wantError(1, []string{"load", unnamed, other}, "-id-prefix", "this id belongs to another person")
	s.must("load", "-id-prefix", "n-", "-id-prefix", "south.csv=s-", north, south)
	s.wantPeople("n-1 Mira Talden Go", "n-2 Oren Vask SEO", "s-1 Talia Reth Figma", "s-2 Bruno Sari MIG")
	s.wantError(2, []string{"load", "-id-prefix", "nort.csv=n-", north}, `names "nort.csv", which is not among the files`)
	s.wantError(2, []string{"load", "-id-prefix", "n -", north}, "without spaces")
}

func TestLoad_CompositeID(t *testing.T) {
	s := newSession(t)
	file := s.file("people.csv", "site,handle,name,skills\nnorth,ace,Mira Talden,Go\nsouth,ace,Talia Reth,SEO\n"+
		"north,ace,Mira Talden,Figma\nno:rth,x,Oren Vask,Go\nno,rth:x,Bruno Sari,Go\n")
	s.must("load", "-id", "Site,handle", file)
	s.wantPeople("no%3Arth:x Oren Vask Go", "no:rth%3Ax Bruno Sari Go", "north:ace Mira Talden Go,Figma",
		"south:ace Talia Reth SEO")
	s.wantError(1, []string{"load", "-id", "site,hand", file}, `no column "hand" for the id; the columns are "site"`)
	s.wantError(2, []string{"load", "-id", "site,", file}, "want a column")
	both := s.file("both.csv", "id,part,handle,skills\n1,north,ace,Go\n2,south,ace,SEO\n")
	out := strings.Join(strings.Fields(s.must("validate", "-id", "part", "-id", "handle", both)), " ")
	for _, want := range []string{
		"id id header 1 not used, because -id names other columns", "part of the id, because of -id", "2 freelancers",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}
	s.wantError(1, []string{"load", "-id", "site", "-map", "id=handle", file}, "use one of them")
}

// Addresses identify people, but they are never stored, not even as a part of an id.
func TestLoad_EmailIsNotStored(t *testing.T) {
	s := newSession(t)
	file := s.file("people.csv", "name,e-mail,site,skills\nMira Talden,mira@a.example,north,Go\n"+
		"Mira Talden,MIRA@a.example,north,SQL\nMira Talden,mira@b.example,north,Figma\n")
	for _, flags := range [][]string{{}, {"-id", "e-mail"}, {"-id", "site,e-mail"}} {
		out := s.must(append([]string{"load", file}, flags...)...)
		people := s.people()
		if len(people) != 2 || strings.Contains(strings.Join(people, " "), "example") {
			t.Errorf("%v: %q\n%s", flags, people, out)
		}
	}
}

func TestLoad_PositionAsID(t *testing.T) {
	s := newSession(t)
	file := s.file("people.csv", "name,skills\nMira,Go\nMira,Go\n\n,SEO\n")
	s.must("load", "-id", "row", file)
	s.wantPeople("row-1 Mira Go", "row-2 Mira Go", "row-3  SEO")
	again := s.file("again.csv", "name,skills\nMira,Go\n")
	s.wantError(2, []string{"load", "-id", "row", file, again}, "give each file a prefix")
	s.must("load", "-id", "row", "-id-prefix", "again.csv=a-", file, again)
	s.wantPeople("a-row-1 Mira Go", "row-1 Mira Go", "row-2 Mira Go", "row-3  SEO")
}

func TestLoad_MaxMerged(t *testing.T) {
	s := newSession(t)
	s.must("load", s.file("before.csv", "id,name,skills\n1,Before,Go\n"))
	file := s.file("people.csv", "id,name,skills,rating\n7,Mira Talden,Go,4.9\n7,Mira Talden,SQL,4.5\n8,Oren Vask,SEO,5\n"+
		"8,Oren Vask,SEO,5\n")
	for _, command := range []string{"load", "validate"} {
		s.wantError(1, []string{command, "-max-merged", "49%", file}, "2 of 4 rows were merged", "limit of 49%",
			"raise -max-merged", "rating people.csv:2 \"4.9\" (kept) / :3 \"4.5\"")
		s.wantError(1, []string{command, "-max-merged", "1", file}, "limit of 1")
	}
	s.wantPeople("1 Before Go")
	s.must("load", "-max-merged", "50%", file)
	s.wantPeople("7 Mira Talden Go,SQL", "8 Oren Vask SEO")
}

func TestLoad_ReportsMerges(t *testing.T) {
	s := newSession(t)
	file := s.file("people.csv", "name,city,title,skills,rate\n"+
		"Mira Talden,Oslo,Nurse,Care,40\nMira Talden,Oslo,,First aid,\n"+
		"Oren Vask,Lima,Cook,Soup,20\nOren Vask,Lima,Cook,Soup,90\nTalia Reth,,,Go,\n")
	for _, command := range []string{"validate", "load"} {
		out := s.must(command, file)
		for _, want := range []string{
			"merged rows: 1 by name and location", "kept apart: 2 freelancers", "known by name only: 1 freelancer;",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: want %q in\n%s", command, want, out)
			}
		}
	}
}
