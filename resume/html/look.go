package html

import (
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/resume/flow"
)

// blocks are the elements that start and end lines.
var blocks = set(`address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption
	figure footer form h1 h2 h3 h4 h5 h6 header hgroup html legend li main menu nav ol p pre section summary table
	tbody tfoot thead tr ul caption`)

func set(names string) map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		all[name] = true
	}
	return all
}

// headingSizes are the sizes of headings, relative to the text around them.
var headingSizes = map[string]float64{"h1": 2, "h2": 1.5, "h3": 1.17, "h4": 1, "h5": .83, "h6": .67}

// lookOf returns the look of an element inside another one.
func (d *document) lookOf(name string, attributes map[string]string, parent look) look {
	l := look{
		halfPoints: parent.halfPoints, parentSize: parent.halfPoints, bold: parent.bold, gone: parent.gone,
		concealed: parent.concealed, color: parent.color, background: parent.background, pre: parent.pre,
	}

	if blocks[name] {
		l.display = block
	}

	switch name {
	case "b", "strong", "th":
		l.bold = true
	case "small":
		l.halfPoints *= .83
	case "big":
		l.halfPoints *= 1.2
	case "pre":
		l.pre = true
	case "font":
		l.setFont(attributes)
	}

	if scale, ok := headingSizes[name]; ok {
		l.halfPoints *= scale
		l.bold = true
	}

	if color := attributes["bgcolor"]; color != "" {
		l.background = flow.ParseColor(color)
	}

	if width := attributes["width"]; width != "" {
		if _, err := strconv.Atoi(width); err == nil {
			width += "px"
		}
		l.setBox(declaration{"width", width})
	}

	const maxClasses = 16
	classes := strings.Fields(attributes["class"])
	classes = classes[:min(len(classes), maxClasses)]
	if id := attributes["id"]; id != "" {
		classes = append(classes, "#"+id)
	}

	// The order follows CSS: the style sheet overrides attributes, and the element's own style overrides both.
	d.sheet.apply(&l, name, classes)

	for _, declared := range declarations(attributes["style"]) {
		l.set(declared, false)
	}

	if _, hidden := attributes["hidden"]; hidden {
		l.gone = true
	}

	return l
}

// setFont applies the attributes of a font element.
func (l *look) setFont(attributes map[string]string) {
	if color := flow.ParseColor(attributes["color"]); color != 0 {
		l.color = color
	}
	sizes := []float64{.63, .82, 1, 1.13, 1.5, 2, 3} // of 1 to 7
	n, err := strconv.Atoi(attributes["size"])
	isSize := 1 <= n && n <= len(sizes)
	if err == nil && isSize {
		l.halfPoints = sizes[n-1] * defaultSize
	}
}
