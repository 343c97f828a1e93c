package html

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/resume/flow"
)

const (
	maxRules  = 64 // with the same tag, class or id, so that an element's cost is bounded
	maxKeys   = 5000
	maxValues = 64 // declarations of a rule
)

// A sheet holds the rules of a document's style sheets by what they select: a tag, a .class or an #id. It knows single
// elements with any number of classes. Of a selector with ancestors it uses the last part, but not to hide text, which
// might hide too much.
type sheet struct{ rules map[string][]rule }

type rule struct {
	tag     string
	classes []string
	values  []declaration
	partial bool // the selector has more conditions than are checked
}

type declaration struct{ property, value string }

var (
	comments = regexp.MustCompile(`(?s)/\*.*?\*/`)
	compound = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9-]*)?((?:[.#][a-zA-Z0-9_-]+)*)$`)
)

// add reads a style sheet. It skips rules for printing, animations and other rules with conditions.
func (s *sheet) add(text string) {
	text = comments.ReplaceAllString(text, " ")
	for text != "" {
		start := strings.IndexAny(text, "{;")
		if start < 0 {
			return
		}
		selectors := strings.TrimSpace(text[:start])
		if text[start] == ';' { // @import, @charset
			text = text[start+1:]
			continue
		}
		var block string
		block, text = cutBlock(text[start+1:])
		if !strings.HasPrefix(selectors, "@") {
			s.addRule(selectors, block)
		}
	}
}

// cutBlock splits text after the brace that ends a block.
func cutBlock(text string) (block, rest string) {
	depth := 1
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return text[:i], text[i+1:]
			}
		}
	}
	return text, ""
}

func (s *sheet) addRule(selectors, block string) {
	values := declarations(block)
	for selector := range strings.SplitSeq(selectors, ",") {
		parts := strings.FieldsFunc(selector, func(r rune) bool { return strings.ContainsRune(" \t\r\n>+~", r) })
		if len(parts) == 0 {
			continue
		}

		// Only the last part of a selector is matched. What the parts before it demand is unknown, so the rule is
		// partial.
		last := parts[len(parts)-1]
		m := compound.FindStringSubmatch(last)
		if m == nil || last == "" {
			continue
		}

		names := strings.FieldsFunc(strings.ReplaceAll(m[2], "#", ".#"), func(r rune) bool { return r == '.' })
		r := rule{tag: strings.ToLower(m[1]), classes: names, values: values, partial: len(parts) > 1}
		// Rules are found by one class or ID, else by the tag, so that an element isn't compared with all rules.
		key := r.tag
		if len(names) > 0 {
			key = "." + names[len(names)-1]
		}

		list := s.rules[key]
		mayHaveKey := list != nil || len(s.rules) < maxKeys
		if mayHaveKey && len(list) < maxRules {
			s.rules[key] = append(list, r)
		}
	}
}

// declarations parses the content of a block or of a style attribute.
func declarations(block string) []declaration {
	var list []declaration
	for part := range strings.SplitSeq(block, ";") {
		property, value, ok := strings.Cut(part, ":")
		if !ok || len(list) >= maxValues {
			continue
		}
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(strings.ToLower(value)), "!important"))
		list = append(list, declaration{strings.TrimSpace(strings.ToLower(property)), value})
	}
	return list
}

// apply sets what the rules for an element say: first those for its tag, then those for classes and the id.
func (s *sheet) apply(l *look, tag string, classes []string) {
	s.applyKey(l, tag, tag, classes)
	for _, class := range classes {
		s.applyKey(l, "."+class, tag, classes)
	}
}

func (s *sheet) applyKey(l *look, key, tag string, classes []string) {
	for _, r := range s.rules[key] {
		if r.tag != "" && r.tag != tag {
			continue
		}
		if slices.ContainsFunc(r.classes, func(c string) bool { return !slices.Contains(classes, c) }) {
			continue
		}

		for _, d := range r.values {
			l.set(d, r.partial)
		}
	}
}

// A look is how an element looks.
type look struct {
	halfPoints float64
	parentSize float64 // of the element around it, in half-points
	bold       bool
	gone       bool // not displayed, with everything in it
	concealed  bool // invisible, unless something in it sets that back
	color      flow.Color
	background flow.Color // 0 if unknown
	display    display
	column     bool // direction of a row container
	right      bool // floats to the right
	width      int  // in a unit that siblings share; 0 if unknown
	pre        bool // white space counts
	small      int  // of width and height: those of one pixel
}

