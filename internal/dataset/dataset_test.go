package dataset_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/dataset"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/internal/synthetic"
)

type writer func(io.Writer, iter.Seq[matching.Freelancer]) error

// full returns an error for the write that exceeds its capacity.
type full struct{ capacity int }

var errFull = errors.New("disk full")

func (f *full) Write(p []byte) (int, error) {
	if f.capacity -= len(p); f.capacity < 0 {
		return 0, errFull
	}
	return len(p), nil
}

var awkward = []matching.Freelancer{
	{ID: "f1", Name: `O"Hara, Vel`, Skills: []string{"R&D", "C++"}, Description: "two\nlines, <b>bold</b>"},
	{ID: "f2", Signals: matching.Signals{
		Experience: matching.Some(0.0), Rating: matching.Some(4.5), HourlyRate: matching.Some(12.5),
		Availability: matching.Some(false), TotalSales: matching.Some(0),
	}},
}

func TestWriteCSV(t *testing.T) {
	const want = `id,name,job_title,skills,experience,rating,hourly_rate,profile_url,availability,total_sales,description
f1,"O""Hara, Vel",,"R&D,C++",,,,,,,"two
lines, <b>bold</b>"
f2,,,,0,4.5,12.5,,false,0,
`
	var got bytes.Buffer
	if err := dataset.WriteCSV(&got, slices.Values(awkward)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteCSV_Details(t *testing.T) {
	const want = "id,name,job_title,skills,experience,rating,hourly_rate,profile_url,availability,total_sales," +
		"description,hourly_rate_currency,country,location,time_zone,languages,currency,available_from,hours_per_week," +
		"verified\n" +
		"f1,,,,,,54,,,,,CHF,PT,\"Porto, Portugal\",Europe/Lisbon,pt:native;en:?,EUR,2027-02-01,30,true\n" +
		"f2,,,,,,,,,,,,Namibia,,,,,,,\n"
	var got bytes.Buffer
	err := dataset.Options{Details: true, Currency: "CHF"}.WriteCSV(&got, slices.Values([]matching.Freelancer{
		{ID: "f1", Signals: matching.Signals{HourlyRate: matching.Some(54.0)}, Details: matching.Details{
			Country: "PT", Location: "Porto, Portugal", TimeZone: "Europe/Lisbon", Currency: "EUR",
			Languages:     []matching.SpokenLanguage{{Tag: "pt", Level: matching.LevelNative}, {Tag: "en"}},
			AvailableFrom: "2027-02-01", HoursPerWeek: matching.Some(30.0), Verified: matching.Some(true),
		}},
		{ID: "f2", Details: matching.Details{Country: "NA"}},
	}))
	if diff := cmp.Diff(want, got.String()); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// EscapeFormulas escapes every text that a spreadsheet would run, and nothing else. WriteCSV leaves formulas alone. The
// indexer reads the same texts from both.
func TestWriteSafeCSV(t *testing.T) {
	for text, want := range map[string]struct{ safe, plain string }{
		"=1+1":          {"'=1+1", "=1+1"},
		"+49 30 1234":   {"'+49 30 1234", "+49 30 1234"},
		"-2+3":          {"'-2+3", "-2+3"},
		"@SUM(1)":       {"'@SUM(1)", "@SUM(1)"},
		"\ttab":         {"'\ttab", "\ttab"},
		"\rreturn":      {"'\rreturn", "\rreturn"},
		"＝1":            {"'＝1", "＝1"},
		"'=quoted":      {"''=quoted", "''=quoted"}, // or the indexer would remove the apostrophe
		"'tis the year": {"'tis the year", "'tis the year"},
		"a=b":           {"a=b", "a=b"},
		"":              {"", ""},
	} {
		f := matching.Freelancer{
			ID: text, Name: text, JobTitle: text, Skills: []string{"=1+1"}, ProfileURL: text, Description: text,
			Signals: matching.Signals{Rating: matching.Some(4.)},
		}

		safe := dataset.Options{EscapeFormulas: true}
		for cell, write := range map[string]writer{want.safe: safe.WriteCSV, want.plain: dataset.WriteCSV} {
			var out bytes.Buffer
			if err := write(&out, slices.Values([]matching.Freelancer{f})); err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(&out).ReadAll()
			if err != nil {
				t.Fatal(err)
			}

			cell = strings.ReplaceAll(cell, "\r\n", "\n")
			if diff := cmp.Diff([]string{cell, cell, cell, `["=1+1"]`, "", "4", "", cell, "", "", cell}, rows[1]); diff != "" {
				t.Errorf("%q (-want +got):\n%s", text, diff)
			}

			if got := dataset.UnescapeFormula(cell); got != text {
				t.Errorf("%q read back as %q", text, got)
			}
		}
	}
}

func TestWriteNDJSON(t *testing.T) {
	const want = `{"id":"f1","name":"O\"Hara, Vel","job_title":"","skills":["R&D","C++"],` +
		`"experience":null,"rating":null,` +
		`"hourly_rate":null,"profile_url":"","availability":null,"total_sales":null,"description":"two\nlines, <b>bold</b>"}
{"id":"f2","name":"","job_title":"","skills":[],"experience":0,"rating":4.5,"hourly_rate":12.5,"profile_url":"",` +
		`"availability":false,"total_sales":0,"description":""}
`
	var got bytes.Buffer
	if err := dataset.WriteNDJSON(&got, slices.Values(awkward)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The indexer reads back what the writers write: known zeros as zeros, unknown values as unknown, skills unchanged.
func TestWriters_RoundTrip(t *testing.T) {
	want := append(slices.Collect(generator(t).Freelancers(500, 8)),
		matching.Freelancer{
			ID:      "x1",
			Name:    "Vel O\"Hara",
			Skills:  []string{"Lead Generation, B2B", "CI/CD", "C++"},
			Signals: matching.Signals{HourlyRate: matching.Some(.125)},
		},
		matching.Freelancer{
			ID:       "x2",
			Name:     "Ona Brisk",
			JobTitle: "Editor",
			Signals:  matching.Signals{Experience: matching.Some(0.), Availability: matching.Some(false)},
		},
		matching.Freelancer{
			ID: "=x3", Name: "=cmd|' /C calc'!A0", JobTitle: "@SUM(A1)", Skills: []string{"=HYPERLINK"},
			Description: "-2+3\nmore",
		},
		matching.Freelancer{ID: "'=x4", Name: "''+Quoted", Description: "'tis '=so"},
	)
	for name, write := range writers {
		t.Run(name, func(t *testing.T) { wantSame(t, write, want...) })
	}
}

func generator(t testing.TB) *synthetic.Generator {
	t.Helper()
	g, err := synthetic.New()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestWriters_ReportAFullDisk(t *testing.T) {
	g := generator(t)
	for name, write := range map[string]writer{"CSV": dataset.WriteCSV, "NDJSON": dataset.WriteNDJSON} {
		for _, capacity := range []int{0, 10_000} {
			if err := write(&full{capacity}, g.Freelancers(100, 1)); !errors.Is(err, errFull) {
				t.Errorf("%s after %d bytes: error %v, want %v", name, capacity, err, errFull)
			}
		}
	}
}

func BenchmarkWriteCSV(b *testing.B)    { benchmarkWriter(b, dataset.WriteCSV) }
func BenchmarkWriteNDJSON(b *testing.B) { benchmarkWriter(b, dataset.WriteNDJSON) }

// benchmarkWriter measures generation and writing together.
func benchmarkWriter(b *testing.B, write writer) {
	if err := write(io.Discard, generator(b).Freelancers(b.N, 1)); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}
