package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Some models write their reasoning between these before the reply.
const (
	reasoningStart = "<think>"
	reasoningEnd   = "</think>"
)

// replyError is the error of a reply that a repair may correct.
type replyError struct {
	reply    string // "" without one
	advice   string // for the model; may quote the reply
	public   string // for logs; quotes nothing
	fits     bool   // the reply fits the schema, but fails the caller's check
	checkErr error  // of the caller's check
}

// invalidf returns a replyError whose text quotes nothing.
func invalidf(format string, args ...any) *replyError {
	text := fmt.Sprintf(format, args...)
	return &replyError{advice: text, public: text}
}

func (r *replyError) Error() string { return r.public }

func (r *replyError) Unwrap() error { return r.checkErr }

const twoObjects = "the reply has more than one JSON object"

// findObject returns the one JSON object in a reply. It ignores Markdown fences, prose, and reasoning at the beginning.
func findObject(reply string) (json.RawMessage, error) {
	rest := strings.TrimSpace(reply)
	if strings.HasPrefix(rest, reasoningStart) {
		_, rest, _ = strings.Cut(rest, reasoningEnd)
	}
	var object json.RawMessage

	for {
		start := strings.IndexByte(rest, '{')
		if start < 0 {
			break
		}
		rest = rest[start:]

		var candidate json.RawMessage
		decoder := json.NewDecoder(strings.NewReader(rest))
		err := decoder.Decode(&candidate)
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			rest = rest[max(1, syntax.Offset-1):] // not JSON up to here
			continue
		}

		// A truncated object ends the reply; a complete one before it still counts.
		if errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return nil, invalidf("the reply has no readable JSON object")
		}
		if object != nil {
			return nil, invalidf(twoObjects)
		}

		object = candidate
		rest = rest[decoder.InputOffset():]
	}

	if object == nil {
		return nil, invalidf("the reply has no complete JSON object")
	}

	return object, nil
}
