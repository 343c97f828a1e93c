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

	out := make([]byte, 0, len(text))
	opened := make(map[string]bool)
	secret := -1 // where the text of a hidden element starts
	// the ends of the last end tag, in text and out
	closed := -1
	glue := -1
	z := tokens.NewTokenizer(strings.NewReader(text))
	at := 0
	for {
		kind := z.Next()
		start := at

		if kind == tokens.ErrorToken {
			break
		}

		at += len(z.Raw())
		raw := text[start:at]
		name := ""
		if kind == tokens.StartTagToken || kind == tokens.EndTagToken || kind == tokens.SelfClosingTagToken {
			b, _ := z.TagName()
			name = string(b)
		}

		switch {
		case kind == tokens.CommentToken && strings.HasPrefix(raw, "<!--") && strings.HasSuffix(raw, "-->"),
			kind == tokens.DoctypeToken:
			isHTML = true
		case kind == tokens.EndTagToken && hidden[name] && secret >= 0:
			isHTML = true
			secret = -1
		case kind == tokens.TextToken || !element(name):
			if secret >= 0 {
				continue
			}
			if len(out) == 0 || out[len(out)-1] == '\n' {
				raw = strings.TrimLeft(raw, " \t\r\n") // between blocks
			}
			out = append(out, raw...)

		default:
			isHTML = isHTML || complete[name] || kind == tokens.EndTagToken && opened[name]
			if kind == tokens.StartTagToken {
				opened[name] = true
				if hidden[name] && secret < 0 {
					secret = at
				}
			}

			switch {
			case blocks[name]:
				out = appendBreak(out)
			case kind == tokens.EndTagToken:
				closed = at
				glue = len(out)
			case name == "td" || name == "th" || closed == start && glue == len(out):
				out = append(out, ' ') // "<span>React</span><span>Vue</span>"
			}
		}
	}

	if !isHTML {
		return text, false
	}

	if secret >= 0 {
		at = secret // an element without end hides nothing
	}

	return string(append(out, text[at:]...)), true // the rest is a tag or a comment without end
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
