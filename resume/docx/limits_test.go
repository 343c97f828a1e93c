package docx_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/resume"
	"github.com/freelancer-matching/service/resume/docx"
	"github.com/freelancer-matching/service/resume/flow"
)

// noise returns text that compresses badly, so that the compression ratio doesn't decide.
func noise(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = 'a' + byte(random.UintN(26))
	}
	return string(b)
}

// lying returns a document whose main part declares a size of ten bytes.
func lying(tb testing.TB, content string) []byte {
	tb.Helper()
	var file, packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		tb.Fatal(err)
	}

	if _, err := w.Write([]byte(content)); err != nil {
		tb.Fatal(err)
	}

	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}

	z := zip.NewWriter(&file)
	raw, err := z.CreateRaw(&zip.FileHeader{
		Name: "word/document.xml", Method: zip.Deflate, CRC32: crc32.ChecksumIEEE([]byte(content)),
		CompressedSize64: uint64(packed.Len()), UncompressedSize64: 10,
	})
	if err != nil {
		tb.Fatal(err)
	}

	if _, err := raw.Write(packed.Bytes()); err != nil {
		tb.Fatal(err)
	}

	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}

	return file.Bytes()
}

// A bomb is a file that exceeds a limit.
type bomb struct {
	name string
	make func(testing.TB) []byte
	want matching.Code
}

func bombs() []bomb {
	body := func(content string) func(testing.TB) []byte {
		return func(tb testing.TB) []byte { return bodyOf(content).file(tb) }
	}
	document := func(content string) func(testing.TB) []byte {
		return func(tb testing.TB) []byte { return bodyOf("").with("word/document.xml", content).file(tb) }
	}
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "#", strconv.Itoa(i)))
		}
		return b.String()
	}

	open := func(n int, tag string) string { return strings.Repeat("<w:"+tag+">", n) }
	entities := `<!DOCTYPE w:document [<!ENTITY a "aaaaaaaaaa">` +
		strings.ReplaceAll(numbered(9, `<!ENTITY b# "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">`), "b0", "b") + `]>`

	return []bomb{
		{"part with 16 MB of spaces", body(strings.Repeat(" ", 16<<20)), resume.CodeTooComplex},
		{
			"16 MB declared as ten bytes",
			func(tb testing.TB) []byte { return lying(tb, strings.Repeat(" ", 16<<20)) },
			resume.CodeCorrupt,
		},
		{"2,000,000 paragraphs", body(strings.Repeat(p(""), 2_000_000)), resume.CodeTooComplex},
		{"600,000 unknown tags", body(numbered(600_000, "<w:x#/>")), resume.CodeTooComplex},
		{"2,000,000 nested elements", body(open(2_000_000, "p")), resume.CodeTooComplex},
		{"nested tables", body(open(200, "tbl><w:tr><w:tc")), resume.CodeTooComplex},
		{"nested text boxes", body(open(100, "p><w:r><w:txbxContent")), resume.CodeTooComplex},
		{
			"entity expansion",
			document(entities + `<w:document` + spaces + `><w:body>` + p(t("&b8;")) + `</w:body></w:document>`),
			resume.CodeCorrupt,
		},
		{
			"external entity",
			document(`<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/hostname">]><w:document` + spaces + `>` + p(t("&x;")) +
				`</w:document>`),
			resume.CodeCorrupt,
		},
		{"tag with 300,000 attributes", body(`<w:p ` + numbered(300_000, ` a#=""`) + `/>`), resume.CodeTooComplex},
		{"100,000 namespaces", body(strings.Repeat(`<w:p `+numbered(500, ` xmlns:n#=""`)+`>`, 200)), resume.CodeTooComplex},
		{"text of 4 MB", body(p(t(strings.Repeat(noise(10_000), 400)))), resume.CodeTooComplex},
		{"600,000 characters", body(strings.Repeat(p(t(noise(6000))), 100)), resume.CodeTooComplex},
		{
			"text in 600,000 pieces",
			body(p(`<w:r><w:t>` + numbered(600_000, `a<!--#-->`) + `</w:t></w:r>`)),
			resume.CodeTooComplex,
		},
		{"30,000 relationships", func(tb testing.TB) []byte {
			list := relations(numbered(30_000, `<R Id="#" Target="#"/>`))
			return bodyOf(p(t("x"))).with("word/_rels/document.xml.rels", list).file(tb)
		}, resume.CodeTooComplex},
		{"30,000 styles", func(tb testing.TB) []byte {
			return bodyOf(p(t("x"))).styled(numbered(30_000, `<w:style w:styleId="#"/>`)).file(tb)
		}, resume.CodeTooComplex},
		{
			"fields without an end",
			body(strings.Repeat(p(`<w:r><w:fldChar w:fldCharType="begin"/></w:r>`+t("x")), 30_000)),
			resume.CodeTooComplex,
		},
		{"30,000 entries", func(tb testing.TB) []byte {
			var file bytes.Buffer
			z := zip.NewWriter(&file)
			for i := range 30_000 {
				if _, err := z.CreateRaw(&zip.FileHeader{Name: strconv.Itoa(i)}); err != nil {
					tb.Fatal(err)
				}
			}

			if err := z.Close(); err != nil {
				tb.Fatal(err)
			}

			return file.Bytes()
		}, resume.CodeTooComplex},
		{"file of 11 MB", func(tb testing.TB) []byte {
			return append(bodyOf(p(t("x"))).file(tb), noise(11<<20)...)
		}, resume.CodeTooComplex},
		{"styles based on each other", func(tb testing.TB) []byte {
			return bodyOf(p(`<w:pPr><w:pStyle w:val="a"/></w:pPr>`)).
				styled(`<w:style w:styleId="a"><w:basedOn w:val="b"/></w:style>` +
					`<w:style w:styleId="b"><w:basedOn w:val="a"/></w:style>`).file(tb)
		}, resume.CodeNoText},
		{"main part that is the list of relationships", func(tb testing.TB) []byte {
			return bodyOf("").with("_rels/.rels", relations(relation("x", "officeDocument", "_rels/.rels"))).file(tb)
		}, resume.CodeNoText},
	}
}

