package pdf

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// style is what the characters of one text object have in common.
type style struct {
	font
	angle    int
	size     float64 // as it is shown, in points
	baseline float64 // once the page is turned
	hide     cause
}

// What pdfium makes of a hyphen at the end of a line, by version.
const (
	hyphen     = 0x02
	lateHyphen = 0xfffe
)

// stride is how many characters at most are taken to be of one text object because the first and the last are.
const stride = 32

// textReader reads the characters of one page.
type textReader struct {
	*document
	page   *page
	scene  *scene
	text   uint64
	styles map[uint64]style
	space  bool
	guess  bool
	last   uint64 // the object of the glyph before
	runes  []rune
	owners []uint64 // their text objects
}

// glyphs are the characters of a page in the order of the file.
func (d *document) glyphs(text uint64, p *page, s *scene) ([]glyph, error) {
	n := d.integer(countCharacters, text)
	if d.characters += n; n <= 0 || d.characters > d.limits.characters {
		if n > 0 {
			return nil, fmt.Errorf("%w: more than %d characters", errLimit, d.limits.characters)
		}
		return nil, d.err
	}
	r := &textReader{document: d, page: p, scene: s, text: text, styles: map[uint64]style{}}
	if err := r.load(n); err != nil {
		return nil, err
	}
	r.owners = make([]uint64, n)
	r.own(0, n)
	glyphs := make([]glyph, 0, n)
	for i, c := range r.runes {
		if d.err != nil {
			return nil, d.err
		}
		glyphs = r.add(glyphs, i, c)
	}
	return glyphs, d.err
}

