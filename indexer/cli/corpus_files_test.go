package cli

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// jsonCases returns cases about JSON that is not a list of flat records.
func jsonCases() []corpusCase {
	const list = `[{"name":"Mira Talden","skills":["Go","SQL"],"hourly_rate":40},` +
		`{"name":"Oren Vask","skills":["SEO"],"hourly_rate":30}]`
	both := loads(2, "Mira Talden: skills=Go|SQL; hourly_rate=40", "Oren Vask: skills=SEO; hourly_rate=30")

	return []corpusCase{
		{name: "a list under data", files: files{"people.json", `{"data":` + list + `}`}, want: both},
		{
			name:  "a list under results, after other members",
			files: files{"people.json", `{"count":2,"next":null,"meta":{"tags":["a","b"]},"results":` + list + `}`},
			want:  both,
		},
		{
			name: "a list two levels down", files: files{"people.json", `{"response":{"status":"ok","users":` + list + `}}`},
			args: "load -json-path response.users people.json", want: both,
		},
		{
			name:  "a list two levels down, without a flag",
			files: files{"people.json", `{"response":{"status":"ok","users":` + list + `}}`},
			want:  refuses("-json-path").or(both),
		},
		{
			name:  "two lists",
			files: files{"people.json", `{"freelancers":` + list + `,"clients":[{"name":"Acme"},{"name":"Zeta"}]}`},
			want:  refuses("-json-path", "freelancers", "clients").or(both),
		},
		{
			name: "a path that leads nowhere", files: files{"people.json", `{"data":` + list + `}`},
			args: "load -json-path items people.json",
			want: refuses("items"),
		},
		{
			name: "records by id",
			files: files{
				"people.json",
				`{"p1":{"name":"Mira Talden","skills":["Go"]},"p2":{"name":"Oren Vask","skills":["SEO"]}}`,
			},
			want: loads(2, "Mira Talden: skills=Go", "Oren Vask: skills=SEO").or(refuses("people.json")),
		},
		{
			name: "one record", files: files{"people.json", `{"name":"Mira Talden","skills":["Go"]}`},
			want: loads(1, "Mira Talden: skills=Go"),
		},
		{
			name: "a page of an API on each line",
			files: files{
				"people.ndjson",
				`{"data":` + list + `}` + "\n" + `{"data":[{"name":"Talia Reth","skills":["Figma"]}]}` + "\n",
			},
			want: loads(3, "Mira Talden: skills=Go|SQL", "Talia Reth: skills=Figma").or(refuses("people.ndjson")),
		},
		{name: "an empty list", files: files{"people.json", `{"data":[]}`}, want: refuses("people.json")},
		{
			name:  "an error message of an API",
			files: files{"people.json", `{"error":{"code":401,"message":"token expired"}}`},
			want:  refuses("people.json"),
		},
		{
			name: "nested fields",
			files: files{
				"people.json",
				`[{"user":{"name":"Mira Talden"},` +
					`"profile":{"title":"Go developer","skills":[{"name":"Go","years":5},` +
					`{"name":"SQL"}]},` +
					`"rate":{"amount":40,"currency":"EUR"}},` +
					`{"user":{"name":"Oren Vask"},"profile":{"title":"Editor","skills":[{"name":"SEO"}]},` +
					`"rate":{"amount":30,"currency":"USD"}}]`,
			},
			want: loads(2, "Mira Talden: job_title=Go developer; skills=Go|SQL; hourly_rate=unknown",
				"Oren Vask: hourly_rate=30"),
		},
		{
			name: "ids beyond 2^53",
			files: files{
				"people.json",
				`[{"id":9007199254740993,"name":"Mira Talden","skills":["Go"]},` +
					`{"id":9007199254740992,"name":"Oren Vask","skills":["SEO"]}]`,
			},
			want: loads(2, "Mira Talden: id=9007199254740993", "Oren Vask: id=9007199254740992"),
		},
		{
			name:  "one broken line among many",
			files: files{"people.ndjson", ndjson(30) + "{\"name\":\"Orla\n" + ndjson(0)},
			want:  loads(30).saying(":31"),
		},
		{name: "a list cut off", files: files{"people.json", list[:len(list)-40]}, want: refuses("people.json")},
	}
}

// ndjson returns n invented people, one object in each line.
func ndjson(n int) string {
	var b strings.Builder
	for i, p := range invented(n) {
		fmt.Fprintf(&b, "{\"id\":\"p%d\",\"name\":%q,\"job_title\":%q,\"hourly_rate\":%s}\n", i, p[0], p[1], p[3])
	}
	return b.String()
}