// Bombs that exceed the compression ratio are read again without that limit, because an attacker can lower the ratio.
func TestRead_StopsBombs(tt *testing.T) {
	if testing.Short() {
		tt.Skip("one goroutine reads large files, which the race detector makes ten times slower")
	}

	anyRatio := flow.DefaultLimits()
	anyRatio.Ratio = 1 << 30
	for _, test := range bombs() {
		tt.Run(test.name, func(tt *testing.T) {
			file := test.make(tt)
			for _, limits := range []flow.Limits{flow.DefaultLimits(), anyRatio} {
				peak := watchMemory(tt)
				_, err := docx.New(limits).Read(tt.Context(), file)
				const limit = 128 << 20
				grown := peak()
				if grown > limit {
					tt.Errorf("used %d MB of memory, want at most %d", grown>>20, limit>>20)
				}

				if got := matching.CodeOf(err); got != test.want {
					tt.Errorf("got %v, want code %s", err, test.want)
				}

				tt.Logf("%d MB, %v", grown>>20, err)

				if !strings.Contains(fmt.Sprint(err), "times as large") {
					break // another limit was exceeded
				}
			}
		})
	}
}

// Each limit in turn is set just too low for a document.
func TestRead_Limits(tt *testing.T) {
	body := ""
	text := noise(340_000)
	for i := range 20 {
		body += p(t(text[i*17_000 : (i+1)*17_000]))
	}

	file := bodyOf(body).
		with("word/header.xml", `<w:hdr`+spaces+`><!--`+noise(100_000)+`--></w:hdr>`).
		with("word/_rels/document.xml.rels", relations(relation("h", "header", "header.xml"))).file(tt)
	for _, test := range []struct {
		limit string // a part of the message
		lower func(*flow.Limits)
		fits  func(*flow.Limits)
	}{
		{"bytes, but", func(l *flow.Limits) { l.File = len(file) - 1 }, func(l *flow.Limits) { l.File = len(file) }},
		{"entries", func(l *flow.Limits) { l.Entries = 4 }, func(l *flow.Limits) { l.Entries = 5 }},
		{"times as large", func(l *flow.Limits) { l.Ratio = 1 }, func(l *flow.Limits) { l.Ratio = 2 }},
		{
			"document.xml has more than",
			func(l *flow.Limits) { l.Part = 300 << 10 },
			func(l *flow.Limits) { l.Part = 400 << 10 },
		},
		{"The parts of", func(l *flow.Limits) { l.Total = 420 << 10 }, func(l *flow.Limits) { l.Total = 450 << 10 }},
		{"nests", func(l *flow.Limits) { l.Depth = 4 }, func(l *flow.Limits) { l.Depth = 5 }},
		{"tags and texts", func(l *flow.Limits) { l.Tokens = 100 }, func(l *flow.Limits) { l.Tokens = 200 }},
		{"paragraphs", func(l *flow.Limits) { l.Paragraphs = 19 }, func(l *flow.Limits) { l.Paragraphs = 20 }},
		{"characters", func(l *flow.Limits) { l.Characters = 300 << 10 }, func(l *flow.Limits) { l.Characters = 400 << 10 }},
	} {
		tt.Run(test.limit, func(tt *testing.T) {
			limits := flow.DefaultLimits()
			test.fits(&limits)
			if _, err := docx.New(limits).Read(tt.Context(), file); err != nil {
				tt.Errorf("within the limit: %v", err)
			}

			test.lower(&limits)
			_, err := docx.New(limits).Read(tt.Context(), file)
			if matching.CodeOf(err) != resume.CodeTooComplex || !strings.Contains(err.Error(), test.limit) {
				tt.Errorf("beyond the limit: %v", err)
			}
		})
	}
}

