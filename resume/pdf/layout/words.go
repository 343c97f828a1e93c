package layout

import (
	"cmp"
	"slices"
	"unicode"
)

// Distances in heights of the font. The space between words is usually 0.2 to 0.35, and up to about 1 in justified
// text.
const (
	wordGap    = 0.13 // minimum between words, beyond the gap between letters, if the file has no space
	arabicGap  = 0.22 // the same between Arabic letters: those that join only backward leave space after them
	looseGap   = 0.45 // minimum between words beside a Chinese, Japanese or Korean character
	tinyGap    = 0.04 // spaces of the file up to this width are ignored
	cellGap    = 1.5  // minimum between cells of a row
	trackedGap = 0.12 // minimum between the letters of a letter-spaced word
	trackedRow = 2.6  // minimum between cells of a row with letter-spaced words
	bulletGap  = 4    // maximum between a bullet and its text
	rowHeight  = 0.12 // maximum between the baselines of one row
	doubled    = 0.08 // maximum between two copies of a glyph that imitate bold type
)

// A word is a sequence of glyphs without a space.
type word struct {
	Box
	text     string
	baseline float64
	size     float64
	bold     bool
	icon     bool   // it has no glyph that means anything
	bullet   bool   // it is a bullet, by its font
	rtl      bool   // it has letters of a right-to-left script
	link     int    // the first link of its glyphs; -1 if none
	chunk    int    // index of its chunk on the page
	joint    string // before it, between parts of a line that are not side by side; "" for other words
}

// A chunk is a sequence of words in one row that are as close together as in a sentence.
type chunk struct {
	Box
	words    []word
	baseline float64
	size     float64
}

// newChunk returns the chunk of the words, which must be in order from left to right.
func newChunk(words []word) chunk {
	c := chunk{Box: words[0].Box, words: words, baseline: words[0].baseline, size: words[0].size}
	for _, w := range words[1:] {
		c.Box = c.Union(w.Box)
		c.size = max(c.size, w.size)
	}
	return c
}

// chunksOf groups the glyphs of one writing direction into words and chunks, row by row. For example, the glyphs of the
// row "Go developer     2019 – 2024" become two chunks, one with the words "Go" and "developer", one with the dates.
func chunksOf(glyphs []Glyph) []chunk {
	rowsOfGlyphs := splitRows(combineAccents(glyphs))
	overlaps := measureOverlaps(rowsOfGlyphs)
	var separate []chunk
	for _, row := range rowsOfGlyphs {
		separate = append(separate, overlaps.chunks(row)...)
	}

	// Rows of chunks may differ more in height than rows of glyphs, as a bullet and its text do.
	var chunks []chunk
	for _, row := range rowsOf(separate) {
		chunks = append(chunks, joinBullets(row.chunks)...)
	}

	for i := range chunks {
		for j := range chunks[i].words {
			chunks[i].words[j].chunk = i
		}
	}

	return chunks
}

// splitRows groups glyphs by baselines, from top to bottom. It sorts the given slice.
func splitRows(glyphs []Glyph) [][]Glyph {
	const minHeight = 0.5 // of very small text
	slices.SortStableFunc(glyphs, func(a, b Glyph) int { return cmp.Compare(b.Baseline, a.Baseline) })

	var rows [][]Glyph
	for len(glyphs) > 0 {
		top := glyphs[0]
		height := max(rowHeight*top.Size, minHeight)
		n := 1
		for n < len(glyphs) && top.Baseline-glyphs[n].Baseline <= height {
			n++
		}
		rows = append(rows, sortRow(glyphs[:n]))
		glyphs = glyphs[n:]
	}
	return rows
}

// sortRow sorts the glyphs of one row from left to right and removes copies that imitate bold type.
func sortRow(row []Glyph) []Glyph {
	slices.SortStableFunc(row, func(a, b Glyph) int { return cmp.Compare(a.Left, b.Left) })
	return slices.CompactFunc(row, func(b, a Glyph) bool {
		return a.Text == b.Text && b.Left-a.Left < doubled*a.Size && b.Left-a.Left < b.Width()/2
	})
}

// overlaps holds the smallest gap after each kind of glyph within words, in heights of the font: zero or negative. Some
// programs place glyphs on the pixels of a screen, closer together than the font says, so that words seem to touch.
type overlaps map[glyphKind]float64

type glyphKind struct {
	text string
	size float64
	bold bool
}

func (g Glyph) kind() glyphKind { return glyphKind{g.Text, g.Size, g.Bold} }

// measureOverlaps returns nil unless most glyphs overlap the next one.
func measureOverlaps(rows [][]Glyph) overlaps {
	const overlapping = -0.01
	var gaps []float64
	smallest := overlaps{}
	for _, row := range rows {
		for i := 1; i < len(row); i++ {
			gap := gapBetween(row[i-1], row[i])
			kind := row[i-1].kind()
			gaps = append(gaps, gap)
			smallest[kind] = max(min(smallest[kind], gap), -wordGap)
		}
	}
	if median(gaps) > overlapping {
		return nil
	}
	return smallest
}

// gap returns the gap between two glyphs beyond the usual one after the first.
func (o overlaps) gap(a, b Glyph) float64 { return gapBetween(a, b) - o[a.kind()] }

