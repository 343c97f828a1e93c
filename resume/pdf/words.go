package pdf

import (
	"cmp"
	"slices"
	"unicode"
)

// Distances in heights of the font. Common word spaces are from 0.2 to 0.35, in justified text up to about 1.
const (
	wordGap    = 0.13 // between words more than between letters, where the file has no space
	looseGap   = 0.45 // beside a Chinese, Japanese or Korean character, which need none
	tinyGap    = 0.04 // a space of the file that is narrower is none
	cellGap    = 1.5  // between cells of a row
	trackedGap = 0.12 // between the letters of a word that is set wide
	trackedRow = 2.6  // between cells of a row whose words are set wide
	bulletGap  = 4    // between the mark of a list's entry and its text
	rowHeight  = 0.12 // how far apart the baselines of one row may be
	doubled    = 0.08 // how far apart two copies of a character are that look like a bold one
)

// word is glyphs without a space between them.
type word struct {
	box
	text     string
	baseline float64
	size     float64
	bold     bool
	icon     bool // nothing but characters without meaning
	bullet   bool // a mark of a list, by its font
	rtl      bool
	link     int // the first of its glyphs, -1: none
	chunk    int // number of its chunk on the page
}

// chunk is words of one row that stand as close together as in a sentence.
type chunk struct {
	box
	words    []word
	baseline float64
	size     float64
}

// newChunk holds words in the order from left to right.
func newChunk(words []word) chunk {
	c := chunk{box: words[0].box, words: words, baseline: words[0].baseline, size: words[0].size}
	for _, w := range words[1:] {
		c.box = c.union(w.box)
		c.size = max(c.size, w.size)
	}
	return c
}

// chunksOf makes words and chunks of upright glyphs.
func chunksOf(glyphs []glyph) []chunk {
	sorted := slices.Clone(glyphs)
	slices.SortStableFunc(sorted, func(a, b glyph) int { return cmp.Compare(b.baseline, a.baseline) })
	var spans [][]glyph
	for len(sorted) > 0 {
		n := 1
		for n < len(sorted) && sorted[0].baseline-sorted[n].baseline <= max(rowHeight*sorted[0].size, 0.5) {
			n++
		}
		spans = append(spans, inOrder(sorted[:n]))
		sorted = sorted[n:]
	}
	spacing := measure(spans)
	var chunks []chunk
	for _, span := range spans {
		chunks = append(chunks, spacing.chunks(span)...)
	}
	rows := rowsOf(chunks)
	chunks = chunks[:0]
	for _, r := range rows {
		chunks = append(chunks, joinBullets(r.chunks)...)
	}
	for i := range chunks {
		for j := range chunks[i].words {
			chunks[i].words[j].chunk = i
		}
	}
	return chunks
}

// inOrder are the glyphs of one row from left to right, without the copies that make some look bold.
func inOrder(row []glyph) []glyph {
	slices.SortStableFunc(row, func(a, b glyph) int { return cmp.Compare(a.left, b.left) })
	return slices.CompactFunc(row, func(b, a glyph) bool {
		return a.text == b.text && b.left-a.left < doubled*a.size && b.left-a.left < b.width()/2
	})
}

// letters is by how much the glyphs of a font overlap the next ones within words, in heights of the font. Some programs
// place letters on the pixels of a screen, closer than the font says: words would touch.
type letters map[letterOf]float64

type letterOf struct {
	text string
	size float64
	bold bool
}

// measure finds how much letters overlap where most of them do.
func measure(rows [][]glyph) letters {
	const overlapping = -0.01
	var gaps []float64
	closest := letters{}
	for _, row := range rows {
		for i := 1; i < len(row); i++ {
			a, gap := row[i-1], gapOf(row[i-1], row[i])
			gaps = append(gaps, gap)
			key := letterOf{a.text, a.size, a.bold}
			closest[key] = max(min(closest[key], gap), -wordGap)
		}
	}
	slices.Sort(gaps)
	if len(gaps) == 0 || gaps[len(gaps)/2] > overlapping {
		return nil
	}
	return closest
}

// gap is the gap between two glyphs beyond what is usual after the first.
func (l letters) gap(a, b glyph) float64 {
	return gapOf(a, b) - l[letterOf{a.text, a.size, a.bold}]
}

