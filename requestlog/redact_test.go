package requestlog

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/access/apikey"
)

func TestRedactBody(t *testing.T) {
	plan, _ := apikey.PlanNamed("professional")
	key := apikey.Generate(plan)
	for _, c := range []struct{ name, body, want, note string }{
		{"nothing", " \n", "", ""},
		{"order and numbers stay", `{"b": 1.50, "a": [true, null, 1e3]}`, `{"b":1.50,"a":[true,null,1e3]}`, ""},
		{
			"contact details", `{"description":"Write to ada@example.com or call +49 151 2345 6789"}`,
			`{"description":"Write to [link] or call [number]"}`, "",
		},
		{"an ID that looks like an address", `{"id":"ada@example.com"}`, `{"id":"ada@example.com"}`, ""},
		{
			"secrets", `{"secret":"s3","nested":{"api_key":"k","token":9}}`,
			`{"secret":"[secret]","nested":{"api_key":"[secret]","token":"[secret]"}}`, "",
		},
		{"a key in a text", `{"description":"use ` + key + `!"}`, `{"description":"use [API key]!"}`, ""},
		{"HTML is text", `{"title":"<script>alert(1)</script>"}`, `{"title":"<script>alert(1)</script>"}`, ""},
		{"not JSON", `description=x`, "", noteNoJSON},
		{"two values", `{} {}`, "", noteNoJSON},
		{"too deep", strings.Repeat("[", 1000), "", noteNoJSON},
	} {
		got := RedactBody([]byte(c.body))
		if string(got.JSON) != c.want || got.Note != c.note {
			t.Errorf("%s: %s %q, want %s %q", c.name, got.JSON, got.Note, c.want, c.note)
		}
	}
}

// Long bodies stay valid JSON within the limit, and say what is missing.
func TestRedactBody_Shortens(t *testing.T) {
	long := strings.Repeat("word ", 2000)
	var matches []map[string]any
	for i := range 100 {
		matches = append(matches, map[string]any{"id": fmt.Sprint("f", i)})
	}
	data, err := json.Marshal(map[string]any{"description": long, "matches": matches})
	if err != nil {
		t.Fatal(err)
	}

	body := RedactBody(data)
	var kept struct {
		Description string
		Matches     []struct{ ID string }
	}
	if err := json.Unmarshal(body.JSON, &kept); err != nil {
		t.Fatal(err)
	}
	if body.Note != noteShortened || len(kept.Matches) != maxElements || len(kept.Description) > maxText+3 {
		t.Errorf("note %q, %d matches, %d bytes of text", body.Note, len(kept.Matches), len(kept.Description))
	}

	var texts []string
	for range maxElements {
		texts = append(texts, long)
	}
	data, err = json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	if body := RedactBody(data); body.JSON != nil || body.Note != noteTooLarge {
		t.Errorf("%d bytes are kept, note %q", len(body.JSON), body.Note)
	}
}

// Whatever a body is, what is kept of it is JSON of a limited size, or nothing.
func FuzzRedactBody(f *testing.F) {
	for _, seed := range []string{
		`{"a":["x@y.de",{"token":""}]}`, `[[],{}]`, `"\ud800"`, `{"a":1,"a":2}`, `[1,]`, `{"":null}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		body := RedactBody(data)
		if len(body.JSON) > MaxBody || len(body.JSON) > 0 && !json.Valid(body.JSON) {
			t.Errorf("%q became %q", data, body.JSON)
		}
	})
}
