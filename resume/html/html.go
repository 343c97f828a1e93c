// Package html reads web pages: resumes that were exported or saved as HTML. It reads the tags as a stream instead of
// building a tree, because pages can be made for which a tree needs memory that grows with the square of their size. It
// loads nothing, and runs no scripts.
package html

import (
	"bytes"
	"context"
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/charset"
	"github.com/freelancer-matching/service/resume/flow"
)

// A Reader reads web pages within its limits. It is safe for concurrent use.
type Reader struct{ limits flow.Limits }

var _ resume.Reader = (*Reader)(nil)

// New returns a Reader. All limits must be set.
func New(limits flow.Limits) *Reader { return &Reader{limits: limits} }

const (
	defaultSize   = 24 // half-points
	maxAttributes = 200
	maxStyles     = 1 << 20 // bytes of style sheets
)

// Read implements resume.Reader.
func (r *Reader) Read(ctx context.Context, file []byte) (resume.Document, error) {
	if err := r.limits.CheckSize(file); err != nil {
		return resume.Document{}, err
	}
	text, lost := charset.Decode(file, declaredCharset(file))
	d := &document{
		builder: flow.NewBuilder(r.limits), depth: r.limits.Depth, sheet: sheet{rules: map[string][]rule{}},
		body: look{halfPoints: defaultSize, parentSize: defaultSize, background: flow.White},
	}
	if lost {
		d.builder.Lost()
	}
	d.collectStyles(text)
	if err := d.read(ctx, html.NewTokenizer(strings.NewReader(text))); err != nil {
		return resume.Document{}, err
	}
	return d.builder.Document()
}

var declared = regexp.MustCompile(`(?i)(?:charset|encoding)\s*=\s*["']?\s*([a-zA-Z0-9_:.-]+)`)

// declaredCharset returns the encoding that the start of a page names, or "" without one.
func declaredCharset(file []byte) string {
	const within = 2048 // bytes; the standard demands 1024
	if m := declared.FindSubmatch(file[:min(len(file), within)]); m != nil {
		return string(m[1])
	}
	return ""
}

// A document is the page being read.
type document struct {
	builder *flow.Builder
	depth   int // limit of open elements
	sheet   sheet
	body    look // of text outside elements

	open   []element
	raw    string // the element whose text the tokenizer returns next: script, style, …
	bullet bool   // the next paragraph starts a list item
	spaced bool   // the text written last ends with a space
}

// An element is an element whose end tag was not read yet.
type element struct {
	name    string
	look    look
	dropped bool // its text is not part of the page
	heading int
	aside   bool
	kind    kind
}

// A kind is what the end of an element does.
type kind uint8

const (
	inlineKind kind = iota
	blockKind
	rowKind
	cellKind
	linkKind
	floatKind
)

// collectStyles reads the style sheets of the page before its text, because some pages have them at the end.
func (d *document) collectStyles(page string) {
	lower := strings.ToLower(page)
	if len(lower) != len(page) { // a letter whose lower case is longer: positions differ
		page = lower
	}

	for size := 0; size < maxStyles; {
		start := strings.Index(lower, "<style")
		if start < 0 {
			return
		}

		lower = lower[start:]
		page = page[start:]
		from := strings.IndexByte(lower, '>') + 1
		end := strings.Index(lower, "</style")
		isWhole := from > 0 && from <= end
		if !isWhole {
			return
		}

		size += end - from
		d.sheet.add(page[from:min(end, from+maxStyles)])
		lower = lower[end+1:]
		page = page[end+1:]
	}
}

