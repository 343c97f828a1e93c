package pdf

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"unicode"

	"freelancer-matching/resume"
)

// usualGap is from one baseline to the next in heights of the font, where a document has too few lines to tell.
const usualGap = 1.2

// layOut is the text of a file in the order in which a person reads it.
func layOut(ctx context.Context, f file) (resume.Document, error) {
	d := resume.Document{Pages: f.count}
	var lines [][]placed
	var boxes []box
	var hiddenText, pictures bool
	var broken unmappedGlyphs
	for i := range f.pages {
		if ctx.Err() != nil {
			return d, ctx.Err()
		}
		p := &f.pages[i]
		hiddenText = p.reveal() || hiddenText
		const caption = 40 // characters that a scanner or a camera adds to its picture
		pictures = pictures || len(p.glyphs) < caption && p.scanned()
		broken.count(p.glyphs)
		l, b := linesOfPage(p, i+1)
		lines, boxes = append(lines, l), append(boxes, b)
	}
	markFurniture(lines, boxes)
	setGaps(lines)
	for i, l := range lines {
		appendPage(&d, l, f.pages[i].links)
	}
	if len(d.Lines) == 0 {
		return d, errNoText
	}
	for _, w := range []struct {
		applies bool
		warning resume.Warning
	}{
		{hiddenText, resume.WarnHiddenText},
		{pictures, resume.WarnImagePage},
		{broken.matter(), resume.WarnUnmappedGlyph},
		{f.damaged || f.truncated, resume.WarnTruncated},
		{f.count > len(f.pages) && !f.damaged, resume.WarnManyPages},
	} {
		if w.applies {
			d.Warnings = append(d.Warnings, w.warning)
		}
	}
	return d, nil
}

// truncated tells whether the end of a file is missing: the mark of it, or the table that its last lines point to.
func truncated(data []byte) bool {
	const within = 1024 // bytes, in which readers look for the mark (PDF 32000-1, annex H, note 18)
	tail := data[max(0, len(data)-within):]
	if !bytes.Contains(tail, []byte("%%EOF")) {
		return true
	}
	at := bytes.LastIndex(tail, []byte("startxref"))
	if at < 0 {
		return true
	}
	fields := bytes.Fields(tail[at+len("startxref"):])
	if len(fields) == 0 {
		return true
	}
	offset, err := strconv.Atoi(string(fields[0]))
	return err != nil || offset > len(data)
}

// linesOfPage lays out the text of each direction of writing, the most used one first, and answers the page's box turned
// as the first one.
func linesOfPage(p *page, number int) ([]placed, box) {
	byAngle := map[int][]glyph{}
	for _, g := range p.glyphs {
		byAngle[g.angle] = append(byAngle[g.angle], g)
	}
	angles := make([]int, 0, len(byAngle))
	for angle := range byAngle {
		angles = append(angles, angle)
	}
	slices.SortFunc(angles, func(a, b int) int {
		return cmp.Or(cmp.Compare(len(byAngle[b]), len(byAngle[a])), cmp.Compare(a, b))
	})
	turned := p.box
	var lines []placed
	for i, angle := range angles {
		b := p.turned(angle)
		if i == 0 {
			turned = b
		}
		chunks := chunksOf(byAngle[angle])
		a := arranger{height: b.height(), rtl: mostlyRightToLeft(chunks)}
		for _, r := range a.arrange(chunks, false, 0) {
			lines = append(lines, linesOf(r, number)...)
		}
	}
	return lines, turned
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

// setGaps makes the gaps between baselines those beyond usual line spacing.
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
	const enough = 5
	if len(gaps) >= enough {
		slices.Sort(gaps)
		usual = gaps[len(gaps)/2]
	}
	const least = 0.1
	for _, lines := range pages {
		for i := range lines {
			if lines[i].Gap = math.Round((lines[i].Gap-usual)*100) / 100; lines[i].Gap < least {
				lines[i].Gap = 0
			}
		}
	}
}

// order is where a part stands in what is read of a page.
func order(p resume.Part) int {
	return slices.Index([]resume.Part{resume.Header, resume.Body, resume.Sidebar, resume.Footer}, p)
}

// appendPage adds the lines and the links of a page.
func appendPage(d *resume.Document, lines []placed, links []hyperlink) {
	slices.SortStableFunc(lines, func(a, b placed) int { return cmp.Compare(order(a.Part), order(b.Part)) })
	first := len(d.Lines)
	seen := make([]bool, len(links))
	for i, l := range lines {
		l.Size = math.Round(l.Size*10) / 10
		d.Lines = append(d.Lines, l.Line)
		start := len(d.Links)
		for id := range links {
			if text, on := l.links[id]; on {
				seen[id] = true
				d.Links = addLink(d.Links, start, resume.Link{URL: links[id].url, Text: text, Line: first + i})
			}
		}
		for _, address := range addresses(l.Text) {
			d.Links = addLink(d.Links, start, resume.Link{URL: address, Text: address, Line: first + i})
		}
	}
	for id, link := range links {
		if !seen[id] {
			d.Links = append(d.Links, resume.Link{URL: link.url, Line: -1})
		}
	}
}

// unmappedGlyphs counts characters that the file does not say the meaning of.
type unmappedGlyphs struct{ all, lost, within int }

func (u *unmappedGlyphs) count(glyphs []glyph) {
	u.all += len(glyphs)
	for i, g := range glyphs {
		if !g.unmapped {
			continue
		}
		u.lost++
		beside := func(j int) bool {
			return j >= 0 && j < len(glyphs) && !glyphs[j].unmapped && unicode.IsLetter([]rune(glyphs[j].text)[0]) &&
				glyphs[j].baseline == g.baseline && max(glyphs[j].left-g.right, g.left-glyphs[j].right) < wordGap*g.size
		}
		if beside(i-1) && !g.space || beside(i+1) && !glyphs[i+1].space {
			u.within++
		}
	}
}

// matter tells whether words have lost letters, and not only icons are unknown.
func (u *unmappedGlyphs) matter() bool {
	const few, share = 3, 0.1
	return u.within >= few || float64(u.lost) > share*float64(u.all)
}
