package pdf

import (
	"math"
	"regexp"
	"strings"
	"unicode"

	"freelancer-matching/resume"
)

// margin is the share of a page, at its top and at its bottom, that headers and footers stand in.
const margin = 0.12

// pageNumber matches a line that is nothing but the number of its page.
var pageNumber = regexp.MustCompile(
	`(?i)^[-–—|( ]*(?:page|seite|página|pagina|p\.)?\s*\d{1,3}(?:\s*(?:of|von|sur|de|di|/|-|\|)\s*\d{1,3})?[-–—|) ]*$`)

// markFurniture sets the parts of lines that are repeated in the margins of pages, at about the same height and with other
// numbers at most, to Header or Footer.
func markFurniture(pages [][]placed, boxes []box) {
	if len(pages) < 2 {
		return
	}
	type key struct {
		text string
		part resume.Part
	}
	heights := map[key][]float64{} // one for each page that has it
	keyOf := func(page int, l placed) (k key, height float64, ok bool) {
		b := boxes[page]
		height = (l.baseline - b.bottom) / b.height()
		k = key{text: withoutNumbers(l.Text), part: resume.Footer}
		if height > 0.5 {
			k.part = resume.Header
		}
		return k, height, height < margin || height > 1-margin
	}
	for i, lines := range pages {
		seen := map[key]bool{}
		for _, l := range lines {
			if k, height, ok := keyOf(i, l); ok && !seen[k] {
				seen[k] = true
				heights[k] = append(heights[k], height)
			}
		}
	}
	for i, lines := range pages {
		for j, l := range lines {
			k, height, ok := keyOf(i, l)
			if ok && (pageNumber.MatchString(l.Text) || repeated(heights[k], height, len(pages))) {
				lines[j].Part = k.part
				lines[j].Gap = 0
			}
		}
	}
}

// repeated tells whether a line of one height is at about the same one on at least half of the pages, and on two.
func repeated(heights []float64, height float64, pages int) bool {
	const near = 0.01
	n := 0
	for _, h := range heights {
		if math.Abs(h-height) < near {
			n++
		}
	}
	return n >= 2 && 2*n >= pages
}

// withoutNumbers has one 0 for each number.
func withoutNumbers(text string) string {
	fields := strings.FieldsFunc(text, unicode.IsDigit)
	return strings.Join(fields, "0")
}
