package resume

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume/charset"
)

// A Format is a kind of file that can be read.
type Format uint8

// The formats.
const (
	PDF Format = iota + 1
	DOCX
	ODT
	RTF
	HTML
	Plain // text
)

// String returns the usual ending of names of such files, without a dot.
func (f Format) String() string {
	return [...]string{"unknown", "pdf", "docx", "odt", "rtf", "html", "txt"}[f]
}

// Signatures of files. A PDF may have up to 1 KiB before its signature (ISO 32000, annex H).
const (
	pdfMagic    = "%PDF-"
	pdfWithin   = 1024
	rtfMagic    = "{\\rtf"
	zipMagic    = "PK\x03\x04"
	zipEntry    = "PK\x01\x02" // in the directory of the archive
	officeMagic = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"
)

// Kind returns the format of a file, judged by its content. For any other kind of file, it returns a matching.Error
// with CodeUnsupported that names the kind and says what to upload instead. A password-protected Office file counts as
// DOCX, whose reader returns CodeEncrypted.
func Kind(file []byte) (Format, error) {
	if bytes.HasPrefix(file, []byte(zipMagic)) {
		format, kind := zipKind(file)
		if format != 0 {
			return format, nil
		}
		if FindPDF(file) < 0 {
			return 0, unsupported(kind)
		}
	}

	// Signatures come first, from the most to the least specific: a file is judged as text only if none is known.
	if FindPDF(file) >= 0 {
		return PDF, nil
	}
	if EncryptedOffice(file) {
		return DOCX, nil
	}
	if bytes.HasPrefix(trimBlank(file), []byte(rtfMagic)) {
		return RTF, nil
	}
	if kind := binaryKind(file); kind != "" {
		return 0, unsupported(kind)
	}

	return textKind(file)
}

// FindPDF returns where the signature of a PDF file starts, or -1 without one: in the first KiB, or after any number of
// blank bytes.
func FindPDF(file []byte) int {
	if at := bytes.Index(file[:min(len(file), pdfWithin+len(pdfMagic))], []byte(pdfMagic)); at >= 0 {
		return at
	}
	if rest := trimBlank(file); bytes.HasPrefix(rest, []byte(pdfMagic)) {
		return len(file) - len(rest)
	}
	return -1
}

// trimBlank returns a file without white space, zero bytes and a byte order mark at its start.
func trimBlank(file []byte) []byte {
	const blank = " \t\r\n\f\v\x00"
	return bytes.TrimLeft(bytes.TrimPrefix(bytes.TrimLeft(file, blank), []byte("\uFEFF")), blank)
}

// EncryptedOffice reports whether a file is a password-protected Office file: a compound file (MS-CFB) with the stream
// EncryptedPackage (MS-OFFCRYPTO).
func EncryptedOffice(file []byte) bool {
	return bytes.HasPrefix(file, []byte(officeMagic)) && holdsStream(file, "EncryptedPackage")
}

// unsupported returns the error for a file of another kind. The kind ends with advice and a period.
func unsupported(kind string) error {
	return &matching.Error{
		Code: CodeUnsupported,
		Message: "The file must be a PDF, Word (.docx), OpenDocument (.odt), rich text (.rtf), HTML or plain text file. " +
			"This one is " + kind,
	}
}

// Advice for several kinds of file.
const (
	saveAs  = ". Open it, save it as .docx or PDF and upload that."
	picture = ". A resume must contain text; upload the PDF or Word document it was made from."
	unpack  = ". Unpack it and upload the resume it contains."
)

// binaryKind describes a file by the signature of a format that is not read. It returns "" without one.
func binaryKind(file []byte) string {
	start := file[:min(len(file), 512)]
	for _, known := range []struct {
		at    int
		magic string
		kind  string
	}{
		{0, "\x89PNG\r\n\x1a\n", "a picture (PNG)" + picture},
		{0, "\xFF\xD8\xFF", "a picture (JPEG)" + picture},
		{0, "GIF8", "a picture (GIF)" + picture},
		{0, "II*\x00", "a picture (TIFF)" + picture},
		{0, "MM\x00*", "a picture (TIFF)" + picture},
		{0, "BM", "a picture (BMP)" + picture},
		{8, "WEBP", "a picture (WebP)" + picture},
		// Pictures come before videos, whose signature is a prefix of theirs.
		{4, "ftyphei", "a picture (HEIC)" + picture},
		{4, "ftypavif", "a picture (AVIF)" + picture},
		{4, "ftyp", "a video" + picture},
		{0, "%!PS", "PostScript. Convert it to PDF and upload that."},
		{0, "\x1F\x8B", "a compressed file (gzip)" + unpack},
		{0, "BZh", "a compressed file (bzip2)" + unpack},
		{0, "\xFD7zXZ\x00", "a compressed file (xz)" + unpack},
		{0, "7z\xBC\xAF\x27\x1C", "an archive (7z)" + unpack},
		{0, "Rar!\x1A\x07", "an archive (RAR)" + unpack},
		{0, "PK\x05\x06", "an empty archive (zip). Upload the resume itself."},
		{257, "ustar", "an archive (tar)" + unpack},
		{0, "MZ", "a program. Upload the resume itself."},
		{0, "\x7FELF", "a program. Upload the resume itself."},
		{0, "\xFFWPC", "a WordPerfect document" + saveAs},
		{0, "\xDB\xA5", "a Word 2 document (.doc)" + saveAs},
	} {
		if len(start) >= known.at && bytes.HasPrefix(start[known.at:], []byte(known.magic)) {
			return known.kind
		}
	}

	if bytes.HasPrefix(file, []byte(officeMagic)) {
		return compoundKind(file)
	}

	return ""
}

