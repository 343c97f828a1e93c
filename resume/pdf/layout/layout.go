// Package layout finds words, lines, columns and records on the pages of a PDF, from the place of each glyph.
package layout

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/freelancer-matching/service/resume"
)

// usualGap is the usual distance between baselines, in heights of the font, for documents with too few lines to
// measure it.
const usualGap = 1.2

// ErrNoText is returned for a file without visible text.
var ErrNoText = errors.New("no text")

// Document returns the text of a file in the order in which a person reads it. It returns ErrNoText for a
// file without text.
func Document(ctx context.Context, f File) (resume.Document, error) {
	d := resume.Document{Pages: f.Count}
	var lines [][]placed
	var boxes []Box
	var hiddenText, scans, recognized bool
	var unmapped unmappedGlyphs
	var known []recordColumn
	for i := range f.Pages {
		if ctx.Err() != nil {
			return d, ctx.Err()
		}

		p := &f.Pages[i]
		hiddenText = p.dropHidden() || hiddenText
		scans = scans || p.isScan()
		recognized = recognized || p.Recognized && len(p.Glyphs) > 0
		unmapped.count(p.Glyphs)
		pageLines, turned := linesOfPage(p, i+1, &known)
		lines = append(lines, pageLines)
		boxes = append(boxes, turned)
	}

	// Headers, footers and the usual line spacing show only when all pages are known.
	markFurniture(lines, boxes)
	continueSidebars(lines)
	setGaps(lines)
	for i, l := range lines {
		appendPage(&d, l, f.Pages[i].Links)
	}

	if len(d.Lines) == 0 {
		return d, ErrNoText
	}

	for _, w := range []struct {
		applies bool
		warning resume.Warning
	}{
		{hiddenText, resume.WarnHiddenText},
		{scans, resume.WarnImagePage},
		{recognized, resume.WarnOCR},
		{unmapped.serious(), resume.WarnUnmappedGlyph},
		{f.Damaged || f.Truncated, resume.WarnTruncated},
		{f.Count > len(f.Pages) && !f.Damaged, resume.WarnManyPages},
	} {
		if w.applies {
			d.Warnings = append(d.Warnings, w.warning)
		}
	}

	return d, nil
}

// linesOfPage lays out the text of each writing direction, starting with the most frequent one. It also returns the
// box of the page, turned so that this direction is horizontal.
func linesOfPage(p *Page, number int, known *[]recordColumn) ([]placed, Box) {
	byAngle := map[int][]Glyph{}
	for _, g := range p.Glyphs {
		byAngle[g.Angle] = append(byAngle[g.Angle], g)
	}

	angles := slices.SortedFunc(maps.Keys(byAngle), func(a, b int) int {
		return cmp.Or(cmp.Compare(len(byAngle[b]), len(byAngle[a])), cmp.Compare(a, b))
	})
	turned := p.Box
	var lines []placed
	for i, angle := range angles {
		b := p.Turned(angle)
		if i == 0 {
			turned = b
		}
		chunks := chunksOf(byAngle[angle])
		a := arranger{page: b, height: textHeight(chunks), rtl: mostlyRightToLeft(chunks), known: known}
		for _, r := range a.arrange(chunks, false, 0) {
			for _, l := range linesOf(r, number) {
				l.Place = p.place(l.Box, angle)
				lines = append(lines, l)
			}
		}
	}

	return lines, turned
}

// textHeight returns the height of the text on a page. On the last page, it may be far less than the page's height.
func textHeight(chunks []chunk) float64 {
	if len(chunks) == 0 {
		return 0
	}
	return extent(chunks).Height()
}

func mostlyRightToLeft(chunks []chunk) bool {
	n, right := 0, 0
	for _, c := range chunks {
		for _, w := range c.words {
			n++
			if w.rtl {
				right++
			}
		}
	}
	return 2*right > n
}

// setGaps subtracts the usual line spacing from the distances between baselines.
func setGaps(pages [][]placed) {
	var gaps []float64
	for _, lines := range pages {
		for _, l := range lines {
			if l.Gap > 0 {
				gaps = append(gaps, l.Gap)
			}
		}
	}

	usual := usualGap
	const enoughGaps = 5
	if len(gaps) >= enoughGaps {
		usual = median(gaps)
	}

	const minGap = 0.1
	for _, lines := range pages {
		for i := range lines {
			gap := math.Round((lines[i].Gap-usual)*100) / 100
			if gap < minGap {
				gap = 0
			}
			lines[i].Gap = gap
		}
	}
}

// order returns the position of a part in the reading order of a page.
func order(p resume.Part) int {
	return slices.Index([]resume.Part{resume.Header, resume.Body, resume.Sidebar, resume.Footer}, p)
}

// appendPage adds the lines and links of a page.
func appendPage(d *resume.Document, lines []placed, links []Hyperlink) {
	slices.SortStableFunc(lines, func(a, b placed) int { return cmp.Compare(order(a.Part), order(b.Part)) })
	first := len(d.Lines)
	onLine := make([]bool, len(links))
	for i, l := range lines {
		l.Size = math.Round(l.Size*10) / 10
		d.Lines = append(d.Lines, l.Line)
		start := len(d.Links)
		for id, link := range links {
			if text, ok := l.links[id]; ok {
				onLine[id] = true
				d.Links = addLink(d.Links, start, resume.Link{URL: link.URL, Text: text, Line: first + i})
			}
		}

		// Addresses in the text come second, so a link of the file keeps its own text and the address is not added
		// twice.
		for _, address := range addresses(l.Text) {
			d.Links = addLink(d.Links, start, resume.Link{URL: address, Text: address, Line: first + i})
		}
	}

	// A link over an icon or a picture has no line, but its address is still useful.
	for id, link := range links {
		if !onLine[id] {
			d.Links = append(d.Links, resume.Link{URL: link.URL, Line: -1})
		}
	}
}

// unmappedGlyphs counts glyphs whose characters the file doesn't identify.
type unmappedGlyphs struct{ glyphs, unmapped, inWords int }

func (u *unmappedGlyphs) count(glyphs []Glyph) {
	u.glyphs += len(glyphs)
	for i, g := range glyphs {
		if !g.Unmapped {
			continue
		}
		u.unmapped++
		afterLetter := i > 0 && !g.Space && g.joins(glyphs[i-1])
		beforeLetter := i+1 < len(glyphs) && !glyphs[i+1].Space && g.joins(glyphs[i+1])
		if afterLetter || beforeLetter {
			u.inWords++
		}
	}
}

// joins reports whether another glyph is a letter of the same word, by its place.
func (g Glyph) joins(other Glyph) bool {
	isLetter := !other.Unmapped && letter(other.Text)
	gap := max(other.Left-g.Right, g.Left-other.Right)
	return isLetter && other.Baseline == g.Baseline && gap < wordGap*g.Size
}

// serious reports whether letters of words are missing, and not only icons.
func (u *unmappedGlyphs) serious() bool {
	const manyInWords, largeShare = 3, 0.1
	return u.inWords >= manyInWords || float64(u.unmapped) > largeShare*float64(u.glyphs)
}
