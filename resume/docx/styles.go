package docx

import (
	"slices"
	"strings"

	"github.com/freelancer-matching/service/resume/flow"
	"github.com/freelancer-matching/service/resume/zipxml"
)

const (
	maxBaseStyles = 32 // in the chain on which a style is based
	defaultSize   = 20 // of text, in half-points, if the document sets none
)

// styles are the styles of one document.
type styles struct {
	byID      map[string]style
	paragraph paragraphFormat // of every paragraph
	run       runFormat       // of every run
	standard  string          // ID of the style of paragraphs without one
}

type style struct {
	name, base string
	paragraph  paragraphFormat
	run        runFormat
}

func (d *document) readStyles(part string) error {
	if part == "" {
		return nil
	}

	d.styles.byID = map[string]style{}
	s, err := d.archive.Scan(part)
	if err != nil {
		return d.tolerate(err)
	}
	defer s.Close()

	return d.tolerate(s.Children(func(zipxml.Element) error {
		return s.Children(func(e zipxml.Element) error {
			switch e.Name {
			case "w:docDefaults":
				return d.styles.parseDefaults(s)
			case "w:style":
				return d.styles.parseStyle(s, e)
			}

			return nil
		})
	}))
}

func (st *styles) parseDefaults(s *zipxml.Scanner) error {
	return s.Children(func(zipxml.Element) error {
		return s.Children(func(e zipxml.Element) (err error) {
			switch e.Name {
			case "w:rPr":
				st.run, err = parseRun(s)
			case "w:pPr":
				st.paragraph, err = parseParagraph(s)
			}
			return err
		})
	})
}

func (st *styles) parseStyle(s *zipxml.Scanner, e zipxml.Element) error {
	if len(st.byID) >= maxTable {
		return flow.TooComplex("The document has more than %d styles.", maxTable)
	}

	id := e.Attr("styleId")
	if e.Attr("type") == "paragraph" && slices.Contains([]string{"1", "true", "on"}, e.Attr("default")) {
		st.standard = id
	}

	var parsed style
	err := s.Children(func(e zipxml.Element) (err error) {
		switch e.Name {
		case "w:name":
			parsed.name = e.Attr("val")
		case "w:basedOn":
			parsed.base = e.Attr("val")
		case "w:pPr":
			parsed.paragraph, err = parseParagraph(s)
		case "w:rPr":
			parsed.run, err = parseRun(s)
		}

		return err
	})

	// The name of a style may say that it is a heading, even if it sets no outline level.
	if parsed.paragraph.outline == 0 {
		parsed.paragraph.outline = flow.HeadingLevel(parsed.name)
	}

	st.byID[id] = parsed

	return err
}

// resolve returns the formats of a style, including those of the styles on which it is based.
func (st *styles) resolve(id string) (paragraphFormat, runFormat) {
	var paragraph paragraphFormat
	var run runFormat
	for range maxBaseStyles {
		s, ok := st.byID[id]
		if !ok {
			break
		}
		paragraph = paragraph.over(s.paragraph)
		run = run.over(s.run)
		id = s.base
	}
	return paragraph, run
}

// ofParagraph returns the format of a paragraph and the one that its runs inherit. direct is what the paragraph sets
// itself.
func (st *styles) ofParagraph(direct paragraphFormat) (paragraphFormat, runFormat) {
	id := direct.style
	if id == "" {
		id = st.standard
	}
	paragraph, run := st.resolve(id)
	if _, known := st.byID[id]; !known {
		paragraph.outline = flow.HeadingLevel(id)
	}
	paragraph = direct.over(paragraph.over(st.paragraph))
	return paragraph, run.over(st.run.over(runFormat{halfPoints: defaultSize}))
}

// ofRun returns the format of a run. direct is what the run sets itself, paragraph what it inherits.
func (st *styles) ofRun(direct, paragraph runFormat) runFormat {
	_, named := st.resolve(direct.style)
	return direct.over(named.over(paragraph))
}

// numbering describes the lists of a document.
type numbering struct {
	unmarked map[string]map[string]bool // abstract list → levels without a bullet or number
	abstract map[string]string          // list → abstract list
}

func (d *document) readNumbering(part string) error {
	if part == "" {
		return nil
	}

	n := &d.numbering
	n.unmarked = map[string]map[string]bool{}
	n.abstract = map[string]string{}
	s, err := d.archive.Scan(part)
	if err != nil {
		return d.tolerate(err)
	}
	defer s.Close()

	return d.tolerate(s.Children(func(zipxml.Element) error {
		return s.Children(func(e zipxml.Element) error {
			if len(n.unmarked)+len(n.abstract) >= maxTable {
				return flow.TooComplex("The document has more than %d lists.", maxTable)
			}

			switch e.Name {
			case "w:abstractNum":
				return n.parseAbstract(s, e.Attr("abstractNumId"))
			case "w:num":
				// Paragraphs name a w:num, which refers to the w:abstractNum with the marks.
				id := e.Attr("numId")
				return s.Children(func(e zipxml.Element) error {
					if e.Name == "w:abstractNumId" {
						n.abstract[id] = e.Attr("val")
					}
					return nil
				})
			}

			return nil
		})
	}))
}

func (n *numbering) parseAbstract(s *zipxml.Scanner, id string) error {
	levels := map[string]bool{}
	n.unmarked[id] = levels
	return s.Children(func(e zipxml.Element) error {
		if e.Name != "w:lvl" || len(levels) > 9 {
			return nil
		}
		level := e.Attr("ilvl")
		return s.Children(func(e zipxml.Element) error {
			noNumber := e.Name == "w:numFmt" && e.Attr("val") == "none"
			noText := e.Name == "w:lvlText" && strings.TrimSpace(e.Attr("val")) == "" && e.Attr("null") == ""
			if noNumber || noText {
				levels[level] = true
			}
			return nil
		})
	})
}

// hasBullet reports whether a paragraph of a list has a bullet or a number.
func (n *numbering) hasBullet(list, level string) bool {
	if list == "" || list == "0" {
		return false
	}
	if level == "" {
		level = "0"
	}
	return !n.unmarked[n.abstract[list]][level]
}
