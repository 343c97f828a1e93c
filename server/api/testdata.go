package api

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"freelancer-matching/internal/dataset"
	"freelancer-matching/internal/matching"
	"freelancer-matching/server/api/validate"
	"freelancer-matching/server/api/wire"
)

// Generator generates consistent freelancers. Freelancers(n, seed) yields the first n of the sequence that the seed
// defines.
type Generator interface {
	Freelancers(n int, seed uint64) iter.Seq[matching.Freelancer]
	// DetailedFreelancers yields the same freelancers with details.
	DetailedFreelancers(n int, seed uint64) iter.Seq[matching.Freelancer]
}

const (
	defaultRecords = 100
	maxRecords     = 10_000
	maxSeed        = 1<<53 - 1 // the largest integer that every JSON parser keeps exactly
	streamBuffer   = 64 << 10  // bytes
)

// A testDataQuery is the query of /generate-test-data.
type testDataQuery struct {
	records int
	seed    uint64
	format  string
	details bool
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

	if q.details {
		records = s.deps.Generator.DetailedFreelancers(q.records, q.seed)
	}
	options := dataset.Options{Details: q.details, Currency: "USD"}

	switch q.format {
	case "csv":
		err = options.WriteCSV(out, records)
	case "ndjson":
		err = options.WriteNDJSON(out, records)
	default:
		tail := func() wire.TestDataTail {
			return wire.TestDataTail{Seed: q.seed, RequestID: requestID(c), TookMS: tookMS(c)}
		}
		err = writeEnvelope(out, records, q.details, tail)
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
	seed := rand.Uint64N(maxSeed + 1) //nolint:gosec // not a secret
	q := testDataQuery{records: defaultRecords, seed: seed, format: "json"}
	var faults validate.Faults
	parameters := validate.Query(raw, &faults, "num_freelancers", "seed", "format", "details")
	if text, ok := parameters["num_freelancers"]; ok {
		q.records = int(validate.WholeNumber(&faults, "num_freelancers", text, 1, maxRecords))
	}

	if text, ok := parameters["seed"]; ok {
		q.seed = validate.WholeNumber(&faults, "seed", text, 0, maxSeed)
	}

	if format, ok := parameters["format"]; ok {
		validate.OneOf(&faults, "format", &format, "json", "ndjson", "csv")
		q.format = format
	}

	if details, ok := parameters["details"]; ok {
		validate.OneOf(&faults, "details", &details, "false", "true")
		q.details = details == "true"
	}

	return q, faults.Err()
}

func writeEnvelope(
	w *bufio.Writer, records iter.Seq[matching.Freelancer], withDetails bool, tail func() wire.TestDataTail,
) error {
	_, _ = w.WriteString(`{"status":"success","data":[`) // bufio.Writer keeps its first error for every later call
	encoder := wire.NewEncoder(w)
	separator := ""
	for f := range records {
		_, _ = w.WriteString(separator)
		separator = ","
		if err := encoder.Encode(wire.NewTestRecord(&f, withDetails)); err != nil {
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

// A stream writes a response with a deadline for each write instead of one for the whole response.
type stream struct {
	w       io.Writer
	control *http.ResponseController
	timeout time.Duration
}

func (s *stream) Write(p []byte) (int, error) {
	if err := s.setDeadline(time.Now().Add(s.timeout)); err != nil {
		return 0, err
	}
	n, err := s.w.Write(p)
	if err != nil {
		err = fmt.Errorf("%w: %w", errClientGone, err)
	}
	return n, err
}

// end flushes the response and removes the deadline, because the connection may serve further requests.
func (s *stream) end() error {
	if err := s.flush(); err != nil {
		return err
	}
	return s.setDeadline(time.Time{})
}

func (s *stream) flush() error {
	if err := s.control.Flush(); err != nil {
		return fmt.Errorf("%w: %w", errClientGone, err)
	}
	return nil
}

// setDeadline does nothing if there is no connection, as in tests with a recorder.
func (s *stream) setDeadline(at time.Time) error {
	if err := s.control.SetWriteDeadline(at); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("%w: %w", errClientGone, err)
	}
	return nil
}
