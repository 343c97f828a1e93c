package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/indexer/report"
)

// document runs the program with -json and returns what it printed, which must be one JSON document and nothing else.
func (s *session) document(code int, args ...string) document {
	s.t.Helper()
	got, stdout, stderr := s.run("", append(args, "-json")...)
	if got != code {
		s.t.Fatalf("indexer %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, code, stdout, stderr)
	}
	var d document
	decoder := json.NewDecoder(strings.NewReader(stdout))
	if err := decoder.Decode(&d); err != nil || decoder.More() {
		s.t.Fatalf("indexer %s: not one JSON document (%v):\n%s", strings.Join(args, " "), err, stdout)
	}
	if d.Command != args[0] {
		s.t.Errorf("indexer %s: the document is about %q", strings.Join(args, " "), d.Command)
	}
	return d
}

// at returns a member of the result: at("change", "index").
func (d document) at(path ...string) any {
	value := d.Result
	for _, key := range path {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}

func TestJSON_EveryCommand(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", peopleCSV)
	out := filepath.Join(s.files, "out.ndjson")
	d := s.document(0, "validate", "-max-failures", "1", csv)
	if d.at("rows", "rejected") != 1. || d.at("change") != nil {
		t.Errorf("validate: %v", d)
	}

	var live any
	for range 4 {
		d := s.document(0, "load", "-keep-indexes", "all", "-max-failures", "1", csv)
		live = d.at("change", "index")
		if files, _ := d.at("files").([]any); len(files) != 1 || live == "" || d.at("dead_letters") == "" {
			t.Errorf("load: %v", d)
		}
	}

	if d := s.document(0, "status"); d.at("live") != live {
		t.Errorf("status: %v, want %v live", d, live)
	}

	if d := s.document(0, "rollback"); d.at("previous") != live {
		t.Errorf("rollback: %v, want %v as the previous index", d, live)
	}

	if d := s.document(0, "prune", "-keep", "0"); len(d.at("removed").([]any)) != 2 || d.at("previous") != live {
		t.Errorf("prune: %v", d)
	}

	if d := s.document(0, "reindex"); d.at("change", "indexed") != 2. {
		t.Errorf("reindex: %v", d)
	}

	if d := s.document(0, "delete", "-allow-shrink", "-ids", "p2,p9"); d.at("change", "deleted") != 1. {
		t.Errorf("delete: %v", d)
	}

	if d := s.document(0, "export", "-o", out); d.at("freelancers") != 1. || d.at("file") != out {
		t.Errorf("export: %v", d)
	}

	if d := s.document(0, "generate", "-n", "3", "-o", out); d.at("freelancers") != 3. {
		t.Errorf("generate: %v", d)
	}

	if d := s.document(0, "version"); d.at("version") == "" || d.at("formats", "embedded") == nil {
		t.Errorf("version: %v", d)
	}
}

func TestJSON_Errors(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", peopleCSV)
	tests := []struct {
		args   []string
		code   string
		exit   int
		result bool
	}{
		{[]string{"lod", csv}, "usage", 2, false},
		{[]string{"load", "-dryrun", csv}, "usage", 2, false},
		{[]string{"load", csv, "-max-failures", "0"}, "too_many_rejected", 1, true},
		{[]string{"validate", s.file("none.csv", "id,name\n,\n")}, "no_usable_rows", 1, true},
		{[]string{"load", filepath.Join(s.files, "missing.csv")}, "failed", 1, false},
		{[]string{"reindex"}, "no_live_index", 1, true},
		{[]string{"export", "-index", "freelancers-v1-none", "-o", filepath.Join(s.files, "x")}, "not_found", 1, false},
		{[]string{"generate"}, "usage", 2, false},
	}
	for _, test := range tests {
		d := s.document(test.exit, test.args...)
		if d.Error == nil || d.Error.Code != test.code || d.Error.ExitCode != test.exit || d.Error.Message == "" {
			t.Errorf("indexer %v: %+v, want the code %s", test.args, d.Error, test.code)
		}

		if (d.Result != nil) != test.result {
			t.Errorf("indexer %v: result %v", test.args, d.Result)
		}
	}
}

// Every field and every error code is documented.
func TestJSON_Documentation(t *testing.T) {
	read := func(path string) string {
		t.Helper()
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}

	guide := read("../../docs/operations/indexer-json.md")
	wanted := make(map[string]bool)
	_, code, _ := strings.Cut(read("output.go"), "func failureCode(")
	code, _, _ = strings.Cut(code, "\n}\n")
	for _, match := range regexp.MustCompile(`return "(\w+)"`).FindAllStringSubmatch(code, -1) {
		wanted[match[1]] = true
	}

	var collect func(reflect.Type)
	collect = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			collect(typ.Elem())
		case reflect.Struct:
			for i := range typ.NumField() {
				f := typ.Field(i)
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if wanted[name] = true; f.Type != reflect.TypeFor[time.Time]() {
					collect(f.Type)
				}
			}

		default:
		}
	}
	for _, result := range []any{
		document{},
		report.Result{},
		indexList{},
		rolledBack{},
		pruned{},
		exported{},
		programVersion{},
		changedFreelancer{},
		comparedIndex{},
	} {
		collect(reflect.TypeOf(result))
	}

	delete(wanted, "") // embedded
	for name := range wanted {
		if !regexp.MustCompile("`"+name+"(\\[\\])?(\\.|`)").MatchString(guide) &&
			!strings.Contains(guide, "."+name+"[]`") {
			t.Errorf("indexer-json.md doesn't describe %s", name)
		}
	}
}

func TestQuiet(t *testing.T) {
	s := newSession(t)
	csv := s.file("people.csv", peopleCSV)
	code, stdout, stderr := s.run("", "load", csv, "-quiet", "-max-failures", "1")
	if code != 0 || stdout != "" || strings.Count(stderr, "\n") != 1 ||
		!strings.HasPrefix(stderr, "indexer: 1 row rejected, 1 warning, dead letters in "+s.data) {
		t.Errorf("load with rejected rows: exit code %d, stdout %q, stderr:\n%s", code, stdout, stderr)
	}

	merged := s.file("merged.csv", "id,name,skills,rating\np1,Mira Talden,Go,4\np1,Mira Talden,SQL,5\n")
	if _, _, stderr := s.run("", "validate", merged, "-quiet"); stderr != "indexer: 1 conflict between merged rows\n" {
		t.Errorf("conflicts: %q", stderr)
	}
	clean := s.file("clean.csv", "id,name,skills\np1,Mira Talden,Go\n")
	for _, args := range [][]string{
		{"load", clean, "-allow-shrink"}, {"validate", clean}, {"status"}, {"reindex"}, {"prune"}, {"rollback"},
	} {
		if code, stdout, stderr := s.run("", append(args, "-quiet")...); code != 0 || stdout+stderr != "" {
			t.Errorf("indexer %v: exit code %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}

	if code, stdout, stderr := s.run("", "load", csv, "-quiet", "-max-failures", "0"); code != 1 || stdout != "" ||
		!strings.Contains(stderr, "1 of 4 rows rejected") {
		t.Errorf("failed load: exit code %d, stdout %q, stderr:\n%s", code, stdout, stderr)
	}

	if _, stdout, _ := s.run("", "export", "-quiet"); !strings.Contains(stdout, "Mira Talden") {
		t.Errorf("an export to standard output is the result, but -quiet hides it: %q", stdout)
	}
}
