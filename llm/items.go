package llm

import (
	"bytes"
	"encoding/json"
	"strings"
)

// items finds the elements of {"items": […]} in a text that comes in pieces. What stands before the object is skipped:
// blanks, a fence, prose, a model's thoughts; what stands after it may hold no further object.
type items struct {
	at      place
	buffer  []byte // what the place needs to remember: the beginning, the key, or the element so far
	depth   int    // open brackets of the element
	quoted  bool   // inside a string
	escaped bool   // after a backslash in it
	whole   []json.RawMessage
}

// place is where in the text a character stands.
type place int

const (
	atBeginning place = iota
	inThoughts
	beforeObject
	beforeKey
	inKey
	beforeColon
	beforeArray
	beforeFirst // element, or the end of the array
	beforeElement
	inElement
	afterElement
	afterArray
	afterObject
)

const (
	thoughts    = "<think>"
	thoughtsEnd = "</think>"
)

// feed takes the next piece. Each element is handed to found as soon as its last character is there; an error of found
// ends the feeding.
func (p *items) feed(piece string, found func(json.RawMessage) error) error {
	for i := range len(piece) {
		element, err := p.next(piece[i])
		if err != nil {
			return err
		}
		if element == nil {
			continue
		}
		p.whole = append(p.whole, element)
		if err := found(element); err != nil {
			return err
		}
	}
	return nil
}

// end tells whether the text was whole.
func (p *items) end() error {
	if p.at <= beforeObject {
		return malformed("there is no JSON object in the reply")
	}
	if p.at != afterObject {
		return malformed("the JSON ends before it is complete")
	}
	return nil
}

// document is the object that was found, without what stood around it.
func (p *items) document() json.RawMessage {
	document := []byte(`{"items":[`)
	for i, element := range p.whole {
		if i > 0 {
			document = append(document, ',')
		}
		document = append(document, element...)
	}
	return append(document, "]}"...)
}

// next takes a byte. All that is of meaning here is ASCII, which no other character of UTF-8 contains.
func (p *items) next(c byte) (element json.RawMessage, err error) {
	switch p.at {
	case atBeginning, inThoughts, beforeObject:
		p.skip(c)
		return nil, nil
	case afterObject:
		if c == '{' {
			err = malformed("there is more than one JSON object in the reply")
		}
		return nil, err
	case inKey:
		return nil, p.key(c)
	case inElement:
		return p.element(c)
	default:
		return p.between(c)
	}
}

// between takes a byte outside of keys and elements.
func (p *items) between(c byte) (element json.RawMessage, err error) {
	switch {
	case isBlankByte(c):
	case p.at == beforeKey && c == '"':
		p.at, p.buffer = inKey, append(p.buffer[:0], c)
	case p.at == beforeColon && c == ':':
		p.at = beforeArray
	case p.at == beforeArray && c == '[':
		p.at = beforeFirst
	case (p.at == beforeFirst || p.at == afterElement) && c == ']':
		p.at = afterArray
	case p.at == afterElement && c == ',':
		p.at = beforeElement
	case p.at == beforeFirst || p.at == beforeElement:
		p.at, p.buffer = inElement, nil
		return p.element(c)
	case p.at == afterArray && c == '}':
		p.at = afterObject
	default:
		return nil, malformed(`the JSON has %q where {"items": […]} would have something else`, c)
	}
	return nil, nil
}

// skip passes over what stands before the object. Thoughts at the very beginning may hold objects of their own.
func (p *items) skip(c byte) {
	switch {
	case p.at == inThoughts:
		p.buffer = append(p.buffer, c)
		if c == '>' && bytes.HasSuffix(p.buffer, []byte(thoughtsEnd)) {
			p.at = beforeObject
		}
	case c == '{':
		p.at = beforeKey
	case p.at == atBeginning && (len(p.buffer) > 0 || !isBlankByte(c)):
		switch p.buffer = append(p.buffer, c); {
		case string(p.buffer) == thoughts:
			p.at = inThoughts
		case !strings.HasPrefix(thoughts, string(p.buffer)):
			p.at = beforeObject
		}
	}
}

func (p *items) key(c byte) error {
	if p.buffer = append(p.buffer, c); c != '"' {
		if len(p.buffer) > len(`"items"`) {
			return malformed(`the first key of the JSON is not "items"`)
		}
		return nil
	}
	if string(p.buffer) != `"items"` {
		return malformed(`the first key of the JSON is not "items"`)
	}
	p.at = beforeColon
	return nil
}

// element takes a byte of an element, or the one that ends it.
func (p *items) element(c byte) (json.RawMessage, error) {
	bare := p.depth == 0 && !p.quoted // a number, true, false or null, which end with what comes next
	if bare && len(p.buffer) > 0 && (isBlankByte(c) || c == ',' || c == ']') {
		element, err := p.take()
		if err == nil && !isBlankByte(c) {
			_, err = p.next(c)
		}
		return element, err
	}
	p.buffer = append(p.buffer, c)
	switch {
	case p.escaped:
		p.escaped = false
	case p.quoted:
		p.escaped, p.quoted = c == '\\', c != '"'
	case c == '"':
		p.quoted = true
	case c == '{' || c == '[':
		p.depth++
	case c == '}' || c == ']':
		p.depth--
	}
	if (c == '"' || c == '}' || c == ']') && p.depth <= 0 && !p.quoted && !p.escaped {
		return p.take()
	}
	return nil, nil
}

// take is the element that has just been completed.
func (p *items) take() (json.RawMessage, error) {
	element := json.RawMessage(p.buffer)
	p.at, p.buffer, p.depth = afterElement, nil, 0
	if !json.Valid(element) {
		return nil, malformed("element %d of the items is not JSON", len(p.whole)+1)
	}
	return element, nil
}

func isBlankByte(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
