package api

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/internal/dataset"
	"freelancer-matching/internal/matching"
)

// Generator makes freelancers that hang together; the same seed gives the same ones, and fewer of them the first ones.
type Generator interface {
	Freelancers(n int, seed uint64) iter.Seq[matching.Freelancer]
}

const (
	defaultRecords = 100
	maxRecords     = 10_000
	maxSeed        = 1<<53 - 1 // the largest whole number that every JSON reader keeps exactly
	streamBuffer   = 64 << 10  // bytes
)

// testRecord is a generated freelancer.
type testRecord struct {
	Freelancer
	Description string `json:"description"`
}

// testDataAnswer is the answer of /generate-test-data in the format json. It is sent piece by piece: the list, then
// what follows it.
type testDataAnswer struct {
	Status string       `json:"status"` // success
	Data   []testRecord `json:"data"`
	testDataTail
}

type testDataTail struct {
	Seed      uint64  `json:"seed"`
	RequestID string  `json:"request_id"`
	TookMS    float64 `json:"took_ms"`
}

// testDataQuery is the query of /generate-test-data.
type testDataQuery struct {
	records int
	seed    uint64
	format  string
}

func (s *Server) generateTestData(c *gin.Context) error {
	q, err := parseTestDataQuery(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	types := map[string]string{"json": jsonType, "ndjson": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
	c.Header("Content-Type", types[q.format])
	c.Header(headerSeed, strconv.FormatUint(q.seed, 10))
	c.Status(http.StatusOK)
	stream := &stream{
		w: c.Writer, control: http.NewResponseController(c.Writer), timeout: s.deps.RequestTimeout,
	}
	out := bufio.NewWriterSize(stream, streamBuffer)
	records := s.deps.Generator.Freelancers(q.records, q.seed)
	switch q.format {
	case "csv":
		err = dataset.WriteCSV(out, records)
	case "ndjson":
		err = dataset.WriteNDJSON(out, records)
	default:
		tail := func() testDataTail { return testDataTail{Seed: q.seed, RequestID: requestID(c), TookMS: tookMS(c)} }
		err = writeEnvelope(out, records, tail)
	}
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = stream.end()
	}
	if err != nil {
		return fmt.Errorf("stream test data: %w", err)
	}
	return nil
}

func parseTestDataQuery(raw string) (testDataQuery, error) {
	q := testDataQuery{records: defaultRecords, seed: rand.Uint64N(maxSeed + 1), format: "json"} //nolint:gosec // not a secret
	var f faults
	values, err := url.ParseQuery(raw)
	if err != nil {
		f.add("query", "malformed", "the query is not well formed, it must be name=value&name=value")
		return q, f.err()
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := values[name][0]
		switch {
		case len(values[name]) > 1:
			f.add(shownName(name), "duplicate_field", "%s is there twice, send it once", shownName(name))
		case name == "num_freelancers":
			q.records = int(wholeNumber(&f, name, value, 1, maxRecords))
		case name == "seed":
			q.seed = wholeNumber(&f, name, value, 0, maxSeed)
		case name == "format":
			oneOf(&f, name, &value, "json", "ndjson", "csv")
			q.format = value
		default:
			unknownField(&f, "", name, []string{"num_freelancers", "seed", "format"})
		}
	}
	return q, f.err()
}

func wholeNumber(f *faults, field, text string, low, high uint64) uint64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || n < low || n > high {
		f.add(field, "out_of_range", "%s must be a whole number from %d to %d, got %s", field, low, high, shown(text))
	}
	return n
}

func wireRecord(f *matching.Freelancer) testRecord {
	return testRecord{Freelancer: wireFreelancer(f), Description: f.Description}
}

func newEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

func writeEnvelope(w *bufio.Writer, records iter.Seq[matching.Freelancer], tail func() testDataTail) error {
	_, _ = w.WriteString(`{"status":"success","data":[`) // bufio.Writer keeps its first error for every later call
	encoder := newEncoder(w)
	separator := ""
	for f := range records {
		_, _ = w.WriteString(separator)
		separator = ","
		if err := encoder.Encode(wireRecord(&f)); err != nil {
			return err
		}
	}
	end, err := json.Marshal(tail())
	if err != nil {
		return err
	}
	_, _ = w.WriteString("],")
	_, err = w.Write(append(end[1:], '\n'))
	return err
}

// stream gives the client a time for each part of an answer instead of one for all of it.
type stream struct {
	w       io.Writer
	control *http.ResponseController
	timeout time.Duration
}

func (s *stream) Write(p []byte) (int, error) {
	if err := s.setDeadline(time.Now().Add(s.timeout)); err != nil {
		return 0, err
	}
	return s.w.Write(p)
}

// end sends what is left, and takes the deadline back: the connection may serve further requests.
func (s *stream) end() error {
	if err := s.control.Flush(); err != nil {
		return err
	}
	return s.setDeadline(time.Time{})
}

// setDeadline does nothing where there is no connection, as with the recorder of a test.
func (s *stream) setDeadline(at time.Time) error {
	if err := s.control.SetWriteDeadline(at); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}
