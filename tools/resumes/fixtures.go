package main

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

// fixture is one file of a person in a layout.
type fixture struct {
	person string // language-number, such as en-1
	layout string
	kind   string // html → PDF by WeasyPrint, docx, office → that DOCX as PDF by LibreOffice
}

// file is its name: person, layout and what wrote it are in it, as in de-2.table.office.pdf.
func (f fixture) file() string {
	switch f.kind {
	case "docx":
		return f.person + "." + f.layout + ".docx"
	case "office":
		return f.person + "." + f.layout + ".office.pdf"
	default:
		return f.person + "." + f.layout + ".pdf"
	}
}

// fixtures are the committed files: every PDF layout in four languages, every DOCX layout in two of them and some of those as
// PDF, and a few in Japanese and Arabic. The persons take turns, so that each comes in several layouts.
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
	for _, person := range []string{"ja-1", "ar-1"} { // LibreOffice: WeasyPrint embeds Japanese fonts whole and gives Arabic letters no meaning
		all = append(all, fixture{person, "plain", "docx"}, fixture{person, "plain", "office"}, fixture{person, "sidebar", "office"})
	}
	return all
}

// person invents the person that a fixture names.
func (f fixture) invent() (person, error) {
	language, number, _ := strings.Cut(f.person, "-")
	n := 0
	if _, err := fmt.Sscan(number, &n); err != nil {
		return person{}, fmt.Errorf("person %q: %w", f.person, err)
	}
	return newPerson(language, n-1)
}

// writeFixtures writes the files and the truth of each person beside them.
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
		if err := os.WriteFile(filepath.Join(folder, f.person+".json"), append(truth, '\n'), 0o644); err != nil { //nolint:gosec // not secret
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
		return tool(ctx, &content, "weasyprint", "-", target)
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
	return tool(ctx, nil, "soffice", "-env:UserInstallation=file://"+temporary+"/profile", "--headless",
		"--convert-to", "pdf", "--outdir", folder, word)
}

// tool runs one of the programs that make the fixtures.
func tool(ctx context.Context, input *bytes.Buffer, name string, arguments ...string) error {
	command := exec.CommandContext(ctx, name, arguments...) //nolint:gosec // names and arguments are this program's own
	if input != nil {
		command.Stdin = input
	}
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s (apt-get install weasyprint libreoffice-writer-nogui fonts-noto fonts-font-awesome): %w: %s", name, err, output)
	}
	return nil
}

// layoutAndKind is the layout with the format, as the report lists it.
func (f fixture) layoutAndKind() string {
	if f.kind == "docx" {
		return f.layout + " (docx)"
	}
	return f.layout
}