// read interprets the page.
func (d *document) read(ctx context.Context, tokens *html.Tokenizer) error {
	for {
		if err := d.builder.Step(ctx); err != nil {
			return err
		}

		switch kind := tokens.Next(); kind {
		case html.ErrorToken: // the end; the tokenizer accepts everything
			return nil
		case html.TextToken:
			d.text(tokens.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			if err := d.start(tokens); err != nil {
				return err
			}

		case html.EndTagToken:
			name, _ := tokens.TagName()
			d.end(string(name))
		case html.CommentToken, html.DoctypeToken:
		}
	}
}

// top returns the innermost element.
func (d *document) top() element {
	if len(d.open) == 0 {
		return element{look: d.body}
	}
	return d.open[len(d.open)-1]
}

// start handles a start tag.
func (d *document) start(tokens *html.Tokenizer) error {
	nameBytes, more := tokens.TagName()
	name := string(nameBytes)
	attributes := map[string]string{}

	// Of attributes with the same name, the first with a value counts.
	for range maxAttributes {
		if !more {
			break
		}
		var key, value []byte
		key, value, more = tokens.TagAttr()
		if attribute := string(key); attributes[attribute] == "" {
			attributes[attribute] = string(value)
		}
	}

	d.closeImplied(name)
	parent := d.top()

	switch name {
	case "br":
		d.builder.Break()
		d.spaced = true
		return nil

	case "hr":
		d.builder.EndParagraph()
		return nil
	case "wbr", "img", "input", "meta", "link", "base", "col", "area", "embed", "source", "track", "param":
		return nil
	// Tags in these elements are text, so only their own end tag ends them.
	case "script", "style", "textarea", "iframe", "noembed", "noframes", "noscript", "xmp", "title", "plaintext":
		d.raw = name
		return nil
	}

	if len(d.open) >= d.depth {
		return flow.TooComplex("The page nests more than %d elements.", d.depth)
	}

	e := element{
		name: name, look: d.lookOf(name, attributes, parent.look), heading: parent.heading, aside: parent.aside,
		dropped: parent.dropped || dropped[name],
	}

	isHeading := len(name) == 2 && name[0] == 'h' && '1' <= name[1] && name[1] <= '6'
	if isHeading {
		e.heading = int(name[1] - '0')
	}

	e.aside = e.aside || name == "aside"
	e.kind = d.begin(&e, parent, attributes)
	d.open = append(d.open, e)

	return nil
}

// dropped are the elements without text of the page.
var dropped = map[string]bool{
	"head": true, "template": true, "svg": true, "math": true, "select": true, "datalist": true, "object": true,
	"audio": true, "video": true, "canvas": true, "map": true, "rt": true, "rp": true,
}

// begin tells the builder about the start of an element, and returns what its end does.
func (d *document) begin(e *element, parent element, attributes map[string]string) kind {
	switch {
	case e.name == "tr":
		d.builder.StartRow()
		return rowKind
	case e.name == "td", e.name == "th", isRow(parent.look) && len(d.open) > 0:
		d.builder.StartCell(e.look.width)
		d.spaced = true
		return cellKind

	case isRow(e.look):
		d.builder.StartRow()
		return rowKind
	case e.name == "a":
		// A relative address means nothing outside the page.
		if address := attributes["href"]; strings.Contains(address, ":") && !isScript(address) {
			if !d.builder.InParagraph() {
				d.startParagraph()
			}
			d.builder.StartLink(address)
			return linkKind
		}

	case e.look.right:
		d.builder.Write("\t", flow.Look{})
		return floatKind
	case e.look.display == block:
		d.builder.EndParagraph()
		d.bullet = d.bullet || e.name == "li"
		return blockKind
	}

	return inlineKind
}

func isRow(l look) bool { return l.display == container && !l.column }

func isScript(address string) bool {
	scheme, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(address)), ":")
	return scheme == "javascript" || scheme == "data"
}

// end handles an end tag. One without a start tag in the same cell does nothing.
func (d *document) end(name string) {
	if name == d.raw {
		d.raw = ""
		return
	}

	for i := len(d.open) - 1; i >= 0; i-- {
		switch open := d.open[i]; {
		case open.name == name:
			if open.kind == inlineKind || open.kind == linkKind { // what is inside stays open
				d.finish(open)
				d.open = append(d.open[:i], d.open[i+1:]...)
				return
			}
			d.closeTo(i)
			return

		case (open.name == "td" || open.name == "th" || open.name == "table") && !isTablePart(name):
			return
		}
	}

	if name == "p" {
		d.builder.EndParagraph()
	}
}

func isTablePart(name string) bool {
	switch name {
	case "table", "tbody", "thead", "tfoot", "tr", "td", "th":
		return true
	}
	return false
}

// closeTo ends elements until at most n are open.
func (d *document) closeTo(n int) {
	for len(d.open) > n {
		last := d.open[len(d.open)-1]
		d.open = d.open[:len(d.open)-1]
		d.finish(last)
	}
}