// compoundKind describes a compound file (Office 97 to 2003, Outlook) by the names of its streams.
func compoundKind(file []byte) string {
	for _, known := range []struct{ stream, kind string }{
		{"WordDocument", "a Word 97 to 2003 document (.doc)" + saveAs},
		{"Workbook", "a spreadsheet (.xls)" + saveAs},
		{"Book", "a spreadsheet (.xls)" + saveAs},
		{"PowerPoint Document", "a presentation (.ppt)" + saveAs},
		{"__properties_version1.0", "an Outlook message (.msg). Upload the resume attached to it."},
	} {
		if holdsStream(file, known.stream) {
			return known.kind
		}
	}
	return "a compound file of an unknown program" + saveAs
}

// holdsStream reports whether the directory of a compound file has an entry with the name. An entry has 128 bytes: the
// name in UTF-16, and from byte 64 on its length in bytes, including a final zero.
func holdsStream(file []byte, name string) bool {
	const lengthAt, entrySize = 64, 128
	var wanted []byte
	for _, unit := range utf16.Encode([]rune(name)) {
		wanted = binary.LittleEndian.AppendUint16(wanted, unit)
	}
	for at := 512; at+entrySize <= len(file); at += entrySize { // entries start at multiples of 128
		length := int(binary.LittleEndian.Uint16(file[at+lengthAt:]))
		if length == len(wanted)+2 && bytes.HasPrefix(file[at:], wanted) {
			return true
		}
	}
	return false
}

// textKind returns the format of a file without a known signature. It returns an error for text that is made for
// programs, and for bytes that are not text.
func textKind(file []byte) (Format, error) {
	const sample = 4096
	if len(trimBlank(file)) == 0 {
		return 0, unsupported("empty. Upload one with text.")
	}
	if !isText(file) {
		return 0, unsupported("of an unknown kind. Upload the resume itself.")
	}

	start, _ := charset.Decode(file[:min(len(file), sample)], "")
	text := strings.ToLower(strings.TrimSpace(start))
	head := text[:min(len(text), 512)]
	for _, known := range []struct{ part, kind string }{
		{"<?mso-application progid=\"word.document\"", "a Word document in XML (.xml)" + saveAs},
		{"message-id:", "an email message. Upload the resume attached to it."},
		{"mime-version:", "an email message. Upload the resume attached to it."},
		{"\\documentclass", "LaTeX. Compile it to PDF and upload that."},
	} {
		if strings.Contains(head, known.part) {
			return 0, unsupported(known.kind)
		}
	}

	switch {
	case isHTML(text):
		return HTML, nil
	case strings.HasPrefix(text, "<?xml"):
		return 0, unsupported("XML. Upload a PDF or Word document made from it.")
	case strings.HasPrefix(text, "{") || strings.HasPrefix(text, "["):
		return 0, unsupported("JSON. Upload a PDF or Word document made from it.")
	default:
		return Plain, nil
	}
}

// isHTML reports whether a text, in lower case, starts like a web page.
func isHTML(text string) bool {
	if !strings.HasPrefix(text, "<") {
		return false
	}
	if strings.Contains(text, "<html") || strings.HasPrefix(text, "<!doctype html") {
		return true
	}
	name, _, _ := strings.Cut(strings.TrimLeft(text, "</"), ">")
	name, _, _ = strings.Cut(name, " ")
	switch name {
	case "head", "body", "meta", "title", "style", "div", "p", "h1", "h2", "table", "section", "article", "header",
		"main", "ul", "center", "font", "span", "b":
		return true
	}
	return false
}

