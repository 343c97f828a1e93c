package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// applicants is an export of an applicant tracking system.
const applicants = "Candidate ID,Candidate Name,Job title,Skills,Application Status,Score,Applied at\n" +
	"1,Ada Lund,Go developer,Go,Active,8,2026-03-01\n" +
	"2,Bo Reth,Illustrator,Figma,Rejected,9,2026-04-02\n" +
	"3,Cem Vask,Editor,SEO,rejected ,4,2025-12-30\n" +
	"4,Dua Moor,Translator,Translation,Phone screen,10,2026-01-15\n" +
	"5,Eve Sari,Bookkeeper,Accounting,,7,2026-02-20\n"

// whereCases returns cases about -where.
func whereCases() []corpusCase {
	where := func(name, condition string, want outcome) corpusCase {
		return corpusCase{
			name: name, files: files{"people.csv", applicants}, want: want,
			args: `load -where "` + strings.ReplaceAll(condition, `"`, `""`) + `" people.csv`,
		}
	}
	withoutRejected := loads(3, "Ada Lund: id=1", "Dua Moor: id=4", "Eve Sari: id=5").
		saying("2 left out by -where", "only rows with").without("Bo Reth", "Cem Vask")

	return []corpusCase{
		where("not rejected", "Application Status != Rejected", withoutRejected),
		where("not rejected, in SQL", "\"Application Status\" <> 'Rejected'", withoutRejected),
		where("not rejected, in other letters", "application status != REJECTED", withoutRejected),
		where("not among states", "not (application status in (Rejected, Withdrawn))", withoutRejected),
		where("some states", "Application Status in (Active, 'Phone screen')", loads(2, "Ada Lund: id=1", "Dua Moor: id=4")),
		where("a score", "score >= 8 and application status != rejected", loads(2, "Ada Lund: id=1", "Dua Moor: id=4")),
		where("a date", "applied at >= 2026-02-01", loads(3, "Ada Lund: id=1", "Bo Reth: id=2", "Eve Sari: id=5")),
		where("a text within a cell", "job title ~ TRANSLAT", loads(1, "Dua Moor: id=4")),
		where("a column that doesn't exist", "stage = Active",
			refuses(`no column "stage"`, `"Candidate ID", "Candidate Name", "Job title", "Skills", "Application Status"`)),
		where("no row is left", "score > 100", refuses("5 left out by -where", "no usable rows")),
		{
			name: "a member of nested JSON",
			files: files{"people.ndjson", "" +
				`{"id":1,"name":"Ada Lund","skills":["Go"],"stage":{"name":"Offer"},"archived":false}` +
				"\n" + `{"id":2,"name":"Bo Reth","skills":["SEO"],"stage":{"name":"Rejected"},"archived":false}` + "\n" +
				`{"id":3,"name":"Cem Vask","skills":["SEO"],"stage":null,"archived":true}` + "\n"},
			args: `load -where "stage.name != rejected and archived = false" people.ndjson`,
			want: loads(1, "Ada Lund: id=1").saying("2 left out"),
		},
		{
			name:  "rejected rows that can't be read",
			files: files{"people.csv", "name,skills,status\n,,Rejected\n,,Rejected\nAda Lund,Go,New\n"},
			args:  `load -max-failures 0 -where "status != Rejected" people.csv`,
			want:  loads(1, "Ada Lund: skills=Go").saying("2 left out", " 0 rejected"),
		},
		{
			name:  "a deletion that is left out",
			live:  "id,name,skills\n1,Ada Lund,Go\n2,Bo Reth,SEO\n",
			files: files{"people.csv", "id,name,skills,deleted,state\n1,,,true,draft\n3,Cem Vask,SEO,,final\n"},
			args:  `load -upsert -where "state = final" people.csv`,
			want:  loads(3, "Ada Lund: id=1", "Cem Vask: id=3"),
		},
		{
			name:  "a file without the column",
			files: files{"a.csv", applicants, "b.csv", "id,name,skills\n8,Fay Kel,Go\n"},
			args:  `load -where "application status != rejected" a.csv b.csv`,
			want:  refuses("b.csv: where: no column", `"id", "name", "skills"`),
		},
	}
}

func TestWhere_IsStoredWithTheMapping(t *testing.T) {
	s := newSession(t)
	people := s.file("people.csv", applicants)
	s.wantError(2, []string{"load", "-where", "status =", people}, "-where", "the clause ends where a value should follow")

	mapping := filepath.Join(s.files, "mapping.yaml")
	s.must("validate", "-where", "Application Status != Rejected", "-o", mapping, people)
	if s.must("load", "-mapping", mapping, people); len(s.ids()) != 3 {
		t.Errorf("with the mapping file, %v are live", s.ids())
	}
	if s.must("load", "-allow-shrink", "-mapping", mapping, "-where", "score > 9", people); len(s.ids()) != 1 {
		t.Errorf("with a flag besides the mapping file, %v are live", s.ids())
	}
	if out := s.must("status", "-v"); !strings.Contains(out, "-where score > 9") {
		t.Errorf("status -v lacks the condition:\n%s", out)
	}

	text, err := os.ReadFile(mapping)
	if err != nil {
		t.Fatal(err)
	}
	faulty := s.file("faulty.yaml", strings.Replace(string(text), "!= Rejected", "!=", 1))
	s.wantError(1, []string{"load", "-mapping", faulty, people}, "faulty.yaml: line ", "the clause ends where a value")
}

func TestWhere_IfChanged(t *testing.T) {
	s := newSession(t)
	people := s.file("people.csv", applicants)
	args := []string{"load", "-if-changed", "-allow-shrink", "-where", "score > 5", people}
	for _, step := range []struct{ where, want string }{
		{"score > 5", "indexed in"}, {"score > 5", "Nothing was loaded"}, {"score > 8", "indexed in"},
	} {
		args[4] = step.where
		if out := s.must(args...); !strings.Contains(out, step.want) {
			t.Errorf("-where %q: want %q in\n%s", step.where, step.want, out)
		}
	}
	if n := s.document(0, args[0], "-where", "score > 8", people).at("rows", "left_out"); n != 3.0 {
		t.Errorf("left_out is %v, want 3", n)
	}
}

// A retry leaves out what the load that rejected the rows would have left out.
func TestWhere_Retry(t *testing.T) {
	s := newSession(t)
	people := s.file("people.csv", "id,name,skills,status\n1,Ada Lund,Go,New\n2,Bo Reth,SEO,New,extra\n"+
		"3,Cem Vask,SEO,New,extra\n")
	letters := filepath.Join(s.files, "letters.ndjson")
	s.must("load", "-where", "status != Rejected", "-max-failures", "2", "-dead-letters", letters, people)

	text, err := os.ReadFile(letters)
	if err != nil {
		t.Fatal(err)
	}
	corrected := strings.ReplaceAll(string(text), `"extra"`, `""`)
	corrected = strings.Replace(corrected, `"status":"New"`, `"status":"Rejected"`, 1)
	out := s.must("load", "-retry", s.file("corrected.ndjson", corrected))
	if ids := strings.Join(s.ids(), " "); ids != "1 3" || !strings.Contains(out, "1 left out by -where") {
		t.Errorf("%s are live after\n%s", ids, out)
	}
	s.wantError(2, []string{"load", "-resumes", s.files, "-where", "a = b"}, "resumes have none")
}
