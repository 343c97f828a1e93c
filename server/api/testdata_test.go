package api

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/freelancer-matching/service/internal/dataset"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
)

// wantRecord returns the first record of the fake generator for seed 7.
func wantRecord() wire.TestRecord {
	return wire.TestRecord{
		Freelancer: wire.Freelancer{
			ID: "f1", Name: "Mira 7", JobTitle: "Writer", Skills: []string{"SEO", "Copywriting"}, Experience: 3, Rating: 4.7,
			HourlyRate: 25.5, ProfileURL: "https://example.com/freelancers/mira-1", Availability: true, TotalSales: 12,
		},
		Description: "Says \"hello\",\nthen writes.",
	}
}

func TestTestData_Formats(t *testing.T) {
	fetch := func(format string) (*httptest.ResponseRecorder, *bytes.Buffer) {
		t.Helper()
		c := call{method: http.MethodGet, path: dataPath + "?num_freelancers=3&seed=7&format=" + format, status: 200}
		w, _ := c.send(t)
		if got := w.Header().Get("X-Seed"); got != "7" {
			t.Errorf("%s: X-Seed is %q", format, got)
		}

		return w, w.Body
	}

	t.Run("json", func(t *testing.T) {
		_, body := fetch("json")
		var answer wire.TestDataAnswer
		decoder := json.NewDecoder(body)
		decoder.DisallowUnknownFields()

		if err := decoder.Decode(&answer); err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(wantRecord(), answer.Data[0], cmp.AllowUnexported(wire.TestRecord{})); diff != "" {
			t.Error(diff)
		}

		if answer.Status != "success" || len(answer.Data) != 3 || answer.Seed != 7 || answer.RequestID == "" {
			t.Errorf("got %+v", answer)
		}
	})

	t.Run("ndjson", func(t *testing.T) {
		w, body := fetch("ndjson")
		if got := w.Header().Get("Content-Type"); got != "application/x-ndjson" {
			t.Errorf("Content-Type is %q", got)
		}
		lines := strings.Split(strings.TrimSuffix(body.String(), "\n"), "\n")
		var record wire.TestRecord
		if err := json.Unmarshal([]byte(lines[0]), &record); err != nil {
			t.Fatal(err)
		}

		if diff := cmp.Diff(wantRecord(), record, cmp.AllowUnexported(wire.TestRecord{})); diff != "" || len(lines) != 3 {
			t.Errorf("%d lines, the first: %s", len(lines), diff)
		}
	})

	t.Run("csv", func(t *testing.T) {
		w, body := fetch("csv")
		if got := w.Header().Get("Content-Type"); got != "text/csv; charset=utf-8" {
			t.Errorf("Content-Type is %q", got)
		}
		table, err := csv.NewReader(body).ReadAll()
		if err != nil {
			t.Fatal(err)
		}

		want := [][]string{
			{
				"id", "name", "job_title", "skills", "experience", "rating", "hourly_rate", "profile_url", "availability",
				"total_sales", "description",
			},
			{
				"f1", "Mira 7", "Writer", "SEO,Copywriting", "3", "4.7", "25.5", "https://example.com/freelancers/mira-1", "true",
				"12", "Says \"hello\",\nthen writes.",
			},
		}
		if diff := cmp.Diff(want, table[:2]); diff != "" || len(table) != 4 {
			t.Errorf("%d rows: %s", len(table), diff)
		}
	})
}

func TestTestData_Details(t *testing.T) {
	fetch := func(format, details string) string {
		t.Helper()
		path := dataPath + "?num_freelancers=1&seed=7&format=" + format + "&details=" + details
		c := call{method: http.MethodGet, path: path, status: 200}
		w, _ := c.send(t)
		return w.Body.String()
	}
	for format, want := range map[string]string{
		"json": `"details":{"country":"PT","location":null,"time_zone":null,` +
			`"languages":[{"language":"pt","level":"native"},` +
			`{"language":"en","level":null}],"currency":null,"available_from":null,"hours_per_week":null,"verified":true}`,
		"ndjson": `"hourly_rate_currency":"USD","country":"PT"`,
		"csv":    "USD,PT,,,pt:native;en:?,,,,true",
	} {
		if got := fetch(format, "true"); !strings.Contains(got, want) {
			t.Errorf("%s lacks %s:\n%s", format, want, got)
		}
		if got := fetch(format, "false"); strings.Contains(got, "PT") || strings.Contains(got, "details") {
			t.Errorf("%s has details:\n%s", format, got)
		}
	}
}

