package dataset_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/xuri/excelize/v2"

	"github.com/freelancer-matching/service/indexer/source"
	"github.com/freelancer-matching/service/indexer/source/input"
	"github.com/freelancer-matching/service/internal/dataset"
	"github.com/freelancer-matching/service/internal/matching"
)

// writers are all functions that write freelancers.
var writers = map[string]writer{
	"CSV": dataset.WriteCSV, "safe CSV": dataset.Options{EscapeFormulas: true}.WriteCSV,
	"NDJSON": dataset.WriteNDJSON,
}

// withDetails is what an export passes.
var withDetails = dataset.Options{Details: true, Currency: "USD", EscapeFormulas: true}

// detailWriters are all functions that write freelancers with their details. A workbook is what a spreadsheet makes of
// the CSV file.
var detailWriters = map[string]writer{
	"CSV":      dataset.Options{Details: true, Currency: "USD"}.WriteCSV,
	"safe CSV": withDetails.WriteCSV,
	"NDJSON":   withDetails.WriteNDJSON,
	"XLSX": func(w io.Writer, freelancers iter.Seq[matching.Freelancer]) error {
		var table bytes.Buffer
		if err := (dataset.Options{Details: true, Currency: "USD"}).WriteCSV(&table, freelancers); err != nil {
			return err
		}
		rows, err := csv.NewReader(&table).ReadAll()
		if err != nil {
			return err
		}
		book := excelize.NewFile()
		for i, row := range rows {
			if err := book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row); err != nil {
				return err
			}
		}
		return errors.Join(book.Write(w), book.Close())
	},
}

// readBack writes freelancers and reads them as the indexer does. It fails the test if a row has a fault.
func readBack(
	t *testing.T, write writer, freelancers ...matching.Freelancer,
) (read []matching.Freelancer, warnings []source.Fault) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "freelancers")
	var out bytes.Buffer
	if err := write(&out, slices.Values(freelancers)); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := source.Open(input.FromPath(path), source.Options{})
	if err != nil {
		t.Fatalf("%v:\n%s", err, out.Bytes())
	}
	defer f.Close()

	for row, err := range f.Rows(t.Context()) {
		if err != nil || len(row.Faults) > 0 {
			t.Fatalf("%v %+v:\n%s", err, row.Faults, out.Bytes())
		}
		read = append(read, row.Freelancer)
		warnings = append(warnings, row.Warnings...)
	}

	return read, warnings
}

// wantSame checks that freelancers are the same after they are written and read, without warnings.
func wantSame(t *testing.T, write writer, want ...matching.Freelancer) {
	t.Helper()
	got, warnings := readBack(t, write, want...)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || len(warnings) > 0 {
		t.Errorf("warnings %v; (-written +read):\n%s", warnings, diff)
	}
}

// awkwardSkills are lists of skills that look like something else when they are written without care.
var awkwardSkills = [][]string{
	{"[x]"},
	{"a,b"},
	{"("},
	{"{Go}"},
	{"{Go", "SQL}"},
	{"Python (5 years)", "Go - Expert"},
	{"'tis", "''Go"},
	{"Ms Office (word", "Excel", "Powerpoint)"},
	{"front-end"},
	{"e-commerce"},
	{"HTMLCSSJavaScript"},
	{"LogoDesignPhotoshop"},
	{"Go"},
	{"Go", "SQL"},
	{"a / b"},
	{"a;b", "c|d"},
	{"•Go", "- SQL"},
	{"\"quoted\"", "back\\slash"},
	{"[\"Go\"]", "['Go']"},
	{"=1+1", "+a", "@b"},
	{"5 years", "10", "Python 3"},
	{"Go.", "SQL,", "C:"},
	{"C", "c++", "C#"},
	{"Go: 5", "Go/10"},
	{"Node.js", ".NET"},
	{"AT&T", "a < b"},
	{"naïve", "日本語、英語"},
	{"a and b", "c & d"},
	{"Advanced Excel", "Expert"},
	{"Go", "años"},
	{"Go", "WordPress and SEO"},
	{"Go", "HTML y CSS"},
	{"Go", "and SQL"},
	{"Go", "Und"},
}

func TestWriters_RoundTripSkills(t *testing.T) {
	for name, write := range writers {
		t.Run(name, func(t *testing.T) {
			var all []matching.Freelancer
			for i, skills := range awkwardSkills {
				f := matching.Freelancer{ID: fmt.Sprintf("x%d", i), Name: "Vel O'Hara", Skills: skills}
				wantSame(t, write, f)
				all = append(all, f)
			}
			wantSame(t, write, all...)
		})
	}
}

