package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// schema is the form of a reply.
type schema struct {
	reply   *jsonschema.Schema
	element *jsonschema.Schema // of the items; nil where the form is not {"items": […]}
}

// schemaURL names a schema to its compiler. Nothing is loaded from there.
const schemaURL = "mem:///reply.json"

// compileSchema refuses what servers refuse in strict mode, so that it shows in a test: objects that are not closed, or have
// properties that may be missing.
func compileSchema(text json.RawMessage) (*schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	root, ok := document.(map[string]any)
	if !ok || root["type"] != "object" {
		return nil, errors.New(`the schema must be of "type": "object"`)
	}
	if err := checkClosed(root, "#"); err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(schemaURL, document); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	s := &schema{}
	if s.reply, err = compiler.Compile(schemaURL); err != nil {
		return nil, fmt.Errorf("compile the schema: %w", err)
	}
	items := s.reply.Properties["items"]
	if len(s.reply.Properties) == 1 && items != nil && items.Types != nil && slices.Equal(items.Types.ToStrings(), []string{"array"}) {
		s.element = items.Items2020
	}
	return s, nil
}

// noLoader keeps schemas from naming others.
type noLoader struct{}

// Load refuses.
func (noLoader) Load(string) (any, error) { return nil, errors.New("a schema must stand by itself") }

// checkClosed looks at every object of a schema.
func checkClosed(node any, path string) error {
	switch node := node.(type) {
	case []any:
		for i, child := range node {
			if err := checkClosed(child, fmt.Sprintf("%s/%d", path, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		properties, ok := node["properties"].(map[string]any)
		types, _ := node["type"].([]any)
		isObject := ok || node["type"] == "object" || slices.Contains(types, any("object"))
		if isObject && node["additionalProperties"] != false {
			return fmt.Errorf("the schema at %s must be closed: additionalProperties false", path)
		}
		required, _ := node["required"].([]any)
		for name := range properties {
			if !slices.Contains(required, any(name)) {
				return fmt.Errorf("the schema at %s must require its property %q; where it may be missing, allow null", path, name)
			}
		}
		for name, child := range node {
			if err := checkClosed(child, path+"/"+name); err != nil {
				return err
			}
		}
	}
	return nil
}

// fit tells what a JSON value has that its form does not allow, as a misfit without a reply.
func fit(form *jsonschema.Schema, value json.RawMessage) error {
	// As float64: of a json.Number such as 1e9999999 the library would make all digits, or panic.
	var decoded any
	if err := json.Unmarshal(value, &decoded); err != nil {
		return malformed("it has a number that is too great")
	}
	err := form.Validate(decoded)
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return fmt.Errorf("hold the reply against its schema: %w", err)
	}
	var lines [][2]string // advice and public words
	printer := message.NewPrinter(language.English)
	for _, fault := range leaves(invalid) {
		at := "at /" + strings.Join(fault.InstanceLocation, "/") + ": "
		advice := cut(at+fault.ErrorKind.LocalizedString(printer), maxFaultLength)
		lines = append(lines, [2]string{advice, at + strings.Join(fault.ErrorKind.KeywordPath(), "/")})
	}
	slices.SortFunc(lines, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) }) // maps have no order
	var advice, public []string
	for _, line := range lines[:min(len(lines), maxFaults)] {
		advice, public = append(advice, line[0]), append(public, line[1])
	}
	return &misfit{
		advice: strings.Join(advice, "\n"),
		public: "it does not fit its schema: " + strings.Join(slices.Compact(public), ", "),
	}
}

// A model is told so many faults of its reply, and of each so many characters: it may quote a text without end.
const (
	maxFaults      = 5
	maxFaultLength = 300
)

// leaves are the causes without causes of their own.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var found []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		found = append(found, leaves(cause)...)
	}
	return found
}

// withoutBounds is a schema with its structure alone. Some servers with a strict mode know no bounds and patterns, and
// refuse a schema that has any.
func withoutBounds(text json.RawMessage) json.RawMessage {
	var node any
	_ = json.Unmarshal(text, &node) // it was compiled
	stripBounds(node)
	stripped, _ := json.Marshal(node)
	return stripped
}

func stripBounds(node any) {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			stripBounds(child)
		}
	case map[string]any:
		for name, child := range node {
			switch name {
			case "properties", "$defs":
				named, _ := child.(map[string]any)
				for _, property := range named {
					stripBounds(property)
				}
			case "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
				"multipleOf", "minItems", "maxItems", "uniqueItems":
				delete(node, name)
			case "enum", "const", "default", "examples": // values, no schemas
			default:
				stripBounds(child)
			}
		}
	}
}
