package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"freelancer-matching/internal/matching"
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

// maxDepth is how deep arrays and objects may be nested; the deepest request has 3 levels.
const maxDepth = 32

// object is a JSON object as it was sent, the members in their order.
type object []member

type member struct {
	name  string
	value any // nil, bool, string, json.Number, []any or object
}

// parseJSON reads one JSON value and nothing else. An error is CodeMalformedJSON and says where the text goes wrong.
func parseJSON(text []byte) (any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, malformed("the body is empty, it must be a JSON object")
	}
	if !utf8.Valid(text) {
		return nil, malformed("the body is not UTF-8: %s", position(text, invalidUTF8(text)))
	}
	if depth, at := deepest(text); depth > maxDepth {
		return nil, malformed("the body is nested deeper than %d levels: %s", maxDepth, position(text, at))
	}
	var raw json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, malformed("the body is not one JSON value: %s: %s", position(text, int(syntax.Offset)-1), syntax)
		}
		return nil, malformed("the body is not one JSON value")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return readValue(decoder)
}

// readValue reads the next value of a text that is known to be valid.
func readValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, malformed("the body is not JSON")
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := readValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	case json.Delim('{'):
		o := object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, malformed("the body is not JSON")
			}
			v, err := readValue(d)
			if err != nil {
				return nil, err
			}
			o = append(o, member{name: fmt.Sprint(name), value: v})
		}
		_, err = d.Token()
		return o, err
	default:
		return token, nil
	}
}

// deepest is the depth of nesting and where the limit is passed. It counts brackets outside strings, which is exact for
// valid JSON and never too low for any other text.
func deepest(text []byte) (depth, at int) {
	quoted, open := false, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if open++; open > maxDepth {
				return open, i
			}
			depth = max(depth, open)
		case c == ']' || c == '}':
			open--
		}
	}
	return depth, 0
}

func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(text)
}

// position is a byte offset in the words of a text editor.
func position(text []byte, at int) string {
	before := text[:min(max(at, 0), len(text))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d", line, column)
}

func malformed(format string, args ...any) error {
	return &matching.Error{Code: CodeMalformedJSON, Message: fmt.Sprintf(format, args...)}
}