const packedCSV = "name,skills,hourly_rate\nMira Talden,\"Go, SQL\",40\nOren Vask,SEO,30\n"

// compressionCases returns cases about packedCSV, compressed by other programs.
func compressionCases(t *testing.T) []corpusCase {
	both := loads(2, "Mira Talden: skills=Go|SQL; hourly_rate=40", "Oren Vask: skills=SEO; hourly_rate=30")
	gz := gzipped(t, packedCSV)
	zeros := ""

	if !testing.Short() {
		zeros = strings.Repeat(gzipped(t, strings.Repeat("\x00", 1<<20)), 300) // members of one file
	}
	nested := zipped(t, "people.zip", zipped(t, "people.csv", packedCSV))

	return []corpusCase{
		{name: "gzip", files: files{"people.csv.gz", gz}, want: both},
		{name: "gzip under another name", files: files{"people.csv", gz}, want: both},
		{
			name:  "gzip in two members",
			files: files{"people.csv.gz", gzipped(t, packedCSV[:30]) + gzipped(t, packedCSV[30:])},
			want:  both,
		},
		{name: "gzip cut off", files: files{"people.csv.gz", gz[:len(gz)-12]}, want: refuses("people.csv.gz")},
		{
			name:  "gzip with a wrong checksum",
			files: files{"people.csv.gz", gz[:len(gz)-8] + "\x00\x00\x00\x00" + gz[len(gz)-4:]},
			want:  refuses("people.csv.gz"),
		},
		{name: "zstd", files: files{"people.csv.zst", unbase64(t, packedZstd)}, want: both},
		{name: "bzip2", files: files{"people.csv.bz2", unbase64(t, packedBzip2)}, want: both},
		{name: "xz", files: files{"people.csv.xz", unbase64(t, packedXZ)}, want: both},
		{name: "xz cut off", files: files{"people.csv.xz", unbase64(t, packedXZ)[:60]}, want: refuses("people.csv.xz")},
		{name: "zip", files: files{"people.zip", zipped(t, "people.csv", packedCSV)}, want: both},
		{
			name: "zip with a folder and what a Macintosh adds",
			files: files{"people.zip", zipped(t, "export/", "", "export/people.csv", packedCSV,
				"__MACOSX/export/._people.csv", "\x00\x05\x16\x07")}, want: both,
		},
		{
			name:  "zip with two files of people",
			files: files{"people.zip", zipped(t, "north.csv", packedCSV, "south.csv", "name,skills\nTalia Reth,Figma\n")},
			want:  refuses("north.csv", "south.csv").or(loads(3, "Talia Reth: skills=Figma", "Mira Talden: hourly_rate=40")),
		},
		{name: "zip in zip", files: files{"people.zip", nested}, want: refuses("people.zip").or(both)},
		{name: "zip without files", files: files{"people.zip", zipped(t)}, want: refuses("people.zip")},
		{name: "zip cut off", files: files{"people.zip", nested[:80]}, want: refuses("people.zip")},
		{name: "gzip in gzip", files: files{"people.csv.gz", gzipped(t, gz)}, want: refuses("people.csv.gz").or(both)},
		{
			name: "gzip of 300 MB of zeros", files: files{"people.csv.gz", zeros},
			want: refuses("people.csv.gz"), long: true,
		},
	}
}

// packedCSV, compressed with the programs zstd, bzip2 and xz.
const (
	packedZstd = "KLUv/QRYEQIAbmFtZSxza2lsbHMsaG91cmx5X3JhdGUKTWlyYSBUYWxkZW4sIkdvLCBTUUwiLDQwCk9yZW4gVmFzay" +
		"xTRU8sMzAKVDT7Lg=="
	packedBzip2 = "QlpoOTFBWSZTWd+yff4AABrfgAAQUARMAAKGrQCmb54gIABUUCYmTATAAIofqnqD1GJp6gaPU9QpketMx2JJ0yRjiS" +
		"3rKddpzq+9405DO4ZNvNyo6YCgIZ2feOJ9YLROi7kinChIb9k+/wA="
	packedXZ = "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQBBbmFtZSxza2lsbHMsaG91cmx5X3JhdGUKTWlyYSBUYWxkZW4sIkdvLC" +
		"BTUUwiLDQwCk9yZW4gVmFzayxTRU8sMzAKAAAACH6rula4RvEAAVpCSSAA+B+2830BAAAAAARZWg=="
)

