package docx_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/realdata"
	"github.com/freelancer-matching/service/resume"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The files were written by LibreOffice; see testdata/README.md.
func TestRead_LibreOffice(tt *testing.T) {
	for _, name := range []string{"resume", "columns"} {
		tt.Run(name, func(tt *testing.T) {
			file, err := os.ReadFile(filepath.Join("testdata", name+".docx"))
			if err != nil {
				tt.Fatal(err)
			}

			got := describe(mustRead(tt, file))
			path := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
					tt.Fatal(err)
				}
			}

			want, err := os.ReadFile(path)
			if err != nil {
				tt.Fatal(err)
			}

			if diff := cmp.Diff(string(want), got); diff != "" {
				tt.Errorf("%s (-want +got):\n%s", path, diff)
			}
		})
	}
}

// describe returns a document as text, with the properties of each line.
func describe(d resume.Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "warnings %v\n", d.Warnings)
	for i, l := range d.Lines {
		marks := ""
		if l.Heading > 0 {
			marks += fmt.Sprintf(" heading %d", l.Heading)
		}

		if l.Bold {
			marks += " bold"
		}

		if l.Bullet {
			marks += " bullet"
		}

		part := [...]string{"body", "sidebar", "header", "footer"}[l.Part]
		fmt.Fprintf(&b, "%-8s%4.1f pt %.1f above%s| %s\n", part, l.Size, l.Gap, marks,
			strings.ReplaceAll(l.Text, "\t", " → "))

		for _, link := range d.Links {
			if link.Line == i {
				fmt.Fprintf(&b, "        link of %q to %s\n", link.Text, link.URL)
			}
		}
	}

	return b.String()
}

// The files were collected because other programs failed on them.
func TestRead_RealFiles(tt *testing.T) {
	expected := []matching.Code{"", resume.CodeCorrupt, resume.CodeEncrypted, resume.CodeNoText, resume.CodeTooComplex}
	counts := map[matching.Code]int{}
	for _, folder := range []string{"docx", "doc", "other"} {
		root := realdata.Path(tt, "malformed", folder)
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}

			file, err := os.ReadFile(path)
			if err != nil {
				return err
			}

			_, err = reader().Read(tt.Context(), file)
			code := matching.CodeOf(err)
			counts[code]++
			if !slices.Contains(expected, code) {
				tt.Errorf("%s: %v", path, err)
			}

			return nil
		})
		if err != nil {
			tt.Fatal(err)
		}
	}

	tt.Logf("files by code: %v", counts)
	if counts[""] < 200 {
		tt.Errorf("read %d files, want at least 200", counts[""])
	}
}

// BenchmarkRead reads a resume of two pages with as many styles as Word's standard template.
func BenchmarkRead(b *testing.B) {
	var body, styles strings.Builder
	for section := range 6 {
		body.WriteString(p(`<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>` + t(fmt.Sprintf("Section %d", section))))
		for range 12 {
			body.WriteString(`<w:p w:rsidR="00A77B3E" w:rsidRDefault="00A77B3E"><w:pPr>` +
				`<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:spacing w:before="0" w:after="120"/>` +
				`<w:rPr><w:rFonts w:ascii="Calibri"/><w:sz w:val="20"/></w:rPr></w:pPr>`)

			for range 4 {
				body.WriteString(formatted(`<w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Calibri"/><w:sz w:val="20"/>`+
					`<w:szCs w:val="20"/><w:lang w:val="en-GB"/>`, "moved pipelines to the cloud "))
			}

			body.WriteString(`</w:p>`)
		}
	}

	latentStyles := strings.Repeat(`<w:lsdException w:name="heading 1" w:uiPriority="9" w:qFormat="1"/>`, 376)
	styles.WriteString(`<w:docDefaults/><w:latentStyles>` + latentStyles + `</w:latentStyles>`)
	for i := range 40 {
		fmt.Fprintf(&styles, `<w:style w:type="paragraph" w:styleId="Heading%d"><w:name w:val="heading %d"/>`+
			`<w:basedOn w:val="Normal"/><w:uiPriority w:val="9"/><w:pPr><w:keepNext/><w:spacing w:before="240"/>`+
			`<w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/><w:sz w:val="32"/></w:rPr></w:style>`, i, i)
	}

	file := bodyOf(body.String()).styled(styles.String()).file(b)
	reader := reader()
	b.ReportAllocs()

	for b.Loop() {
		if _, err := reader.Read(b.Context(), file); err != nil {
			b.Fatal(err)
		}
	}
}
