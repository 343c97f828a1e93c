package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"regexp"
)

// readItems reads a reply of the form {"items": […]} and calls found with each element as soon as it is complete. It
// ignores the same text around the object as findObject. It returns the object, or an error of text, of found, or an
// *replyError.
func readItems(text io.Reader, found func(element json.RawMessage) error) (json.RawMessage, error) {
	buffered, err := findStart(bufio.NewReader(text))
	if err != nil {
		return nil, err
	}

	decoder := json.NewDecoder(buffered)
	object := []byte(`{"items":[`)

	for _, want := range []json.Token{json.Delim('{'), "items", json.Delim('[')} {
		if err := expect(decoder, want); err != nil {
			return nil, err
		}
	}

	for n := 0; decoder.More(); n++ {
		var element json.RawMessage
		if err := decoder.Decode(&element); err != nil {
			return nil, orInvalid(err, "element %d of the items is not JSON", n+1)
		}

		if n > 0 {
			object = append(object, ',')
		}
		object = append(object, element...)

		if err := found(element); err != nil {
			return nil, err
		}
	}

	// All elements have been delivered, but the reply is invalid unless it ends properly.
	for _, want := range []json.Token{json.Delim(']'), json.Delim('}')} {
		if err := expect(decoder, want); err != nil {
			return nil, err
		}
	}

	// With a second object, nobody knows which one is the reply.
	rest, err := io.ReadAll(io.MultiReader(decoder.Buffered(), buffered))
	if err != nil {
		return nil, err
	}
	if bytes.ContainsRune(rest, '{') {
		return nil, invalidf(twoObjects)
	}

	return append(object, "]}"...), nil
}

// beforeObject matches what may stand before an object that is the reply: nothing, or a Markdown fence.
var beforeObject = regexp.MustCompile("^\\s*(?:```\\w*\\s*)?$")

// findStart returns a reader of the reply from the opening brace of its object on. After prose, nobody knows yet
// whether it is reasoning whose beginning the server swallowed, and whether the object in it is a draft. So such a
// reply is read to its end, or to the end of the reasoning.
func findStart(r *bufio.Reader) (*bufio.Reader, error) {
	var prose []byte
	for {
		char, err := r.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			object, err := findObject(string(prose))
			return bufio.NewReader(bytes.NewReader(object)), err
		case err != nil:
			return nil, err
		case char == '{' && beforeObject.Match(prose):
			return r, r.UnreadByte()
		}

		// Without a mark at the beginning, a mark at the end may be a quotation in the object after some prose.
		prose = append(prose, char)
		isReasoning := endsReasoning(prose) && (reasoningStart.Match(prose) || !bytes.ContainsRune(prose, '{'))
		if isReasoning {
			prose = prose[:0]
		}
	}
}

// endsReasoning reports whether a text ends with the end of reasoning.
func endsReasoning(text []byte) bool {
	last := text[len(text)-1]
	if last != '>' && last != 'l' { // all ends have one of these
		return false
	}
	tail := text[max(0, len(text)-maxEndLength):]
	ends := reasoningEnd.FindAllIndex(tail, -1)
	return len(ends) > 0 && ends[len(ends)-1][1] == len(tail)
}

// expect reads the next token, which must be want.
func expect(decoder *json.Decoder, want json.Token) error {
	got, err := decoder.Token()
	if err != nil {
		return orInvalid(err, `the reply is not of the form {"items": […]}`)
	}
	if got != want {
		return invalidf(`the reply is not of the form {"items": […]}`)
	}
	return nil
}

// orInvalid returns a replyError if the text is not the JSON that was expected, and err if it couldn't be read.
func orInvalid(err error, format string, args ...any) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return invalidf("the JSON ends before it is complete")
	case isA[*json.SyntaxError](err):
		return invalidf(format, args...)
	}
	return err
}