func TestTestData_ReturnedSeedRepeatsTheRecords(t *testing.T) {
	first := call{method: http.MethodGet, path: dataPath, status: 200}
	w, _ := first.send(t)
	var answer wire.TestDataAnswer
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}

	if len(answer.Data) != 100 || answer.Seed > maxSeed ||
		w.Header().Get("X-Seed") != strconv.FormatUint(answer.Seed, 10) {
		t.Errorf("%d records, seed %d, X-Seed %q", len(answer.Data), answer.Seed, w.Header().Get("X-Seed"))
	}

	second := call{method: http.MethodGet, path: dataPath + "?seed=" + w.Header().Get("X-Seed"), status: 200}
	repeatedResponse, _ := second.send(t)
	var repeated wire.TestDataAnswer
	if err := json.Unmarshal(repeatedResponse.Body.Bytes(), &repeated); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(answer.Data, repeated.Data, cmp.AllowUnexported(wire.TestRecord{})); diff != "" {
		t.Error(diff)
	}
}

func TestTestData_RejectsInvalidQueries(t *testing.T) {
	query := func(name, query string, code matching.Code, want ...string) call {
		return call{name: name, method: http.MethodGet, path: dataPath + "?" + query, status: 422, code: code, want: want}
	}
	run(t, []call{
		query("zero records", "num_freelancers=0", matching.CodeInvalid,
			"num_freelancers must be a whole number from 1 to 10000"),
		query("too many records", "num_freelancers=10001", matching.CodeInvalid, `got \"10001\"`),
		query("not a number", "num_freelancers=ten", matching.CodeInvalid, `got \"ten\"`),
		query("empty value", "num_freelancers=", matching.CodeInvalid, `got \"\"`),
		query("a fraction", "num_freelancers=1.5", matching.CodeInvalid),
		query("number too large", "num_freelancers=99999999999999999999", matching.CodeInvalid),
		query("a negative seed", "seed=-1", matching.CodeInvalid, `"field":"seed"`),
		query("seed that JSON rounds", "seed=9007199254740992", matching.CodeInvalid),
		query("unknown format", "format=xml", matching.CodeInvalid, "format must be one of json, ndjson, csv"),
		query("details neither true nor false", "details=yes", matching.CodeInvalid, "details must be one of false, true"),
		query("repeated parameter", "seed=1&seed=2", matching.CodeInvalid, "seed appears more than once"),
		query("unknown parameter", "num_freelancer=5", validate.CodeUnknownField, "Did you mean num_freelancers?"),
		query("three errors", "x=1&seed=y&format=z", validate.CodeUnknownField, "The request has 3 errors"),
		query("malformed escape", "seed=%zz", matching.CodeInvalid, "The query string is malformed"),
		{name: "another method", path: dataPath, status: 405, code: endpoint.CodeMethodNotAllowed},
	})
}

// The deadline applies to each chunk of a stream. It is removed at the end, so that the connection can serve further
// requests.
func TestTestData_StreamsRepeatedlyOverOneConnection(t *testing.T) {
	f := newFixture()
	server := httptest.NewServer(New(f.Dependencies).Handler())
	defer server.Close()

	for _, format := range []string{"json", "ndjson", "csv", "json"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			server.URL+dataPath+"?num_freelancers=10000&format="+format, nil)
		if err != nil {
			t.Fatal(err)
		}

		r.Header.Set("X-API-Key", testKey)
		response, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}

		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || strings.Count(string(body), "https://example.com/freelancers/") != 10_000 {
			t.Errorf("%s: %d bytes, %v", format, len(body), err)
		}
	}
}

// Generating stops when the client leaves.
func TestTestData_StopsWhenTheClientLeaves(t *testing.T) {
	generated := 0
	var count iter.Seq[matching.Freelancer] = func(yield func(matching.Freelancer) bool) {
		for f := range generate(1_000_000, 1) {
			if generated++; !yield(f) {
				return
			}
		}
	}
	if err := dataset.WriteNDJSON(brokenPipe{}, count); err == nil || generated != 1 {
		t.Errorf("generated %d records after the client left, %v", generated, err)
	}
	if err := dataset.WriteCSV(brokenPipe{}, count); err == nil || generated > 1_000 {
		t.Errorf("generated %d records after the client left, %v", generated, err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
