package makers

import "strings"

// text returns a document as plain text. The layout "mail" underlines its headings and divides entries by empty lines,
// "notes" has one line for each header, and "bare" has the employer above title and dates.
func (m maker) text(d *document) string {
	var b strings.Builder
	line := func(text string) { b.WriteString(text + "\n") }
	lines := func(texts ...string) {
		for _, text := range texts {
			if text != "" {
				line(text)
			}
		}
	}

	lines(d.TitleLine, d.Name, d.JobTitle, joined(" | ", d.Place, d.Phone, d.Email))
	lines(d.Personal...)

	for _, s := range d.Sections {
		if m.name != "bare" || d.Look.EmptyLines {
			line("")
		}
		heading := s.Heading
		if d.Look.Upper || m.name == "notes" {
			heading = strings.ToUpper(heading)
		}
		line(heading)
		if m.name == "mail" {
			line(strings.Repeat("-", len(heading)))
		}

		lines(s.Text)
		if s.Kind == "skills" && !s.Lines {
			line(list(s.Items))
		} else {
			lines(s.Items...)
		}

		for _, e := range s.Entries {
			if m.name == "mail" {
				line("")
			}
			lines(m.header(d, e)...)
			lines(e.About, e.Note)
			for _, block := range e.Blocks {
				lines(block.Heading)
				lines(block.marked("- ")...)
				lines(block.Tools)
			}
		}
	}

	return b.String()
}

// header returns the lines of the header of an entry in plain text.
func (m maker) header(d *document, e entry) []string {
	lead := joined(", ", e.Lead, e.Field)
	host := joined(", ", e.Host, e.Place)
	switch m.name {
	case "bare":
		return []string{host, joined("    ", lead, e.Dates)}
	case "notes":
		return []string{joined(": ", e.Dates, joined(" - ", host, lead))}
	default:
		return []string{joined("  ", joined(d.At, lead, e.Host), e.Place), e.Dates}
	}
}

// marked returns the lines of the tasks, with a bullet before each unless they are a paragraph.
func (b block) marked(bullet string) []string {
	if b.Prose {
		return []string{strings.Join(b.Tasks, " ")}
	}
	var lines []string
	for _, task := range b.Tasks {
		lines = append(lines, bullet+task)
	}
	return lines
}
