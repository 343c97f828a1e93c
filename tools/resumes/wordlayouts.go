package resumes

import (
	"fmt"
	"io"
	"strings"
)

// wordLayouts maps the name of a layout to the function that writes a person into a DOCX file.
var wordLayouts = map[string]func(f *wordFile, p page){
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
	f := &wordFile{}
	view := page{p, words}
	write(f, view)
	if view.RightToLeft() {
		f.body = strings.NewReplacer("</w:pPr>", "<w:bidi/></w:pPr>", "<w:tblPr>", "<w:tblPr><w:bidiVisual/>").Replace(f.body)
	}
	return f.write(w)
}

// parts writes the sections of a resume that look the same in several layouts.
type parts struct {
	page
	heading func(text string) string
}

func newParts(p page) parts {
	return parts{p, func(text string) string { return styled("H1", text) }}
}

// forEach joins what write returns for every element.
func forEach[T any](list []T, write func(T) string) string {
	var b strings.Builder
	for _, element := range list {
		b.WriteString(write(element))
	}
	return b.String()
}

func (p parts) contact(f *wordFile) string {
	return plainText(p.Email) + plainText(p.PhoneWritten) + plainText(p.Location) +
		forEach(p.Links, func(link string) string { return paragraph("", f.link(link)) })
}

func (p parts) summary() string { return p.heading(p.Heading("summary")) + plainText(p.Summary) }

func (p parts) experience() string {
	return p.heading(p.Heading("experience")) + forEach(p.Experience, func(job position) string {
		return styled("H2", job.Title) + plainText(job.Company+", "+job.Written) + forEach(job.Tasks, bullet)
	})
}

func (p parts) education() string {
	return p.heading(p.Heading("education")) + forEach(p.Education, func(d degree) string {
		return styled("H2", d.Degree+", "+d.Field) + plainText(d.Institution+", "+d.Written)
	})
}

func (p parts) skills() string {
	return p.heading(p.Heading("skills")) + plainText(strings.Join(p.Skills, ", "))
}

func (p parts) skillList() string { return p.heading(p.Heading("skills")) + forEach(p.Skills, bullet) }

func (p parts) spoken() string {
	return p.heading(p.Heading("languages")) + forEach(p.Languages, func(l spoken) string {
		return plainText(l.Written + " – " + l.LevelWritten)
	})
}

func (p parts) certifications() string {
	return p.heading(p.Heading("certifications")) + forEach(p.Certifications, func(c certification) string {
		return plainText(c.Name + ", " + c.Issuer + ", " + c.Date)
	})
}

// plainLayout uses heading styles, as Google Docs exports them.
func plainLayout(f *wordFile, p page) {
	s := newParts(p)
	f.body = styled("Title", p.Name) + styled("Subtitle", p.JobTitle) + s.contact(f) +
		s.summary() + s.experience() + s.education() + s.skills() + s.spoken() + s.certifications()
}

// tabsLayout uses no styles. Its headings are bold capitals, and its dates are at a tab stop on the right.
func tabsLayout(f *wordFile, p page) {
	s := newParts(p)
	s.heading = func(text string) string { return bold(strings.ToUpper(text)) }
	stop := func(left, right string) string {
		const tab = `<w:tabs><w:tab w:val="right" w:pos="9900"/></w:tabs>`
		return paragraph(tab, wordRun("<w:b/>", left), wordRun("", "\t"+right))
	}
	f.body = paragraph(`<w:jc w:val="center"/>`, wordRun(`<w:b/><w:sz w:val="36"/>`, p.Name)) +
		paragraph(`<w:jc w:val="center"/>`, wordRun("", p.JobTitle)) +
		paragraph(`<w:jc w:val="center"/>`, wordRun("", p.Location+" • "+p.Email+" • "+p.PhoneWritten)) +
		paragraph(`<w:jc w:val="center"/>`, wordRun("", strings.Join(p.Links, " • "))) +
		s.summary() + s.heading(p.Heading("experience")) + forEach(p.Experience, func(job position) string {
		return stop(job.Company, job.Written) + plainText(job.Title) + forEach(job.Tasks, bullet)
	}) + s.heading(p.Heading("education")) + forEach(p.Education, func(d degree) string {
		return stop(d.Institution, d.Written) + plainText(d.Degree+", "+d.Field)
	}) + s.skills() + s.certifications() + s.spoken()
}

