package hostile

import (
	"bytes"
	"strings"
)

// textFiles returns the attacks by OpenDocument, RTF, HTML and text files.
func textFiles() []File {
	of := func(content string) func() []byte { return func() []byte { return []byte(content) } }
	return []File{
		{"bomb.odt", codes{tooComplex}, func() []byte { return openDocument(strings.Repeat(" ", 100<<20)) }},
		{"nested-tables.odt", codes{tooComplex}, func() []byte {
			return openDocument(strings.Repeat("<table:table><table:table-row><table:table-cell>", 200_000))
		}},
		{"entity-expansion.odt", codes{corrupt}, func() []byte {
			return archive(part{"mimetype", openDocumentType}, part{"content.xml", `<!DOCTYPE d [<!ENTITY a "ha">]><d>&a;</d>`})
		}},
		// One short element stands for two billion spaces.
		{"repeated.odt", codes{tooComplex}, func() []byte {
			return openDocument(strings.Repeat(`<text:p>x<text:s text:c="2000000000"/>y</text:p>`, 10_000))
		}},
		{"nested-groups.rtf", codes{tooComplex}, of(`{\rtf1` + strings.Repeat("{", 5_000_000))},
		{"control-words.rtf", codes{tooComplex}, of(`{\rtf1` + strings.Repeat(`\b`, 4_000_000))},
		{"nested-cells.rtf", codes{tooComplex}, of(`{\rtf1` + strings.Repeat(`\intbl\itap32 x\par\itap1 y\par`, 200_000))},
		{"pictures.rtf", codes{wasRead}, of(`{\rtf1 Ada{\pict ` + strings.Repeat("0123456789abcdef\n", 500_000) + `}\par}`)},
		// The announced two gigabytes of binary data would swallow the rest of the text.
		{"binary-lie.rtf", codes{wasRead}, of(`{\rtf1 Ada{\pict\bin2147483647 }}\par}`)},
		{"nested-elements.html", codes{tooComplex}, of("<html>" + strings.Repeat("<div>", 1_500_000))},
		// Every paragraph reopens all formatting elements that were left open, as the HTML standard demands.
		{"reconstruction.html", codes{wasRead, tooComplex}, of("<html>" + strings.Repeat("<b a=1><i>", 100) +
			strings.Repeat("<p>", 300_000) + "Ada")},
		{"attributes.html", codes{wasRead}, of("<html><p" + strings.Repeat(" a", 4_000_000) + ">Ada")},
		{"style-sheet.html", codes{wasRead, tooComplex}, of("<html><style>" + strings.Repeat(".a{color:red}", 300_000) +
			"</style>" + strings.Repeat("<p class=a>", 300_000) + "Ada")},
		{"one-line.txt", codes{tooComplex}, of(strings.Repeat("word ", 2_000_000))},
		{"empty-lines.txt", codes{wasRead, tooComplex}, of("Ada" + strings.Repeat("\n", 9_000_000))},
		{"short-lines.txt", codes{tooComplex}, of(strings.Repeat("a\n", 4_000_000))},
		// UTF-16 that consists of unpaired surrogates.
		{"wide.txt", codes{wasRead, tooComplex}, func() []byte {
			return append([]byte{0xFF, 0xFE}, bytes.Repeat([]byte{'a', 0xD8}, 4_000_000)...)
		}},
	}
}

const openDocumentType = "application/vnd.oasis.opendocument.text"

// openDocument returns an ODT file with the given content of its body.
func openDocument(body string) []byte {
	const names = "urn:oasis:names:tc:opendocument:xmlns:"
	return archive(part{"mimetype", openDocumentType}, part{"content.xml", `<office:document-content xmlns:office="` +
		names + `office:1.0" xmlns:text="` + names + `text:1.0" xmlns:table="` + names + `table:1.0">` +
		`<office:body><office:text>` +
		body + `</office:text></office:body></office:document-content>`})
}