// A display is the layout of an element.
type display uint8

const (
	inline display = iota
	block
	container // a row of boxes: flex or grid
)

// set applies a declaration. A partial one doesn't hide text.
func (l *look) set(d declaration, partial bool) {
	before := *l
	switch d.property {
	case "display":
		switch d.value {
		case "none":
			l.gone = true
		case "flex", "inline-flex", "grid", "inline-grid":
			l.display = container
		case "block", "list-item", "flow-root":
			l.display = block
		case "inline", "inline-block", "contents":
			l.display = inline
		}

	case "flex-direction":
		l.column = strings.HasPrefix(d.value, "column")
	case "visibility":
		l.concealed = d.value == "hidden" || d.value == "collapse"
	case "opacity":
		n, err := strconv.ParseFloat(d.value, 64)
		l.gone = l.gone || err == nil && n < .1
	case "float":
		l.right = d.value == "right"
	case "font-weight":
		n, _ := strconv.Atoi(d.value)
		l.bold = n >= 600 || strings.HasPrefix(d.value, "bold")
	case "font-size":
		l.setSize(d.value)
	case "font":
		for field := range strings.FieldsSeq(d.value) {
			size, _, _ := strings.Cut(field, "/")
			l.bold = l.bold || field == "bold"
			l.setSize(size)
		}

	case "color":
		l.color = flow.ParseColor(d.value)
	case "background", "background-color":
		if d.value != "transparent" && d.value != "none" {
			color, _, _ := strings.Cut(d.value, " ")
			if strings.HasPrefix(d.value, "rgb(") {
				color = d.value
			}
			l.background = flow.ParseColor(color)
		}

	case "background-image":
		if d.value != "none" {
			l.background = 0
		}

	case "white-space":
		l.pre = strings.HasPrefix(d.value, "pre")
	case "left", "top", "text-indent", "margin-left":
		const far = -300 // points
		points, ok := flow.Points(d.value)
		l.gone = l.gone || ok && points < far

	case "width", "height":
		l.setBox(d)
	}

	// A partial rule may apply to fewer elements than it matches here, and visible text must not get lost.
	if partial {
		l.gone = before.gone
		l.concealed = before.concealed
		l.color = before.color
		if flow.Tiny(int(l.halfPoints)) {
			l.halfPoints = before.halfPoints
		}
	}
}

// setBox sets the width or height. An element of one pixel hides its text.
func (l *look) setBox(d declaration) {
	points, ok := flow.Points(d.value)
	if ok && points <= 1 {
		if l.small++; l.small > 1 {
			l.gone = true
		}
	}
	if d.property != "width" {
		return
	}
	if percent, found := strings.CutSuffix(d.value, "%"); found {
		n, _ := strconv.ParseFloat(percent, 64)
		l.width = int(min(max(n, 0), 100) * 10)
	} else {
		l.width = int(max(points, 0))
	}
}

// setSize sets the size of the font, if the value is one.
func (l *look) setSize(value string) {
	size := 0.0
	// Text of size zero is hidden, but a size of 0 means unknown here, so the least size is a tenth.
	scale := func(unit string, of float64) {
		if digits, ok := strings.CutSuffix(value, unit); ok && size == 0 {
			n, err := strconv.ParseFloat(digits, 64)
			isPlausible := 0 <= n && n < 1000
			if err == nil && isPlausible {
				size = max(n*of, .1)
			}
		}
	}

	scale("rem", defaultSize)
	scale("em", l.parentSize)
	scale("%", l.parentSize/100)

	if points, ok := flow.Points(value); ok {
		size = max(points*2, .1)
	}

	if factor, ok := map[string]float64{
		"xx-small": .6, "x-small": .75, "small": .89, "medium": 1, "large": 1.2, "x-large": 1.5, "xx-large": 2,
		"smaller": .83, "larger": 1.2,
	}[value]; ok {
		size = factor * defaultSize
	}

	if value == "0" {
		size = .1
	}

	if 0 < size && size < 4000 {
		l.halfPoints = size
	}
}
