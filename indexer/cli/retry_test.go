package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// letters returns the path of the dead letters of the live index.
func (s *session) letters() string {
	s.t.Helper()
	return filepath.Join(s.data, deadLettersDir, s.states()["live"][0]+".ndjson")
}

// newestLetters returns the path of the dead letters of the last change in place.
func (s *session) newestLetters() string {
	s.t.Helper()
	paths, err := filepath.Glob(filepath.Join(s.data, deadLettersDir, "*.*.ndjson"))
	if err != nil || len(paths) == 0 {
		s.t.Fatalf("dead letters of changes in place: %v, %v", paths, err)
	}
	return slices.MaxFunc(paths, func(a, b string) int {
		return modified(s.t, a).Compare(modified(s.t, b))
	})
}

func modified(t *testing.T, path string) time.Time {
	t.Helper()
	stat, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return stat.ModTime()
}

// correct replaces text in a file.
func (s *session) correct(path string, replacements ...string) {
	s.t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	corrected := string(content)
	for i := 0; i < len(replacements); i += 2 {
		if !strings.Contains(corrected, replacements[i]) {
			s.t.Fatalf("%s lacks %q:\n%s", path, replacements[i], content)
		}
		corrected = strings.ReplaceAll(corrected, replacements[i], replacements[i+1])
	}
	s.write(path, corrected)
}

// Corrected dead letters are added to the live index with the settings of the load that rejected them.
func TestRetry(t *testing.T) {
	s := newSession(t)
	good := s.file("good.csv", "Who;Trade;Price;Stars\nMira Talden;Go developer;€40;9\nOren Vask;Illustrator;€30;8\n"+
		"Ada Brandt;Editor;€20;10\n")
	bad := s.file("bad.csv", "Who;Trade;Price;Stars\nEve Lindt;Tester;€50;7\n;;60;8\nMarc\nIda Vos;Painter;€10;6;extra\n")
	s.must("load", good, bad, "-max-failures", "3", "-map", "name=Who", "-map", "job_title=Trade",
		"-map", "hourly_rate=Price", "-map", "rating=Stars", "-currency", "USD", "-rate", "EUR=2", "-id-prefix", "x-")
	before := s.must("export")
	letters := s.letters()

	// Unchanged letters are rejected for the same reasons.
	s.wantError(1, []string{"load", "-retry", letters}, "bad.csv:3", ":4", ":5", "has 1 cells",
		"has 5 cells", "Nothing was changed")

	if after := s.must("export"); after != before {
		t.Errorf("a retry of uncorrected rows changed the index:\n%s\nto\n%s", before, after)
	}

	s.correct(letters, `"Who":"","Trade":""`, `"Who":"Nora Ley","Trade":"Welder"`, `"(extra cell 5)":"extra"`,
		`"(extra cell 5)":""`)
	out := s.must("load", "-retry", letters)
	for _, want := range []string{"3 rows read", "2 added", "4 unchanged", "bad.csv:4"} {
		if !strings.Contains(out, want) {
			t.Errorf("the retry doesn't print %q:\n%s", want, out)
		}
	}

	export := s.must("export")
	for _, want := range []string{
		`"name":"Ida Vos","job_title":"Painter","skills":[],"experience":null,"rating":3,"hourly_rate":20,`,
		`"name":"Nora Ley","job_title":"Welder","skills":[],"experience":null,"rating":4,"hourly_rate":60,`,
	} {
		if !strings.Contains(export, want) {
			t.Errorf("the export lacks %s:\n%s", want, export)
		}
	}

	still, err := os.ReadFile(s.newestLetters())
	if err != nil || strings.Count(string(still), "\n") != 1 || !strings.Contains(string(still), `"line":4,`) {
		t.Errorf("the new dead letters are %s (%v), want the row on line 4", still, err)
	}
}

// With -id row, a corrected row gets the ID that its position in the file gives it.
func TestRetry_PositionID(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", "title,skills\nGo developer,Go\n,\nEditor,\"Editing\nand more\"\n,-\nTester,QA\n,N/A\n")
	s.must("load", csv, "-id", "row", "-max-failures", "9")
	s.correct(s.letters(), `{"title":"","skills":"N/A"}`, `{"title":"Welder","skills":["Welding","Brazing"]}`)
	s.must("load", "-retry", s.letters())
	want := `"id":"row-5","name":"","job_title":"Welder","skills":["Welding","Brazing"]`
	if out := s.must("export"); !strings.Contains(out, want) {
		t.Errorf("the export lacks %s:\n%s", want, out)
	}
}

func TestRetry_Errors(t *testing.T) {
	s := newSession(t)
	letters := s.file("letters.ndjson",
		`{"file":"a.csv","line":2,"faults":[{"reason":"bad"}],"record":{"id":"p8","name":"Eve"}}`+"\n")
	s.wantError(1, []string{"load", "-retry", letters}, "no index is live", "load all of it")
	csv := s.loadPeople()
	s.wantError(2, []string{"load", "-retry", letters, csv}, "-retry loads rows of dead letters only")
	s.wantError(2, []string{"load", "-retry", letters, "-dead-letters", letters}, "would overwrite the file of -retry")
	s.wantError(1, []string{"load", "-retry", filepath.Join(s.files, "none.ndjson")}, "none.ndjson")
	s.wantError(1, []string{"load", "-retry", s.file("x.ndjson", "{}\n{\n")}, "line 2 is not a valid dead letter")
	s.wantError(1, []string{"load", "-retry", s.file("x.ndjson", "\n\n")}, "has no dead letters")
	s.wantError(1, []string{"load", "-retry", s.file("x.ndjson", `{"record":{"a":"","a":""}}`)}, `the column "a" twice`)

	// Letters of earlier versions and of refused documents have no record.
	old := s.file("old.ndjson", `{"file":"a.csv","line":4,"column":"rate","value":"lots","reason":"not a number"}
{"id":"p7","faults":[{"reason":"the engine refused it"}]}
`)
	s.wantError(1, []string{"load", "-retry", old}, "no record to load", "not a number", "the engine refused it")

	if out := s.must("load", "-retry", letters, "-allow-shrink"); !strings.Contains(out, "1 added") ||
		!strings.Contains(out, "recognized from these rows") {
		t.Errorf("a letter about a file that the index doesn't know:\n%s", out)
	}
}
