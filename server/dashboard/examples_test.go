package dashboard_test

import (
	"encoding/json"
	"testing"

	"github.com/goccy/go-yaml"

	"freelancer-matching/server/openapi"
)

// answerOf is an answer of POST /match from the description of the API, where tests hold it to what the API really answers.
func answerOf(t testing.TB, name string) string {
	t.Helper()
	return exampleOf(t, "/api/v1/match", name)
}

// exampleOf is the answer of an operation that openapi.yaml has under a name.
func exampleOf(t testing.TB, path, name string) string {
	t.Helper()
	var document map[string]any
	if err := yaml.Unmarshal(openapi.YAML(), &document); err != nil {
		t.Fatal(err)
	}
	var at any = document
	for _, step := range []string{"paths", path, "post", "responses", "200", "content", "application/json", "examples", name, "value"} {
		inside, ok := at.(map[string]any)
		if !ok || inside[step] == nil {
			t.Fatalf("openapi.yaml has no %q on the way to the example %q", step, name)
		}
		at = inside[step]
	}
	text, err := json.Marshal(at)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
