package makers

import (
	"fmt"
	"io"
	"strings"

	"github.com/freelancer-matching/service/tools/resumes/wordml"
)

// A wordPage is the body of a DOCX file.
type wordPage struct{ strings.Builder }

// line writes a paragraph in one format, unless its text is empty.
func (w *wordPage) line(format, text string) {
	if text != "" {
		w.WriteString(wordml.Paragraph("", wordml.Run(format, text)))
	}
}

// boldIf returns the format of bold text, or no format.
func boldIf(bold bool) string {
	if bold {
		return "<w:b/>"
	}
	return ""
}

// word writes a document as a DOCX file. The layout "wordheads" uses heading styles, and "wordflat" no format at all.
func (m maker) word(file io.Writer, d *document) error {
	var w wordPage
	w.line("", d.TitleLine)
	w.line(`<w:b/><w:sz w:val="40"/>`, d.Name)
	w.line("", d.JobTitle)
	w.line("", joined(" • ", d.Place, d.Phone, d.Email))
	for _, text := range d.Personal {
		w.line("", text)
	}

	// Empty paragraphs between sections are what most people use for gaps.
	for _, s := range d.Sections {
		w.WriteString(wordml.Plain(""))
		w.heading(m, d, s)
		w.line("", s.Text)
		for _, item := range s.Items {
			if s.Lines {
				w.line("", item)
			} else {
				w.WriteString(wordml.Bullet(item))
			}
		}
		for _, e := range s.Entries {
			w.entry(m, d, e)
		}
	}

	return (&wordml.File{Body: w.String()}).Write(file)
}

func (w *wordPage) heading(m maker, d *document, s section) {
	text := s.Heading
	if d.Look.Upper || m.name == "wordflat" {
		text = strings.ToUpper(text)
	}
	switch m.name {
	case "wordheads":
		w.WriteString(wordml.Styled("H1", text))
	case "wordflat":
		w.line("", text)
	default:
		w.line(fmt.Sprintf(`<w:b/><w:sz w:val="%.0f"/>`, 2*d.Look.Size*d.Look.HeadingSize), text)
	}
}

// entry writes an entry in the layout of a maker.
func (w *wordPage) entry(m maker, d *document, e entry) {
	lead := joined(", ", e.Lead, e.Field)
	host := joined(", ", e.Host, e.Place)
	switch m.name {
	case "wordplain":
		w.line(boldIf(d.Look.BoldLead), joined("\t", e.Dates, lead))
		w.line(boldIf(d.Look.BoldHost), host)
	case "wordheads":
		w.WriteString(wordml.Styled("H2", lead))
		w.line("", joined(" – ", e.Host, e.Place))
		w.line("<w:i/>", e.Dates)
	case "wordflat":
		w.line("", host)
		w.line("", lead)
		w.line("", e.Dates)
	case "wordline":
		w.line("<w:b/>", joined("\t", joined(" — ", e.Host, lead), e.Dates))
		w.line("<w:i/>", e.Place)
	default:
		var left, right wordPage
		left.line("", e.Dates)
		left.line("", e.Place)
		right.line(boldIf(d.Look.BoldHost), e.Host)
		right.line(boldIf(d.Look.BoldLead), lead)
		right.description(e)

		// A cell must end with a paragraph.
		end := wordml.Plain("")
		widths := []int{2500, 7000}
		w.WriteString(wordml.Table(widths, wordml.Row(widths, left.String()+end, right.String()+end)))
		return
	}
	w.description(e)
}

// description writes what is below the header of an entry.
func (w *wordPage) description(e entry) {
	w.line("", e.About)
	w.line("<w:i/>", e.Note)
	for _, b := range e.Blocks {
		w.line("<w:b/>", b.Heading)
		if b.Prose {
			w.line("", strings.Join(b.Tasks, " "))
		} else {
			for _, task := range b.Tasks {
				w.WriteString(wordml.Bullet(task))
			}
		}
		w.line("", b.Tools)
	}
}
