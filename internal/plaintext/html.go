package plaintext

import (
	"html"
	"strings"

	tokens "golang.org/x/net/html"
)

// The names of HTML elements, by what they are in a text. A tag with another name is text: "List<String>".
var (
	// blocks start and end lines.
	blocks = set(`address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset
		figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav ol optgroup
		option p pre section summary table tbody tfoot thead title tr ul`)

	// inline elements are part of a line.
	inline = set(`a abbr acronym area audio b base basefont bdi bdo big blink button canvas cite code col colgroup data
		datalist del dfn em embed font frame frameset i iframe img input ins kbd label link map mark marquee meta meter
		nobr noframes noscript o:p object output param picture progress q rp rt ruby s samp select small source span
		strike strong sub sup svg td template textarea th time track tt u var video wbr`)

	// hidden elements contain no text.
	hidden = set("script style")

	// complete elements need no end tag. One of them alone makes a text HTML.
	complete = set("br hr img li p")
)

func set(names string) map[string]bool {
	names = strings.TrimSpace(names)
	all := make(map[string]bool)
	for name := range strings.FieldsSeq(names) {
		all[name] = true
	}
	return all
}

func element(name string) bool { return blocks[name] || inline[name] || hidden[name] }

// withoutTags returns the text of HTML, and whether it is HTML. Other text stays as it is: it is HTML only if it has an
// element that is closed, or one that needs no end. Comments, scripts and styles are left out.
func withoutTags(text string) (plain string, isHTML bool) {
	if strings.IndexByte(text, '<') < 0 {
		return text, false
	}

	s := tagStripper{
		plain:       make([]byte, 0, len(text)),
		opened:      make(map[string]bool),
		hiddenStart: -1,
		endTagEnd:   -1,
	}
	tokenizer := tokens.NewTokenizer(strings.NewReader(text))
	end := 0
	for kind := tokenizer.Next(); kind != tokens.ErrorToken; kind = tokenizer.Next() {
		start := end
		end += len(tokenizer.Raw())
		t := token{kind: kind, raw: text[start:end], start: start, end: end}
		if kind == tokens.StartTagToken || kind == tokens.EndTagToken || kind == tokens.SelfClosingTagToken {
			name, _ := tokenizer.TagName()
			t.name = string(name)
		}
		s.add(&t)
	}

	if !s.isHTML {
		return text, false
	}

	// An element without end hides nothing.
	rest := text[end:] // a tag or a comment without end
	if s.hiddenStart >= 0 {
		rest = text[s.hiddenStart:]
	}
	return string(append(s.plain, rest...)), true
}

// A token is a tag, a comment, or the text between two of them.
type token struct {
	kind       tokens.TokenType
	raw        string // as it is written
	start, end int    // in the text
	name       string // of a tag's element
}

// A tagStripper collects the text of HTML, token by token.
type tagStripper struct {
	plain       []byte
	isHTML      bool
	opened      map[string]bool // names of elements that had a start tag
	hiddenStart int             // where the content of the current hidden element starts, or -1 outside of one
	endTagEnd   int             // where the last end tag of an inline element ends, or -1
}

func (s *tagStripper) add(t *token) {
	isEnd := t.kind == tokens.EndTagToken
	isHiding := s.hiddenStart >= 0
	isComment := t.kind == tokens.CommentToken && strings.HasPrefix(t.raw, "<!--") && strings.HasSuffix(t.raw, "-->")
	endsHidden := isHiding && isEnd && hidden[t.name]
	isText := t.kind == tokens.TextToken || !element(t.name)

	switch {
	case isComment, t.kind == tokens.DoctypeToken:
		s.isHTML = true
	case endsHidden:
		s.isHTML = true
		s.hiddenStart = -1
	case isText && isHiding:
		// What a script or a style contains is no text.
	case isText:
		s.addText(t.raw)
	default:
		s.addTag(t)
	}
}

func (s *tagStripper) addText(text string) {
	// White space between blocks only indents the HTML.
	startsLine := len(s.plain) == 0 || s.plain[len(s.plain)-1] == '\n'
	if startsLine {
		text = strings.TrimLeft(text, " \t\r\n")
	}
	s.plain = append(s.plain, text...)
}

// addTag puts a line break or a space where a tag separates texts.
func (s *tagStripper) addTag(t *token) {
	isEnd := t.kind == tokens.EndTagToken
	closesElement := isEnd && s.opened[t.name]
	if complete[t.name] || closesElement {
		s.isHTML = true
	}

	if t.kind == tokens.StartTagToken {
		s.opened[t.name] = true
		if hidden[t.name] && s.hiddenStart < 0 {
			s.hiddenStart = t.end
		}
	}

	isCell := t.name == "td" || t.name == "th"
	isAfterEndTag := s.endTagEnd == t.start // "<span>React</span><span>Vue</span>"
	switch {
	case blocks[t.name]:
		s.plain = appendBreak(s.plain)
	case isEnd:
		s.endTagEnd = t.end
	case isCell, isAfterEndTag:
		s.plain = append(s.plain, ' ')
	}
}

// appendBreak starts a new line, unless a line has just started.
func appendBreak(out []byte) []byte {
	i := len(out)
	for i > 0 && (out[i-1] == ' ' || out[i-1] == '\t') {
		i--
	}
	if i == 0 || out[i-1] == '\n' {
		return out
	}
	return append(out, '\n')
}

// maxEntity is the length of the longest entity in bytes, &CounterClockwiseContourIntegral;.
const maxEntity = 33

// unescape decodes the entities of a text. Unlike browsers, it leaves those without a semicolon alone: "R&D", "Q&A",
// "a&reg=1".
func unescape(text string) string {
	if strings.IndexByte(text, '&') < 0 {
		return text
	}

	out := make([]byte, 0, len(text))
	for {
		i := strings.IndexByte(text, '&')
		if i < 0 {
			return string(append(out, text...))
		}

		out = append(out, text[:i]...)
		text = text[i:]
		size := strings.IndexByte(text[:min(len(text), maxEntity)], ';') + 1
		if size == 0 {
			out = append(out, '&')
			text = text[1:]
			continue
		}

		decoded := html.UnescapeString(text[:size])
		if len(decoded) > 1 && strings.HasSuffix(decoded, ";") { // only a part of it is an entity: "&regular;"
			out = append(out, '&')
			text = text[1:]
			continue
		}

		out = append(out, decoded...)
		text = text[size:]
	}
}
