package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Some models write their reasoning before the reply. Many servers swallow the mark at its beginning, and gpt-oss has
// channels instead, whose special tokens some servers leave out.
var (
	reasoningStart = regexp.MustCompile(`^\s*(?:<think(?:ing)?>|` +
		`(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)\b)`)
	reasoningEnd = regexp.MustCompile(`</think(?:ing)?>|assistantfinal|` +
		`<\|channel\|>final[\w ]{0,20}(?:<\|constrain\|>[\w ]{0,20})?<\|message\|>`)
)

// maxEndLength is the maximum length of a match of reasoningEnd.
const maxEndLength = 90

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

// findObject returns the one JSON object in a reply. It ignores Markdown fences, prose, and everything up to the last
// end of reasoning outside of objects: an object may quote one.
func findObject(reply string) (json.RawMessage, error) {
	var object json.RawMessage
	objects := 0
	inReasoning := reasoningStart.MatchString(reply)
	end := reasoningEnd.FindStringIndex(reply)
	rest := reply

	// afterReasoning forgets the drafts in the reasoning.
	afterReasoning := func() {
		object, objects, inReasoning = nil, 0, false
		rest = rest[end[1]:]
		end = reasoningEnd.FindStringIndex(rest)
	}
	skip := func(n int) {
		rest = rest[n:]
		switch {
		case end == nil:
		case end[0] < n: // it was in the skipped part
			end = reasoningEnd.FindStringIndex(rest)
		default:
			end = []int{end[0] - n, end[1] - n}
		}
	}

	for {
		start := strings.IndexByte(rest, '{')
		isReasoning := end != nil && (start < 0 || end[0] < start)
		if isReasoning {
			afterReasoning()
			continue
		}
		if start < 0 {
			break
		}
		skip(start)

		var candidate json.RawMessage
		decoder := json.NewDecoder(strings.NewReader(rest))
		err := decoder.Decode(&candidate)
		syntax, isSyntax := errors.AsType[*json.SyntaxError](err)
		isTruncated := errors.Is(err, io.ErrUnexpectedEOF)

		switch {
		case err == nil:
			object = candidate
			objects++
			skip(int(decoder.InputOffset()))

		// The draft of an object may be left unfinished.
		case end != nil && (isTruncated || isSyntax && end[0] < int(syntax.Offset)):
			afterReasoning()
		case isSyntax:
			skip(max(1, int(syntax.Offset)-1)) // not JSON up to here
		case isTruncated: // a complete object before it still counts
			rest = ""
		default:
			return nil, invalidf("the reply has no readable JSON object")
		}
	}

	switch {
	case objects == 0 || inReasoning:
		return nil, invalidf("the reply has no complete JSON object")
	case objects > 1:
		return nil, invalidf(twoObjects)
	}

	return object, nil
}
