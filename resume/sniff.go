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

// Format is a kind of file that can be read.
type Format uint8

// The formats.
const (
	PDF Format = iota + 1
	DOCX
)

// The begins of files. A PDF may have up to a KiB before its own (ISO 32000, annex H; every reader allows it).
const (
	pdfMagic    = "%PDF-"
	pdfWithin   = 1024
	zipMagic    = "PK\x03\x04"
	zipEntry    = "PK\x01\x02" // in the directory
	officeMagic = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"
)

// Kind is the format of a file by its content; its name plays no part. Anything else is an Error with CodeUnsupported that says
// what it seems to be, and what to do about it. Protected Office files count as DOCX, whose reader says that they are protected.
func Kind(file []byte) (Format, error) {
	isZip := bytes.HasPrefix(file, []byte(zipMagic))
	if isZip {
		seems := zipKind(file)
		if seems == "" {
			return DOCX, nil
		}
		if !bytes.Contains(file[:min(len(file), pdfWithin)], []byte(pdfMagic)) {
			return 0, unsupported(seems)
		}
	}
	if bytes.Contains(file[:min(len(file), pdfWithin+len(pdfMagic)-1)], []byte(pdfMagic)) {
		return PDF, nil
	}
	if EncryptedOffice(file) {
		return DOCX, nil
	}
	return 0, unsupported(seems(file))
}

// EncryptedOffice tells a protected Office file: a compound file (MS-CFB) with the stream EncryptedPackage (MS-OFFCRYPTO).
func EncryptedOffice(file []byte) bool {
	return bytes.HasPrefix(file, []byte(officeMagic)) && holdsStream(file, "EncryptedPackage")
}

func unsupported(seems string) error {
	return &matching.Error{
		Code: CodeUnsupported, Message: "a resume must be a PDF or a Word document (.docx), and this file is " + seems,
	}
}

// What is said of several kinds of file.
const (
	saveAs    = "; open it, save it as .docx or PDF and upload that"
	picture   = "; a resume must hold text, so upload the PDF or Word document it was made from"
	unpack    = "; unpack it and upload the resume in it"
	container = "a compound file of an unknown program" + saveAs
)

// seems is what a file is that is no zip archive, by its first bytes.
func seems(file []byte) string {
	start := file[:min(len(file), 512)]
	for _, known := range []struct {
		at    int
		magic string
		seems string
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
		{0, "%!PS", "PostScript; convert it to PDF and upload that"},
		{0, "\x1F\x8B", "a compressed file (gzip)" + unpack},
		{0, "BZh", "a compressed file (bzip2)" + unpack},
		{0, "\xFD7zXZ\x00", "a compressed file (xz)" + unpack},
		{0, "7z\xBC\xAF\x27\x1C", "an archive (7z)" + unpack},
		{0, "Rar!\x1A\x07", "an archive (RAR)" + unpack},
		{0, "PK\x05\x06", "an empty archive (zip); upload the resume itself"},
		{257, "ustar", "an archive (tar)" + unpack},
		{0, "MZ", "a program; upload the resume itself"},
		{0, "\x7FELF", "a program; upload the resume itself"},
		{0, "\xFFWPC", "a WordPerfect document" + saveAs},
		{0, "\xDB\xA5", "a document of Word 2 (.doc)" + saveAs},
	} {
		if len(start) >= known.at && bytes.HasPrefix(start[known.at:], []byte(known.magic)) {
			return known.seems
		}
	}
	if bytes.HasPrefix(file, []byte(officeMagic)) {
		return compoundKind(file)
	}
	return textKind(start)
}

// compoundKind is what a compound file is (Office 97 to 2003 and Outlook), by the names of its streams.
func compoundKind(file []byte) string {
	for _, known := range []struct{ stream, seems string }{
		{"WordDocument", "a document of Word 97 to 2003 (.doc)" + saveAs},
		{"Workbook", "a spreadsheet (.xls)" + saveAs},
		{"Book", "a spreadsheet (.xls)" + saveAs},
		{"PowerPoint Document", "a presentation (.ppt)" + saveAs},
		{"__properties_version1.0", "a message of Outlook (.msg); upload the resume attached to it"},
	} {
		if holdsStream(file, known.stream) {
			return known.seems
		}
	}
	return container
}

