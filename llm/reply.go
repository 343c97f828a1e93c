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
	f := objectFinder{
		rest:         reply,
		reasoningEnd: reasoningEnd.FindStringIndex(reply),
		inReasoning:  reasoningStart.MatchString(reply),
	}

	for {
		start := strings.IndexByte(f.rest, '{')
		endsReasoning := f.reasoningEnd != nil && (start < 0 || f.reasoningEnd[0] < start)
		if endsReasoning {
			f.leaveReasoning()
			continue
		}

		if start < 0 {
			break
		}
		f.skip(start)
		if err := f.readObject(); err != nil {
			return nil, err
		}
	}

	switch {
	case f.objects == 0 || f.inReasoning:
		return nil, invalidf("the reply has no complete JSON object")
	case f.objects > 1:
		return nil, invalidf(twoObjects)
	}

	return f.object, nil
}

// An objectFinder reads a reply from left to right.
type objectFinder struct {
	rest         string
	reasoningEnd []int // start and end of the next mark in rest that ends reasoning, or nil
	inReasoning  bool  // reasoning has begun, and hasn't ended in what was read

	object  json.RawMessage // the last one
	objects int             // number of objects since the last end of reasoning
}

// leaveReasoning skips the rest up to the end of the reasoning, and forgets the drafts in it.
func (f *objectFinder) leaveReasoning() {
	f.rest = f.rest[f.reasoningEnd[1]:]
	f.reasoningEnd = reasoningEnd.FindStringIndex(f.rest)
	f.inReasoning = false
	f.object = nil
	f.objects = 0
}

// skip skips size bytes of the rest.
func (f *objectFinder) skip(size int) {
	f.rest = f.rest[size:]
	switch {
	case f.reasoningEnd == nil:
	case f.reasoningEnd[0] < size: // it was in the skipped part
		f.reasoningEnd = reasoningEnd.FindStringIndex(f.rest)
	default:
		f.reasoningEnd = []int{f.reasoningEnd[0] - size, f.reasoningEnd[1] - size}
	}
}

// readObject reads the object with which the rest starts. It skips a brace that starts no object.
func (f *objectFinder) readObject() error {
	var candidate json.RawMessage
	decoder := json.NewDecoder(strings.NewReader(f.rest))
	err := decoder.Decode(&candidate)
	if err == nil {
		f.object = candidate
		f.objects++
		f.skip(int(decoder.InputOffset()))
		return nil
	}

	isTruncated := errors.Is(err, io.ErrUnexpectedEOF)
	syntax, isSyntax := errors.AsType[*json.SyntaxError](err)
	if !isTruncated && !isSyntax {
		return invalidf("the reply has no readable JSON object")
	}

	// The reasoning may end in the middle of the draft of an object.
	isDraft := f.reasoningEnd != nil && (isTruncated || f.reasoningEnd[0] < int(syntax.Offset))
	switch {
	case isDraft:
		f.leaveReasoning()
	case isSyntax:
		f.skip(max(1, int(syntax.Offset)-1)) // not JSON up to here
	default:
		f.rest = "" // the last object is incomplete, but one before it still counts
	}
	return nil
}
