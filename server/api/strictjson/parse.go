package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/freelancer-matching/service/internal/matching"
)

// CodeMalformedJSON is the code for a text that is not one JSON value.
const CodeMalformedJSON matching.Code = "malformed_json"

// maxDepth is the deepest nesting of arrays and objects in a body. The deepest valid request has 3 levels.
const maxDepth = 32

// An Object is a JSON object with its members in the order of the text, including duplicates.
type Object []Member

// A Member is a name and its value.
type Member struct {
	Name  string
	Value any // nil, bool, string, json.Number, []any or object
}

// byteOrderMark begins the files of some editors and the bodies of some clients on Windows. JSON has no place for it,
// but lets a reader skip it (RFC 8259, section 8.1).
var byteOrderMark = []byte("\ufeff")

// Parse parses a text that consists of one JSON value, after a byte order mark or none. Its errors have the code
// CodeMalformedJSON and contain the position.
func Parse(text []byte) (any, error) {
	if err := Check(text); err != nil {
		return nil, err
	}
	r := jsonReader{rest: bytes.TrimPrefix(text, byteOrderMark)}
	return r.value(), nil
}

// Check returns an error with CodeMalformedJSON unless Parse accepts the text.
func Check(text []byte) error {
	text = bytes.TrimPrefix(text, byteOrderMark)
	if len(bytes.TrimSpace(text)) == 0 {
		return Malformed("The body is empty; send a JSON object.")
	}

	// encoding/json would replace invalid UTF-8 without a word, and accepts a nesting of ten thousand levels.
	if !utf8.Valid(text) {
		return Malformed("The body is not valid UTF-8 at %s.", position(text, invalidUTF8(text)))
	}
	if depth, at := deepest(text); depth > maxDepth {
		return Malformed("The body is nested more than %d levels deep at %s.", maxDepth, position(text, at))
	}
	if json.Valid(text) {
		return nil
	}

	// Valid doesn't say where the text goes wrong.
	var raw json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return Malformed("The body is not valid JSON at %s: %s.", position(text, int(syntax.Offset)-1), syntax)
		}
	}

	return Malformed("The body is not valid JSON.")
}

// A jsonReader reads a text that Check accepted. Tokens of json.Decoder would do the same, but scan the text three
// times more and allocate twice as much.
type jsonReader struct{ rest []byte }

// value reads the next value.
func (r *jsonReader) value() any {
	switch r.next() {
	case '[':
		list := []any{}
		for r.take(1); r.next() != ']'; r.separator() {
			list = append(list, r.value())
		}
		r.take(1)
		return list

	case '{':
		o := Object{}
		for r.take(1); r.next() != '}'; r.separator() {
			name := r.text()
			r.separator()
			o = append(o, Member{Name: name, Value: r.value()})
		}

		r.take(1)
		return o

	case '"':
		return r.text()
	case 'n':
		r.take(len("null"))
		return nil
	case 't':
		r.take(len("true"))
		return true
	case 'f':
		r.take(len("false"))
		return false
	default: // only a number is left
		end := bytes.IndexFunc(r.rest, func(c rune) bool { return !strings.ContainsRune("+-.0123456789Ee", c) })
		if end < 0 {
			end = len(r.rest)
		}
		return json.Number(r.take(end))
	}
}

// next skips white space and returns the byte after it.
func (r *jsonReader) next() byte {
	r.rest = bytes.TrimLeft(r.rest, " \t\r\n")
	return r.rest[0]
}

// separator skips a colon or, unless a bracket follows instead, a comma.
func (r *jsonReader) separator() {
	if c := r.next(); c == ',' || c == ':' {
		r.take(1)
	}
}

// take returns the next n bytes and skips them.
func (r *jsonReader) take(n int) []byte {
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken
}

// text reads a string.
func (r *jsonReader) text() string {
	r.next()
	end, escaped := 1, false
	for ; r.rest[end] != '"'; end++ {
		if r.rest[end] == '\\' {
			escaped = true
			end++
		}
	}
	quoted := r.take(end + 1)
	if !escaped {
		return string(quoted[1:end])
	}
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		panic(err) // Check accepted it
	}
	return text
}

// deepest returns the depth of nesting, and the offset at which it exceeds maxDepth. It counts brackets outside
// strings: the depth is exact for valid JSON, and never too low for any other text.
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

// invalidUTF8 returns the offset of the first byte that is not part of a UTF-8 sequence.
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

// position returns a byte offset as a line and a column, both counted from 1.
func position(text []byte, at int) string {
	before := text[:min(max(at, 0), len(text))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("line %d, column %d", line, column)
}

// Malformed returns an error with CodeMalformedJSON.
func Malformed(format string, args ...any) error {
	return &matching.Error{Code: CodeMalformedJSON, Message: fmt.Sprintf(format, args...)}
}
