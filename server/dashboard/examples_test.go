package dashboard_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/freelancer-matching/service/server/openapi"
)

// matchExample returns an example response of POST /match.
func matchExample(t testing.TB, name string) string {
	t.Helper()
	return exampleOf(t, "/api/v1/match", name)
}

// storedMatch returns a response of POST /match that stays the same when the ranking changes.
func storedMatch(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/match.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// exampleOf returns an example response from openapi.yaml. Tests of package api compare these with real responses.
func exampleOf(t testing.TB, path, name string) string {
	t.Helper()
	var document map[string]any
	if err := yaml.Unmarshal(openapi.YAML(), &document); err != nil {
		t.Fatal(err)
	}

	var at any = document
	for _, key := range []string{
		"paths", path, "post", "responses", "200", "content", "application/json", "examples", name, "value",
	} {
		object, ok := at.(map[string]any)
		if !ok || object[key] == nil {
			t.Fatalf("openapi.yaml has no key %q on the path to the example %q", key, name)
		}
		at = object[key]
	}

	text, err := json.Marshal(at)
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}