// detailed are freelancers with details that a reader may take for something else.
var detailed = []matching.Freelancer{
	{
		ID: "d1", Name: "Ada", JobTitle: "Nurse", Signals: matching.Signals{HourlyRate: matching.Some(54.0)},
		Details: matching.Details{
			Country: "PT", Location: "Porto, Portugal", TimeZone: "Europe/Lisbon", Currency: "EUR",
			Languages:     []matching.SpokenLanguage{{Tag: "pt", Level: "native"}, {Tag: "en", Level: "C1"}, {Tag: "zh-Hant"}},
			AvailableFrom: "2027-02-01", HoursPerWeek: matching.Some(37.5), Verified: matching.Some(true),
		},
	},
	{ID: "d2", Name: "Bo", JobTitle: "Nurse", Details: matching.Details{ // words that may mean something else
		Country: "NA", TimeZone: "Africa/Windhoek", Location: "=Windhoek, \"City\"",
		Languages: []matching.SpokenLanguage{{Tag: "no"}}, Verified: matching.Some(false),
	}},
	{ID: "d3", Name: "Cy", JobTitle: "Nurse", Details: matching.Details{
		Country: "NO", TimeZone: "UTC-03:30", Currency: "JPY", HoursPerWeek: matching.Some(168.0),
		Languages: []matching.SpokenLanguage{{Tag: "yes", Level: "A1"}, {Tag: "en-GB", Level: "C2"}, {Tag: "is"}},
	}},
	{ID: "d4", Name: "Di", JobTitle: "Nurse", Signals: matching.Signals{HourlyRate: matching.Some(10.25)}},
	{ID: "d5", Name: "Ed", JobTitle: "Nurse", Details: matching.Details{Country: "US", Location: "Dover, DE"}},
}

func TestWriters_RoundTripDetails(t *testing.T) {
	for name, write := range detailWriters {
		t.Run(name, func(t *testing.T) {
			wantSame(t, write, detailed...)
			for _, f := range detailed {
				wantSame(t, write, f)
			}
		})
	}
}

// A reader learns the members of NDJSON from the first lines, so a detail that only the last freelancer has must be in
// all of them.
func TestWriters_RoundTripLateDetails(t *testing.T) {
	var people []matching.Freelancer
	for i := range 300 {
		people = append(people, matching.Freelancer{ID: fmt.Sprintf("n%d", i), Name: "Mira", JobTitle: "Nurse"})
	}
	wantSame(t, withDetails.WriteNDJSON, append(people, detailed[0])...)
}

// FuzzWriters_RoundTrip reads a freelancer from NDJSON, as a load would. However odd the texts are, what was read is
// the same after it is written and read again in any format.
func FuzzWriters_RoundTrip(f *testing.F) {
	for _, text := range []string{
		"Go", "[x]", "a,b", "(", "{Go}", "Python (5 years)", "'tis", "=1+1", "two\nlines", "&amp;lt;b&gt;", "<<b>i>x", "N/A",
		"&amp;amp;amp;amp;lt;p&gt;", "&am\u200bp;", "a\u00a0\u2028 b", "𝑫𝒂𝒕𝒂", "e\u0301", "\"", "\\", "sep=;", "# x", "1.234",
		"front-end",
	} {
		f.Add("id1", text, text, text, "SQL", 1.234)
		f.Add(text, "Mira", "Go developer", "Kubernetes", text, 40.0)
	}

	f.Add("id1", "Mira", "Oslo, Norway", "de", "2027-02-01", 1.0)
	f.Add("id1", "Mira", "=1, Namibia", "no", "UTC+5:30", 1.0)
	f.Fuzz(func(t *testing.T, id, name, text, skill, other string, number float64) {
		raw := matching.Freelancer{
			ID: id, Name: name, JobTitle: text, Description: text + "\n\n" + other, Skills: []string{skill, other},
		}

		if number = math.Abs(number); number < 1e6 {
			raw.HourlyRate, raw.Experience = matching.Some(number), matching.Some(math.Mod(number, 50))
			raw.Rating, raw.TotalSales = matching.Some(math.Mod(number, 5)), matching.Some(int(number))
		}

		stored := load(t, raw)
		for name, write := range writers {
			for i := range stored {
				got, _ := readBack(t, write, stored[i])
				if diff := cmp.Diff(stored[i:i+1], got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s (-written +read):\n%s", name, diff)
				}
			}
		}

		raw.Details = matching.Details{
			Country: skill, Location: text, TimeZone: other, Currency: skill, AvailableFrom: other,
			Languages: []matching.SpokenLanguage{{Tag: skill}, {Tag: other, Level: matching.LanguageLevel(text)}},
		}
		for _, stored := range load(t, raw) {
			for name, write := range map[string]writer{"CSV": withDetails.WriteCSV, "NDJSON": withDetails.WriteNDJSON} {
				got, _ := readBack(t, write, stored)
				if diff := cmp.Diff([]matching.Freelancer{stored}, got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s with details (-written +read):\n%s", name, diff)
				}
			}
		}
	})
}

// load returns what the indexer makes of a freelancer: nobody if it rejects the row.
func load(t *testing.T, f matching.Freelancer) (stored []matching.Freelancer) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "raw.ndjson")
	var out bytes.Buffer
	write := dataset.WriteNDJSON

	if !reflect.ValueOf(f.Details).IsZero() {
		write = dataset.Options{Details: true}.WriteNDJSON
	}

	if err := write(&out, slices.Values([]matching.Freelancer{f})); err != nil {
		return nil // NaN
	}

	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := source.Open(input.FromPath(path), source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()

	for row, err := range in.Rows(t.Context()) {
		if err == nil && len(row.Faults) == 0 {
			stored = append(stored, row.Freelancer)
		}
	}

	return stored
}
