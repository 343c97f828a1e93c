// Package hostile generates files that attack a resume parser: small files that expand, deeply nested and endless
// files, and files of another kind than their names say. They are generated on demand and never stored.
package hostile

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"strings"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
)

// A File is one attack.
type File struct {
	Name    string          // of the upload
	Answers []matching.Code // the right ones; "" means that the file is read
	Content func() []byte
}

type codes = []matching.Code

const (
	wasRead     matching.Code = ""
	unsupported               = resume.CodeUnsupported
	noText                    = resume.CodeNoText
	encrypted                 = resume.CodeEncrypted
	corrupt                   = resume.CodeCorrupt
	tooComplex                = resume.CodeTooComplex
)

// Files returns all attacks. None has more than 10 MiB, the limit of an upload.
func Files() []File { return append(officeAndPDFFiles(), textFiles()...) }

func officeAndPDFFiles() []File {
	return []File{
		{"zip-bomb.docx", codes{tooComplex}, zipBomb},
		{"many-zip-bombs.docx", codes{tooComplex}, manyZipBombs},
		{"many-entries.docx", codes{tooComplex}, manyEntries},
		// An entry states its own size, which can't be trusted.
		{"lying-sizes.docx", codes{tooComplex, corrupt}, lyingSizes},
		{"two-million-paragraphs.docx", codes{tooComplex}, func() []byte {
			return word(strings.Repeat("<w:p/>", 2_000_000))
		}},
		{"two-million-words.docx", codes{tooComplex}, func() []byte {
			return word("<w:p><w:r><w:t>" + strings.Repeat("word ", 2_000_000) + "</w:t></w:r></w:p>")
		}},
		{"nested-tables.docx", codes{tooComplex}, func() []byte {
			return word(strings.Repeat("<w:tbl><w:tr><w:tc>", 300_000))
		}},
		{"nested-unclosed.docx", codes{tooComplex}, func() []byte { return word(strings.Repeat("<a>", 2_000_000)) }},
		{"entity-expansion.docx", codes{corrupt, tooComplex}, entityExpansion},
		{"external-entity.docx", codes{corrupt, tooComplex}, externalEntity},
		// A style that inherits from itself must not be followed forever.
		{"style-cycle.docx", codes{wasRead}, styleCycle},
		{"huge-attribute.docx", codes{tooComplex}, func() []byte {
			return word(`<w:p a="` + strings.Repeat("x", 30<<20) + `"/>`)
		}},
		{"encrypted.docx", codes{encrypted}, encryptedOffice},
		{"archive.docx", codes{unsupported}, func() []byte { return archive(part{"readme.txt", "not a document"}) }},
		{"truncated.docx", codes{corrupt, unsupported}, func() []byte {
			whole := word("<w:p><w:r><w:t>Text</w:t></w:r></w:p>")
			return whole[:len(whole)*2/3]
		}},

		{"flate-bomb.pdf", codes{tooComplex, noText}, func() []byte {
			return onePage(stream("/Filter /FlateDecode", deflate(bytes.Repeat([]byte("0 0 m\n"), 50<<20/6))))
		}},
		{"flate-bomb-twice.pdf", codes{tooComplex, noText, corrupt}, flateTwice},
		{"image-bomb.pdf", codes{noText, tooComplex}, imageBomb},
		{"nested-arrays.pdf", codes{noText, corrupt, tooComplex}, func() []byte {
			return onePage("<< /Nested " + strings.Repeat("[", 1_000_000) + " >>")
		}},
		{"nested-dictionaries.pdf", codes{noText, corrupt, tooComplex}, func() []byte {
			return onePage(strings.Repeat("<< /A ", 500_000))
		}},
		{"nested-states.pdf", codes{noText, corrupt, tooComplex}, func() []byte {
			return onePage(stream("", []byte(strings.Repeat("q ", 2_000_000))))
		}},
		{"form-cycle.pdf", codes{noText, corrupt, tooComplex}, formCycle},
		{"form-tree.pdf", codes{tooComplex, noText}, formTree},
		{"page-cycle.pdf", codes{corrupt, noText, tooComplex}, pageCycle},
		{"xref-loop.pdf", codes{wasRead, corrupt}, xrefLoop},
		{"ten-thousand-pages.pdf", codes{wasRead}, func() []byte { return pages(10_000) }},
		// Memory must not be reserved for as many pages as the file claims to have.
		{"page-count-lie.pdf", codes{wasRead, corrupt}, func() []byte {
			return bytes.Replace(pages(1), []byte("/Count 1"), []byte("/Count 2000000000"), 1)
		}},
		{"million-rectangles.pdf", codes{tooComplex, noText}, func() []byte {
			return onePage(stream("/Filter /FlateDecode", deflate([]byte(strings.Repeat("1 1 2 2 re f\n", 1_000_000)))))
		}},
		{"million-words.pdf", codes{tooComplex}, func() []byte {
			text := "BT /F 9 Tf " + strings.Repeat("1 1 Td (word) Tj\n", 1_000_000) + "ET"
			return onePage(stream("/Filter /FlateDecode", deflate([]byte(text))))
		}},
		{"huge-coordinates.pdf", codes{noText, wasRead}, func() []byte {
			return onePage(stream("", []byte("BT /F 1e30 Tf 1e38 1e38 Td (far) Tj -1e38 0 Td (away) Tj ET")))
		}},
		{"no-tounicode.pdf", codes{wasRead, noText}, noToUnicode},
		{"encrypted.pdf", codes{encrypted}, encryptedPDF},
		{"encrypted-unknown.pdf", codes{encrypted, corrupt}, encryptedUnknown},
		{"header-only.pdf", codes{corrupt}, func() []byte { return []byte("%PDF-1.7\n") }},
		{"zeros.pdf", codes{corrupt}, func() []byte { return append([]byte("%PDF-1.7\n"), make([]byte, 9<<20)...) }},

		// The content decides about the format, not the name.
		{"picture.pdf", codes{unsupported}, jpeg},
		{"picture.docx", codes{unsupported}, jpeg},
		{"page.pdf", codes{wasRead}, func() []byte {
			return []byte("<!DOCTYPE html><html><body>resume</body></html>")
		}},
		{"word.pdf", codes{wasRead}, func() []byte {
			return word("<w:p><w:r><w:t>A document under a wrong name</w:t></w:r></w:p>")
		}},
		{"empty.pdf", codes{unsupported}, func() []byte { return nil }},
		{"one-byte.docx", codes{wasRead}, func() []byte { return []byte("P") }},
		{"regular-expressions.docx", codes{wasRead, tooComplex}, regularExpressions},
	}
}

