package resumes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// developmentWords has the words of the people whom the rules of the parser may be tried on.
const developmentWords = "words"

// A fixture is one generated file: a person in a layout.
type fixture struct {
	person string // language and number, such as en-1
	layout string
	kind   string // html: a PDF by WeasyPrint; docx; office: a PDF of the DOCX file by LibreOffice
}

// file returns the name of the file, which consists of the person, the layout and the program: de-2.table.office.pdf.
func (f fixture) file() string {
	name := f.person + "." + f.layout
	switch f.kind {
	case "docx":
		return name + ".docx"
	case "office":
		return name + ".office.pdf"
	default:
		return name + ".pdf"
	}
}

// fixtures returns the committed files: every PDF layout in four languages, every DOCX layout in two of them, some of
// those as PDF, and a few files in Japanese and Arabic. The people take turns, so that each comes in several layouts.
func fixtures() []fixture {
	var all []fixture
	languages := []string{"en", "fr", "es", "de"}
	html := []string{"single", "sidebar-left", "sidebar-right", "table", "europass", "academic", "running", "creative"}
	word := []string{"plain", "tabs", "table", "sidebar", "textbox", "running", "columns", "creative"}
	for l, language := range languages {
		person := func(i int) string { return fmt.Sprintf("%s-%d", language, (l+i)%3+1) }
		for i, layout := range html {
			all = append(all, fixture{person(i), layout, "html"})
		}

		for i, layout := range word {
			if i%2 == l%2 {
				all = append(all, fixture{person(i), layout, "docx"})
			}
		}

		all = append(all, fixture{person(l), []string{"plain", "sidebar", "textbox", "columns"}[l], "office"})
	}

	// WeasyPrint embeds Japanese fonts whole, and its Arabic glyphs have no text.
	for _, person := range []string{"ja-1", "ar-1"} {
		all = append(all,
			fixture{person, "plain", "docx"}, fixture{person, "plain", "office"}, fixture{person, "sidebar", "office"})
	}

	return all
}

// invent invents the person of a fixture.
func (f fixture) invent() (person, error) {
	language, number, _ := strings.Cut(f.person, "-")
	n := 0
	if _, err := fmt.Sscan(number, &n); err != nil {
		return person{}, fmt.Errorf("person %q: %w", f.person, err)
	}
	return newPerson(developmentWords, language, n-1)
}

// writeFixtures writes all files, and the truth about each person beside them.
func writeFixtures(ctx context.Context, folder string) error {
	for _, f := range fixtures() {
		p, err := f.invent()
		if err != nil {
			return err
		}
		truth, err := json.MarshalIndent(p, "", " ")
		if err != nil {
			return fmt.Errorf("encode %s: %w", f.person, err)
		}
		path := filepath.Join(folder, f.person+".json")
		if err := os.WriteFile(path, append(truth, '\n'), 0o644); err != nil { //nolint:gosec // not secret
			return err
		}
		if err := f.write(ctx, folder, p); err != nil {
			return fmt.Errorf("write %s: %w", f.file(), err)
		}
	}
	return nil
}

func (f fixture) write(ctx context.Context, folder string, p person) error {
	var content bytes.Buffer
	target := filepath.Join(folder, f.file())
	if f.kind == "html" {
		if err := writeHTML(&content, f.layout, p); err != nil {
			return err
		}
		return runTool(ctx, &content, "weasyprint", "-", target)
	}

	if err := writeWord(&content, f.layout, p); err != nil {
		return err
	}
	if f.kind == "docx" {
		return os.WriteFile(target, content.Bytes(), 0o644) //nolint:gosec // not secret
	}

	temporary, err := os.MkdirTemp("", "resumes")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }()

	word := filepath.Join(temporary, strings.TrimSuffix(f.file(), ".pdf")+".docx")
	if err := os.WriteFile(word, content.Bytes(), 0o600); err != nil {
		return err
	}

	return runTool(ctx, nil, "soffice", "-env:UserInstallation=file://"+temporary+"/profile", "--headless",
		"--convert-to", "pdf", "--outdir", folder, word)
}

// runTool runs one of the programs that write PDF files.
func runTool(ctx context.Context, input *bytes.Buffer, name string, arguments ...string) error {
	command := exec.CommandContext(ctx, name, arguments...) //nolint:gosec // names and arguments are this program's own
	if input != nil {
		command.Stdin = input
	}
	if output, err := command.CombinedOutput(); err != nil {
		const install = "apt-get install weasyprint libreoffice-writer-nogui fonts-noto fonts-font-awesome"
		return fmt.Errorf("%s (%s): %w: %s", name, install, err, output)
	}
	return nil
}

// layoutAndKind returns the layout as the report lists it.
func (f fixture) layoutAndKind() string {
	if f.kind == "docx" {
		return f.layout + " (docx)"
	}
	return f.layout
}
