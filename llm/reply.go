package llm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// misfit is a reply that is not what was asked for, and may be repaired.
type misfit struct {
	reply   string // "": there was none
	advice  string // for the model; may quote the reply
	public  string // for logs; quotes nothing
	shapely bool   // it fits the schema, but not the caller's check
	cause   error  // of the check
}

// malformed is a reply that is not JSON of the right form.
func malformed(format string, args ...any) *misfit {
	text := fmt.Sprintf(format, args...)
	return &misfit{advice: text, public: text}
}

func (m *misfit) Error() string { return m.public }

func (m *misfit) Unwrap() error { return m.cause }

// findObject is the one JSON object in a reply. Fences and prose around it are left out, and thoughts before it.
func findObject(reply string) (json.RawMessage, error) {
	reply = strings.TrimSpace(reply)
	if strings.HasPrefix(reply, thoughts) {
		_, reply, _ = strings.Cut(reply, thoughtsEnd)
	}
	var found json.RawMessage
	for rest := reply; ; {
		var object string
		if object, rest = nextObject(rest); object == "" {
			break
		}
		if !json.Valid([]byte(object)) {
			continue
		}
		if found != nil {
			return nil, malformed("there is more than one JSON object in the reply")
		}
		found = json.RawMessage(object)
	}
	if found == nil {
		return nil, malformed("there is no complete JSON object in the reply")
	}
	return found, nil
}

// nextObject is the first part of a text from an opening brace to the brace that closes it, and the text after it.
func nextObject(text string) (object, rest string) {
	start := strings.IndexByte(text, '{')
	if start < 0 {
		return "", ""
	}
	depth, quoted := 0, false
	for i := start; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && c == '{':
			depth++
		case !quoted && c == '}':
			if depth--; depth == 0 {
				return text[start : i+1], text[i+1:]
			}
		}
	}
	return "", ""
}