// tableLayout has a table row for each fact, with its label or its dates on the left.
func tableLayout(f *wordFile, p page) {
	widths := []int{2600, 7300}
	pair := func(left, right string) string { return row(widths, plainText(left), right) }
	section := func(name, rows string) string { return styled("H1", p.Heading(name)) + table(widths, rows) }
	f.body = styled("Title", p.Name) + styled("Subtitle", p.JobTitle) +
		table(widths, pair(p.Labels["email"], plainText(p.Email)), pair(p.Labels["phone"], plainText(p.PhoneWritten)),
			pair(p.Labels["location"], plainText(p.Location)), pair(p.Labels["links"], forEach(p.Links, plainText))) +
		newParts(p).summary() +
		section("experience", forEach(p.Experience, func(job position) string {
			return pair(job.Written, bold(job.Title)+plainText(job.Company)+forEach(job.Tasks, bullet))
		})) + section("education", forEach(p.Education, func(d degree) string {
		return pair(d.Written, bold(d.Degree+", "+d.Field)+plainText(d.Institution))
	})) + newParts(p).skills() + section("languages", forEach(p.Languages, func(l spoken) string {
		return pair(l.Written, plainText(l.LevelWritten))
	})) + newParts(p).certifications()
}

// sidebarLayout writes a table of two cells.
func sidebarLayout(f *wordFile, p page) {
	s := newParts(p)
	widths := []int{3200, 6700}
	f.body = table(widths, row(widths,
		s.heading(p.Heading("contact"))+s.contact(f)+s.skillList()+s.spoken()+s.certifications(),
		styled("Title", p.Name)+styled("Subtitle", p.JobTitle)+s.summary()+s.experience()+s.education())) + plainText("")
}

// textBoxLayout has contact, skills and languages in a text box beside the text.
func textBoxLayout(f *wordFile, p page) {
	s := newParts(p)
	indent := func(content string) string { // the text stays clear of the box
		return strings.ReplaceAll(content, "</w:pPr>", `<w:ind w:left="2900"/></w:pPr>`)
	}
	box := textBox(420, s.heading(p.Heading("contact"))+s.contact(f)+s.skillList()+s.spoken())
	f.body = box + indent(styled("Title", p.Name)+styled("Subtitle", p.JobTitle)+
		s.summary()+s.experience()+s.education()+s.certifications())
}

// runningLayout has name and contact in the header, and links in the footer.
func runningLayout(f *wordFile, p page) {
	s := newParts(p)
	f.header = styled("Title", p.Name) + plainText(p.Email+" | "+p.PhoneWritten+" | "+p.Location)
	f.footer = plainText(strings.Join(p.Links, " · "))
	f.body = styled("Subtitle", p.JobTitle) +
		s.summary() + s.skills() + s.experience() + s.education() + s.certifications() + s.spoken()
}

// columnsLayout has two columns like a newspaper.
func columnsLayout(f *wordFile, p page) {
	s := newParts(p)
	f.section = `<w:cols w:num="2" w:space="700"/>`
	f.body = styled("Title", p.Name) + styled("Subtitle", p.JobTitle) + s.contact(f) +
		s.summary() + s.skillList() + s.spoken() + s.experience() + s.education() + s.certifications()
}

// creativeLayout has letter-spaced headings, and symbols in place of labels.
func creativeLayout(f *wordFile, p page) {
	s := newParts(p)
	s.heading = func(text string) string {
		const letters = `<w:caps/><w:spacing w:val="80"/><w:color w:val="C0392B"/><w:sz w:val="26"/>`
		return paragraph(`<w:spacing w:before="300"/>`, wordRun(letters, text))
	}
	symbol := func(char string) string { return `<w:r><w:sym w:font="Wingdings" w:char="` + char + `"/></w:r>` }
	f.body = paragraph("", wordRun(`<w:spacing w:val="120"/><w:sz w:val="48"/>`, p.Name)) + plainText(p.JobTitle) +
		paragraph("", symbol("F02A"), wordRun("", " "+p.Email+"   "), symbol("F028"), wordRun("", " "+p.PhoneWritten+"   "),
			symbol("F0A8"), wordRun("", " "+p.Location)) +
		forEach(p.Links, func(link string) string { return paragraph("", symbol("F046"), wordRun("", " "), f.link(link)) }) +
		s.summary() + s.experience() + s.education() + s.skillList() + s.spoken() + s.certifications()
}
