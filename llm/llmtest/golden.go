package llmtest

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// boundary finds the random part of the delimiters of a request.
var boundary = regexp.MustCompile(`(?m)^\[data ([A-Z2-7]+): `)

// CompareGolden compares everything that a model reads in a request, with a fixed boundary, with a golden file. If
// update is set, it rewrites the file first.
func CompareGolden(t testing.TB, r ChatRequest, file string, update bool) {
	t.Helper()
	got := render(t, r)
	if update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the prompt changed; if that is intended, increase its version and run with -update (-want +got):\n%s", diff)
	}
}

func render(t testing.TB, r ChatRequest) string {
	t.Helper()
	found := boundary.FindStringSubmatch(r.Messages[1].Content)
	if found == nil {
		t.Fatalf("got no data in %q", r.Messages[1].Content)
	}

	var text strings.Builder
	for _, m := range r.Messages {
		text.WriteString("=== " + m.Role + "\n" + m.Content + "\n\n")
	}

	text.WriteString("=== schema\n")
	var schema bytes.Buffer
	if err := json.Indent(&schema, r.ResponseFormat.JSONSchema.Schema, "", "  "); err != nil {
		t.Fatal(err)
	}

	return strings.ReplaceAll(text.String()+schema.String()+"\n", found[1], "MARK")
}
