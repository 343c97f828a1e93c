package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const fullSchema = `{"type":"object","additionalProperties":false,"required":["n","s","list","maybe","kind"],` +
	`"properties":{"n":{"type":"integer","minimum":0,"maximum":5},` +
	`"s":{"type":"string","minLength":1,"maxLength":3,"pattern":"^[a-z]+$"},` +
	`"list":{"type":"array","minItems":1,"maxItems":2,"uniqueItems":true,"items":{"type":"number","multipleOf":0.5}},` +
	`"maybe":{"anyOf":[{"type":"null"},{"type":"object","additionalProperties":false,"properties":{}}]},` +
	`"kind":{"enum":["minimum","pattern"]}}}`

func TestWithoutBounds(t *testing.T) {
	want := `{"additionalProperties":false,"properties":{"kind":{"enum":["minimum","pattern"]},` +
		`"list":{"items":{"type":"number"},"type":"array"},` +
		`"maybe":{"anyOf":[{"type":"null"},{"additionalProperties":false,"properties":{},"type":"object"}]},` +
		`"n":{"type":"integer"},"s":{"type":"string"}},"required":["n","s","list","maybe","kind"],"type":"object"}`
	if diff := cmp.Diff(want, string(withoutBounds(json.RawMessage(fullSchema)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	named := `{"properties":{"pattern":{"type":"string"}},"required":["pattern"]}` // the name of a property, not a bound
	if diff := cmp.Diff(named, string(withoutBounds(json.RawMessage(named)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Validation ends soon, with a short error, whatever the model says.
func FuzzValidate(f *testing.F) {
	s, err := compileSchema(json.RawMessage(fullSchema))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(`{"n":1,"s":"abc","list":[0.5],"maybe":{},"kind":"pattern"}`)
	f.Add(`{"n":1e999999999,"s":"","list":[1e-999999999,-1e400],"maybe":null,"kind":7}`)
	f.Add(`{"n":1e99999,"s":"","list":[1e-99999],"maybe":null,"kind":7}`)
	f.Add(strings.Repeat("[", 5000) + strings.Repeat("]", 5000))
	f.Fuzz(func(t *testing.T, value string) {
		if !json.Valid([]byte(value)) {
			t.Skip("findObject returns JSON only")
		}
		if err := validate(s.reply, json.RawMessage(value)); err != nil && len(err.Error()) > 2000 {
			t.Errorf("got an error of %d bytes, want at most 2000", len(err.Error()))
		}
	})
}
