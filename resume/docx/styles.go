package docx

import (
	"slices"
	"strconv"
	"strings"
)

const (
	maxBase   = 32 // styles in the chain that a style is based on
	usualSize = 20 // half-points of text whose size nothing says
)

// styles are those of one document.
type styles struct {
	byID      map[string]style
	paragraph paragraphFormat // of every paragraph
	run       runFormat       // of every run
	usual     string          // id of the style of paragraphs that name none
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
	s, err := d.archive.open(part)
	if err != nil {
		return d.tolerate(err)
	}
	defer s.close()
	return d.tolerate(s.children(func(element) error {
		return s.children(func(e element) error {
			switch e.name {
			case "w:docDefaults":
				return d.styles.parseDefaults(s)
			case "w:style":
				return d.styles.parseStyle(s, e)
			}
			return nil
		})
	}))
}

func (st *styles) parseDefaults(s *scanner) error {
	return s.children(func(element) error {
		return s.children(func(e element) (err error) {
			switch e.name {
			case "w:rPr":
				st.run, err = parseRun(s)
			case "w:pPr":
				st.paragraph, err = parseParagraph(s)
			}
			return err
		})
	})
}

func (st *styles) parseStyle(s *scanner, e element) error {
	if len(st.byID) >= maxTable {
		return tooComplex("the document has more than %d styles", maxTable)
	}
	id := e.attr("styleId")
	if e.attr("type") == "paragraph" && slices.Contains([]string{"1", "true", "on"}, e.attr("default")) {
		st.usual = id
	}
	var parsed style
	err := s.children(func(e element) (err error) {
		switch e.name {
		case "w:name":
			parsed.name = e.attr("val")
		case "w:basedOn":
			parsed.base = e.attr("val")
		case "w:pPr":
			parsed.paragraph, err = parseParagraph(s)
		case "w:rPr":
			parsed.run, err = parseRun(s)
		}
		return err
	})
	if parsed.paragraph.outline == 0 {
		parsed.paragraph.outline = headingName(parsed.name)
	}
	st.byID[id] = parsed
	return err
}

// resolve is what a style says, with all that it is based on.
func (st *styles) resolve(id string) (paragraphFormat, runFormat) {
	var paragraph paragraphFormat
	var run runFormat
	for range maxBase {
		s, ok := st.byID[id]
		if !ok {
			break
		}
		paragraph, run = paragraph.over(s.paragraph), run.over(s.run)
		id = s.base
	}
	return paragraph, run
}

// ofParagraph is the format of a paragraph with the given direct one, and that of runs in it.
func (st *styles) ofParagraph(direct paragraphFormat) (paragraphFormat, runFormat) {
	id := direct.style
	if id == "" {
		id = st.usual
	}
	paragraph, run := st.resolve(id)
	if _, known := st.byID[id]; !known {
		paragraph.outline = headingName(id)
	}
	return direct.over(paragraph.over(st.paragraph)), run.over(st.run.over(runFormat{halfPoints: usualSize}))
}

// ofRun is the format of a run with the given direct one, in a paragraph with the given one for its runs.
func (st *styles) ofRun(direct, paragraph runFormat) runFormat {
	_, named := st.resolve(direct.style)
	return direct.over(named.over(paragraph))
}

// isPlaceholder tells the style of a form's prompts ("Click here to enter text").
func (st *styles) isPlaceholder(id string) bool {
	return st.byID[id].name == "Placeholder Text" || id == "PlaceholderText"
}

// headingName is the level of a heading by the name or id of its style, 0 for any other. Word writes built-in names in
// English and translates ids only; other programs translate names as well.
func headingName(name string) int {
	name = strings.ToLower(strings.ReplaceAll(name, " ", ""))
	for _, word := range [...]string{
		"heading", "überschrift", "berschrift", "titre", "título", "titulo", "ttulo", "titolo", "kop", "rubrik", "nagłówek",
		"заголовок", "标题", "標題", "見出し", "제목",
	} {
		if digits, ok := strings.CutPrefix(name, word); ok {
			if level, err := strconv.Atoi(digits); err == nil && 1 <= level && level <= 9 {
				return level
			}
		}
	}
	return 0
}

// numbering are the lists of a document.
type numbering struct {
	unmarked map[string]map[string]bool // abstract list → levels without a mark
	abstract map[string]string          // list → abstract list
}

func (d *document) readNumbering(part string) error {
	if part == "" {
		return nil
	}
	n := &d.numbering
	n.unmarked, n.abstract = map[string]map[string]bool{}, map[string]string{}
	s, err := d.archive.open(part)
	if err != nil {
		return d.tolerate(err)
	}
	defer s.close()
	return d.tolerate(s.children(func(element) error {
		return s.children(func(e element) error {
			if len(n.unmarked)+len(n.abstract) >= maxTable {
				return tooComplex("the document has more than %d kinds of lists", maxTable)
			}
			switch e.name {
			case "w:abstractNum":
				return n.parseAbstract(s, e.attr("abstractNumId"))
			case "w:num":
				id := e.attr("numId")
				return s.children(func(e element) error {
					if e.name == "w:abstractNumId" {
						n.abstract[id] = e.attr("val")
					}
					return nil
				})
			}
			return nil
		})
	}))
}

func (n *numbering) parseAbstract(s *scanner, id string) error {
	levels := map[string]bool{}
	n.unmarked[id] = levels
	return s.children(func(e element) error {
		if e.name != "w:lvl" || len(levels) > 9 {
			return nil
		}
		level := e.attr("ilvl")
		return s.children(func(e element) error {
			if e.name == "w:numFmt" && e.attr("val") == "none" ||
				e.name == "w:lvlText" && strings.TrimSpace(e.attr("val")) == "" && e.attr("null") == "" {
				levels[level] = true
			}
			return nil
		})
	})
}

// marks tells whether a paragraph of a list gets a bullet or a number.
func (n *numbering) marks(list, level string) bool {
	if list == "" || list == "0" {
		return false
	}
	if level == "" {
		level = "0"
	}
	return !n.unmarked[n.abstract[list]][level]
}
