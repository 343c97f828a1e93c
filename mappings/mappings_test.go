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
			t.Errorf("%s: BM25 is %+v", file, m.BM25)
		}
	}
}

// An engine that understood a definition only in part would search it wrongly, so such a definition is refused.
func TestLoad_RefusesWhatNoEngineUnderstands(t *testing.T) {
	const whole = `{"settings":{"index":{"similarity":{"s":{"type":"BM25","k1":1.2,"b":0.75}}}},
		"mappings":{"dynamic":"strict","properties":{"terms":{"type":"text","analyzer":"whitespace","similarity":"s"}}}}`
	tests := []struct{ name, from, to, want string }{
		{"not strict", `"strict"`, `"true"`, "dynamic"},
		{"another type", `"type":"text"`, `"type":"geo_point"`, "geo_point"},
		{"another analyzer", `whitespace`, `english`, "english"},
		{"no similarity", `"similarity":"s"}`, `"similarity":"t"}`, "similarity"},
		{"b out of range", `0.75`, `1.75`, "b <= 1"},
		{"no text", `"type":"text"`, `"type":"keyword"`, "no text field"},
		{"not JSON", `{"settings"`, `{settings`, "invalid character"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body := strings.Replace(whole, test.from, test.to, 1)
			_, err := load(fstest.MapFS{"x.json": {Data: []byte(body)}}, "x")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want something of %q", err, test.want)
			}
		})
	}
	if _, err := load(fstest.MapFS{"x.json": {Data: []byte(whole)}}, "x"); err != nil {
		t.Errorf("the whole definition: %v", err)
	}
	if _, err := Load("freelancers.v0"); err == nil {
		t.Error("a definition that does not exist was loaded")
	}
}
