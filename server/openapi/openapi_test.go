package openapi_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/server/openapi"
)

// load returns a rendition, parsed.
func load(t *testing.T, render func() (openapi.Rendition, error)) (*openapi3.T, openapi.Rendition) {
	t.Helper()
	rendition, err := render()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(rendition.Body)
	if err != nil {
		t.Fatal(err)
	}
	return doc, rendition
}

func TestRenditions_AreValid(t *testing.T) {
	all := openapi.NewRenditions()
	for version, render := range map[string]func() (openapi.Rendition, error){"3.1.0": all.JSON, "3.0.3": all.JSON30} {
		doc, _ := load(t, render)
		if doc.OpenAPI != version {
			t.Errorf("version %s, want %s", doc.OpenAPI, version)
		}
		if err := doc.Validate(t.Context(), openapi3.EnableExamplesValidation()); err != nil {
			t.Errorf("%s: %v", version, err)
		}
	}
}

// The documents differ in how they say things only: every operation and every schema is in both.
func TestRenditions_HaveTheSameParts(t *testing.T) {
	all := openapi.NewRenditions()
	later, _ := load(t, all.JSON)
	earlier, _ := load(t, all.JSON30)
	for path, item := range later.Paths.Map() {
		for method, operation := range item.Operations() {
			if got := earlier.Paths.Find(path).GetOperation(method); got == nil || got.OperationID != operation.OperationID {
				t.Errorf("OpenAPI 3.0 lacks %s %s", method, path)
			}
		}
	}

	for name, schema := range later.Components.Schemas {
		if diff := cmp.Diff(names(schema.Value), names(earlier.Components.Schemas[name].Value)); diff != "" {
			t.Errorf("%s (-3.1 +3.0)\n%s", name, diff)
		}
	}
}

func names(s *openapi3.Schema) map[string]bool {
	all := map[string]bool{}
	for name := range s.Properties {
		all[name] = true
	}
	return all
}

// A generator for 3.0 ignores these without a word, or fails.
func TestJSON30_HasNoKeywordOf31(t *testing.T) {
	_, rendition := load(t, openapi.NewRenditions().JSON30)
	for _, keyword := range []string{`"null"`, `"const":`, `"anyOf":`} {
		// The parameter unknown has the value null, as a text.
		body := bytes.ReplaceAll(rendition.Body, []byte(`"enum":["null"]`), nil)
		if bytes.Contains(body, []byte(keyword)) {
			t.Errorf("the document has %s", keyword)
		}
	}
}

func TestJSON30_Converts(t *testing.T) {
	_, rendition := load(t, openapi.NewRenditions().JSON30)
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]json.RawMessage
			}
		}
	}
	if err := json.Unmarshal(rendition.Body, &doc); err != nil {
		t.Fatal(err)
	}

	for at, want := range map[[2]string]string{
		{"MatchRequest", "timeline"}: `{"description":"The days from start_date until the deadline. Freelancers who become ` +
			`available later have fewer of them.","format":"int64","maximum":3650,"minimum":1,"nullable":true,"type":"integer"}`,
		{"DetailsLanguage", "level"}: `{"enum":["A1","A2","B1","B2","C1","C2","native"],"nullable":true,"type":"string"}`,
		{"Failure", "status"}:        `{"enum":["error"],"type":"string"}`,
		{"Effort", "typical"}: `{"description":"Hours at an average pace.","exclusiveMinimum":true,"format":"double",` +
			`"minimum":0,"type":"number"}`,
		{"MatchFilters", "time_zone"}: `{"allOf":[{"$ref":"#/components/schemas/TimeZoneFilter"}],` +
			`"description":"Time zones near one.","nullable":true}`,
		{"Match", "price"}: `{"allOf":[{"$ref":"#/components/schemas/Price"}],` +
			`"description":"The price compared with the budget. Present if the brief has a budget that counts."}`,
	} {
		if diff := cmp.Diff(want, string(doc.Components.Schemas[at[0]].Properties[at[1]])); diff != "" {
			t.Errorf("%s.%s (-want +got)\n%s", at[0], at[1], diff)
		}
	}
}
