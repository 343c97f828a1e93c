package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// oddSkills has skills whose names contain separators, brackets and quotes.
const oddSkills = `[{"id":"p1","name":"Mira Talden","skills":["C (ANSI)","Go","[x]","{y}","3D, modeling","R&D",` +
	`"a;b","a|b"],` +
	`"description":"Line one.\n\n\"Line\" two, and more."},` +
	`{"id":"p2","name":"Oren \"Ace\" Vask","job_title":"=SUM(1)",` +
	`"skills":["SEO","'quoted'","\"quoted\""],"hourly_rate":33.125},` +
	`{"id":"p3","name":"Talia Reth","skills":["Python (5 years)","- dash"],"rating":4.05,"experience":1.5}]`

// TestCorpus_ExportsLoadUnchanged loads skills with brackets and separators, exports them in each format, and loads the
// export: the freelancers stay the same.
func TestCorpus_ExportsLoadUnchanged(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"csv", "ndjson"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newSession(t)
			s.must("load", s.file("people.json", oddSkills))
			before := s.live()
			path := filepath.Join(s.files, "export."+format)
			s.must("export", "-format", format, "-o", path)
			s.must("load", "-max-failures", "0", path)
			if diff := cmp.Diff(before, s.live()); diff != "" {
				t.Errorf("before and after (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCorpus_StoredMappingLoadsTheSame writes the mapping that validate finds, and loads with it.
func TestCorpus_StoredMappingLoadsTheSame(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	people := s.file("people.csv",
		"Nombre;Price;Column3;Shoe size\nMira Talden;$51/hr;Go, SQL;38\nOren Vask;$20/hr;SEO;44\n"+
			"Talia Reth;$33/hr;Figma, SEO;40\nBruno Sari;$25/hr;Go;43\n")
	mapping := filepath.Join(s.files, "mapping.yaml")
	s.must("validate", "-o", mapping, people)
	content, err := os.ReadFile(mapping)
	if err != nil {
		t.Fatal(err)
	}

	for _, header := range []string{"Nombre", "Price", "Shoe size"} {
		if !strings.Contains(string(content), header) {
			t.Errorf("%q is missing in\n%s", header, content)
		}
	}

	s.must("load", people)
	want := s.live()
	s.must("load", "-mapping", mapping, people)

	if diff := cmp.Diff(want, s.live()); diff != "" {
		t.Errorf("without and with the mapping file (-want +got):\n%s", diff)
	}
	other := s.file("people.csv", "Name;Preis\nMira Talden;51\n") // the columns changed since
	s.wantError(1, []string{"load", "-mapping", mapping, other}, "Nombre")
}

// TestCorpus_InterruptedInputLeavesNothing interrupts a load from standard input while it is still being received: the
// live index stays, and no file with personal data remains in the temporary folder.
func TestCorpus_InterruptedInputLeavesNothing(t *testing.T) {
	s := newSession(t)
	s.loadPeople()
	before := s.live()
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	go func() {
		_, _ = io.WriteString(out, inventedCSV(2000))
		cancel() // the sender is still there, but sends nothing more
	}()

	defer out.Close()

	code, output := s.runFrom(ctx, in, "load", "-")
	if code != 1 {
		t.Errorf("exit code %d, want 1\n%s", code, output)
	}

	if diff := cmp.Diff(before, s.live()); diff != "" {
		t.Errorf("the live index changed (-before +after):\n%s", diff)
	}
	left, err := os.ReadDir(temporary)
	if err != nil {
		t.Fatal(err)
	}

	for _, entry := range left {
		t.Errorf("%s is left in the temporary folder", entry.Name())
	}
}

// TestCorpus_CorrectedDeadLettersLoad loads a file with a rejected row, corrects the row in the dead letters, and loads
// them with -retry.
func TestCorpus_CorrectedDeadLettersLoad(t *testing.T) {
	t.Parallel()
	s := newSession(t)
	letters := filepath.Join(s.files, "letters.ndjson")
	people := s.file("people.csv", "id,name,job_title,skills,hourly_rate\np1,Mira Talden,Go developer,Go,40\n,,,,30\n")
	s.must("load", "-max-failures", "1", "-dead-letters", letters, people)
	content, err := os.ReadFile(letters)
	if err != nil {
		t.Fatal(err)
	}

	corrected := strings.NewReplacer(`"name":""`, `"name":"Oren Vask"`, `"id":""`, `"id":"p2"`,
		`"job_title":""`, `"job_title":"Illustrator"`, `"skills":""`, `"skills":"Figma"`).Replace(string(content))
	if corrected == string(content) {
		t.Fatalf("the rejected row is not in the dead letters in full:\n%s", content)
	}

	s.must("load", "-retry", s.file("corrected.ndjson", corrected))
	all := s.live()
	if len(all) != 2 {
		t.Fatalf("%d freelancers are live, want 2: %v", len(all), all)
	}

	if !hasFacts(all[1], "Oren Vask: hourly_rate=30") && !hasFacts(all[0], "Oren Vask: hourly_rate=30") {
		t.Errorf("the corrected row was loaded as %v", all)
	}
}

// runFrom runs the program with a standard input.
func (s *session) runFrom(ctx context.Context, stdin io.Reader, args ...string) (code int, output string) {
	var out strings.Builder
	c := &cli{
		environment: func(name string) (string, bool) { return s.data, name == "MATCHING_DATA" },
		stdin:       stdin, stdout: &out, stderr: &out, now: time.Now,
	}
	return c.run(ctx, args), out.String()
}
