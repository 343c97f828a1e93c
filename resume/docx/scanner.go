package docx

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxPrefixes bounds the namespaces declared at one place. Word declares about 40.
const maxPrefixes = 1000

// scanner reads the elements of one part, without keeping what it has passed. It resolves namespaces itself, because
// xml.Decoder.Token keeps every open element and declaration without bound.
type scanner struct {
	archive *archive
	in      *input
	source  io.Closer
	decoder *xml.Decoder
	open    []frame
	scope   *scope
}

// frame is an open element.
type frame struct {
	name  xml.Name // as written
	outer *scope   // to return to at its end
}

// scope is what prefixes mean inside one element.
type scope struct {
	outer    *scope
	prefixes map[string]string   // to a space with its colon
	names    map[xml.Name]string // that were resolved before
	declared int                 // here and outside
}

// element is a start tag. Its name has the usual prefix, whatever the file calls it: w:p.
type element struct {
	name  string
	attrs []xml.Attr
}

// attr is the value of an attribute by its local name. No element that is read has two of one local name.
func (e element) attr(local string) string {
	for _, a := range e.attrs {
		if a.Name.Local == local && a.Name.Space != "xmlns" {
			return a.Value
		}
	}
	return ""
}

// on is the value of an element that is a switch: there means yes, unless it says no.
func (e element) on() bool {
	switch e.attr("val") {
	case "0", "false", "off", "none":
		return false
	}
	return true
}

func newScanner(a *archive, in *input, source io.Closer) *scanner {
	s := &scanner{archive: a, in: in, source: source, scope: &scope{names: map[xml.Name]string{}}}
	s.decoder = xml.NewDecoder(in)
	s.decoder.CharsetReader = func(charset string, input io.Reader) (io.Reader, error) {
		if strings.EqualFold(charset, "utf-16") { // decoded already
			return input, nil
		}
		return nil, fmt.Errorf("the part is in %q, not in UTF-8 or UTF-16", charset)
	}
	return s
}

func (s *scanner) close() { s.source.Close() }

// children calls visit for each child of the element whose start tag was read last, and passes its end. What visit leaves
// unread of a child is skipped. Before the first tag, the root is the only child.
func (s *scanner) children(visit func(element) error) error {
	depth := len(s.open)
	for {
		token, err := s.next()
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			e, err := s.push(token)
			if err != nil {
				return err
			}
			if err := visit(e); err != nil {
				return err
			}
			if err := s.skip(depth); err != nil {
				return err
			}
			if depth == 0 {
				return nil
			}
		case xml.EndElement:
			return s.pop(token)
		}
	}
}

// text is the text of the element whose start tag was read last, without that of its children.
func (s *scanner) text() (string, error) {
	depth := len(s.open)
	var text strings.Builder
	for {
		token, err := s.next()
		if err != nil {
			return text.String(), err
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
			if text.Len() > maxToken {
				return "", tooComplex("a text of the document has more than %d bytes", maxToken)
			}
		case xml.StartElement:
			if _, err := s.push(token); err != nil {
				return text.String(), err
			}
			if err := s.skip(depth); err != nil {
				return text.String(), err
			}
		case xml.EndElement:
			return text.String(), s.pop(token)
		}
	}
}

// skip reads on until no more elements are open than depth.
func (s *scanner) skip(depth int) error {
	for len(s.open) > depth {
		token, err := s.next()
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if _, err := s.push(token); err != nil {
				return err
			}
		case xml.EndElement:
			if err := s.pop(token); err != nil {
				return err
			}
		}
	}
	return nil
}

// next is the next token, within the limits.
func (s *scanner) next() (xml.Token, error) {
	a := s.archive
	a.tokens++
	if a.tokens > a.limits.Tokens {
		return nil, tooComplex("the document has more than %d tags and texts", a.limits.Tokens)
	}
	if a.tokens%ctxEvery == 0 && a.ctx.Err() != nil {
		return nil, a.ctx.Err()
	}
	s.in.token = 0
	token, err := s.decoder.RawToken()
	if errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF // nobody reads past the root
	}
	if _, ok := token.(xml.Directive); ok && err == nil {
		return nil, errors.New("the part has a document type declaration, which Office Open XML forbids")
	}
	return token, err
}

func (s *scanner) push(start xml.StartElement) (element, error) {
	if len(s.open) >= s.archive.limits.Depth {
		return element{}, tooComplex("the document nests more than %d elements", s.archive.limits.Depth)
	}
	s.open = append(s.open, frame{name: start.Name, outer: s.scope})
	for _, a := range start.Attr {
		if a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns" {
			if err := s.declare(start.Attr); err != nil {
				return element{}, err
			}
			break
		}
	}
	return element{name: s.scope.resolve(start.Name), attrs: start.Attr}, nil
}

func (s *scanner) pop(end xml.EndElement) error {
	if len(s.open) == 0 {
		return fmt.Errorf("</%s> ends nothing", end.Name.Local)
	}
	last := s.open[len(s.open)-1]
	if last.name != end.Name {
		return fmt.Errorf("<%s> is ended by </%s>", last.name.Local, end.Name.Local)
	}
	s.open, s.scope = s.open[:len(s.open)-1], last.outer
	return nil
}

// declare begins a scope with the namespaces that attributes declare.
func (s *scanner) declare(attrs []xml.Attr) error {
	inner := &scope{outer: s.scope, prefixes: map[string]string{}, names: map[xml.Name]string{}, declared: s.scope.declared}
	for _, a := range attrs {
		switch {
		case a.Name.Space == "xmlns":
			inner.prefixes[a.Name.Local] = space(a.Value)
		case a.Name.Space == "" && a.Name.Local == "xmlns":
			inner.prefixes[""] = space(a.Value)
		default:
			continue
		}
		inner.declared++
	}
	if inner.declared > maxPrefixes {
		return tooComplex("the document declares more than %d namespaces at one place", maxPrefixes)
	}
	s.scope = inner
	return nil
}

// resolve is the name with its usual prefix. A prefix that nothing declares is taken at its word.
func (s *scope) resolve(name xml.Name) string {
	if known, ok := s.names[name]; ok {
		return known
	}
	prefix := name.Space + ":"
	for at := s; at != nil; at = at.outer {
		if p, ok := at.prefixes[name.Space]; ok {
			prefix = p
			break
		}
	}
	resolved := prefix + name.Local
	if len(s.names) < maxPrefixes {
		s.names[name] = resolved
	}
	return resolved
}

// space is the usual prefix of a namespace, in its transitional and its strict form; "?:" of one that says nothing here.
func space(uri string) string {
	switch uri {
	case "http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main":
		return "w:"
	case "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
		"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing":
		return "wp:"
	case "http://schemas.openxmlformats.org/drawingml/2006/main", "http://purl.oclc.org/ooxml/drawingml/main":
		return "a:"
	case "http://schemas.openxmlformats.org/officeDocument/2006/math", "http://purl.oclc.org/ooxml/officeDocument/math":
		return "m:"
	case "http://schemas.openxmlformats.org/markup-compatibility/2006":
		return "mc:"
	case "http://schemas.microsoft.com/office/word/2010/wordprocessingShape":
		return "wps:"
	case "urn:schemas-microsoft-com:vml":
		return "v:"
	default:
		return "?:"
	}
}