// chunks splits the glyphs of one row.
func (l letters) chunks(row []glyph) []chunk {
	var chunks []chunk
	for _, wide := range splitRow(row, trackedRow) {
		if spacing := tracking(wide); spacing > 0 {
			chunks = append(chunks, newChunk(trackedWords(wide, spacing)))
			continue
		}
		for _, span := range splitRow(wide, cellGap) {
			chunks = append(chunks, newChunk(l.words(span)))
		}
	}
	return chunks
}

// splitRow splits glyphs from left to right where a gap is wider than so many heights of the font.
func splitRow(row []glyph, gap float64) [][]glyph {
	var spans [][]glyph
	first := 0
	right := row[0].right
	for i := 1; i < len(row); i++ {
		if row[i].left-right > gap*max(row[i].size, row[i-1].size) {
			spans = append(spans, row[first:i])
			first = i
		}
		right = max(right, row[i].right)
	}
	return append(spans, row[first:])
}

// tracking is the gap between the letters of words that are set wide, as some headings are: about the same between most
// letters, 0 for other text.
func tracking(row []glyph) float64 {
	const letters, most = 4, 0.75
	var gaps []float64
	wide := 0
	for i := 1; i < len(row); i++ {
		if !letter(row[i].text) || !letter(row[i-1].text) || spaceless(row[i].text) {
			continue
		}
		gap := (row[i].left - row[i-1].right) / row[i].size
		gaps = append(gaps, gap)
		if gap >= trackedGap {
			wide++
		}
	}
	if len(gaps) < letters || float64(wide) < most*float64(len(gaps)) {
		return 0
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

func letter(text string) bool {
	for _, c := range text {
		return unicode.IsLetter(c)
	}
	return false
}

// spaceless tells whether a text begins with a character of a script that puts no spaces between words.
func spaceless(text string) bool {
	for _, c := range text {
		return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
			c >= 0x3000 && c <= 0x303f || c >= 0xff00 && c <= 0xffef
	}
	return false
}

// trackedWords are the words of text that is set wide by so many heights of the font.
func trackedWords(row []glyph, spacing float64) []word {
	const wider = 1.7
	return split(row, func(a, b glyph) bool {
		return b.left-a.right > wider*spacing*max(a.size, b.size)
	})
}

// words are the words of other text.
func (l letters) words(row []glyph) []word {
	usual := l.usual(row)
	return split(row, func(a, b glyph) bool {
		gap, later := l.gap(a, b), b
		if a.at == b.at+1 { // from right to left
			later = a
		}
		switch {
		case later.space:
			return gap > tinyGap || !spaceless(a.text) && !spaceless(b.text)
		case spaceless(a.text) || spaceless(b.text):
			return gap > looseGap
		case later.guess:
			return gap > tinyGap+usual
		default:
			return gap > wordGap+usual
		}
	})
}

// gapOf is the gap between two glyphs in heights of the smaller font.
func gapOf(a, b glyph) float64 { return (b.left - a.right) / max(min(a.size, b.size), 0.1) }

// usual is the gap between most letters of a row: more than 0 where they are set a little wider.
func (l letters) usual(row []glyph) float64 {
	var gaps []float64
	for i := 1; i < len(row); i++ {
		gaps = append(gaps, l.gap(row[i-1], row[i]))
	}
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	return min(max(gaps[len(gaps)/2], 0), trackedGap)
}

// split makes words of glyphs from left to right; apart tells whether there is a space between two of them.
func split(row []glyph, apart func(a, b glyph) bool) []word {
	var words []word
	first := 0
	for i := 1; i <= len(row); i++ {
		if i == len(row) || apart(row[i-1], row[i]) {
			words = append(words, newWord(row[first:i]))
			first = i
		}
	}
	return words
}

// joinBullets joins the mark of a list's entry, which often stands far before it, with its text.
func joinBullets(chunks []chunk) []chunk {
	joined := chunks[:0]
	for _, c := range chunks {
		if n := len(joined); n > 0 && len(joined[n-1].words) == 1 {
			mark := joined[n-1].words[0]
			if (mark.bullet || mark.icon || isMark(mark.text)) && c.left-mark.right < bulletGap*c.size {
				joined[n-1] = newChunk(append([]word{mark}, c.words...))
				joined[n-1].baseline, joined[n-1].size = c.baseline, c.size
				continue
			}
		}
		joined = append(joined, c)
	}
	return joined
}
