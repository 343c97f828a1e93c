package testmode

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	_ "embed"

	"github.com/freelancer-matching/service/internal/matching"
	"github.com/freelancer-matching/service/server/api/endpoint"
	"github.com/freelancer-matching/service/server/api/receive"
	"github.com/freelancer-matching/service/server/api/strictjson"
	"github.com/freelancer-matching/service/server/api/validate"
)

// description describes the operations under /test. It is no part of the description of the API, which has no such
// operations in production.
//
//go:embed openapi.yaml
var description []byte

// maxTimes is the largest number of calls to which a fault applies.
const maxTimes = 1_000_000

// routes returns the operations under /test.
func (s *Server) routes() http.Handler {
	e := s.newEngine()
	for _, r := range []struct {
		method, path string
		handle       endpoint.Handler
	}{
		{http.MethodGet, "", s.describe},
		{http.MethodGet, "/openapi.yaml", s.sendDescription},
		{http.MethodPost, "/reset", s.handleReset},
		{http.MethodPut, "/data", s.replaceData},
		{http.MethodGet, "/clock", s.showClock},
		{http.MethodPost, "/clock", s.moveClock},
		{http.MethodPut, "/quota", s.switchQuota},
		{http.MethodGet, "/faults", s.listFaults},
		{http.MethodPost, "/faults", s.addFault},
		{http.MethodDelete, "/faults", s.clearFaults},
		{http.MethodPost, "/trigger", s.trigger},
		{http.MethodGet, "/llm", s.showModel},
		{http.MethodPut, "/llm", s.scriptModel},
	} {
		e.Handle(r.method, controlPath+r.path, s.handle(r.handle))
	}

	e.NoRoute(s.handle(func(_ context.Context, call *endpoint.Call) error {
		return &matching.Error{Code: matching.CodeNotFound, Message: fmt.Sprintf(
			"The path %s does not exist. See /test/openapi.yaml for the operations of test mode.",
			validate.Quote(call.Request.URL.Path))}
	}))
	e.NoMethod(s.handle(func(context.Context, *endpoint.Call) error {
		return &matching.Error{Code: endpoint.CodeMethodNotAllowed, Message: "This path does not allow this method. See " +
			"/test/openapi.yaml for the operations of test mode."}
	}))

	return e
}

// A clockState is the time in responses.
type clockState struct {
	Now time.Time `json:"now"`
}

// describe handles GET /test.
func (s *Server) describe(_ context.Context, call *endpoint.Call) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return endpoint.WriteAnswer(call, struct {
		clockState
		Keys  []Key  `json:"keys"`
		SetUp string `json:"set_up_url"`
		Quota bool   `json:"quota"`
		Rules []rule `json:"faults"`
	}{clockState{s.clock.now()}, Keys(), s.invited, s.limits.on.Load(), s.faults.list()})
}

// sendDescription handles GET /test/openapi.yaml.
func (s *Server) sendDescription(_ context.Context, call *endpoint.Call) error {
	call.SetHeader("Content-Type", "application/yaml")
	_, err := call.Response.Write(description)
	return err
}

// handleReset handles POST /test/reset.
func (s *Server) handleReset(ctx context.Context, call *endpoint.Call) error {
	if err := s.reset(ctx); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	return endpoint.WriteAnswer(call, clockState{s.clock.now()})
}

// showClock handles GET /test/clock.
func (s *Server) showClock(_ context.Context, call *endpoint.Call) error {
	return endpoint.WriteAnswer(call, clockState{s.clock.now()})
}

// moveClock handles POST /test/clock. Its response comes when everything that has become due is done.
func (s *Server) moveClock(ctx context.Context, call *endpoint.Call) error {
	var body struct {
		Set     *string `json:"set"`
		Advance *string `json:"advance"`
	}
	var faults validate.Faults
	if err := decode(call, &body); err != nil {
		return err
	}

	to := s.clock.now()
	switch {
	case (body.Set == nil) == (body.Advance == nil):
		faults.Add("set", "missing", "Send either set, a time, or advance, a duration.")
	case body.Set != nil:
		at, err := time.Parse(time.RFC3339, *body.Set)
		if err != nil {
			faults.Add("set", "invalid", "set must be a time such as 2027-01-31T12:00:00Z; got %s.", validate.Quote(*body.Set))
		}
		to = at
	default:
		span, err := parseSpan(*body.Advance)
		if err != nil {
			faults.Add("advance", "invalid", "advance must be a duration such as 90s, 48h or 30d; got %s.",
				validate.Quote(*body.Advance))
		}
		to = to.Add(span)
	}

	if !faults.Any() && (to.Year() < 1970 || to.Year() > maxYear) {
		faults.Add("set", "out_of_range", "The year must be from 1970 to %d.", maxYear)
	}
	if err := faults.Err(); err != nil {
		return err
	}

	s.mu.RLock()
	defer s.mu.RUnlock()

	s.clock.set(to)
	if err := s.app.CatchUp(ctx); err != nil {
		return fmt.Errorf("catch up with the clock: %w", err)
	}
	return endpoint.WriteAnswer(call, clockState{s.clock.now()})
}

// switchQuota handles PUT /test/quota.
func (s *Server) switchQuota(_ context.Context, call *endpoint.Call) error {
	var body struct {
		Enforced bool `json:"enforced"`
	}
	if err := decode(call, &body); err != nil {
		return err
	}
	s.limits.enforce(body.Enforced)
	return endpoint.WriteAnswer(call, body)
}

// listFaults handles GET /test/faults.
func (s *Server) listFaults(_ context.Context, call *endpoint.Call) error {
	return endpoint.WriteAnswer(call, s.faults.list())
}

// addFault handles POST /test/faults.
func (s *Server) addFault(_ context.Context, call *endpoint.Call) error {
	var r rule
	var faults validate.Faults
	if err := decode(call, &r); err != nil {
		return err
	}

	var err error
	if r.fault, err = parseFault(r.Fault); err != nil {
		faults.Add("fault", "invalid", "fault must be %s; got %s.", faultForms, validate.Quote(r.Fault))
	}
	validate.Within(&faults, "times", &r.Times, 0, maxTimes)
	if err := faults.Err(); err != nil {
		return err
	}

	if !s.faults.add(r) {
		return tooMany("fault", "%d faults are waiting already. DELETE /test/faults first.", maxFaults)
	}
	return endpoint.WriteAnswer(call, s.faults.list())
}

// clearFaults handles DELETE /test/faults.
func (s *Server) clearFaults(_ context.Context, call *endpoint.Call) error {
	s.faults.clear()
	return endpoint.WriteAnswer(call, s.faults.list())
}

func tooMany(field, format string, args ...any) error {
	return matching.Invalid([]matching.FieldError{{
		Field: field, Code: "too_many", Message: fmt.Sprintf(format, args...),
	}})
}

// decode decodes the JSON body of a call.
func decode(call *endpoint.Call, into any) error {
	body, err := read(call, receive.MaxJSON)
	if err != nil {
		return err
	}

	in := json.NewDecoder(bytes.NewReader(body))
	in.DisallowUnknownFields() // a misspelled field would test something else
	if err := in.Decode(into); err != nil {
		return strictjson.Malformed("The body can't be read: %v. See /test/openapi.yaml.", err)
	}
	return nil
}

// read reads the body of a call.
func read(call *endpoint.Call, limit int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(call.Response, call.Request.Body, limit))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, receive.TooLarge(limit)
	}
	return body, err
}
