package mappings

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func TestLoad_EveryFile(t *testing.T) {
	names, err := fs.Glob(files, "*.json")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, file := range names {
		m, err := Load(strings.TrimSuffix(file, ".json"))
		if err != nil {
			t.Error(err)
		}
		if m.BM25.K1 <= 0 || m.BM25.B <= 0 {
			t.Errorf("%s: BM25 is %+v, want positive parameters", file, m.BM25)
		}
	}
}

// An engine that ignored a part of a definition would return wrong results, so Load rejects such a definition.
func TestLoad_RejectsUnsupportedDefinition(t *testing.T) {
	const valid = `{"settings":{"index":{"similarity":{"s":{"type":"BM25","k1":1.2,"b":0.75},
		"t":{"type":"BM25","k1":2,"b":0.75}}}},
		"mappings":{"dynamic":"strict","properties":{"terms":{"type":"text","analyzer":"whitespace","similarity":"s"}}}}`
	tests := []struct{ name, from, to, want string }{
		{"dynamic fields", `"strict"`, `"true"`, "dynamic"},
		{"unsupported type", `"type":"text"`, `"type":"geo_point"`, "geo_point"},
		{"unsupported analyzer", `whitespace`, `english`, "english"},
		{"unknown similarity", `"similarity":"s"}`, `"similarity":"u"}`, "similarity"},
		{"b out of range", `0.75`, `1.75`, "b <= 1"},
		{
			"two similarities", `"terms":`, `"other":{"type":"text","analyzer":"whitespace","similarity":"t"},"terms":`,
			"one BM25 similarity",
		},
		{"no text field", `"type":"text"`, `"type":"keyword"`, "no text field"},
		{"invalid JSON", `{"settings"`, `{settings`, "invalid character"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body := strings.Replace(valid, test.from, test.to, 1)
			_, err := load(fstest.MapFS{"x.json": {Data: []byte(body)}}, "x")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want one that contains %q", err, test.want)
			}
		})
	}

	if _, err := load(fstest.MapFS{"x.json": {Data: []byte(valid)}}, "x"); err != nil {
		t.Errorf("the valid definition was rejected: %v", err)
	}

	if _, err := Load("freelancers.v0"); err == nil {
		t.Error("Load returned no error for a definition that does not exist")
	}
}