// holdsStream tells whether a compound file has an entry of the name in its directory: UTF-16, with its length after 64 bytes.
func holdsStream(file []byte, name string) bool {
	const room, entry = 64, 128
	var wanted []byte
	for _, unit := range utf16.Encode([]rune(name)) {
		wanted = binary.LittleEndian.AppendUint16(wanted, unit)
	}
	for at := 512; at+entry <= len(file); at += entry { // sectors, and so entries, begin at multiples of 128
		if bytes.HasPrefix(file[at:], wanted) && int(binary.LittleEndian.Uint16(file[at+room:])) == len(wanted)+2 {
			return true
		}
	}
	return false
}

// textKind is what a file is that has no mark of its kind.
func textKind(start []byte) string {
	if len(bytes.TrimSpace(start)) == 0 {
		return "empty; upload one with text"
	}
	text := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(string(start), "\uFEFF")))
	for _, known := range []struct{ part, seems string }{
		{"<?mso-application progid=\"word.document\"", "a Word document in XML (.xml)" + saveAs},
		{"<!doctype html", "a web page (HTML); print it as PDF and upload that"},
		{"<html", "a web page (HTML); print it as PDF and upload that"},
		{"message-id:", "an e-mail message; upload the resume attached to it"},
		{"mime-version:", "an e-mail message; upload the resume attached to it"},
		{"\\documentclass", "LaTeX; compile it to PDF and upload that"},
	} {
		if strings.Contains(text, known.part) {
			return known.seems
		}
	}
	switch {
	case strings.HasPrefix(text, "<?xml"):
		return "XML; upload a PDF or Word document made from it"
	case strings.HasPrefix(text, "{") || strings.HasPrefix(text, "["):
		return "JSON; upload a PDF or Word document made from it"
	case isText(start):
		return "plain text" + saveAs
	default:
		return "of an unknown kind; upload the resume itself"
	}
}

// isText tells text in UTF-8 or UTF-16. The last character may be cut.
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

// zipKind is what a zip archive is, by the names in it; "": a Word document.
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
			other = "a document of Apple's Pages; export it as PDF or Word and upload that"
		}
	}
	switch {
	case word && types:
		return ""
	case bytes.HasPrefix(file[min(len(file), 30):], []byte("mimetypeapplication/vnd.oasis.opendocument.text")):
		return "an OpenDocument text (.odt)" + saveAs
	case bytes.HasPrefix(file[min(len(file), 30):], []byte("mimetypeapplication/vnd.oasis.opendocument")):
		return "an OpenDocument file" + saveAs
	case bytes.HasPrefix(file[min(len(file), 30):], []byte("mimetypeapplication/epub+zip")):
		return "a book (.epub)" + saveAs
	case word:
		return "a Word document without its list of parts" + saveAs
	case other != "":
		return other
	case types:
		return "an Office document that is cut off, or not of Word" + saveAs
	default:
		return "an archive (zip)" + unpack
	}
}

// zipNames are the names of the entries of an archive: from its directory, which leaves out those of archives within, or
// from where entries begin, if it has none that can be read.
func zipNames(file []byte) []string {
	const most = 10_000
	var names []string
	if bytes.Count(file, []byte(zipEntry)) <= most {
		if z, err := zip.NewReader(bytes.NewReader(file), int64(len(file))); err == nil {
			for _, f := range z.File {
				names = append(names, f.Name)
			}
			return names
		}
	}
	for rest := file; len(names) < most; rest = rest[len(zipMagic):] {
		const length, at = 26, 30 // of the length of the name, and of the name
		begin := bytes.Index(rest, []byte(zipMagic))
		if begin < 0 || begin+at > len(rest) {
			break
		}
		rest = rest[begin:]
		if end := at + int(binary.LittleEndian.Uint16(rest[length:])); end <= len(rest) {
			names = append(names, string(rest[at:end]))
		}
	}
	return names
}
