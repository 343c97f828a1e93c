package layout

import (
	"math"
	"regexp"
	"strings"
	"unicode"

	"github.com/freelancer-matching/service/resume"
)

// margin is the height of the areas for headers and footers, as a share of the page.
const margin = 0.12

// pageNumber matches a line with only a page number.
var pageNumber = regexp.MustCompile(
	`(?i)^[-–—|( ]*(?:page|seite|página|pagina|p\.)?\s*\d{1,3}(?:\s*(?:of|von|sur|de|di|/|-|\|)\s*\d{1,3})?[-–—|) ]*$`)

// markFurniture marks lines in the margins as Header or Footer if they are page numbers, or if they appear on several
// pages at about the same height. Repeated lines may differ in their numbers.
func markFurniture(pages [][]placed, boxes []Box) {
	if len(pages) < 2 {
		return
	}

	type key struct {
		text string
		part resume.Part
	}

	heights := map[key][]float64{} // one for each page with the line
	keyOf := func(page int, l placed) (k key, height float64, ok bool) {
		b := boxes[page]
		height = (l.baseline - b.Bottom) / b.Height()
		k = key{text: maskNumbers(l.Text), part: resume.Footer}
		if height > 0.5 {
			k.part = resume.Header
		}
		return k, height, height < margin || height > 1-margin
	}

	// A line that is repeated on one page counts once: only repetition across pages makes it a header or footer.
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
			if !ok {
				continue
			}

			if pageNumber.MatchString(l.Text) || isRepeated(heights[k], height, len(pages)) {
				lines[j].Part = k.part
				lines[j].Gap = 0
			}
		}
	}
}

// isRepeated reports whether about the same height appears on at least two pages and at least half of them.
func isRepeated(heights []float64, height float64, pages int) bool {
	const tolerance = 0.01
	n := 0
	for _, h := range heights {
		if math.Abs(h-height) < tolerance {
			n++
		}
	}
	return n >= 2 && 2*n >= pages
}

// maskNumbers returns the text with a 0 in place of each number between other characters.
func maskNumbers(text string) string {
	return strings.Join(strings.FieldsFunc(text, unicode.IsDigit), "0")
}
