package resumes

import (
	"embed"
	"fmt"
	"html/template"
	"io"
)

//go:embed layouts/*.html
var layoutFiles embed.FS

// A page is a person as the templates in layouts see it.
type page struct {
	person
	*words
}

// Heading returns the heading of a section in the language of the person.
func (p page) Heading(section string) string { return p.Headings[section] }

// RightToLeft reports whether the language of the person is written from right to left.
func (p page) RightToLeft() bool { return p.Language == "ar" }

// writeHTML writes a resume in one of the layouts in the folder of that name.
func writeHTML(w io.Writer, layout string, p person) error {
	words, err := wordsOf(developmentWords, p.Language)
	if err != nil {
		return err
	}
	t, err := template.ParseFS(layoutFiles, "layouts/parts.html", "layouts/"+layout+".html")
	if err != nil {
		return fmt.Errorf("layout %s: %w", layout, err)
	}
	if err := t.ExecuteTemplate(w, "page", page{p, words}); err != nil {
		return fmt.Errorf("layout %s: %w", layout, err)
	}
	return nil
}
