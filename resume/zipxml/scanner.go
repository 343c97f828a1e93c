package zipxml

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/freelancer-matching/service/resume/flow"
)

// maxPrefixes limits the namespaces declared by an element and those around it. Word declares about 40.
const maxPrefixes = 1000

// A Scanner reads the elements of one part as a stream. It resolves namespaces itself, because xml.Decoder.Token keeps
// every open element and declaration without a limit.
type Scanner struct {
	archive *Archive
	in      *input
	source  io.Closer
	decoder *xml.Decoder
	open    []openElement
	scope   *scope
}

// An openElement is an element whose end tag was not read yet.
type openElement struct {
	name  xml.Name // as written
	outer *scope   // to restore at its end
}

// A scope maps prefixes to namespaces inside one element.
type scope struct {
	outer    *scope
	prefixes map[string]string   // to the usual prefix of the namespace, with its colon
	names    map[xml.Name]string // names resolved before
	declared int                 // prefixes, in this scope and outer ones
}

// An Element is a start tag. Its name has the usual prefix of its namespace, like w:p, whatever prefix the file uses.
type Element struct {
	Name  string
	attrs []xml.Attr
}

// Attr returns the value of an attribute by its local name, which is unique in the elements used here.
func (e Element) Attr(local string) string {
	for _, a := range e.attrs {
		if a.Name.Local == local && a.Name.Space != "xmlns" {
			return a.Value
		}
	}
	return ""
}

func newScanner(a *Archive, in *input, source io.Closer) *Scanner {
	s := &Scanner{archive: a, in: in, source: source, scope: &scope{names: map[xml.Name]string{}}}
	s.decoder = xml.NewDecoder(in)
	s.decoder.CharsetReader = func(charset string, input io.Reader) (io.Reader, error) {
		if strings.EqualFold(charset, "utf-16") { // already decoded
			return input, nil
		}
		return nil, fmt.Errorf("unsupported character encoding %q", charset)
	}
	return s
}

// Close ends the reading.
func (s *Scanner) Close() { s.source.Close() }

// Children calls visit for each child of the element whose start tag was read last, and reads its end tag. It skips
// what visit doesn't read of a child. Before the first tag, the root is the only child.
func (s *Scanner) Children(visit func(Element) error) error { return s.Mixed(visit, func([]byte) {}) }

// Mixed does what Children does, and calls text for each text between the children. The text is valid until the call
// returns.
func (s *Scanner) Mixed(visit func(Element) error, text func([]byte)) error {
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
			// The visitor may have read only some of the children, or none.
			if err := s.skip(depth); err != nil {
				return err
			}
			if depth == 0 {
				return nil
			}

		case xml.CharData:
			text(token)
		case xml.EndElement:
			return s.pop(token)
		}
	}
}

// Text returns the text of the element whose start tag was read last, without the text of its children.
func (s *Scanner) Text() (string, error) {
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
				return "", flow.TooComplex("A text of the document has more than %d bytes.", maxToken)
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

// skip reads until at most depth elements are open.
func (s *Scanner) skip(depth int) error {
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

// next returns the next token, within the limits.
func (s *Scanner) next() (xml.Token, error) {
	a := s.archive
	a.tokens++
	if a.tokens > a.limits.Tokens {
		return nil, flow.TooComplex("The document has more than %d tags and texts.", a.limits.Tokens)
	}

	if a.tokens%ctxEvery == 0 {
		if err := a.contextError(); err != nil {
			return nil, err
		}
	}

	s.in.token = 0
	token, err := s.decoder.RawToken()
	if errors.Is(err, io.EOF) {
		return nil, io.ErrUnexpectedEOF // no caller reads past the root
	}
	if _, ok := token.(xml.Directive); ok && err == nil {
		return nil, errors.New("document type declarations are forbidden in office documents")
	}

	return token, err
}

// push opens an element.
func (s *Scanner) push(start xml.StartElement) (Element, error) {
	if len(s.open) >= s.archive.limits.Depth {
		return Element{}, flow.TooComplex("The document nests more than %d elements.", s.archive.limits.Depth)
	}
	s.open = append(s.open, openElement{name: start.Name, outer: s.scope})
	for _, a := range start.Attr {
		if a.Name.Space == "xmlns" || a.Name.Space == "" && a.Name.Local == "xmlns" {
			if err := s.declare(start.Attr); err != nil {
				return Element{}, err
			}
			break
		}
	}
	return Element{Name: s.scope.resolve(start.Name), attrs: start.Attr}, nil
}

// pop closes the innermost element.
func (s *Scanner) pop(end xml.EndElement) error {
	if len(s.open) == 0 {
		return fmt.Errorf("</%s> has no start tag", end.Name.Local)
	}
	last := s.open[len(s.open)-1]
	if last.name != end.Name {
		return fmt.Errorf("<%s> ends with </%s>", last.name.Local, end.Name.Local)
	}
	s.open = s.open[:len(s.open)-1]
	s.scope = last.outer
	return nil
}

// declare starts a scope with the namespaces that the attributes declare.
func (s *Scanner) declare(attrs []xml.Attr) error {
	inner := &scope{
		outer:    s.scope,
		prefixes: map[string]string{},
		names:    map[xml.Name]string{},
		declared: s.scope.declared,
	}
	for _, a := range attrs {
		switch {
		case a.Name.Space == "xmlns":
			inner.prefixes[a.Name.Local] = s.archive.prefix(a.Value)
		case a.Name.Space == "" && a.Name.Local == "xmlns":
			inner.prefixes[""] = s.archive.prefix(a.Value)
		default:
			continue
		}

		inner.declared++
	}

	// Scopes stay in memory until their elements end, so the limit counts those of all outer elements too.
	if inner.declared > maxPrefixes {
		return flow.TooComplex("The document declares more than %d namespaces in nested elements.", maxPrefixes)
	}

	s.scope = inner

	return nil
}

// resolve returns the name with the usual prefix of its namespace. A prefix that is not declared is kept.
func (s *scope) resolve(name xml.Name) string {
	if known, ok := s.names[name]; ok {
		return known
	}
	prefix := name.Space + ":"
	for outer := s; outer != nil; outer = outer.outer {
		if usual, ok := outer.prefixes[name.Space]; ok {
			prefix = usual
			break
		}
	}
	resolved := prefix + name.Local
	if len(s.names) < maxPrefixes {
		s.names[name] = resolved
	}
	return resolved
}