// watchMemory starts measuring memory. peak stops it and returns the maximum growth in bytes.
func watchMemory(tb testing.TB) (peak func() uint64) {
	tb.Helper()
	inUse := func() uint64 {
		sample := []metrics.Sample{
			{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"},
		}
		metrics.Read(sample)
		return sample[0].Value.Uint64() + sample[1].Value.Uint64()
	}

	runtime.GC()
	idle := inUse()
	most := uint64(0)
	stop := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)

		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()

		for {
			most = max(most, inUse())
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	}()

	return func() uint64 {
		close(stop)
		<-stopped
		return max(most, inUse(), idle) - idle
	}
}

func TestRead_Errors(tt *testing.T) {
	protected := bodyOf(p(t("x"))).file(tt)
	for at := 0; ; at++ { // sets the encryption flag in the entries and the directory
		next := bytes.Index(protected[at:], []byte("PK"))
		if next < 0 {
			break
		}

		at += next
		switch flags := protected[at:]; {
		case bytes.HasPrefix(flags, []byte("PK\x03\x04")):
			binary.LittleEndian.PutUint16(flags[6:], 1|binary.LittleEndian.Uint16(flags[6:]))
		case bytes.HasPrefix(flags, []byte("PK\x01\x02")):
			binary.LittleEndian.PutUint16(flags[8:], 1|binary.LittleEndian.Uint16(flags[8:]))
		}
	}

	whole := bodyOf(p(t("x"))).file(tt)
	noMain := bodyOf("")
	delete(noMain, "word/document.xml")

	for _, test := range []struct {
		name string
		file []byte
		want matching.Code
	}{
		{"empty file", nil, resume.CodeCorrupt},
		{"not an archive", []byte("hello"), resume.CodeCorrupt},
		{"incomplete archive", whole[:len(whole)*2/3], resume.CodeCorrupt},
		{"no main part", noMain.file(tt), resume.CodeCorrupt},
		{"empty main part", noMain.with("word/document.xml", "").file(tt), resume.CodeCorrupt},
		{"main part without XML", noMain.with("word/document.xml", "\x00\x01").file(tt), resume.CodeCorrupt},
		{"encrypted entries", protected, resume.CodeEncrypted},
		{"encrypted package", compound("EncryptedPackage"), resume.CodeEncrypted},
		{"no text", bodyOf(p("")).file(tt), resume.CodeNoText},
		{"hidden text only", bodyOf(p(formatted(`<w:vanish/>`, "x"))).file(tt), resume.CodeNoText},
	} {
		tt.Run(test.name, func(tt *testing.T) {
			if _, err := read(tt, test.file); matching.CodeOf(err) != test.want {
				tt.Errorf("got %v, want code %s", err, test.want)
			}
		})
	}
}