// finish tells the builder about the end of an element.
func (d *document) finish(e element) {
	switch e.kind {
	case blockKind:
		d.builder.EndParagraph()
		if e.name == "li" {
			d.bullet = false
		}
	case rowKind:
		d.builder.EndRow()
	case cellKind:
		d.builder.EndCell()
	case linkKind:
		d.builder.EndLink()
	case floatKind:
		d.builder.Write("\t", flow.Look{})
	case inlineKind:
	}
}

// An endRule says which open elements a start tag ends, and beyond which ones it doesn't look for them.
type endRule struct{ ends, stops map[string]bool }

var (
	endsOfRows  = endRule{set("tr"), set("table")}
	endsOfCells = endRule{set("td th"), set("tr table")}
	endsOfTerms = endRule{set("dt dd p"), set("dl table td th")}
	endsOfText  = endRule{set("p head"), set("table td th button")}
)

// implied has the rules of start tags that end other elements than paragraphs.
var implied = map[string]endRule{
	"li": {set("li p"), set("ul ol menu table td th")}, "dt": endsOfTerms, "dd": endsOfTerms,
	"tr": endsOfRows, "tbody": endsOfRows, "thead": endsOfRows, "tfoot": endsOfRows,
	"td": endsOfCells, "th": endsOfCells, "a": {set("a"), set("table td th")}, "body": {set("head"), nil},
}

// closeImplied ends the elements that a start tag ends.
func (d *document) closeImplied(name string) {
	rule, ok := implied[name]
	if !ok {
		if !blocks[name] {
			return
		}
		rule = endsOfText
	}

	found := -1
	for i := len(d.open) - 1; i >= 0 && !rule.stops[d.open[i].name]; i-- {
		if rule.ends[d.open[i].name] {
			found = i
			// The search continues after a paragraph, because what is around it, such as a list item, ends as well.
			if d.open[i].name != "p" {
				break
			}
		}
	}

	if found >= 0 {
		d.closeTo(found)
	}
}

func (d *document) startParagraph() {
	e := d.top()
	p := flow.Paragraph{Heading: e.heading, Bullet: d.bullet}
	if e.aside {
		p.Part = resume.Sidebar
	}
	d.bullet = false
	d.spaced = true
	d.builder.StartParagraph(p)
}

// text handles text between tags.
func (d *document) text(text []byte) {
	e := d.top()
	if d.raw != "" {
		return
	}

	text = bytes.ReplaceAll(text, []byte{0}, nil)
	if e.dropped || len(text) == 0 {
		return
	}

	l := &e.look
	isIllegible := flow.Tiny(int(l.halfPoints+.5)) || flow.Invisible(l.color, l.background)
	isHidden := l.gone || l.concealed
	if isHidden || isIllegible {
		d.builder.WriteHidden(string(text))
		return
	}

	if isRow(*l) && len(bytes.TrimSpace(text)) > 0 { // a text between boxes is a box
		d.builder.StartCell(0)
		defer d.builder.EndCell()
	}

	look := flow.Look{Bold: l.bold, HalfPoints: int(l.halfPoints + .5)}
	if !l.pre {
		d.write(string(text), look, false)
		return
	}

	for i, line := range strings.Split(string(text), "\n") {
		if i > 0 {
			d.builder.EndParagraph()
		}
		d.write(line, look, true)
	}
}

// write adds visible text of one line.
func (d *document) write(text string, look flow.Look, pre bool) {
	if !pre {
		text = collapse(text)
		if d.spaced {
			text = strings.TrimPrefix(text, " ")
		}
	}

	// White space begins no paragraph.
	isBetween := !d.builder.InParagraph() && strings.TrimSpace(text) == ""
	if text == "" || isBetween {
		return
	}

	if !d.builder.InParagraph() {
		d.startParagraph()
		if !pre {
			text = strings.TrimPrefix(text, " ")
		}
	}
	d.builder.Write(text, look)
	d.spaced = strings.HasSuffix(text, " ")
}

// collapse replaces each run of white space by a space.
func collapse(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	inSpace := false
	for i := range len(text) {
		c := text[i]
		isSpace := c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\n'
		switch {
		case !isSpace:
			b.WriteByte(c)
		case !inSpace:
			b.WriteByte(' ')
		}
		inSpace = isSpace
	}
	return b.String()
}
