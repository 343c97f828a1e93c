package pdf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/ocr"
	"github.com/freelancer-matching/service/resume/pdf/layout"
)

// A Recognizer recognizes the text in the picture of a page.
type Recognizer interface {
	Recognize(ctx context.Context, p ocr.Picture) ([]ocr.Word, error)
}

const (
	recognitionDPI = 300
	maxPixels      = 10_000_000 // of a rendered page; larger pages get fewer pixels per inch
)

// errRecognition is returned if the recognizer fails.
var errRecognition = errors.New("text in pictures not recognized")

// Recognize reads a file like Read, but recognizes the text of pages that are pictures, up to Options.MaxScans. It
// returns once ctx ends. Such a document has resume.WarnOCR, and resume.WarnImagePage if some pages exceeded the limit.
// An error that is no matching.Error means that recognition failed, and not that the file is bad.
func (e *Engine) Recognize(ctx context.Context, data []byte) (resume.Document, error) {
	start := resume.FindPDF(data)
	if start < 0 || e.options.Recognizer == nil {
		return resume.Document{}, &matching.Error{Code: resume.CodeUnsupported, Message: "The file is not a PDF."}
	}
	if err := e.Ready(ctx); err != nil {
		return resume.Document{}, err
	}

	select {
	case e.scans <- struct{}{}:
		defer func() { <-e.scans }()
	case <-e.closed:
		return resume.Document{}, errClosed
	case <-ctx.Done():
		return resume.Document{}, ctx.Err()
	}

	// There is no timeout of its own: recognition takes seconds for each page, and the caller's context limits it.
	box, err := e.pdfium.newSandbox(ctx)
	if err != nil {
		return resume.Document{}, fmt.Errorf("start a sandbox: %w", err)
	}
	defer box.close()

	scans := 0
	document, err := e.interpret(ctx, box, data[start:], func(d *document, handle uint64, p *layout.Page) error {
		if !p.IsPicture() || scans >= e.options.MaxScans {
			return nil
		}
		scans++
		return d.recognize(ctx, e.options.Recognizer, handle, p)
	})
	if err == nil {
		return document, nil
	}

	switch {
	case ctx.Err() != nil:
		return resume.Document{}, ctx.Err()
	case errors.Is(err, errRecognition):
		return resume.Document{}, err
	}

	return resume.Document{}, e.clientError(ctx, err)
}

// recognize replaces the text of a page by what is recognized in its picture.
func (d *document) recognize(ctx context.Context, r Recognizer, handle uint64, p *layout.Page) error {
	picture, size, err := d.render(handle)
	if err != nil {
		return err
	}
	words, err := r.Recognize(ctx, picture)
	if err != nil {
		return errors.Join(errRecognition, err)
	}
	scale := size.Width() / float64(picture.Width)
	p.Glyphs = recognizedGlyphs(words, scale, size.Height())
	p.Images = nil
	p.Recognized = true
	samePageSize := p.Width() == size.Width() && p.Height() == size.Height()
	atOrigin := p.Left == 0 && p.Bottom == 0
	if !samePageSize || !atOrigin {
		p.Links = nil // their places are not those of the picture
	}
	p.Box = size
	p.Rotation = 0 // the picture is turned already
	return nil
}

