package source

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"

	"github.com/freelancer-matching/service/internal/matching"
)

// contractRow is a row with the types that programs choose for the fields. Nil and "" are unknown.
type contractRow struct {
	ID           string   `json:"id"           parquet:"id"`
	Name         string   `json:"name"         parquet:"name"`
	JobTitle     string   `json:"job_title"    parquet:"job_title,optional"`
	Skills       []string `json:"skills"       parquet:"skills,list"`
	Experience   *int32   `json:"experience"   parquet:"experience,optional"`
	Rating       *float64 `json:"rating"       parquet:"rating,optional"`
	HourlyRate   *float64 `json:"hourly_rate"  parquet:"hourly_rate,optional"`
	ProfileURL   string   `json:"profile_url"  parquet:"profile_url,optional"`
	Availability *bool    `json:"availability" parquet:"availability,optional"`
	TotalSales   *int64   `json:"total_sales"  parquet:"total_sales,optional"`
	Description  string   `json:"description"  parquet:"description,optional"`
}

func contractRows() []contractRow {
	return []contractRow{
		{
			"p1", "Zoë Lind", "Go developer",
			[]string{"Go", "PostgreSQL", "C++"},
			new(int32(7)), new(4.5), new(40.25),
			"https://example.com/p1", new(true), new(int64(120)), "Builds things.\nWith \"care\", always.",
		},
		{ID: "p2", Name: "Łukasz O'Hara; Jr.", JobTitle: "Cook", Availability: new(false), TotalSales: new(int64(0))},
		{ID: "0012345678901234567", Name: "王小明", Skills: []string{"Photography"}, Rating: new(5.0), HourlyRate: new(1000.0)},
	}
}

func (r contractRow) freelancer() matching.Freelancer {
	f := matching.Freelancer{
		ID: r.ID, Name: r.Name, JobTitle: r.JobTitle, Skills: r.Skills, ProfileURL: r.ProfileURL, Description: r.Description,
	}
	f.Rating, f.HourlyRate, f.Availability = optionalOf(r.Rating), optionalOf(r.HourlyRate), optionalOf(r.Availability)
	if r.Experience != nil {
		f.Experience = matching.Some(float64(*r.Experience))
	}
	if r.TotalSales != nil {
		f.TotalSales = matching.Some(int(*r.TotalSales))
	}
	return f
}

func optionalOf[T any](v *T) matching.Optional[T] {
	if v == nil {
		return matching.Optional[T]{}
	}
	return matching.Some(*v)
}

// cells returns the row as values of a table; nil is unknown.
func (r contractRow) cells() []any {
	return []any{
		r.ID, r.Name, r.JobTitle, strings.Join(r.Skills, ", "), cellOf(r.Experience), cellOf(r.Rating), cellOf(r.HourlyRate),
		r.ProfileURL, cellOf(r.Availability), cellOf(r.TotalSales), r.Description,
	}
}

func cellOf[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

// contractFormats returns the rows in every format.
func contractFormats(t testing.TB) map[string]string {
	t.Helper()
	header := []any{
		"id", "name", "job_title", "skills", "experience", "rating", "hourly_rate", "profile_url", "availability",
		"total_sales", "description",
	}

	table := [][]any{header}
	var objects []string
	for _, row := range contractRows() {
		table = append(table, row.cells())
		object, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, string(object))
	}

	array := "[" + strings.Join(objects, ",\n") + "]"
	return map[string]string{
		"CSV":          separated(t, table, ','),
		"TSV":          separated(t, table, '\t'),
		"NDJSON":       strings.Join(objects, "\n"),
		"JSON":         array,
		"wrapped JSON": `{"total": 3, "data": {"items": ` + array + `}}`,
		"XLSX":         book(t, nil, bookSheet{"People", table}),
		"Parquet":      parquetFile(t, contractRows()),
	}
}

// separated returns a table as delimited text.
func separated(t testing.TB, table [][]any, delimiter rune) string {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = delimiter
	for _, row := range table {
		var cells []string
		for _, cell := range row {
			text := ""
			if cell != nil {
				text = fmt.Sprint(cell)
			}
			cells = append(cells, text)
		}

		if err := w.Write(cells); err != nil {
			t.Fatal(err)
		}
	}

	w.Flush()
	return b.String()
}

// parquetFile returns rows as a Parquet file with two row groups.
func parquetFile[T any](t testing.TB, rows []T, options ...parquet.WriterOption) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	half := len(rows) / 2
	_, err := w.Write(rows[:half])
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		_, err = w.Write(rows[half:])
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestContract reads the same freelancers from every format in every compression, without a warning.
func TestContract(t *testing.T) {
	var want []matching.Freelancer
	for _, row := range contractRows() {
		want = append(want, row.freelancer())
	}
	formats := contractFormats(t)
	compressions := packers(t)
	compressions["none"] = func(content string) string { return content }
	for _, format := range slices.Sorted(maps.Keys(formats)) {
		for _, compression := range slices.Sorted(maps.Keys(compressions)) {
			t.Run(format+"/"+compression, func(t *testing.T) {
				rows, err := read(t, write(t, compressions[compression](formats[format])), Options{})
				if err != nil {
					t.Fatal(err)
				}

				for _, row := range rows {
					if len(row.Warnings)+len(row.Faults) > 0 {
						t.Errorf("row %+v", row)
					}
				}

				if diff := cmp.Diff(want, freelancers(rows), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			})
		}
	}
}