// A part is a file in a ZIP archive.
type part struct{ name, content string }

func archive(parts ...part) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, p := range parts {
		entry, err := w.Create(p.name)
		must(err)
		_, err = io.WriteString(entry, p.content)
		must(err)
	}
	must(w.Close())
	return b.Bytes()
}

// must panics on an error of a writer into memory, which cannot happen.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

const (
	office       = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	contentTypes = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Override PartName="/word/document.xml" ` +
		`ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`
	documentStart = `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`
	documentEnd   = `</w:body></w:document>`
)

// related returns the part that relates others to a document, or to the archive.
func related(relationships string) string {
	return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + relationships +
		`</Relationships>`
}

// packageParts returns the parts that name the document in an archive.
func packageParts() []part {
	return []part{{"[Content_Types].xml", contentTypes}, {"_rels/.rels", related(
		`<Relationship Id="d" Type="` + office + `/officeDocument" Target="word/document.xml"/>`)}}
}

// document returns a DOCX file with the given content of its main part.
func document(content string, more ...part) []byte {
	return archive(append(append(packageParts(), part{"word/document.xml", content}), more...)...)
}

// word returns a DOCX file with the given body.
func word(body string, more ...part) []byte { return document(documentStart+body+documentEnd, more...) }

// zipBomb returns a paragraph of 100 MB in 100 KB.
func zipBomb() []byte {
	return word("<w:p><w:r><w:t>" + strings.Repeat("a", 100<<20) + "</w:t></w:r></w:p>")
}

// manyZipBombs returns a document with a header for each section, none of which exceeds a usual limit.
func manyZipBombs() []byte {
	large := documentStart + strings.Repeat(" ", 20<<20) + documentEnd
	var body, headers strings.Builder
	more := []part{{}}
	for i := range 10 {
		name := fmt.Sprintf("header%d", i)
		fmt.Fprintf(&body, `<w:p><w:pPr><w:sectPr><w:headerReference xmlns:r="%s" w:type="default" r:id="%s"/>`+
			`</w:sectPr></w:pPr></w:p>`, office, name)
		fmt.Fprintf(&headers, `<Relationship Id="%s" Type="%s/header" Target="%[1]s.xml"/>`, name, office)
		more = append(more, part{"word/" + name + ".xml", large})
	}
	more[0] = part{"word/_rels/document.xml.rels", related(headers.String())}
	return word(body.String(), more...)
}

func manyEntries() []byte {
	more := make([]part, 60_000)
	for i := range more {
		more[i].name = fmt.Sprintf("word/media/%d", i)
	}
	return word("<w:p/>", more...)
}

// lyingSizes returns a document whose archive says that a large part has one byte.
func lyingSizes() []byte {
	large := []byte(documentStart + "<w:p><w:r><w:t>" + strings.Repeat("b", 100<<20) + "</w:t></w:r></w:p>" + documentEnd)
	var b, packed bytes.Buffer
	w := zip.NewWriter(&b)
	for _, p := range packageParts() {
		entry, err := w.Create(p.name)
		must(err)
		_, err = io.WriteString(entry, p.content)
		must(err)
	}

	packed.Write(deflate(large))
	raw := packed.Bytes()[2 : packed.Len()-4] // without the header and the checksum of zlib
	entry, err := w.CreateRaw(&zip.FileHeader{
		Name:               "word/document.xml",
		Method:             zip.Deflate,
		UncompressedSize64: 1,
		CompressedSize64:   uint64(len(raw)),
	})

	must(err)
	_, err = entry.Write(raw)
	must(err)
	must(w.Close())

	return b.Bytes()
}

// entityExpansion returns the "billion laughs" attack.
func entityExpansion() []byte {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a0 "ha">`)
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&b, `<!ENTITY a%d "%s">`, i, strings.Repeat(fmt.Sprintf("&a%d;", i-1), 10))
	}
	b.WriteString("]>" + documentStart + "<w:p><w:r><w:t>&a29;</w:t></w:r></w:p>" + documentEnd)
	return document(b.String())
}