// chunks splits the glyphs of one row into chunks.
func (o overlaps) chunks(row []Glyph) []chunk {
	var chunks []chunk
	for _, part := range splitRow(row, trackedRow) {
		if spacing := letterSpacing(part); spacing > 0 {
			chunks = append(chunks, newChunk(trackedWords(part, spacing)))
			continue
		}
		for _, cell := range splitRow(part, cellGap) {
			chunks = append(chunks, newChunk(o.words(cell)))
		}
	}
	return chunks
}

// splitRow splits glyphs from left to right at gaps that are wider than the given number of heights of the font.
func splitRow(row []Glyph, gap float64) [][]Glyph {
	var parts [][]Glyph
	first := 0
	right := row[0].Right
	for i := 1; i < len(row); i++ {
		if row[i].Left-right > gap*max(row[i].Size, row[i-1].Size) {
			parts = append(parts, row[first:i])
			first = i
		}
		right = max(right, row[i].Right)
	}
	return append(parts, row[first:])
}

// letterSpacing returns the gap between the letters of letter-spaced words, in heights of the font, or 0 for other
// text.
func letterSpacing(row []Glyph) float64 {
	const minGaps, minWideShare = 4, 0.75
	var gaps []float64
	wide := 0
	for i := 1; i < len(row); i++ {
		betweenLetters := letter(row[i].Text) && letter(row[i-1].Text) && !spaceless(row[i].Text)
		if !betweenLetters {
			continue
		}

		gap := (row[i].Left - row[i-1].Right) / row[i].Size
		gaps = append(gaps, gap)
		if gap >= trackedGap {
			wide++
		}
	}
	if len(gaps) < minGaps || float64(wide) < minWideShare*float64(len(gaps)) {
		return 0
	}
	return median(gaps)
}

// letter reports whether a text starts with a letter.
func letter(text string) bool {
	for _, c := range text {
		return unicode.IsLetter(c)
	}
	return false
}

// spaceless reports whether a text starts with a character of a script without spaces between words.
func spaceless(text string) bool {
	for _, c := range text {
		return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) ||
			c >= 0x3000 && c <= 0x303f || c >= 0xff00 && c <= 0xffef
	}
	return false
}

// isArabic reports whether a text starts with an Arabic letter.
func isArabic(text string) bool {
	for _, c := range text {
		return unicode.IsLetter(c) && unicode.Is(unicode.Arabic, c)
	}
	return false
}

// trackedWords splits letter-spaced text into words.
func trackedWords(row []Glyph, spacing float64) []word {
	const wider = 1.7 // the gap between words, in gaps between letters
	return split(row, func(a, b Glyph) bool {
		return b.Left-a.Right > wider*spacing*max(a.Size, b.Size)
	})
}

// words splits other text into words.
func (o overlaps) words(row []Glyph) []word {
	usual := o.usualGap(row)
	return split(row, func(a, b Glyph) bool {
		gap := o.gap(a, b)
		later := b
		if a.At == b.At+1 { // written from right to left
			later = a
		}
		switch {
		case later.Space:
			return gap > tinyGap || !spaceless(a.Text) && !spaceless(b.Text)
		case spaceless(a.Text) || spaceless(b.Text):
			return gap > looseGap
		case later.Guess:
			return gap > tinyGap+usual
		case isArabic(a.Text) && isArabic(b.Text):
			return gap > arabicGap+usual
		default:
			return gap > wordGap+usual
		}
	})
}

// gapBetween returns the gap between two glyphs in heights of the smaller font.
func gapBetween(a, b Glyph) float64 { return (b.Left - a.Right) / max(min(a.Size, b.Size), 0.1) }

// usualGap returns the usual gap between the letters of a row. It is positive if they are slightly letter-spaced.
func (o overlaps) usualGap(row []Glyph) float64 {
	var gaps []float64
	for i := 1; i < len(row); i++ {
		gaps = append(gaps, o.gap(row[i-1], row[i]))
	}
	return min(max(median(gaps), 0), trackedGap)
}

// median sorts the values and returns the middle one, or 0 without values.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// split splits glyphs into words. apart reports whether there is a space between two adjacent glyphs.
func split(row []Glyph, apart func(a, b Glyph) bool) []word {
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

// joinBullets joins the bullet of a list item with its text, which is often far behind it.
func joinBullets(chunks []chunk) []chunk {
	joined := chunks[:0]
	for _, c := range chunks {
		n := len(joined)
		inDate := n > 1 && startsWithDash(joined[n-1].words[0].text) && isDate((&row{chunks: joined[n-2 : n-1]}).text())
		afterWord := n > 0 && len(joined[n-1].words) == 1
		if afterWord && !inDate {
			bullet := joined[n-1].words[0]
			looksLikeBullet := bullet.bullet || bullet.icon || isBullet(bullet.text)
			if looksLikeBullet && c.Left-bullet.Right < bulletGap*c.size {
				joined[n-1] = newChunk(append([]word{bullet}, c.words...))
				joined[n-1].baseline = c.baseline
				joined[n-1].size = c.size
				continue
			}
		}
		joined = append(joined, c)
	}
	return joined
}
