package source

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"

	"github.com/freelancer-matching/service/indexer/source/charset"
	"github.com/freelancer-matching/service/indexer/source/input"
)

// parquetSkill is a skill with its level.
type parquetSkill struct {
	Name  string `parquet:"name"`
	Years int32  `parquet:"years"`
}

// parquetRow has columns of all kinds that data teams export.
type parquetRow struct {
	ID      uuid.UUID `parquet:"id,uuid"`
	Profile struct {
		Name  string  `parquet:"name"`
		Title *string `parquet:"title,optional"`
	} `parquet:"profile"`
	Skills  []parquetSkill    `parquet:"skills,list"`
	Tags    []string          `parquet:"tags"`
	Rate    int64             `parquet:"hourly_rate,decimal(2:10)"`
	Rating  float32           `parquet:"rating"`
	Sales   uint64            `parquet:"total_sales"`
	Joined  time.Time         `parquet:"joined,timestamp(microsecond)"`
	Born    int32             `parquet:"born,date"`
	Photo   [4]byte           `parquet:"photo"`
	Links   map[string]string `parquet:"links"`
	Nothing *float64          `parquet:"nothing,optional"`
}

func parquetRows(n int) []parquetRow {
	rows := make([]parquetRow, n)
	for i := range rows {
		rows[i] = parquetRow{
			ID: uuid.UUID{0x12, 15: byte(i)}, Tags: []string{"new"}, Rate: int64(-i) + 4050, Rating: 4.7, Sales: uint64(i),
			Joined: time.Date(2024, 2, 29, 12, 0, 0, 5000, time.UTC), Born: 19000 - int32(i)*10000,
		}
		rows[i].Profile.Name = fmt.Sprintf("Person %d", i)
		for j := range i % 3 {
			rows[i].Skills = append(rows[i].Skills, parquetSkill{[]string{"Go", "C"}[j], 3})
		}
		if i%2 == 0 {
			rows[i].Profile.Title = new(fmt.Sprintf("Pastry cook %d", i))
		}
	}
	return rows
}

func TestOpen_Parquet(t *testing.T) {
	f, err := Open(input.FromPath(write(t, parquetFile(t, parquetRows(500)))), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	notes := []string{`column "photo" is not used, because its values are bytes and not text`}
	if diff := cmp.Diff(notes, f.Notes()); diff != "" {
		t.Errorf("notes (-want +got)\n%s", diff)
	}
	examples := map[string]string{}
	for _, column := range f.Columns() {
		examples[column.Header] = strings.Join(column.Examples, " | ")
	}

	for header, want := range map[string]string{
		"id": "12000000-0000-0000-0000-000000000000 |", "hourly_rate": "40.5 | 40.49 |", "rating": "4.7",
		"joined": "2024-02-29T12:00:00.000005Z", "born": "2022-01-08 | 1994-08-23 |", "tags": "new",
	} {
		if got := examples[header]; !strings.HasPrefix(got, want) {
			t.Errorf("examples of %s: %s, want %s", header, got, want)
		}
	}

	n := 0
	for row, err := range f.Rows(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		p := row.Freelancer
		got := fmt.Sprintf("%d %s, %q, %q, %v, %v", row.Line, p.Name, p.JobTitle, p.Skills, p.TotalSales, row.Faults)
		title := ""
		skills := []string{"Go", "C"}[:n%3]

		if n%2 == 0 {
			title = fmt.Sprintf("Pastry cook %d", n)
		}

		if want := fmt.Sprintf("%d Person %d, %q, %q, %d, []", n+1, n, title, append(skills, "new"), n); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
		n++
	}

	if n != 500 || f.Format() != "parquet" {
		t.Errorf("%d rows of %s", n, f.Format())
	}
}

func TestParquet_Text(t *testing.T) {
	type row struct {
		Name []byte `parquet:"name"`
		Bio  string `parquet:"bio"`
	}
	content := parquetFile(t, []row{{[]byte("Ann"), "x"}, {[]byte("Mu\xf1oz"), "lost: \ufffdx"}})
	rows, err := read(t, write(t, content), Options{})
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	want := []Fault{
		{Line: 2, Column: "name", Value: "Muñoz", Reason: charset.RemarkNotUTF8},
		{Line: 2, Column: "bio", Value: "lost: \ufffdx", Reason: charset.RemarkLost},
	}
	if diff := cmp.Diff(want, rows[1].Warnings); diff != "" || rows[1].Freelancer.Name != "Muñoz" {
		t.Errorf("%+v: warnings (-want +got)\n%s", rows[1], diff)
	}
}

// TestParquet_Damage cuts and changes a file in many places. No part of it may pass for the whole.
func TestParquet_Damage(t *testing.T) {
	content := parquetFile(t, parquetRows(300), parquet.Compression(&parquet.Snappy), parquet.DataPageStatistics(false))
	for size := 4; size < len(content); size += len(content)/60 + 1 {
		if rows, err := read(t, write(t, content[:size]), Options{}); err == nil {
			t.Errorf("the first %d of %d bytes pass for a table with %d rows", size, len(content), len(rows))
		}
	}

	for i := 4; i < len(content)-8; i += len(content)/60 + 1 {
		damaged := content[:i] + string(content[i]^0xff) + content[i+1:]
		if rows, err := read(t, write(t, damaged), Options{}); err == nil && len(rows) != 300 {
			t.Errorf("%d rows, although byte %d is damaged", len(rows), i)
		}
	}

	for _, test := range []struct{ content, want string }{
		{"PAR1", "the Parquet file is incomplete or damaged"},
		{"PARE" + content[4:], "an encrypted Parquet file"},
		{parquetFile(t, parquetRows(0)), "the Parquet file has no rows"},
		{gzipped(t, content[:len(content)-10]), "the Parquet file is incomplete or damaged"},
	} {
		if _, err := read(t, write(t, test.content), Options{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

// FuzzParquet reads damaged Parquet files. Reading must end, without a panic.
func FuzzParquet(f *testing.F) {
	content := parquetFile(f, parquetRows(5))
	f.Add([]byte(content), 10, byte(1))
	f.Add([]byte(parquetFile(f, contractRows())), 200, byte(0x80))
	f.Add([]byte(content), len(content)-20, byte(0xff))
	f.Fuzz(func(t *testing.T, content []byte, i int, change byte) {
		if i >= 0 && i < len(content) {
			content[i] ^= change
		}
		_, _ = read(t, write(t, string(content)), Options{})
	})
}

// TestParquet_Compressions reads a file in every compression, and damaged pages of each.
func TestParquet_Compressions(t *testing.T) {
	rows := parquetRows(2000)
	for _, codec := range []compress.Codec{
		&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip, &parquet.Brotli, &parquet.Zstd, &parquet.Lz4Raw,
	} {
		for _, version := range []int{1, 2} {
			content := parquetFile(t, rows, parquet.Compression(codec), parquet.DataPageVersion(version))
			got, err := read(t, write(t, content), Options{})
			if err != nil || len(got) != len(rows) {
				t.Errorf("%v, pages of version %d: %d rows, %v", codec, version, len(got), err)
			}
		}
	}
}
