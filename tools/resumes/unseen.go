package resumes

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

// The unseen files are made of other layouts, words and fonts than the development files, and mostly by other programs.
// Nobody looks at them, or at what the parser misses in them, while writing its rules: only then do they tell how it
// reads what it was not tuned on.
const (
	unseenWords  = "words/unseen"
	unseenFolder = "unseen" // in the folder of the generated files
)

//go:embed layouts/unseen
var unseenLayouts embed.FS

// unseenFiles returns the layouts of the unseen files, each with the program that makes a PDF of it.
func unseenFiles() map[string]string {
	return map[string]string{
		"margin.tex": "xelatex", "stacked.tex": "pdflatex", "sheet.typ": "typst", "lines.typ": "typst",
		"cards.html": "chromium", "journal.html": "weasyprint", "typed.html": "soffice",
	}
}

// writeUnseen writes every unseen layout in three languages, with labels beside the files. The people take turns.
func writeUnseen(ctx context.Context, folder string) error {
	for l, language := range []string{"en", "de", "es"} {
		i := l
		for _, layout := range slices.Sorted(maps.Keys(unseenFiles())) {
			i++
			p, err := newPerson(unseenWords, language, i%3)
			if err != nil {
				return err
			}
			name := fmt.Sprintf("%s--%s-%d", strings.TrimSuffix(layout, filepath.Ext(layout)), language, i%3+1)
			if err := writeUnseenFile(ctx, filepath.Join(folder, unseenFolder, name), layout, p); err != nil {
				return fmt.Errorf("write %s: %w", name, err)
			}
		}
	}
	return nil
}

func writeUnseenFile(ctx context.Context, name, layout string, p person) error {
	words, err := wordsOf(unseenWords, p.Language)
	if err != nil {
		return err
	}

	labels, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return fmt.Errorf("encode labels: %w", err)
	}
	if err := os.WriteFile(name+labelSuffix, append(labels, '\n'), 0o644); err != nil { //nolint:gosec // not secret
		return err
	}

	temporary, err := os.MkdirTemp("", "resumes")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }()

	var source bytes.Buffer
	if err := writeLayout(&source, layout, page{p, words}); err != nil {
		return err
	}

	input := filepath.Join(temporary, "resume"+filepath.Ext(layout))
	if err := os.WriteFile(input, source.Bytes(), 0o600); err != nil {
		return err
	}

	output := filepath.Join(temporary, "resume.pdf")
	if err := runTool(ctx, nil, unseenFiles()[layout], unseenArguments(layout, temporary, input, output)...); err != nil {
		return err
	}

	content, err := os.ReadFile(output)
	if err != nil {
		return err
	}

	return os.WriteFile(name+".pdf", content, 0o644) //nolint:gosec // not secret
}

// unseenArguments returns the arguments with which the program of a layout makes a PDF.
func unseenArguments(layout, folder, input, output string) []string {
	switch unseenFiles()[layout] {
	case "typst":
		return []string{"compile", input, output}
	case "chromium", "weasyprint":
		return printArguments(unseenFiles()[layout], folder, input, output)
	case "soffice":
		return []string{
			"-env:UserInstallation=file://" + folder + "/profile", "--headless", "--convert-to", "pdf:writer_web_pdf_Export",
			"--outdir", folder, input,
		}
	default: // TeX
		return []string{"-interaction=batchmode", "-output-directory=" + folder, input}
	}
}

// writeLayout writes the source of a document in one of the unseen layouts.
func writeLayout(w io.Writer, layout string, p page) error {
	tex := strings.NewReplacer("\\", `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`,
		"}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`)
	typst := strings.NewReplacer("\\", "\\\\", "#", `\#`, "$", `\$`, "*", `\*`, "_", `\_`, "@", `\@`, "<", `\<`,
		"[", `\[`, "]", `\]`, "/", `\/`)
	escapers := template.FuncMap{"tex": tex.Replace, "typ": typst.Replace}
	t, err := template.New(layout).Funcs(escapers).ParseFS(unseenLayouts, "layouts/unseen/"+layout)
	if err != nil {
		return fmt.Errorf("layout %s: %w", layout, err)
	}
	if err := t.Execute(w, p); err != nil {
		return fmt.Errorf("layout %s: %w", layout, err)
	}
	return nil
}
