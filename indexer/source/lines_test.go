package source

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/indexer/rows"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/indexer/source/mappingfile"
	"github.com/freelancer-matching/service/internal/matching"
)

// linesOf returns a reader for the lines of a mapping file.
func linesOf(t testing.TB, mapping string, o Options) (*Lines, error) {
	t.Helper()
	m, err := mappingfile.Parse([]byte("version: 1\nfiles:\n" + mapping))
	if err != nil {
		t.Fatal(err)
	}
	return NewLines(m, o)
}

// A line has the values that a load of the file with the same mapping finds in the row.
func TestLines_ReadAsFiles(t *testing.T) {
	for _, name := range []string{"market.csv", "service.csv", "directory.csv", "people.ndjson"} {
		t.Run(name, func(t *testing.T) {
			f, err := Open(input.FromPath(filepath.Join("testdata", name)), Options{Rates: map[string]float64{"EUR": 1.1}})
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			file := f.Mapping()
			lines, err := NewLines(mappingfile.New([]mappingfile.File{file}), f.options)
			if err != nil {
				t.Fatal(err)
			}

			compared := 0
			for want, err := range f.Rows(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				if len(want.Faults) > 0 || want.Skipped || !want.Key.IsStrong() {
					continue
				}

				object := make(map[string]string)
				for _, cell := range want.Raw.Record() {
					object[cell.Header] = cell.Value
				}
				text, err := json.Marshal(object)
				if err != nil {
					t.Fatal(err)
				}

				got := lines.Read(text, want.Line)
				compared++
				if diff := cmp.Diff(want.Freelancer, got.Freelancer); diff != "" || len(got.Faults) > 0 {
					t.Errorf("line %d (-file +line)\n%s%v\n%s", want.Line, diff, got.Faults, text)
				}
			}
			if compared == 0 {
				t.Error("no row was compared")
			}
		})
	}
}

const crmMapping = `
  - file: crm.csv
    id_prefix: crm-
    where: status != Rejected
    columns:
      - {column: Nr, field: id}
      - {column: Wer, field: name}
      - {column: Kann, field: skills}
      - {column: TJM, field: hourly_rate, per: day, currency: EUR}
      - {column: Note, field: rating}
      - {column: intern, field: "-"}
`

func TestLines(t *testing.T) {
	lines, err := linesOf(t, crmMapping, Options{Rates: map[string]float64{"EUR": 1.1}})
	if err != nil {
		t.Fatal(err)
	}
	reasons := func(list []rows.Fault) (texts []string) {
		for _, f := range list {
			texts = append(texts, strings.TrimPrefix(f.Column+": "+f.Reason, ": "))
		}
		return texts
	}

	line := `{"Nr":1001.0,"Wer":"Ada","Kann":["Go",{"name":"SQL","level":5}],"TJM":480,"skills":["C"]}`
	got := lines.Read([]byte(line), 7)
	want := []string{
		"Note: " + RemarkLacking, "Kann: the skills have levels, which are not stored",
		"TJM: a rate per day; converted at 8 hours per day",
	}
	if diff := cmp.Diff(want, reasons(got.Warnings)); diff != "" {
		t.Errorf("warnings (-want +got)\n%s", diff)
	}
	freelancer := matching.Freelancer{
		ID: "crm-1001", Name: "Ada", Skills: []string{"Go", "SQL"},
		Signals: matching.Signals{HourlyRate: matching.Some(66.)}, Details: matching.Details{Currency: "EUR"},
	}
	if diff := cmp.Diff(freelancer, got.Freelancer); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	for text, reason := range map[string]string{
		`{"Wer":"Ada","Kann":"Go"}`: "no id, profile URL or e-mail address identifies the person",
		`{"Nr":2}`:                  "no name, job title, skills or description to match",
		`[1]`:                       "not a JSON object",
	} {
		got := lines.Read([]byte(text), 1)
		faults := strings.Join(reasons(got.Faults), "\n")
		if !strings.Contains(faults, reason) || strings.Contains(faults, "-id") {
			t.Errorf("%s: %q, want %q", text, faults, reason)
		}
	}

	if row := lines.Read([]byte(`{"Nr":3,"Wer":"Bo","status":"rejected"}`), 1); !row.LeftOut || len(row.Faults) > 0 {
		t.Errorf("a row that the condition leaves out: %+v", row)
	}
}

// A patch changes the values that a line has, and needs no others.
func TestLines_Patch(t *testing.T) {
	lines, err := linesOf(t, crmMapping, Options{Partial: true})
	if err != nil {
		t.Fatal(err)
	}
	got := lines.Read([]byte(`{"Nr":"7","Note":4}`), 1)
	if len(got.Faults)+len(got.Warnings) > 0 || got.Freelancer.ID != "crm-7" || got.Freelancer.Rating.Value != 4 {
		t.Errorf("got %+v", got)
	}
}

func TestNewLines_Errors(t *testing.T) {
	for mapping, want := range map[string]string{
		"  - {file: a, columns: []}\n  - {file: b, columns: []}\n":                     "has 2 files",
		"  - file: a\n    id: [row]\n    columns: [{column: n, field: name}]\n":        "position of a line",
		"  - file: a\n    columns: [{column: n, number: 2, field: name}]\n":            `column "n" has a number`,
		"  - file: a\n    columns: [{column: n, field: id}]\n":                         "no known column for names",
		"  - file: a\n    columns: [{column: n, field: name}, {column: n, field: id}]": "",
	} {
		_, err := linesOf(t, mapping, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", mapping, err, want)
		}
	}
}

// Whatever a client sends, a line is used, skipped or refused with a reason, and nobody is stored under a weak
// identity.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		`{"Nr":1,"Wer":"Ada","Kann":["Go"],"TJM":480,"Note":"4/5"}`,
		`{"Nr":{"$oid":"64a1"},"TJM":{"amount":4,"currency":"EUR"}}`,
		`{"Nr":null,"Wer":"Ada","status":"Rejected"}`, `[{"Nr":1}]`, `"x"`, `{"Nr":1,"Nr":2}`, `{"Kann":[[[]],{"name":{}}]}`,
	} {
		f.Add([]byte(seed))
	}
	lines, err := linesOf(f, crmMapping, Options{Rates: map[string]float64{"EUR": 1.1}})
	if err != nil {
		f.Fatal(err)
	}

	f.Fuzz(func(t *testing.T, text []byte) {
		text = bytes.TrimSpace(text)
		if !json.Valid(text) {
			return // the server has checked it
		}
		row := lines.Read(text, 1)
		isUsed := len(row.Faults) == 0 && !row.Skipped && !row.LeftOut
		hasID := row.Freelancer.ID != "" && row.Key.IsStrong()
		if isUsed && !hasID {
			t.Errorf("%s is used without an id: %+v", text, row)
		}
		if again := lines.Read(text, 1); !cmp.Equal(row.Freelancer, again.Freelancer) {
			t.Errorf("%s is read in two ways: %+v, %+v", text, row.Freelancer, again.Freelancer)
		}
	})
}
