package pdf

import (
	"fmt"
	"math"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/resume/pdf/layout"
)

// A style is what all characters of one text object share.
type style struct {
	font
	layout.Visibility
	angle    int
	size     float64 // as displayed, in points
	baseline float64 // on the turned page
}

// Codes that versions of pdfium return for a hyphen at the end of a line.
const (
	hyphen     = 0x02
	lateHyphen = 0xfffe
	softHyphen = 0xad
)

// stride is the maximum distance between two characters of the same text object at which those between them count as
// part of the object without asking pdfium.
const stride = 32

// A textReader reads the characters of one page.
type textReader struct {
	*document
	page     *layout.Page
	painted  *objectReader
	text     uint64 // handle of the page's text
	styles   map[uint64]style
	space    bool   // the file has a space after the last glyph
	guess    bool   // pdfium adds a space after the last glyph
	last     uint64 // text object of the last glyph
	runes    []rune
	objectOf []uint64 // text object of each rune; 0 if pdfium added the rune
}

// glyphs returns the characters of a page in the order of the file.
func (d *document) glyphs(text uint64, p *layout.Page, objects *objectReader) ([]layout.Glyph, error) {
	n := d.integer(countCharacters, text)
	if n <= 0 {
		return nil, d.err
	}
	if d.characters += n; d.characters > d.limits.characters {
		return nil, fmt.Errorf("%w: more than %d characters", errLimit, d.limits.characters)
	}

	r := &textReader{document: d, page: p, painted: objects, text: text, styles: map[uint64]style{}}
	if err := r.loadRunes(n); err != nil {
		return nil, err
	}

	// Each call into the sandbox is slow compared with Go code, so the text objects are found by bisection rather than
	// one by one.
	r.findObjects(n)
	glyphs := make([]layout.Glyph, 0, n)
	for i, c := range r.runes {
		if d.err != nil {
			return nil, d.err
		}
		glyphs = r.add(glyphs, i, c)
	}

	return glyphs, d.err
}

// loadRunes reads the characters, in one call if each is one unit of UTF-16.
func (r *textReader) loadRunes(n int) error {
	size := uint64(2 * (n + 1))
	buffer := r.call(allocate, size)
	if buffer == 0 {
		return fmt.Errorf("%w: no memory for %d characters", errLimit, n)
	}
	written := r.integer(copyText, r.text, 0, uint64(n), buffer)
	r.runes = r.utf16(address(buffer), written-1)
	r.call(release, buffer)
	if len(r.runes) == n {
		return r.err
	}
	r.runes = make([]rune, n)
	for i := range r.runes {
		r.runes[i] = rune(r.call(characterUnicode, r.text, uint64(i)))
	}
	return r.err
}

// findObjects finds the text objects of the first n characters. Characters of one object are adjacent.
func (r *textReader) findObjects(n int) {
	r.objectOf = make([]uint64, n)
	for first := 0; first < n; first += stride {
		r.findObjectsBetween(first, min(first+stride, n)-1)
	}
}

// findObjectsBetween finds the text objects of the characters from first to last, by bisection.
func (r *textReader) findObjectsBetween(first, last int) {
	for _, i := range [2]int{first, last} {
		if r.objectOf[i] == 0 {
			r.objectOf[i] = r.call(characterObject, r.text, uint64(i))
		}
	}
	if last-first < 2 {
		return
	}
	if r.objectOf[first] == r.objectOf[last] && r.objectOf[first] != 0 {
		for i := first + 1; i < last; i++ {
			r.objectOf[i] = r.objectOf[first]
		}
		return
	}
	middle := (first + last) / 2
	r.findObjectsBetween(first, middle)
	r.findObjectsBetween(middle, last)
}

// add appends the i-th character, or records that there is a space.
func (r *textReader) add(glyphs []layout.Glyph, i int, c rune) []layout.Glyph {
	// pdfium adds characters to the text that the file doesn't have: a space where it sees a gap, and line ends.
	object := r.objectOf[i]
	addedByPDFium := object == 0 || c == '\r' || c == '\n'
	if addedByPDFium {
		r.guess = c == ' '
		return glyphs
	}

	zeroWidthSpace := c == '\u200b' || c == '\ufeff'
	if unicode.IsSpace(c) || zeroWidthSpace {
		r.space = true
		return glyphs
	}

	b, ok := r.box(i)
	if !ok {
		return glyphs
	}

	// All characters of a text object share its style, so the first one asks pdfium for it.
	s, known := r.styles[object]
	if !known {
		s = r.style(i, object, b)
		r.styles[object] = s
	}

	g := layout.Glyph{
		Box: b, Angle: s.angle, Bold: s.bold, Symbol: s.symbol,
		Space: r.space, Guess: r.guess, Link: r.linkAt(b), Visibility: s.Visibility,
	}
	r.space = false
	r.guess = false
	g.Text, g.Unmapped = textOf(c, s.symbol)

	r.place(&g, i, s)
	if !g.Sane() {
		return glyphs
	}

	// pdfium reports each letter of a ligature with the box of the whole glyph.
	if n := len(glyphs); n > 0 && object == r.last {
		previous := &glyphs[n-1]
		sameGlyph := previous.Box == g.Box && !g.Space && !g.Unmapped
		if sameGlyph {
			previous.Text = joinLigature(previous.Text, g.Text)
			return glyphs
		}
	}

	r.last = object
	g.At = len(glyphs)
	return append(glyphs, g)
}

