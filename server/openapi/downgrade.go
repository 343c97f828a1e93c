package openapi

import "slices"

// downgrade converts the description from OpenAPI 3.1 to 3.0, in place. It knows the keywords that openapi.yaml uses:
// null as a type, const, numeric exclusiveMinimum, and $ref beside other keywords.
func downgrade(d map[string]any) {
	d["openapi"] = "3.0.3"
	delete(d, "webhooks")
	if info, ok := d["info"].(map[string]any); ok {
		delete(info, "summary")
		if license, ok := info["license"].(map[string]any); ok {
			delete(license, "identifier")
		}
	}

	downgradeIn(d, false)
}

// downgradeIn converts all schemas in a value. The keys of an object with names, such as the properties of a schema,
// are no keywords.
func downgradeIn(value any, hasNames bool) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			downgradeIn(item, false)
		}

	case map[string]any:
		for key, child := range v {
			// Examples are data, in which a member such as type means something else.
			isExample := !hasNames && (key == "example" || key == "examples")
			if !isExample {
				downgradeIn(child, !hasNames && key == "properties")
			}
		}

		if !hasNames {
			downgradeSchema(v)
		}
	}
}

// downgradeSchema converts the keywords of one schema. Other objects of the description don't have them.
func downgradeSchema(s map[string]any) {
	if types, ok := s["type"].([]any); ok {
		types = slices.DeleteFunc(slices.Clone(types), isNull)
		s["type"] = types[0] // openapi.yaml allows null beside one type only
		s["nullable"] = true
	}

	// Most generators make a constant of a null in an enum.
	if values, ok := s["enum"].([]any); ok {
		s["enum"] = slices.DeleteFunc(slices.Clone(values), func(v any) bool { return v == nil })
	}

	if value, ok := s["const"]; ok {
		s["enum"] = []any{value}
		delete(s, "const")
	}

	if bound, ok := s["exclusiveMinimum"]; ok {
		s["minimum"] = bound
		s["exclusiveMinimum"] = true
	}

	// anyOf: [{$ref: …}, {type: 'null'}]
	if variants, ok := s["anyOf"].([]any); ok {
		s["allOf"] = variants[:1]
		s["nullable"] = true
		delete(s, "anyOf")
	}

	// In 3.0, everything beside a $ref is ignored.
	if ref, ok := s["$ref"]; ok && len(s) > 1 {
		s["allOf"] = []any{map[string]any{"$ref": ref}}
		delete(s, "$ref")
	}
}

func isNull(v any) bool { return v == "null" }
