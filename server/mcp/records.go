package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/freelancer-matching/service/server/api/wire"
)

type getInput struct {
	FreelancerID string `json:"freelancer_id"`
}

type getOutput struct {
	RequestID string         `json:"request_id"`
	Version   string         `json:"version"`
	Profile   map[string]any `json:"profile_data"`
}

func callGet(ctx context.Context, c client, arguments json.RawMessage) (*result, error) {
	var in getInput
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	if err := requireID(in.FreelancerID); err != nil {
		return nil, err
	}

	var answer wire.Answer[struct {
		Freelancer map[string]any `json:"freelancer"`
		Version    string         `json:"version"`
	}]
	if err := c.send(ctx, request{method: http.MethodGet, path: recordPath(in.FreelancerID)}, &answer); err != nil {
		return nil, err
	}

	out := &getOutput{RequestID: answer.RequestID, Version: answer.Data.Version, Profile: answer.Data.Freelancer}
	return &result{
		summary: "The stored record, version " + out.Version + ".", data: []any{out.Profile}, structured: out,
	}, nil
}

// recordPath returns the path of a freelancer's record.
func recordPath(id string) string { return "/freelancers/" + url.PathEscape(id) }

type putInput struct {
	FreelancerID string         `json:"freelancer_id"`
	Freelancer   map[string]any `json:"freelancer"`
	Currency     string         `json:"currency,omitempty"`
	Version      string         `json:"version,omitempty"`
}

type changeOutput struct {
	RequestID string      `json:"request_id"`
	Outcome   string      `json:"outcome"`
	Version   string      `json:"version"`
	Profile   changedData `json:"profile_data"`
}

// changedData is what the response to a change quotes from the record.
type changedData struct {
	ID       string           `json:"id"`
	Warnings []map[string]any `json:"warnings,omitempty"`
}

// An apiChange is the part of a wire.FreelancerChange that tools use.
type apiChange struct {
	ID       string           `json:"id"`
	Outcome  string           `json:"outcome"`
	Version  string           `json:"version"`
	Warnings []map[string]any `json:"warnings"`
	Erased   erased           `json:"erased"`
}

func callPut(ctx context.Context, c client, arguments json.RawMessage) (*result, error) {
	// The record stays JSON, because the API reports what is wrong with it.
	record, others := takeMember(arguments, "freelancer")
	var in struct {
		FreelancerID string `json:"freelancer_id"`
		Currency     string `json:"currency"`
		Version      string `json:"version"`
	}
	if err := decode(others, &in); err != nil {
		return nil, err
	}
	if err := requireID(in.FreelancerID); err != nil {
		return nil, err
	}

	q := request{method: http.MethodPut, path: recordPath(in.FreelancerID), body: record}
	if in.Currency != "" {
		q.path += "?" + url.Values{wire.ParameterCurrency: {in.Currency}}.Encode()
	}
	if in.Version != "" {
		q.headers = map[string]string{"If-Match": strconv.Quote(in.Version)}
	}

	var answer wire.Answer[apiChange]
	if err := c.send(ctx, q, &answer); err != nil {
		return nil, err
	}

	// Warnings quote the record, which may come from a resume.
	change := &answer.Data
	out := &changeOutput{
		RequestID: answer.RequestID, Outcome: change.Outcome, Version: change.Version,
		Profile: changedData{ID: change.ID, Warnings: change.Warnings},
	}
	return &result{
		summary: "The record is stored: " + out.Outcome + ", version " + out.Version + ".", data: []any{out.Profile},
		structured: out,
	}, nil
}

type deleteOutput struct {
	RequestID string `json:"request_id"`
	Outcome   string `json:"outcome"`
	Erased    erased `json:"erased"`
}

// erased says what was erased with a freelancer.
type erased struct {
	Indexed    bool `json:"indexed"`
	Interviews int  `json:"interviews"`
	Other      int  `json:"other"`
}

func callDelete(ctx context.Context, c client, arguments json.RawMessage) (*result, error) {
	var in getInput
	if err := decode(arguments, &in); err != nil {
		return nil, err
	}
	if err := requireID(in.FreelancerID); err != nil {
		return nil, err
	}
	var answer wire.Answer[apiChange]
	if err := c.send(ctx, request{method: http.MethodDelete, path: recordPath(in.FreelancerID)}, &answer); err != nil {
		return nil, err
	}
	out := &deleteOutput{RequestID: answer.RequestID, Outcome: answer.Data.Outcome, Erased: answer.Data.Erased}
	return &result{summary: "The freelancer is erased, with everything stored about them.", structured: out}, nil
}