// render returns the picture of a page, and the size of the page as it is displayed, in points.
func (d *document) render(handle uint64) (ocr.Picture, layout.Box, error) {
	width := float64(math.Float32frombits(uint32(d.call(pageWidth, handle))))
	height := float64(math.Float32frombits(uint32(d.call(pageHeight, handle))))
	size := layout.Box{Left: 0, Bottom: 0, Right: width, Top: height}
	if !size.Sane() || size.Area() < 1 {
		return ocr.Picture{}, size, errCorrupt
	}

	dpi := min(recognitionDPI, math.Sqrt(maxPixels*72*72/size.Area()))
	const gray, white, annotations = 1, 0xFFFFFFFF, 1
	columns := max(int(width*dpi/72), 1)
	rows := max(int(height*dpi/72), 1)
	if columns*rows > maxPixels+columns+rows {
		return ocr.Picture{}, size, errLimit
	}

	bitmap := d.call(createBitmap, uint64(columns), uint64(rows), gray, 0, 0)
	if bitmap == 0 {
		return ocr.Picture{}, size, errLimit
	}

	d.call(fillBitmap, bitmap, 0, 0, uint64(columns), uint64(rows), white)
	d.call(renderPage, bitmap, handle, 0, 0, uint64(columns), uint64(rows), 0, annotations)

	// The sandbox may run out of memory at any call, and a document may confuse pdfium, so the size is checked again.
	stride := d.integer(bitmapStride, bitmap)
	pixels := d.bytes(address(d.call(bitmapBuffer, bitmap)), stride*rows)
	incomplete := stride < columns || len(pixels) < stride*rows
	if d.err != nil || incomplete {
		return ocr.Picture{}, size, errLimit
	}

	picture := ocr.Picture{Width: columns, Height: rows, DPI: int(dpi), Gray: make([]byte, 0, columns*rows)}
	for y := range rows {
		picture.Gray = append(picture.Gray, pixels[y*stride:y*stride+columns]...)
	}

	d.call(destroyBitmap, bitmap)

	return picture, size, d.err
}

// Proportions of usual fonts, in sizes of the font, from the baseline.
const (
	fontAscent  = .72 // of capitals, digits and letters such as b
	fontXHeight = .5  // of letters such as x
	fontDescent = .2  // of letters such as g
)

// recognizedGlyphs returns the glyphs of words on a page with the given height in points. Each character of a word gets
// an equal share of its width, which is all that the layout needs. scale is the size of a pixel in points.
func recognizedGlyphs(words []ocr.Word, scale, height float64) []layout.Glyph {
	var glyphs []layout.Glyph
	for len(words) > 0 {
		n := 1
		for n < len(words) && words[n].Line == words[0].Line {
			n++
		}
		line := words[:n]
		words = words[n:]

		// Pixels are counted from the top of a page, and points from its bottom.
		baseline, size := lineMetrics(line)
		bottom := height - (baseline+fontDescent*size)*scale
		top := height - (baseline-(1-fontDescent)*size)*scale

		for _, w := range line {
			characters := []rune(w.Text)
			share := float64(w.Right-w.Left) / float64(len(characters))
			for i, c := range characters {
				left := float64(w.Left) + share*float64(i)
				glyphs = append(glyphs, layout.Glyph{
					Text: string(c), Space: i == 0, At: len(glyphs), Link: -1,
					Size: size * scale, Baseline: height - baseline*scale,
					Box: layout.Box{Left: left * scale, Bottom: bottom, Right: (left + share) * scale, Top: top},
				})
			}
		}
	}

	return glyphs
}

// lineMetrics returns the baseline and the size of the font of a line, in pixels: the medians of what its words suggest
// by their heights and letters. The box of a word ends at its own letters: "new" is less high than "High".
func lineMetrics(words []ocr.Word) (baseline, size float64) {
	const (
		descending = "gjpqyQ,;()[]{}|/"
		short      = "acemnorsuvwxzgpqy.,:;-–_=~+*•·" // no higher than an x
		signs      = ".,:;-–_=~+*•·|'\""
	)

	onlyOf := func(text, set string) bool {
		return !strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune(set, r) })
	}

	var baselines, sizes []float64
	for _, w := range words {
		if onlyOf(w.Text, signs) {
			continue // a sign alone says little about the line
		}

		above := fontAscent
		if onlyOf(w.Text, short) {
			above = fontXHeight
		}

		below := 0.0
		if strings.ContainsAny(w.Text, descending) {
			below = fontDescent
		}

		wordSize := float64(w.Bottom-w.Top) / (above + below)
		sizes = append(sizes, wordSize)
		baselines = append(baselines, float64(w.Bottom)-below*wordSize)
	}

	// A line of signs only, such as a rule of dashes, has nothing to measure but its boxes.
	if len(sizes) == 0 {
		return float64(words[0].Bottom), max(float64(words[0].Bottom-words[0].Top), 1)
	}

	slices.Sort(baselines)
	slices.Sort(sizes)
	middle := len(sizes) / 2
	return baselines[middle], max(sizes[middle], 1)
}
