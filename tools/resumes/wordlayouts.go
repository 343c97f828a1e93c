package resumes

import (
	"fmt"
	"io"
	"strings"

	"github.com/freelancer-matching/service/tools/resumes/wordml"
)

// wordLayouts maps the name of a layout to the function that writes a person into a DOCX file.
var wordLayouts = map[string]func(f *wordml.File, p page){
	"plain": plainLayout, "tabs": tabsLayout, "table": tableLayout, "sidebar": sidebarLayout,
	"textbox": textBoxLayout, "running": runningLayout, "columns": columnsLayout, "creative": creativeLayout,
}

// writeWord writes a resume in one of the layouts for DOCX.
func writeWord(w io.Writer, layout string, p person) error {
	words, err := wordsOf(developmentWords, p.Language)
	if err != nil {
		return err
	}
	write, ok := wordLayouts[layout]
	if !ok {
		return fmt.Errorf("unknown layout %q", layout)
	}
	f := &wordml.File{}
	view := page{p, words}
	write(f, view)
	if view.RightToLeft() {
		f.Body = strings.NewReplacer("</w:pPr>", "<w:bidi/></w:pPr>", "<w:tblPr>", "<w:tblPr><w:bidiVisual/>").Replace(f.Body)
	}
	return f.Write(w)
}

// parts writes the sections of a resume that look the same in several layouts.
type parts struct {
	page
	heading func(text string) string
}

func newParts(p page) parts {
	return parts{p, func(text string) string { return wordml.Styled("H1", text) }}
}

// forEach joins what write returns for every element.
func forEach[T any](list []T, write func(T) string) string {
	var b strings.Builder
	for _, element := range list {
		b.WriteString(write(element))
	}
	return b.String()
}

func (p parts) contact(f *wordml.File) string {
	return wordml.Plain(p.Email) + wordml.Plain(p.PhoneWritten) + wordml.Plain(p.Location) +
		forEach(p.Links, func(link string) string { return wordml.Paragraph("", f.Link(link)) })
}

func (p parts) summary() string { return p.heading(p.Heading("summary")) + wordml.Plain(p.Summary) }

func (p parts) experience() string {
	return p.heading(p.Heading("experience")) + forEach(p.Experience, func(job position) string {
		return wordml.Styled("H2", job.Title) + wordml.Plain(job.Company+", "+job.Written) + forEach(job.Tasks, wordml.Bullet)
	})
}

func (p parts) education() string {
	return p.heading(p.Heading("education")) + forEach(p.Education, func(d degree) string {
		return wordml.Styled("H2", d.Degree+", "+d.Field) + wordml.Plain(d.Institution+", "+d.Written)
	})
}

func (p parts) skills() string {
	return p.heading(p.Heading("skills")) + wordml.Plain(strings.Join(p.Skills, ", "))
}

func (p parts) skillList() string {
	return p.heading(p.Heading("skills")) + forEach(p.Skills, wordml.Bullet)
}

func (p parts) spoken() string {
	return p.heading(p.Heading("languages")) + forEach(p.Languages, func(l spoken) string {
		return wordml.Plain(l.Written + " – " + l.LevelWritten)
	})
}

func (p parts) certifications() string {
	return p.heading(p.Heading("certifications")) + forEach(p.Certifications, func(c certification) string {
		return wordml.Plain(c.Name + ", " + c.Issuer + ", " + c.Date)
	})
}

// plainLayout uses heading styles, as Google Docs exports them.
func plainLayout(f *wordml.File, p page) {
	s := newParts(p)
	f.Body = wordml.Styled("Title", p.Name) + wordml.Styled("Subtitle", p.JobTitle) + s.contact(f) +
		s.summary() + s.experience() + s.education() + s.skills() + s.spoken() + s.certifications()
}

// tabsLayout uses no styles. Its headings are bold capitals, and its dates are at a tab stop on the right.
func tabsLayout(f *wordml.File, p page) {
	s := newParts(p)
	s.heading = func(text string) string { return wordml.Bold(strings.ToUpper(text)) }
	stop := func(left, right string) string {
		const tab = `<w:tabs><w:tab w:val="right" w:pos="9900"/></w:tabs>`
		return wordml.Paragraph(tab, wordml.Run("<w:b/>", left), wordml.Run("", "\t"+right))
	}
	f.Body = wordml.Paragraph(`<w:jc w:val="center"/>`, wordml.Run(`<w:b/><w:sz w:val="36"/>`, p.Name)) +
		wordml.Paragraph(`<w:jc w:val="center"/>`, wordml.Run("", p.JobTitle)) +
		wordml.Paragraph(`<w:jc w:val="center"/>`, wordml.Run("", p.Location+" • "+p.Email+" • "+p.PhoneWritten)) +
		wordml.Paragraph(`<w:jc w:val="center"/>`, wordml.Run("", strings.Join(p.Links, " • "))) +
		s.summary() + s.heading(p.Heading("experience")) + forEach(p.Experience, func(job position) string {
		return stop(job.Company, job.Written) + wordml.Plain(job.Title) + forEach(job.Tasks, wordml.Bullet)
	}) + s.heading(p.Heading("education")) + forEach(p.Education, func(d degree) string {
		return stop(d.Institution, d.Written) + wordml.Plain(d.Degree+", "+d.Field)
	}) + s.skills() + s.certifications() + s.spoken()
}

