package odt

import (
	"strconv"
	"strings"

	"github.com/freelancer-matching/service/resume/flow"
	"github.com/freelancer-matching/service/resume/zipxml"
)

const (
	maxStyles     = 10_000
	maxBaseStyles = 32 // in the chain on which a style is based
	defaultSize   = 24 // of text, in half-points, if the document sets none
)

// A styleKey identifies a style. Styles of different families may have the same name.
type styleKey struct{ family, name string }

// styles are the styles of one document. The default of a family has the name "".
type styles struct{ byName map[styleKey]style }

// A style holds the properties that one style sets itself.
type style struct {
	parent     string
	heading    int
	halfPoints int
	percent    float64 // of the size of the style on which it is based; 0 if it sets none
	bold       toggle
	hidden     toggle
	color      flow.Color
	background flow.Color
	before     float64 // space above, in points
	width      float64 // of a column, in points or shares
}

// A toggle is a property that is set, cleared or inherited.
type toggle int8

const (
	inherit toggle = iota
	yes
	no
)

func toggleOf(on bool) toggle {
	if on {
		return yes
	}
	return no
}

// read reads a list of styles.
func (st *styles) read(s *zipxml.Scanner) error {
	return s.Children(func(e zipxml.Element) error {
		if e.Name != "style:style" && e.Name != "style:default-style" {
			return nil
		}
		if len(st.byName) >= maxStyles {
			return flow.TooComplex("The document has more than %d styles.", maxStyles)
		}
		parsed := style{parent: e.Attr("parent-style-name")}
		parsed.heading, _ = strconv.Atoi(e.Attr("default-outline-level"))
		err := s.Children(func(e zipxml.Element) error {
			parsed.parse(e)
			return nil
		})
		st.byName[styleKey{e.Attr("family"), e.Attr("name")}] = parsed
		return err
	})
}

// parse reads an element with properties.
func (st *style) parse(e zipxml.Element) {
	switch e.Name {
	case "style:text-properties":
		if weight := e.Attr("font-weight"); weight != "" {
			number, _ := strconv.Atoi(weight)
			st.bold = toggleOf(weight == "bold" || number >= 600)
		}

		// A percentage is of the style on which this one is based, which may follow in the file, so it is resolved later.
		if size := e.Attr("font-size"); size != "" {
			if percent, ok := strings.CutSuffix(size, "%"); ok {
				st.percent, _ = strconv.ParseFloat(percent, 64)
			} else if points, ok := flow.Points(size); ok {
				st.halfPoints = int(points * 2)
			}
		}

		if display := e.Attr("display"); display != "" {
			st.hidden = toggleOf(display == "none")
		}

		st.color = flow.ParseColor(e.Attr("color"))

		if fill := flow.ParseColor(e.Attr("background-color")); fill != 0 {
			st.background = fill
		}

	case "style:paragraph-properties":
		st.before, _ = flow.Points(e.Attr("margin-top"))
		if color := flow.ParseColor(e.Attr("background-color")); color != 0 {
			st.background = color
		}

	case "style:table-column-properties":
		// Widths are only compared with each other, so shares serve as well as points.
		st.width, _ = flow.Points(e.Attr("column-width"))
		if share, ok := strings.CutSuffix(e.Attr("rel-column-width"), "*"); ok && st.width == 0 {
			st.width, _ = strconv.ParseFloat(share, 64)
		}

	case "style:table-cell-properties", "style:graphic-properties":
		// The color of a fill stays in the file when the shape gets a picture, a gradient or no fill.
		st.background = flow.ParseColor(e.Attr("background-color"))
		if fill := flow.ParseColor(e.Attr("fill-color")); fill != 0 && e.Attr("fill") == "solid" {
			st.background = fill
		}
	}
}

// over returns base with the properties that st sets.
func (st *style) over(base style) style {
	switch {
	case st.halfPoints != 0:
		base.halfPoints = st.halfPoints
	case 0 < st.percent && st.percent < 1000:
		base.halfPoints = int(float64(base.halfPoints) * st.percent / 100)
	}

	if st.heading != 0 {
		base.heading = st.heading
	}

	if st.bold != inherit {
		base.bold = st.bold
	}

	if st.hidden != inherit {
		base.hidden = st.hidden
	}

	if st.color != 0 {
		base.color = st.color
	}

	if st.background != 0 {
		base.background = st.background
	}

	if st.before != 0 {
		base.before = st.before
	}

	if st.width != 0 {
		base.width = st.width
	}

	return base
}

// apply returns base with the properties of a style, including those of the styles on which it is based.
func (st *styles) apply(base style, family, name string) style {
	var chain []style
	for range maxBaseStyles {
		s, ok := st.byName[styleKey{family, name}]
		if !ok || name == "" {
			break
		}
		chain = append(chain, s)
		name = s.parent
	}
	for i := len(chain) - 1; i >= 0; i-- {
		base = chain[i].over(base)
	}
	return base
}

// paragraph returns the properties of paragraphs with a style.
func (st *styles) paragraph(name string) style {
	base := st.byName[styleKey{"paragraph", ""}]
	base = base.over(style{halfPoints: defaultSize})
	if name == "" {
		name = "Standard"
	}
	return st.apply(base, "paragraph", name)
}
