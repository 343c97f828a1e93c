package resume

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"freelancer-matching/internal/matching"
)

// A Format is a kind of file that can be read.
type Format uint8

// The formats.
const (
	PDF Format = iota + 1
	DOCX
)

// String returns the usual ending of names of such files, without a dot.
func (f Format) String() string {
	if f == PDF {
		return "pdf"
	}
	return "docx"
}

// Signatures of files. A PDF may have up to 1 KiB before its signature (ISO 32000, annex H).
const (
	pdfMagic    = "%PDF-"
	pdfWithin   = 1024
	zipMagic    = "PK\x03\x04"
	zipEntry    = "PK\x01\x02" // in the directory of the archive
	officeMagic = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"
)

// Kind returns the format of a file, judged by its content. For any other kind of file, it returns a matching.Error
// with CodeUnsupported that names the kind and says what to upload instead. A password-protected Office file counts as
// DOCX, whose reader returns CodeEncrypted.
func Kind(file []byte) (Format, error) {
	isZip := bytes.HasPrefix(file, []byte(zipMagic))
	if isZip {
		kind := zipKind(file)
		if kind == "" {
			return DOCX, nil
		}
		if !bytes.Contains(file[:min(len(file), pdfWithin)], []byte(pdfMagic)) {
			return 0, unsupported(kind)
		}
	}
	if bytes.Contains(file[:min(len(file), pdfWithin+len(pdfMagic)-1)], []byte(pdfMagic)) {
		return PDF, nil
	}
	if EncryptedOffice(file) {
		return DOCX, nil
	}
	return 0, unsupported(otherKind(file))
}

// EncryptedOffice reports whether a file is a password-protected Office file: a compound file (MS-CFB) with the stream
// EncryptedPackage (MS-OFFCRYPTO).
func EncryptedOffice(file []byte) bool {
	return bytes.HasPrefix(file, []byte(officeMagic)) && holdsStream(file, "EncryptedPackage")
}

// unsupported returns the error for a file of another kind. The kind ends with advice and a period.
func unsupported(kind string) error {
	return &matching.Error{
		Code: CodeUnsupported, Message: "The file must be a PDF or a Word document (.docx). This one is " + kind,
	}
}

// Advice for several kinds of file.
const (
	saveAs  = ". Open it, save it as .docx or PDF and upload that."
	picture = ". A resume must contain text; upload the PDF or Word document it was made from."
	unpack  = ". Unpack it and upload the resume it contains."
)

// otherKind describes a file that is neither a PDF nor a zip archive, by its first bytes.
func otherKind(file []byte) string {
	start := file[:min(len(file), 512)]
	for _, known := range []struct {
		at    int
		magic string
		kind  string
	}{
		{0, "{\\rtf", "rich text (.rtf)" + saveAs},
		{0, "\x89PNG\r\n\x1a\n", "a picture (PNG)" + picture},
		{0, "\xFF\xD8\xFF", "a picture (JPEG)" + picture},
		{0, "GIF8", "a picture (GIF)" + picture},
		{0, "II*\x00", "a picture (TIFF)" + picture},
		{0, "MM\x00*", "a picture (TIFF)" + picture},
		{0, "BM", "a picture (BMP)" + picture},
		{8, "WEBP", "a picture (WebP)" + picture},
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
	return textKind(start)
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

// textKind describes a file without a known signature, by its first bytes.
func textKind(start []byte) string {
	if len(bytes.TrimSpace(start)) == 0 {
		return "empty. Upload one with text."
	}
	text := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(string(start), "\uFEFF")))
	for _, known := range []struct{ part, kind string }{
		{"<?mso-application progid=\"word.document\"", "a Word document in XML (.xml)" + saveAs},
		{"<!doctype html", "a web page (HTML). Print it as PDF and upload that."},
		{"<html", "a web page (HTML). Print it as PDF and upload that."},
		{"message-id:", "an email message. Upload the resume attached to it."},
		{"mime-version:", "an email message. Upload the resume attached to it."},
		{"\\documentclass", "LaTeX. Compile it to PDF and upload that."},
	} {
		if strings.Contains(text, known.part) {
			return known.kind
		}
	}
	switch {
	case strings.HasPrefix(text, "<?xml"):
		return "XML. Upload a PDF or Word document made from it."
	case strings.HasPrefix(text, "{") || strings.HasPrefix(text, "["):
		return "JSON. Upload a PDF or Word document made from it."
	case isText(start):
		return "plain text" + saveAs
	default:
		return "of an unknown kind. Upload the resume itself."
	}
}

// isText reports whether the start of a file is text in UTF-8 or UTF-16. Its last character may be incomplete.
func isText(start []byte) bool {
	if bytes.HasPrefix(start, []byte{0xFF, 0xFE}) || bytes.HasPrefix(start, []byte{0xFE, 0xFF}) {
		return true
	}
	if bytes.ContainsFunc(start, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1b", r) }) {
		return false
	}
	for cut := range utf8.UTFMax {
		if len(start) > cut && utf8.Valid(start[:len(start)-cut]) {
			return true
		}
	}
	return false
}

// zipKind describes a zip archive by the names in it. It returns "" for a Word document.
func zipKind(file []byte) string {
	var word, types bool
	other := ""
	for _, name := range zipNames(file) {
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
	firstEntry := file[min(len(file), 30):] // its name, followed by its content
	switch {
	case word && types:
		return ""
	case bytes.HasPrefix(firstEntry, []byte("mimetypeapplication/vnd.oasis.opendocument.text")):
		return "an OpenDocument text (.odt)" + saveAs
	case bytes.HasPrefix(firstEntry, []byte("mimetypeapplication/vnd.oasis.opendocument")):
		return "an OpenDocument file" + saveAs
	case bytes.HasPrefix(firstEntry, []byte("mimetypeapplication/epub+zip")):
		return "a book (.epub)" + saveAs
	case word:
		return "a Word document without its content types" + saveAs
	case other != "":
		return other
	case types:
		return "an incomplete Office document, or not a Word document" + saveAs
	default:
		return "an archive (zip)" + unpack
	}
}

// zipNames returns the names of an archive's entries. They come from its directory, so names in nested archives don't
// count. If the directory is damaged, they come from the header of each entry.
func zipNames(file []byte) []string {
	const maxNames = 10_000
	var names []string
	if bytes.Count(file, []byte(zipEntry)) <= maxNames {
		if z, err := zip.NewReader(bytes.NewReader(file), int64(len(file))); err == nil {
			for _, f := range z.File {
				names = append(names, f.Name)
			}
			return names
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
	return names
}
