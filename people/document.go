package people

import (
	"bytes"
	"encoding/json"
)

// mapTexts returns JSON with every text replaced by what change returns for it. Escaped characters would hide where a
// text begins, so it decodes the JSON. Data that is not JSON is one text.
func mapTexts(data []byte, change func(string) string) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // keeps every digit
	var value any
	if !json.Valid(data) {
		return []byte(change(string(data))), nil
	}
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return json.Marshal(mapValue(value, change))
}

func mapValue(value any, change func(string) string) any {
	switch v := value.(type) {
	case string:
		return change(v)
	case []any:
		for i := range v {
			v[i] = mapValue(v[i], change)
		}
	case map[string]any:
		for key, element := range v {
			v[key] = mapValue(element, change)
		}
	}
	return value
}

// anyText reports whether match returns true for a text in JSON, or for data that is not JSON.
func anyText(data []byte, match func(string) bool) bool {
	found := false
	_, err := mapTexts(data, func(text string) string {
		found = found || match(text)
		return text
	})
	return found || err != nil && match(string(data))
}
