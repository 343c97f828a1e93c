package strictjson

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDeepest_IgnoresBracketsInStrings(t *testing.T) {
	for text, want := range map[string]int{
		``: 0, `1`: 0, `"[[["`: 0, `["[","\"[",{}]`: 2, `{"a":[[]],"b":[]}`: 3, `]]]`: 0,
	} {
		if got, _ := deepest([]byte(text)); got != want {
			t.Errorf("deepest(%s) = %d, want %d", text, got, want)
		}
	}
}

// FuzzParseJSON checks that valid texts are read as encoding/json reads them.
func FuzzParseJSON(f *testing.F) {
	for _, seed := range []string{
		`{"description":"Build a dashboard","required_skills":["React"]}`, ` [ ] `, `{ }`, `"\u00e9\ud800\"\\\/"`,
		"\t{\r\n\"a\" : [ 1 , -0.5e+10 , 2E3, true , false , null ] , \"a\":{}}\n",
		`[[],{},""," ",[{"":{"é":[]}}]]`, `-0`, `{"a":1,"b":"x","a":2}`, `[1,]`, `{"a" 1}`, `"`, `nul`, `[[`, "\"\x00\"",
	} {
		f.Add([]byte(seed))
	}

	f.Fuzz(func(t *testing.T, text []byte) {
		value, err := Parse(text)
		if err != nil {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var want any
		if err := decoder.Decode(&want); err != nil {
			t.Fatalf("%q was read as %v, but is invalid: %v", text, value, err)
		}

		if diff := cmp.Diff(want, unordered(value)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	})
}

// unordered returns a value of parseJSON as encoding/json decodes it.
func unordered(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = unordered(v[i])
		}
	case Object:
		members := map[string]any{}
		for _, m := range v {
			members[m.Name] = unordered(m.Value)
		}
		return members
	}
	return value
}