// externalEntity returns a document that includes a file of the server.
func externalEntity() []byte {
	return document(`<?xml version="1.0"?><!DOCTYPE d [<!ENTITY file SYSTEM "file:///etc/hostname">]>` +
		documentStart + "<w:p><w:r><w:t>&file;</w:t></w:r></w:p>" + documentEnd)
}

// styleCycle returns a document with two styles that are based on each other.
func styleCycle() []byte {
	styles := `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">` +
		`<w:style w:type="paragraph" w:styleId="A"><w:basedOn w:val="B"/></w:style>` +
		`<w:style w:type="paragraph" w:styleId="B"><w:basedOn w:val="A"/></w:style></w:styles>`
	return word(`<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr><w:r><w:t>Round and round</w:t></w:r></w:p>`,
		part{"word/styles.xml", styles},
		part{"word/_rels/document.xml.rels", related(
			`<Relationship Id="s" Type="` + office + `/styles" Target="styles.xml"/>`)})
}

// regularExpressions returns text on which careless regular expressions take quadratic time: no spaces, and parts of
// addresses and dates.
func regularExpressions() []byte {
	var b strings.Builder
	units := []string{"a", "a.", "1", "1-", "+1 ", "a@", "@", "/", "\t", "jan ", "2019-", "- ", "http://", "("}
	for _, unit := range units {
		b.WriteString("<w:p><w:r><w:t>" + strings.Repeat(unit, 40_000/len(unit)) + "</w:t></w:r></w:p>")
	}
	return word(b.String())
}

// encryptedOffice returns the header and the directory of the container in which Office stores a document with a
// password.
func encryptedOffice() []byte {
	file := make([]byte, 4096)
	copy(file, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
	copy(file[24:], "\x3E\x00\x03\x00\xFE\xFF\x09\x00\x06\x00")
	file[44], file[48] = 1, 1 // one sector of the allocation table, the directory in sector 1
	copy(file[60:], "\xFE\xFF\xFF\xFF\x00\x00\x00\x00\xFE\xFF\xFF\xFF")

	for i := 80; i < 1024; i++ {
		file[i] = 0xFF
	}

	copy(file[512:], "\xFD\xFF\xFF\xFF\xFE\xFF\xFF\xFF")

	for i, name := range []string{"Root Entry", "EncryptionInfo", "EncryptedPackage"} {
		at := 1024 + 128*i
		for j, r := range name {
			file[at+2*j] = byte(r)
		}
		file[at+64] = byte(2*len(name) + 2)
		file[at+66] = 2
	}

	file[1024+66] = 5
	return file
}

func jpeg() []byte {
	header := "\xFF\xD8\xFF\xE0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
	return append([]byte(header), bytes.Repeat([]byte{0x5A}, 100_000)...)
}

func deflate(content []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, err := w.Write(content)
	must(err)
	must(w.Close())
	return b.Bytes()
}