// load reads the characters themselves: at once where each is one unit of UTF-16.
func (r *textReader) load(n int) error {
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

// own finds the text objects of the characters from first up to end. The characters of an object follow each other.
func (r *textReader) own(first, end int) {
	for ; first < end; first += stride {
		r.ownStride(first, min(first+stride, end)-1)
	}
}

func (r *textReader) ownStride(first, last int) {
	for _, i := range [2]int{first, last} {
		if r.owners[i] == 0 {
			r.owners[i] = r.call(characterObject, r.text, uint64(i))
		}
	}
	if last-first < 2 {
		return
	}
	if r.owners[first] == r.owners[last] && r.owners[first] != 0 {
		for i := first + 1; i < last; i++ {
			r.owners[i] = r.owners[first]
		}
		return
	}
	middle := (first + last) / 2
	r.ownStride(first, middle)
	r.ownStride(middle, last)
}

// add appends the i-th character, or remembers that there is a space.
func (r *textReader) add(glyphs []glyph, i int, c rune) []glyph {
	owner := r.owners[i]
	if owner == 0 || c == '\r' || c == '\n' {
		// pdfium's own guess of a space or a line end.
		r.guess = c == ' '
		return glyphs
	}
	if unicode.IsSpace(c) || c == '\u00a0' || c == '\u200b' || c == '\ufeff' {
		r.space = true
		return glyphs
	}
	b, ok := r.box(i)
	if !ok {
		return glyphs
	}
	s, known := r.styles[owner]
	if !known {
		s = r.style(i, owner, b)
		r.styles[owner] = s
	}
	if c == hyphen || c == lateHyphen || c == '\u00ad' {
		c = '-'
	}
	g := glyph{
		text: string(c), box: b, angle: s.angle, bold: s.bold, symbol: s.symbol,
		space: r.space, guess: r.guess, unmapped: unreadable(c), link: r.linkAt(b), hide: s.hide,
	}
	r.space, r.guess = false, false
	if r.place(&g, i, s); !g.sane() || !(math.Abs(g.baseline) < furthest && g.size < furthest) {
		return glyphs
	}
	if n := len(glyphs); n > 0 && owner == r.last && glyphs[n-1].box == g.box && !g.space && !g.unmapped {
		glyphs[n-1].text = ligature(glyphs[n-1].text, g.text)
		return glyphs
	}
	r.last, g.at = owner, len(glyphs)
	return append(glyphs, g)
}

// ligature joins a character to those of the same glyph before it. pdfium turns lines that are written from right to left
// around, and with them the characters of a ligature; not those of a presentation form, which it takes apart later: lam
// with alef.
func ligature(before, next string) string {
	const lam, alefs = "ل", "اأإآ"
	form := before == lam && strings.Contains(alefs, next)
	if !rightToLeft(next) || unicode.Is(unicode.Mn, []rune(next)[0]) || form {
		return before + next
	}
	return next + before
}

// box is where the i-th character stands: as wide as it advances, as high as its font.
func (r *textReader) box(i int) (b box, ok bool) {
	r.call(characterBox, r.text, uint64(i), r.out(0))
	b = box{r.float(0), r.float(3), r.float(2), r.float(1)}
	if b.width() > 0 && b.height() > 0 && b.sane() {
		return b, true
	}
	// A font that does not tell its measures: the ink.
	r.call(characterTightBox, r.text, uint64(i), r.out(0), r.out(1), r.out(2), r.out(3))
	b = box{r.doubleAt(0), r.doubleAt(2), r.doubleAt(1), r.doubleAt(3)}
	return b, b.sane()
}

// place sets the baseline, the size and the turned box of a glyph.
func (r *textReader) place(g *glyph, i int, s style) {
	g.size = s.size
	outside := !r.page.contains(g.center())
	if s.angle%90 == 0 {
		g.box = g.turned(s.angle)
		g.baseline = s.baseline
	} else {
		g.slant(r.origin(i))
	}
	if outside || g.size <= minimumSize {
		g.hide = hidden
	}
}

// slant sets the box of a glyph that is not parallel to the sides: of the one around it, only the width is of use.
func (g *glyph) slant(x, y float64) {
	sin, cos := math.Sincos(float64(g.angle) * math.Pi / 180)
	sin, cos = math.Abs(sin), math.Abs(cos)
	advance := (g.height() - g.size*cos) / sin
	if cos > sin {
		advance = (g.width() - g.size*sin) / cos
	}
	x, y = turn(x, y, g.angle)
	const descent = 0.2
	g.box = box{x, y - descent*g.size, x + max(advance, 0), y + (1-descent)*g.size}
	g.baseline = y
}

// origin is where the i-th character stands on its baseline.
func (r *textReader) origin(i int) (x, y float64) {
	r.call(characterOrigin, r.text, uint64(i), r.out(0), r.out(1))
	return r.doubleAt(0), r.doubleAt(1)
}

// style is what the i-th character tells about the text object that owns it.
func (r *textReader) style(i int, owner uint64, b box) style {
	var s style
	// Not FPDFText_GetCharAngle, which takes slanted letters for slanted lines.
	if r.call(characterMatrix, r.text, uint64(i), r.out(0)) != 0 {
		s.angle = angle(r.float(0), r.float(1))
		s.size = math.Hypot(r.float(2), r.float(3))
		s.size *= math.Float64frombits(r.call(fontSize, r.text, uint64(i)))
	}
	x, y := r.origin(i)
	_, s.baseline = turn(x, y, s.angle)
	s.font = r.font(i, owner)
	mode := r.integer(renderMode, owner)
	s.bold = s.bold || mode == modeFillStroke
	s.hide = r.hide(owner, mode, b, s.size)
	return s
}

// angle is the direction of x and y in whole degrees from 0 to 359. What is nearly parallel to a side is parallel.
func angle(x, y float64) int {
	degrees := math.Round(math.Atan2(y, x) * 180 / math.Pi)
	if math.IsNaN(degrees) {
		return 0
	}
	const nearly = 1
	if right := math.Round(degrees/90) * 90; math.Abs(degrees-right) <= nearly {
		degrees = right
	}
	return (int(degrees) + 360) % 360
}

// hide tells why a text object of a size is not seen.
func (r *textReader) hide(owner uint64, mode int, b box, size float64) cause {
	x, y := b.center()
	paints := r.scene.paints
	if mode == modeInvisible || mode == modeClip {
		if paints.outline(x, y, size) {
			return visible
		}
		return invisible
	}
	of := objectFill
	if mode == modeStroke || mode == modeStrokeClip {
		of = objectStroke
	}
	c, alpha := r.scene.color(of, owner)
	order, found := r.scene.order[owner]
	if !found {
		order = math.MaxInt
	}
	const faint = 0.1
	if alpha < faint && !paints.outline(x, y, size) || alpha >= faint && paints.conceal(c, x, y, order) {
		return hidden
	}
	return visible
}

// font is the font of the i-th character.
func (r *textReader) font(i int, owner uint64) font {
	handle := r.call(textFont, owner)
	if f, known := r.fonts[handle]; known {
		return f
	}
	const flags, name, most = 0, 1, 256
	n := r.integer(characterFont, r.text, uint64(i), r.out(name), most, r.out(flags))
	f := fontOf(r.sandbox.text(name, min(n, most)), r.uintAt(flags))
	r.fonts[handle] = f
	return f
}

// fontOf tells a font by its name and its flags (PDF 32000-1, table 123).
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

// linkAt is the link over the middle of a box, -1 for none.
func (r *textReader) linkAt(b box) int {
	x, y := b.center()
	for i, link := range r.page.links {
		if link.contains(x, y) {
			return i
		}
	}
	return -1
}

// unreadable tells whether a character means nothing: control, private use, not a character.
func unreadable(c rune) bool {
	return c == unicode.ReplacementChar || c < ' ' || c >= 0xfff0 && c <= 0xffff || unicode.Is(unicode.Co, c) ||
		unicode.Is(unicode.Cs, c) || c >= 0x7f && c < 0xa0
}