// isText reports whether a file is text in any encoding: it has no control characters other than those of text.
func isText(file []byte) bool {
	for _, mark := range []string{"\xFF\xFE", "\xFE\xFF", "\x00\x00\xFE\xFF"} {
		if bytes.HasPrefix(file, []byte(mark)) {
			return true
		}
	}
	if charset.IsWide(file, 0) || charset.IsWide(file, 1) {
		return true
	}
	file = bytes.TrimRight(file, "\x00\x1A") // padding, and the end mark of DOS
	for _, c := range file {
		if c < ' ' && strings.IndexByte("\t\n\v\f\r\x1b", c) < 0 {
			return false
		}
	}
	return len(file) > 0
}

// zipKind returns the format of a zip archive by its content. For other archives, it returns a description.
func zipKind(file []byte) (format Format, kind string) {
	names, read := zipEntries(file)
	var word, types bool
	other := ""
	for _, name := range names {
		// Some programs write backslashes or absolute names, against the specification.
		name = strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(name, `\`, "/"), "/"))
		switch {
		case strings.HasPrefix(name, "word/"):
			word = true
		case name == "[content_types].xml":
			types = true
		case strings.HasPrefix(name, "ppt/"):
			other = "a presentation (.pptx)" + saveAs
		case strings.HasPrefix(name, "xl/"):
			other = "a spreadsheet (.xlsx)" + saveAs
		case strings.HasPrefix(name, "index/") && strings.HasSuffix(name, ".iwa"):
			other = "an Apple Pages document. Export it as PDF or Word and upload that."
		}
	}

	const opendocument = "application/vnd.oasis.opendocument"
	mimetype := read("mimetype")
	switch {
	case word && types:
		return DOCX, ""
	case strings.HasPrefix(mimetype, opendocument+".text"):
		return ODT, ""
	case strings.HasPrefix(mimetype, opendocument):
		return 0, "an OpenDocument file" + saveAs
	case strings.HasPrefix(mimetype, "application/epub+zip"):
		return 0, "a book (.epub)" + saveAs
	case word:
		return 0, "a Word document without its content types" + saveAs
	case other != "":
		return 0, other
	case types && namesWordType(read("[Content_Types].xml")):
		return DOCX, ""
	case types:
		return 0, "an incomplete Office document, or not a Word document" + saveAs
	default:
		return 0, "an archive (zip)" + unpack
	}
}

// wordTypes are the content types of the main parts of Word documents and templates.
var wordTypes = []string{
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.template.main",
	"application/vnd.ms-word.document.macroenabled.main",
	"application/vnd.ms-word.template.macroenabledtemplate.main",
}

// IsWordType reports whether the main part of a Word document or template may have a content type.
func IsWordType(contentType string) bool {
	return slices.Contains(wordTypes, strings.TrimSuffix(strings.ToLower(contentType), "+xml"))
}

// namesWordType reports whether the content types of an archive include the type of a Word document, whose main part
// may have any name.
func namesWordType(types string) bool {
	types = strings.ToLower(types)
	return slices.ContainsFunc(wordTypes, func(t string) bool { return strings.Contains(types, t) })
}

// zipEntries returns the names of an archive's entries, and a function that returns the start of an entry's content, or
// "" if it can't be read. The names come from the archive's directory, so names in nested archives don't count. If the
// directory is damaged, they come from the header of each entry.
func zipEntries(file []byte) (names []string, read func(name string) string) {
	const maxNames, maxContent = 10_000, 1 << 20
	if bytes.Count(file, []byte(zipEntry)) <= maxNames {
		if z, err := zip.NewReader(bytes.NewReader(file), int64(len(file))); err == nil {
			for _, f := range z.File {
				names = append(names, f.Name)
			}

			return names, func(name string) string {
				entry, err := z.Open(name)
				if err != nil {
					return ""
				}
				defer entry.Close()

				content, _ := io.ReadAll(io.LimitReader(entry, maxContent)) // of a damaged entry, the start
				return string(content)
			}
		}
	}

	for rest := file; len(names) < maxNames; rest = rest[len(zipMagic):] {
		const lengthAt, nameAt = 26, 30 // in the header of an entry
		start := bytes.Index(rest, []byte(zipMagic))
		if start < 0 || start+nameAt > len(rest) {
			break
		}

		rest = rest[start:]
		if end := nameAt + int(binary.LittleEndian.Uint16(rest[lengthAt:])); end <= len(rest) {
			names = append(names, string(rest[nameAt:end]))
		}
	}

	return names, func(name string) string { // only the first entry, without compression
		const headerSize = 30
		content, _ := bytes.CutPrefix(file[min(len(file), headerSize):], []byte(name))
		return string(content[:min(len(content), 100)])
	}
}
