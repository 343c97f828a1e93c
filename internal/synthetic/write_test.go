package synthetic_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"freelancer-matching/internal/matching"
	"freelancer-matching/internal/synthetic"
)

type writer func(io.Writer, iter.Seq[matching.Freelancer]) error

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// full fails at the write that goes over its capacity.
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
f2,,,,0,4.5,12.50,,false,0,
`
	var got bytes.Buffer
	if err := synthetic.WriteCSV(&got, slices.Values(awkward)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteNDJSON(t *testing.T) {
	const want = `{"id":"f1","name":"O\"Hara, Vel","job_title":"","skills":["R&D","C++"],"experience":null,"rating":null,` +
		`"hourly_rate":null,"profile_url":"","availability":null,"total_sales":null,"description":"two\nlines, <b>bold</b>"}
{"id":"f2","name":"","job_title":"","skills":[],"experience":0,"rating":4.5,"hourly_rate":12.5,"profile_url":"",` +
		`"availability":false,"total_sales":0,"description":""}
`
	var got bytes.Buffer
	if err := synthetic.WriteNDJSON(&got, slices.Values(awkward)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What the writers write, ordinary readers of the formats read back.
func TestWriters_RoundTrip(t *testing.T) {
	want := slices.Collect(newGenerator(t).Freelancers(2_000, 8))
	var asCSV, asJSON bytes.Buffer
	err := errors.Join(
		synthetic.WriteCSV(&asCSV, slices.Values(want)), synthetic.WriteNDJSON(&asJSON, slices.Values(want)),
	)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&asCSV).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(want)+1 {
		t.Fatalf("%d rows for %d freelancers", len(rows), len(want))
	}
	lines := json.NewDecoder(&asJSON)
	for i, f := range want {
		var got matching.Freelancer
		if err := lines.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(f, got); diff != "" {
			t.Fatalf("from NDJSON (-want +got):\n%s", diff)
		}
		row := rows[i+1]
		if row[0] != f.ID || row[10] != f.Description || !slices.Equal(strings.Split(row[3], ","), f.Skills) {
			t.Fatalf("from CSV: %q, want %+v", row, f)
		}
	}
}

func TestWriters_ReportAFullDisk(t *testing.T) {
	g := newGenerator(t)
	for name, write := range map[string]writer{"CSV": synthetic.WriteCSV, "NDJSON": synthetic.WriteNDJSON} {
		for _, capacity := range []int{0, 10_000} {
			if err := write(&full{capacity}, g.Freelancers(100, 1)); !errors.Is(err, errFull) {
				t.Errorf("%s after %d bytes: error %v, want %v", name, capacity, err, errFull)
			}
		}
	}
}
