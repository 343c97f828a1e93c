package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/freelancer-matching/service/internal/dataset"
	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
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

// testData handles generated freelancers.
type testData struct {
	generator Generator
	writeTime time.Duration // for a client to receive a chunk
}

// generate handles GET /generate-test-data.
func (h *testData) generate(_ context.Context, call *endpoint.Call) error {
	q, err := parseTestDataQuery(call)
	if err != nil {
		return err
	}
	types := map[string]string{"json": endpoint.JSONType, "ndjson": endpoint.LinesType, "csv": "text/csv; charset=utf-8"}
	call.SetHeader("Content-Type", types[q.format])
	call.SetHeader(headerSeed, strconv.FormatUint(q.seed, 10))

	// Nothing but a cut connection can report an error after the status.
	call.Response.WriteHeader(http.StatusOK)
	stream := endpoint.NewStream(call, h.writeTime)
	out := bufio.NewWriterSize(stream, streamBuffer)
	records := h.generator.Freelancers(q.records, q.seed)

	if q.details {
		records = h.generator.DetailedFreelancers(q.records, q.seed)
	}
	options := dataset.Options{Details: q.details, Currency: "USD"}

	switch q.format {
	case "csv":
		err = options.WriteCSV(out, records)
	case "ndjson":
		err = options.WriteNDJSON(out, records)
	default:
		tail := func() wire.TestDataTail {
			return wire.TestDataTail{Seed: q.seed, RequestID: call.ID, TookMS: call.TookMS()}
		}
		err = writeEnvelope(out, records, q.details, tail)
	}

	if err == nil {
		err = out.Flush()
	}

	if err == nil {
		err = stream.End()
	}

	if err != nil {
		return fmt.Errorf("stream test data: %w", err)
	}

	return nil
}

func parseTestDataQuery(call *endpoint.Call) (testDataQuery, error) {
	seed := rand.Uint64N(maxSeed + 1) //nolint:gosec // not a secret
	q := testDataQuery{records: defaultRecords, seed: seed, format: "json"}
	var faults validate.Faults
	parameters := call.Query(&faults, "num_freelancers", "seed", "format", "details")
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

	// The tail is an object whose members continue the one that has begun, so its brace is left out.
	_, _ = w.WriteString("],")
	_, err = w.Write(append(end[1:], '\n'))

	return err
}
