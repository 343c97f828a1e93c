package api

import (
	"bytes"
	"encoding/json"
)

// A NullableString is a string that JSON writes as null when it is empty, and reads as empty from null.
type NullableString string

// MarshalJSON writes the string, or null for an empty one.
func (s NullableString) MarshalJSON() ([]byte, error) {
	if s == "" {
		return []byte("null"), nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // left to the encoder of the whole value
	err := encoder.Encode(string(s))
	return text.Bytes(), err
}
