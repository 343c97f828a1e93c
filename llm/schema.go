package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/llm/sanitize"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// schema is the compiled schema of a reply.
type schema struct {
	reply   *jsonschema.Schema
	element *jsonschema.Schema // of the items; nil unless the reply has the form {"items": […]}
}

// schemaURL names a schema to its compiler. Nothing is loaded from it.
const schemaURL = "mem:///reply.json"

// compileSchema compiles the schema of a reply. It rejects what servers reject in strict mode, so that tests find it:
// objects that are not closed, and optional properties.
func compileSchema(text json.RawMessage) (*schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	root, ok := document.(map[string]any)
	if !ok || root["type"] != "object" {
		return nil, errors.New(`the schema must have "type": "object"`)
	}
	if err := checkClosed(root, "#"); err != nil {
		return nil, err
	}

	// Nothing outside the text may become part of a schema.
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(schemaURL, document); err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}

	s := &schema{}
	if s.reply, err = compiler.Compile(schemaURL); err != nil {
		return nil, fmt.Errorf("compile the schema: %w", err)
	}

	// Only a list of items can be delivered one by one.
	items := s.reply.Properties["items"]
	isList := items != nil && items.Types != nil && slices.Equal(items.Types.ToStrings(), []string{"array"})
	if isList && len(s.reply.Properties) == 1 {
		s.element = items.Items2020
	}

	return s, nil
}

// noLoader keeps schemas from referring to other documents.
type noLoader struct{}

// Load returns an error.
func (noLoader) Load(string) (any, error) {
	return nil, errors.New("a schema must not refer to another document")
}

// checkClosed returns an error for the first object of a schema that is open or has an optional property.
func checkClosed(node any, path string) error {
	switch node := node.(type) {
	case []any:
		for i, child := range node {
			if err := checkClosed(child, fmt.Sprintf("%s/%d", path, i)); err != nil {
				return err
			}
		}

	case map[string]any:
		// An object may be declared by its properties alone, or be one of several types.
		properties, ok := node["properties"].(map[string]any)
		types, _ := node["type"].([]any)
		isObject := ok || node["type"] == "object" || slices.Contains(types, any("object"))
		if isObject && node["additionalProperties"] != false {
			return fmt.Errorf("the schema at %s must be closed: additionalProperties false", path)
		}

		required, _ := node["required"].([]any)
		for name := range properties {
			if !slices.Contains(required, any(name)) {
				return fmt.Errorf("the schema at %s must require its property %q; allow null if it is optional", path, name)
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

// A model sees at most maxFaults faults of its reply, with at most maxFaultLength characters each: a fault may quote a
// text of any length.
const (
	maxFaults      = 5
	maxFaultLength = 300
)

// validate returns a *replyError, without its reply, if a JSON value doesn't fit a schema.
func validate(form *jsonschema.Schema, value json.RawMessage) error {
	// Decoded as float64: the library would write out every digit of a json.Number such as 1e9999999, or panic.
	var decoded any
	if err := json.Unmarshal(value, &decoded); err != nil {
		return invalidf("it contains a number that is too large")
	}
	err := form.Validate(decoded)
	if err == nil {
		return nil
	}

	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return fmt.Errorf("validate the reply: %w", err)
	}

	type fault struct{ advice, public string }
	var faults []fault
	printer := message.NewPrinter(language.English)
	for _, leaf := range leaves(invalid) {
		at := "at /" + strings.Join(leaf.InstanceLocation, "/") + ": "
		faults = append(faults, fault{
			advice: sanitize.Cut(at+leaf.ErrorKind.LocalizedString(printer), maxFaultLength),
			public: at + strings.Join(leaf.ErrorKind.KeywordPath(), "/"),
		})
	}

	// The library iterates over maps.
	slices.SortFunc(faults, func(a, b fault) int { return strings.Compare(a.advice, b.advice) })
	var advice, public []string
	for _, f := range faults[:min(len(faults), maxFaults)] {
		advice = append(advice, f.advice)
		public = append(public, f.public)
	}

	return &replyError{
		advice: strings.Join(advice, "\n"),
		public: "it does not fit its schema: " + strings.Join(slices.Compact(public), ", "),
	}
}

// leaves returns the causes that have no causes of their own.
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

// withoutBounds returns the structure of a schema. Some servers with a strict mode support neither bounds nor patterns,
// and reject a schema that has any.
func withoutBounds(text json.RawMessage) json.RawMessage {
	var node any
	_ = json.Unmarshal(text, &node) // it has been compiled
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
			case "enum", "const", "default", "examples": // hold values, not schemas
			default:
				stripBounds(child)
			}
		}
	}
}
