package makers

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed layouts
var layoutFiles embed.FS

// A maker writes documents in a layout of its own, to a kind of file of its own. HTML is printed to PDF by the program
// that is the kind, if it is one.
type maker struct {
	name, kind string
}

// all returns the makers.
func all() []maker {
	return []maker{
		{"bare", "txt"},
		{"mail", "txt"},
		{"notes", "txt"},
		{"wordplain", "docx"},
		{"wordheads", "docx"},
		{"wordtable", "docx"},
		{"wordflat", "docx"},
		{"wordline", "docx"},
		{"web", "html"},
		{"oldweb", "html"},
		{"oneline", "weasyprint"},
		{"centered", "weasyprint"},
		{"cards", "chromium"},
		{"datecolumn", "chromium"},
		{"europass", "chromium"},
		{"flexdate", "chromium"},
		{"hostfirst", "chromium"},
		{"labels", "chromium"},
		{"ledger", "chromium"},
		{"margin", "chromium"},
		{"pipes", "chromium"},
		{"profile", "chromium"},
		{"ribbon", "chromium"},
		{"sidebar", "chromium"},
	}
}

// A Print writes a page of HTML to a PDF file with a program.
type Print func(ctx context.Context, program string, page []byte, path string) error

// Write writes n documents of every maker into a folder, each with its truth beside it: MAKER--LANGUAGE-N.pdf and
// MAKER--LANGUAGE-N.truth.json. The same seed gives the same documents.
func Write(ctx context.Context, folder string, n int, seed uint64, show Print) error {
	tongues := languages()
	for i, m := range all() {
		for k := range n {
			language := tongues[(i+k)%len(tongues)]
			d, err := invent(language, seed<<32+uint64(i*n+k))
			if err != nil {
				return err
			}

			name := filepath.Join(folder, fmt.Sprintf("%s--%s-%d", m.name, language, k+1))
			if err := m.write(ctx, name, d, show); err != nil {
				return fmt.Errorf("write %s: %w", name, err)
			}

			truth, err := json.MarshalIndent(d.truth(), "", " ")
			if err != nil {
				return fmt.Errorf("encode the truth about %s: %w", name, err)
			}
			if err := os.WriteFile(name+".truth.json", append(truth, '\n'), 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// write writes a document to a file, whose name gets the ending of its kind.
func (m maker) write(ctx context.Context, name string, d *document, show Print) error {
	var content bytes.Buffer
	ending := "." + m.kind
	var err error
	switch m.kind {
	case "txt":
		content.WriteString(m.text(d))
	case "docx":
		err = m.word(&content, d)
	default:
		err = m.html(&content, d)
	}
	if err != nil {
		return err
	}

	printed := m.kind == "chromium" || m.kind == "weasyprint"
	if printed {
		return show(ctx, m.kind, content.Bytes(), name+".pdf")
	}
	return os.WriteFile(name+ending, content.Bytes(), 0o600)
}

// html writes a document in one of the layouts in the folder of that name.
func (m maker) html(w io.Writer, d *document) error {
	functions := template.FuncMap{"joined": joined, "list": list, "narrow": narrow}
	t, err := template.New("").Funcs(functions).ParseFS(layoutFiles, "layouts/parts.html", "layouts/"+m.name+".html")
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(w, "page", d)
}

// joined joins the texts that aren't empty.
func joined(separator string, texts ...string) string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
	return strings.Join(texts, separator)
}

func list(items []string) string { return strings.Join(items, ", ") }

// narrow reports whether sections of a kind are in the narrow column of layouts that have one.
func narrow(kind string) bool {
	return slices.Contains([]string{"skills", "languages", "certifications", "interests", "awards", "references"}, kind)
}