// textOf returns the text of a character, and whether its meaning is unknown because the font doesn't map it to
// Unicode. symbol is whether it is from a font of symbols.
func textOf(c rune, symbol bool) (text string, unmapped bool) {
	switch c {
	case hyphen, lateHyphen, softHyphen:
		return "-", false
	}

	if letters := ligature(c); letters != "" && !symbol {
		return letters, false
	}
	return string(c), isMeaningless(c)
}

// ligature returns the letters of a ligature that a TeX font encodes as a control character (OT1), or "". Other
// encodings of TeX differ from font to font.
func ligature(c rune) string {
	switch c {
	case 0x0b:
		return "ff"
	case 0x0c:
		return "fi"
	case 0x0e:
		return "ffi"
	case 0x0f:
		return "ffl"
	}
	return ""
}

// joinLigature joins a character to the previous characters of the same glyph. pdfium reverses right-to-left lines and
// the characters of their ligatures. It doesn't reverse the presentation form of lam with alef, which it splits later.
func joinLigature(previous, next string) string {
	if !layout.IsRightToLeft(next) {
		return previous + next
	}

	const lam, alefs = "ل", "اأإآ"
	presentationForm := previous == lam && strings.Contains(alefs, next)
	combiningMark := unicode.Is(unicode.Mn, []rune(next)[0])
	if presentationForm || combiningMark {
		return previous + next
	}

	return next + previous
}

// box returns the box of the i-th character: as wide as its advance and as high as its font.
func (r *textReader) box(i int) (b layout.Box, ok bool) {
	r.call(characterBox, r.text, uint64(i), r.out(0))
	b = layout.Box{Left: r.float(0), Bottom: r.float(3), Right: r.float(2), Top: r.float(1)}
	hasMetrics := b.Width() > 0 && b.Height() > 0
	if hasMetrics && b.Sane() {
		return b, true
	}
	// The font has no metrics. Use the shape.
	r.call(characterTightBox, r.text, uint64(i), r.out(0), r.out(1), r.out(2), r.out(3))
	b = layout.Box{Left: r.doubleAt(0), Bottom: r.doubleAt(2), Right: r.doubleAt(1), Top: r.doubleAt(3)}
	return b, b.Sane()
}

// place sets the baseline, the size and the turned box of a glyph, and hides it if it is off the page or too small.
func (r *textReader) place(g *layout.Glyph, i int, s style) {
	g.Size = s.size
	outside := !r.page.Contains(g.Center())
	if s.angle%90 == 0 {
		g.Box = g.Turned(s.angle)
		g.Baseline = s.baseline
	} else {
		x, y := r.origin(i)
		slant(g, x, y)
	}
	if outside || g.Size <= minimumSize {
		g.Visibility = layout.Hidden
	}
}

// slant sets the box of a glyph that isn't parallel to the sides of the page. (x, y) is its origin. Its current box is
// the one around the slanted glyph, from which only the advance can be derived.
func slant(g *layout.Glyph, x, y float64) {
	sin, cos := math.Sincos(float64(g.Angle) * math.Pi / 180)
	sin = math.Abs(sin)
	cos = math.Abs(cos)
	advance := (g.Height() - g.Size*cos) / sin
	if cos > sin {
		advance = (g.Width() - g.Size*sin) / cos
	}
	x, y = layout.Turn(x, y, g.Angle)
	const descent = 0.2
	g.Box = layout.Box{Left: x, Bottom: y - descent*g.Size, Right: x + max(advance, 0), Top: y + (1-descent)*g.Size}
	g.Baseline = y
}

// origin returns the place of the i-th character on its baseline.
func (r *textReader) origin(i int) (x, y float64) {
	r.call(characterOrigin, r.text, uint64(i), r.out(0), r.out(1))
	return r.doubleAt(0), r.doubleAt(1)
}