// tableLayout has a table row for each fact, with its label or its dates on the left.
func tableLayout(f *wordml.File, p page) {
	widths := []int{2600, 7300}
	pair := func(left, right string) string { return wordml.Row(widths, wordml.Plain(left), right) }
	section := func(name, rows string) string {
		return wordml.Styled("H1", p.Heading(name)) + wordml.Table(widths, rows)
	}
	f.Body = wordml.Styled("Title", p.Name) + wordml.Styled("Subtitle", p.JobTitle) +
		wordml.Table(widths, pair(p.Labels["email"], wordml.Plain(p.Email)),
			pair(p.Labels["phone"], wordml.Plain(p.PhoneWritten)),
			pair(p.Labels["location"], wordml.Plain(p.Location)), pair(p.Labels["links"], forEach(p.Links, wordml.Plain))) +
		newParts(p).summary() +
		section("experience", forEach(p.Experience, func(job position) string {
			return pair(job.Written, wordml.Bold(job.Title)+wordml.Plain(job.Company)+forEach(job.Tasks, wordml.Bullet))
		})) + section("education", forEach(p.Education, func(d degree) string {
		return pair(d.Written, wordml.Bold(d.Degree+", "+d.Field)+wordml.Plain(d.Institution))
	})) + newParts(p).skills() + section("languages", forEach(p.Languages, func(l spoken) string {
		return pair(l.Written, wordml.Plain(l.LevelWritten))
	})) + newParts(p).certifications()
}

// sidebarLayout writes a table of two cells.
func sidebarLayout(f *wordml.File, p page) {
	s := newParts(p)
	widths := []int{3200, 6700}
	f.Body = wordml.Table(widths, wordml.Row(widths,
		s.heading(p.Heading("contact"))+s.contact(f)+s.skillList()+s.spoken()+s.certifications(),
		wordml.Styled("Title", p.Name)+wordml.Styled("Subtitle", p.JobTitle)+
			s.summary()+s.experience()+s.education())) + wordml.Plain("")
}

// textBoxLayout has contact, skills and languages in a text box beside the text.
func textBoxLayout(f *wordml.File, p page) {
	s := newParts(p)
	indent := func(content string) string { // the text stays clear of the box
		return strings.ReplaceAll(content, "</w:pPr>", `<w:ind w:left="2900"/></w:pPr>`)
	}
	box := wordml.TextBox(420, s.heading(p.Heading("contact"))+s.contact(f)+s.skillList()+s.spoken())
	f.Body = box + indent(wordml.Styled("Title", p.Name)+wordml.Styled("Subtitle", p.JobTitle)+
		s.summary()+s.experience()+s.education()+s.certifications())
}

// runningLayout has name and contact in the header, and links in the footer.
func runningLayout(f *wordml.File, p page) {
	s := newParts(p)
	f.Header = wordml.Styled("Title", p.Name) + wordml.Plain(p.Email+" | "+p.PhoneWritten+" | "+p.Location)
	f.Footer = wordml.Plain(strings.Join(p.Links, " · "))
	f.Body = wordml.Styled("Subtitle", p.JobTitle) +
		s.summary() + s.skills() + s.experience() + s.education() + s.certifications() + s.spoken()
}

// columnsLayout has two columns like a newspaper.
func columnsLayout(f *wordml.File, p page) {
	s := newParts(p)
	f.Section = `<w:cols w:num="2" w:space="700"/>`
	f.Body = wordml.Styled("Title", p.Name) + wordml.Styled("Subtitle", p.JobTitle) + s.contact(f) +
		s.summary() + s.skillList() + s.spoken() + s.experience() + s.education() + s.certifications()
}

// creativeLayout has letter-spaced headings, and symbols in place of labels.
func creativeLayout(f *wordml.File, p page) {
	s := newParts(p)
	s.heading = func(text string) string {
		const letters = `<w:caps/><w:spacing w:val="80"/><w:color w:val="C0392B"/><w:sz w:val="26"/>`
		return wordml.Paragraph(`<w:spacing w:before="300"/>`, wordml.Run(letters, text))
	}
	symbol := func(char string) string { return `<w:r><w:sym w:font="Wingdings" w:char="` + char + `"/></w:r>` }
	f.Body = wordml.Paragraph("", wordml.Run(`<w:spacing w:val="120"/><w:sz w:val="48"/>`, p.Name)) +
		wordml.Plain(p.JobTitle) +
		wordml.Paragraph("", symbol("F02A"), wordml.Run("", " "+p.Email+"   "),
			symbol("F028"), wordml.Run("", " "+p.PhoneWritten+"   "), symbol("F0A8"), wordml.Run("", " "+p.Location)) +
		forEach(p.Links, func(link string) string {
			return wordml.Paragraph("", symbol("F046"), wordml.Run("", " "), f.Link(link))
		}) +
		s.summary() + s.experience() + s.education() + s.skillList() + s.spoken() + s.certifications()
}