func unbase64(t *testing.T, text string) string {
	t.Helper()
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func gzipped(t *testing.T, content string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// zipped returns a ZIP archive of names and contents in turn.
func zipped(t *testing.T, entries ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(entries); i += 2 {
		entry, err := w.Create(entries[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := entry.Write([]byte(entries[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A sheet is a worksheet and its rows.
type sheet struct {
	name string
	rows [][]any
}

// workbook returns an XLSX file. change, if given, may alter it before it is written.
func workbook(t *testing.T, sheets []sheet, change ...func(*excelize.File)) string {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()

	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range sheets {
		if i == 0 {
			check(f.SetSheetName("Sheet1", s.name))
		} else {
			_, err := f.NewSheet(s.name)
			check(err)
		}

		w, err := f.NewStreamWriter(s.name)
		check(err)
		for j, row := range s.rows {
			check(w.SetRow(fmt.Sprintf("A%d", j+1), row))
		}

		check(w.Flush())
	}

	var b bytes.Buffer
	check(f.Write(&b))
	if len(change) == 0 {
		return b.String()
	}

	f, err := excelize.OpenReader(&b) // a sheet that was streamed can be changed only after it was written
	check(err)
	defer f.Close()

	for _, c := range change {
		c(f)
	}
	b.Reset()
	check(f.Write(&b))

	return b.String()
}

func workbookCases(t *testing.T) []corpusCase {
	header := []any{"Name", "Skills", "Hourly rate"}
	north := sheet{"North", [][]any{header, {"Mira Talden", "Go, SQL", 40}, {"Oren Vask", "SEO", 30}}}
	south := sheet{"South", [][]any{header, {"Talia Reth", "Figma", 25}, {"Bruno Sari", "Editing", 20}}}
	notes := sheet{"Notes", [][]any{{"Exported on Monday"}, {"Ask Ilka about the rest"}}}
	both := loads(2, "Mira Talden: skills=Go|SQL; hourly_rate=40", "Oren Vask: skills=SEO; hourly_rate=30")
	large := sheet{"People", make([][]any, 0, 200_001)}
	large.rows = append(large.rows, []any{"id", "name", "job_title", "skills", "hourly_rate"})

	if !testing.Short() {
		for i, p := range invented(200_000) {
			large.rows = append(large.rows, []any{fmt.Sprintf("p%d", i), p[0], p[1], p[2], 20 + i%60})
		}
	}

	return []corpusCase{
		{name: "a workbook", files: files{"people.xlsx", workbook(t, []sheet{north})}, want: both},
		{
			name: "two sheets of people", files: files{"people.xlsx", workbook(t, []sheet{north, south})},
			want: refuses("North", "South", "-sheet"),
		},
		{
			name: "one of two sheets", files: files{"people.xlsx", workbook(t, []sheet{north, south})},
			args: "load -sheet South people.xlsx",
			want: loads(2, "Talia Reth: skills=Figma; hourly_rate=25", "Bruno Sari: hourly_rate=20"),
		},
		{
			name: "a sheet that isn't there", files: files{"people.xlsx", workbook(t, []sheet{north, south})},
			args: "load -sheet East people.xlsx",
			want: refuses("East", "North", "South"),
		},
		{name: "people and notes", files: files{"people.xlsx", workbook(t, []sheet{north, notes})}, want: both},
		{
			name: "notes before people", files: files{"people.xlsx", workbook(t, []sheet{notes, north})},
			want: both.or(refuses("-sheet", "North")),
		},
		{
			name:  "an empty sheet before people",
			files: files{"people.xlsx", workbook(t, []sheet{{"Sheet1", nil}, north})},
			want:  both.or(refuses("-sheet", "North")),
		},
		{name: "formulas without values", files: files{"people.xlsx", workbook(t, []sheet{north}, func(f *excelize.File) {
			if err := f.SetCellFormula("North", "C2", "20*2"); err != nil {
				t.Fatal(err)
			}
		})}, want: loads(2, "Mira Talden: skills=Go|SQL", "Oren Vask: hourly_rate=30").saying("formula")},
		{
			name: "merged cells",
			files: files{"people.xlsx", workbook(t, []sheet{{"North", [][]any{
				header,
				{"Mira Talden", "Go", 40},
				{nil, "SQL", 40},
				{"Oren Vask", "SEO", 30},
			}}}, func(f *excelize.File) {
				if err := f.MergeCell("North", "A2", "A3"); err != nil {
					t.Fatal(err)
				}
			})}, args: "load -max-failures 1 people.xlsx", want: loads(2, "Oren Vask: hourly_rate=30").saying("merged cell").
					or(loads(3, "Oren Vask: hourly_rate=30").saying("merged cell")),
		},
		{name: "200,000 rows", files: files{"people.xlsx", workbook(t, []sheet{large})}, want: loads(200_000), long: true},
	}
}

func oddWorkbookCases(t *testing.T) []corpusCase {
	header := []any{"Name", "Skills", "Hourly rate", "Rating", "Available"}
	return []corpusCase{
		{
			name: "cells of other types", files: files{"people.xlsx", workbook(t, []sheet{{"People", [][]any{
				header,
				{"Mira Talden", "Go", "40", "4.5", true},
				{"Oren Vask", "SEO", 30.5, 4, false},
			}}})},
			want: loads(2, "Mira Talden: hourly_rate=40; rating=4.5; availability=yes",
				"Oren Vask: hourly_rate=30.5; rating=4; availability=no"),
		},
		{
			name: "numbers formatted as percentages",
			files: files{"people.xlsx", workbook(t, []sheet{{"People", [][]any{
				{"Name", "Skills", "Rating"},
				{"Mira Talden", "Go", .98},
				{"Oren Vask", "SEO", .9},
				{"Talia Reth", "Figma", 1},
			}}}, styled(t, "C2", "C4", 9))},
			want: loads(3, "Mira Talden: rating=4.9", "Oren Vask: rating=4.5", "Talia Reth: rating=5"),
		},
		{
			name: "rates formatted as money",
			files: files{"people.xlsx", workbook(t, []sheet{{"People", [][]any{
				{"Name", "Skills", "Hourly rate"},
				{"Mira Talden", "Go", 1040.5},
				{"Oren Vask", "SEO", 30},
			}}}, styled(t, "C2", "C3", 8))},
			want: loads(2, "Mira Talden: hourly_rate=1040.5", "Oren Vask: hourly_rate=30"),
		},
		{
			name: "ratings formatted as dates",
			files: files{"people.xlsx", workbook(t, []sheet{{"People", [][]any{
				{"Name", "Skills", "Rating"},
				{"Mira Talden", "Go", 45387},
				{"Oren Vask", "SEO", 4.5},
			}}}, styled(t, "C2", "C2", 14))},
			want: loads(2, "Mira Talden: rating=unknown", "Oren Vask: rating=4.5"),
		},
		{
			name: "long numeric ids",
			files: files{"people.xlsx", workbook(t, []sheet{{"People", [][]any{
				{"ID", "Name", "Skills"},
				{123456789012, "Mira Talden", "Go"},
				{123456789013, "Oren Vask", "SEO"},
			}}})},
			want: loads(2, "Mira Talden: id=123456789012", "Oren Vask: id=123456789013"),
		},
		{
			name: "a title above the header",
			files: files{"people.xlsx", workbook(t, []sheet{{"People", [][]any{
				{"Our freelancers 2026"},
				{},
				{"Name", "Skills", "Hourly rate"},
				{"Mira Talden", "Go", 40},
				{"Oren Vask", "SEO", 30},
			}}})},
			want: loads(2, "Mira Talden: hourly_rate=40").or(refuses("-skip-lines")),
		},
		{
			name: "a title above the header, skipped",
			files: files{"people.xlsx", workbook(t, []sheet{{"People", [][]any{
				{"Our freelancers 2026"},
				{},
				{"Name", "Skills", "Hourly rate"},
				{"Mira Talden", "Go", 40},
				{"Oren Vask", "SEO", 30},
			}}})},
			args: "load -skip-lines 2 people.xlsx", want: loads(2, "Mira Talden: hourly_rate=40", "Oren Vask: skills=SEO"),
		},
		{
			name: "errors in cells",
			files: files{"people.xlsx", workbook(t, []sheet{{"People", [][]any{
				{"Name", "Skills", "Hourly rate"},
				{"Mira Talden", "Go", "#DIV/0!"},
				{"Oren Vask", "#REF!", 30},
			}}})},
			want: loads(2, "Mira Talden: hourly_rate=unknown", "Oren Vask: skills=unknown; hourly_rate=30"),
		},
		{name: "hidden sheet of other people", files: files{"people.xlsx", workbook(t, []sheet{
			{"Now", [][]any{header, {"Mira Talden", "Go", 40}}}, {"Old", [][]any{header, {"Oren Vask", "SEO", 30}}},
		},
			func(f *excelize.File) {
				if err := f.SetSheetVisible("Old", false); err != nil {
					t.Fatal(err)
				}
			})}, want: refuses("Now", "Old").or(loads(1, "Mira Talden: hourly_rate=40").saying("Old"))},
		{
			name:  "a workbook with a password or none at all",
			files: files{"people.xlsx", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 2000)},
			want:  refuses("people.xlsx"),
		},
		{
			name:  "a document instead of a workbook",
			files: files{"people.xlsx", zipped(t, "[Content_Types].xml", "<Types/>", "word/document.xml", "<document/>")},
			want:  refuses("people.xlsx"),
		},
		{
			name: "an OpenDocument spreadsheet",
			files: files{"people.ods", openDocument(t, []string{"Name", "Skills", "Hourly rate"},
				[]string{"Mira Talden", "Go, SQL", "40"}, []string{"Oren Vask", "SEO", "30"})},
			want: loads(2, "Mira Talden: skills=Go|SQL; hourly_rate=40", "Oren Vask: hourly_rate=30").
				or(refuses("people.ods", "OpenDocument")),
		},
	}
}

// styled applies a built-in number format to cells of the sheet People.
func styled(t *testing.T, from, to string, format int) func(*excelize.File) {
	return func(f *excelize.File) {
		style, err := f.NewStyle(&excelize.Style{NumFmt: format})
		if err != nil {
			t.Fatal(err)
		}
		if err := f.SetCellStyle("People", from, to, style); err != nil {
			t.Fatal(err)
		}
	}
}

// openDocument returns an ODS file with one sheet; numbers are typed as such.
func openDocument(t *testing.T, rows ...[]string) string {
	t.Helper()
	const spaces = "urn:oasis:names:tc:opendocument:xmlns:"
	var b strings.Builder
	fmt.Fprintf(&b, `<?xml version="1.0" encoding="UTF-8"?><office:document-content office:version="1.2" `+
		`xmlns:office="%[1]soffice:1.0" xmlns:table="%[1]stable:1.0" xmlns:text="%[1]stext:1.0">`+
		`<office:body><office:spreadsheet><table:table table:name="People">`, spaces)

	for _, row := range rows {
		b.WriteString("<table:table-row>")
		for _, cell := range row {
			kind := `"string"`
			if _, err := strconv.ParseFloat(cell, 64); err == nil {
				kind = fmt.Sprintf(`"float" office:value=%q`, cell)
			}
			fmt.Fprintf(&b, "<table:table-cell office:value-type=%s><text:p>%s</text:p></table:table-cell>", kind, cell)
		}

		b.WriteString("</table:table-row>")
	}

	b.WriteString("</table:table></office:spreadsheet></office:body></office:document-content>")
	return zipped(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml", b.String())
}

// leftoverCases returns combinations of faults that a data team meets sooner or later.
func leftoverCases() []corpusCase {
	return []corpusCase{
		{
			name: "two files of different shapes",
			files: files{
				"a.csv", "name,location,skills\nMira Talden,Oslo,Go\n", "b.ndjson",
				`{"name":"Oren Vask","location":"Lima","skills":["SEO"],"hourly_rate":30}` + "\n",
			},
			want: loads(2, "Mira Talden: skills=Go", "Oren Vask: hourly_rate=30"),
		},
		{name: "the same file twice", files: files{"a.csv", inventedCSV(10), "b.csv", inventedCSV(10)}, want: loads(10)},
		{
			name: "one of two files has jobs", files: files{
				"a.csv", inventedCSV(10), "jobs.csv",
				"title,description,budget,bids,posted\n" + strings.Repeat(
					"Need a logo,We are looking for a designer,$250 - $750,12 bids,2 hours ago\n", 10),
			},
			want: refuses("jobs.csv"),
		},
		{
			name: "too many rejected rows", live: inventedCSV(10),
			files: files{"people.csv", "id,name,skills\n" + strings.Repeat("x,,\n", 10) + "y,Oren Vask,SEO\n"},
			want:  refuses("-max-failures"),
		},
		{
			name: "rejected rows within the limit", files: files{"people.csv", inventedCSV(40) + ",,,,12,\n"},
			want: loads(40).saying(":42"),
		},
		{
			name: "headers in two languages",
			files: files{"people.csv", "Name / Nombre,Skills / Habilidades,Hourly rate / Tarifa por hora\nMira Talden,Go,40\n" +
				"Oren Vask,SEO,30\n"},
			want: loads(2, "Mira Talden: skills=Go; hourly_rate=40"),
		},
		{
			name:  "a header with its unit",
			files: files{"people.csv", "Name,Skills,Rate [USD/h],Experience [years]\nMira Talden,Go,40,7\nOren Vask,SEO,30,2\n"},
			want:  loads(2, "Mira Talden: hourly_rate=40; experience=7"),
		},
		{
			name:  "a rate in cents",
			files: files{"people.csv", "name,skills,hourly_rate_cents\nMira Talden,Go,4000\nOren Vask,SEO,3000\n"},
			want:  loads(2, "Mira Talden: hourly_rate!=4000", "Oren Vask: hourly_rate!=3000"),
		},
		{
			name: "rates per hour beside salaries per year",
			files: files{"people.csv", "name,skills,rate\nMira Talden,Go,$40/hour\nOren Vask,SEO,$85k/year\n" +
				"Talia Reth,Figma,$30/hour\n"},
			want: loads(3, "Mira Talden: hourly_rate=40", "Oren Vask: hourly_rate=unknown"),
		},
		{
			name:  "a minimum and a maximum rate",
			files: files{"people.csv", "name,skills,min_rate,max_rate\nMira Talden,Go,30,50\nOren Vask,SEO,20,25\n"},
			want: loads(2, "Mira Talden: hourly_rate=30", "Oren Vask: hourly_rate=20").
				or(loads(2, "Mira Talden: hourly_rate=40", "Oren Vask: hourly_rate=22.5")).
				or(loads(2, "Mira Talden: hourly_rate=unknown", "Oren Vask: hourly_rate=unknown")),
		},
		{
			name: "currencies in two columns",
			files: files{"people.csv", "name,skills,salary,salary currency,hourly_rate,rate currency\n" +
				"Mira Talden,Go,90000,USD,40,EUR\nOren Vask,SEO,60000,EUR,30,USD\n"},
			args: "load -rate EUR=1.1 people.csv", want: loads(2, "Mira Talden: hourly_rate=44", "Oren Vask: hourly_rate=30"),
		},
		{
			name: "availability as hours per week",
			files: files{"people.csv", "name,skills,availability\nMira Talden,Go,40 hrs/week\nOren Vask,SEO,0 hrs/week\n" +
				"Talia Reth,Figma,More than 30 hrs/week\n"},
			want: loads(3, "Mira Talden: availability=yes", "Oren Vask: availability=no", "Talia Reth: availability=yes"),
		},
		{
			name: "a person called Total",
			files: files{"people.csv", "name,title,skills,hourly_rate\nMira Total,Accountant,Excel,40\n" +
				"Total Recall,Archivist,\"Archives, Scanning\",30\n"},
			want: loads(2, "Mira Total: skills=Excel", "Total Recall: skills=Archives|Scanning"),
		},
		{
			name:  "a name that is also a header",
			files: files{"people.csv", "name,title,skills\nMira Talden,Name,Go\nSkills,Title,SEO\nOren Vask,Editor,SEO\n"},
			want:  loads(3, "Mira Talden: skills=Go", "Oren Vask: skills=SEO"),
		},
		{
			name: "people of agencies with one address",
			files: files{"people.csv", "name,url,title,skills\nMira Talden,https://agency.example,Editor,SEO\n" +
				"Oren Vask,https://agency.example,Welder,MIG\n"},
			want: loads(2, "Mira Talden: job_title=Editor", "Oren Vask: job_title=Welder"),
		},
		{
			name: "a column of websites that are all the same",
			files: files{"people.csv", "name,website,location,skills\nMira Talden,https://www.linkedin.com,Oslo,SEO\n" +
				"Mira Talden,https://www.linkedin.com,Lima,MIG\n"},
			want: loads(2, "Mira Talden: skills=SEO", "Mira Talden: skills=MIG"),
		},
		{
			name:  "the name N/A for everyone",
			files: files{"people.csv", "name,title,skills\nN/A,Editor,SEO\nN/A,Editor,SEO and more\nN/A,Welder,MIG\n"},
			want:  loads(3).or(refuses("-id row")),
		},
		{
			name:  "anonymous people",
			files: files{"people.csv", "title,skills,hourly_rate\nEditor,SEO,30\nEditor,SEO,30\nWelder,MIG,20\n"},
			want:  loads(3).or(loads(2).saying("merged")).or(refuses("-id row")),
		},
	}
}
