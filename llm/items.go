package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// readItems reads a reply of the form {"items": […]} and calls found with each element as soon as it is complete. It
// ignores the same text around the object as findObject. It returns the object, or an error of text, of found, or an
// *replyError.
func readItems(text io.Reader, found func(element json.RawMessage) error) (json.RawMessage, error) {
	buffered := bufio.NewReader(text)
	if err := skipToObject(buffered); err != nil {
		if errors.Is(err, io.EOF) {
			err = invalidf("the reply has no JSON object")
		}
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

// skipToObject reads up to the object's opening brace. Reasoning at the beginning may contain objects of its own.
func skipToObject(r *bufio.Reader) error {
	// Reasoning is recognized only at the very beginning, so white space before it is skipped first.
	for {
		c, err := r.ReadByte()
		if err != nil {
			return err
		}

		if !strings.ContainsRune(" \t\r\n", rune(c)) {
			_ = r.UnreadByte() // follows a read
			break
		}
	}

	if start, err := r.Peek(len(reasoningStart)); err == nil && string(start) == reasoningStart {
		for last := ""; !strings.HasSuffix(last, reasoningEnd); {
			part, err := r.ReadString('>')
			if err != nil {
				return err
			}
			last = last[max(0, len(last)-len(reasoningEnd)):] + part
		}
	}

	for {
		if _, err := r.ReadSlice('{'); err == nil {
			return r.UnreadByte()
		} else if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
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
