package makers

import (
	"context"
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/docx"
	"github.com/freelancer-matching/service/resume/flow"
)

// keepPage keeps the page that a program would print.
func keepPage(_ context.Context, _ string, page []byte, path string) error {
	return os.WriteFile(path, page, 0o600)
}

// writeAll writes two documents of each maker, and returns the folder.
func writeAll(t *testing.T, seed uint64) string {
	t.Helper()
	folder := t.TempDir()
	if err := Write(t.Context(), folder, 2, seed, keepPage); err != nil {
		t.Fatal(err)
	}
	return folder
}

var (
	markup = regexp.MustCompile(`<style>[\s\S]*</style>|<[^>]*>`)
	spaces = regexp.MustCompile(`\s+`)
)

// textOf returns the text of a document, with single spaces.
func textOf(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	if strings.HasSuffix(path, ".docx") {
		doc, err := docx.New(flow.DefaultLimits()).Read(t.Context(), content)
		if err != nil {
			t.Fatalf("read %s: %v", path, err)
		}
		text = textOfLines(doc)
	} else if !strings.HasSuffix(path, ".txt") {
		text = html.UnescapeString(markup.ReplaceAllString(text, " "))
	}
	return spaces.ReplaceAllString(text, " ")
}

func textOfLines(doc resume.Document) string {
	var b strings.Builder
	for _, l := range doc.Lines {
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

// Each document has its sections, positions and degrees, so that what is missing in a result was missed by the reader.
func TestWrite(t *testing.T) {
	folder := writeAll(t, 1)
	paths, err := filepath.Glob(filepath.Join(folder, "*.truth.json"))
	if err != nil || len(paths) != 2*len(all()) {
		t.Fatalf("%d documents, want two of each maker (error %v)", len(paths), err)
	}

	for _, path := range paths {
		documents, err := filepath.Glob(strings.TrimSuffix(path, ".truth.json") + ".*")
		if err != nil || len(documents) != 2 {
			t.Fatalf("%s has %d files, want the document and its truth", path, len(documents))
		}
		document := documents[0]
		if document == path {
			document = documents[1]
		}
		text := strings.ToLower(textOf(t, document))

		var truth Truth
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, &truth); err != nil {
			t.Fatal(err)
		}

		var wanted []string
		for _, x := range truth.Texts {
			if x.Heading || x.Section == "skills" || x.Section == "summary" {
				wanted = append(wanted, x.Text)
			}
		}
		for _, p := range truth.Experience {
			wanted = append(wanted, p.Title, p.Company)
		}
		for _, d := range truth.Education {
			wanted = append(wanted, d.Degree, d.Field, d.Institution)
		}
		for _, w := range wanted {
			if !strings.Contains(text, strings.ToLower(w)) {
				t.Errorf("%s lacks %q", filepath.Base(document), w)
			}
		}
	}
}

// Figures can be compared only if the same seed gives the same documents, and other seeds give others.
func TestWrite_Repeatable(t *testing.T) {
	first, again, other := writeAll(t, 1), writeAll(t, 1), writeAll(t, 2)
	names, err := os.ReadDir(first)
	if err != nil {
		t.Fatal(err)
	}

	same := 0
	for _, name := range names {
		read := func(folder string) string {
			content, err := os.ReadFile(filepath.Join(folder, name.Name()))
			if err != nil {
				t.Fatal(err)
			}
			return string(content)
		}
		if read(first) != read(again) {
			t.Errorf("%s differs between two runs with one seed", name.Name())
		}
		if read(first) == read(other) {
			same++
		}
	}
	if same > 0 {
		t.Errorf("%d files are the same with another seed", same)
	}
}

// A list without words would make documents of one language unlike the others, or crash.
func TestWords(t *testing.T) {
	english, err := wordsOf("en")
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range languages() {
		w, err := wordsOf(language)
		if err != nil {
			t.Fatal(err)
		}

		lists := reflect.ValueOf(*w)
		for i := range lists.NumField() {
			if lists.Field(i).IsZero() {
				t.Errorf("%s has no words for %s", language, lists.Type().Field(i).Name)
			}
		}
		for kind := range english.Headings {
			if len(w.Headings[kind]) == 0 {
				t.Errorf("%s has no heading for %s", language, kind)
			}
		}
		if len(w.Months) != 12 || len(w.Short) != 12 {
			t.Errorf("%s has %d months and %d short ones", language, len(w.Months), len(w.Short))
		}
	}
}
