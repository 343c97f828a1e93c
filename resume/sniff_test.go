package resume_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/realdata"
	"github.com/freelancer-matching/service/resume"
)

// archive returns a zip archive of uncompressed entries. Their names and contents alternate.
func archive(tb testing.TB, namesAndContents ...string) string {
	tb.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(namesAndContents); i += 2 {
		content := namesAndContents[i+1]
		w, err := z.CreateRaw(&zip.FileHeader{
			Name: namesAndContents[i], CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(len(content)),
		})
		if err == nil {
			_, err = w.Write([]byte(content))
		}

		if err != nil {
			tb.Fatal(err)
		}
	}

	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}

	return b.String()
}

// compound returns the start of a compound file with one stream.
func compound(stream string) string {
	file := make([]byte, 1024)
	copy(file, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
	for i, r := range stream {
		file[512+2*i] = byte(r)
	}
	file[512+64] = byte(2*len(stream) + 2)
	return string(file)
}

func TestKind(t *testing.T) {
	word := archive(t, "[Content_Types].xml", "", "_rels/.rels", "", "word/document.xml", "")
	for _, test := range []struct {
		name, file string
		want       resume.Format
	}{
		{"PDF", "%PDF-1.7\n", resume.PDF},
		{"PDF after a byte order mark", "\uFEFF%PDF-1.4\n", resume.PDF},
		{"PDF at the end of the first KiB", strings.Repeat("x", 1024-5) + "%PDF-1.4", resume.PDF},
		{"PDF after the signature of a picture", "\xFF\xD8\xFF\xE0 %PDF-1.4", resume.PDF},
		{"DOCX", word, resume.DOCX},
		{"DOCX with an embedded PDF", archive(t, "word/a.pdf", "%PDF-1.4", "[Content_Types].xml", ""), resume.DOCX},
		{"DOCX with an embedded spreadsheet", archive(t, "[Content_Types].xml", "", "word/document.xml", "",
			"word/embeddings/x.xlsx", archive(t, "[Content_Types].xml", "", "xl/workbook.xml", "")), resume.DOCX},
		{"DOCX that is cut off", word[:len(word)-30], resume.DOCX},
		{"DOCX with backslashes", archive(t, "[Content_Types].xml", "", `word\document.xml`, ""), resume.DOCX},
		{"protected DOCX", compound("EncryptedPackage"), resume.DOCX},
		{"DOCX with its main part in another folder", archive(t, "[Content_Types].xml", `<Types><Override PartName=`+
			`"/doc/main.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>`,
			"_rels/.rels", "", "doc/main.xml", ""), resume.DOCX},
		{"PDF after 1024 bytes", strings.Repeat("x", 1024) + "%PDF-1.4", resume.PDF},
		{"PDF after many blank bytes", strings.Repeat("\x00 \r\n", 1000) + "%PDF-1.4", resume.PDF},
		{"ODT", archive(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml", ""), resume.ODT},
		{"ODT whose type is not first", archive(t, "content.xml", "", "mimetype",
			"application/vnd.oasis.opendocument.text-template"), resume.ODT},
		{"RTF", `{\rtf1\ansi`, resume.RTF},
		{"RTF after blank bytes", "\r\n {\\rtf1\\ansi", resume.RTF},
		{"HTML", "\n<!DOCTYPE html><html>", resume.HTML},
		{"XHTML", `<?xml version="1.0"?><html xmlns="x">`, resume.HTML},
		{"HTML in UTF-16", "\xFF\xFE<\x00h\x00t\x00m\x00l\x00>\x00", resume.HTML},
		{"part of a page", "<div class=resume>\n<h1>Ada</h1>", resume.HTML},
		{"text", "Ada Example\nEngineer", resume.Plain},
		{"text in UTF-16", "\xFF\xFEA\x00", resume.Plain},
		{"text in UTF-16 without a mark", "A\x00d\x00a\x00 \x00E\x00x\x00a\x00m\x00", resume.Plain},
		{"text in Windows-1252", "M\xFCller, Stra\xDFe 5", resume.Plain},
		{"text that mentions tags", "I know <html> and <css>", resume.Plain},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, err := resume.Kind([]byte(test.file)); got != test.want || err != nil {
				t.Errorf("got %v and error %v, want %v", got, err, test.want)
			}
		})
	}
}

func TestKind_NamesUnsupportedFiles(t *testing.T) {
	docx := archive(t, "[Content_Types].xml", "", "word/document.xml", "")
	for _, test := range []struct{ name, file, want string }{
		{"empty file", "", "empty"},
		{"white space", " \n\t", "empty"},
		{"PNG", "\x89PNG\r\n\x1a\n\x00", "a picture (PNG)"},
		{"JPEG", "\xFF\xD8\xFF\xE0\x00\x10JFIF", "a picture (JPEG)"},
		{"HEIC", "\x00\x00\x00\x18ftypheic", "a picture (HEIC)"},
		{"WebP", "RIFF\x00\x00\x00\x00WEBP", "a picture (WebP)"},
		{"DOC", compound("WordDocument"), ".doc)"},
		{"XLS", compound("Workbook"), ".xls)"},
		{"PPT", compound("PowerPoint Document"), ".ppt)"},
		{"MSG", compound("__properties_version1.0"), ".msg)"},
		{"unknown compound file", compound("Contents"), "unknown program"},
		{"stream name that only ends like a known one", compound("XEncryptedPackage"), "unknown program"},
		{"PPTX", archive(t, "[Content_Types].xml", "", "ppt/presentation.xml", ""), ".pptx"},
		{"XLSX", archive(t, "[Content_Types].xml", "", "xl/workbook.xml", ""), ".xlsx"},
		{"ODS", archive(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet"), "OpenDocument"},
		{"EPUB", archive(t, "mimetype", "application/epub+zip"), ".epub"},
		{"Pages", archive(t, "Index/Document.iwa", ""), "Pages"},
		{"zip archive with a resume", archive(t, "resume.docx", docx), "Unpack it"},
		{"zip archive with a folder named word", archive(t, "word/notes.txt", ""), "without its content types"},
		{"Office document without a main part", archive(t, "[Content_Types].xml", ""), "incomplete"},
		{"empty archive", archive(t), "empty archive"},
		{"gzip", "\x1F\x8B\x08", "gzip"},
		{"7z", "7z\xBC\xAF\x27\x1C", "7z"},
		{"program", "MZ\x90\x00", "program"},
		{"PostScript", "%!PS-Adobe-3.0", "PostScript"},
		{"Word 2003 XML", `<?xml version="1.0"?><?mso-application progid="Word.Document"?>`, "Word document in XML"},
		{"XML", `<?xml version="1.0"?><resume/>`, "XML"},
		{"JSON", `{"basics": {}}`, "JSON"},
		{"LaTeX", "% my résumé\n\\documentclass{article}", "LaTeX"},
		{"email", "From: a\r\nMIME-Version: 1.0\r\n", "email"},
		{"PDF header far beyond the first KiB", strings.Repeat("\x01", 1025) + "%PDF-1.4", "unknown kind"},
		{"bytes after text", "Ada\x00\x01", "unknown kind"},
		{"any of them", "GIF89a", "PDF, Word (.docx), OpenDocument (.odt), rich text (.rtf), HTML or plain text"},
		{"bytes", "\x00\x01\x02\x03", "unknown kind"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := resume.Kind([]byte(test.file))
			if got != 0 || matching.CodeOf(err) != resume.CodeUnsupported || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v and error %v, want an error that contains %q", got, err, test.want)
			}
		})
	}
}

func TestKind_RealFiles(t *testing.T) {
	for folder, want := range map[string]resume.Format{
		"docx/python-docx": resume.DOCX, "docx/pandoc": resume.DOCX, "doc/poi_doc": 0,
	} {
		root := realdata.Path(t, "malformed", filepath.FromSlash(folder))
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}

			file, err := os.ReadFile(path)
			if err != nil {
				return err
			}

			if got, err := resume.Kind(file); got != want {
				t.Errorf("%s: got %v and error %v, want %v", path, got, err, want)
			}

			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzKind(f *testing.F) {
	f.Add([]byte(archive(f, "[Content_Types].xml", "", "word/document.xml", "")))
	f.Add([]byte(compound("WordDocument")))
	f.Add([]byte("%PDF-1.7"))
	f.Fuzz(func(t *testing.T, file []byte) {
		format, err := resume.Kind(file)
		if (format == 0) != (matching.CodeOf(err) == resume.CodeUnsupported) {
			t.Errorf("format %v with error %v", format, err)
		}
	})
}
