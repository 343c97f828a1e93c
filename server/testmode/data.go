package testmode

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/match"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/validate"
	"github.com/freelancer-matching/service/server/api/wire"
	"github.com/freelancer-matching/service/server/app"
)

const (
	maxGenerated = 20_000
	maxData      = 64 << 20 // bytes
)

// replaceData handles PUT /test/data: freelancers in lines of JSON, as for POST /freelancers/bulk, or generated ones.
func (s *Server) replaceData(ctx context.Context, call *endpoint.Call) error {
	var faults validate.Faults
	parameters := call.Query(&faults, "n", "seed", wire.ParameterCurrency)
	n := number(&faults, parameters, "n", defaultSize, maxGenerated)
	seed := number(&faults, parameters, "seed", defaultSeed, 1<<53)
	currency := wire.ReadCurrency(parameters, &faults)
	if err := faults.Err(); err != nil {
		return err
	}
	lines, err := read(call, maxData)
	if err != nil {
		return err
	}

	// Requests see all freelancers of before, or all of the new ones.
	s.mu.Lock()
	defer s.mu.Unlock()

	if len(bytes.TrimSpace(lines)) == 0 {
		err = s.app.Fill(ctx, int(n), seed)
	} else {
		n, err = s.load(ctx, lines, currency)
	}
	if err != nil {
		return err
	}
	if err := dropOld(ctx, s.app); err != nil {
		return err
	}

	return endpoint.WriteAnswer(call, struct {
		Freelancers uint64 `json:"freelancers"`
	}{n})
}

func number(faults *validate.Faults, parameters map[string]string, name string, standard, high uint64) uint64 {
	text, ok := parameters[name]
	if !ok {
		return standard
	}
	return validate.WholeNumber(faults, name, text, 0, high)
}

// load replaces the freelancers with those in lines. If a line has a fault, it returns an error that names the first
// ones, and the freelancers of before stay.
func (s *Server) load(ctx context.Context, lines []byte, currency string) (n uint64, err error) {
	engine := s.app.Index.Engine
	before, err := s.app.Live(ctx)
	if err != nil {
		return 0, err
	}
	if currency == "" {
		currency = before.Currency
	}
	if err := s.app.Index.Fill(ctx, slices.Values([]matching.Freelancer{}), "test", currency); err != nil {
		return 0, err
	}

	n, err = s.bulk(ctx, lines)
	if err != nil {
		_, restored := engine.PointAlias(ctx, match.Alias, before.Name)
		if restored != nil {
			return 0, fmt.Errorf("restore the freelancers: %w", restored)
		}
		return 0, err
	}

	return n, nil
}

// bulk sends lines to POST /freelancers/bulk of the server, and returns how many freelancers they were.
func (s *Server) bulk(ctx context.Context, lines []byte) (n uint64, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "/api/v1/freelancers/bulk", bytes.NewReader(lines))
	if err != nil {
		return 0, err
	}
	r.Host = "localhost"
	r.RemoteAddr = "127.0.0.1:0"
	r.Header.Set("X-API-Key", EnterpriseKey)
	r.Header.Set("Content-Type", endpoint.LinesType)

	var response memoryResponse
	s.app.Handler().ServeHTTP(&response, r)

	var faults validate.Faults
	scanner := bufio.NewScanner(&response.body)
	scanner.Buffer(nil, maxData)
	for scanner.Scan() {
		var line struct {
			wire.BulkResult
			Status string `json:"status"` // of the last line
		}
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			return 0, fmt.Errorf("read the results of the lines: %w", err)
		}

		failure := line.Error
		switch {
		case failure == nil && line.Status == "":
			n++
		case failure == nil:
		case len(failure.Details) == 0:
			faults.Add("line "+strconv.Itoa(line.Line), string(failure.Code), "Line %d: %s", line.Line, failure.Message)
		default:
			d := failure.Details[0]
			faults.Add("line "+strconv.Itoa(line.Line), d.Code, "Line %d: %s", line.Line, d.Message)
		}
	}

	return n, faults.Err()
}

// dropOld drops all indexes but the live one, which would fill the memory.
func dropOld(ctx context.Context, a *app.Server) error {
	live, err := a.Live(ctx)
	if err != nil {
		return err
	}
	indexes, err := a.Index.Engine.Indexes(ctx)
	if err != nil {
		return err
	}
	for _, index := range indexes {
		if index.Name == live.Name {
			continue
		}
		if err := a.Index.Engine.Drop(ctx, index.Name); err != nil {
			return err
		}
	}
	return nil
}

// A memoryResponse is a response that nobody sends.
type memoryResponse struct {
	header http.Header
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (m *memoryResponse) Header() http.Header {
	if m.header == nil {
		m.header = http.Header{}
	}
	return m.header
}

// WriteHeader implements http.ResponseWriter.
func (m *memoryResponse) WriteHeader(int) {}

// Flush implements http.Flusher.
func (m *memoryResponse) Flush() {}

// Write implements http.ResponseWriter.
func (m *memoryResponse) Write(p []byte) (int, error) { return m.body.Write(p) }