// compound returns the start of a compound file with one stream.
func compound(stream string) []byte {
	file := make([]byte, 1024)
	copy(file, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")
	for i, r := range stream {
		file[512+2*i] = byte(r)
	}
	file[512+64] = byte(2*len(stream) + 2)
	return file
}

func FuzzRead(f *testing.F) {
	f.Add(bodyOf(p(t("Ada")) + cells(p(t("a")), p(t("b")))).file(f))
	f.Add(compound("EncryptedPackage"))
	f.Fuzz(func(tt *testing.T, file []byte) { check(tt, file) })
}

// FuzzRead_Body lets the fuzzer write XML, which it can hardly do inside an archive.
func FuzzRead_Body(f *testing.F) {
	f.Add(p(t("Ada") + `<w:r><w:tab/><w:sym w:font="Wingdings" w:char="F0A7"/></w:r>`))
	f.Add(`<w:tbl><w:tr><w:trPr><w:hidden/></w:trPr><w:tc><w:tcPr><w:tcW w:w="5"/></w:tcPr>` + p(t("2019")) +
		`</w:tc><w:tc>` + p(t("a")) + p(t("b")) + `</w:tc></w:tr></w:tbl>`)
	f.Add(p(`<mc:AlternateContent><mc:Choice>` + box(`behindDoc="1"`, `<a:solidFill/>`, p(t("x"))) +
		`</mc:Choice><mc:Fallback/></mc:AlternateContent>`))
	f.Add(p(`<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK "x"</w:instrText>` +
		`<w:fldChar w:fldCharType="separate"/><w:t>y</w:t><w:fldChar w:fldCharType="end"/></w:r>`))
	f.Add(`<w:txbxContent><w:tc><w:fldChar w:fldCharType="end"/><w:t>x</w:t>` +
		`<w:sdt><w:sdtPr/><w:sdtContent/></w:sdt></w:tc></w:txbxContent>`)
	f.Fuzz(func(tt *testing.T, body string) { check(tt, bodyOf(body).file(tt)) })
}

// check reads a file and checks what holds for every result.
func check(tt *testing.T, file []byte) {
	tt.Helper()
	d, err := read(tt, file)
	if err != nil {
		documents := []matching.Code{resume.CodeCorrupt, resume.CodeEncrypted, resume.CodeNoText, resume.CodeTooComplex}
		if !slices.Contains(documents, matching.CodeOf(err)) {
			tt.Fatalf("undocumented error: %v", err)
		}
		return
	}

	if len(d.Lines) == 0 {
		tt.Fatal("neither lines nor an error")
	}

	for i, l := range d.Lines {
		trimmed := strings.TrimSpace(l.Text) == l.Text
		if l.Text == "" || !trimmed || strings.Contains(l.Text, "  ") || strings.ContainsAny(l.Text, "\r\n") {
			tt.Fatalf("malformed line %d: %q", i, l.Text)
		}
	}

	for _, l := range d.Links {
		if l.Line < -1 || l.Line >= len(d.Lines) || l.URL == "" {
			tt.Fatalf("malformed link: %+v", l)
		}
	}
}