// style returns the style of a text object, read from its i-th character, whose box is b.
func (r *textReader) style(i int, object uint64, b layout.Box) style {
	var s style
	// FPDFText_GetCharAngle would mistake italic letters for slanted lines.
	if r.call(characterMatrix, r.text, uint64(i), r.out(0)) != 0 {
		s.angle = angle(r.float(0), r.float(1))
		s.size = math.Hypot(r.float(2), r.float(3))
		s.size *= math.Float64frombits(r.call(fontSize, r.text, uint64(i)))
	}
	x, y := r.origin(i)
	_, s.baseline = layout.Turn(x, y, s.angle)
	s.font = r.font(i, object)
	mode := r.integer(renderMode, object)
	s.bold = s.bold || mode == modeFillStroke
	s.Visibility = r.visibility(object, mode, b, s.size)
	return s
}

// angle returns the direction of (x, y) in whole degrees from 0 to 359. Directions within a degree of a side of the
// page count as parallel to it.
func angle(x, y float64) int {
	degrees := math.Round(math.Atan2(y, x) * 180 / math.Pi)
	if math.IsNaN(degrees) {
		return 0
	}
	if parallel := math.Round(degrees/90) * 90; math.Abs(degrees-parallel) <= 1 {
		degrees = parallel
	}
	return (int(degrees) + 360) % 360
}

// visibility returns whether a reader can see a text object with a render mode and a size, one of whose characters is
// in box b. Resumes hide text to deceive programs that read them, such as words of a job posting in white.
func (r *textReader) visibility(object uint64, mode int, b layout.Box, size float64) layout.Visibility {
	x, y := b.Center()
	paints := r.painted.paints

	// Some programs draw the outlines of letters, and put invisible text over them so that it can be copied.
	isDrawn := func() bool { return paints.outline(x, y, size) }

	// A render mode says what a program does with the shapes of letters: fill them, stroke their outlines, both, or
	// neither (PDF 32000-1, 9.3.6). Letters that only clip later painting are invisible, too.
	paintsNothing := mode == modeInvisible || mode == modeClip
	if paintsNothing && isDrawn() {
		return layout.Visible
	}
	if paintsNothing {
		return layout.Invisible
	}

	// Stroked text gets its color from its outline, not from its fill.
	colorOf := objectFill
	if mode == modeStroke || mode == modeStrokeClip {
		colorOf = objectStroke
	}

	textColor, alpha := r.painted.color(colorOf, object)
	if isTransparent := alpha < minAlpha; isTransparent {
		if isDrawn() {
			return layout.Visible
		}
		return layout.Hidden
	}

	// Objects are painted one over the other, so text is seen against the areas that were painted before it. An object
	// with an unknown place in that order counts as painted last, over all areas.
	order, found := r.painted.order[object]
	if !found {
		order = math.MaxInt
	}
	if paints.conceal(textColor, x, y, order) {
		return layout.Hidden
	}
	return layout.Visible
}

// font returns the font of the i-th character, which belongs to a text object.
func (r *textReader) font(i int, object uint64) font {
	handle := r.call(textFont, object)
	if f, known := r.fonts[handle]; known {
		return f
	}
	const flags, name, maxName = 0, 1, 256
	n := r.integer(characterFont, r.text, uint64(i), r.out(name), maxName, r.out(flags))
	f := fontOf(r.sandbox.text(name, min(n, maxName)), r.uintAt(flags))
	r.fonts[handle] = f
	return f
}

// fontOf returns the properties of a font, derived from its name and its flags (PDF 32000-1, table 123).
func fontOf(name string, flags uint32) font {
	const forceBold = 1 << 18
	name = strings.ToLower(name)
	f := font{bold: flags&forceBold != 0}
	for _, word := range [...]string{"bold", "black", "heavy", "cmbx", "sfbx", "demi"} {
		f.bold = f.bold || strings.Contains(name, word)
	}
	for _, word := range [...]string{"wingdings", "webdings", "dingbats", "symbolmt"} {
		f.symbol = f.symbol || strings.Contains(name, word)
	}
	return f
}

// linkAt returns the index of the link over the center of a box, or -1 without one.
func (r *textReader) linkAt(b layout.Box) int {
	x, y := b.Center()
	for i, link := range r.page.Links {
		if link.Contains(x, y) {
			return i
		}
	}
	return -1
}

// isMeaningless reports whether a character is a control character, for private use, or no character at all.
func isMeaningless(c rune) bool {
	return c >= 0xfff0 && c <= 0xffff || unicode.In(c, unicode.Cc, unicode.Co, unicode.Cs)
}
